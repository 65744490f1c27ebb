//! One match: the fleet, who plays, and after each tick what there is to show and to tell.

use super::control::{Control, Settings};
use super::frame::{Body, Frame, PeerFrame, Verdict};
use super::hand::Hand;
use super::peer::{Fault, Peer};
use isostep_core::digest::ShortDigest;
use isostep_core::shape::Geometry;
use isostep_core::{Real, Vec3};
use isostep_determinism_tests::games::{Arena, ArenaInput, ArenaSize, Kind, Team};
use isostep_rollback::fleet::FleetError;
use isostep_rollback::{
    Blame, DesyncReport, Fleet, LinkConfig, PlayerId, SessionEvent, Stats, Stick, Tick,
};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::Duration;

/// Bodies that move, players and ball included.
const BODIES: u16 = 64;
/// How long a partition lasts.
const PARTITION: Duration = Duration::from_secs(2);
/// Digests that are remembered of a machine, until the slowest has come as far.
const DIGESTS: usize = 64;

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
    fleet: Fleet<Peer>,
    hands: Vec<Hand>,
    seen: Vec<Seen>,
    number: u32,
    /// What happened, to be told.
    notes: Vec<Value>,
}

impl Play {
    pub(crate) fn new(settings: Settings) -> Result<Self, FleetError> {
        let players = settings.players;
        let size = ArenaSize { players, props: BODIES - 1 - u16::from(players) };
        let game = |_| Peer::new(Arena::new(size, settings.seed));
        let perfect = LinkConfig::perfect();
        let fleet = Fleet::mesh(settings.seed, players, &settings.session(), perfect, game)?;
        let hands = (0..players).map(|_| Hand::default()).collect();
        let seen = (0..players).map(|_| Seen::default()).collect();
        let mut play = Self { settings, fleet, hands, seen, number: 0, notes: Vec::new() };
        play.set_links()?;
        Ok(play)
    }

    /// What the page has to know once, before the first frame.
    pub(crate) fn scene(&self) -> Value {
        let arena = self.fleet.machines()[0].game.arena();
        let moves = |kind| matches!(kind, Kind::Ball | Kind::Player(_) | Kind::Prop);
        let things: Vec<_> = arena
            .things()
            .map(|thing| {
                let (kind, team) = match thing.kind {
                    Kind::Ball => ("ball", None),
                    Kind::Player(player) => ("player", Some(Team::of(player))),
                    Kind::Prop => ("prop", None),
                    Kind::Goal(team) => ("goal", Some(team)),
                    Kind::Wall => ("wall", None),
                };
                let (shape, size) = match *thing.shape.geometry() {
                    Geometry::Sphere { radius } => ("round", [radius, Real::ZERO, radius]),
                    Geometry::Capsule { half_length, radius } => {
                        ("round", [radius, half_length, radius])
                    }
                    Geometry::Cuboid { half } => ("box", [half.x, half.y, half.z]),
                    _ => ("box", [Real::ZERO; 3]),
                };
                let Vec3 { x, y, z } = thing.pose.translation;
                let (size, at) = (size.map(Real::to_f32), [x, y, z].map(Real::to_f32));
                json!({
                    "kind": kind, "team": team.map(|team| u8::from(team == Team::Red)),
                    "shape": shape, "size": size,
                    "moves": moves(thing.kind), "at": at,
                })
            })
            .collect();
        let half = arena.half_sides().map(Real::to_f32);
        json!({ "settings": self.settings, "half": half, "things": things })
    }

