//! Interface of a game to a session: a state that steps.

use crate::Tick;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::player::PlayerId;
use isostep_core::state::State;
use isostep_core::world::BodyId;

/// A game that a session can run: a [`State`] that steps by inputs.
///
/// Any type that is `Clone + Serialize` is a `State` already, and so is a `World`; a struct that holds a `World` and fields
/// of its own derives it.
///
/// ```
/// use isostep_rollback::{Inputs, NewestWins, Simulation, Tick};
///
/// #[derive(Clone, Default, serde::Serialize)]
/// struct Tug {
///     rope: i32,
/// }
///
/// impl Simulation for Tug {
///     type Input = NewestWins<i8>;
///     fn step(&mut self, _tick: Tick, inputs: &Inputs<Self::Input>) {
///         self.rope += inputs.iter().map(|(_, input)| i32::from(input.value.0)).sum::<i32>();
///     }
/// }
///
/// let mut tug = Tug::default();
/// tug.step(Tick(0), &Inputs::confirmed(&[NewestWins(3), NewestWins(-1)]));
/// assert_eq!(tug.rope, 2);
/// ```
#[doc(alias = "GgrsRequest")]
pub trait Simulation: State {
    /// Input of a player for a tick.
    type Input: Input;

    /// Computes the state of `tick + 1` from that of `tick` and the inputs of `tick`, and from nothing else.
    ///
    /// Commands for a [`World`](isostep_core::world::World) come before its `step`: pending ones are refused when this
    /// returns, because a rollback would lose them.
    fn step(&mut self, tick: Tick, inputs: &Inputs<Self::Input>);

    /// Returns the input of a bot in this seat. Every machine calls it and must get the same result: decide from the
    /// state alone (and from an [`Rng`](isostep_core::Rng) keyed by it).
    fn bot(&self, tick: Tick, player: PlayerId) -> Self::Input {
        let _ = (tick, player);
        Self::Input::default()
    }

    /// Returns a name of a body for reports, such as "a crate" or "player 2's ball". Reports of differences then read
    /// `body 7v1 (a crate)`. It may be called at another tick than that of the difference, so name bodies by what never
    /// changes, and return `None` for unknown ones.
    fn body_name(&self, body: BodyId) -> Option<String> {
        let _ = body;
        None
    }
}
