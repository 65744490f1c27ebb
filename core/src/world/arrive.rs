//! The transition "the world is now at tick t". A step and every kind of jump end here, and nothing else sets the tick
//! or the working state.
//!
//! **Why no cache can be stale.** [`Scratch`](crate::step::Scratch) has three kinds of content:
//!
//! 1. *Columns of a step* (bodies, shapes, contacts, batches, …). Each step clears them before it fills and reads them.
//! 2. *Values cached by their whole input* (contact arms, bounding radii, mixed materials). They are used only if that
//!    input is bit-identical, at any tick.
//! 3. *Caches of the timeline*: the broad phase with its history bounds, and the supports of sleeping bodies. Each stores the first
//!    tick that it is valid for: for the broad phase the tick after the step that built it, for the supports the oldest tick
//!    that was held at that step, since they are collected from all held ticks. It is valid from there up to the newest tick.
//!    Each later step adds the bodies that it computes; a step that reuses the old future adds nothing, because those bodies
//!    were added when they were first computed. A rewind to an earlier tick drops the cache
//!    ([`Scratch::rewind`](crate::step::Scratch::rewind)).
//!
//! Bodies that commands changed are the one thing that such a cache can't see in the rows: `Scratch::changed` lists
//! them from the moment of the command, and a rewind adds those of every tick that it crosses, from the step records.
//! A missing step record drops the broad phase instead.
//!
//! Queries read the broad phase between steps, through `&self`. It is then valid for every held tick from its first valid tick on,
//! with the lists that `step/candidates.rs` names; for other ticks a query does without it.
//!
//! Every other route (a restored or committed state, a pinned tick before the ring, a ring of another length,
//! `drop_scratch`) drops all scratch. A missing cache means "unknown", which is always safe.
//!
//! Step records belong to a tick's entry in the [`Timeline`](super::timeline::Timeline) and are read for that tick
//! alone. Rows of the old future are compared with the new timeline's by index *and* generation.

use super::World;
use crate::Tick;
use crate::data::IndexSet;

/// Kind of transition to a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// The step from the tick before. It has updated the caches, the step record and the dirty set.
    Step,
    /// A rewind to a tick of the ring, or to the start of the current tick. The ticks after it are an old future.
    Rewind,
    /// A state without a past: the timeline was restarted at this tick.
    Restart,
}

impl World {
    /// Makes a tick that the ring holds the current one, without commands.
    pub(super) fn arrive(&mut self, tick: Tick, route: Route) {
        self.clear_commands();
        match route {
            Route::Step => {}
            Route::Rewind => {
                // The tick that is left keeps its dirty bodies as pending dirty, as long as it has an old future.
                if self.tick < self.timeline.newest() && !self.dirty.is_empty() {
                    self.timeline.entry_mut(self.tick).pending_dirty.union_with(&self.dirty);
                }
                self.dirty.clear();
                self.scratch.rewind(&self.timeline, tick);
            }
            Route::Restart => {
                self.dirty = IndexSet::new();
                self.drop_scratch();
            }
        }
        self.tick = tick;
        self.work.share_from(&self.timeline.entry(tick).frame, &mut self.store);
    }
}
