//! Ring buffer of a game's own state, keyed by tick like the world's frames. It stores and returns
//! copies; it never steps.

use crate::Tick;
use core::fmt;

/// Error of accessing a tick that is not held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// No tick was saved yet.
    #[error("the history is empty; save a tick first")]
    Empty,
    /// The tick is older than the ring.
    #[error(
        "the tick is no longer held: the oldest is {oldest}; hold more ticks (`World::set_history`, `History::new`) or pin those to keep"
    )]
    TooOld {
        /// The oldest tick that is held; a pinned one counts.
        oldest: Tick,
    },
    /// The tick was not saved yet.
    #[error("the tick is not reached yet: the newest is {newest}; step to it first")]
    NotYet {
        /// The newest tick that is held.
        newest: Tick,
    },
    /// The tick was skipped or dropped, and lies between held ticks.
    #[error("the tick is not held; the nearest held ticks are {before} and {after}")]
    NotHeld {
        /// The nearest held tick before it.
        before: Tick,
        /// The nearest held tick after it.
        after: Tick,
    },
}

/// The newest states of a game, by tick.
///
/// - *Feed*: [`save`](Self::save) after each tick. Saving tick *t* again drops all later ticks:
///   they belong to the old timeline.
/// - *Observe*: [`get`](Self::get), [`ticks`](Self::ticks).
/// - *Keep*: [`pin`](Self::pin) holds a tick beyond the ring until [`unpin`](Self::unpin).
///
/// A dropped state passes its storage to the next one through `clone_from`. After the first round
/// no save allocates, if the state's `clone_from` does not. A derived `Clone` has no such
/// `clone_from`. `Vec` and `String` have one; a hand-written `Clone` can call `clone_from` field by
/// field.
///
/// ```
/// use isostep_core::{HistoryError, Tick};
/// use isostep_core::internals::History;
/// let mut history = History::new(3);
/// for tick in 10..20 {
///     history.save(Tick(tick), &vec![tick; 2]);
/// }
/// assert_eq!(history.get(Tick(18)), Ok(&vec![18, 18]));
/// assert_eq!(history.get(Tick(16)), Err(HistoryError::TooOld { oldest: Tick(17) }));
/// history.save(Tick(18), &vec![0]);
/// assert_eq!(history.get(Tick(19)), Err(HistoryError::NotYet { newest: Tick(18) }));
/// ```
#[doc(alias("SavedStates", "GameStateCell"))]
#[derive(Clone)]
pub struct History<T> {
    capacity: usize,
    /// Sorted by tick; at most `capacity` of them are unpinned.
    held: Vec<Slot<T>>,
    /// Storage for later states.
    spare: Vec<T>,
}

#[derive(Clone)]
struct Slot<T> {
    tick: Tick,
    pins: u32,
    state: T,
}

/// Finds a tick in a list sorted by tick.
pub(crate) fn find_tick<T>(
    held: &[T],
    tick: Tick,
    tick_of: impl Fn(&T) -> Tick,
) -> Result<usize, HistoryError> {
    let (Some(first), Some(last)) = (held.first(), held.last()) else {
        return Err(HistoryError::Empty);
    };
    held.binary_search_by_key(&tick, &tick_of).map_err(|at| {
        if at == 0 {
            HistoryError::TooOld { oldest: tick_of(first) }
        } else if at == held.len() {
            HistoryError::NotYet { newest: tick_of(last) }
        } else {
            HistoryError::NotHeld { before: tick_of(&held[at - 1]), after: tick_of(&held[at]) }
        }
    })
}

impl<T: Clone> History<T> {
    /// A history of the newest `capacity` ticks, at least one. Pinned ticks are held in addition.
    pub fn new(capacity: usize) -> Self {
        let capacity = capacity.max(1);
        Self { capacity, held: Vec::with_capacity(capacity + 1), spare: Vec::new() }
    }

