//! Presentation of a match that rolls back: interpolated poses, smoothed errors, a camera without latency, and effects
//! that are played once.
//!
//! It runs after [`Plan::run`](crate::Plan::run) and before drawing. It reads the simulation and never changes it, so
//! it can't affect the match; machines may draw at different rates and with different settings.
//!
//! - [`Poses`]: the pose to draw for each body; [`Sample`] is a body's state on a tick, [`WorldReader`] creates samples
//!   from a [`World`](isostep_core::world::World), and [`Smoothing`] configures error smoothing.
//! - [`LookAccumulator`], [`LookInput`], [`LookState`], [`Look`]: looking around at the display rate.
//! - [`EffectJournal`]: sounds and particles as started, confirmed, cancelled.

mod correction;
mod effects;
mod half;
mod look;
mod poses;
mod sample;
mod world;

pub use correction::{Method, Smoothing};
pub use effects::{Cancel, EffectConfig, EffectEvent, EffectId, EffectJournal, Late};
pub use look::{Look, LookAccumulator, LookInput, LookState};
pub use poses::{Drawn, Poses};
pub use sample::{Motion, Sample};
pub use world::WorldReader;
