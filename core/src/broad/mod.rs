//! Which pairs might touch: trees of boxes that only speed the search up. The pair set itself is a pure function
//! of the bounds and marks it is given, so trees and candidates are scratch: never saved, never hashed.
//!
//! [`BroadPhase`] (pairs.rs) keeps candidates among things (things.rs), which stand in two [`Tree`]s (tree.rs), whose
//! shape balance.rs looks after.

mod balance;
mod pairs;
mod things;
mod tree;

#[cfg(feature = "bench-internals")]
pub(crate) mod bench;
#[cfg(test)]
mod tests;

pub(crate) use pairs::BroadPhase;
pub(crate) use things::{Mobility, Proxy};
#[cfg(test)]
pub(crate) use tree::Tree;
