//! A game for sessions of ggrs: a rope whose place depends on every input and its order.

use isostep_rollback::{Inputs, NewestWins, Simulation, Tick};

#[derive(Clone, Default, serde::Serialize)]
pub(super) struct Tug {
    pub(super) rope: i64,
}

impl Simulation for Tug {
    type Input = NewestWins<i32>;
    fn step(&mut self, tick: Tick, inputs: &Inputs<Self::Input>) {
        for (player, input) in inputs.iter() {
            let pull = i64::from(input.value.0) * (i64::from(player.0) * 2 - 1);
            self.rope = self.rope.wrapping_mul(31).wrapping_add(pull + i64::from(tick.0));
        }
    }
}

/// Length of a match.
pub(super) const FRAMES: Tick = Tick(300);
