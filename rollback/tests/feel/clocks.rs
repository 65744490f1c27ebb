//! Clocks that agree: from far apart, and in spite of drift.

use super::play::{Play, config, link};
use super::{SECOND, SEEDS};
use isostep_rollback::Mode;
use isostep_rollback::internals::VirtualClock;

fn distance(play: &Play, at: usize) -> i64 {
    i64::from(play.notes[0][at].tick) - i64::from(play.notes[1][at].tick)
}

#[test]
fn a_start_forty_ticks_apart_is_made_good_in_five_seconds() {
    for seed in 0..SEEDS {
        let config = config(0, 8, 3).mode(Mode::Rollback { max: 60 });
        let mut play = Play::new(seed, 2, &config, link(30, 5, 1));
        play.sim.machines_mut()[1].suspended = true;
        play.run(40);
        play.sim.machines_mut()[1].suspended = false;
        play.run(15 * SECOND as u32);
        assert!(distance(&play, 40) >= 39, "seed {seed}: {}", distance(&play, 40));
        for at in 40..play.notes[0].len() {
            assert!(distance(&play, at) >= -2, "seed {seed}: overshot by {}", -distance(&play, at));
            if at >= 40 + 5 * SECOND {
                assert!(distance(&play, at).abs() <= 1, "seed {seed}: {}", distance(&play, at));
            }
        }
        play.finish();
    }
}

#[test]
fn a_common_start_begins_together() {
    for seed in 0..SEEDS {
        let mut play = Play::new(seed, 3, &config(0, 8, 3).start_together(true), link(60, 10, 5));
        play.sim.machines_mut()[2].suspended = true;
        play.run(60);
        assert!(play.notes.iter().all(|notes| notes[59].tick == 0), "seed {seed}");
        play.sim.machines_mut()[2].suspended = false;
        play.run(5 * SECOND as u32);
        let ticks: Vec<u32> = play.notes.iter().map(|notes| notes[59 + 30].tick).collect();
        let spread = ticks.iter().max().unwrap() - ticks.iter().min().unwrap();
        assert!(spread <= 8, "seed {seed}: {ticks:?}");
        play.finish();
    }
}

#[test]
fn clocks_that_drift_stay_within_a_tick_for_an_hour() {
    for seed in 0..SEEDS {
        let config = config(1, 8, 3).digest_every(256);
        let mut play = Play::new(seed, 2, &config, link(30, 5, 1));
        for (machine, drift) in [(0, 200), (1, -200)] {
            play.sim.machines_mut()[machine].clock = VirtualClock::new(0, drift).expect("a drift");
        }
        play.run(3600 * SECOND as u32);
        for at in 5 * SECOND..play.notes[0].len() {
            assert!(
                distance(&play, at).abs() <= 1,
                "seed {seed}, tick {at}: {}",
                distance(&play, at)
            );
        }
        play.finish();
    }
}
