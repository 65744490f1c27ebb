//! One match: the fleet, who plays, and after each tick what there is to show and to tell. It knows no clock but the
//! match's own; the lab and `isostep demo` drive it.
//!
//! - `peer`: a machine's game, with faults to plant; `work`: what it cost; `hand`: who plays it.
//! - `look`: what there is to see; `scene`: what never changes of it; `notes`: what there is to tell.
//! - `tape`: the recording.

mod hand;
mod look;
mod notes;
mod peer;
mod scene;
mod tape;
mod work;

pub(crate) use look::{Body, Frame, PeerFrame, Verdict};
pub(crate) use notes::Note;
pub(crate) use peer::Peer;

use crate::settings::{Deed, MAX_DRIFT_PPM, Resim, SettingError, Settings, Trouble};
use crate::shown::Shown;
use hand::Hand;
use isostep_core::digest::ShortDigest;
use isostep_core::world::ResimMode;
use isostep_core::{Real, real};
use isostep_rollback::replay::ReplayError;
use isostep_rollback::sim_match::{Machine, SimMatchError};
use isostep_rollback::{LinkConfig, PlayerId, SimMatch, Stats, Stick, Tick};
use isostep_scenes::games::tumble::rules::{self, Move, Tumble};
use peer::Fault;
use std::collections::VecDeque;
use std::time::Duration;
use tape::Tape;
use work::BODIES;

/// How long a machine is cut off.
const PARTITION: Duration = Duration::from_secs(2);
/// Digests that are remembered of a machine, until the slowest has come as far.
const DIGESTS: usize = 64;
/// Whoever is nearer to where they were has no ghost: it could not be told from them.
const GHOST_FROM: Real = real!(0.015625);
/// A round of Tumble: ticks, and points that end it before.
const ROUND: u32 = 75 * 60;
const POINTS: i32 = 5;
/// Thousandths of a tick a second, without any correction.
const MILLIHERTZ: i64 = 60_000;

