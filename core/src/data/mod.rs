//! Containers with deterministic order: the order depends only on the operations performed.
//!
//! | type | use |
//! | --- | --- |
//! | [`SlotMap`], [`IdPool`], [`Id`] | values with stable ids that never resolve to another value |
//! | [`BitSet`] | sets of small integers, iterated in order, skipping empty ranges |
//! | [`UnionFind`] | disjoint groups, each named by its least member |
//! | [`Tournament`] | the largest of many keys that change one at a time |
//! | [`FixedVec`] | a short inline list with a canonical tail |
//! | [`Rng`] | random numbers as a function of seed, tick, entity and purpose |
//! | [`sort_by_key`] | a stable sort by integer keys that allocates nothing |
//!
//! Saved or hashed indices are `u32`; `usize` is used only internally.

mod bit_set;
mod fixed_vec;
mod id;
mod rng;
mod slot_map;
mod sort;
mod tournament;
mod union_find;

pub use bit_set::{BitSet, Iter as BitSetIter};
pub use fixed_vec::{CapacityExceeded, FixedVec};
pub use id::{Id, IdPool, InvalidId, InvalidPool, PoolFull};
pub use rng::{EmptyRange, Rng};
pub use slot_map::{Iter as SlotMapIter, IterMut as SlotMapIterMut, SlotMap};
pub use sort::sort_by_key;
pub use tournament::Tournament;
pub use union_find::UnionFind;
