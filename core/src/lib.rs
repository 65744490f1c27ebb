//! The deterministic core of Isostep: numbers, containers and (as it grows) the world.
//!
//! Everything here is a pure function of its arguments: the same bits on every platform, in debug and
//! release, whatever the thread count. No floats inside, no hash maps, no clock.
//!
//! - [`math`]: fixed-point numbers, vectors, rotations.
//! - [`data`]: ids, slot map, sets, sorting, random numbers.

pub mod data;
pub mod math;

pub use data::{Id, Rng, SlotMap};
pub use math::{Quat, Real, Transform, Vec3};
