//! Digests, explanations and snapshots of a state.

mod digests;
mod explain;
mod joints;
#[cfg(feature = "test-internals")]
mod lists;
pub(crate) mod rich;
mod snapshots;
