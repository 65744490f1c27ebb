//! Rewinding: the held ticks, and the mode in which the ticks after a rewind are computed again.

use super::World;
use super::arrive::Route;
use super::frame::Frame;
use super::rows::{Overlap, PairKey};
use crate::Tick;
use crate::history::HistoryError;

/// Default length of the history in ticks: half a second at 60 ticks per second. A longer rollback would be visible to the
/// player. Unchanged pages are shared between ticks and cost nothing.
pub const DEFAULT_HISTORY: usize = 32;

/// Mode of resimulation after a rewind. The resulting state is the same; only the cost differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResimMode {
    /// Simulates only islands that may differ from the abandoned timeline: those with a body whose commands or state differ.
    #[default]
    Incremental,
    /// Simulates all islands.
    Full,
    /// Does both and compares them after every tick; see [`World::resim_difference`]. The full step starts from the state before
    /// the tick's commands and applies them again. For tests: slower than either.
    Verify,
}

/// Memory used by the history of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryReport {
    /// Number of held ticks, pinned ones included.
    pub ticks: u32,
    /// Bytes of all pages that the held ticks use.
    pub bytes: u64,
    /// Bytes of the pages in which the newest tick differs from the one before: the cost of one more tick.
    pub newest_bytes: u64,
}

impl World {
    /// Rewinds to a held tick. Drops the commands of the current tick, and all pins after the target tick, since they belong to
    /// an abandoned timeline.
    ///
    /// The next steps compute the ticks after it again. Give the commands of those ticks again, changed or not; the world does not
    /// repeat them. Islands that the commands do not affect are reused instead of simulated (see [`ResimMode`]).
    ///
    /// # Errors
    /// If the tick is not held. The error contains the held ticks, and the world is unchanged.
    #[doc(alias("load_game_state", "restore", "rollback"))]
    pub fn rewind(&mut self, tick: Tick) -> Result<(), HistoryError> {
        let in_ring = self.timeline.find(tick, self.tick)?;
        self.timeline.unpin_after(tick, &mut self.store);
        if in_ring {
            self.arrive(tick, Route::Rewind);
            if self.resim_mode == ResimMode::Full {
                self.discard_future();
            }
        } else if let Some(pinned) = self.timeline.pinned(tick) {
            let mut frame = Frame::default();
            frame.share_from(pinned, &mut self.store);
            self.timeline.restart(tick, &frame, &mut self.store);
            frame.release(&mut self.store);
            self.arrive(tick, Route::Restart);
        }
        Ok(())
    }

    /// Returns the ticks that [`rewind`](Self::rewind) accepts, without pinned ones.
    pub const fn history(&self) -> core::ops::RangeInclusive<Tick> {
        *self.timeline.held().start()..=self.tick
    }

