//! The frames of the last ticks, each with the step record that makes it cheap to compute again.
//!
//! After a rewind the frames of later ticks stay as the old future. A step reuses the islands of it that would come out the same
//! (`step/resim/mod.rs`).

use super::BodyId;
use super::command::Command;
use super::frame::{Frame, Store};
use super::rows::BodyIndex;
use crate::Tick;
use crate::data::index::index_types;
use crate::data::{IndexPairs, IndexSet};
use crate::history::HistoryError;

index_types! {
    /// Label of an island: its least body index.
    IslandLabel;
}

impl IslandLabel {
    pub(crate) const fn of(least: BodyIndex) -> Self {
        Self::new(least.get())
    }

    /// The least body of the island.
    pub(crate) const fn body(self) -> BodyIndex {
        BodyIndex::new(self.get())
    }
}

/// Step record: data about the step to a tick. Not state: without it the step is computed in full, with the same result.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepRecord {
    pub(crate) commands: Vec<Command>,
    /// Ids from spawn commands, in order.
    pub(crate) spawned: Vec<BodyId>,
    /// Bodies woken by command.
    pub(crate) woken: Vec<BodyIndex>,
    /// Bodies put to sleep by command.
    pub(crate) slept: IndexSet<BodyIndex>,
    /// Bodies changed by command.
    pub(crate) changed: Vec<BodyIndex>,
    /// Island label and index of each simulated body, sorted.
    pub(crate) members: IndexPairs<IslandLabel, BodyIndex>,
    /// Index and island label of each simulated body, sorted.
    pub(crate) labels: IndexPairs<BodyIndex, IslandLabel>,
    /// Pairs of a fixed or kinematic body and a dynamic body in contact with it, sorted.
    pub(crate) static_edges: IndexPairs<BodyIndex, BodyIndex>,
    /// Bodies woken by contact.
    pub(crate) woken_by_contact: Vec<BodyIndex>,
}

impl StepRecord {
    /// Island label of a body, if it was simulated.
    pub(crate) fn label(&self, index: BodyIndex) -> Option<IslandLabel> {
        self.labels.first_of(index)
    }

    /// The bodies of an island.
    pub(crate) fn island(&self, label: IslandLabel) -> impl Iterator<Item = BodyIndex> + '_ {
        self.members.all_of(label)
    }

    /// The dynamic bodies in contact with a fixed or kinematic body.
    pub(crate) fn around(&self, index: BodyIndex) -> impl Iterator<Item = BodyIndex> + '_ {
        self.static_edges.all_of(index)
    }
}

/// A held tick.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    pub(crate) frame: Frame,
    /// Record of the step to this tick, if known.
    pub(crate) step_record: Option<StepRecord>,
    /// Pending dirty bodies: their rows in this frame differ from those that the step to the next frame read.
    pub(crate) pending_dirty: IndexSet<BodyIndex>,
}

/// Ring of frames by tick.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// The entry of tick t is at t modulo the length.
    entries: Vec<Entry>,
    oldest: Tick,
    newest: Tick,
    /// Frames that stay after they leave the ring: tick, number of pins, frame.
    pinned: Vec<(Tick, u32, Frame)>,
    /// Oldest tick that must stay in the ring, and the limit up to which the ring grows for it.
    keep: Option<(Tick, usize)>,
}

impl Timeline {
    /// Creates a ring of this many ticks, with an empty frame for tick 0.
    pub(crate) fn new(length: usize) -> Self {
        let entries = (0..length.max(2)).map(|_| Entry::default()).collect();
        Self { entries, oldest: Tick(0), newest: Tick(0), pinned: Vec::new(), keep: None }
    }

    pub(crate) const fn len(&self) -> usize {
        self.entries.len()
    }

    /// The ticks in the ring.
    pub(crate) const fn held(&self) -> core::ops::RangeInclusive<Tick> {
        self.oldest..=self.newest
    }

    /// Iterates over the ticks in the ring.
    pub(crate) fn ticks(&self) -> impl DoubleEndedIterator<Item = Tick> + use<> {
        (self.oldest.0..=self.newest.0).map(Tick)
    }

    /// The position of a tick in the ring.
    const fn position(&self, tick: Tick) -> usize {
        tick.0 as usize % self.entries.len()
    }

    pub(crate) const fn newest(&self) -> Tick {
        self.newest
    }

    pub(crate) fn entry(&self, tick: Tick) -> &Entry {
        &self.entries[self.position(tick)]
    }

    pub(crate) fn entry_mut(&mut self, tick: Tick) -> &mut Entry {
        let position = self.position(tick);
        &mut self.entries[position]
    }

    /// Keeps the ticks from this one on until the next call, unless the ring would exceed `limit`.
    pub(crate) const fn keep_from(&mut self, tick: Tick, limit: usize) {
        self.keep = Some((tick, limit));
    }

