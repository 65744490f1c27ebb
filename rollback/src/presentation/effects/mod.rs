//! `EffectJournal`: which sounds and particles to start, keep and fade while ticks are computed again and again.
//!
//! `event` has what goes in and out, `journal` the entries and their life. Invariants: entries are sorted by tick and cause;
//! at most [`EffectConfig::capacity`] of them; whoever was told that an effect started is told once how it ended.

mod event;
mod journal;
#[cfg(test)]
mod tests;

pub use event::{Cancel, EffectConfig, EffectEvent, EffectId, Late};
pub use journal::EffectJournal;
