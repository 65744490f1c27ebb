//! Snapshots: a held tick as bytes for files, and a state from such bytes. Recordings use them as
//! keyframes for seeking.
//!
//! Values are encoded with postcard, which is specified and the same everywhere. A world has its
//! own snapshot format. A struct of parts writes each part behind its length (`derive(Snapshot)`).

use super::{State, StateError};
use crate::Tick;
use crate::world::{SnapshotError, World};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Error of restoring a state. The state may already contain some of the bytes: restore another
/// snapshot, or discard the state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The bytes are not a value of the type.
    #[error(
        "the value cannot be read ({0}); was the snapshot written by another version of the game?"
    )]
    Value(String),
    /// Bytes follow the value.
    #[error(
        "{extra} bytes follow the value; was the snapshot written by another version of the game?"
    )]
    Trailing {
        /// The number of extra bytes.
        extra: usize,
    },
    /// The bytes end before the last part.
    #[error(
        "the snapshot ends before its last part; was it written by another version of the game?"
    )]
    Truncated,
    /// The bytes are not a snapshot of a world.
    #[error(transparent)]
    World(#[from] SnapshotError),
}

/// A state that can be written to a file and read back. Recordings require it; sessions do not.
///
/// Values that are `Clone + Serialize + DeserializeOwned` implement it, and so does [`World`]. A
/// struct of such parts derives it beside [`State`].
///
/// ```
/// use isostep_core::{Tick, state::{Snapshot, State}};
/// #[derive(Clone, serde::Serialize, serde::Deserialize)]
/// struct Game { scores: Vec<u32> }
/// let mut game = Game { scores: vec![300, 5] };
/// let mut slots = game.slots(8);
/// game.save(&mut slots, Tick(10))?;
/// let mut bytes = Vec::new();
/// game.snapshot(&slots, Tick(10), &mut bytes)?;
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
    /// Appends a snapshot of a held tick.
    ///
    /// # Errors
    /// If the tick is not held.
    fn snapshot(
        &self,
        slots: &Self::Slots,
        tick: Tick,
        out: &mut Vec<u8>,
    ) -> Result<(), StateError>;

    /// Restores a snapshot. Earlier saves are invalid afterwards: create new
    /// [`slots`](State::slots).
    ///
    /// # Errors
    /// If the bytes are not a snapshot of such a state.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError>;
}

impl<T: Clone + Serialize + DeserializeOwned> Snapshot for T {
    fn snapshot(
        &self,
        slots: &Self::Slots,
        tick: Tick,
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
        tick: Tick,
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
/// If the tick is not held.
pub fn put_part<T: Snapshot>(
    part: &T,
    slots: &T::Slots,
    tick: Tick,
    out: &mut Vec<u8>,
) -> Result<(), StateError> {
    let start = out.len();
    out.extend([0; 4]);
    part.snapshot(slots, tick, out)?;
    let length = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    Ok(())
}

/// Restores a part from the front of the bytes and advances past it.
///
/// # Errors
/// If the part is missing or invalid.
pub fn take_part<T: Snapshot>(part: &mut T, bytes: &mut &[u8]) -> Result<(), RestoreError> {
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or(RestoreError::Truncated)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (own, rest) = rest.split_at_checked(length).ok_or(RestoreError::Truncated)?;
    part.restore(own)?;
    *bytes = rest;
    Ok(())
}
