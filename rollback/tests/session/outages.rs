//! Outages of one direction: packets repeat all unacknowledged inputs, so the match goes on however long the outage was.
//!
//! A machine that predicts without a bound once stalled half a log ahead of the last input that it had received. The other
//! machine received everything, went on for another half, and dropped the inputs that the first one still lacked.

use super::game::{Game, Pad, pad};
use super::model::mixed;
use core::time::Duration;
use isostep_rollback::sim_match::SimMatchError;
use isostep_rollback::{
    LinkConfig, Mode, Occupant, PeerId, PlayerId, SessionConfig, SessionEvent, SimMatch, Tick, Time,
};

const SECOND: u32 = 60;

fn inputs(_: usize, player: PlayerId, tick: Tick) -> Pad {
    pad(mixed(&[u64::from(player.0), u64::from(tick.0) / 4]))
}

/// Machines with one player each, of these modes, over links of 30 ms.
fn players(seed: u64, modes: &[Mode]) -> SimMatch<Game> {
    let mut sim = SimMatch::new(seed);
    for (own, mode) in modes.iter().enumerate() {
        let config = SessionConfig::new().mode(*mode).delay(own as u32 % 4);
        let seat = |config: SessionConfig, player: usize| {
            if player == own { config.local() } else { config.remote(PeerId(player as u8)) }
        };
        let config = (0..modes.len()).fold(config, seat);
        sim.add(config, Game::default()).expect("a sound setup");
        (0..own).for_each(|other| sim.connect(own, other));
    }
    let link = LinkConfig { latency: Duration::from_millis(30), ..LinkConfig::perfect() };
    sim.network().set_all_links(link).expect("a sound link");
    sim
}

fn lose(sim: &mut SimMatch<Game>, from: usize, to: usize, millis: u64) {
    let nodes: Vec<_> = sim.network().nodes().collect();
    let window = Time::from_millis(2000)..Time::from_millis(2000 + millis);
    sim.network().partition(nodes[from], nodes[to], window).expect("both exist");
}

/// They play on after an outage, with one state.
fn check(mut sim: SimMatch<Game>, what: &str) {
    sim.run(12 * SECOND, inputs).expect("it runs");
    let before: Vec<_> = sim.machines().iter().map(|it| it.session.confirmed_tick()).collect();
    sim.run(5 * SECOND, inputs).expect("it runs");
    for (machine, before) in sim.machines().iter().zip(before) {
        let confirmed = machine.session.confirmed_tick().since(before);
        // Lockstep without a delay plays at half speed over these links.
        assert!(confirmed > 2 * SECOND, "{what}: {confirmed} ticks in 5 s: {:?}", machine.session);
    }
    sim.settle().expect("it settles");
    let (tick, _) = sim.agree().expect("all agree");
    assert!(tick.0 > 6 * SECOND, "{what}: {tick}");
    for machine in sim.machines() {
        let desync = |event: &SessionEvent| matches!(event, SessionEvent::DigestsDiffer { .. });
        assert!(!machine.events.iter().any(desync), "{what}");
        // Inputs that arrive before the log has room for them are repeated, and no error.
        assert!(machine.refused.is_empty(), "{what}: {:?}", machine.refused.first());
    }
}

#[test]
fn unacknowledged_inputs_stay_until_they_have_arrived() {
    let modes = [
        Mode::Lockstep,
        Mode::Rollback { max: 8 },
        Mode::Rollback { max: 30 },
        Mode::Unbounded { steps: 30 },
    ];
    for one in modes {
        for other in modes {
            for millis in [1000, 3000, 6000] {
                let mut sim = players(5, &[one, other]);
                lose(&mut sim, 1, 0, millis);
                check(sim, &format!("{one:?}, {other:?}, {millis} ms"));
            }
        }
    }
}

#[test]
fn unacknowledged_inputs_of_three_machines_stay() {
    let unbounded = Mode::Unbounded { steps: 20 };
    for (seed, third) in [(1, Mode::Rollback { max: 8 }), (2, unbounded)] {
        for (from, to) in [(1, 0), (0, 2), (2, 1)] {
            let mut sim = players(seed, &[unbounded, unbounded, third]);
            lose(&mut sim, from, to, 4000);
            check(sim, &format!("{from} to {to}, {third:?}"));
        }
    }
}

/// A machine without a seat never holds the players up, nor does a player after its seat is empty.
#[test]
fn machines_without_a_seat_hold_nothing() {
    let unbounded = Mode::Unbounded { steps: 20 };
    let mut sim = players(3, &[unbounded, unbounded]);
    let watches = SessionConfig::new().remote(PeerId(0)).remote(PeerId(1)).spectate(2);
    let watcher = sim.add(watches, Game::default()).expect("a sound setup");
    sim.connect(0, watcher);
    sim.connect(1, watcher);
    sim.run(2 * SECOND, inputs).expect("it runs");
    sim.machines_mut()[watcher].suspended = true;
    sim.run(10 * SECOND, inputs).expect("it runs");
    assert!(sim.machines()[0].session.confirmed_tick().0 > 11 * SECOND);

    let mut sim = players(4, &[unbounded, unbounded, unbounded]);
    sim.run(2 * SECOND, inputs).expect("it runs");
    sim.machines_mut()[2].suspended = true;
    sim.run(2 * SECOND, inputs).expect("it runs");
    let leaves = sim.machines()[0].session.received(PlayerId(2)).expect("a seat");
    for machine in &mut sim.machines_mut()[..2] {
        machine.session.seat(leaves, PlayerId(2), Occupant::Empty).expect("a tick ahead");
    }
    sim.run(10 * SECOND, inputs).expect("it runs");
    assert!(sim.machines()[0].session.confirmed_tick().0 > 13 * SECOND);
}

/// `settle` once reported success for machines that had stopped at different ticks.
#[test]
fn machines_that_cannot_settle_are_named() {
    let mode = Mode::Rollback { max: 8 };
    let mut sim = players(6, &[mode, mode]);
    lose(&mut sim, 1, 0, 1_000_000);
    sim.run(4 * SECOND, inputs).expect("it runs");
    let Err(SimMatchError::Unsettled { machine, tick, ahead, ahead_tick }) = sim.settle() else {
        panic!("they cannot settle");
    };
    assert_eq!((machine, ahead), (0, 1));
    assert_eq!(tick, sim.machines()[0].session.confirmed_tick());
    assert_eq!(ahead_tick, sim.machines()[1].session.confirmed_tick());
    assert!(tick < ahead_tick);
}
