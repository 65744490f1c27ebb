//! Tests of Tumble: each rule, equal bits on every path, and matches over simulated and real
//! networks.

mod matches;
mod processes;
mod rules;
mod same_bits;

use crate::rules::{Move, Settings, Tumble};
use isostep::{Buttons, Inputs, Simulation, Stick, Tick};

/// Rounds of full length.
const SETTINGS: Settings =
    Settings { players: 4, crates: 8, seed: 1, round_ticks: 75 * 60, points: 5 };

/// A game stepped by a test.
struct TestMatch {
    game: Tumble,
    inputs: Inputs<Move>,
    tick: Tick,
}

impl TestMatch {
    fn new(settings: Settings) -> Self {
        let players = settings.players.into();
        Self { game: Tumble::new(settings), inputs: Inputs::new(players), tick: Tick(0) }
    }

    /// One tick with these moves; the other seats stay idle.
    fn step(&mut self, moves: &[Move]) {
        let mut all = vec![Move::default(); self.game.players.len()];
        all[..moves.len()].copy_from_slice(moves);
        self.inputs.set_next(&all);
        self.game.step(self.tick, &self.inputs);
        self.tick = self.tick.next();
    }

    /// Ticks with constant moves.
    fn hold(&mut self, ticks: u32, moves: &[Move]) {
        (0..ticks).for_each(|_| self.step(moves));
    }

    /// Ticks until a condition holds.
    fn until(&mut self, moves: &[Move], mut happened: impl FnMut(&Tumble) -> bool) {
        for _ in 0..1200 {
            if happened(&self.game) {
                return;
            }
            self.step(moves);
        }
        panic!("it did not happen within 1200 ticks");
    }

    fn points(&self) -> Vec<i32> {
        self.game.players.iter().map(|player| player.points).collect()
    }
}

const STILL: Move = Move { stick: Stick::CENTRE, buttons: Buttons::none() };

/// Walks along x: −127 to 127.
fn walk(x: i8) -> Move {
    Move { stick: Stick::from_steps(x, 0).expect("not −128"), ..STILL }
}
