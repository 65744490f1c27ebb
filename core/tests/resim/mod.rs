//! The main property of rollback: a world that mispredicted, rewound and resimulated incrementally has the same bits as one that
//! resimulated in full and as one that never mispredicted.

mod contact_rows;
mod game;
#[cfg(feature = "test-internals")]
mod joints;

use game::{Case, Game, run};
use isostep_core::world::World;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

fn cases() -> impl Strategy<Value = Case> {
    let rollback = (4u8..60, 1u8..12, any::<u8>(), any::<u8>());
    (any::<u32>(), 1u8..24, 1u8..4, any::<u16>(), prop::collection::vec(rollback, 1..6)).prop_map(
        |(seed, bodies, players, features, rollbacks)| Case {
            seed: u64::from(seed),
            bodies,
            players,
            features,
            rollbacks,
        },
    )
}

/// Plays random cases and passes the world of each to `judge`. Shrinks and prints the first case that differs.
fn play(cases_to_play: u32, judge: impl FnMut(&World)) {
    let config = Config { cases: cases_to_play, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let judged = std::cell::RefCell::new(judge);
    let result = runner.run(&cases(), |case| {
        let (difference, world) = run(&case, |_| ());
        (judged.borrow_mut())(&world);
        difference.map_or(Ok(()), |difference| Err(TestCaseError::fail(difference)))
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn incremental_equals_full_equals_never_mispredicted() {
    play(2000, |_| ());
}

#[cfg(feature = "test-internals")]
#[test]
fn each_rule_is_exercised() {
    use isostep_core::test_internals::Rule;
    let mut totals = Rule::ALL.map(|_| 0);
    play(200, |world| {
        for (total, rule) in totals.iter_mut().zip(Rule::ALL) {
            *total += world.rule_count(rule);
        }
    });
    for (rule, total) in Rule::ALL.iter().zip(totals) {
        println!("{rule:?}: {total}");
        // Joints between islands of the old timeline are rare; `joints.rs` has a scene.
        let rare = Rule::BY_SCRIPTS.contains(rule) || *rule == Rule::JointEdges;
        assert!(total > 0 || rare, "{rule:?} was never exercised");
    }
}

#[test]
#[ignore = "runs a given number of cases: `ROLLBACK_CASES=100000 cargo test --release -p isostep-core --test all resim -- --ignored`"]
#[allow(clippy::disallowed_methods, reason = "how long a test runs is no input of the simulation")]
fn a_given_number_of_cases() {
    let cases_given = std::env::var("ROLLBACK_CASES").ok().and_then(|text| text.parse().ok());
    play(cases_given.unwrap_or(20_000), |_| ());
}

#[cfg(feature = "test-internals")]
#[test]
fn each_rule_is_needed() {
    use isostep_core::test_internals::Rule;
    use proptest::strategy::ValueTree;
    // The others need calls in any order, which `isostep-exactness` covers, or a scene of their own.
    let elsewhere = |rule: &Rule| Rule::BY_SCRIPTS.contains(rule) || Rule::BY_SCENE.contains(rule);
    for rule in Rule::ALL.into_iter().filter(|rule| !elsewhere(rule)) {
        let mut runner = TestRunner::deterministic();
        let mut tried = 0;
        let caught = (0..4000).find_map(|_| {
            tried += 1;
            let case = cases().new_tree(&mut runner).unwrap().current();
            // Without a rule the step may also panic later.
            let outcome = std::panic::catch_unwind(|| run(&case, |world| world.switch_off(rule)).0);
            outcome.unwrap_or_else(|_| Some("a panic".to_owned()))
        });
        println!("{rule:?}: {} after {tried} cases", caught.as_deref().unwrap_or("NOT CAUGHT"));
        assert!(caught.is_some(), "nothing notices that {rule:?} is switched off");
    }
}

#[test]
fn the_game_exercises_many_features() {
    // The property is void for worlds in which nothing happens.
    let case = Case { seed: 5, bodies: 20, players: 3, features: u16::MAX, rollbacks: Vec::new() };
    let mut game = Game::new(&case);
    let (mut woken, mut slept, mut sensed, mut spawned) = (0, 0, 0, 0);
    for tick in 0..300 {
        game.act(&case, tick, |player, tick| game::input(&case, player, tick));
        spawned += game.world.commands().len();
        let report = game.world.step();
        woken += report.woken;
        slept += report.slept;
        sensed += report.sensor_overlaps;
    }
    println!("{woken} woken, {slept} slept, {sensed} sensed, {spawned} commands");
    assert!(woken > 0 && slept > 0 && sensed > 0 && spawned > 0);
}
