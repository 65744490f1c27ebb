//! Each rule that exact resimulation rests on is switched off in the world under test: random scripts must find it soon.

use isostep_core::test_internals::Rule;
use isostep_exactness::{Machine, check_with, random};

/// Scripts that may be needed: a few hundred at most with this seed.
const MOST: u64 = 3000;
const SEED: u64 = 3;

#[test]
fn scripts_find_each_rule_that_is_switched_off() {
    for rule in Rule::ALL.into_iter().filter(|rule| !Rule::BY_SCENE.contains(rule)) {
        let mut machine = Machine::with_snapshots(0);
        machine.off.push(rule);
        let found = (0..MOST).find_map(|number| {
            Some((number, check_with(&random(SEED, number), &machine).err()?.summary))
        });
        let (number, summary) = found.unwrap_or_else(|| panic!("{MOST} scripts miss {rule:?}"));
        println!("{rule:?}: script {number}: {summary}");
    }
}