    /// Sets the number of held ticks, at least 2. The world can be rewound by one less, once it has computed them.
    ///
    /// A larger number drops nothing. A smaller one drops the abandoned timeline first if it does not fit (the next steps are then computed in
    /// full), then the oldest ticks. Pinned ticks stay. The state does not change.
    ///
    /// ```
    /// use isostep_core::{Tick, world::{World, WorldDef}};
    /// let mut world = World::with_history(WorldDef::default(), 2)?;
    /// world.step();
    /// world.set_history(10);
    /// for _ in 1..20 {
    ///     world.step();
    /// }
    /// assert_eq!(world.history(), Tick(11)..=Tick(20));
    /// world.set_history(4);
    /// assert_eq!(world.history(), Tick(17)..=Tick(20));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_history(&mut self, ticks: usize) {
        if self.timeline.len() == ticks.max(2) {
            return;
        }
        self.timeline.resize(ticks, self.tick, &mut self.store);
        if self.timeline.newest() == self.tick {
            self.dirty.clear();
        }
        // The broad phase counts time in lengths of the ring.
        self.drop_scratch();
    }

    /// The capacity of the history in ticks.
    pub(crate) const fn history_len(&self) -> usize {
        self.timeline.len()
    }

    /// Lets steps grow the ring, up to a limit, instead of dropping ticks from this one on.
    pub(crate) const fn keep_from(&mut self, tick: Tick, limit: usize) {
        self.timeline.keep_from(tick, limit);
    }

    pub(super) fn make_room(&mut self) {
        if let Some(length) = self.timeline.shortage(self.tick) {
            self.set_history(length);
        }
    }

    /// Returns whether a tick can be rewound to.
    pub(crate) fn holds_tick(&self, tick: Tick) -> bool {
        self.timeline.find(tick, self.tick).is_ok()
    }

    /// Lets the solver use scalar code for ticks up to the newest one known, should they be computed again.
    pub(crate) fn compute_scalar(&mut self) {
        self.scratch.scalar_until = self.timeline.newest();
    }

    /// Drops the old future. The next steps are computed in full.
    pub(crate) fn discard_future(&mut self) {
        self.timeline.drop_after(self.tick);
        self.dirty.clear();
    }

    /// Holds a tick when it leaves the ring, until it is unpinned as often as it was pinned.
    ///
    /// # Errors
    /// If the tick is not held.
    pub fn pin(&mut self, tick: Tick) -> Result<(), HistoryError> {
        self.timeline.pin(tick, self.tick, &mut self.store)
    }

    /// Removes one pin. Returns false if there was none.
    pub fn unpin(&mut self, tick: Tick) -> bool {
        self.timeline.unpin(tick, &mut self.store)
    }

    /// Sets the mode of resimulation after a rewind.
    pub const fn set_resim_mode(&mut self, mode: ResimMode) {
        self.resim_mode = mode;
    }

    /// Returns the first difference between an incremental and a full resimulation that [`ResimMode::Verify`] found. `None` unless
    /// the engine has a bug.
    pub fn resim_difference(&self) -> Option<&str> {
        self.resim_difference.as_deref()
    }

    /// Makes the commands so far part of this tick's initial state, and drops all earlier ticks, pinned ones included. Use it after
    /// the setup of a game, so that the setup need not be repeated after a rewind to this tick. The next step finds the contacts and
    /// sensor overlaps of the changed bodies as if the commands were given on its tick.
    ///
    /// The events stay those of the last step. Contacts of a body that these commands despawned end without an event.
    /// Forces and torques are dropped: they act in a step, not before it.
    pub fn commit(&mut self) {
        let Self { work, store, pending, .. } = self;
        for page in work.streams.iter_mut().flat_map(|stream| &mut stream.contacts) {
            let void =
                |overlap: &Overlap| pending.is_void(PairKey::new(overlap.own, overlap.other));
            let is = store.contacts.get(*page);
            if is.rows.iter().any(|row| pending.is_void(row.key)) || is.overlaps.iter().any(void) {
                let page = store.contacts.write(page);
                page.rows.retain(|row| !pending.is_void(row.key));
                page.overlaps.retain(|overlap| !void(overlap));
            }
        }
        self.list_placed();
        self.timeline.unpin_all(&mut self.store);
        self.timeline.restart(self.tick, &self.work, &mut self.store);
        self.arrive(self.tick, Route::Restart);
    }

    /// Drops the step records. Only the cost of resimulation changes.
    #[doc(hidden)]
    pub fn drop_step_records(&mut self) {
        for tick in self.timeline.ticks() {
            self.timeline.entry_mut(tick).step_record = None;
        }
    }

    /// Returns the memory used by the history.
    #[doc(hidden)]
    pub fn history_report(&self) -> HistoryReport {
        let frames: Vec<_> = self.timeline.frames().collect();
        let bytes = self.store.bytes_of(frames.iter().copied(), None);
        let newest = self.timeline.newest();
        let before = newest.previous().filter(|tick| self.timeline.held().contains(tick));
        let newest_frame = &self.timeline.entry(newest).frame;
        let newest_bytes = self.store.bytes_of(
            [newest_frame].into_iter(),
            before.map(|tick| &self.timeline.entry(tick).frame),
        );
        HistoryReport { ticks: frames.len() as u32, bytes, newest_bytes }
    }

    pub(super) fn clear_commands(&mut self) {
        self.commands.clear();
        self.spawned.clear();
        self.pending.clear();
    }
}