    /// Does what the page asks of a match that runs; what it asks of a machine that does not play is nothing.
    pub(crate) fn obey(&mut self, control: Control) -> Result<(), FleetError> {
        match control {
            Control::Restart { settings } => *self = Self::new(settings)?,
            Control::Links { links } => {
                self.settings.links = links;
                self.set_links()?;
            }
            Control::Delay { ticks } => {
                self.settings.delay = ticks;
                for (player, machine) in (0..).map(PlayerId).zip(self.fleet.machines_mut()) {
                    // Each sits at their own machine, and the delay was checked.
                    let _ = machine.session.set_delay(player, ticks);
                }
            }
            Control::Keys { x, y, jump, kick } => {
                let stick = Stick::from_steps(x, y).unwrap_or_default();
                self.hands[0].set_keys(stick, u64::from(jump) | u64::from(kick) << 1);
            }
            Control::Partition { machine } => self.partition(usize::from(machine)),
            Control::Plant { machine, spot, lasting } => {
                let Some(it) = self.fleet.machines_mut().get_mut(usize::from(machine)) else {
                    return Ok(());
                };
                let tick = it.session.present().next();
                it.game.plant(Fault { tick, spot }, lasting);
                self.notes.push(json!({
                    "note": "planted", "machine": machine, "tick": tick.0, "spot": spot, "lasting": lasting,
                }));
            }
        }
        Ok(())
    }

    fn set_links(&mut self) -> Result<(), FleetError> {
        let network = self.fleet.network();
        let nodes: Vec<_> = network.nodes().collect();
        for link in &self.settings.links {
            match link.way {
                None => network.set_all_links(link.config())?,
                Some((from, to)) => {
                    let ends = nodes.get(usize::from(from)).zip(nodes.get(usize::from(to)));
                    // A direction of a match with more machines.
                    let Some((&from, &to)) = ends else { continue };
                    network.set_link(from, to, link.config())?;
                }
            }
        }
        Ok(())
    }

    fn partition(&mut self, machine: usize) {
        let now = self.fleet.now();
        let network = self.fleet.network();
        let nodes: Vec<_> = network.nodes().collect();
        let Some(&alone) = nodes.get(machine) else { return };
        for &other in nodes.iter().filter(|&&other| other != alone) {
            // Both are there and the window is not empty.
            let _ = network.partition_both(alone, other, now..now + PARTITION);
        }
        let seconds = PARTITION.as_secs();
        self.notes.push(json!({ "note": "partition", "machine": machine, "seconds": seconds }));
    }

    /// Plays for a tick of the clock.
    pub(crate) fn tick(&mut self) -> Result<(), FleetError> {
        let players = (0..).map(PlayerId);
        let hands = self.hands.iter_mut().zip(self.fleet.machines()).zip(players);
        let samples: Vec<ArenaInput> = hands
            .map(|((hand, machine), player)| {
                hand.sample(&machine.game, machine.session.present(), player)
            })
            .collect();
        self.number += 1;
        self.fleet.run(1, |machine, _, _| samples[machine])
    }

