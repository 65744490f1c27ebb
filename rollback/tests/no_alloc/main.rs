//! Tests that count allocations: once warm, sessions, the simulated network and presentation allocate nothing. A binary of its
//! own, since it installs a global allocator.

#[allow(dead_code, reason = "only the constants are needed here")]
#[path = "../presentation/common.rs"]
mod common;
#[path = "../../../core/tests/no_alloc/counting.rs"]
mod counting;
mod presentation;
mod sessions;
mod sim_network;
