//! One match: the fleet, its controllers, and after each tick the views and events. It has no clock but the match's
//! own; the lab and `isostep demo` drive it.
//!
//! - `peer`: a machine's game with fault injection; `work`: its cost; `controller`: its input source.
//! - `view`: the state to draw; `scene`: its constant part; `notes`: events.
//! - `recording`: the recording.

mod controller;
mod notes;
mod peer;
mod recording;
mod scene;
mod view;
mod work;

pub(crate) use notes::Note;
pub(crate) use peer::Peer;
pub(crate) use view::{Body, Frame, Packet, PeerFrame, Verdict};

use crate::drawable::DrawableGame;
use crate::settings::{FaultKind, MAX_DRIFT_PPM, Resim, ScheduledFault, SettingError, Settings};
use controller::Controller;
use isostep_core::digest::ShortDigest;
use isostep_core::world::ResimMode;
use isostep_core::{Real, real};
use isostep_rollback::replay::ReplayError;
use isostep_rollback::sim_match::{Machine, SimMatchError};
use isostep_rollback::{LinkConfig, PlayerId, SimMatch, Stats, Stick, Tick, Time};
use isostep_scenes::games::tumble::rules::{self, Move, Tumble};
use isostep_viewer::internals::Switches;
use peer::Fault;
use recording::MatchRecording;
use std::collections::VecDeque;
use std::time::Duration;
use work::BODIES;

/// Duration of a disconnect.
const PARTITION: Duration = Duration::from_secs(2);
/// Digests kept for each machine until the slowest reaches the same tick.
const DIGESTS: usize = 64;
/// Distance below which a body has no ghost, metres: the two would coincide on screen.
const GHOST_FROM: Real = real!(0.015625);
/// A round of Tumble: length in ticks, and points that end it early.
const ROUND: u32 = 75 * 60;
const POINTS: i32 = 5;
/// Nominal tick rate in thousandths of a hertz.
const MILLIHERTZ: i64 = 60_000;

