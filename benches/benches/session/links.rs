//! Rollbacks, their depth and stalls of both implementations, over the same simulated links.
//!
//! ggrs reads the machine's clock for its timers, so its matches run in real time, all side by
//! side, while the network's time is that of the tick; ours run at full speed. Both poll once a
//! tick. The seed is the same, but ggrs sends two packets for each of ours, so individual packets
//! are not comparable.

use ggrs::{Message, NonBlockingSocket, P2PSession};
use isostep_bench::suite::session::{Machine, Pad, WINDOW};
use isostep_benches::ggrs::session::meet;
use isostep_benches::ggrs::{Plain, fulfil, start};
use isostep_benches::{Table, is_bench};
use isostep_core::Rng;
use isostep_rollback::{LinkConfig, NewestWins, NodeId, SimNetwork, Time};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

const DELAY: u32 = 2;
const SEEDS: u64 = 4;
const TICK: Duration = Duration::from_nanos(16_666_667);

/// Neither side authenticates, so nothing is corrupted on the way.
fn profiles() -> [(&'static str, LinkConfig); 3] {
    let severe = LinkConfig { corruption: None, ..LinkConfig::severe() };
    [("wifi", LinkConfig::wifi()), ("mobile", LinkConfig::mobile()), ("severe", severe)]
}

/// An input changes on every fourth tick, at random.
fn press(player: usize, tick: u32) -> Pad {
    let changed =
        |tick: &u32| Rng::keyed(5, player as u64, u64::from(*tick), 0).next_u64().is_multiple_of(4);
    NewestWins((0..=tick).rev().find(changed).unwrap_or(0))
}

/// Counters over all machines of a match.
#[derive(Default)]
struct Counts {
    depths: Vec<u32>,
    stalls: u32,
    ticks: u32,
    advances: u32,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.depths.extend_from_slice(&other.depths);
        self.stalls += other.stalls;
        self.ticks += other.ticks;
        self.advances += other.advances;
    }

    fn depth(&self, share: f64) -> u32 {
        let mut sorted = self.depths.clone();
        sorted.sort();
        let last = sorted.len().saturating_sub(1);
        sorted.get((last as f64 * share).round() as usize).copied().unwrap_or(0)
    }

    fn cells(&self) -> [String; 4] {
        let per_100 = self.depths.len() as f64 * 100.0 / f64::from(self.ticks.max(1));
        let stalled = f64::from(self.stalls) * 100.0 / f64::from(self.advances.max(1));
        let depths = format!("{} / {}", self.depth(0.5), self.depth(0.99));
        let mean = self.depths.iter().sum::<u32>() as f64 / self.depths.len().max(1) as f64;
        [format!("{per_100:.1}"), depths, format!("{mean:.2}"), format!("{stalled:.1} %")]
    }
}

fn network(seed: u64, players: usize) -> (SimNetwork, Vec<NodeId>) {
    let mut network = SimNetwork::new(seed);
    let nodes = (0..players).map(|_| network.add_node()).collect();
    (network, nodes)
}

fn ours(seed: u64, players: usize, link: LinkConfig, ticks: u32) -> Counts {
    let (mut network, nodes) = network(seed, players);
    network.set_all_links(link).expect("a profile");
    let machine = |own| Machine::new(own, players, DELAY, 0);
    let mut machines: Vec<_> = (0..players).map(machine).collect();
    let (mut now, mut bytes) = (Time::ZERO, Vec::new());
    for _ in 0..ticks {
        now += TICK;
        for (own, machine) in machines.iter_mut().enumerate() {
            while let Some(packet) = network.receive(now, nodes[own], &mut bytes).expect("a node") {
                machine.read(now, packet.from.index(), &bytes);
            }
            machine.advance(now, own, press(own, machine.session.current_tick().0));
            for (to, exchange) in &mut machine.exchanges {
                exchange
                    .write(&mut machine.session, &mut bytes)
                    .expect("every machine is in the match");
                network.send(now, nodes[own], nodes[*to], &bytes).expect("time goes on");
            }
        }
    }
    let mut counts = Counts::default();
    for machine in &machines {
        let stats = machine.session.stats();
        for (depth, &count) in (0..).zip(&stats.depths) {
            counts.depths.extend((0..count).map(|_| depth));
        }
        counts.stalls += stats.stalls as u32;
        counts.ticks += stats.ticks as u32;
        counts.advances += stats.advances as u32;
    }
    counts
}

