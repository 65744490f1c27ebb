//! Scenes and games that goldens, benches, the command and examples share, and their results on every target.
//!
//! - [`scenes`]: worlds with exact parameters; [`games`]: whole games with inputs, bots and rules.
//! - [`scene_golden`]: committed digests of each scene; [`Golden`]: committed digests of anything else.
//! - [`matrix`]: every scene on every path that a target supports, compared with those digests.

#[doc(hidden)]
pub mod floats;
pub mod games;
mod golden;
pub mod matrix;
pub mod scene_golden;
pub mod scenes;

pub use golden::{Difference, Golden, Line, ParseGoldenError};
