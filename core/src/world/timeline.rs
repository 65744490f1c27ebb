//! The slots of the last ticks, and beside each what makes it cheap to compute it again.
//!
//! After a rewind the slots of later ticks stay: the old future. A step that meets one reuses what would come out the same
//! (`step/resim.rs`).

use super::BodyId;
use super::command::Command;
use super::slot::{Slot, Store};
use crate::data::BitSet;
use crate::history::HistoryError;

/// What is known of the step to a tick. Losing it costs work, never a bit.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepRecord {
    pub(crate) commands: Vec<Command>,
    /// The ids that spawn commands got, in their order.
    pub(crate) spawned: Vec<BodyId>,
    /// Bodies that commands woke.
    pub(crate) woken: Vec<u32>,
    /// Bodies that commands changed.
    pub(crate) changed: Vec<u32>,
    /// Label and index of each body that was simulated, sorted.
    pub(crate) members: Vec<(u32, u32)>,
    /// The same the other way round, sorted.
    pub(crate) labels: Vec<(u32, u32)>,
    /// A static or kinematic body and a dynamic one that had a contact with it, sorted.
    pub(crate) static_edges: Vec<(u32, u32)>,
    /// Sleepers that woke in the step.
    pub(crate) woken_by_contact: Vec<u32>,
}

impl StepRecord {
    /// The island that a body was in, if it was simulated.
    pub(crate) fn label(&self, index: u32) -> Option<u32> {
        let at = self.labels.binary_search_by_key(&index, |entry| entry.0).ok()?;
        Some(self.labels[at].1)
    }

    /// The bodies of an island.
    pub(crate) fn island(&self, label: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.members.partition_point(|member| member.0 < label);
        let members = self.members[start..].iter().take_while(move |member| member.0 == label);
        members.map(|member| member.1)
    }

    /// The dynamic bodies that had a contact with a static or kinematic one.
    pub(crate) fn around(&self, index: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.static_edges.partition_point(|edge| edge.0 < index);
        let edges = self.static_edges[start..].iter().take_while(move |edge| edge.0 == index);
        edges.map(|edge| edge.1)
    }
}

/// The order of the lists of a step record.
pub(crate) fn order((a, b): (u32, u32)) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// Takes sorted entries out of a sorted list.
pub(crate) fn take_out(list: &mut Vec<(u32, u32)>, gone: &[(u32, u32)]) {
    let (mut from, mut to) = (0, 0);
    for entry in gone {
        let at = from + list[from..].partition_point(|other| other < entry);
        if list.get(at) != Some(entry) {
            continue;
        }
        if to < from {
            list.copy_within(from..at, to);
        }
        (from, to) = (at + 1, to + at - from);
    }
    if to < from {
        list.copy_within(from.., to);
        list.truncate(list.len() - (from - to));
    }
}

/// Brings what follows the first `sorted` entries, and is sorted, to its places among them.
pub(crate) fn bring_in(list: &mut [(u32, u32)], sorted: usize, few: &mut Vec<(u32, u32)>) {
    if sorted == 0 {
        return;
    }
    few.clear();
    few.extend_from_slice(&list[sorted..]);
    let mut end = sorted;
    while let Some(entry) = few.pop() {
        let at = list[..end].partition_point(|other| *other < entry);
        list.copy_within(at..end, at + few.len() + 1);
        list[at + few.len()] = entry;
        end = at;
    }
}

/// A tick that is held.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    pub(crate) slot: Slot,
    /// Of the step to this tick, if it is known.
    pub(crate) step_record: Option<StepRecord>,
    /// Bodies of this slot that are not what the step to the next slot read.
    pub(crate) pending_dirty: BitSet,
}

/// Slots by tick.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// The entry of tick t is at t modulo the length.
    entries: Vec<Entry>,
    oldest: u32,
    newest: u32,
    /// Slots that stay when the ring has passed them, with how often they were pinned.
    pinned: Vec<(u32, u32, Slot)>,
    /// The oldest tick that must not leave the ring, and how long it may grow for that.
    keep: Option<(u32, usize)>,
}

impl Timeline {
    /// A ring of this many ticks, with an empty slot for tick 0.
    pub(crate) fn new(length: usize) -> Self {
        let entries = (0..length.max(2)).map(|_| Entry::default()).collect();
        Self { entries, oldest: 0, newest: 0, pinned: Vec::new(), keep: None }
    }

    pub(crate) const fn len(&self) -> usize {
        self.entries.len()
    }

    /// The ticks that are held, but for pinned ones.
    pub(crate) const fn held(&self) -> core::ops::RangeInclusive<u32> {
        self.oldest..=self.newest
    }

    pub(crate) const fn newest(&self) -> u32 {
        self.newest
    }

    pub(crate) fn entry(&self, tick: u32) -> &Entry {
        &self.entries[tick as usize % self.entries.len()]
    }

    pub(crate) fn entry_mut(&mut self, tick: u32) -> &mut Entry {
        let length = self.entries.len();
        &mut self.entries[tick as usize % length]
    }

    /// Keeps ticks from this one on, until the next call says otherwise, or the ring would be longer than `limit`.
    pub(crate) const fn keep_from(&mut self, tick: u32, limit: usize) {
        self.keep = Some((tick, limit));
    }