    /// What every machine sees now; counts are since the last call.
    pub(crate) fn frame(&mut self, micros: u32) -> Frame {
        let machines = self.fleet.machines();
        for (seen, machine) in self.seen.iter_mut().zip(machines) {
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
        let ticks = self.seen[0].digests.iter().rev().map(|digest| digest.0);
        let compared =
            ticks.into_iter().find(|&tick| self.seen.iter().all(|seen| has(seen, tick).is_some()));
        let digests: Vec<_> = self
            .seen
            .iter()
            .map(|seen| has(seen, compared?))
            .map(Option::unwrap_or_default)
            .collect();
        let verdict = match compared {
            None => Verdict::Unknown,
            Some(_) if digests.iter().all(|&digest| digest == digests[0]) => Verdict::Agree,
            Some(_) => Verdict::Differ,
        };
        let mut peers = Vec::with_capacity(machines.len());
        for ((machine, seen), digest) in machines.iter().zip(&mut self.seen).zip(digests) {
            let (session, arena) = (&machine.session, machine.game.arena());
            let (now, was) = (session.stats(), seen.stats);
            let depths = (0..).zip(now.depths.iter().zip(was.depths));
            let depth = depths.filter(|(_, (now, was))| *now > was).map(|depth| depth.0).max();
            let things = arena.things().take(usize::from(BODIES));
            peers.push(PeerFrame {
                present: session.present().0,
                confirmed: session.confirmed().min(session.present()).0,
                lead: session.lead(),
                depth: depth.unwrap_or(0),
                again: now.ticks_again - was.ticks_again,
                // The first run of a fleet ticks twice: at its beginning and at its end.
                stalls: (now.stalls - was.stalls).min(1),
                bytes: machine.sent_bytes - seen.sent_bytes,
                goals: arena.goals(),
                digest: first_bytes(digest),
                bodies: things.map(|it| Body { pose: it.pose, asleep: it.asleep }).collect(),
            });
            seen.stats = now;
            seen.sent_bytes = machine.sent_bytes;
        }
        let compared = compared.unwrap_or_default().0;
        Frame { number: self.number, micros, compared, verdict, peers }
    }

    /// What happened since the last call.
    pub(crate) fn notes(&mut self) -> Vec<Value> {
        let mut notes = std::mem::take(&mut self.notes);
        for (index, machine) in self.fleet.machines_mut().iter_mut().enumerate() {
            // Datagrams that were refused are no news here: links lose enough of them.
            machine.refused.clear();
            for event in machine.events.drain(..) {
                notes.extend(tell(index, &event, machine.game.arena()));
            }
        }
        notes
    }
}

fn first_bytes(digest: ShortDigest) -> [u8; 4] {
    let [a, b, c, d, ..] = digest.to_bytes();
    [a, b, c, d]
}

/// An event for the page, if it is one for the eye.
fn tell(machine: usize, event: &SessionEvent, arena: &Arena) -> Option<Value> {
    Some(match event {
        SessionEvent::DigestsDiffer { peer, tick } => {
            json!({ "note": "differ", "machine": machine, "peer": peer.0, "tick": tick.0 })
        }
        SessionEvent::Desync(report) => desync(machine, report, arena),
        SessionEvent::Repaired { from } => {
            json!({ "note": "repaired", "machine": machine, "tick": from.0 })
        }
        SessionEvent::AgreedAgain { peer, tick } => {
            json!({ "note": "agreed", "machine": machine, "peer": peer.0, "tick": tick.0 })
        }
        _ => return None,
    })
}

fn desync(machine: usize, report: &DesyncReport, arena: &Arena) -> Value {
    let DesyncReport { peer, tick, entity, field, local, remote, more, blame } = report;
    let name = |index: usize| format!("machine {}", index + 1);
    let by_itself = *blame == Blame::Us;
    let text = match blame {
        Blame::Us => format!("{} found itself wrong", name(machine)),
        Blame::Them => format!("{} says that it was wrong", name(peer.0.into())),
        Blame::Minority { peers, us } => {
            let mut who: Vec<_> = peers.iter().map(|peer| name(peer.0.into())).collect();
            who.extend(us.then(|| name(machine)));
            format!("{}, outvoted by the others", who.join(" and "))
        }
        _ => "nobody can tell: it is one word against another".to_owned(),
    };
    let others = more.iter().map(|it| json!([it.entity, it.field, it.local, it.remote]));
    json!({
        "note": "desync", "machine": machine, "peer": peer.0, "tick": tick.0, "entity": entity,
        "thing": thing_of(entity, arena), "field": field, "local": local, "remote": remote,
        "itself": by_itself, "blame": text, "more": others.collect::<Vec<_>>(),
    })
}

/// What a body of a report is to somebody who watches.
fn thing_of(entity: &str, arena: &Arena) -> Option<String> {
    let (_, id) = entity.split_once("body ")?;
    let thing = arena.things().find(|thing| thing.body.to_string() == id)?;
    Some(match thing.kind {
        Kind::Ball => "the ball".to_owned(),
        Kind::Player(player) => format!("player {}", player.0 + 1),
        _ => "a thing to kick".to_owned(),
    })
}

#[cfg(test)]
mod tests;
