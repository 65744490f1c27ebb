//! Bodies between ticks: who is drawn, where, and who is not.

use super::common::{FRAME, STEP, TICK, angle, at, pose, rollback};
use core::time::Duration;
use isostep_core::{Quat, Real, Vec3, real};
use isostep_rollback::presentation::{Poses, Sample, Smoothing};
use isostep_rollback::{RunReport, Tick};
use proptest::prelude::*;

fn x_of(poses: &Poses<u8>, key: u8) -> Option<Real> {
    poses.get(key).map(|drawn| drawn.pose.translation.x)
}

proptest! {
    #[test]
    fn at_the_ends_a_pose_is_exactly_that_of_the_tick(a in pose(), b in pose()) {
        let mut poses = Poses::new(TICK);
        poses.tick(Tick(1), STEP, [Sample::new(0u8, b).before(a)]);
        for (alpha, expected) in [(Real::ZERO, a), (Real::ONE, b)] {
            prop_assert_eq!(poses.pose(0, alpha), Some(expected));
            poses.frame(alpha, FRAME);
            prop_assert_eq!(poses.get(0).map(|drawn| drawn.pose), Some(expected));
        }
    }

    /// Never the long way round: no pose between is turned further from either end than these are from each other (to
    /// within 2⁻²⁶, for roundings), whatever the signs of the quaternions.
    #[test]
    fn rotations_take_the_shorter_arc(a in pose(), b in pose(), alpha in 0i64..1 << 32) {
        let mut poses = Poses::new(TICK);
        poses.tick(Tick(1), STEP, [Sample::new(0u8, b).before(a)]);
        let between = poses.pose(0, Real::from_bits(alpha)).unwrap();
        let whole = angle(a.rotation, b.rotation) + Real::from_bits(1 << 6);
        prop_assert!(angle(a.rotation, between.rotation) <= whole);
        prop_assert!(angle(b.rotation, between.rotation) <= whole);
    }

    /// Whatever appears and vanishes, rows are exactly the bodies of the last tick, in order, and the order of samples
    /// does not matter.
    #[test]
    fn nothing_leaks_when_bodies_vanish(ticks in prop::collection::vec((any::<u16>(), 0usize..16, any::<bool>()), 1..40)) {
        let mut poses = Poses::new(TICK);
        for (tick, (bits, turn, rolled_back)) in (0..).zip(ticks) {
            let mut keys: Vec<u8> = (0..16).filter(|key| bits >> key & 1 == 1).collect();
            let sorted = keys.clone();
            if !keys.is_empty() {
                let turn = turn % keys.len();
                keys.rotate_left(turn);
            }
            let ran = rollback(if rolled_back { 3 } else { 0 });
            poses.tick(Tick(tick), ran, keys.iter().map(|&key| Sample::new(key, at(key.into())).before(at(0))));
            poses.frame(Real::HALF, FRAME);
            prop_assert_eq!(poses.iter().map(|(key, _)| key).collect::<Vec<_>>(), &sorted[..]);
            prop_assert_eq!(poses.len(), sorted.len());
        }
        poses.tick(Tick(99), STEP, []);
        prop_assert!(poses.is_empty() && poses.get(3).is_none());
    }
}

#[test]
fn a_body_is_hidden_until_it_has_two_ticks() {
    let mut poses = Poses::new(TICK).smoothing(Smoothing::OFF);
    poses.tick(Tick(1), STEP, [Sample::new(0u8, at(1)), Sample::new(1, at(1)).shown_at_once()]);
    poses.frame(Real::HALF, FRAME);
    assert_eq!((x_of(&poses, 0), x_of(&poses, 1)), (None, Some(real!(1))));
    // A stall is no second tick.
    poses.tick(
        Tick(1),
        RunReport { new: 0, resimulated: 0 },
        [Sample::new(0, at(1)), Sample::new(1, at(1))],
    );
    poses.frame(Real::HALF, FRAME);
    assert_eq!(x_of(&poses, 0), None);
    poses.tick(Tick(2), STEP, [Sample::new(0, at(2)), Sample::new(1, at(2))]);
    poses.frame(Real::HALF, FRAME);
    assert_eq!((x_of(&poses, 0), x_of(&poses, 1)), (Some(real!(1.5)), Some(real!(1.5))));
    assert!(poses.get(0).unwrap().cut && !poses.get(1).unwrap().cut);
}

