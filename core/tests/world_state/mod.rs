//! Digests, explanations and snapshots of a state.

mod digests;
mod explain;
mod rich;
mod snapshots;
