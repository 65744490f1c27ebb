//! Looking around: nothing lost, nothing doubled, nothing late.

use isostep_core::{Real, Vec3, real};
use isostep_rollback::Input;
use isostep_rollback::presentation::{Look, LookAccumulator, LookInput, LookState};
use proptest::prelude::*;

/// Events between two rendered frames.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The mouse moves.
    Sample(Look),
    /// A tick's input is taken, and waits for its tick.
    Send,
    /// The delay grows: a tick more is filled by holding.
    Hold,
    /// The delay shrinks: the last two share a tick.
    Merge,
    /// The simulation makes a tick; it holds if nothing is there.
    Apply,
    /// The last input is repeated.
    Repeat,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // A whole schedule turns by less than half a turn, so that totals compare as whole numbers.
    let angle = -4_000_000i32..4_000_000;
    let step = prop_oneof![
        4 => (angle.clone(), angle).prop_map(|(yaw, pitch)| Step::Sample(Look { yaw, pitch })),
        2 => Just(Step::Send),
        1 => Just(Step::Hold),
        1 => Just(Step::Merge),
        2 => Just(Step::Apply),
        1 => Just(Step::Repeat),
    ];
    prop::collection::vec(step, 0..200)
}

proptest! {
    /// On every delay schedule: what the ticks turned, and what is pending, are the samples, exactly; and the camera shows
    /// all of them at once.
    #[test]
    fn motion_is_neither_lost_nor_doubled(steps in steps()) {
        let mut mouse = LookAccumulator::new();
        let mut player = LookState::default();
        let mut way: Vec<LookInput> = Vec::new();
        let (mut sampled, mut ticked) = ([0i64; 2], [0i64; 2]);
        for step in steps {
            match step {
                Step::Sample(motion) => {
                    mouse.sample(motion);
                    sampled[0] += i64::from(motion.yaw);
                    sampled[1] += i64::from(motion.pitch);
                }
                Step::Send => way.push(mouse.input()),
                Step::Hold => way.extend(way.last().map(|&last| LookInput::hold(last))),
                Step::Merge if way.len() > 1 => {
                    let newer = way.pop().unwrap();
                    let older = way.pop().unwrap();
                    way.push(LookInput::merge(older, newer));
                }
                Step::Repeat | Step::Merge => player.apply(player.seen),
                Step::Apply => {
                    let input = if way.is_empty() { LookInput::hold(player.seen) } else { way.remove(0) };
                    let delta = input.since(player.seen);
                    ticked[0] += i64::from(delta.yaw);
                    ticked[1] += i64::from(delta.pitch);
                    player.apply(input);
                }
            }
            let pending = mouse.pending(player.seen);
            prop_assert_eq!([ticked[0] + i64::from(pending.yaw), ticked[1] + i64::from(pending.pitch)], sampled);
            let camera = mouse.camera(&player);
            prop_assert_eq!([i64::from(camera.yaw), i64::from(camera.pitch)], sampled);
        }
    }

    /// Beyond a turn as well, for yaw: an angle is an angle.
    #[test]
    fn turning_round_and_round_wraps(motions in prop::collection::vec((any::<i32>(), any::<bool>()), 1..100)) {
        let mut mouse = LookAccumulator::new();
        let mut player = LookState::default();
        let mut total = 0i32;
        for (yaw, tick) in motions {
            mouse.sample(Look { yaw, pitch: 0 });
            total = total.wrapping_add(yaw);
            if tick {
                player.apply(mouse.input());
            }
            prop_assert_eq!(mouse.camera(&player).yaw, total);
        }
    }

    #[test]
    fn radians_come_back_within_a_unit(yaw in -13_000_000_000i64..13_000_000_000, pitch in -6_000_000_000i64..6_000_000_000) {
        let angles = [yaw, pitch].map(Real::from_bits);
        let look = Look::from_radians(angles[0], angles[1]);
        for (there, back) in angles.into_iter().zip(look.to_radians()) {
            // A unit is 2π · 2⁻³², half of it is lost, and the product rounds.
            prop_assert!((there - back).to_bits().abs() <= 4);
        }
    }
}

#[test]
fn the_pitch_ends_at_straight_up() {
    let mut mouse = LookAccumulator::new();
    let mut player = LookState::default();
    for _ in 0..10 {
        mouse.sample(Look { yaw: 0, pitch: 1 << 28 });
        player.apply(mouse.input());
    }
    assert_eq!(player.look.pitch, 1 << 30);
    // And looks down again at once: nothing was saved up above.
    mouse.sample(Look { yaw: 0, pitch: -(1 << 20) });
    assert_eq!(mouse.camera(&player).pitch, (1 << 30) - (1 << 20));
}

#[test]
fn the_simulation_may_turn_the_camera_too() {
    let mut mouse = LookAccumulator::new();
    let mut player = LookState::default();
    mouse.sample(Look { yaw: 3 << 16, pitch: 0 });
    player.apply(mouse.input());
    player.look = player.look.turned(Look { yaw: 500, pitch: 7 });
    mouse.sample(Look { yaw: 1, pitch: 0 });
    assert_eq!(mouse.camera(&player), Look { yaw: (3 << 16) + 501, pitch: 7 });
}

#[test]
fn a_camera_looks_along_its_angles() {
    let look = Look::from_radians(Real::FRAC_PI_2, real!(0));
    assert!(look.rotation().rotate(-Vec3::Z).distance(-Vec3::X) < real!(0.0000152587890625));
    let up = Look { yaw: 0, pitch: 1 << 30 };
    assert!(up.rotation().rotate(-Vec3::Z).distance(Vec3::Y) < real!(0.0000152587890625));
}