/// Errors of a match.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlayError {
    #[error(transparent)]
    SimMatch(#[from] SimMatchError),
    #[error("the match can't be recorded: {0}")]
    MatchRecording(#[from] ReplayError),
}

/// Counters of a machine at the previous frame.
#[derive(Default)]
struct Counters {
    stats: Stats,
    sent_bytes: u64,
    digests: VecDeque<(Tick, ShortDigest)>,
    /// End of its disconnect.
    cut_until: Option<Time>,
    /// Packets lost on the way to each machine.
    lost: Vec<u64>,
}

/// A match.
pub(crate) struct Play {
    settings: Settings,
    fleet: SimMatch<Peer>,
    hands: Vec<Controller>,
    seen: Vec<Counters>,
    number: u32,
    /// Scheduled faults that are still ahead.
    pending_faults: Vec<ScheduledFault>,
    /// Number of the next packet, in order of sending.
    next_packet: u64,
    /// Events since the last call of `notes`.
    notes: Vec<Note>,
    recording: MatchRecording,
}

impl Play {
    pub(crate) fn new(settings: Settings) -> Result<Self, PlayError> {
        let players = settings.players;
        let rules = rules(&settings);
        let game = |_| Peer::new(Tumble::new(rules));
        let perfect = LinkConfig::perfect();
        let fleet = SimMatch::mesh(settings.seed, players, &settings.session(), perfect, game)?;
        let hands = (0..players).map(|_| Controller::default()).collect();
        let seen = (0..players).map(|_| Counters::default()).collect();
        let pending_faults = settings.faults.clone();
        let first = &fleet.machines()[0];
        let recording = MatchRecording::start(rules, &first.session, &first.game)?;
        let notes = Vec::new();
        let mut play = Self {
            settings,
            fleet,
            hands,
            seen,
            number: 0,
            pending_faults,
            next_packet: 0,
            notes,
            recording,
        };
        play.apply()?;
        Ok(play)
    }

    pub(crate) const fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) const fn fleet(&self) -> &SimMatch<Peer> {
        &self.fleet
    }

    /// Changes a setting during the match. Returns true if the change needs a new match.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<bool, SettingError> {
        let mut settings = self.settings.clone();
        let field = settings.set(name, value)?;
        settings.check()?;
        self.settings = settings;
        if field.name == "delay" {
            for (player, machine) in (0..).map(PlayerId).zip(self.fleet.machines_mut()) {
                // Each player is local to its own machine, and the range was checked. With adaptive
                // delay this sets the starting point.
                let _ = machine.session.set_delay(player, self.settings.delay);
            }
        }
        // The links were checked, and both ends exist.
        let _ = self.apply();
        Ok(field.anew)
    }

    /// Sets the keys of player one.
    pub(crate) fn keys(&mut self, stick: Stick, held: u64) {
        self.hands[0].set_keys(stick, held);
    }

    /// Injects a fault on the machine's next tick and adds it to the settings.
    pub(crate) fn inject_fault(&mut self, machine: u8, kind: FaultKind) {
        if let Some(it) = self.fleet.machines().get(usize::from(machine)) {
            let fault = ScheduledFault { at: it.session.current_tick().next().0, machine, kind };
            self.settings.note(fault);
            self.pending_faults.push(fault);
        }
    }

    /// Returns the recording so far as a file and starts another.
    pub(crate) fn save_recording(&mut self) -> Result<Vec<u8>, PlayError> {
        let first = &self.fleet.machines()[0];
        let next = MatchRecording::start(rules(&self.settings), &first.session, &first.game)?;
        let recording = std::mem::replace(&mut self.recording, next);
        Ok(recording.finish(&first.session, &first.game))
    }

    /// Applies links, clock drift and resimulation mode of the settings.
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

    /// Applies the faults of the ticks that machines have reached. A bit is flipped before its tick is computed.
    fn apply_faults(&mut self) {
        let machines = self.fleet.machines();
        let is_due = |fault: &ScheduledFault| {
            let early = u32::from(matches!(fault.kind, FaultKind::BitFlip { .. }));
            let machine = machines.get(usize::from(fault.machine));
            machine.is_some_and(|it| it.session.current_tick().0 + early >= fault.at)
        };
        for fault in self.pending_faults.extract_if(.., |fault| is_due(fault)).collect::<Vec<_>>() {
            let machine = usize::from(fault.machine);
            match fault.kind {
                FaultKind::Disconnect => self.cut(machine, fault.at),
                FaultKind::BitFlip { target, always } => {
                    let game = &mut self.fleet.machines_mut()[machine].game;
                    game.inject(Fault { tick: Tick(fault.at), target }, always);
                    self.notes.push(Note::BitFlip { machine, tick: fault.at, target, always });
                }
            }
        }
    }

    /// Reports the machines whose disconnect has ended.
    fn reconnect(&mut self) {
        let now = self.fleet.now();
        for (machine, seen) in self.seen.iter_mut().enumerate() {
            if seen.cut_until.take_if(|until| *until <= now).is_some() {
                let tick = self.fleet.machines()[machine].session.current_tick().0;
                self.notes.push(Note::Returned { machine, tick });
            }
        }
    }

    fn cut(&mut self, machine: usize, tick: u32) {
        let now = self.fleet.now();
        self.seen[machine].cut_until = Some(now + PARTITION);
        let network = self.fleet.network();
        let nodes: Vec<_> = network.nodes().collect();
        let Some(&alone) = nodes.get(machine) else { return };
        for &other in nodes.iter().filter(|&&other| other != alone) {
            // Both nodes exist and the interval is not empty.
            let _ = network.partition_both(alone, other, now..now + PARTITION);
        }
        self.notes.push(Note::cut(machine, tick));
    }

    /// Advances by one tick of the true clock.
    pub(crate) fn tick(&mut self) -> Result<(), PlayError> {
        self.apply_faults();
        let players = (0..).map(PlayerId);
        let hands = self.hands.iter_mut().zip(self.fleet.machines()).zip(players);
        let samples: Vec<Move> = hands
            .map(|((controller, machine), player)| {
                controller.sample(&machine.game, machine.session.current_tick(), player)
            })
            .collect();
        self.number += 1;
        self.fleet.run(1, |machine, _, _| samples[machine])?;
        self.reconnect();
        let first = &self.fleet.machines()[0];
        if self.recording.record(&first.session, &first.game) {
            let why = "the recording is full; save it to start another".to_owned();
            self.notes.push(Note::RecordingEnded { why });
        }
        Ok(())
    }

    /// Lets all packets arrive: one second with perfect links and neutral inputs.
    pub(crate) fn settle(&mut self) -> Result<(), PlayError> {
        Ok(self.fleet.settle()?)
    }

    /// Views of all machines, with debug lines of these switches; counters are since the last call.
    pub(crate) fn frame(&mut self, micros: u32, lines: &Switches) -> Frame {
        let (compared, digests) = self.compare();
        let verdict = match compared {
            None => Verdict::Unknown,
            Some(_) if digests.iter().all(|&digest| digest == digests[0]) => Verdict::Agree,
            Some(_) => Verdict::Differ,
        };
        let machines = self.fleet.machines_mut().iter_mut();
        let all = machines.zip(&mut self.seen).zip(digests).zip((0..).map(PlayerId));
        let peers = all
            .map(|(((machine, seen), digest), player)| {
                peer_frame(machine, seen, digest, player, lines)
            })
            .collect();
        let compared = compared.unwrap_or_default().0;
        let packets = self.packets();
        Frame {
            number: self.number,
            micros,
            compared,
            verdict,
            recorded: self.recording.ticks(),
            peers,
            packets,
        }
    }

    /// Packets sent since the last call that are still in flight or lost.
    fn packets(&mut self) -> Vec<Packet> {
        let (now, first) = (self.fleet.now(), self.next_packet);
        let network = self.fleet.network();
        let mut packets = Vec::new();
        for (number, delivery) in network.in_flight().filter(|packet| packet.0 >= first) {
            self.next_packet = self.next_packet.max(number + 1);
            let millis = delivery.at.since(now).as_millis();
            let [from, to] = [delivery.from, delivery.to].map(|node| node.index() as u8);
            packets.push(Packet { from, to, millis: u16::try_from(millis).ok() });
        }
        let nodes: Vec<_> = network.nodes().collect();
        for (seen, (&sender, from)) in self.seen.iter_mut().zip(nodes.iter().zip(0..)) {
            seen.lost.resize(nodes.len(), 0);
            for (lost, (&receiver, to)) in seen.lost.iter_mut().zip(nodes.iter().zip(0..)) {
                // Both nodes exist.
                let total = network.stats(sender, receiver).map_or(0, |stats| stats.lost.total());
                let packet = Packet { from, to, millis: None };
                packets.extend((*lost..total).map(|_| packet));
                *lost = total;
            }
        }
        packets
    }

    /// Newest tick that all machines have digested, with the digests.
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
        let has = |seen: &Counters, tick| {
            Some(seen.digests.iter().rev().find(|digest| digest.0 == tick)?.1)
        };
        let mut ticks = self.seen[0].digests.iter().rev().map(|digest| digest.0);
        let compared = ticks.find(|&tick| self.seen.iter().all(|seen| has(seen, tick).is_some()));
        let digests = self.seen.iter().map(|seen| has(seen, compared?));
        (compared, digests.map(Option::unwrap_or_default).collect())
    }

    /// Events since the last call.
    pub(crate) fn notes(&mut self) -> Vec<Note> {
        let mut notes = std::mem::take(&mut self.notes);
        for (index, machine) in self.fleet.machines_mut().iter_mut().enumerate() {
            // Refused datagrams are not reported: lossy links produce them all the time.
            machine.refused.clear();
            for event in machine.events.drain(..) {
                notes.extend(Note::of(index, &event, machine.game.tumble()));
            }
        }
        notes
    }
}

