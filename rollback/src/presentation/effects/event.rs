//! What an effect journal is told to do, and what it tells.

use crate::tick::Tick;

/// When an effect that a rollback took back is cancelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cancel {
    /// As soon as the ticks in which it may be have been computed without it. If a later rollback brings it back, it
    /// starts again: better for loud and long ones.
    #[default]
    AtOnce,
    /// Once those ticks are confirmed. It plays on until then, and one that comes back was never gone: it is heard
    /// exactly once. Better for short ones.
    WhenConfirmed,
}

/// What becomes of an effect that is first seen in a tick long past, because a rollback brought it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Late {
    /// It starts; [`EffectEvent::Started`] says how late.
    #[default]
    Start,
    /// It is never heard if its tick is more than this many ticks before the newest one.
    DropAfter(u32),
}

/// How an [`EffectJournal`](super::EffectJournal) treats effects.
///
/// ```
/// use isostep_rollback::presentation::{Cancel, EffectConfig, EffectJournal, Late};
/// let clicks = EffectConfig { late: Late::DropAfter(6), cancel: Cancel::WhenConfirmed, ..EffectConfig::default() };
/// assert!(EffectJournal::<u32, &str>::new(clicks).is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectConfig {
    /// By how many ticks an effect may move when its tick is computed again and still be the same one. Less than the
    /// time in which one cause can truly happen twice.
    pub tolerance: u32,
    /// What becomes of effects that are seen late.
    pub late: Late,
    /// When an effect that is no more is cancelled.
    pub cancel: Cancel,
    /// Most effects that are neither confirmed nor cancelled, or whose end nobody polled yet. More are not heard.
    pub capacity: usize,
}

/// Two ticks, late ones start, cancelled at once, 1024 at a time.
impl Default for EffectConfig {
    fn default() -> Self {
        Self { tolerance: 2, late: Late::Start, cancel: Cancel::AtOnce, capacity: 1024 }
    }
}

/// The name of one effect that started. Never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EffectId(pub(super) u64);

/// What a presenter has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectEvent<C, E> {
    /// Play it. Its end will be told by this id.
    Started {
        /// Its name from now on.
        id: EffectId,
        /// The tick whose step had it.
        tick: Tick,
        /// Its cause.
        cause: C,
        /// What it is like.
        payload: E,
        /// By how many ticks it comes too late, seen from the newest tick when it was first reported.
        late: u32,
    },
    /// It did happen, whatever comes. Nothing to do, mostly.
    Confirmed {
        /// Which.
        id: EffectId,
        /// The tick whose step has it: not always the one it started with.
        tick: Tick,
        /// Its cause.
        cause: C,
    },
    /// It did not happen after all. Fade it.
    Cancelled {
        /// Which.
        id: EffectId,
        /// The tick in which it was last thought to be.
        tick: Tick,
        /// Its cause.
        cause: C,
    },
}
