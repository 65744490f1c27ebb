//! Owns what is said of a state: digests, explanations, snapshots.

mod digests;
mod explain;
mod rich;
mod snapshots;
