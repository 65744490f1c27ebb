//! Owns what is said of a state: digests, explanations, snapshots.

mod digests;
mod explain;
#[path = "../../../fuzz/src/worlds.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "the fuzz targets' own functions; some are for other tests"
)]
mod fuzz;
mod rich;
mod snapshots;
