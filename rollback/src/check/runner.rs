//! A game on its way: steps, saves and loads as a session does them, and somebody who watches each tick that is final.

use super::report::CheckError;
use super::script::{Prediction, ScriptedInputs};
use crate::simulation::Simulation;
use crate::tick::Tick;
use isostep_core::state::{StateDifference, StateError};

/// Why a run ended before its last tick.
#[derive(Debug)]
pub(super) enum Stop {
    /// A tick came out otherwise.
    Differs(Found),
    /// Something can't be done with this state at all.
    Refused { tick: Tick, error: CheckError },
}

/// What differs on a tick.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) tick: Tick,
    pub(super) sections: Vec<String>,
    pub(super) fields: Vec<(String, StateDifference)>,
    /// Whether there are more than these.
    pub(super) more: bool,
}

pub(super) fn refused<E: Into<CheckError>>(tick: Tick) -> impl Fn(E) -> Stop {
    move |error: E| Stop::Refused { tick, error: error.into() }
}

/// Looks at the states that are final.
pub(super) trait Observer<S: Simulation> {
    /// A tick that is held.
    fn observe(&mut self, tick: Tick, game: &S, slots: &S::Slots) -> Result<(), Stop>;
}

/// All that a way needs to come to the last tick.
pub(super) struct Runner<'a, S: Simulation> {
    /// Makes the game anew.
    pub(super) make: &'a dyn Fn() -> S,
    pub(super) script: &'a ScriptedInputs<S::Input>,
    pub(super) seed: u64,
    /// Furthest that is gone back, in ticks.
    pub(super) depth: u32,
    pub(super) observer: &'a mut dyn Observer<S>,
}

/// One game with the ticks that it holds.
pub(super) struct Instance<'a, S: Simulation> {
    pub(super) game: S,
    pub(super) slots: S::Slots,
    pub(super) tick: Tick,
    script: &'a ScriptedInputs<S::Input>,
    held: usize,
    /// What steps were given, seat by seat and tick by tick.
    used: Vec<S::Input>,
}

impl<'a, S: Simulation> Instance<'a, S> {
    /// A game before its first tick, which will hold so many.
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
        let saved = self.game.save(&mut self.slots, self.tick.0);
        saved.map_err(refused::<StateError>(self.tick))
    }

    /// Makes and saves the next tick.
    pub(super) fn step(&mut self, prediction: Option<&Prediction>) -> Result<(), Stop> {
        let inputs = self.script.given(self.tick, prediction, &self.used, &self.game);
        self.used.extend(inputs.players.iter().map(|input| input.value));
        self.game.step(self.tick, &inputs);
        self.tick = self.tick.next();
        self.save()
    }

    /// Goes back.
    pub(super) fn load(&mut self, tick: Tick) -> Result<(), Stop> {
        let loaded = self.game.load(&mut self.slots, tick.0);
        loaded.map_err(refused::<StateError>(tick))?;
        self.used.truncate(tick.0 as usize * self.script.players);
        self.tick = tick;
        Ok(())
    }

    /// Forgets what can be computed again.
    pub(super) fn drop_caches(&mut self) {
        self.game.drop_caches(&mut self.slots);
    }

    /// Goes on with another game that is in the state of this tick.
    pub(super) fn replace(&mut self, mut game: S) -> Result<(), Stop> {
        self.slots = game.slots(self.held);
        self.game = game;
        self.save()
    }

    /// Shows ticks that are final.
    pub(super) fn show(
        &self,
        ticks: impl IntoIterator<Item = Tick>,
        observer: &mut dyn Observer<S>,
    ) -> Result<(), Stop> {
        ticks.into_iter().try_for_each(|tick| observer.observe(tick, &self.game, &self.slots))
    }
}
