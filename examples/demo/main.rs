//! Two machines, one match, and a bad network between them: both compute the same bits.
//!
//! Each machine advances without waiting, predicts the other player's inputs, and rolls back after
//! a wrong prediction. A third machine spectates and predicts nothing. The table compares the
//! digests of the players' machines.
//!
//! `cargo run --release -p isostep-examples --example demo` runs it; with `-- --break` one machine computes one bit
//! wrong in mid-match, and the sessions find the tick, the body and the field.

#![allow(unreachable_pub, reason = "a program of several files, read as an example")]

mod game;

use game::Match;
use isostep::rollback::{
    Authority, LinkConfig, SessionEvent, SimMatch, sim_match::SimMatchError, sim_network::Jitter,
};
use isostep::{Mode, PeerId, SessionConfig, State, Tick};
use isostep_scenes::games::arena_input;
use std::io::{Write, stdout};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const TICKS: u32 = 600;
const ROW_EVERY: u32 = 60;
const SEED: u64 = 2026;
const USAGE: &str = "usage: demo [--break]

  --break   machine 1 computes one bit wrong on tick 300; shows how a desync is noticed and explained";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let break_it = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--break"] => true,
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    println!("A match of {TICKS} ticks; packets take 80 to 120 ms, and one in twenty is lost.\n");
    println!(
        "  tick   machine 0          machine 1          rollbacks 0/1    resimulated ticks 0/1"
    );
    let start = Instant::now();
    // A closed pipe, as of `head`, is no error.
    let outcome = play(TICKS, break_it, |row| _ = writeln!(stdout(), "{row}"));
    let micros = start.elapsed().as_secs_f64() * 1e6 / f64::from(TICKS * 3);
    match outcome {
        Ok(Outcome::Agreed(summary)) => {
            println!("\n{summary}");
            println!("All machines have the same bits: 0, 1, and a spectator that never predicts.");
            println!("({micros:.0} µs a tick and machine, rollbacks included.)");
            ExitCode::SUCCESS
        }
        Ok(Outcome::Desync(report)) => {
            println!("\n{report}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Result of a match.
enum Outcome {
    Agreed(String),
    Desync(String),
}

/// Machines A and B with a player each, two bots, and a spectator of A.
fn set_up(fault: Option<Tick>) -> Result<SimMatch<Match>, SimMatchError> {
    // 120 ms are 8 ticks: the delay covers 3 and prediction the rest; 12 leave room for lost
    // packets.
    let config = SessionConfig::new().delay(3).mode(Mode::Rollback { max: 12 });
    let mut sim = SimMatch::new(SEED);
    let a = config.clone().local().remote(PeerId(1)).bot().bot();
    let a = sim.add(a, Match::new(SEED, None))?;
    let b = sim.add(config.remote(PeerId(0)).local().bot().bot(), Match::new(SEED, fault))?;
    sim.connect(a, b);
    let watcher = SessionConfig::new().authority(Authority::Bundle).spectate(6);
    let watcher = watcher.remote(PeerId(0)).remote(PeerId(0)).bot().bot();
    let watcher = sim.add(watcher, Match::new(SEED, None))?;
    sim.connect_spectator(a, watcher);
    sim.network().set_all_links(LinkConfig {
        latency: Duration::from_millis(100),
        jitter: Jitter::Uniform { spread: Duration::from_millis(20) },
        loss_ppm: 50_000,
        ..LinkConfig::perfect()
    })?;
    Ok(sim)
}

/// Plays the match; `show` receives a row now and then, once both machines have confirmed its tick.
fn play(
    ticks: u32,
    break_it: bool,
    mut show: impl FnMut(String),
) -> Result<Outcome, SimMatchError> {
    let mut sim = set_up(break_it.then_some(Tick(ticks / 2)))?;
    let mut next = Tick(ROW_EVERY);
    while next <= Tick(ticks) {
        sim.run(1, |_, player, tick| arena_input(SEED, player, tick))?;
        let desync = sim.machines()[0].events.iter().find_map(|event| match event {
            SessionEvent::Desync(report) => Some(format!("Desync on {report}")),
            _ => None,
        });
        if let Some(report) = desync {
            return Ok(Outcome::Desync(report));
        }
        let sure = |index: usize| sim.machines()[index].session.confirmed_tick() >= next;
        if sure(0) && sure(1) {
            show(row(&sim, next));
            next += ROW_EVERY;
        }
    }
    sim.settle()?;
    sim.agree()?;
    let rollbacks: u64 = sim.machines().iter().map(|it| it.session.stats().rollbacks).sum();
    Ok(Outcome::Agreed(format!("{ticks} ticks, {rollbacks} rollbacks, 0 desyncs.")))
}

fn row(sim: &SimMatch<Match>, tick: Tick) -> String {
    let machines = &sim.machines()[..2];
    let digest = |index: usize| {
        let machine = &machines[index];
        let digest = machine.game.digest(machine.session.slots(), tick);
        digest.map_or_else(|error| error.to_string(), |digest| digest.to_string()[..16].to_owned())
    };
    let stats = |index: usize| machines[index].session.stats();
    let (a, b) = (stats(0), stats(1));
    format!(
        "{tick:>6}   {}   {}   {:>13}   {:>22}",
        digest(0),
        digest(1),
        format!("{}/{}", a.rollbacks, b.rollbacks),
        format!("{}/{}", a.resimulated_ticks, b.resimulated_ticks)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_agree_through_rollbacks() {
        let Ok(Outcome::Agreed(summary)) = play(240, false, drop) else { panic!("no agreement") };
        assert!(!summary.contains(" 0 rollbacks"), "nothing was put to the test: {summary}");
    }

    #[test]
    fn one_flipped_bit_is_located() {
        let Ok(Outcome::Desync(report)) = play(480, true, drop) else { panic!("no desync") };
        // The step of tick 240 produces the state of 241.
        assert!(report.starts_with("Desync on tick 241: arena.world body "), "{report}");
        assert!(report.contains("the majority differs from machine 1"), "{report}");
    }
}
