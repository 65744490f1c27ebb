//! Every integration test of the crate in one binary, so that the crate and its dependencies are linked once. Tests that
//! count allocations install a global allocator (`no_alloc/`), one measures the memory of its process (`replay_hour.rs`), and
//! those of the adapter to ggrs need its feature (`ggrs/`): binaries of their own.

mod check;
mod commands;
mod feel;
mod fuzzed;
mod input;
mod presentation;
mod replay;
mod session;
mod sim_network;
