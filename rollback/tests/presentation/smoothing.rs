//! Errors that fade.

use super::common::{FRAME, STEP, TICK, angle, at, pose, rollback, vector};
use core::time::Duration;
use isostep_core::{Quat, Real, Transform, Vec3, real};
use isostep_rollback::Tick;
use isostep_rollback::presentation::{Poses, Sample, Smoothing};
use proptest::prelude::*;

const DECAY: Smoothing = Smoothing::decay(Duration::from_millis(50));
const PROJECT: Smoothing = Smoothing::project(Duration::from_millis(100));
/// The last error that is drawn: 2⁻¹⁴ m, or radians.
const TINY: Real = real!(0.00006103515625);

/// A body that rests at `old` in all that was drawn, and at `new` after a rollback.
fn corrected(smoothing: Smoothing, old: Transform, new: Transform) -> Poses<u8> {
    let mut poses = Poses::new(TICK).smoothing(smoothing);
    poses.tick(Tick(1), STEP, [Sample::new(0u8, old).before(old)]);
    poses.frame(Real::ONE, FRAME);
    poses.tick(Tick(2), rollback(1), [Sample::new(0, new).before(new)]);
    poses.frame(Real::ZERO, FRAME);
    poses
}

fn drawn(poses: &Poses<u8>) -> Transform {
    poses.get(0).unwrap().pose
}

proptest! {
    /// The pose drawn right after a rollback equals the one drawn without it: the place to the bit, the turn to
    /// 2⁻²⁶.
    #[test]
    fn nothing_jumps_at_the_moment_of_a_rollback(old in pose(), new in pose()) {
        for smoothing in [DECAY, PROJECT] {
            let pose = drawn(&corrected(smoothing, old, new));
            prop_assert_eq!(pose.translation, old.translation);
            prop_assert!(angle(pose.rotation, old.rotation) < Real::from_bits(1 << 6));
        }
    }

    /// Each part of an offset falls with every frame, of whatever length, until it is exactly nothing.
    #[test]
    fn an_offset_decays_to_exactly_nothing(old in pose(), new in pose(), frames in prop::collection::vec(0u64..40_000_000, 60)) {
        let mut poses = corrected(DECAY, old, new);
        let offset = |poses: &Poses<u8>| (drawn(poses).translation - new.translation).abs();
        let mut last = offset(&poses);
        let mut turn = angle(drawn(&poses).rotation, new.rotation);
        for nanos in frames {
            poses.frame(Real::ZERO, Duration::from_nanos(nanos));
            let (now, now_turn) = (offset(&poses), angle(drawn(&poses).rotation, new.rotation));
            prop_assert!(now.x <= last.x && now.y <= last.y && now.z <= last.z);
            // A rotation is kept to 2⁻³⁰.
            prop_assert!(now_turn <= turn + Real::from_bits(1 << 6));
            (last, turn) = (now, now_turn);
        }
        // 2 m and π to 2⁻¹⁴ are 16 half lives.
        poses.frame(Real::ZERO, Duration::from_millis(50 * 16));
        prop_assert_eq!(drawn(&poses), new);
        prop_assert!(poses.is_exact(0));
    }

    /// However frames cut the time, the picture at the end of it is the same to the bit (0 ulp): ages add up, factors
    /// don't.
    #[test]
    fn the_frame_rate_makes_no_difference(
        old in pose(),
        new in pose(),
        frames in prop::collection::vec(0u64..5_000_000, 1..20),
    ) {
        for smoothing in [DECAY, PROJECT] {
            let (mut many, mut one) = (corrected(smoothing, old, new), corrected(smoothing, old, new));
            for &nanos in &frames {
                many.frame(Real::ZERO, Duration::from_nanos(nanos));
            }
            one.frame(Real::ZERO, Duration::from_nanos(frames.iter().sum()));
            prop_assert_eq!(drawn(&many), drawn(&one));
        }
    }

    #[test]
    fn a_projection_ends_exactly(old in pose(), new in pose(), before in vector(), after in vector()) {
        let mut poses = Poses::new(TICK).smoothing(PROJECT);
        poses.tick(Tick(1), STEP, [Sample::new(0u8, old).before(old).velocity(before).spin(after)]);
        poses.tick(Tick(2), rollback(1), [Sample::new(0, new).before(new).velocity(after).spin(before)]);
        poses.frame(Real::ZERO, FRAME);
        poses.frame(Real::ZERO, Duration::from_nanos(99_999_999));
        // A nanosecond before the end: 2⁻²⁰ m, and as little a turn.
        prop_assert!(drawn(&poses).translation.distance(new.translation) < Real::from_bits(1 << 12));
        prop_assert!(angle(drawn(&poses).rotation, new.rotation) < Real::from_bits(1 << 12));
        poses.frame(Real::ZERO, Duration::from_nanos(1));
        prop_assert_eq!(drawn(&poses), new);
    }

    /// A second rollback in the middle of a correction goes on from what is drawn.
    #[test]
    fn corrections_take_over_from_each_other(poses3 in (pose(), pose(), pose()), between in 0u64..90_000_000) {
        let (a, b, c) = poses3;
        for smoothing in [DECAY, PROJECT] {
            let limit = Smoothing { limit: real!(100), ..smoothing };
            let mut poses = corrected(limit, a, b);
            poses.frame(Real::ZERO, Duration::from_nanos(between));
            let was = drawn(&poses);
            poses.tick(Tick(3), rollback(2), [Sample::new(0, c).before(c)]);
            poses.frame(Real::ZERO, FRAME);
            prop_assert!(drawn(&poses).translation.distance(was.translation) <= Real::from_bits(4));
            prop_assert!(angle(drawn(&poses).rotation, was.rotation) < Real::from_bits(1 << 6));
        }
    }
}