    /// The length that the ring needs before a step from a tick, if it is too short.
    pub(crate) fn shortage(&mut self, now: u32) -> Option<usize> {
        let (from, limit) = self.keep.filter(|_| now == self.newest)?;
        // Seen from a pinned tick before the ring, nothing has to be kept yet.
        let needed = (now + 2).saturating_sub(from.max(self.oldest)) as usize;
        if needed <= self.entries.len() {
            return None;
        }
        if needed > limit {
            self.keep = None;
            return None;
        }
        Some(needed.max(self.entries.len() * 3 / 2).min(limit))
    }

    /// Makes the ring longer or shorter, seen from a tick: what does not fit goes, the old future first, then the oldest.
    pub(crate) fn resize(&mut self, length: usize, now: u32, store: &mut Store) {
        let length = length.max(2);
        if self.held().count() > length {
            self.drop_after(now);
            self.oldest = self.oldest.max((now + 1).saturating_sub(length as u32));
        }
        let mut entries: Vec<Entry> = (0..length).map(|_| Entry::default()).collect();
        for tick in self.held() {
            entries[tick as usize % length] = core::mem::take(self.entry_mut(tick));
        }
        for mut left in core::mem::replace(&mut self.entries, entries) {
            left.slot.release(store);
        }
    }

    /// Makes a tick the newest; of the ticks that are held the last may have to go.
    pub(crate) fn extend_to(&mut self, tick: u32) {
        self.newest = tick;
        self.oldest = self.oldest.max((tick + 1).saturating_sub(self.entries.len() as u32));
    }

    /// Forgets what comes after a tick.
    pub(crate) fn drop_after(&mut self, tick: u32) {
        self.newest = tick;
        self.entry_mut(tick).pending_dirty.clear();
    }

    /// Starts again at a tick with nothing before it; its slot is what `base` has.
    pub(crate) fn restart(&mut self, tick: u32, base: &Slot, store: &mut Store) {
        (self.oldest, self.newest) = (tick, tick);
        let entry = self.entry_mut(tick);
        entry.slot.share_from(base, store);
        entry.step_record = None;
        entry.pending_dirty.clear();
    }

    /// Whether a tick is in the ring, seen from another one: what comes after that is an old future, which nobody goes
    /// to.
    ///
    /// # Errors
    /// When it is not held or pinned.
    pub(crate) fn find(&self, tick: u32, now: u32) -> Result<bool, HistoryError> {
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

    pub(crate) fn pinned(&self, tick: u32) -> Option<&Slot> {
        self.pinned.iter().find(|pin| pin.0 == tick).map(|pin| &pin.2)
    }

    pub(crate) fn pin(
        &mut self,
        tick: u32,
        now: u32,
        store: &mut Store,
    ) -> Result<(), HistoryError> {
        if let Some(pin) = self.pinned.iter_mut().find(|pin| pin.0 == tick) {
            pin.1 = pin.1.saturating_add(1);
            return Ok(());
        }
        self.find(tick, now)?;
        let mut slot = Slot::default();
        slot.share_from(&self.entry(tick).slot, store);
        self.pinned.push((tick, 1, slot));
        Ok(())
    }

    /// Takes one pin back; returns whether there was one.
    pub(crate) fn unpin(&mut self, tick: u32, store: &mut Store) -> bool {
        let Some(at) = self.pinned.iter().position(|pin| pin.0 == tick) else { return false };
        self.pinned[at].1 -= 1;
        if self.pinned[at].1 == 0 {
            self.pinned.remove(at).2.release(store);
        }
        true
    }

    /// Lets go of pinned ticks after another one.
    pub(crate) fn unpin_after(&mut self, tick: u32, store: &mut Store) {
        for pin in &mut self.pinned {
            if pin.0 > tick {
                pin.2.release(store);
            }
        }
        self.pinned.retain(|pin| pin.0 <= tick);
    }

    /// Lets go of all pinned ticks.
    pub(crate) fn unpin_all(&mut self, store: &mut Store) {
        self.pinned.drain(..).for_each(|mut pin| pin.2.release(store));
    }

    /// All slots that are held.
    pub(crate) fn slots(&self) -> impl Iterator<Item = &Slot> {
        let ring = (self.oldest..=self.newest).map(|tick| &self.entry(tick).slot);
        ring.chain(self.pinned.iter().map(|pin| &pin.2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_goes_and_comes_leaves_a_sorted_list(
            mut list in vec((0..9u32, 0..9u32), 0..40),
            gone in vec((0..9u32, 0..9u32), 0..9),
            mut new in vec((0..9u32, 0..9u32), 0..20),
        ) {
            list.sort();
            list.dedup();
            let mut gone = gone;
            gone.sort();
            gone.dedup();
            new.sort();
            let mut expected: Vec<_> = list.iter().copied().filter(|e| !gone.contains(e)).collect();
            take_out(&mut list, &gone);
            prop_assert_eq!(&list, &expected);
            let sorted = list.len();
            list.extend_from_slice(&new);
            bring_in(&mut list, sorted, &mut Vec::new());
            expected.extend(new);
            expected.sort();
            prop_assert_eq!(list, expected);
        }
    }
}
