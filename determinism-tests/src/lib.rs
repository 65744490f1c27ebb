//! Goldens: results that must come out the same on every target, in debug and release.
//!
//! `cargo run -p isostep-determinism-tests -- numbers` (or `scenes`, or `replay`) computes them here and compares them with
//! the committed file; `--mint` writes that file anew (see DETERMINISM.md for when that is right).

pub mod games;
mod golden;
pub mod numbers;
pub mod recording;
pub mod scenes;
pub mod smoothness;
pub mod worlds;

pub use golden::{Difference, Golden, Line, ParseGoldenError};
