//! `EffectJournal`: starts, keeps and fades sounds and particles while ticks are resimulated.
//!
//! `event` has its settings and events, `journal` the entries. Invariants: entries are sorted by tick and cause; there
//! are at most [`EffectConfig::capacity`] of them; each reported start has exactly one reported end.

mod event;
mod journal;
#[cfg(test)]
mod tests;

pub use event::{Cancel, EffectConfig, EffectEvent, EffectId, Late};
pub use journal::EffectJournal;
