//! Input of the game, scripted players, and predictors that guess wrongly.

use super::rng::{Rng, mixed};
use isostep_rollback::{Input, InputHistory, PlayerId, Predictor, Tick};
use serde::{Deserialize, Serialize};

/// Actions of a pad, as bits.
pub(super) const FIRE: u8 = 1;
pub(super) const PULL: u8 = 2;
pub(super) const BUILD: u8 = 4;
pub(super) const GRAB: u8 = 8;
pub(super) const SWITCH: u8 = 16;
pub(super) const JUMP: u8 = 32;

/// One player's input for one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pad {
    /// Direction of the stick in eighths of a turn, 1 to 8; 0 at rest. A level: it is held.
    pub(super) lean: u8,
    /// Actions. Edges: they act once and are merged.
    pub(super) act: u8,
}

impl Input for Pad {
    fn hold(last: Self) -> Self {
        Self { act: 0, ..last }
    }

    fn merge(older: Self, newer: Self) -> Self {
        Self { lean: newer.lean, act: older.act | newer.act }
    }
}

/// Rates of a scripted player's actions: one in this many samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputStyle {
    /// Samples between two changes of direction.
    pub(super) turns: u32,
    /// Samples between two presses of an action, in the order of the bits.
    pub(super) acts: [u32; 6],
}

impl InputStyle {
    pub(super) fn roll(rng: &mut Rng) -> Self {
        // Calm players let bodies fall asleep; busy ones cause mispredictions on most ticks.
        let scale = rng.pick(&[1, 1, 2, 4]);
        let base = [10, 45, 20, 25, 30, 40];
        let acts = base.map(|every| (every * scale * rng.between(1, 3)).div_ceil(2));
        Self { turns: rng.pick(&[3, 7, 20, 60]) * scale, acts }
    }

    /// Returns the sample number `count` of a player at a machine.
    pub(super) fn sample(&self, seed: u64, machine: usize, player: PlayerId, count: u32) -> Pad {
        let who = [seed, machine as u64, u64::from(player.0)];
        let level = mixed(&[who[0], who[1], who[2], u64::from(count / self.turns), 1]);
        let mut rng = Rng::keyed(&[who[0], who[1], who[2], u64::from(count), 2]);
        Pad { lean: (level % 11).min(8) as u8, act: self.press(&mut rng) }
    }

    fn press(&self, rng: &mut Rng) -> u8 {
        let pressed = (0..).zip(self.acts).filter(|(_, every)| rng.one_in(*every));
        pressed.fold(0, |act, (bit, _)| act | 1 << bit)
    }
}

/// Input predictors. A prediction never shows in the confirmed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guess {
    /// Session default: the last input is held.
    Hold,
    /// Nothing is pressed.
    Still,
    /// Random input, another one each time: most ticks are mispredicted, with presses that never happened.
    Noise,
    /// Last direction, with a random press now and then.
    Twitch,
}

impl Guess {
    pub(super) fn predictor(self, seed: u64) -> Option<Box<dyn Predictor<Pad> + Send>> {
        (self != Self::Hold)
            .then(|| Box::new(Guesser { guess: self, rng: Rng::keyed(&[seed]) }) as _)
    }
}

struct Guesser {
    guess: Guess,
    rng: Rng,
}

impl Predictor<Pad> for Guesser {
    fn predict(&mut self, known: &InputHistory<'_, Pad>, _: Tick) -> Pad {
        let last = known.last().map_or_else(Pad::default, |(_, last)| Pad::hold(last));
        match self.guess {
            Guess::Hold => last,
            Guess::Still => Pad::default(),
            Guess::Noise => {
                let act = if self.rng.one_in(4) { 1 << self.rng.below(6) } else { 0 };
                Pad { lean: self.rng.below(9) as u8, act }
            }
            Guess::Twitch => {
                let act = if self.rng.one_in(10) { 1 << self.rng.below(6) } else { 0 };
                Pad { act, ..last }
            }
        }
    }
}
