//! Cost of a session: one on every machine with an exchange for each peer, reused datagram queues,
//! and an empty game.

use super::{Match, Named, Options, Peers, Sent, row};
use crate::interleave::{Contender, in_turn, micros};
use crate::report::{Report, Section, Unit};
use isostep_rollback::internals::Exchange;
use isostep_rollback::{
    Inputs, Mode, NewestWins, Occupant, PeerId, PlayerId, Session, SessionConfig, Simulation, Tick,
    Time,
};
use std::time::Duration;

/// Input of a player: four bytes.
pub type Pad = NewestWins<u32>;

/// Prediction window as ggrs counts it. ggrs stays below its window past the last confirmed tick,
/// ours may reach it: one less is the same.
pub const WINDOW: u32 = 8;

const TICK: Duration = Duration::from_nanos(16_666_667);
/// Ticks between two digests.
const DIGEST_EVERY: u32 = 16;
/// Ticks until buffers have grown.
const WARM_UP: u32 = 500;
/// Ticks of one sample.
const TURN: u32 = 400;

/// A new input on every tick.
pub fn press(player: usize, tick: u32) -> Pad {
    NewestWins(tick.wrapping_mul(0x9E37_79B9).rotate_left(player as u32))
}

/// An empty game.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Nothing;

impl Simulation for Nothing {
    type Input = Pad;
    fn step(&mut self, _: Tick, _: &Inputs<Pad>) {}
}

/// A machine of a match.
pub struct Machine {
    /// Its session.
    pub session: Session<Nothing>,
    /// Its game.
    pub game: Nothing,
    /// Exchange with each other machine, by number.
    pub exchanges: Vec<(usize, Exchange)>,
}

#[allow(
    clippy::missing_panics_doc,
    reason = "matches are built of constants: what they expect holds or a bench fails"
)]
impl Machine {
    /// Creates one of several machines.
    pub fn new(own: usize, players: usize, delay: u32, digest_every: u32) -> Self {
        let seat = |config: SessionConfig, player: usize| {
            let remote = Occupant::Remote(PeerId(player as u8));
            config.seat(if player == own { Occupant::Local } else { remote })
        };
        let config = SessionConfig::new()
            .delay(delay)
            .digest_every(digest_every)
            .mode(Mode::Rollback { max: WINDOW - 1 });
        let config = (0..players).fold(config, seat);
        let mut game = Nothing;
        let session = Session::start(config, &mut game).expect("a sound configuration");
        let others = (0..players).filter(|&other| other != own);
        let exchanges = others.map(|other| (other, Exchange::new(PeerId(other as u8)))).collect();
        Self { session, game, exchanges }
    }

    /// Receives a datagram.
    pub fn read(&mut self, now: Time, from: usize, bytes: &[u8]) {
        let exchange = self.exchanges.iter_mut().find(|exchange| exchange.0 == from);
        let (_, exchange) = exchange.expect("the machines know each other");
        exchange.read(now, &mut self.session, bytes).expect("nothing is damaged");
    }

    /// Advances by one tick.
    pub fn advance(&mut self, now: Time, own: usize, input: Pad) {
        self.session.local_input(PlayerId(own as u8), input).expect("sits here");
        self.session.advance(now).run(&mut self.game).expect("nothing can't go wrong");
        while self.session.poll_event().is_some() {}
    }
}

/// Datagrams for one machine: sender and bytes; the first `full` are valid.
#[derive(Default)]
struct Queue {
    datagrams: Vec<(usize, Vec<u8>)>,
    full: usize,
}

/// A match of ours.
pub struct Ours {
    machines: Vec<Machine>,
    queues: Vec<Queue>,
    now: Time,
    tick: u32,
    sent: Sent,
}

impl Ours {
    /// Creates a match of several machines.
    pub fn new(players: usize, delay: u32, digest_every: u32) -> Self {
        let machine = |own| Machine::new(own, players, delay, digest_every);
        Self {
            machines: (0..players).map(machine).collect(),
            queues: (0..players).map(|_| Queue::default()).collect(),
            now: Time::ZERO,
            tick: 0,
            sent: Sent::default(),
        }
    }
}

impl Match for Ours {
    fn name(&self) -> String {
        "Isostep".to_owned()
    }

    fn tick(&mut self) {
        self.tick += 1;
        self.now += TICK;
        for own in 0..self.machines.len() {
            let machine = &mut self.machines[own];
            let queue = &mut self.queues[own];
            for (from, bytes) in &queue.datagrams[..queue.full] {
                machine.read(self.now, *from, bytes);
            }
            queue.full = 0;
            machine.advance(self.now, own, press(own, self.tick));
            for (to, exchange) in &mut machine.exchanges {
                let queue = &mut self.queues[*to];
                if queue.full == queue.datagrams.len() {
                    queue.datagrams.push((own, Vec::new()));
                }
                let (from, bytes) = &mut queue.datagrams[queue.full];
                *from = own;
                exchange.write(&mut machine.session, bytes).expect("every machine is in the match");
                queue.full += 1;
                self.sent.packets += 1;
                self.sent.bytes += bytes.len() as u64;
            }
        }
    }

    fn sent(&self) -> Sent {
        self.sent
    }
}

pub(super) fn measure(
    options: &Options,
    peers: &mut dyn Peers,
    report: &mut Report,
    progress: &mut dyn FnMut(&str),
) {
    let mut rows = Vec::new();
    for players in [2, 4, 8] {
        progress(&format!("session: {players} players"));
        let ours: Box<dyn Match> = Box::new(Ours::new(players, 1, DIGEST_EVERY));
        let all = [ours].into_iter().chain(peers.sessions(players, DIGEST_EVERY)).collect();
        let samples = times(options.rounds(41, 9), players, all);
        let title = format!("{players} players, a machine and tick");
        rows.extend(row(&format!("session/{players}"), &title, Unit::Nanoseconds, &samples));
    }
    for name in rows.iter().flat_map(|row| &row.beside).map(|beside| &beside.name) {
        if !report.about.peers.contains(name) {
            report.about.peers.push(name.clone());
        }
    }
    let note = "A game that does nothing, inputs of 4 bytes that change every tick, delay 1, digests every 16 ticks, everything \
                in memory, no encryption. Ours writes and reads bytes; ggrs passes its messages as they are, or as bytes \
                as its own socket encodes them."
        .to_owned();
    report.sections.push(Section { title: "Session".to_owned(), note, rows });
}

/// Nanoseconds per machine and tick, interleaved.
pub(super) fn times(rounds: usize, players: usize, mut matches: Vec<Box<dyn Match>>) -> Vec<Named> {
    for one in &mut matches {
        (0..WARM_UP).for_each(|_| one.tick());
    }
    let names: Vec<String> = matches.iter().map(|one| one.name()).collect();
    let scale = 1e3 / f64::from(TURN) / players as f64;
    let mut contenders: Vec<Contender<'_>> = matches
        .iter_mut()
        .map(|one| {
            Box::new(move || micros(|| (0..TURN).for_each(|_| one.tick())) * scale) as Contender<'_>
        })
        .collect();
    names.into_iter().zip(in_turn(rounds, &mut contenders)).collect()
}
