//! Matches of human players: on any network, all machines end in the same bits, and none stalls.

use super::common::{DELAY, Figures, bad_link, check, config, straight};
use isostep_core::state::State;
use isostep_core::world::ResimMode;
use isostep_rollback::{SessionConfig, SimMatch};
use isostep_scenes::games::{Arena, ArenaSize, arena_input};

/// Plays and checks a match; the returned fleet is settled and agrees.
fn play(
    size: ArenaSize,
    seed: u64,
    config: &SessionConfig,
    ticks: u32,
) -> (SimMatch<Arena>, Figures) {
    let make = |_| Arena::new(size, seed);
    let mut fleet = SimMatch::mesh(seed, size.players, config, bad_link(), make).unwrap();
    fleet.run(ticks, |_, player, tick| arena_input(seed, player, tick)).unwrap();
    let figures = check(&fleet, ticks);
    fleet.settle().unwrap();
    check(&fleet, ticks);
    fleet.agree().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    (fleet, figures)
}

/// Plays matches of several seeds.
fn play_seeds(seeds: u64, size: ArenaSize, ticks: u32) {
    let (mut worst, mut all) = (100, Figures::default());
    for seed in 0..seeds {
        let (_, figures) = play(size, seed, &config(), ticks);
        let Figures { progress, .. } = figures;
        assert!(progress >= 95, "seed {seed}: only {progress} % of the ticks are confirmed");
        worst = worst.min(progress);
        all.rollbacks += figures.rollbacks;
        all.again += figures.again;
        all.ticks += figures.ticks;
        all.stalls += figures.stalls;
    }
    println!(
        "{} players, {seeds} seeds: at least {worst} % confirmed; {} rollbacks and {} ticks again for 100 ticks; {} stalls",
        size.players,
        all.rollbacks * 100 / all.ticks,
        all.again * 100 / all.ticks,
        all.stalls,
    );
    assert!(all.rollbacks > 0, "nothing was put to the test");
}

#[test]
fn two_players_agree_for_a_hundred_seeds() {
    play_seeds(100, ArenaSize { players: 2, props: 6 }, 200);
}

#[test]
fn four_players_agree_for_a_hundred_seeds() {
    play_seeds(100, ArenaSize { players: 4, props: 6 }, 200);
}

#[test]
fn eight_players_agree_for_a_hundred_seeds() {
    play_seeds(100, ArenaSize { players: 8, props: 8 }, 180);
}

#[test]
#[ignore = "minutes: `cargo test --release -p isostep-determinism-tests --test all matches -- --ignored --nocapture`"]
fn long_matches_with_many_props_agree() {
    for players in [2, 4, 8] {
        play_seeds(100, ArenaSize { players, props: 56 }, 1800);
    }
}

#[test]
fn matches_agree_with_a_run_without_prediction() {
    let size = ArenaSize { players: 4, props: 12 };
    for seed in 0..4 {
        let make = |_| Arena::new(size, seed);
        let mut fleet = SimMatch::mesh(seed, 4, &config(), bad_link(), make).unwrap();
        fleet.run(400, |_, player, tick| arena_input(seed, player, tick)).unwrap();
        assert_eq!(check(&fleet, 400).stalls, 0, "a stall moves later inputs: take another seed");
        let tick = fleet.machines().iter().map(|machine| machine.session.confirmed_tick()).min();
        let tick = tick.unwrap();
        let mut truth = straight(size, seed, DELAY, tick.0);
        let mut slots = truth.slots(1);
        truth.save(&mut slots, tick).unwrap();
        let truth = truth.digest(&slots, tick).unwrap();
        for machine in fleet.machines() {
            assert_eq!(machine.game.digest(machine.session.slots(), tick).unwrap(), truth);
        }
    }
}

#[test]
fn full_and_incremental_resimulation_agree() {
    let size = ArenaSize { players: 3, props: 18 };
    for seed in 0..3 {
        let make = |own| {
            let mut arena = Arena::new(size, seed);
            let modes = [ResimMode::Full, ResimMode::Incremental, ResimMode::Incremental];
            arena.world_mut().set_resim_mode(modes[usize::from(own)]);
            arena
        };
        let mut fleet = SimMatch::mesh(seed, 3, &config(), bad_link(), make).unwrap();
        fleet.run(300, |_, player, tick| arena_input(seed, player, tick)).unwrap();
        assert!(check(&fleet, 300).again > 300);
        fleet.settle().unwrap();
        fleet.agree().unwrap();
    }
}
