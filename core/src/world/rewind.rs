//! Going back: which ticks are held, and how the ticks after one are computed again.

use super::arrive::Route;
use super::rows::{Overlap, PairKey};
use super::slot::Slot;
use super::{Command, World};
use crate::history::HistoryError;

/// How many ticks a world holds unless told otherwise: half a second at 60 ticks. A rollback that goes further back is one
/// that a player sees, and a page that did not change costs nothing to hold.
pub const DEFAULT_HISTORY: usize = 32;

/// How ticks are computed again after a rewind. The state is the same, only the cost differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResimMode {
    /// Only what may differ from the old future: islands with a body whose commands or state differ.
    #[default]
    Incremental,
    /// Everything.
    Full,
    /// Both, compared after every tick; see [`World::resim_difference`]. The full step starts from the state before the
    /// tick's commands and applies them again. For tests: it is slower than either.
    Verify,
}

/// What the history of a world takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryReport {
    /// Ticks that are held, pinned ones included.
    pub ticks: u32,
    /// Bytes of all pages that any of them holds.
    pub bytes: u64,
    /// Bytes by which the newest tick differs from the one before: what one more tick takes.
    pub newest_bytes: u64,
}

impl World {
    /// Goes back to a tick that is held. Commands of the present tick are forgotten, and so are pinned ticks after it:
    /// they belong to a future that may not come.
    ///
    /// The next steps compute the ticks after it anew; give the commands of those ticks again, changed or not (the world does not repeat them). What the
    /// commands did not change comes out the same and is not computed again (see [`ResimMode`]).
    ///
    /// # Errors
    /// When the tick is not held; the error says which ticks are. The world stays as it was.
    pub fn rewind(&mut self, tick: u32) -> Result<(), HistoryError> {
        let in_ring = self.timeline.find(tick, self.tick)?;
        self.timeline.unpin_after(tick, &mut self.store);
        if in_ring {
            self.arrive(tick, Route::Rewind);
            if self.resim_mode == ResimMode::Full {
                self.forget_future();
            }
        } else if let Some(pinned) = self.timeline.pinned(tick) {
            let mut slot = Slot::default();
            slot.share_from(pinned, &mut self.store);
            self.timeline.restart(tick, &slot, &mut self.store);
            slot.release(&mut self.store);
            self.arrive(tick, Route::Restart);
        }
        Ok(())
    }

    /// The ticks that can be gone back to, besides pinned ones.
    pub const fn history(&self) -> core::ops::RangeInclusive<u32> {
        *self.timeline.held().start()..=self.tick
    }

