//! Containers whose order is a function of what was done to them, and of nothing else.
//!
//! | type | what it is for |
//! | --- | --- |
//! | [`SlotMap`], [`IdPool`], [`Id`] | things that come and go, named by ids that never lie |
//! | [`BitSet`] | sets of small integers, walked in order, skipping what is empty |
//! | [`UnionFind`] | groups, each named by its least member |
//! | [`Tournament`] | the largest of many keys that change one at a time |
//! | [`FixedVec`] | a few plain values inside a row, with a canonical tail |
//! | [`Rng`] | chance as a function of seed, tick, entity and purpose |
//! | [`sort_by_key`] | a stable sort by integer keys that allocates nothing |
//!
//! Indices that are saved or hashed are `u32`; `usize` stays inside.

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