    /// Saves the state of a tick. Drops the held states of this and later ticks, pinned or not:
    /// they belong to the old timeline. A pin on the tick itself stays and now holds the new state.
    pub fn save(&mut self, tick: Tick, state: &T) {
        let from = self.held.partition_point(|slot| slot.tick < tick);
        let pins = self.held.get(from).filter(|slot| slot.tick == tick).map_or(0, |slot| slot.pins);
        self.spare.extend(self.held.drain(from..).map(|slot| slot.state));
        self.make_room();
        let state = match self.spare.pop() {
            Some(mut old) => {
                old.clone_from(state);
                old
            }
            None => state.clone(),
        };
        self.held.push(Slot { tick, pins, state });
    }

    /// Drops unpinned entries until one more fits.
    fn make_room(&mut self) {
        let loose = self.held.iter().filter(|slot| slot.pins == 0).count();
        for _ in self.capacity..=loose {
            if let Some(at) = self.held.iter().position(|slot| slot.pins == 0) {
                self.spare.push(self.held.remove(at).state);
            }
        }
    }

    /// The state of a tick.
    ///
    /// # Errors
    /// If the tick is not held. The error lists the nearest held ticks.
    pub fn get(&self, tick: Tick) -> Result<&T, HistoryError> {
        self.find(tick).map(|at| &self.held[at].state)
    }

    fn find(&self, tick: Tick) -> Result<usize, HistoryError> {
        find_tick(&self.held, tick, |slot| slot.tick)
    }

    /// Holds a tick beyond the ring. Pins are counted: the tick stays until the same number of
    /// [`unpin`](Self::unpin) calls.
    ///
    /// # Errors
    /// If the tick is not held.
    pub fn pin(&mut self, tick: Tick) -> Result<(), HistoryError> {
        let at = self.find(tick)?;
        self.held[at].pins = self.held[at].pins.saturating_add(1);
        Ok(())
    }

    /// Removes one pin. Returns `true` if there was one. A tick older than the ring is then
    /// dropped.
    pub fn unpin(&mut self, tick: Tick) -> bool {
        let Some(slot) = self.find(tick).ok().map(|at| &mut self.held[at]) else { return false };
        let had = slot.pins > 0;
        slot.pins = slot.pins.saturating_sub(1);
        let loose = self.held.iter().filter(|slot| slot.pins == 0).count();
        if loose > self.capacity
            && let Some(at) = self.held.iter().position(|slot| slot.pins == 0)
        {
            self.spare.push(self.held.remove(at).state);
        }
        had
    }

    /// Drops all later ticks, pinned or not. Storage is kept.
    pub fn discard_after(&mut self, tick: Tick) {
        let from = self.held.partition_point(|slot| slot.tick <= tick);
        self.spare.extend(self.held.drain(from..).map(|slot| slot.state));
    }

    /// Drops every tick, pinned or not. Storage is kept.
    pub fn clear(&mut self) {
        self.spare.extend(self.held.drain(..).map(|slot| slot.state));
    }
}

impl<T> History<T> {
    /// The ticks that are held, ascending.
    pub fn ticks(&self) -> impl DoubleEndedIterator<Item = Tick> + '_ {
        self.held.iter().map(|slot| slot.tick)
    }

    /// The ticks that are pinned, ascending.
    pub fn pinned(&self) -> impl DoubleEndedIterator<Item = Tick> + '_ {
        self.held.iter().filter(|slot| slot.pins > 0).map(|slot| slot.tick)
    }

    /// The oldest tick that is held.
    pub fn oldest(&self) -> Option<Tick> {
        self.ticks().next()
    }

    /// The newest tick that is held.
    pub fn newest(&self) -> Option<Tick> {
        self.ticks().next_back()
    }

    /// The largest number of unpinned ticks.
    pub const fn capacity(&self) -> usize {
        self.capacity
    }
}

/// Prints ticks, not states.
impl<T> fmt::Debug for History<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ticks: Vec<_> = self.ticks().map(|tick| tick.0).collect();
        let pinned: Vec<_> = self.pinned().map(|tick| tick.0).collect();
        f.debug_struct("History")
            .field("capacity", &self.capacity)
            .field("ticks", &ticks)
            .field("pinned", &pinned)
            .finish_non_exhaustive()
    }
}