/// Why a match can't begin or go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlayError {
    #[error(transparent)]
    SimMatch(#[from] SimMatchError),
    #[error("the match can't be recorded: {0}")]
    Tape(#[from] ReplayError),
}

/// What was counted of a machine up to the frame before.
#[derive(Default)]
struct Seen {
    stats: Stats,
    sent_bytes: u64,
    digests: VecDeque<(Tick, ShortDigest)>,
}

/// A match.
pub(crate) struct Play {
    settings: Settings,
    fleet: SimMatch<Peer>,
    hands: Vec<Hand>,
    seen: Vec<Seen>,
    number: u32,
    /// What is still to come of the troubles in the settings.
    ahead: VecDeque<Trouble>,
    /// What happened, to be told.
    notes: Vec<Note>,
    tape: Tape,
}

impl Play {
    pub(crate) fn new(settings: Settings) -> Result<Self, PlayError> {
        let players = settings.players;
        let rules = rules(&settings);
        let game = |_| Peer::new(Tumble::new(rules));
        let perfect = LinkConfig::perfect();
        let fleet = SimMatch::mesh(settings.seed, players, &settings.session(), perfect, game)?;
        let hands = (0..players).map(|_| Hand::default()).collect();
        let seen = (0..players).map(|_| Seen::default()).collect();
        let ahead = settings.troubles.iter().copied().collect();
        let first = &fleet.machines()[0];
        let tape = Tape::start(rules, &first.session, &first.game)?;
        let notes = Vec::new();
        let mut play = Self { settings, fleet, hands, seen, number: 0, ahead, notes, tape };
        play.apply()?;
        Ok(play)
    }

    pub(crate) const fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) const fn fleet(&self) -> &SimMatch<Peer> {
        &self.fleet
    }

    /// Changes a setting while the match goes on; `true` if a new one has to begin for it.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<bool, SettingError> {
        let mut settings = self.settings.clone();
        let field = settings.set(name, value)?;
        settings.check()?;
        self.settings = settings;
        if field.name == "delay" {
            for (player, machine) in (0..).map(PlayerId).zip(self.fleet.machines_mut()) {
                // Each sits at their own machine, and the delay was checked. One that adapts goes its own way again.
                let _ = machine.session.set_delay(player, self.settings.delay);
            }
        }
        // The links were checked, and both ends exist.
        let _ = self.apply();
        Ok(field.anew)
    }

    /// What player one's keys are now.
    pub(crate) fn keys(&mut self, stick: Stick, held: u64) {
        self.hands[0].set_keys(stick, held);
    }

    /// Has something go wrong now, and notes it in the settings.
    pub(crate) fn make_trouble(&mut self, machine: u8, deed: Deed) {
        if machine < self.settings.players {
            let trouble = Trouble { at: self.number, machine, deed };
            self.settings.note(trouble);
            self.strike(trouble);
        }
    }

    /// The recording so far as a file; another one begins.
    pub(crate) fn save_tape(&mut self) -> Result<Vec<u8>, PlayError> {
        let first = &self.fleet.machines()[0];
        let next = Tape::start(rules(&self.settings), &first.session, &first.game)?;
        let tape = std::mem::replace(&mut self.tape, next);
        Ok(tape.finish(&first.session, &first.game))
    }

    /// Links, clocks and ways to compute as the settings have them.
    fn apply(&mut self) -> Result<(), SimMatchError> {
        let now = self.fleet.now();
        let mode = match self.settings.resim {
            Resim::Incremental => ResimMode::Incremental,
            Resim::Full => ResimMode::Full,
        };
        for (machine, drift) in self.fleet.machines_mut().iter_mut().zip(self.settings.drift) {
            machine.game.set_resim_mode(mode);
            machine.paced = self.settings.dilation;
            if machine.clock.drift_ppm() != drift {
                debug_assert!(drift.abs() <= MAX_DRIFT_PPM);
                // Time does not go back here, and the drift was checked.
                let _ = machine.clock.set_drift(now, drift);
            }
        }
        let network = self.fleet.network();
        let nodes: Vec<_> = network.nodes().collect();
        for (&from, a) in nodes.iter().zip(0..) {
            for (&to, b) in nodes.iter().zip(0..).filter(|(_, b)| *b != a) {
                network.set_link(from, to, self.settings.link((a, b)).config())?;
            }
        }
        Ok(())
    }

    fn strike(&mut self, trouble: Trouble) {
        let machine = usize::from(trouble.machine);
        match trouble.deed {
            Deed::Cut => self.cut(machine),
            Deed::Plant { spot, always } => {
                let Some(it) = self.fleet.machines_mut().get_mut(machine) else { return };
                let tick = it.session.current_tick().next();
                it.game.plant(Fault { tick, spot }, always);
                self.notes.push(Note::Planted { machine, tick: tick.0, spot, always });
            }
        }
    }

    fn cut(&mut self, machine: usize) {
        let now = self.fleet.now();
        let network = self.fleet.network();
        let nodes: Vec<_> = network.nodes().collect();
        let Some(&alone) = nodes.get(machine) else { return };
        for &other in nodes.iter().filter(|&&other| other != alone) {
            // Both are there and the window is not empty.
            let _ = network.partition_both(alone, other, now..now + PARTITION);
        }
        self.notes.push(Note::cut(machine));
    }

    /// Plays for a tick of the clock.
    pub(crate) fn tick(&mut self) -> Result<(), PlayError> {
        while let Some(trouble) = self.ahead.pop_front_if(|next| next.at <= self.number) {
            self.strike(trouble);
        }
        let players = (0..).map(PlayerId);
        let hands = self.hands.iter_mut().zip(self.fleet.machines()).zip(players);
        let samples: Vec<Move> = hands
            .map(|((hand, machine), player)| {
                hand.sample(&machine.game, machine.session.current_tick(), player)
            })
            .collect();
        self.number += 1;
        self.fleet.run(1, |machine, _, _| samples[machine])?;
        let first = &self.fleet.machines()[0];
        if self.tape.record(&first.session, &first.game) {
            let why = "the recording is full; save it, and another one begins".to_owned();
            self.notes.push(Note::Tape { why });
        }
        Ok(())
    }

    /// Lets everything arrive: links are perfect and nobody presses anything, for a second.
    pub(crate) fn settle(&mut self) -> Result<(), PlayError> {
        Ok(self.fleet.settle()?)
    }

    /// What every machine sees now; counts are since the last call.
    pub(crate) fn frame(&mut self, micros: u32) -> Frame {
        let (compared, digests) = self.compare();
        let verdict = match compared {
            None => Verdict::Unknown,
            Some(_) if digests.iter().all(|&digest| digest == digests[0]) => Verdict::Agree,
            Some(_) => Verdict::Differ,
        };
        let machines = self.fleet.machines_mut().iter_mut();
        let all = machines.zip(&mut self.seen).zip(digests).zip((0..).map(PlayerId));
        let peers = all
            .map(|(((machine, seen), digest), player)| peer_frame(machine, seen, digest, player))
            .collect();
        let compared = compared.unwrap_or_default().0;
        Frame { number: self.number, micros, compared, verdict, taped: self.tape.ticks(), peers }
    }

    /// The newest tick of which all have a digest, and the digests.
    fn compare(&mut self) -> (Option<Tick>, Vec<ShortDigest>) {
        for (seen, machine) in self.seen.iter_mut().zip(self.fleet.machines()) {
            if let Some(digest) = machine.session.digest()
                && seen.digests.back().is_none_or(|last| last.0 < digest.0)
            {
                seen.digests.push_back(digest);
                if seen.digests.len() > DIGESTS {
                    seen.digests.pop_front();
                }
            }
        }
        let has =
            |seen: &Seen, tick| Some(seen.digests.iter().rev().find(|digest| digest.0 == tick)?.1);
        let mut ticks = self.seen[0].digests.iter().rev().map(|digest| digest.0);
        let compared = ticks.find(|&tick| self.seen.iter().all(|seen| has(seen, tick).is_some()));
        let digests = self.seen.iter().map(|seen| has(seen, compared?));
        (compared, digests.map(Option::unwrap_or_default).collect())
    }

    /// What happened since the last call.
    pub(crate) fn notes(&mut self) -> Vec<Note> {
        let mut notes = std::mem::take(&mut self.notes);
        for (index, machine) in self.fleet.machines_mut().iter_mut().enumerate() {
            // Datagrams that were refused are no news here: links lose enough of them.
            machine.refused.clear();
            for event in machine.events.drain(..) {
                notes.extend(Note::of(index, &event, machine.game.tumble()));
            }
        }
        notes
    }
}