#[test]
fn half_of_an_error_goes_in_a_half_life() {
    let mut poses = corrected(DECAY, at(2), at(0));
    poses.frame(Real::ZERO, Duration::from_millis(50));
    assert_eq!(drawn(&poses).translation.x, real!(1));
    poses.frame(Real::ZERO, Duration::from_millis(100));
    assert_eq!(drawn(&poses).translation.x, real!(0.25));
}

#[test]
fn a_projection_keeps_its_pace_at_first() {
    // It was drawn going +x at 6 m/s, and is a metre away across, going the same way.
    let velocity = Vec3::from_ints(6, 0, 0);
    let aside = |tick: i32, z| Transform::at(Vec3::new(Real::ratio(tick, 10), Real::ZERO, z));
    let mut poses = Poses::new(TICK).smoothing(PROJECT);
    poses.tick(
        Tick(1),
        STEP,
        [Sample::new(0u8, aside(1, Real::ONE)).before(aside(0, Real::ONE)).velocity(velocity)],
    );
    poses.tick(
        Tick(2),
        rollback(1),
        [Sample::new(0, aside(2, Real::ZERO)).before(aside(1, Real::ZERO)).velocity(velocity)],
    );
    poses.frame(Real::ONE, FRAME);
    // A tick later it is a tick further, and a sixth of the way across.
    let place = drawn(&poses).translation;
    assert!((place.x - Real::ratio(1, 5)).abs() < real!(0.0009765625), "{place}");
    assert!((place.z - Real::ratio(5, 6)).abs() < real!(0.0009765625), "{place}");
}

#[test]
fn large_and_tiny_errors_are_not_smoothed() {
    for smoothing in [DECAY, PROJECT] {
        assert_eq!(drawn(&corrected(smoothing, at(5), at(0))), at(0));
        let hair = Transform::at(Vec3::X * (TINY - Real::EPSILON));
        assert_eq!(drawn(&corrected(smoothing, hair, at(0))), at(0));
        let turned = Transform::new(Vec3::ZERO, Quat::from_rotation_vector(Vec3::Y * 2));
        let upright = Smoothing { turn_limit: real!(1), ..smoothing };
        assert_eq!(drawn(&corrected(upright, turned, at(0))), at(0));
        assert!(
            angle(drawn(&corrected(smoothing, turned, at(0))).rotation, turned.rotation)
                < real!(0.0009765625)
        );
    }
    assert_eq!(drawn(&corrected(Smoothing::OFF, at(1), at(0))), at(0));
}

#[test]
fn each_body_fades_in_its_own_way() {
    let mut poses = Poses::new(TICK);
    let ways = [Smoothing::OFF, DECAY, PROJECT];
    let samples = |x| {
        (0u8..).zip(ways).map(move |(key, way)| Sample::new(key, at(x)).before(at(x)).smoothed(way))
    };
    poses.tick(Tick(1), STEP, samples(1));
    poses.tick(Tick(2), rollback(1), samples(0));
    poses.frame(Real::ZERO, FRAME);
    poses.frame(Real::ZERO, Duration::from_millis(50));
    let places = [0, 1, 2].map(|key| poses.get(key).unwrap().pose.translation.x);
    // The third: half of a metre, both velocities being nothing.
    assert_eq!(places, [real!(0), real!(0.5), real!(0.5)]);
}
