//! Effect of smoothing, in matches determined by a seed: a small version of the table of
//! `smoothness`.

use isostep_determinism_tests::smoothness::{KINDS, measure};
use isostep_rollback::LinkConfig;

#[test]
fn every_smoothing_takes_most_of_the_largest_jump() {
    let (rollbacks, seen) = measure(LinkConfig::mobile(), 10, 3).unwrap();
    let [none, smoothed @ ..] = &seen[..] else { panic!("no kinds") };
    assert!(rollbacks > 20 && none.jump(100) > 100_000, "{rollbacks}, {} µm", none.jump(100));
    assert_eq!(none.error(100), 0);
    for ((name, _), seen) in KINDS[1..].iter().zip(smoothed) {
        assert!(seen.jump(100) * 3 < none.jump(100), "{name}: {} µm", seen.jump(100));
    }
}

#[test]
fn without_rollbacks_there_is_nothing_to_smooth() {
    let (rollbacks, seen) = measure(LinkConfig::perfect(), 10, 3).unwrap();
    assert_eq!(rollbacks, 0);
    for seen in seen {
        assert_eq!(seen.error(100), 0);
    }
}
