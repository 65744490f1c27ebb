//! Errors of saved states, and the text of a difference between two states.

use crate::Tick;
use crate::digest::WalkError;
use crate::history::HistoryError;
use crate::world::ExplainError;

/// Error of saving, loading or comparing a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The tick is not held.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// A value cannot be part of a digest.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The bytes from another machine are not a page.
    #[error(transparent)]
    Explain(#[from] ExplainError),
    /// The value's own `Serialize` failed while writing a snapshot.
    #[error("the value cannot be written to a snapshot: {0}; fix its Serialize implementation")]
    Unwritable(String),
    /// Commands are pending on the world after its last step. A rollback would lose them, and no
    /// digest contains them.
    #[error(
        "the world has {count} {} that no step has seen; give commands before `world.step()`. To answer an event, read \
         `world.events()` at the start of the next step: events are part of the state. `world.commit()` is for setting \
         the world up before the first tick, and for nothing later",
        if *count == 1 { "command" } else { "commands" }
    )]
    UnfinishedCommands {
        /// The number of pending commands.
        count: usize,
    },
    /// The world is at an earlier tick than at an earlier save.
    #[error(
        "the world is at its tick {now}, and was at {before} when tick {tick} was saved; leave `rewind` and `restore` to \
         the session while it runs"
    )]
    WentBack {
        /// The earlier saved tick.
        tick: Tick,
        /// The world's own tick at that save.
        before: Tick,
        /// The world's own tick now.
        now: Tick,
    },
    /// The tick was saved, but the world no longer holds its own tick.
    #[error(
        "tick {tick} can't be loaded: the world no longer holds it (its own tick {world_tick}). Call `World::commit` only before \
         the first tick, because it drops all earlier ticks; leave `rewind` and `restore` to the session; and if a tick takes \
         many steps of the world, hold more of them with `set_history`"
    )]
    Discarded {
        /// The requested tick.
        tick: Tick,
        /// The world's own tick.
        world_tick: Tick,
    },
}

impl StateError {
    /// The same error with a field in front of its path.
    #[must_use]
    #[doc(hidden)]
    pub fn within(mut self, field: &str) -> Self {
        if let Self::Walk(error) = &mut self {
            let dot = if error.path.starts_with('[') { "" } else { "." };
            error.path = match error.path.as_str() {
                "." => field.to_owned(),
                path => format!("{field}{dot}{path}"),
            };
        }
        self
    }
}

/// A field that differs between two machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDifference {
    /// The entity that has the field, like `body 5v1`, `players[1]`, `state`.
    pub entity: String,
    /// The field, like `velocity.x`, `health`, `[3]`.
    pub field: String,
    /// The value on this machine.
    pub local: String,
    /// The value on the other machine.
    pub remote: String,
}

impl core::fmt::Display for StateDifference {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { entity, field, local, remote } = self;
        write!(f, "{entity}, {field}: {local} here, {remote} there")
    }
}
