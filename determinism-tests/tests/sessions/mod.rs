//! Sessions tested from outside: random matches over a physics world, whose final inputs a naive simulator replays.
//!
//! The reference's digests, events and views are compared with every machine on every tick: players, spectators, machines
//! that joined late, paused, or were corrupted and repaired themselves, and recordings opened anywhere.
//!
//! - `rng`, `script`, `generate`, `links`: a match as data, from a seed. `pad`, `game`: inputs and game.
//! - `machine`, `play`, `changes`, `seating`, `membership`: playing it in virtual time.
//! - `seat_history`, `reference`, `checker`, `recordings`, `stats`: checking it. `report`: a defect with its seed and a
//!   shorter script.
//! - `faults`: faults that the checker must find; `rules`: those that break rules of the core (feature `faults`).

mod changes;
mod checker;
mod faults;
mod game;
mod generate;
mod links;
mod machine;
mod membership;
mod pad;
mod play;
mod recordings;
mod reference;
mod report;
mod rng;
#[cfg(feature = "faults")]
mod rules;
mod script;
mod seat_history;
mod seating;
mod stats;

#[test]
fn matches_agree_with_the_naive_simulator() {
    let stats = report::play(0..MATCHES);
    let rare = [stats.grown_rings, stats.joins, stats.crashes, stats.repairs, stats.spectators];
    assert!(rare.iter().all(|&count| count > 2), "hardly anything happened: {stats:?}");
    let often = [stats.rollbacks, stats.snapshots, stats.sought, stats.checked];
    assert!(often.iter().all(|&count| count > 500), "hardly anything was checked: {stats:?}");
}

/// Matches of the ordinary run: a few seconds.
const MATCHES: u64 = 40;

#[test]
#[ignore = "as long as SESSION_MATCHES says: `SESSION_MATCHES=10000 cargo test --release -p isostep-determinism-tests --test all sessions::soak -- --ignored --nocapture`"]
fn soak() {
    let from = number_of("SESSION_SEED").unwrap_or(MATCHES);
    report::play(from..from + number_of("SESSION_MATCHES").unwrap_or(1000));
}

#[test]
#[ignore = "one match: `SESSION_SEED=7 cargo test -p isostep-determinism-tests --test all sessions::one_match -- --ignored --nocapture`"]
fn one_match() {
    let seed = number_of("SESSION_SEED").unwrap_or(0);
    report::play(seed..=seed);
}

#[allow(clippy::disallowed_methods, reason = "which test runs is no input of the simulation")]
fn number_of(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}
