//! Goldens: results that must come out the same on every target, in debug and release.
//!
//! `cargo run -p isostep-determinism-tests -- numbers` (or `scenes`, or `replay`) computes them here and compares them with
//! the committed files; `--mint` writes these anew (see DETERMINISM.md for when that is right).

pub mod games;
mod golden;
pub mod matrix;
pub mod numbers;
pub mod planted;
pub mod recording;
pub mod scene_golden;
pub mod scenes;
pub mod smoothness;

pub use golden::{Difference, Golden, Line, ParseGoldenError};