#[test]
fn who_waits_for_inputs_stays_where_they_are() {
    let mut poses = Poses::new(TICK);
    poses.tick(Tick(1), STEP, [Sample::new(0u8, at(1)).before(at(0))]);
    poses.frame(Real::ONE, FRAME);
    poses.tick(
        Tick(1),
        RunReport { new: 0, resimulated: 0 },
        [Sample::new(0, at(1)).before(at(0))],
    );
    for alpha in [Real::ZERO, Real::HALF, Real::ONE] {
        poses.frame(alpha, FRAME);
        assert_eq!(x_of(&poses, 0), Some(real!(1)));
    }
}

#[test]
fn a_jump_is_never_smeared() {
    for smoothing in [
        Smoothing::decay(Duration::from_millis(100)),
        Smoothing::project(Duration::from_millis(100)),
    ] {
        let mut poses = Poses::new(TICK).smoothing(smoothing);
        let sample = |x| Sample::new(0u8, at(x)).velocity(Vec3::X);
        poses.tick(Tick(1), STEP, [sample(0).before(at(0))]);
        poses.tick(Tick(2), STEP, [sample(2).before(at(0)).jumped(Tick(1))]);
        for alpha in [Real::ZERO, Real::HALF, Real::ONE] {
            poses.frame(alpha, FRAME);
            assert_eq!(x_of(&poses, 0), Some(real!(2)));
        }
        assert!(!poses.get(0).unwrap().cut, "reported once");
        // The jump is computed again as it was: nothing new.
        poses.tick(Tick(3), rollback(2), [sample(2).before(at(2)).jumped(Tick(1))]);
        poses.frame(Real::HALF, FRAME);
        assert!(!poses.get(0).unwrap().cut);
        // A rollback takes it back: it never was there, so it goes back at once.
        poses.tick(Tick(4), rollback(3), [sample(0).before(at(0))]);
        poses.frame(Real::ZERO, FRAME);
        assert_eq!(x_of(&poses, 0), Some(real!(0)));
        assert!(poses.get(0).unwrap().cut && poses.is_exact(0));
        // Another one brings one in the middle of what is computed again.
        poses.tick(Tick(5), rollback(4), [sample(3).before(at(3)).jumped(Tick(2))]);
        poses.frame(Real::ZERO, FRAME);
        assert_eq!(x_of(&poses, 0), Some(real!(3)));
        // Long after, it is reported no more, and that is no change.
        poses.tick(Tick(6), STEP, [sample(3).before(at(3))]);
        poses.frame(Real::ZERO, FRAME);
        assert!(!poses.get(0).unwrap().cut);
    }
}

#[test]
fn a_rollback_that_changes_nothing_shows_nothing() {
    let mut poses = Poses::new(TICK);
    let spin = Quat::from_rotation_vector(Vec3::Y);
    let mut turned = at(1);
    turned.rotation = spin;
    poses.tick(Tick(1), STEP, [Sample::new(0u8, turned).before(at(0))]);
    poses.tick(Tick(2), rollback(1), [Sample::new(0, at(2)).before(turned)]);
    poses.frame(Real::ZERO, FRAME);
    assert!(poses.is_exact(0));
    assert_eq!(poses.get(0).unwrap().pose, turned);
}

#[test]
fn two_ticks_in_one_frame_are_no_error() {
    let mut poses = Poses::new(Duration::from_millis(500));
    let sample = |x| Sample::new(0u8, at(x)).velocity(Vec3::from_ints(2, 0, 0));
    poses.tick(Tick(1), STEP, [sample(1).before(at(0))]);
    poses.tick(Tick(3), RunReport { new: 2, resimulated: 0 }, [sample(3).before(at(2))]);
    poses.frame(Real::HALF, FRAME);
    assert_eq!(x_of(&poses, 0), Some(real!(2.5)));
    assert!(poses.is_exact(0));
}
