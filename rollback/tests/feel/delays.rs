//! The input delay: up at once, down slowly, never to and fro; and no more of it than the network asks for.

use super::oracle::least_delay;
use super::play::{Play, config, link};
use super::{SECOND, SEEDS};
use core::time::Duration;
use isostep_rollback::{LinkConfig, Mode};

/// Accepted rollback depth in these matches, in ticks.
const ROLLBACK: u8 = 1;

/// The mean delay after it has settled is at most a tick above the least sufficient one, and at most 5 of 100 ticks
/// rest on more guesses than are fine.
fn is_near_the_optimum(play: &Play, least: u32, from: usize) {
    for (machine, notes) in play.notes.iter().enumerate() {
        let notes = &notes[from..];
        let total: u32 = notes.iter().map(|note| note.delay).sum();
        let limit = (least + 1) * notes.len() as u32;
        assert!(total <= limit, "machine {machine}: mean {total}/{} above {least}", notes.len());
        let deep = notes.iter().filter(|note| note.predicted > u32::from(ROLLBACK)).count();
        assert!(deep * 20 <= notes.len(), "machine {machine}: {deep} of {}", notes.len());
    }
}

#[test]
fn a_flat_path_settles_within_three_seconds_and_stays() {
    for seed in 0..SEEDS {
        let path = link(30, 0, 0);
        let mut play = Play::new(seed, 2, &config(0, 12, ROLLBACK), path);
        play.run(63 * SECOND as u32);
        for machine in 0..2 {
            assert!(play.changes(machine, 3 * SECOND, 63 * SECOND) <= 1, "seed {seed}");
        }
        is_near_the_optimum(&play, least_delay(seed, &path, &path, 1), 3 * SECOND);
        play.finish();
    }
}

#[test]
fn jitter_and_loss_change_it_at_most_once_in_ten_seconds_and_never_stall() {
    for seed in 0..SEEDS {
        let path = link(80, 20, 2);
        let mut play = Play::new(seed, 2, &config(0, 12, ROLLBACK), path);
        play.run(63 * SECOND as u32);
        for machine in 0..2 {
            for from in (3 * SECOND..53 * SECOND).step_by(SECOND) {
                let changes = play.changes(machine, from, from + 10 * SECOND);
                assert!(changes <= 1, "seed {seed}, machine {machine}: {changes} from tick {from}");
            }
            assert_eq!(play.stalls(machine, 0), 0, "seed {seed}");
        }
        is_near_the_optimum(&play, least_delay(seed, &path, &path, 1), 3 * SECOND);
        play.finish();
    }
}

#[test]
fn a_step_up_is_followed_within_a_second_and_a_step_down_within_ten() {
    for seed in 0..SEEDS {
        let (near, far) = (link(30, 2, 0), link(120, 2, 0));
        let mut play = Play::new(seed, 2, &config(0, 12, ROLLBACK), near);
        play.run(10 * SECOND as u32);
        play.sim.network().set_all_links(far).expect("a link");
        play.run(SECOND as u32);
        let least = least_delay(seed, &far, &far, 1);
        for machine in 0..2 {
            let delay = play.notes[machine].last().expect("notes").delay;
            assert!((least..=least + 1).contains(&delay), "seed {seed}: {delay}, {least} would do");
        }
        play.run(10 * SECOND as u32);
        play.sim.network().set_all_links(near).expect("a link");
        play.run(10 * SECOND as u32);
        let least = least_delay(seed, &near, &near, 1);
        for machine in 0..2 {
            let delay = play.notes[machine].last().expect("notes").delay;
            assert!(delay <= least + 1, "seed {seed}: still {delay}, {least} would do");
        }
        play.finish();
    }
}

#[test]
fn a_path_slow_one_way_burdens_both_alike() {
    for seed in 0..SEEDS {
        let (there, back) = (link(10, 0, 0), link(200, 0, 0));
        let mut play = Play::new(seed, 2, &config(0, 12, ROLLBACK), there);
        let nodes: Vec<_> = play.sim.network().nodes().collect();
        play.sim.network().set_link(nodes[1], nodes[0], back).expect("a link");
        play.run(15 * SECOND as u32);
        for (one, other) in play.notes[0].iter().zip(&play.notes[1]).skip(6 * SECOND) {
            assert!(one.delay.abs_diff(other.delay) <= 1, "seed {seed}: {one:?} {other:?}");
            assert!(one.predicted.abs_diff(other.predicted) <= 1, "seed {seed}: {one:?} {other:?}");
        }
        is_near_the_optimum(&play, least_delay(seed, &there, &back, 1), 6 * SECOND);
        play.finish();
    }
}

