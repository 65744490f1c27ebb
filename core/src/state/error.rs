//! What can go wrong with a saved state, and a difference between two of them as a person reads it.

use crate::digest::WalkError;
use crate::history::HistoryError;
use crate::world::ExplainError;

/// Why a state can't be saved, loaded or compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The tick is not held.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// A value can't take part in digests.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// What another machine sent is no page.
    #[error(transparent)]
    Explain(#[from] ExplainError),
    /// A value's own `Serialize` gave up while it was written to a snapshot.
    #[error("the value can't be written to a snapshot: {0}")]
    Unwritable(String),
    /// A world was commanded after its last step: going back would lose that, and no digest has it.
    #[error(
        "the world has {count} {} that no step has seen; give commands before `world.step()`. To answer an event, read \
         `world.events()` at the start of the next step: events are part of the state. `world.commit()` is for setting \
         the world up before the first tick, and for nothing later",
        if *count == 1 { "command" } else { "commands" }
    )]
    UnfinishedCommands {
        /// How many.
        count: usize,
    },
    /// A world is at an earlier tick than it was when an earlier state was saved.
    #[error(
        "the world is at its tick {now}, and was at {before} when tick {tick} was saved; leave `rewind` and `restore` to \
         the session while it runs"
    )]
    WentBack {
        /// The tick that was saved before.
        tick: u32,
        /// The world's own tick then.
        before: u32,
        /// The world's own tick now.
        now: u32,
    },
    /// A tick was saved, but the world lost its own tick since.
    #[error(
        "tick {tick} is the world's own tick {world_tick}, which it no longer holds; `commit` is for the time before the \
         first tick, and forgets those before it. While a session runs, give commands before `world.step()`, leave `rewind` \
         and `restore` to it, and give a world that steps very often in a tick more room with `set_history`"
    )]
    Forgotten {
        /// The tick that was asked for.
        tick: u32,
        /// The world's own tick.
        world_tick: u32,
    },
}

impl StateError {
    /// The same error, of something in a field.
    #[must_use]
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

/// A field that two machines have differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDifference {
    /// What it belongs to, like `body 5v1`, `players[1]`, `state`.
    pub entity: String,
    /// Like `velocity.x`, `health`, `[3]`.
    pub field: String,
    /// What this machine has.
    pub local: String,
    /// What the other one has.
    pub remote: String,
}

impl core::fmt::Display for StateDifference {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { entity, field, local, remote } = self;
        write!(f, "{entity}, {field}: {local} here, {remote} there")
    }
}
