//! Goldens: results that must come out the same on every target, in debug and release.
//!
//! `cargo run -p isostep-determinism-tests -- numbers` (or `scenes`, or `replay`) computes them here and compares them with
//! the committed files; `--mint` writes these anew (see DETERMINISM.md for when that is right). The scenes themselves, and their
//! goldens, are in `isostep-scenes`.

pub mod faults;
pub mod numbers;
pub mod recording;
pub mod smoothness;