#[test]
fn silences_are_recovered_from_and_not_waited_for() {
    for seed in 0..SEEDS {
        let mut play = Play::new(seed, 2, &config(0, 12, ROLLBACK), link(40, 5, 1));
        play.run(5 * SECOND as u32);
        let usual = play.notes[0].last().expect("notes").delay;
        let nodes: Vec<_> = play.sim.network().nodes().collect();
        for _ in 0..12 {
            let now = play.sim.now();
            let silence = now..now + Duration::from_millis(300);
            play.sim.network().partition_both(nodes[0], nodes[1], silence).expect("nodes");
            // The silence, and a second.
            play.run(18 + SECOND as u32);
            let stalls = [play.notes[0].last(), play.notes[1].last()]
                .map(|note| note.expect("notes").stalls);
            play.run(5 * SECOND as u32 - 18 - SECOND as u32);
            for machine in 0..2 {
                let note = play.notes[machine].last().expect("notes");
                assert_eq!(note.stalls, stalls[machine], "seed {seed}: it went on stalling");
                assert!(note.delay <= usual + 1, "seed {seed}: {} after {usual}", note.delay);
            }
        }
        for machine in 0..2 {
            let changes = play.changes(machine, 5 * SECOND, 65 * SECOND);
            assert!(changes <= 4, "seed {seed}: {changes} changes in a minute");
        }
        play.finish();
    }
}

/// Bounds: a packet takes at most 190 ms, 11.4 ticks, and of half a million packets hardly any seven in a row are lost, 7
/// ticks; clocks that follow each other are off by a tick. So 20 ticks must be bridged by delay and prediction together: a
/// delay of at least 8 (half of 300 ms, less the rollback that is fine) leaves 12 to predict.
#[test]
fn four_players_far_apart_never_stall_in_ten_minutes() {
    for seed in 0..SEEDS {
        let config = config(8, 12, ROLLBACK).mode(Mode::Rollback { max: 12 }).digest_every(64);
        let path = link(150, 40, 5);
        let mut play = Play::new(seed, 4, &config, path);
        play.run(600 * SECOND as u32);
        for machine in 0..4 {
            assert_eq!(play.stalls(machine, 5 * SECOND), 0, "seed {seed}, machine {machine}");
        }
        play.finish();
    }
}

/// Links of every pair and direction, drawn at random: 10 to 150 ms with up to 20 ms of jitter.
fn random_links(play: &mut Play, seed: u64) {
    let mut rng = isostep_core::Rng::new(seed);
    let nodes: Vec<_> = play.sim.network().nodes().collect();
    for &from in &nodes {
        for &to in &nodes {
            let millis = 10 + rng.below(140).expect("not empty");
            let jitter = rng.below(millis.min(20)).expect("not empty");
            let path: LinkConfig = link(u64::from(millis), u64::from(jitter), 1);
            if from != to {
                play.sim.network().set_link(from, to, path).expect("a link");
            }
        }
    }
}

#[test]
fn eight_players_on_random_paths_agree_on_a_rate_and_stay() {
    for seed in 0..SEEDS {
        let mut play =
            Play::new(seed, 8, &config(0, 12, ROLLBACK).digest_every(64), link(50, 0, 0));
        random_links(&mut play, seed);
        play.run(130 * SECOND as u32);
        let begun = 10 * SECOND;
        for (machine, notes) in play.notes.iter().enumerate() {
            let last = notes.last().expect("notes");
            let made = i64::from(last.tick - notes[begun].tick);
            let real = (notes.len() - 1 - begun) as i64;
            // Of 7,200 ticks, 100 ppm are less than one; one more comes from reading whole ticks.
            assert!((made - real).abs() <= 2, "seed {seed}, machine {machine}: {made} in {real}");
            let changes = play.changes(machine, begun, notes.len());
            assert!(changes <= 12, "seed {seed}, machine {machine}: {changes} in two minutes");
        }
        play.finish();
    }
}