    /// Changes how many ticks are held, at least 2: the world can be rewound by one less, once it has made them.
    ///
    /// With more, nothing is forgotten. With fewer, the old future that a rewind left goes first if it has no room (the next
    /// steps then compute everything), and then the oldest ticks; pinned ones stay. No state changes.
    ///
    /// ```
    /// use isostep_core::world::{World, WorldDef};
    /// let mut world = World::with_history(WorldDef::default(), 2)?;
    /// world.step();
    /// world.set_history(10);
    /// for _ in 1..20 {
    ///     world.step();
    /// }
    /// assert_eq!(world.history(), 11..=20);
    /// world.set_history(4);
    /// assert_eq!(world.history(), 17..=20);
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
        // The broad phase counts in lengths of the ring.
        self.drop_scratch();
    }

    /// How many ticks are held when there are enough.
    pub(crate) const fn history_len(&self) -> usize {
        self.timeline.len()
    }

    /// Has steps make the ring longer, up to a limit, rather than let go of a tick.
    pub(crate) const fn keep_from(&mut self, tick: u32, limit: usize) {
        self.timeline.keep_from(tick, limit);
    }

    pub(super) fn make_room(&mut self) {
        if let Some(length) = self.timeline.shortage(self.tick) {
            self.set_history(length);
        }
    }

    /// Whether a tick can be gone back to.
    pub(crate) fn holds_tick(&self, tick: u32) -> bool {
        self.timeline.find(tick, self.tick).is_ok()
    }

    /// Has the solver compute what is known already with one lane at a time, if it has to be computed again.
    pub(crate) fn compute_scalar(&mut self) {
        self.scratch.scalar_until = self.timeline.newest();
    }

    /// Forgets the old future that a rewind left: the next steps compute everything.
    pub(crate) fn forget_future(&mut self) {
        self.timeline.drop_after(self.tick);
        self.dirty.clear();
    }

    /// Holds a tick beyond the ring until it is unpinned as often as it was pinned.
    ///
    /// # Errors
    /// When the tick is not held.
    pub fn pin(&mut self, tick: u32) -> Result<(), HistoryError> {
        self.timeline.pin(tick, self.tick, &mut self.store)
    }

    /// Takes one pin back; returns whether there was one.
    pub fn unpin(&mut self, tick: u32) -> bool {
        self.timeline.unpin(tick, &mut self.store)
    }

    /// Chooses how ticks are computed again after a rewind.
    pub const fn set_resim_mode(&mut self, mode: ResimMode) {
        self.resim_mode = mode;
    }

    /// Where an incremental resimulation first differed from a full one, if [`ResimMode::Verify`] saw that: it never
    /// should.
    pub fn resim_difference(&self) -> Option<&str> {
        self.resim_difference.as_deref()
    }

    /// Makes the commands so far part of this tick's state, as if the world had been like this before: what a game sets up
    /// before its first step and does not want to repeat after going back to it. What came before this tick is
    /// forgotten, pinned or not.
    ///
    /// Events stay those of the last step: contacts of a body that was despawned just before end without one.
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
        self.timeline.unpin_all(&mut self.store);
        self.timeline.restart(self.tick, &self.work, &mut self.store);
        self.arrive(self.tick, Route::Restart);
    }

    /// Forgets what would make it cheap to compute ticks again. It changes nothing but that cost.
    pub fn drop_step_records(&mut self) {
        for tick in self.timeline.held() {
            self.timeline.entry_mut(tick).step_record = None;
        }
    }

    /// What the history takes.
    pub fn history_report(&self) -> HistoryReport {
        let slots: Vec<_> = self.timeline.slots().collect();
        let bytes = self.store.bytes_of(slots.iter().copied(), None);
        let newest = self.timeline.newest();
        let before = newest.checked_sub(1).filter(|tick| self.timeline.held().contains(tick));
        let newest_slot = &self.timeline.entry(newest).slot;
        let newest_bytes = self.store.bytes_of(
            [newest_slot].into_iter(),
            before.map(|tick| &self.timeline.entry(tick).slot),
        );
        HistoryReport { ticks: slots.len() as u32, bytes, newest_bytes }
    }

    pub(super) fn clear_commands(&mut self) {
        self.commands.clear();
        self.spawned.clear();
        self.pending.clear();
    }
}

impl Command {
    /// The index of the body that the command names; `None` for a spawn.
    pub(crate) const fn body(&self) -> Option<u32> {
        match self {
            Self::Spawn(..) => None,
            Self::Despawn(body)
            | Self::SetVelocity(body, _)
            | Self::SetAngularVelocity(body, _)
            | Self::Impulse(body, _)
            | Self::ImpulseAt(body, ..)
            | Self::AngularImpulse(body, _)
            | Self::Teleport(body, _)
            | Self::MoveTo(body, _)
            | Self::SetKind(body, _)
            | Self::SetEnabled(body, _)
            | Self::SetMaterial(body, ..)
            | Self::SetFilter(body, ..)
            | Self::SetGravityScale(body, _)
            | Self::SetDamping(body, ..)
            | Self::SetUserData(body, _)
            | Self::Wake(body)
            | Self::SetMaySleep(body, _) => Some(body.0.index()),
        }
    }
}
