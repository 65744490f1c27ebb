//! Ids and the pool that allocates them.
//!
//! The whole state of a pool is its list of generations. The next id always takes the lowest free
//! index, so no free list has to be saved, hashed or kept in order through a rollback.

use super::BitSet;
use core::fmt;
use core::num::NonZeroU32;
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// An index with a generation. The generation distinguishes the id from earlier and later ids with
/// the same index.
///
/// Ids are opaque: only the [`IdPool`] or [`SlotMap`](super::SlotMap) that allocated an id can
/// resolve it. Ids order by index, then by generation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Id {
    index: u32,
    /// Odd for every id: the generation of a slot increments on allocation and on release.
    generation: NonZeroU32,
}

/// Error of decoding an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:#x} is not an id: its generation is even; pass bits from `Id::to_bits`")]
pub struct InvalidId(pub u64);

impl Id {
    /// The index. It is small, and may be reused after the id is freed.
    #[inline]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// The id as one number, generation above index. Snapshots and digests contain this number.
    #[inline]
    pub const fn to_bits(self) -> u64 {
        (self.generation.get() as u64) << 32 | self.index as u64
    }

    /// The id with these bits.
    ///
    /// # Errors
    /// If the generation is even; ids have odd generations.
    pub const fn from_bits(bits: u64) -> Result<Self, InvalidId> {
        match NonZeroU32::new((bits >> 32) as u32) {
            Some(generation) if generation.get() % 2 == 1 => {
                Ok(Self { index: bits as u32, generation })
            }
            _ => Err(InvalidId(bits)),
        }
    }
}

impl TryFrom<u64> for Id {
    type Error = InvalidId;
    fn try_from(bits: u64) -> Result<Self, InvalidId> {
        Self::from_bits(bits)
    }
}

impl From<Id> for u64 {
    fn from(id: Id) -> Self {
        id.to_bits()
    }
}

/// Index and use count of the index, like `7v1`.
impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.index, self.generation.get().div_ceil(2))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Error of allocating from a pool whose indices are all in use or retired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the pool of ids {first} to {last} is full; free some ids or create the pool with a wider range"
)]
pub struct PoolFull {
    /// The least index of the pool.
    pub first: u32,
    /// The greatest index of the pool.
    pub last: u32,
}

/// Error of claiming an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClaimError {
    /// This live id has the index.
    Taken(Id),
    /// The id, or a later one with the same index, was in use before.
    Used,
    /// The index is outside the range, or the generation is never used.
    OutOfRange,
}

/// Error of decoding a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidPool {
    /// The range holds no index.
    #[error("the range of ids {first}..{end} is empty; its end must be above its start")]
    EmptyRange {
        /// Start of the range.
        first: u32,
        /// End of the range, not included.
        end: u32,
    },
    /// There are more generations than the range has indices.
    #[error(
        "{slots} slots do not fit the range of ids {first}..{end}; the saved pool is damaged or from another version"
    )]
    TooManySlots {
        /// Slots found.
        slots: u32,
        /// Start of the range.
        first: u32,
        /// End of the range, not included.
        end: u32,
    },
    /// A generation that no sequence of calls produces.
    #[error(
        "slot {index} has the impossible generation {generation}; the saved pool is damaged or from another version"
    )]
    Generation {
        /// The slot's index.
        index: u32,
        /// Its generation.
        generation: u32,
    },
}

/// Generation of a retired slot. The next use would need a generation that could later repeat.
const RETIRED: u32 = u32::MAX - 1;

/// Allocates ids from a range of indices.
///
/// - A new id takes the lowest index that is free.
/// - A freed index returns with the next generation, so old ids stay stale.
/// - After 2³¹ − 1 uses an index retires instead of repeating an id.
///
/// Give independent sources (players, systems) pools with separate ranges. An extra spawn of one
/// source then does not change the ids of another.
///
/// ```
/// use isostep_core::internals::IdPool;
/// let mut bullets = IdPool::in_range(1000..2000)?;
/// let first = bullets.allocate()?;
/// assert!(bullets.free(first));
/// let second = bullets.allocate()?;
/// assert_eq!((first.index(), second.index()), (1000, 1000));
/// assert!(bullets.is_live(second) && !bullets.is_live(first));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct IdPool {
    first: u32,
    end: u32,
    /// Generation of each slot used so far: odd while taken, even while free.
    generations: Vec<u32>,
    /// Slots that are free and not retired. Derived from `generations`.
    free: BitSet,
    /// The number of odd generations. Derived from `generations`.
    live: u32,
}

/// The saved fields of a pool.
#[derive(Serialize, Deserialize)]
struct Saved {
    first: u32,
    end: u32,
    generations: Vec<u32>,
}

impl Default for IdPool {
    fn default() -> Self {
        Self::new()
    }
}

impl IdPool {
    /// A pool of all indices except the greatest.
    pub const fn new() -> Self {
        Self { first: 0, end: u32::MAX, generations: Vec::new(), free: BitSet::new(), live: 0 }
    }

    /// A pool of the indices in `range`.
    ///
    /// # Errors
    /// If the range is empty.
    pub const fn in_range(range: Range<u32>) -> Result<Self, InvalidPool> {
        let Range { start: first, end } = range;
        if first >= end {
            return Err(InvalidPool::EmptyRange { first, end });
        }
        Ok(Self { first, end, generations: Vec::new(), free: BitSet::new(), live: 0 })
    }

