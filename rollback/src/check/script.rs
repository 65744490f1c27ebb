//! The inputs of a whole check, and what a step is given of them: the truth, or a prediction. Bots are asked here.

use crate::input::Input;
use crate::inputs::{InputStatus, Inputs};
use crate::player::PlayerId;
use crate::simulation::Simulation;
use crate::tick::Tick;

/// What everybody does on each tick.
pub(super) struct ScriptedInputs<I> {
    pub(super) players: usize,
    pub(super) bots: Vec<PlayerId>,
    /// By tick.
    inputs: Vec<Inputs<I>>,
}

/// Inputs that nobody knows yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prediction {
    /// The first tick that is not known.
    pub(super) since: Tick,
    /// Whose inputs are not, a bit a seat.
    pub(super) seats: u32,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What will turn out to be right.
    Right,
    /// The last input that is known, held.
    Held,
    /// What the same player does so many ticks later: something that can happen, and mostly wrong.
    Later(u32),
}

impl<I: Input> ScriptedInputs<I> {
    /// Asks the script for every tick, in order and once.
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
            // A script that leaves a tick out means the same inputs again, but not the same commands.
            let same: Vec<I> = inputs.players.iter().map(|input| input.value).collect();
            inputs.follow(&same);
            recorded
        };
        Self { players, bots, inputs: (0..ticks).map(record).collect() }
    }

    /// How many ticks there are.
    pub(super) const fn len(&self) -> u32 {
        self.inputs.len() as u32
    }

    /// What everybody does on a tick.
    pub(super) fn at(&self, tick: Tick) -> Option<&Inputs<I>> {
        self.inputs.get(tick.0 as usize)
    }

    /// What the step of a tick is given. `used` has what earlier steps were given, seat by seat and tick by tick, as a
    /// session knows it.
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
                    input.value = I::hold(before(prediction.since, seat).unwrap_or_default())
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

/// Has the game decide for its bots.
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
