//! Owns the promise that a warm session and its exchanges allocate nothing, so that no tick waits for an allocator.

use crate::counting;
use isostep_rollback::internals::Exchange;
use isostep_rollback::{
    Inputs, NewestWins, Occupant, PeerId, PlayerId, Session, SessionConfig, Simulation, Tick, Time,
};

const PLAYERS: usize = 4;

#[derive(Clone, Default, serde::Serialize)]
struct Sum {
    rounds: u32,
    of: [u64; PLAYERS],
}

impl Simulation for Sum {
    type Input = NewestWins<u32>;
    fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
        self.rounds += 1;
        for (player, input) in inputs.iter() {
            let of = &mut self.of[usize::from(player.0)];
            *of = of.wrapping_mul(31) + u64::from(input.value.0);
        }
    }
}

struct Machine {
    session: Session<Sum>,
    game: Sum,
    exchanges: Vec<Exchange>,
}

/// A machine whose exchanges are in the order of players, its own seat's among them unused.
fn machine(own: usize, digest_every: u32) -> Machine {
    let seat = |config: SessionConfig, player: usize| {
        let remote = Occupant::Remote(PeerId(player as u8));
        config.seat(if player == own { Occupant::Local } else { remote })
    };
    let config = SessionConfig::new().delay(1).digest_every(digest_every);
    let mut game = Sum::default();
    let session = Session::start((0..PLAYERS).fold(config, seat), &mut game).unwrap();
    let exchanges = (0..PLAYERS).map(|player| Exchange::new(PeerId(player as u8))).collect();
    Machine { session, game, exchanges }
}

/// Ticks after a warm-up that allocated, with how often. Datagrams take `late` ticks, so that guesses are made and wrong.
fn allocating_ticks(late: usize, digest_every: u32) -> Vec<(u32, u32)> {
    let mut machines: Vec<_> = (0..PLAYERS).map(|own| machine(own, digest_every)).collect();
    // By age, sender and receiver.
    let mut wires = vec![vec![vec![Vec::new(); PLAYERS]; PLAYERS]; late + 1];
    let mut found = Vec::with_capacity(1000);
    for tick in 0..1000u32 {
        let now = Time::from_millis(u64::from(tick) * 17);
        let count = counting::count();
        wires.rotate_right(1);
        for (own, Machine { session, game, exchanges }) in machines.iter_mut().enumerate() {
            for from in (0..PLAYERS).filter(|&from| from != own) {
                let datagram = &wires[late][from][own];
                if !datagram.is_empty() {
                    exchanges[from].read(now, session, datagram).unwrap();
                }
            }
            let input = NewestWins(tick.wrapping_mul(own as u32 + 7));
            session.local_input(PlayerId(own as u8), input).unwrap();
            session.advance(now).run(game).unwrap();
            while session.poll_event().is_some() {}
            for to in (0..PLAYERS).filter(|&to| to != own) {
                exchanges[to].write(session, &mut wires[0][own][to]).unwrap();
            }
        }
        let count = counting::count() - count;
        if tick >= 300 && count > 0 {
            found.push((tick, count));
        }
    }
    let session = &machines[0].session;
    assert!(session.confirmed_tick() > Tick(900), "they play");
    assert_eq!(session.stats().rollbacks > 100, late > 1, "late packets roll back");
    assert_eq!(session.stats().compared > 50, digest_every > 0, "digests are compared");
    found
}

#[test]
fn a_warm_session_of_four_allocates_nothing() {
    assert_eq!(allocating_ticks(1, 0), []);
}

#[test]
fn a_warm_session_that_rolls_back_allocates_nothing() {
    assert_eq!(allocating_ticks(4, 0), []);
}

#[test]
fn a_warm_session_that_compares_digests_allocates_nothing() {
    assert_eq!(allocating_ticks(4, 16), []);
}
