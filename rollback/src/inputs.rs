//! What a step gets to read: the inputs of every seat for one tick.

use crate::input::{Commands, Input};
use crate::player::PlayerId;

/// What is known of a seat's input for a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputStatus {
    /// It will not change.
    #[default]
    Confirmed,
    /// It is a guess, or what its player proposed and nobody confirmed yet.
    Predicted,
    /// Nobody sits there.
    Disconnected,
    /// The simulation itself decides.
    Bot,
}

/// The input of one seat for one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerInput<I> {
    /// The input.
    pub value: I,
    /// The input of the tick before, so that edges need no bookkeeping.
    pub previous: I,
    /// What is known of it.
    ///
    /// `Confirmed` and `Predicted` differ between machines: use them to draw, never to decide. A state that depends on
    /// them desyncs, and the sync test says so. Between these two on one side and the others, all machines agree.
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
    /// Inputs for this many seats, nothing touched.
    pub fn new(players: usize) -> Self {
        Self {
            players: vec![PlayerInput::default(); players],
            commands: vec![Commands::default(); players],
        }
    }

    /// Confirmed inputs, for stepping a simulation by hand. What was before is the default.
    pub fn confirmed(values: &[I]) -> Self {
        let mut inputs = Self::new(values.len());
        inputs.follow(values);
        inputs
    }

    /// The next tick's confirmed inputs: what was the value becomes the previous one, commands are gone.
    pub fn follow(&mut self, values: &[I]) {
        self.commands.iter_mut().for_each(Commands::clear);
        for (input, &value) in self.players.iter_mut().zip(values) {
            input.previous = input.value;
            input.value = value;
            input.status = InputStatus::Confirmed;
        }
    }

    /// A seat's input; that of a seat that does not exist is the default, disconnected.
    pub fn get(&self, player: PlayerId) -> PlayerInput<I> {
        let nobody = PlayerInput { status: InputStatus::Disconnected, ..Default::default() };
        self.players.get(player.index()).copied().unwrap_or(nobody)
    }

    /// The value of a seat's input.
    pub fn value(&self, player: PlayerId) -> I {
        self.get(player).value
    }

    /// The commands of a seat for this tick, in the order in which they were given.
    pub fn commands(&self, player: PlayerId) -> impl Iterator<Item = &[u8]> {
        self.commands.get(player.index()).into_iter().flat_map(Commands::iter)
    }

    /// Adds a command, for stepping a simulation by hand.
    pub fn push_command(&mut self, player: PlayerId, command: &[u8]) {
        if let Some(commands) = self.commands.get_mut(player.index()) {
            commands.push(command);
        }
    }

    /// How many seats there are.
    pub const fn len(&self) -> usize {
        self.players.len()
    }

    /// Whether there is no seat.
    pub const fn is_empty(&self) -> bool {
        self.players.is_empty()
    }

    /// The seats with their inputs.
    pub fn iter(&self) -> impl Iterator<Item = (PlayerId, PlayerInput<I>)> + '_ {
        (0..).zip(&self.players).map(|(player, &input)| (PlayerId(player), input))
    }
}
