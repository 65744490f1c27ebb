//! Random scripts of calls, and the seeds of the fuzz target `world`: each must be what a straight replay of its commands is.
//!
//! `EXACTNESS_CASES` sets the number of random scripts; `--bin soak` runs as many as there is time for.

use isostep_exactness::script::RECORD;
use isostep_exactness::{Machine, Script, check, check_with};
use proptest::collection::vec;
use proptest::prelude::*;

/// Scripts in an ordinary test run: about 9 s of one core.
const CASES: u32 = 1500;

fn cases() -> u32 {
    std::env::var("EXACTNESS_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES)
}

proptest! {
    // Shrinking removes whole operations first, then lowers their bytes. The message has the script as source.
    #![proptest_config(ProptestConfig {
        cases: cases(),
        failure_persistence: None,
        max_shrink_iters: 4000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_scripts_are_straight_replays(records in vec(any::<[u8; RECORD]>(), 12..110)) {
        let script = Script::from_bytes(records.as_flattened());
        // Every third state goes through a snapshot.
        if let Err(failure) = check_with(&script, &Machine::with_snapshots(3)) {
            return Err(TestCaseError::fail(failure.to_string()));
        }
    }
}

#[test]
fn seeds_of_the_fuzz_target_are_straight_replays() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/world");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus is part of the repository")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    files.sort();
    assert!(files.len() >= 10, "there are seeds");
    for file in files {
        let bytes = std::fs::read(&file).expect("it can be read");
        if let Err(failure) = check(&Script::from_bytes(&bytes)) {
            panic!("{}: {failure}", file.display());
        }
    }
}
