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
//! Saved or hashed indices are `u32`, inside the crate with a type for each index space (`index.rs`); `usize` is used only internally.

pub(crate) mod bit_set;
pub(crate) mod fixed_vec;
pub(crate) mod id;
pub(crate) mod index;
mod index_pairs;
mod rng;
mod slot_map;
pub(crate) mod sort;
pub(crate) mod tournament;
pub(crate) mod union_find;

pub(crate) use bit_set::BitSet;
pub(crate) use fixed_vec::FixedVec;
pub(crate) use id::{ClaimError, IdPool, PoolFull};
pub use id::{Id, InvalidId};
pub(crate) use index::{Column, IndexSet, Optional, TypedIndex};
pub(crate) use index_pairs::{IndexPairs, PairBuffers};
pub use rng::{EmptyRange, Rng};
pub use slot_map::SlotMap;
pub(crate) use sort::sort_by_key;
pub(crate) use tournament::Tournament;
pub(crate) use union_find::UnionFind;