    /// Builds a pool from a range and its generations.
    ///
    /// # Errors
    /// If no sequence of calls produces these generations.
    pub(crate) fn with_generations(
        range: Range<u32>,
        generations: Vec<u32>,
    ) -> Result<Self, InvalidPool> {
        Self::from_saved(Saved { first: range.start, end: range.end, generations }, true)
    }

    /// Builds a pool. With `gaps`, indices below a claimed one need not have been in use.
    fn from_saved(
        Saved { first, end, generations }: Saved,
        gaps: bool,
    ) -> Result<Self, InvalidPool> {
        let mut pool = Self::in_range(first..end)?;
        if generations.len() > (end - first) as usize {
            let slots = u32::try_from(generations.len()).unwrap_or(u32::MAX);
            return Err(InvalidPool::TooManySlots { slots, first, end });
        }
        for (slot, &generation) in (0..).zip(&generations) {
            // A slot exists from its first use on, and its last use ends in retirement.
            let gap = gaps && slot as usize + 1 < generations.len();
            if generation == 0 && !gap || generation == u32::MAX {
                return Err(InvalidPool::Generation { index: first + slot, generation });
            }
            if generation % 2 == 1 {
                pool.live += 1;
            } else if generation != RETIRED {
                pool.free.insert(slot);
            }
        }
        pool.free.reserve(generations.len() as u32);
        pool.generations = generations;
        Ok(pool)
    }

    /// Allocates the lowest free index.
    ///
    /// # Errors
    /// If every index of the range is in use or retired.
    pub fn allocate(&mut self) -> Result<Id, PoolFull> {
        let slot = if let Some(slot) = self.free.first() {
            self.free.remove(slot);
            slot
        } else {
            let slot = self.generations.len() as u32;
            if slot == self.end - self.first {
                return Err(PoolFull { first: self.first, last: self.end - 1 });
            }
            self.generations.push(0);
            // Reserves the slot's bit now, so that `free` never allocates.
            self.free.reserve(slot + 1);
            slot
        };
        let generation = &mut self.generations[slot as usize];
        let taken = NonZeroU32::MIN.saturating_add(*generation);
        *generation = taken.get();
        self.live += 1;
        Ok(Id { index: self.first + slot, generation: taken })
    }

    /// Checks whether [`claim`](Self::claim) accepts an id.
    ///
    /// # Errors
    /// If the index is in use or outside the range, or the id was in use before.
    pub(crate) fn check_claim(&self, id: Id) -> Result<(), ClaimError> {
        if !self.range().contains(&id.index) || id.generation.get() > RETIRED {
            return Err(ClaimError::OutOfRange);
        }
        if let Some(live) = self.at(id.index) {
            return Err(ClaimError::Taken(live));
        }
        let used = self.generations.get((id.index - self.first) as usize);
        if used.is_some_and(|used| *used > id.generation.get()) {
            return Err(ClaimError::Used);
        }
        Ok(())
    }

    /// Allocates a given id. Lower indices that were never in use become free.
    ///
    /// # Errors
    /// As for [`check_claim`](Self::check_claim). The pool is unchanged.
    pub(crate) fn claim(&mut self, id: Id) -> Result<(), ClaimError> {
        self.check_claim(id)?;
        let slot = id.index - self.first;
        for free in self.generations.len() as u32..slot {
            self.free.insert(free);
        }
        if self.generations.len() <= slot as usize {
            self.generations.resize(slot as usize + 1, 0);
            self.free.reserve(slot + 1);
        }
        self.free.remove(slot);
        self.generations[slot as usize] = id.generation.get();
        self.live += 1;
        Ok(())
    }

    /// Frees an id. Returns `true` if it was live.
    pub fn free(&mut self, id: Id) -> bool {
        if !self.is_live(id) {
            return false;
        }
        let slot = id.index - self.first;
        let generation = &mut self.generations[slot as usize];
        *generation += 1;
        self.live -= 1;
        if *generation != RETIRED {
            self.free.insert(slot);
        }
        true
    }

    /// Returns `true` if the id was allocated and not freed.
    #[inline]
    pub fn is_live(&self, id: Id) -> bool {
        id.index
            .checked_sub(self.first)
            .and_then(|slot| self.generations.get(slot as usize))
            .is_some_and(|generation| *generation == id.generation.get())
    }

    /// The live id with this index.
    #[inline]
    pub fn at(&self, index: u32) -> Option<Id> {
        let slot = index.checked_sub(self.first)?;
        let generation = *self.generations.get(slot as usize)?;
        (generation % 2 == 1)
            .then(|| NonZeroU32::new(generation))
            .flatten()
            .map(|generation| Id { index, generation })
    }

    /// The live ids in the order of their indices.
    pub fn iter(&self) -> impl Iterator<Item = Id> + '_ {
        (0..self.generations.len() as u32).filter_map(|slot| self.at(self.first + slot))
    }

    /// The number of live ids.
    pub const fn len(&self) -> u32 {
        self.live
    }

    /// Returns `true` if no id is live.
    pub const fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// The range of indices.
    pub const fn range(&self) -> Range<u32> {
        self.first..self.end
    }

    /// The generations of all slots used so far. With the range they are the whole state.
    pub fn generations(&self) -> &[u32] {
        &self.generations
    }
}

impl TryFrom<Saved> for IdPool {
    type Error = InvalidPool;
    fn try_from(saved: Saved) -> Result<Self, InvalidPool> {
        Self::from_saved(saved, false)
    }
}

impl From<IdPool> for Saved {
    fn from(pool: IdPool) -> Self {
        Self { first: pool.first, end: pool.end, generations: pool.generations }
    }
}
