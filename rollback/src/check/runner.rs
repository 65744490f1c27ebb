//! A game during a run: steps, saves and loads as a session does, and an observer of its final ticks.

use super::report::CheckError;
use super::script::{Prediction, ScriptedInputs};
use crate::Tick;
use crate::simulation::Simulation;
use isostep_core::state::{StateDifference, StateError};

/// End of a run before its last tick.
#[derive(Debug)]
pub(super) enum Stop {
    /// A tick differs from the reference.
    Differs(Found),
    /// The state does not support the path.
    Refused { tick: Tick, error: CheckError },
}

/// Difference on a tick.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) tick: Tick,
    pub(super) sections: Vec<String>,
    pub(super) fields: Vec<(String, StateDifference)>,
    /// There are more differing fields.
    pub(super) more: bool,
}

pub(super) fn refused<E: Into<CheckError>>(tick: Tick) -> impl Fn(E) -> Stop {
    move |error: E| Stop::Refused { tick, error: error.into() }
}

/// Observer of final states.
pub(super) trait Observer<S: Simulation> {
    /// Observes a tick that is held.
    fn observe(&mut self, tick: Tick, game: &S, slots: &S::Slots) -> Result<(), Stop>;
}

/// Parameters of a run.
pub(super) struct Runner<'a, S: Simulation> {
    /// Creates the game.
    pub(super) make: &'a dyn Fn() -> S,
    pub(super) script: &'a ScriptedInputs<S::Input>,
    pub(super) seed: u64,
    /// Maximum rollback depth, in ticks.
    pub(super) depth: u32,
    pub(super) observer: &'a mut dyn Observer<S>,
}

/// A game with its saved ticks.
pub(super) struct Instance<'a, S: Simulation> {
    pub(super) game: S,
    pub(super) slots: S::Slots,
    pub(super) tick: Tick,
    script: &'a ScriptedInputs<S::Input>,
    held: usize,
    /// Inputs used by the steps, by tick and seat.
    used: Vec<S::Input>,
}

impl<'a, S: Simulation> Instance<'a, S> {
    /// Creates an instance before its first tick that holds `held` ticks.
    pub(super) fn new(
        mut game: S,
        script: &'a ScriptedInputs<S::Input>,
        held: usize,
    ) -> Result<Self, Stop> {
        let slots = game.slots(held);
        let mut instance = Self { game, slots, tick: Tick(0), script, held, used: Vec::new() };
        instance.save()?;
        Ok(instance)
    }

    fn save(&mut self) -> Result<(), Stop> {
        let saved = self.game.save(&mut self.slots, self.tick);
        saved.map_err(refused::<StateError>(self.tick))
    }

    /// Steps and saves the next tick.
    pub(super) fn step(&mut self, prediction: Option<&Prediction>) -> Result<(), Stop> {
        let inputs = self.script.given(self.tick, prediction, &self.used, &self.game);
        self.used.extend(inputs.players.iter().map(|input| input.value));
        self.game.step(self.tick, &inputs);
        self.tick = self.tick.next();
        self.save()
    }

    /// Rolls back to a tick.
    pub(super) fn load(&mut self, tick: Tick) -> Result<(), Stop> {
        let loaded = self.game.load(&mut self.slots, tick);
        loaded.map_err(refused::<StateError>(tick))?;
        self.used.truncate(tick.0 as usize * self.script.players);
        self.tick = tick;
        Ok(())
    }

    /// Drops all caches.
    pub(super) fn drop_caches(&mut self) {
        self.game.drop_caches(&mut self.slots);
    }

    /// Replaces the game with another one in the same state.
    pub(super) fn replace(&mut self, mut game: S) -> Result<(), Stop> {
        self.slots = game.slots(self.held);
        self.game = game;
        self.save()
    }

    /// Passes final ticks to the observer.
    pub(super) fn show(
        &self,
        ticks: impl IntoIterator<Item = Tick>,
        observer: &mut dyn Observer<S>,
    ) -> Result<(), Stop> {
        ticks.into_iter().try_for_each(|tick| observer.observe(tick, &self.game, &self.slots))
    }
}
