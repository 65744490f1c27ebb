//! Commands: byte strings of any length (a loadout, a purchase, a vote), rarer than inputs, that are sent as a part of
//! a player's input for a tick.
//!
//! ```text
//! push → CommandQueue → fill: a payload for each tick → … → the tick is confirmed → CommandAssembler → Commands
//!             ↑ overridden: goes again                                (on every machine, the sender's too)
//! ```
//!
//! A payload is a sequence of pieces within a budget. A command that does not fit is spread over consecutive ticks, and
//! takes effect on the tick of its last piece.

mod assembler;
mod list;
mod piece;
mod queue;

pub use assembler::CommandAssembler;
pub use list::Commands;
pub use piece::{PayloadError, check_payload};
pub use queue::{CommandQueue, CommandQueueError};

/// Limits of commands, the same on all machines of a match.
///
/// ```
/// use isostep_rollback::CommandConfig;
/// assert_eq!(CommandConfig::default(), CommandConfig::new(64, 4096, 65_536).unwrap());
/// assert!(CommandConfig::new(2, 4096, 65_536).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CommandConfig {
    budget: usize,
    max_len: usize,
    max_queued: usize,
}

/// Invalid limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandConfigError {
    /// The budget is too small for a piece, or too large for a packet.
    #[error("the budget is {0} bytes a tick; use {min} to {max}",
        min = CommandConfig::MIN_BUDGET, max = CommandConfig::MAX_BUDGET)]
    Budget(usize),
    /// The maximum command length is out of range.
    #[error("the maximum command length is {0} bytes; use 1 to {max}", max = CommandConfig::MAX_LEN)]
    Length(usize),
    /// The queue can't hold the longest command.
    #[error(
        "a queue of {queued} bytes can't hold a command of {len} bytes; make it at least two bytes longer than the command"
    )]
    Queue {
        /// Size of the queue.
        queued: usize,
        /// Maximum command length.
        len: usize,
    },
}

impl CommandConfig {
    /// A piece is a header byte, a length byte and at least one byte more.
    #[doc(hidden)]
    pub const MIN_BUDGET: usize = 3;
    /// Maximum payload that fits a datagram beside everything else.
    #[doc(hidden)]
    pub const MAX_BUDGET: usize = 1024;
    /// 1 MiB takes five minutes at 64 bytes a tick and 60 ticks a second; not meant for files.
    #[doc(hidden)]
    pub const MAX_LEN: usize = 1 << 20;

    /// 64 bytes a tick, commands of up to 4 KiB, a queue of 64 KiB.
    #[doc(hidden)]
    pub const DEFAULT: Self = Self { budget: 64, max_len: 4096, max_queued: 1 << 16 };

    /// Creates limits: payload bytes a tick, bytes of the longest command, and bytes of queued and unconfirmed
    /// commands, with an overhead of two for each command.
    ///
    /// # Errors
    /// If a limit is out of range, or the queue can't hold the longest command.
    pub const fn new(
        budget: usize,
        max_len: usize,
        max_queued: usize,
    ) -> Result<Self, CommandConfigError> {
        if budget < Self::MIN_BUDGET || budget > Self::MAX_BUDGET {
            return Err(CommandConfigError::Budget(budget));
        }
        if max_len == 0 || max_len > Self::MAX_LEN {
            return Err(CommandConfigError::Length(max_len));
        }
        if max_queued < max_len + queue::COMMAND_OVERHEAD {
            return Err(CommandConfigError::Queue { queued: max_queued, len: max_len });
        }
        Ok(Self { budget, max_len, max_queued })
    }

    /// Returns the payload bytes a tick.
    #[doc(hidden)]
    pub const fn budget(&self) -> usize {
        self.budget
    }

    /// Returns the maximum command length, in bytes.
    #[doc(hidden)]
    pub const fn max_len(&self) -> usize {
        self.max_len
    }

    /// Returns the maximum queue size, in bytes.
    #[doc(hidden)]
    pub const fn max_queued(&self) -> usize {
        self.max_queued
    }
}

impl Default for CommandConfig {
    fn default() -> Self {
        Self::DEFAULT
    }
}
