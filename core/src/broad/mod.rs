//! Broad phase: finds pair candidates with trees of boxes. The pair set is a pure function of the
//! bounds and active marks; trees and candidates are scratch, never saved and never hashed.
//!
//! [`BroadPhase`] (pairs.rs) keeps pair candidates among proxies (proxies.rs). The proxies are in
//! three [`Tree`]s (tree.rs), balanced by balance.rs: fixed ones, mobile ones and sensors. Queries
//! search them through a [`Region`] (visit.rs).

mod balance;
mod pairs;
mod proxies;
mod tree;
mod visit;

#[cfg(feature = "bench-internals")]
pub(crate) mod bench;
#[cfg(test)]
mod tests;

pub(crate) use pairs::BroadPhase;
pub(crate) use proxies::{Mobility, Proxy};
#[cfg(test)]
pub(crate) use tree::Tree;
pub(crate) use visit::Region;
