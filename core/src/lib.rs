//! The deterministic core of Isostep: numbers, containers and (as it grows) the world.
//!
//! Everything here is a pure function of its arguments: the same bits on every platform, in debug and
//! release, whatever the thread count. No floats inside, no hash maps, no clock.
//!
//! - [`math`]: fixed-point numbers, vectors, rotations.
//! - [`world`]: bodies that collide and rest; [`shape`]: what they are made of.
//! - [`data`]: ids, slot map, sets, sorting, random numbers.
//! - [`digest`]: names for states, and where two of them part; [`pack`]: states as few bytes.
//! - [`parallel`]: threads whose number never shows.
//! - [`History`]: a game's own state by tick; [`state`]: any state as a rollback session sees it.

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
    //! Rules broken on purpose, for the tests that must notice.
    pub use crate::step::{Fault, Rule};
}

#[cfg(feature = "bench-internals")]
#[doc(hidden)]
pub mod bench_internals {
    //! Crate-private parts for our own benches.
    pub use crate::broad::bench::Broad;
}

pub use data::{Id, Rng, SlotMap};
pub use history::{History, HistoryError};
pub use math::{Quat, Real, Transform, Vec3};
pub use state::State;
pub use step::{Lanes, Phase, StepReport};
