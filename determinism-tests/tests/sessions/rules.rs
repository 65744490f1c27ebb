//! Rules of the core broken on purpose, on machines of random matches.

use super::plants::{FAULTY, assert_found, play};
use super::script::Script;
use isostep_core::test_internals::{Plant, Rule};
use isostep_core::world::ResimMode;

/// Rules of incremental resimulation, four of which are desyncs that a core had: without one of them random matches end
/// elsewhere. Each with the first match that showed it; others may, should scripts come out otherwise.
#[test]
fn a_rule_of_resimulation_that_is_switched_off_is_found() {
    let first = |rule| match rule {
        Rule::PendingDirty => 13,
        Rule::SupportTicks => 20,
        Rule::TreeTicks => 40,
        _ => 0,
    };
    // A contact row that differs between bodies that do not is too rare in worlds as small as these.
    for rule in Rule::ALL.into_iter().filter(|rule| *rule != Rule::ContactRows) {
        let found = (first(rule)..first(rule) + 300).find_map(|seed| {
            // The world's own check would find some of them first.
            let mut script = Script::roll(seed);
            let checked = script.machines.iter_mut().filter(|rig| rig.resim == ResimMode::Verify);
            checked.for_each(|rig| rig.resim = ResimMode::Incremental);
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

/// Faults of the solver: results that depend on other bodies, on the order of contacts, or on earlier ticks.
#[test]
fn a_fault_of_the_solver_is_found() {
    for plant in [Plant::GlobalCounter, Plant::IndexOrder, Plant::SkewedLane, Plant::StaleLevers] {
        let failure = assert_found(40, |game| game.machines[FAULTY].game.world.plant(plant));
        assert_eq!(failure.machine, FAULTY, "{plant:?}");
    }
}