const fn rules(settings: &Settings) -> rules::Settings {
    let &Settings { players, crates, seed, .. } = settings;
    rules::Settings { players, crates, seed, round_ticks: ROUND, points: POINTS }
}

fn peer_frame(
    machine: &mut Machine<Peer>,
    seen: &mut Counters,
    digest: ShortDigest,
    player: PlayerId,
    lines: &Switches,
) -> PeerFrame {
    let work = machine.game.take_work();
    let (session, game) = (&machine.session, machine.game.tumble());
    let (now, was) = (session.stats(), seen.stats);
    let depths = (0..).zip(now.depths.iter().zip(was.depths));
    let depth = depths.filter(|(_, (now, was))| *now > was).map(|depth| depth.0).max();
    let confirmed = session.confirmed_tick().min(session.current_tick());
    let past = game.world.past(confirmed).ok().filter(|_| confirmed < session.current_tick());
    let (mut bodies, mut ghosts) = (Vec::with_capacity(BODIES), Vec::new());
    for (thing, number) in game.drawables().zip(0..BODIES as u8) {
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
        // The first run of a fleet ticks twice, at its start and its end.
        stalls: (now.stalls - was.stalls).min(1),
        sent_bytes: machine.sent_bytes - seen.sent_bytes,
        delay: session.delay(player).unwrap_or(0),
        millihertz: u32::try_from(millihertz).unwrap_or(0),
        connected: seen.cut_until.is_none(),
        micros: work.micros(),
        score: game.score(),
        digest: [a, b, c, d, e, f, g, h],
        groups: work.groups().collect(),
        bodies,
        ghosts,
        lines: lines.lines(&game.world),
    };
    seen.stats = now;
    seen.sent_bytes = machine.sent_bytes;
    frame
}

#[cfg(test)]
mod tests;
