//! Our side: a session and an exchange for each peer on every machine, datagrams in queues that are used again.

use crate::{Pad, Sent, press};
use isostep_rollback::{
    Exchange, Inputs, Mode, Occupant, PeerId, PlayerId, Session, SessionConfig, Simulation, Tick,
    Time,
};

/// A game that does nothing.
#[derive(Clone, serde::Serialize)]
pub(crate) struct Nothing;

impl Simulation for Nothing {
    type Input = Pad;
    fn step(&mut self, _: Tick, _: &Inputs<Pad>) {}
}

/// A machine of a match.
pub(crate) struct Machine {
    pub(crate) session: Session<Nothing>,
    pub(crate) game: Nothing,
    /// One for each other machine, by its number.
    pub(crate) exchanges: Vec<(usize, Exchange)>,
}

/// ggrs lets the present run ahead of the last confirmed tick by less than its window, we by so many: one less is the same.
pub(crate) const WINDOW: u32 = 8;

impl Machine {
    pub(crate) fn new(own: usize, players: usize, delay: u32, digest_every: u32) -> Self {
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

    pub(crate) fn read(&mut self, now: Time, from: usize, bytes: &[u8]) {
        let exchange = self.exchanges.iter_mut().find(|exchange| exchange.0 == from);
        let (_, exchange) = exchange.expect("everybody knows everybody");
        exchange.read(now, &mut self.session, bytes).expect("nothing is damaged");
    }

    pub(crate) fn advance(&mut self, now: Time, own: usize, input: Pad) {
        self.session.local_input(PlayerId(own as u8), input).expect("sits here");
        self.session.advance(now).run(&mut self.game).expect("nothing can't go wrong");
        while self.session.poll_event().is_some() {}
    }
}

/// Datagrams for one machine: sender and bytes, the first `full` of them filled.
#[derive(Default)]
struct Queue {
    datagrams: Vec<(usize, Vec<u8>)>,
    full: usize,
}

/// A match.
pub(crate) struct Ours {
    machines: Vec<Machine>,
    queues: Vec<Queue>,
    now: Time,
    tick: u32,
    pub(crate) sent: Sent,
}

impl Ours {
    pub(crate) fn new(players: usize, delay: u32, digest_every: u32) -> Self {
        let machine = |own| Machine::new(own, players, delay, digest_every);
        Self {
            machines: (0..players).map(machine).collect(),
            queues: (0..players).map(|_| Queue::default()).collect(),
            now: Time::ZERO,
            tick: 0,
            sent: Sent::default(),
        }
    }

    /// A tick of every machine, one after another.
    pub(crate) fn tick(&mut self) {
        self.tick += 1;
        self.now += core::time::Duration::from_nanos(16_666_667);
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
                exchange.write(&mut machine.session, bytes).expect("nobody is lost");
                queue.full += 1;
                self.sent.packets += 1;
                self.sent.bytes += bytes.len() as u64;
            }
        }
    }
}
