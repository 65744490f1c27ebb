//! Sessions, judged from outside: random matches over a physics world, whose final inputs a naive simulator plays again.
//!
//! The referee's digests, events and readings judge every machine on every tick: players, spectators, machines that came
//! late, that slept, that were corrupted and repaired themselves, and recordings opened anywhere.
//!
//! - `dice`, `script`, `roll`, `links`: a match as data, from a seed. `pad`, `game`: what is played.
//! - `machine`, `play`, `changes`, `seating`, `comings`: playing it in virtual time.
//! - `truth`, `referee`, `judge`, `recordings`, `tally`: judging it. `report`: the defect with its seed and a shorter script.
//! - `plants`: faults that the judge must find; `rules`: those that break rules of the core (feature `faults`).

mod changes;
mod comings;
mod dice;
mod game;
mod judge;
mod links;
mod machine;
mod pad;
mod plants;
mod play;
mod recordings;
mod referee;
mod report;
mod roll;
#[cfg(feature = "faults")]
mod rules;
mod script;
mod seating;
mod tally;
mod truth;

#[test]
fn matches_end_where_the_naive_simulator_ends() {
    let tally = report::play(0..MATCHES);
    let rare = [tally.grown_rings, tally.joins, tally.crashes, tally.repairs, tally.spectators];
    assert!(rare.iter().all(|&count| count > 2), "hardly anything happened: {tally:?}");
    let often = [tally.rollbacks, tally.snapshots, tally.sought, tally.judged];
    assert!(often.iter().all(|&count| count > 500), "hardly anything was judged: {tally:?}");
}

/// Matches of the ordinary run: a few seconds.
const MATCHES: u64 = 40;

#[test]
#[ignore = "as long as told: `SESSION_MATCHES=10000 cargo test --release -p isostep-determinism-tests --test all sessions::soak -- --ignored --nocapture`"]
fn soak() {
    let from = told("SESSION_SEED").unwrap_or(MATCHES);
    report::play(from..from + told("SESSION_MATCHES").unwrap_or(1000));
}

#[test]
#[ignore = "one match: `SESSION_SEED=7 cargo test -p isostep-determinism-tests --test all sessions::one_match -- --ignored --nocapture`"]
fn one_match() {
    let seed = told("SESSION_SEED").unwrap_or(0);
    report::play(seed..=seed);
}

#[allow(clippy::disallowed_methods, reason = "which test runs is no input of the simulation")]
fn told(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}
