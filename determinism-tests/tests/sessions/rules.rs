//! Rules of the core, disabled on machines of random matches.

use super::faults::{FAULTY, assert_found, play};
use super::script::Script;
use isostep_core::test_internals::{Fault, Rule};
use isostep_core::world::ResimMode;

/// Rules of incremental resimulation, four of which were once desyncs of the core: without one of
/// them random matches diverge. Each is listed with the first seed that shows it; other seeds may,
/// if scripts change.
#[test]
fn a_rule_of_resimulation_that_is_switched_off_is_found() {
    let first = |rule| match rule {
        Rule::PendingDirty => 13,
        Rule::SupportTicks => 20,
        Rule::TreeTicks => 40,
        _ => 0,
    };
    // A difference in contact rows alone is too rare in worlds this small, and so are islands that drift apart. No input of this game
    // changes the gravity, and it has no joints; the scripts of `exactness` do, and have.
    let rare = [
        Rule::ContactRows,
        Rule::SleepingIslands,
        Rule::Gravity,
        Rule::JointRows,
        Rule::CommandedJoints,
    ];
    let rare = |rule: &Rule| rare.contains(rule) || Rule::BY_SCENE.contains(rule);
    for rule in Rule::ALL.into_iter().filter(|rule| !rare(rule)) {
        let found = (first(rule)..first(rule) + 300).find_map(|seed| {
            // The world's own verification would find some of them first.
            let mut script = Script::roll(seed);
            let checked =
                script.machines.iter_mut().filter(|setup| setup.resim == ResimMode::Verify);
            checked.for_each(|setup| setup.resim = ResimMode::Incremental);
            let failure = play(&script, |game| {
                let worlds = game.machines.iter_mut().map(|machine| &mut machine.game.world);
                worlds.for_each(|world| world.switch_off(rule));
            });
            failure.map(|failure| (seed, failure))
        });
        let (seed, failure) = found.unwrap_or_else(|| panic!("{rule:?} is not needed"));
        println!("{rule:?}, seed {seed}: {failure}");
    }
}

/// Faults of the solver: results that depend on other bodies, on the order of contacts, or on
/// earlier ticks.
#[test]
fn a_fault_of_the_solver_is_found() {
    for fault in [Fault::GlobalCounter, Fault::IndexOrder, Fault::SkewedLane, Fault::StaleArms] {
        let failure = assert_found(40, |game| game.machines[FAULTY].game.world.inject_fault(fault));
        assert_eq!(failure.machine, FAULTY, "{fault:?}");
    }
}
