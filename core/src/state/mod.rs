//! State that can be saved, loaded, named and compared by tick: what a rollback session asks of a game. Nothing here steps.
//!
//! - `value.rs`: any value that is `Clone + Serialize`, in a ring of copies.
//! - `leaves.rs`: a page of such a value as bytes, and what differs from another machine's.
//! - `snapshot.rs`: a held tick as bytes, and a state from them.
//! - `world.rs`: a [`World`](crate::world::World), which holds its own ticks.
//! - `error.rs`: what can go wrong, and how a difference reads.
//!
//! A struct of several such parts derives the trait (`isostep::State`).

mod error;
mod leaves;
mod snapshot;
mod value;
mod world;

pub use error::{StateDifference, StateError};
pub use snapshot::{RestoreError, Snapshot};
pub use world::WorldSlots;

use crate::digest::{Digest, DigestTree};

/// A state that a session saves, loads, names and compares.
///
/// Nobody calls this but a session. A game has it for nothing: values that are `Clone + Serialize` are states, a
/// [`World`](crate::world::World) is one, and a struct of states derives it.
///
/// - **Set up**: [`slots`](Self::slots), once.
/// - **Every tick**: [`save`](Self::save); after a wrong guess [`load`](Self::load), and steps and saves again.
/// - **Keep**: [`pin`](Self::pin), [`unpin`](Self::unpin).
/// - **Compare**: [`digest`](Self::digest) on every machine; where they differ [`tree`](Self::tree), then of a page that
///   differs [`page`](Self::page) on one machine and [`explain`](Self::explain) on the other.
///
/// ```
/// use isostep_core::state::State;
/// #[derive(Clone, serde::Serialize)]
/// struct Game { round: u32, scores: Vec<u32> }
/// let mut game = Game { round: 1, scores: vec![0, 0] };
/// let mut slots = game.slots(8);
/// game.save(&mut slots, 10)?;
/// game.scores[1] = 5;
/// game.save(&mut slots, 11)?;
/// game.load(&mut slots, 10)?;
/// assert_eq!(game.scores, [0, 0]);
///
/// // Another machine has something else on that tick.
/// let mut other = Game { round: 1, scores: vec![0, 7] };
/// let mut theirs = other.slots(8);
/// other.save(&mut theirs, 10)?;
/// assert_ne!(game.digest(&slots, 10)?, other.digest(&theirs, 10)?);
/// let (mut bytes, mut found) = (Vec::new(), Vec::new());
/// other.page(&theirs, 10, "", "state", 1, &mut bytes)?;
/// game.explain(&slots, 10, "", "state", 1, &bytes, 8, &mut found)?;
/// assert_eq!(found[0].to_string(), "scores, [1]: 0 here, 7 there");
/// # Ok::<(), isostep_core::state::StateError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no state that can be saved and hashed",
    note = "derive Clone and serde::Serialize for it; if it holds a World, derive isostep::State instead"
)]
pub trait State {
    /// Where the states of past ticks are kept when not inside the state itself. Lives beside the state.
    type Slots;

    /// Room for the last `capacity` ticks, at least one; pinned ones come on top. Called once, before the first save.
    fn slots(&mut self, capacity: usize) -> Self::Slots;

    /// Whether the state can be saved as that of a tick. A state of several parts asks all of them before it saves one.
    ///
    /// # Errors
    /// What [`save`](Self::save) would answer.
    fn ready(&self, slots: &Self::Slots, tick: u32) -> Result<(), StateError> {
        let _ = (slots, tick);
        Ok(())
    }

    /// Whether a tick can be loaded. A state of several parts asks all of them before it loads one.
    ///
    /// # Errors
    /// What [`load`](Self::load) would answer.
    fn holds(&self, slots: &Self::Slots, tick: u32) -> Result<(), StateError> {
        let _ = (slots, tick);
        Ok(())
    }

    /// Keeps the present state as that of `tick`; what was held of it and later ticks is dropped, pinned or not. A pin on
    /// the tick itself stays and now holds the new state.
    ///
    /// # Errors
    /// When the state is not complete; it says what to finish. Nothing changed then.
    fn save(&mut self, slots: &mut Self::Slots, tick: u32) -> Result<(), StateError>;

    /// Becomes the state that was saved of `tick`. Later ticks are dropped, pinned or not: they belong to a future that
    /// may not come.
    ///
    /// # Errors
    /// When the tick is not held. The state stays as it was.
    fn load(&mut self, slots: &mut Self::Slots, tick: u32) -> Result<(), StateError>;

    /// Holds a tick beyond the last ones until it is unpinned as often as it was pinned.
    ///
    /// # Errors
    /// When the tick is not held.
    fn pin(&mut self, slots: &mut Self::Slots, tick: u32) -> Result<(), StateError>;

    /// Takes one pin back; returns whether there was one.
    fn unpin(&mut self, slots: &mut Self::Slots, tick: u32) -> bool;

    /// Forgets everything that can be computed again (caches, step record, scratch), so that the next steps owe nothing to it.
    fn drop_caches(&mut self, slots: &mut Self::Slots);

    /// The digest of a held tick: equal on two machines if and only if the states are.
    ///
    /// # Errors
    /// When the tick is not held, or a value can't take part in digests (a float, a hash map); it names the field.
    fn digest(&self, slots: &Self::Slots, tick: u32) -> Result<Digest, StateError>;

    /// Adds this state's sections to a tree; `name` is the field it is in, empty at the top.
    ///
    /// # Errors
    /// As for [`digest`](Self::digest).
    fn tree(
        &self,
        slots: &Self::Slots,
        tick: u32,
        name: &str,
        tree: &mut DigestTree,
    ) -> Result<(), StateError>;

    /// Appends the bytes of one page of one section, as [`explain`](Self::explain) of another machine wants them; none for
    /// a page that is not there. A section that is not ours: nothing is written, `false`.
    ///
    /// # Errors
    /// As for [`digest`](Self::digest).
    fn page(
        &self,
        slots: &Self::Slots,
        tick: u32,
        name: &str,
        section: &str,
        page: u32,
        out: &mut Vec<u8>,
    ) -> Result<bool, StateError>;

    /// How a page differs from what another machine sent of it (bytes from anywhere are fine); at most `limit` differences
    /// are appended. A section that is not ours: `false`.
    ///
    /// # Errors
    /// As for [`digest`](Self::digest), and when the bytes are not a page.
    #[allow(
        clippy::too_many_arguments,
        reason = "where, what and how much: none of them is optional"
    )]
    fn explain(
        &self,
        slots: &Self::Slots,
        tick: u32,
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
    //! What the code that `derive(State)` writes calls.
    pub use super::snapshot::{put_part, take_part};
    pub use super::value::{digest, explain, page, tree};
    pub use crate::digest::{Digest, DigestTree};
    pub use serde::Serialize;

    // So that the code it writes needs no `alloc` by name.
    pub type Bytes = Vec<u8>;
    pub type Differences = Vec<super::StateDifference>;

    /// The name of a field inside another name.
    pub fn join(name: &str, field: &str) -> String {
        if name.is_empty() { field.to_owned() } else { format!("{name}.{field}") }
    }
}
