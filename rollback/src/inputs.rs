//! Inputs of all seats for one tick, as a step reads them.

use crate::input::{Commands, Input};
use crate::player::PlayerId;

/// Status of a seat's input for a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputStatus {
    /// Confirmed: it will not change.
    #[default]
    Confirmed,
    /// Predicted, or proposed by its player and not confirmed yet.
    Predicted,
    /// The seat is empty.
    Disconnected,
    /// Decided by the simulation itself.
    Bot,
}

/// The input of one seat for one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerInput<I> {
    /// The input.
    pub value: I,
    /// The input of the tick before, so that a step can detect edges without state.
    pub previous: I,
    /// Status of the input.
    ///
    /// `Confirmed` and `Predicted` differ between machines: use them for presentation, never in a step. A state that
    /// depends on them desyncs, and the sync test reports it. All machines agree on `Disconnected` and `Bot`.
    pub status: InputStatus,
}

/// The inputs of every seat for one tick.
///
/// ```
/// use isostep_rollback::{Inputs, NewestWins, PlayerId};
/// let inputs = Inputs::confirmed(&[NewestWins(3u8), NewestWins(4)]);
/// assert_eq!(inputs.value(PlayerId(1)), NewestWins(4));
/// assert_eq!(inputs.iter().map(|(player, input)| player.0 + input.value.0).sum::<u8>(), 8);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs<I> {
    pub(crate) players: Vec<PlayerInput<I>>,
    pub(crate) commands: Vec<Commands>,
}

impl<I: Input> Inputs<I> {
    /// Creates default inputs for this many seats.
    pub fn new(players: usize) -> Self {
        Self {
            players: vec![PlayerInput::default(); players],
            commands: vec![Commands::default(); players],
        }
    }

    /// Creates confirmed inputs, for stepping a simulation by hand. The previous inputs are the default.
    pub fn confirmed(values: &[I]) -> Self {
        let mut inputs = Self::new(values.len());
        inputs.set_next(values);
        inputs
    }

    /// Sets the next tick's confirmed inputs: values become previous ones, commands are cleared.
    pub fn set_next(&mut self, values: &[I]) {
        self.commands.iter_mut().for_each(Commands::clear);
        for (input, &value) in self.players.iter_mut().zip(values) {
            input.previous = input.value;
            input.value = value;
            input.status = InputStatus::Confirmed;
        }
    }

    /// Returns a seat's input; the default, disconnected, if there is no such seat.
    pub fn get(&self, player: PlayerId) -> PlayerInput<I> {
        let empty = PlayerInput { status: InputStatus::Disconnected, ..Default::default() };
        self.players.get(player.index()).copied().unwrap_or(empty)
    }

    /// Returns the value of a seat's input.
    pub fn value(&self, player: PlayerId) -> I {
        self.get(player).value
    }

    /// Returns the commands of a seat for this tick, in order.
    pub fn commands(&self, player: PlayerId) -> impl Iterator<Item = &[u8]> {
        self.commands.get(player.index()).into_iter().flat_map(Commands::iter)
    }

    /// Adds a command, for stepping a simulation by hand.
    #[doc(hidden)]
    pub fn push_command(&mut self, player: PlayerId, command: &[u8]) {
        if let Some(commands) = self.commands.get_mut(player.index()) {
            commands.push(command);
        }
    }

    /// Returns the number of seats.
    pub const fn len(&self) -> usize {
        self.players.len()
    }

    /// Returns true if there are no seats.
    pub const fn is_empty(&self) -> bool {
        self.players.is_empty()
    }

    /// Returns the seats with their inputs.
    pub fn iter(&self) -> impl Iterator<Item = (PlayerId, PlayerInput<I>)> + '_ {
        (0..).zip(&self.players).map(|(player, &input)| (PlayerId(player), input))
    }
}
