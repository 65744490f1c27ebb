//! Two machines, one match, a bad network between them: every machine computes the same bits.
//!
//! Each machine plays on without waiting, guesses the other player's stick, and rolls back when the guess was
//! wrong. A third one plays the same match afterwards with all inputs known. The table compares their digests.
//!
//! `cargo run --release --example demo` shows it; `-- --break` has one machine compute one bit
//! wrong in mid-match, and the demo finds the tick, the puck and the field.

#![allow(unreachable_pub, reason = "a program of several files, read as an example")]

mod game;
mod machine;
mod network;

use game::{Game, PLAYERS, Stick};
use isostep::Rng;
use machine::Machine;
use network::{Message, Network};
use std::process::ExitCode;
use std::time::Instant;

const TICKS: usize = 600;
const ROW_EVERY: usize = 60;
const SEED: u64 = 2026;
/// What the random numbers are for.
const STICK: u64 = 3;
const USAGE: &str = "usage: demo [--break]

  --break   machine B computes one bit wrong on tick 300; shows how a desync is noticed and explained";

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
    println!(
        "Two machines play one match of {TICKS} ticks; inputs take 3 to 12 ticks between them.\n"
    );
    println!(
        "  tick   machine A          machine B          rollbacks A/B   ticks played again A/B"
    );
    let start = Instant::now();
    let outcome = play(TICKS, break_it, |row| println!("{row}"));
    let seconds = start.elapsed().as_secs_f64();
    match outcome {
        Ok(summary) => {
            println!("\n{summary}");
            println!(
                "The same bits everywhere: A, B, and a third machine that never had to guess."
            );
            println!(
                "({:.0} µs a tick and machine, rollbacks included.)",
                seconds * 1e6 / (TICKS * 3) as f64
            );
            ExitCode::SUCCESS
        }
        Err(desync) => {
            println!("\n{desync}");
            ExitCode::FAILURE
        }
    }
}

/// What a player does on a tick: mostly what they did before, now and then something new.
fn stick(player: usize, tick: usize) -> Stick {
    let mut rng = Rng::keyed(SEED, tick as u64 / 20, player as u64, STICK);
    let mut axis = || rng.below(3).map_or(0, |draw| draw as i8 - 1);
    Stick { x: axis(), z: axis() }
}

/// Plays the match; `show` gets a row now and then. The error explains the first difference.
fn play(ticks: usize, break_it: bool, mut show: impl FnMut(String)) -> Result<String, String> {
    let mut machines = [0, 1].map(|player| Machine::new(player, Game::new(SEED)));
    machines[1].fault = break_it.then_some(ticks / 2);
    let mut network = Network::new(SEED);
    let mut reference = Game::new(SEED);
    let (mut now, mut checked) = (0, 0);
    while checked < ticks {
        exchange(now, &mut network, &mut machines);
        now += 1;
        // Compare each tick once, when both machines have confirmed it.
        while checked < ticks && machines.iter().all(Machine::has_finished) {
            reference.step(std::array::from_fn::<_, PLAYERS, _>(|player| stick(player, checked)));
            checked += 1;
            let [Some(a), Some(b)] = machines.each_mut().map(Machine::take_finished) else { break };
            let digests = [a.digest(), b.digest()];
            if digests.iter().any(|digest| *digest != reference.digest()) {
                let difference = a.first_difference(&b);
                let difference =
                    difference.unwrap_or_else(|| "A and B agree, the third does not".to_owned());
                return Err(format!("Desync on tick {}: {difference}", checked - 1));
            }
            if checked.is_multiple_of(ROW_EVERY) {
                show(row(checked, digests, &machines));
            }
        }
    }
    let [a, b] = machines.each_ref().map(|machine| machine.rollbacks);
    Ok(format!("{ticks} ticks, {} rollbacks, 0 desyncs.", a + b))
}

/// One frame of both machines: hand over what has arrived, play on, send what was done.
fn exchange(now: usize, network: &mut Network, machines: &mut [Machine; PLAYERS]) {
    for message in network.receive(now) {
        machines[message.to].learn(message.from, message.tick, message.stick);
    }
    for (player, machine) in machines.iter_mut().enumerate() {
        if machine.may_advance() {
            let (tick, stick) = (machine.tick(), stick(player, machine.tick()));
            machine.advance(stick);
            network.send(now, Message { to: 1 - player, from: player, tick, stick });
        }
    }
}

fn row(tick: usize, digests: [blake3::Hash; 2], machines: &[Machine; 2]) -> String {
    let [a, b] = digests.map(|digest| digest.to_hex()[..16].to_owned());
    let [ra, rb] = machines.each_ref().map(|machine| machine.rollbacks);
    let [pa, pb] = machines.each_ref().map(|machine| machine.replayed_ticks);
    format!("{tick:>6}   {a}   {b}   {:>13}   {:>22}", format!("{ra}/{rb}"), format!("{pa}/{pb}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_agree_through_rollbacks() {
        let summary = play(200, false, drop).expect("no desync");
        assert!(!summary.contains(" 0 rollbacks"), "nothing was put to the test: {summary}");
    }

    #[test]
    fn one_flipped_bit_is_found_and_named() {
        let desync = play(200, true, drop).expect_err("a desync");
        assert!(desync.contains("Desync on tick 100:"), "{desync}");
        assert!(desync.contains("puck 7v1, position.x"), "{desync}");
    }
}
