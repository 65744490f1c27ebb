//! Every integration test of the crate in one binary, so that the crate and its dependencies are linked once. Binaries of their
//! own: `no_alloc.rs` and `flood_memory.rs` install a global allocator, `processes/` starts itself again as a player and is
//! also built optimised, `transports/` is also built with other features.

mod crypto;
mod digests;
mod endpoint;
mod fuzz_checks;
mod messages_after_close;
mod peer;
