//! A held tick as bytes for files, and a state from such bytes: what a recording keeps to seek to.
//!
//! Values go through postcard, whose encoding is specified and the same everywhere; a world through its own snapshot. A
//! struct of parts writes each behind its length (`derive(Snapshot)`).

use super::{State, StateError};
use crate::world::{SnapshotError, World};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Why bytes are not a state of this type. The state may hold some of them already: restore another, or throw it away.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// A value's bytes are not one of its type.
    #[error("the value can't be read ({0}); was it written by another version of the game?")]
    Value(String),
    /// Bytes follow the value.
    #[error("{extra} bytes follow the value; was it written by another version of the game?")]
    Trailing {
        /// How many.
        extra: usize,
    },
    /// The bytes end before the last part.
    #[error(
        "the snapshot ends before its last part; was it written by another version of the game?"
    )]
    Truncated,
    /// The bytes of a world are not one.
    #[error(transparent)]
    World(#[from] SnapshotError),
}

/// A state that can be written to a file and read from it. Recordings ask for it; sessions do not.
///
/// Values that are `Clone + Serialize + DeserializeOwned` have it, and so has a [`World`]; a struct of such parts derives it
/// beside [`State`].
///
/// ```
/// use isostep_core::state::{Snapshot, State};
/// #[derive(Clone, serde::Serialize, serde::Deserialize)]
/// struct Game { scores: Vec<u32> }
/// let mut game = Game { scores: vec![300, 5] };
/// let mut slots = game.slots(8);
/// game.save(&mut slots, 10)?;
/// let mut bytes = Vec::new();
/// game.snapshot(&slots, 10, &mut bytes)?;
/// assert_eq!(bytes, [2, 0xac, 2, 5]);
/// let mut other = Game { scores: Vec::new() };
/// other.restore(&bytes)?;
/// assert_eq!(other.scores, [300, 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be written to a recording",
    note = "derive serde::Deserialize beside Clone and Serialize; if it holds a World, derive isostep::Snapshot beside State"
)]
pub trait Snapshot: State {
    /// Appends a held tick.
    ///
    /// # Errors
    /// When the tick is not held.
    fn snapshot(&self, slots: &Self::Slots, tick: u32, out: &mut Vec<u8>)
    -> Result<(), StateError>;

    /// Becomes what was written. Nothing that was saved before holds any more: make new [`slots`](State::slots).
    ///
    /// # Errors
    /// When the bytes are no such state.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError>;
}

impl<T: Clone + Serialize + DeserializeOwned> Snapshot for T {
    fn snapshot(
        &self,
        slots: &Self::Slots,
        tick: u32,
        out: &mut Vec<u8>,
    ) -> Result<(), StateError> {
        let written = postcard::to_extend(slots.get(tick)?, core::mem::take(out));
        *out = written.map_err(|error| StateError::Unwritable(error.to_string()))?;
        Ok(())
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let read = postcard::take_from_bytes(bytes);
        let (value, rest) = read.map_err(|error| RestoreError::Value(error.to_string()))?;
        if !rest.is_empty() {
            return Err(RestoreError::Trailing { extra: rest.len() });
        }
        *self = value;
        Ok(())
    }
}

impl Snapshot for World {
    fn snapshot(
        &self,
        slots: &Self::Slots,
        tick: u32,
        out: &mut Vec<u8>,
    ) -> Result<(), StateError> {
        let world_tick = slots.world_tick(self, tick)?;
        out.extend(World::snapshot(self, world_tick, None)?);
        Ok(())
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        Ok(World::restore(self, bytes)?)
    }
}

/// Appends a part of a struct behind its length.
///
/// # Errors
/// When the tick is not held.
pub fn put_part<T: Snapshot>(
    part: &T,
    slots: &T::Slots,
    tick: u32,
    out: &mut Vec<u8>,
) -> Result<(), StateError> {
    let start = out.len();
    out.extend([0; 4]);
    part.snapshot(slots, tick, out)?;
    let length = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    Ok(())
}

/// Restores a part from the front of the bytes and moves on behind it.
///
/// # Errors
/// When it is not there, or not one.
pub fn take_part<T: Snapshot>(part: &mut T, bytes: &mut &[u8]) -> Result<(), RestoreError> {
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or(RestoreError::Truncated)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (own, rest) = rest.split_at_checked(length).ok_or(RestoreError::Truncated)?;
    part.restore(own)?;
    *bytes = rest;
    Ok(())
}
