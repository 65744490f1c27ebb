//! View for the page: interpolated poses, falls reported once in spite of rollbacks, and network
//! quality. Reads the match and never changes it.

use crate::bodies::{CRATES, PLATFORM, PLAYER};
use crate::machine::Machine;
use crate::rules::{OVER, Phase, READY, Tumble};
use isostep::netcode::Transport;
use isostep::netcode::crypto::MachineId;
use isostep::rollback::presentation::{EffectConfig, EffectEvent, EffectId, EffectJournal};
use isostep::rollback::{Occupant, Poses, RunReport, WorldReader};
use isostep::{BodyId, PlayerId, Real, Session, Tick, Time};
use serde_json::{Value, json};
use std::time::Duration;

/// Time between two frames.
const REDRAW_INTERVAL: Duration = Duration::from_millis(16);
/// Silence after which a player's signal bars go out.
const QUIET: Duration = Duration::from_millis(600);

/// State kept from frame to frame.
pub struct View {
    /// Fraction of the next tick.
    pub alpha: Real,
    /// Confirmed falls.
    pub falls: u32,
    poses: Poses<BodyId>,
    reader: WorldReader,
    journal: EffectJournal<PlayerId, Option<PlayerId>>,
    /// Ids of effects, as the page knows them.
    started: Vec<(EffectId, u32)>,
    next: u32,
    drawn: Option<Time>,
    /// Deepest rollback since the last frame, ticks.
    depth: u32,
}

impl View {
    pub fn new(tick: Duration) -> Self {
        Self {
            alpha: Real::ZERO,
            falls: 0,
            poses: Poses::new(tick),
            reader: WorldReader::new(),
            journal: EffectJournal::new(EffectConfig::default()),
            started: Vec::new(),
            next: 0,
            drawn: None,
            depth: 0,
        }
    }

    /// Call after each tick.
    pub fn tick(&mut self, ran: RunReport, session: &Session<Tumble>, game: &Tumble) {
        let present = session.current_tick();
        self.depth = self.depth.max(ran.resimulated);
        self.poses.tick(present, ran, self.reader.read(present, ran, &game.world));
        // A player can't fall twice within a rollback, so the state still holds every fall.
        let computed = (present - (ran.new + ran.resimulated)).0..present.0;
        for tick in computed.map(Tick) {
            let falls = (0..).zip(&game.players).filter_map(|(seat, player)| {
                let fall = player.fell.filter(|fall| fall.tick == tick)?;
                Some((PlayerId(seat), fall.by))
            });
            self.journal.tick(tick, falls);
        }
        self.journal.confirm(session.confirmed_tick());
    }

    /// Falls since the last call, in the page's format. Call it regularly.
    pub fn news(&mut self) -> Vec<Value> {
        let mut news = Vec::new();
        while let Some(event) = self.journal.poll() {
            match event {
                EffectEvent::Started { id, cause, payload, .. } => {
                    self.next += 1;
                    self.started.push((id, self.next));
                    let by = payload.map(|by| by.0);
                    news.push(
                        json!({ "id": self.next, "is": "started", "seat": cause.0, "by": by }),
                    );
                }
                EffectEvent::Confirmed { id, .. } => {
                    self.falls += 1;
                    self.end(id);
                }
                EffectEvent::Cancelled { id, .. } => {
                    let number = self.end(id);
                    news.push(json!({ "id": number, "is": "cancelled" }));
                }
            }
        }
        news
    }

    fn end(&mut self, id: EffectId) -> Option<u32> {
        let at = self.started.iter().position(|it| it.0 == id)?;
        Some(self.started.swap_remove(at).1)
    }

    /// Time since the last frame, if another is due.
    fn is_due(&mut self, now: Time) -> Option<Duration> {
        let ago = self.drawn.map_or(REDRAW_INTERVAL, |drawn| now.since(drawn));
        (ago >= REDRAW_INTERVAL).then(|| {
            self.drawn = Some(now);
            ago
        })
    }
}

impl<T: Transport> Machine<T> {
    /// Constant data.
    pub fn scene(&self) -> Value {
        let sizes = CRATES.iter().cycle().take(self.game.pushed.len() - self.game.players.len());
        json!({
            "me": self.me.0,
            "half": metres(self.game.cast.half),
            "platform": metres(PLATFORM),
            "player": PLAYER.map(metres),
            "crates": sizes.map(|&size| metres(size)).collect::<Vec<_>>(),
            "points": self.game.cast.settings.points,
        })
    }

    /// A frame, if one is due.
    pub fn picture(&mut self, now: Time) -> Option<Value> {
        let ago = self.view.is_due(now)?;
        let alpha = self.view.alpha;
        self.view.poses.frame(alpha, ago);
        let news = self.view.news();
        let bodies: Vec<_> = self
            .game
            .cast
            .bodies
            .iter()
            .map(|&body| {
                let drawn = self.view.poses.get(body);
                let here = || self.game.world.body(body).map(|body| body.pose());
                let pose = drawn.map(|drawn| drawn.pose).or_else(here).unwrap_or_default();
                let at = pose.translation.to_array().map(metres);
                let turn = pose.rotation.to_xyzw().map(metres);
                (at, turn, drawn.is_some_and(|drawn| drawn.cut))
            })
            .collect();
        let session = self.peer.session();
        let (board, settings) = (&self.game.board, self.game.cast.settings);
        let spent = session.current_tick().since(board.since);
        let (phase, length, winner) = match board.phase {
            Phase::Ready => ("ready", READY, None),
            Phase::Play => ("play", settings.round_ticks, None),
            Phase::Over { winner } => ("over", OVER, winner.map(|seat| seat.0)),
        };
        Some(json!({
            "now": now.since(Time::ZERO).as_micros() as u64,
            "started": self.peer.has_started(),
            "tick": session.current_tick().0,
            "confirmed": session.confirmed_tick().0,
            "round": board.round,
            "phase": phase,
            "left": length.saturating_sub(spent),
            "winner": winner,
            "bodies": bodies,
            "players": self.seats(now),
            "news": news,
            "rollbacks": session.stats().rollbacks,
            "depth": std::mem::take(&mut self.view.depth),
            "delay": session.delay(self.me),
        }))
    }

    fn seats(&self, now: Time) -> Vec<Value> {
        let (session, endpoint) = (self.peer.session(), self.peer.endpoint());
        let present = session.current_tick();
        (0..)
            .map(PlayerId)
            .zip(&self.game.players)
            .map(|(seat, player)| {
                let machine = MachineId(seat.0);
                let heard = endpoint.last_received(machine).map(|heard| now.since(heard));
                let (who, there) = match session.occupant(seat) {
                    Some(Occupant::Local) if self.controller.is_human(now) => ("you", true),
                    Some(Occupant::Local) => ("bot for you", true),
                    Some(Occupant::Remote(_)) => ("", heard.is_some_and(|heard| heard < QUIET)),
                    _ => ("bot", true),
                };
                let trip = endpoint.rtt(machine).filter(|_| there && heard.is_some());
                json!({
                    "name": self.names[usize::from(seat.0)],
                    "who": who,
                    "there": there,
                    "trip": trip.map(|trip| trip.as_micros() as u64 / 1000),
                    "points": player.points,
                    "wins": player.wins,
                    "out": player.out,
                    "facing": [metres(player.facing.x), metres(player.facing.z)],
                    "shoved": player.shoved.map(|tick| present.since(tick)),
                })
            })
            .collect()
    }
}

/// Millimetres are precise enough, and short as text.
fn metres(length: Real) -> f64 {
    (length.to_f64() * 1000.0).round() / 1000.0
}