struct Wire {
    network: SimNetwork,
    nodes: Vec<NodeId>,
    now: Time,
    bytes: Vec<u8>,
}

struct Socket {
    own: usize,
    wire: Rc<RefCell<Wire>>,
}

impl NonBlockingSocket<u8> for Socket {
    fn send_to(&mut self, message: &Message, to: &u8) {
        let Wire { network, nodes, now, .. } = &mut *self.wire.borrow_mut();
        let bytes = bincode::serialize(message).expect("plain data");
        let (from, to) = (nodes[self.own], nodes[usize::from(*to)]);
        network.send(*now, from, to, &bytes).expect("time goes on");
    }

    fn receive_all_messages(&mut self) -> Vec<(u8, Message)> {
        let Wire { network, nodes, now, bytes } = &mut *self.wire.borrow_mut();
        let mut messages = Vec::new();
        while let Some(packet) = network.receive(*now, nodes[self.own], bytes).expect("a node") {
            let message = bincode::deserialize(bytes).expect("undamaged");
            messages.push((packet.from.index() as u8, message));
        }
        messages
    }
}

/// A match under ggrs.
struct Theirs {
    wire: Rc<RefCell<Wire>>,
    sessions: Vec<P2PSession<Plain>>,
    counts: Counts,
}

impl Theirs {
    fn new(seed: u64, players: usize, link: LinkConfig) -> Self {
        let (network, nodes) = network(seed, players);
        let wire = Wire { network, nodes, now: Time::ZERO, bytes: Vec::new() };
        let wire = Rc::new(RefCell::new(wire));
        let socket = |own| Socket { own, wire: Rc::clone(&wire) };
        let mut sessions: Vec<_> =
            (0..players).map(|own| start((own, players), DELAY, WINDOW, 0, socket(own))).collect();
        meet(&mut sessions);
        wire.borrow_mut().network.set_all_links(link).expect("a profile");
        Self { wire, sessions, counts: Counts::default() }
    }

    fn tick(&mut self) {
        self.wire.borrow_mut().now += TICK;
        for (own, session) in self.sessions.iter_mut().enumerate() {
            let frame = session.current_frame();
            session.add_local_input(own, press(own, frame as u32)).expect("sits here");
            let back = fulfil(session.advance_frame().expect("all have met"));
            self.counts.depths.extend(back.map(|back| (frame - back) as u32));
            let is_new = session.current_frame() > frame;
            self.counts.ticks += u32::from(is_new);
            self.counts.stalls += u32::from(!is_new);
            self.counts.advances += 1;
            session.events().for_each(drop);
        }
    }
}

/// Plays this many ticks of each match and formats the counters.
pub(crate) fn report(ticks: u32) -> String {
    let matches: Vec<_> = profiles()
        .into_iter()
        .flat_map(|profile| [2, 4].map(|players| (profile.0, profile.1, players)))
        .collect();
    let mut theirs: Vec<Vec<Theirs>> = matches
        .iter()
        .map(|(_, link, players)| {
            (0..SEEDS).map(|seed| Theirs::new(seed, *players, *link)).collect()
        })
        .collect();
    let start = Instant::now();
    for tick in 0..ticks {
        theirs.iter_mut().flatten().for_each(Theirs::tick);
        // A test does not use the numbers.
        let due = start + TICK * (tick + 1);
        if is_bench() {
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
    }
    let mut table = Table::new([
        "link, players",
        "rollbacks a 100 ticks: ours",
        "ggrs",
        "depth p50 / p99: ours",
        "ggrs",
        "mean depth: ours",
        "ggrs",
        "advances that wait: ours",
        "ggrs",
    ]);
    for ((name, link, players), theirs) in matches.iter().zip(&theirs) {
        let [mut our_sum, mut their_sum] = [Counts::default(), Counts::default()];
        (0..SEEDS).for_each(|seed| our_sum.add(&ours(seed, *players, *link, ticks)));
        theirs.iter().for_each(|their| their_sum.add(&their.counts));
        let pairs = our_sum.cells().into_iter().zip(their_sum.cells());
        let cells = pairs.flat_map(|(ours, theirs)| [ours, theirs]);
        table.row([format!("{name}, {players}")].into_iter().chain(cells));
    }
    format!(
        "{ticks} ticks over {SEEDS} seeds, input delay {DELAY}, at most {WINDOW} ticks ahead:\n\n{table}",
    )
}
