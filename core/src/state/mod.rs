//! States that a rollback session can save, load, digest and compare by tick. This module never
//! steps.
//!
//! - `value.rs`: any value that is `Clone + Serialize`, in a ring of copies.
//! - `leaves.rs`: a page of such a value as bytes, and the differences from another machine's page.
//! - `snapshot.rs`: a held tick as bytes, and a state from them.
//! - `world.rs`: a [`World`](crate::world::World), which holds its own ticks.
//! - `error.rs`: errors, and the text of a difference.
//!
//! A struct of several such parts derives the trait (`isostep::State`).

mod error;
mod leaves;
mod snapshot;
mod value;
pub(crate) mod world;

pub use error::{StateDifference, StateError};
pub use snapshot::{RestoreError, Snapshot};

use crate::Tick;
use crate::digest::{Digest, DigestTree};

/// A state that a session saves, loads, digests and compares.
///
/// Games get the implementation without code: values that are
/// `Clone + Serialize` are states, a [`World`](crate::world::World) is one, and a struct of states
/// derives it.
///
/// The documentation hides the methods for sessions: how a state is stored, loaded and compared may change in any release. Games
/// call [`digest`](Self::digest) with the slots of their session.
///
/// A session calls `slots` once and `save` on every tick. After a misprediction it calls `load`, steps and saves again. If digests of
/// two machines differ, it compares their trees, then takes each differing page from one machine by `page` and compares it on the
/// other by `explain`.
///
/// ```
/// use isostep_core::{Tick, state::State};
/// #[derive(Clone, serde::Serialize)]
/// struct Game { round: u32, scores: Vec<u32> }
/// let mut game = Game { round: 1, scores: vec![0, 0] };
/// let mut slots = game.slots(8);
/// game.save(&mut slots, Tick(10))?;
/// game.scores[1] = 5;
/// game.save(&mut slots, Tick(11))?;
/// game.load(&mut slots, Tick(10))?;
/// assert_eq!(game.scores, [0, 0]);
///
/// // The state of another machine differs on that tick.
/// let mut other = Game { round: 1, scores: vec![0, 7] };
/// let mut theirs = other.slots(8);
/// other.save(&mut theirs, Tick(10))?;
/// assert_ne!(game.digest(&slots, Tick(10))?, other.digest(&theirs, Tick(10))?);
/// # Ok::<(), isostep_core::state::StateError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be saved and hashed as a state",
    note = "derive Clone and serde::Serialize for it; if it holds a World, derive isostep::State instead"
)]
pub trait State {
    /// Storage of past ticks outside of the state itself.
    type Slots;

    /// Creates storage for the newest `capacity` ticks, at least one. Pinned ticks are held in
    /// addition. Called once, before the first save.
    #[doc(hidden)]
    fn slots(&mut self, capacity: usize) -> Self::Slots;

    /// Checks that [`save`](Self::save) would succeed. A state of several parts checks all parts
    /// before it saves one.
    ///
    /// # Errors
    /// The error of [`save`](Self::save).
    #[doc(hidden)]
    fn ready(&self, slots: &Self::Slots, tick: Tick) -> Result<(), StateError> {
        let _ = (slots, tick);
        Ok(())
    }

    /// Checks that [`load`](Self::load) would succeed. A state of several parts checks all parts
    /// before it loads one.
    ///
    /// # Errors
    /// The error of [`load`](Self::load).
    #[doc(hidden)]
    fn holds(&self, slots: &Self::Slots, tick: Tick) -> Result<(), StateError> {
        let _ = (slots, tick);
        Ok(())
    }

    /// Saves the current state as that of `tick`. Drops the held states of this and later ticks,
    /// pinned or not. A pin on the tick itself stays and now holds the new state.
    ///
    /// # Errors
    /// If the state is not complete; the error names the missing action. The storage is then
    /// unchanged.
    #[doc(hidden)]
    fn save(&mut self, slots: &mut Self::Slots, tick: Tick) -> Result<(), StateError>;

    /// Loads the saved state of `tick`. Drops later ticks, pinned or not: they belong to the old
    /// timeline.
    ///
    /// # Errors
    /// If the tick is not held. The state is then unchanged.
    #[doc(hidden)]
    fn load(&mut self, slots: &mut Self::Slots, tick: Tick) -> Result<(), StateError>;

    /// Holds a tick beyond the ring until it is unpinned as often as it was pinned.
    ///
    /// # Errors
    /// If the tick is not held.
    #[doc(hidden)]
    fn pin(&mut self, slots: &mut Self::Slots, tick: Tick) -> Result<(), StateError>;

    /// Removes one pin. Returns `true` if there was one.
    #[doc(hidden)]
    fn unpin(&mut self, slots: &mut Self::Slots, tick: Tick) -> bool;

    /// Drops everything that can be recomputed (caches, step records, scratch), so that the next
    /// steps do not depend on it.
    #[doc(hidden)]
    fn drop_caches(&mut self, slots: &mut Self::Slots);

    /// The digest of a held tick. Equal on two machines if and only if the states are equal.
    ///
    /// # Errors
    /// If the tick is not held, or a value cannot be part of a digest (a float, a hash map). The
    /// error names the field.
    fn digest(&self, slots: &Self::Slots, tick: Tick) -> Result<Digest, StateError>;

    /// Adds the sections of this state to a tree. `name` is the path of the field that holds the
    /// state, empty at the top.
    ///
    /// # Errors
    /// As for [`digest`](Self::digest).
    #[doc(hidden)]
    fn tree(
        &self,
        slots: &Self::Slots,
        tick: Tick,
        name: &str,
        tree: &mut DigestTree,
    ) -> Result<(), StateError>;

    /// Appends the bytes of one page of one section, as input of [`explain`](Self::explain) on
    /// another machine. Appends nothing if the page does not exist. Returns `false` if the section
    /// does not belong to this state.
    ///
    /// # Errors
    /// As for [`digest`](Self::digest).
    #[doc(hidden)]
    fn page(
        &self,
        slots: &Self::Slots,
        tick: Tick,
        name: &str,
        section: &str,
        page: u32,
        out: &mut Vec<u8>,
    ) -> Result<bool, StateError>;

    /// Compares a page with the bytes of another machine and appends at most `limit` differences.
    /// The bytes may be untrusted. Returns `false` if the section does not belong to this state.
    ///
    /// # Errors
    /// As for [`digest`](Self::digest), and when the bytes are not a page.
    #[allow(
        clippy::too_many_arguments,
        reason = "every argument is required, and a struct would only rename them"
    )]
    #[doc(hidden)]
    fn explain(
        &self,
        slots: &Self::Slots,
        tick: Tick,
        name: &str,
        section: &str,
        page: u32,
        theirs: &[u8],
        limit: usize,
        out: &mut Vec<StateDifference>,
    ) -> Result<bool, StateError>;
}

#[doc(hidden)]
pub mod derived {
    //! Functions for code generated by `derive(State)`.
    pub use super::snapshot::{put_part, take_part};
    pub use super::value::{digest, explain, page, tree};
    pub use crate::Tick;
    pub use crate::digest::Digest;
    pub use crate::digest::tree::DigestTree;
    pub use serde::Serialize;

    // Generated code needs no `alloc` path with this alias.
    pub type Bytes = Vec<u8>;
    pub type Differences = Vec<super::StateDifference>;

    /// Appends a field to a path.
    pub fn join(name: &str, field: &str) -> String {
        if name.is_empty() { field.to_owned() } else { format!("{name}.{field}") }
    }
}