    /// The length that the ring needs before a step from tick `now`, if it is too short.
    pub(crate) fn shortage(&mut self, now: Tick) -> Option<usize> {
        let (from, limit) = self.keep.filter(|_| now == self.newest)?;
        // If `now` is a pinned tick before the ring, no tick has to be kept yet.
        let needed = (now + 2).since(from.max(self.oldest)) as usize;
        if needed <= self.entries.len() {
            return None;
        }
        if needed > limit {
            self.keep = None;
            return None;
        }
        Some(needed.max(self.entries.len() * 3 / 2).min(limit))
    }

    /// Changes the length of the ring. Drops what does not fit: the old future first, then the oldest ticks.
    pub(crate) fn resize(&mut self, length: usize, now: Tick, store: &mut Store) {
        let length = length.max(2);
        if self.ticks().count() > length {
            self.drop_after(now);
            self.oldest = self.oldest.max(now.next() - length as u32);
        }
        let mut entries: Vec<Entry> = (0..length).map(|_| Entry::default()).collect();
        for tick in self.ticks() {
            entries[tick.0 as usize % length] = core::mem::take(self.entry_mut(tick));
        }
        for mut left in core::mem::replace(&mut self.entries, entries) {
            left.frame.release(store);
        }
    }

    /// Makes a tick the newest. Drops the oldest tick if the ring is full.
    pub(crate) fn extend_to(&mut self, tick: Tick) {
        self.newest = tick;
        self.oldest = self.oldest.max(tick.next() - self.entries.len() as u32);
    }

    /// Drops the ticks after this one.
    pub(crate) fn drop_after(&mut self, tick: Tick) {
        self.newest = tick;
        self.entry_mut(tick).pending_dirty.clear();
    }

    /// Restarts at a tick with the frame `base` and no earlier ticks.
    pub(crate) fn restart(&mut self, tick: Tick, base: &Frame, store: &mut Store) {
        (self.oldest, self.newest) = (tick, tick);
        let entry = self.entry_mut(tick);
        entry.frame.share_from(base, store);
        entry.step_record = None;
        entry.pending_dirty.clear();
    }

    /// Returns whether a tick is in the ring, as opposed to pinned. Ticks after `now` belong to the old future and are not
    /// accessible.
    ///
    /// # Errors
    /// If the tick is neither in the ring nor pinned.
    pub(crate) fn find(&self, tick: Tick, now: Tick) -> Result<bool, HistoryError> {
        if (self.oldest..=now).contains(&tick) {
            return Ok(true);
        }
        let pinned = || self.pinned.iter().map(|pin| pin.0).filter(|pin| *pin <= now);
        if pinned().any(|pin| pin == tick) {
            return Ok(false);
        }
        let held = || pinned().chain([self.oldest, now]);
        let before = held().filter(|held| *held < tick).max();
        match (before, held().filter(|held| *held > tick).min()) {
            (None, after) => Err(HistoryError::TooOld { oldest: after.unwrap_or(self.oldest) }),
            (Some(before), None) => Err(HistoryError::NotYet { newest: before }),
            (Some(before), Some(after)) => Err(HistoryError::NotHeld { before, after }),
        }
    }

    pub(crate) fn pinned(&self, tick: Tick) -> Option<&Frame> {
        self.pinned.iter().find(|pin| pin.0 == tick).map(|pin| &pin.2)
    }

    pub(crate) fn pin(
        &mut self,
        tick: Tick,
        now: Tick,
        store: &mut Store,
    ) -> Result<(), HistoryError> {
        if let Some(pin) = self.pinned.iter_mut().find(|pin| pin.0 == tick) {
            pin.1 = pin.1.saturating_add(1);
            return Ok(());
        }
        self.find(tick, now)?;
        let mut frame = Frame::default();
        frame.share_from(&self.entry(tick).frame, store);
        self.pinned.push((tick, 1, frame));
        Ok(())
    }

    /// Removes one pin. Returns false if there was none.
    pub(crate) fn unpin(&mut self, tick: Tick, store: &mut Store) -> bool {
        let Some(at) = self.pinned.iter().position(|pin| pin.0 == tick) else { return false };
        self.pinned[at].1 -= 1;
        if self.pinned[at].1 == 0 {
            self.pinned.remove(at).2.release(store);
        }
        true
    }

    /// Releases all pinned ticks after this one.
    pub(crate) fn unpin_after(&mut self, tick: Tick, store: &mut Store) {
        for pin in &mut self.pinned {
            if pin.0 > tick {
                pin.2.release(store);
            }
        }
        self.pinned.retain(|pin| pin.0 <= tick);
    }

    /// Releases all pinned ticks.
    pub(crate) fn unpin_all(&mut self, store: &mut Store) {
        self.pinned.drain(..).for_each(|mut pin| pin.2.release(store));
    }

    /// Iterates over all held frames.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &Frame> {
        let ring = self.ticks().map(|tick| &self.entry(tick).frame);
        ring.chain(self.pinned.iter().map(|pin| &pin.2))
    }
}
