//! Which pairs might touch: trees of boxes that only speed the search up. The pair set itself is a pure function
//! of the bounds and marks it is given, so the trees are scratch: never saved, never hashed.
//!
//! [`BroadPhase`] (pairs.rs) owns two [`Tree`]s (tree.rs), whose shape balance.rs looks after.

// Everything is there for the step, which is not written yet.
#![cfg_attr(not(test), allow(dead_code, unused_imports))]

mod balance;
mod pairs;
mod tree;

#[cfg(feature = "bench-internals")]
pub(crate) mod bench;
#[cfg(test)]
mod tests;

pub(crate) use pairs::{BroadPhase, Mobility, Proxy};
pub(crate) use tree::Tree;
