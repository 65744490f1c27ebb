//! SIMD widths of one, four and eight contacts give the same bits on every tick of every scene, in any order of contacts and
//! with random data in unused lanes.

use isostep_core::internals::Lanes;
use isostep_core::world::World;
use isostep_scenes::scenes;

/// Ticks for each scene, enough for contacts between all bodies.
fn ticks(name: &str) -> u32 {
    match name {
        "bin" => 100,
        _ => 160,
    }
}

/// Returns the first tick at which two worlds differ.
fn first_difference(name: &str, change: impl Fn(&mut World)) -> Option<u32> {
    let mut reference = scenes::build(name, 1).expect("a scene");
    let mut other = scenes::build(name, 1).expect("a scene");
    assert!(reference.world.set_lanes(Lanes::Scalar));
    change(&mut other.world);
    for tick in 1..=ticks(name) {
        reference.step();
        other.step();
        if reference.digest() != other.digest() {
            return Some(tick);
        }
    }
    None
}

#[test]
fn every_width_gives_the_same_bits() {
    for name in scenes::NAMES {
        for lanes in Lanes::available() {
            let set = |world: &mut World| assert!(world.set_lanes(lanes));
            assert_eq!(first_difference(name, set), None, "{name} in {} lanes", lanes.name());
        }
    }
}

#[cfg(feature = "test-internals")]
#[test]
fn the_order_of_lanes_and_the_content_of_unused_ones_change_nothing() {
    for name in scenes::NAMES {
        for (seed, lanes) in (1..).zip(Lanes::available()) {
            let disorder = |world: &mut World| {
                assert!(world.set_lanes(lanes));
                world.disorder_lanes(seed);
            };
            let difference = || first_difference(name, disorder);
            #[cfg(feature = "check-narrowing")]
            let difference = || isostep_core::math::without_narrowing_checks(difference);
            assert_eq!(difference(), None, "{name} in {} lanes", lanes.name());
        }
    }
}

#[cfg(feature = "test-internals")]
#[test]
fn a_lane_with_another_rounding_is_detected() {
    for lanes in Lanes::available() {
        let skewed = |world: &mut World| {
            assert!(world.set_lanes(lanes));
            world.inject_fault(isostep_core::test_internals::Fault::SkewedLane);
        };
        assert!(first_difference("stacks", skewed).is_some(), "{} lanes", lanes.name());
    }
}
