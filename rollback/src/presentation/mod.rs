//! What a renderer needs from a match that rolls back: poses between ticks, errors that fade instead of jumping, a camera
//! that never lags, and effects that are heard once.
//!
//! It comes after [`Plan::run`](crate::Plan::run) and before drawing. It reads the simulation and never writes it, so
//! nothing here can change a bit of the match; machines may draw at different rates and with different settings.
//!
//! - [`Poses`]: where to draw each body; [`Sample`] is what a tick says of one, and [`WorldReader`] makes samples of a
//!   [`World`](isostep_core::world::World); [`Smoothing`] is how an error fades.
//! - [`LookAccumulator`], [`LookInput`], [`LookState`], [`Look`]: looking around at the rate of the display.
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
