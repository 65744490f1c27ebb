//! Inputs of a check, and the inputs of a step: confirmed or predicted. Bots are called here.

use crate::Tick;
use crate::input::Input;
use crate::inputs::{InputStatus, Inputs};
use crate::player::PlayerId;
use crate::simulation::Simulation;

/// Scripted inputs of all seats.
pub(super) struct ScriptedInputs<I> {
    pub(super) players: usize,
    pub(super) bots: Vec<PlayerId>,
    /// Inputs by tick.
    inputs: Vec<Inputs<I>>,
}

/// A prediction of unconfirmed inputs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prediction {
    /// First unconfirmed tick.
    pub(super) since: Tick,
    /// Predicted seats, a bit each.
    pub(super) seats: u32,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The correct input.
    Right,
    /// The last confirmed input, held.
    Held,
    /// The same player's input from this many ticks later: a possible input, and mostly wrong.
    Later(u32),
}

impl<I: Input> ScriptedInputs<I> {
    /// Calls the script for every tick, once and in order.
    pub(super) fn record(
        players: usize,
        bots: Vec<PlayerId>,
        ticks: u32,
        script: &mut dyn FnMut(Tick, &mut Inputs<I>),
    ) -> Self {
        let mut inputs = Inputs::new(players);
        let record = |tick| {
            script(Tick(tick), &mut inputs);
            let recorded = inputs.clone();
            // A script that skips a tick repeats its inputs, but not its commands.
            let same: Vec<I> = inputs.players.iter().map(|input| input.value).collect();
            inputs.set_next(&same);
            recorded
        };
        Self { players, bots, inputs: (0..ticks).map(record).collect() }
    }

    /// Returns the number of ticks.
    pub(super) const fn len(&self) -> u32 {
        self.inputs.len() as u32
    }

    /// Returns the inputs of a tick.
    pub(super) fn at(&self, tick: Tick) -> Option<&Inputs<I>> {
        self.inputs.get(tick.0 as usize)
    }

    /// Returns the inputs for the step of a tick. `used` has the inputs of earlier steps, by tick and seat, as a
    /// session knows them.
    pub(super) fn given<S: Simulation<Input = I>>(
        &self,
        tick: Tick,
        prediction: Option<&Prediction>,
        used: &[I],
        game: &S,
    ) -> Inputs<I> {
        let mut inputs = self.at(tick).cloned().unwrap_or_else(|| Inputs::new(self.players));
        inputs.players.resize(self.players, crate::inputs::PlayerInput::default());
        let before = |tick: Tick, seat: usize| {
            let row = (tick.0 as usize).checked_sub(1)? * self.players;
            used.get(row + seat).copied()
        };
        for (seat, input) in inputs.players.iter_mut().enumerate() {
            input.previous = before(tick, seat).unwrap_or_default();
            input.status = InputStatus::Confirmed;
            let Some(prediction) =
                prediction.filter(|prediction| prediction.seats >> (seat % 32) & 1 == 1)
            else {
                continue;
            };
            input.status = InputStatus::Predicted;
            match prediction.kind {
                Kind::Right => continue,
                Kind::Held => {
                    input.value = I::hold(before(prediction.since, seat).unwrap_or_default());
                }
                Kind::Later(ticks) => {
                    let other =
                        (u64::from(tick.0) + u64::from(ticks)) % u64::from(self.len().max(1));
                    let other =
                        self.at(Tick(other as u32)).and_then(|other| other.players.get(seat));
                    input.value = other.map_or_else(I::default, |other| other.value);
                }
            }
            if let Some(commands) = inputs.commands.get_mut(seat) {
                commands.clear();
            }
        }
        apply_bots(game, tick, &self.bots, &mut inputs);
        inputs
    }
}

/// Sets the inputs of bots.
pub(crate) fn apply_bots<S: Simulation>(
    game: &S,
    tick: Tick,
    bots: &[PlayerId],
    inputs: &mut Inputs<S::Input>,
) {
    for &bot in bots {
        let value = game.bot(tick, bot);
        if let Some(input) = inputs.players.get_mut(bot.index()) {
            input.value = value;
            input.status = InputStatus::Bot;
        }
        if let Some(commands) = inputs.commands.get_mut(bot.index()) {
            commands.clear();
        }
    }
}
