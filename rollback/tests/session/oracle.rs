//! Any schedule of arrivals, samples, delays, modes, guesses and changes of seats ends where a simulator ends that knew
//! everything beforehand.

use super::oracle_script::{Action, Script, Setup, occupant};
use isostep_rollback::{Mode, Occupant, PeerId};
use proptest::collection::vec;
use proptest::prelude::*;

fn modes() -> impl Strategy<Value = Mode> {
    prop_oneof![
        Just(Mode::Lockstep),
        (1..16u32).prop_map(|max| Mode::Rollback { max }),
        (2..40u32).prop_map(|steps| Mode::Unbounded { steps }),
    ]
}

fn setups() -> impl Strategy<Value = Setup> {
    let seats = prop_oneof![
        1 => vec((0..6u8).prop_map(occupant), 1..=5),
        2 => vec((4..6u8).prop_map(occupant), 0..=4).prop_map(|mut seats| {
            seats.insert(0, Occupant::Local);
            seats
        }),
    ];
    let intervals = prop_oneof![Just(0), Just(1), Just(16)];
    (any::<u64>(), seats, modes(), 0..8u32, any::<bool>(), intervals, vec(any::<u8>(), 5)).prop_map(
        |(seed, seats, mode, delay, always, digest_every, predictors)| Setup {
            seed,
            seats,
            mode,
            delay,
            always,
            digest_every,
            predictors,
        },
    )
}

fn actions(seats: bool) -> impl Strategy<Value = Action> {
    let player = || 0..5u8;
    let arrival = (player(), -6..10i32, 1..12u32)
        .prop_map(|(player, offset, count)| Action::Deliver { player, offset, count });
    let in_order = (player(), 1..12u32).prop_map(|(player, count)| Action::Deliver {
        player,
        offset: 0,
        count,
    });
    let weight = u32::from(seats);
    prop_oneof![
        8 => prop::bool::weighted(0.2).prop_map(|drop_first| Action::Advance { drop_first }),
        4 => (player(), any::<u64>()).prop_map(|(player, bits)| Action::Sample { player, bits }),
        2 => arrival,
        4 => in_order,
        1 => (player(), 0..200u8).prop_map(|(player, length)| Action::Command { player, length }),
        1 => (player(), 0..12u32).prop_map(|(player, ticks)| Action::Delay { player, ticks }),
        1 => (player(), 0..8u32).prop_map(|(player, back)| Action::Lie { player, back }),
        weight => (player(), 0..12u32, 0..6u8).prop_map(|(player, ahead, kind)| Action::Seat {
            player,
            ahead,
            occupant: occupant(kind),
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_schedule_ends_where_the_naive_simulator_ends(
        setup in setups(),
        actions in vec(actions(false), 0..160),
    ) {
        Script::new(setup).play(&actions);
    }

    #[test]
    fn any_schedule_with_changes_of_seats_ends_where_the_naive_simulator_ends(
        setup in setups(),
        actions in vec(actions(true), 0..160),
    ) {
        Script::new(setup).play(&actions);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// `PROPTEST_CASES=20000 cargo test -p isostep-rollback --test all soak -- --ignored`
    #[test]
    #[ignore = "as long as PROPTEST_CASES says: `PROPTEST_CASES=10000 cargo test --release -p isostep-rollback --test all session -- --ignored`"]
    fn soak_schedules(setup in setups(), actions in vec(actions(true), 0..400)) {
        Script::new(setup).play(&actions);
    }
}

/// The same seat, held by a peer or by a local player: results do not depend on the machine of a player.
#[test]
fn a_match_of_one_seat_plays_in_every_mode() {
    for mode in [Mode::Lockstep, Mode::Rollback { max: 1 }, Mode::Unbounded { steps: 2 }] {
        for seat in [Occupant::Local, Occupant::Remote(PeerId(63)), Occupant::Bot, Occupant::Empty]
        {
            let setup = Setup {
                seed: 1,
                seats: vec![seat],
                mode,
                delay: 3,
                always: true,
                digest_every: 1,
                predictors: vec![1],
            };
            Script::new(setup).play(&[]);
        }
    }
}
