//! Clocks that drift and jump, frames of any rate, frames that stop, and machines that start when they like.

use super::harness::{SECOND, SIZES, Setup};
use super::links::{bad_link, good_link};
use super::statistics::Figures;
use core::time::Duration;
use isostep_rollback::internals::VirtualClock;

#[test]
fn any_frame_rate() {
    for rate in [30, 60, 144] {
        for (peers, seeds) in SIZES {
            let mut all = Figures::default();
            for seed in 0..seeds {
                let mut mesh = Setup::new(seed, peers, good_link()).frames(rate).mesh();
                all = all.and(&mesh.play(3 * SECOND));
                mesh.settle_and_check();
            }
            all.check(&format!("{rate} frames a second"), peers);
        }
    }
}

#[test]
fn clock_drift_of_200_ppm() {
    for (peers, seeds) in SIZES {
        let mut all = Figures::default();
        for seed in 0..seeds {
            let mut mesh = Setup::new(seed, peers, bad_link()).mesh();
            for (place, machine) in (0..).zip(&mut mesh.machines) {
                let drift = if place % 2 == 0 { 200 } else { -200 };
                machine.clock =
                    VirtualClock::new(i64::from(place) * 12_345_678, drift).expect("a clock");
            }
            all = all.and(&mesh.play(if peers == 2 { 20 } else { 5 } * SECOND));
            mesh.settle_and_check();
        }
        all.check("±200 ppm", peers);
    }
}

#[test]
fn clock_jump_of_three_seconds() {
    for (peers, seeds) in SIZES {
        let mut all = Figures::default();
        for seed in 0..seeds {
            let mut mesh = Setup::new(seed, peers, good_link()).mesh();
            all = all.and(&mesh.play(2 * SECOND));
            mesh.machines[seed as usize % 2].jumped = Duration::from_secs(3);
            mesh.run(SECOND);
            all = all.and(&mesh.measure(2 * SECOND));
            mesh.settle_and_check();
        }
        all.check("a clock jumps by 3 s", peers);
    }
}

/// A breakpoint: the frames of one machine stop, its clock does not.
#[test]
fn frame_gap_of_two_seconds() {
    for (peers, seeds) in SIZES {
        let mut all = Figures::default();
        for seed in 0..seeds {
            let mut mesh = Setup::new(seed, peers, good_link()).mesh();
            all = all.and(&mesh.play(2 * SECOND));
            let stopped = seed as usize % 2;
            mesh.machines[stopped].awake = false;
            mesh.run(2 * SECOND);
            mesh.machines[stopped].awake = true;
            mesh.run(SECOND);
            all = all.and(&mesh.measure(2 * SECOND));
            mesh.settle_and_check();
            assert!(mesh.machines[1 - stopped].stalled() > 0, "the others wait");
        }
        all.check("frames stop for 2 s", peers);
    }
}

#[test]
fn machines_start_at_different_times() {
    for (peers, seeds) in [(2, 4), (4, 4), (8, 1)] {
        let mut all = Figures::default();
        for seed in 0..seeds {
            let mut setup = Setup::new(seed, peers, good_link());
            // A machine that waits longer than ten seconds reports a timeout and connects again.
            setup.apart = Duration::from_millis(if peers == 8 { 1200 } else { 3000 });
            let mut mesh = setup.mesh();
            all = all.and(&mesh.play(2 * SECOND));
            mesh.settle_and_check();
        }
        all.check("started 3 s apart", peers);
    }
}
