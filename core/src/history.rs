//! A ring of a game's own state, keyed by the same ticks as the world's slots. It clones and returns; it never steps.

use core::fmt;

/// Why a tick can't be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// Nothing was saved yet.
    #[error("the history is empty; save a tick first")]
    Empty,
    /// The ring has passed it.
    #[error(
        "the tick is no longer held: the oldest is {oldest}; give the history a greater capacity, or pin what must stay"
    )]
    TooOld {
        /// The oldest tick that is held; a pinned one counts.
        oldest: u32,
    },
    /// It was not saved yet.
    #[error("the tick lies ahead: the newest is {newest}")]
    NotYet {
        /// The newest tick that is held.
        newest: u32,
    },
    /// It lies between ticks that are held, and was skipped or dropped.
    #[error("the tick is not held; {before} and {after} are the nearest that are")]
    NotHeld {
        /// The nearest held tick before it.
        before: u32,
        /// The nearest held tick after it.
        after: u32,
    },
}

/// The last states of a game, by tick.
///
/// - *Feed*: [`save`](Self::save) after each tick. Saving tick *t* again drops everything later: it was the old future.
/// - *Look*: [`get`](Self::get), [`ticks`](Self::ticks).
/// - *Keep*: [`pin`](Self::pin) holds a tick beyond the ring until [`unpin`](Self::unpin).
///
/// A state that leaves gives its storage to the next one through `clone_from`, so that after the first round nothing is
/// allocated if the state's `clone_from` allocates nothing. A derived `Clone` has no such `clone_from`; `Vec` and `String`
/// do, and a hand-written one that calls `clone_from` field by field does.
///
/// ```
/// use isostep_core::{History, HistoryError};
/// let mut history = History::new(3);
/// for tick in 10..20 {
///     history.save(tick, &vec![tick; 2]);
/// }
/// assert_eq!(history.get(18), Ok(&vec![18, 18]));
/// assert_eq!(history.get(16), Err(HistoryError::TooOld { oldest: 17 }));
/// history.save(18, &vec![0]);
/// assert_eq!(history.get(19), Err(HistoryError::NotYet { newest: 18 }));
/// ```
#[derive(Clone)]
pub struct History<T> {
    capacity: usize,
    /// Sorted by tick; at most `capacity` of them are not pinned.
    held: Vec<Slot<T>>,
    /// Storage for states to come.
    spare: Vec<T>,
}

#[derive(Clone)]
struct Slot<T> {
    tick: u32,
    pins: u32,
    state: T,
}

/// Where a tick is in a list that is sorted by them.
pub(crate) fn find_tick<T>(
    held: &[T],
    tick: u32,
    tick_of: impl Fn(&T) -> u32,
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
    /// A history of the last `capacity` ticks, at least one; pinned ticks come on top.
    pub fn new(capacity: usize) -> Self {
        let capacity = capacity.max(1);
        Self { capacity, held: Vec::with_capacity(capacity + 1), spare: Vec::new() }
    }

    /// Saves the state of a tick. What was held of it and of later ticks is dropped, pinned or not: it belongs to a
    /// future that will not come. A pin on the tick itself stays and now holds the new state.
    pub fn save(&mut self, tick: u32, state: &T) {
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

    /// Drops unpinned slots until one more fits.
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
    /// When the tick is not held; the error tells which are.
    pub fn get(&self, tick: u32) -> Result<&T, HistoryError> {
        self.find(tick).map(|at| &self.held[at].state)
    }

    fn find(&self, tick: u32) -> Result<usize, HistoryError> {
        find_tick(&self.held, tick, |slot| slot.tick)
    }

    /// Keeps a held tick beyond the ring. Pins count: it stays until as many [`unpin`](Self::unpin)s.
    ///
    /// # Errors
    /// When the tick is not held.
    pub fn pin(&mut self, tick: u32) -> Result<(), HistoryError> {
        let at = self.find(tick)?;
        self.held[at].pins = self.held[at].pins.saturating_add(1);
        Ok(())
    }

    /// Takes one pin back; returns whether there was one. A tick that the ring has passed is dropped.
    pub fn unpin(&mut self, tick: u32) -> bool {
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

    /// Drops what comes after a tick, pins included; storage is kept.
    pub fn forget_after(&mut self, tick: u32) {
        let from = self.held.partition_point(|slot| slot.tick <= tick);
        self.spare.extend(self.held.drain(from..).map(|slot| slot.state));
    }

    /// Drops everything, pins included; storage is kept.
    pub fn clear(&mut self) {
        self.spare.extend(self.held.drain(..).map(|slot| slot.state));
    }
}

impl<T> History<T> {
    /// The ticks that are held, ascending.
    pub fn ticks(&self) -> impl DoubleEndedIterator<Item = u32> + '_ {
        self.held.iter().map(|slot| slot.tick)
    }

    /// The ticks that are pinned, ascending.
    pub fn pinned(&self) -> impl DoubleEndedIterator<Item = u32> + '_ {
        self.held.iter().filter(|slot| slot.pins > 0).map(|slot| slot.tick)
    }

    /// The oldest tick that is held.
    pub fn oldest(&self) -> Option<u32> {
        self.ticks().next()
    }

    /// The newest tick that is held.
    pub fn newest(&self) -> Option<u32> {
        self.ticks().next_back()
    }

    /// How many unpinned ticks it holds at most.
    pub const fn capacity(&self) -> usize {
        self.capacity
    }
}

/// Ticks, not states.
impl<T> fmt::Debug for History<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ticks: Vec<u32> = self.ticks().collect();
        let pinned: Vec<u32> = self.pinned().collect();
        f.debug_struct("History")
            .field("capacity", &self.capacity)
            .field("ticks", &ticks)
            .field("pinned", &pinned)
            .finish_non_exhaustive()
    }
}
