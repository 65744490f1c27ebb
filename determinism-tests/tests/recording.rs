//! The golden recording: it verifies, it is reproduced byte by byte, and deviations are reported.
//! `determinism-tests/cross/run` does the same on other instruction sets.
//!
//! After a deliberate change of the simulation or of the recording format, mint it: `cargo run
//! --release -p isostep-determinism-tests -- replay --mint`.

use isostep_determinism_tests::recording::{GOLDEN, Report, record, verify_file};

const MINT: &str = "if the simulation or the format was changed on purpose, mint it anew: \
                    cargo run --release -p isostep-determinism-tests -- replay --mint";

#[test]
fn the_golden_recording_verifies_and_is_reproduced() {
    let report = Report::of(GOLDEN).expect("the match can be recorded");
    println!("{report}");
    assert!(report.differences.is_empty(), "{report}\n{MINT}");
}

#[test]
fn a_golden_of_another_match_is_reported() {
    let mut other = record().expect("the match can be recorded");
    let middle = other.len() / 2;
    other[middle] ^= 4;
    let report = Report::of(&other).expect("the match can be recorded");
    assert!(!report.differences.is_empty(), "a flipped bit was not noticed");
    assert!(report.to_string().contains("differs:"), "{report}");
    assert!(!Report::of(&[]).expect("the match can be recorded").differences.is_empty());
}

#[test]
fn foreign_recordings_are_refused() {
    assert!(verify_file(b"ISOREPLY, but nothing else").is_err());
    assert!(verify_file(&GOLDEN[..40]).is_err());
}
