//! The deterministic core of Isostep: fixed-point math, containers and the physics world.
//!
//! Every function depends only on its arguments: the same bits on every platform, in debug and
//! release builds, with any thread count. It uses no floats, no hash maps and no clock.
//!
//! - [`math`]: fixed-point numbers, vectors, rotations.
//! - [`world`]: bodies, contacts, steps and rollback; [`shape`]: collision shapes and mass.
//! - [`data`]: ids, slot map, sets, sorting, random numbers.
//! - [`digest`]: digests of states, and the location of differences; [`pack`]: compressed states.
//! - [`parallel`]: worker threads with results independent of their number.
//! - [`History`]: a game's own state by tick; [`state`]: the interface between a state and a
//!   rollback session.

mod broad;
mod collide;
pub mod data;
pub mod digest;
mod history;
pub mod math;
pub mod pack;
pub mod parallel;
pub mod shape;
pub mod state;
mod step;
pub mod world;

#[cfg(feature = "test-internals")]
#[doc(hidden)]
pub mod test_internals {
    //! Fault injection, for tests that must detect a broken rule.
    pub use crate::step::{Fault, Rule};
}

#[cfg(feature = "bench-internals")]
#[doc(hidden)]
pub mod bench_internals {
    //! Crate-private parts for benches.
    pub use crate::broad::bench::Broad;
}

pub use data::{Id, Rng, SlotMap};
pub use history::{History, HistoryError};
pub use math::{Quat, Real, Transform, Vec3};
pub use state::State;
pub use step::{Lanes, Phase, StepReport};
