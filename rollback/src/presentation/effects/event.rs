//! Settings and events of an effect journal.

use crate::Tick;

/// Time at which an effect that a rollback removed is cancelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cancel {
    /// As soon as the ticks within the tolerance were resimulated without it. If a later rollback restores it, it
    /// starts again: suits loud and long effects.
    #[default]
    AtOnce,
    /// Once those ticks are confirmed. It plays on until then, and one that is restored was never interrupted: it is
    /// heard exactly once. Suits short effects.
    WhenConfirmed,
}

/// Handling of an effect that a rollback adds to an old tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Late {
    /// It starts; [`EffectEvent::Started`] has its lateness.
    #[default]
    Start,
    /// It is dropped if its tick is more than this many ticks before the newest one.
    DropAfter(u32),
}

/// Settings of an [`EffectJournal`](super::EffectJournal).
///
/// ```
/// use isostep_rollback::presentation::{Cancel, EffectConfig, EffectJournal, Late};
/// let clicks = EffectConfig { late: Late::DropAfter(6), cancel: Cancel::WhenConfirmed, ..EffectConfig::default() };
/// assert!(EffectJournal::<u32, &str>::new(clicks).is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectConfig {
    /// Ticks by which an effect may move in a resimulation and still be the same one. Keep it below the time in which
    /// one cause can occur twice.
    pub tolerance: u32,
    /// Handling of late effects.
    pub late: Late,
    /// Time of cancellation.
    pub cancel: Cancel,
    /// Maximum number of effects that are unresolved, or whose end was not polled. Further ones are dropped.
    pub capacity: usize,
}

/// A tolerance of two ticks, late effects start, cancelled at once, 1024 effects.
impl Default for EffectConfig {
    fn default() -> Self {
        Self { tolerance: 2, late: Late::Start, cancel: Cancel::AtOnce, capacity: 1024 }
    }
}

/// Id of an effect that started. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EffectId(pub(super) u64);

/// Event for the presentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectEvent<C, E> {
    /// Play the effect. Its end is reported with this id.
    Started {
        /// Id of the effect.
        id: EffectId,
        /// Tick whose step caused it.
        tick: Tick,
        /// Cause of the effect.
        cause: C,
        /// Payload of the effect.
        payload: E,
        /// Lateness in ticks, relative to the newest tick when it was first reported.
        late: u32,
    },
    /// The effect is confirmed. Usually no action is needed.
    Confirmed {
        /// Id of the effect.
        id: EffectId,
        /// Tick whose step caused it; it may differ from the tick of the start.
        tick: Tick,
        /// Cause of the effect.
        cause: C,
    },
    /// The effect did not happen. Fade it out.
    Cancelled {
        /// Id of the effect.
        id: EffectId,
        /// Last predicted tick of the effect.
        tick: Tick,
        /// Cause of the effect.
        cause: C,
    },
}
