//! Every integration test of the crate in one binary, so that the crate and its dependencies are linked once. Tests that
//! count allocations install a global allocator and are a binary of their own (`no_alloc/`).

mod containers;
mod debug_draw;
mod digest_differences;
mod digest_trees;
mod digests;
mod functions;
#[path = "../../fuzz/src/worlds.rs"]
#[allow(dead_code, unreachable_pub, reason = "a library of its own; the fuzz targets use the rest")]
mod fuzz;
mod history;
mod hostile_input;
mod islands;
mod lanes;
mod oracle;
mod packing;
mod quality;
mod queries;
mod real;
mod resim;
mod rng;
mod rng_statistics;
mod scene_goldens;
mod sets_and_sorts;
mod solo;
mod state;
mod text;
mod threads;
mod vectors;
mod world_history;
mod world_state;
