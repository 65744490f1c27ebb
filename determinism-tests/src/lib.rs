//! Goldens: results that must be equal on every target, in debug and release builds.
//!
//! `cargo run -p isostep-determinism-tests -- numbers` (or `scenes`, or `replay`) computes them and
//! compares them with the committed files; `--mint` rewrites the files (DETERMINISM.md says when
//! that is allowed). The scenes themselves, and their goldens, are in `isostep-scenes`.

pub mod faults;
pub mod numbers;
pub mod recording;
pub mod smoothness;