/// As many crates as make all bodies that are told apart.
const fn rules(settings: &Settings) -> rules::Settings {
    let &Settings { players, seed, .. } = settings;
    rules::Settings {
        players,
        crates: BODIES as u8 - players,
        seed,
        round_ticks: ROUND,
        points: POINTS,
    }
}

fn peer_frame(
    machine: &mut Machine<Peer>,
    seen: &mut Seen,
    digest: ShortDigest,
    player: PlayerId,
) -> PeerFrame {
    let work = machine.game.take_work();
    let (session, game) = (&machine.session, machine.game.tumble());
    let (now, was) = (session.stats(), seen.stats);
    let depths = (0..).zip(now.depths.iter().zip(was.depths));
    let depth = depths.filter(|(_, (now, was))| *now > was).map(|depth| depth.0).max();
    let confirmed = session.confirmed_tick().min(session.current_tick());
    let past = game.world.past(confirmed.0).ok().filter(|_| confirmed < session.current_tick());
    let (mut bodies, mut ghosts) = (Vec::with_capacity(BODIES), Vec::new());
    for (thing, number) in game.things().zip(0..BODIES as u8) {
        bodies.push(Body { pose: thing.pose, asleep: thing.asleep });
        if let Some(was) = past.and_then(|past| past.body(thing.body)) {
            let (was, is) = (was.pose(), thing.pose);
            let far = (was.translation - is.translation).to_array();
            if far.into_iter().any(|axis| axis.abs() > GHOST_FROM) {
                ghosts.push((number, was));
            }
        }
    }
    let rate = i64::from(if machine.paced { session.rate_ppm() } else { 0 });
    let drift = i64::from(machine.clock.drift_ppm());
    let millihertz = MILLIHERTZ + MILLIHERTZ * (rate + drift) / 1_000_000;
    let [a, b, c, d, e, f, g, h, ..] = digest.to_bytes();
    let frame = PeerFrame {
        present: session.current_tick().0,
        confirmed: confirmed.0,
        lead: session.predicted_ticks(),
        depth: depth.unwrap_or(0),
        again: now.resimulated_ticks - was.resimulated_ticks,
        redone: work.redone(),
        // The first run of a fleet ticks twice: at its beginning and at its end.
        stalls: (now.stalls - was.stalls).min(1),
        sent_bytes: machine.sent_bytes - seen.sent_bytes,
        delay: session.delay(player).unwrap_or(0),
        millihertz: u32::try_from(millihertz).unwrap_or(0),
        micros: work.micros(),
        score: game.score(),
        digest: [a, b, c, d, e, f, g, h],
        groups: work.groups().collect(),
        bodies,
        ghosts,
    };
    seen.stats = now;
    seen.sent_bytes = machine.sent_bytes;
    frame
}

#[cfg(test)]
mod tests;
