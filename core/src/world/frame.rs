//! A frame: the state of a world at one tick, as tables of shared pages.

use super::events::EventRow;
pub(crate) use super::registry::{Store, Stream};
use super::rows::{
    ASLEEP, BodyIndex, BodyKind, ColdPage, ColdRow, ContactPage, HotRow, PAGE_ROWS, body_of,
};
use crate::data::{Id, IdPool};
use crate::math::Vec3;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum number of bodies in a stream.
pub(crate) const STREAM_BODIES: u32 = 1 << 16;

/// The ids of an empty stream.
pub(crate) fn stream_ids(number: u8) -> IdPool {
    let first = u32::from(number) * STREAM_BODIES;
    IdPool::in_range(first..first + STREAM_BODIES).expect("the range is not empty")
}

/// State of a world at one tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) streams: Vec<Stream>,
    /// Events of the step to this tick, sorted.
    pub(crate) events: Vec<EventRow>,
    /// m/s².
    pub(crate) gravity: Vec3,
}

/// Position of a body's rows: stream, page, row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) stream: usize,
    pub(crate) page: usize,
    pub(crate) row: usize,
}

impl Place {
    #[inline]
    pub(crate) const fn of(index: BodyIndex) -> Self {
        let (stream, local) = index.in_stream();
        Self { stream, page: local / PAGE_ROWS, row: local % PAGE_ROWS }
    }
}

/// The body index at a place.
pub(crate) const fn index_at(stream: usize, page: usize, row: usize) -> BodyIndex {
    BodyIndex::new(stream as u32 * STREAM_BODIES + (page * PAGE_ROWS + row) as u32)
}

/// Number of a body's page among the pages of all streams. Numbers ascend with body indices.
pub(crate) const fn page_number(index: BodyIndex) -> u32 {
    index.get() / PAGE_ROWS as u32
}

/// Index of the first body of a page, by the page's number among the pages of all streams.
pub(crate) const fn first_of_page(number: u32) -> BodyIndex {
    BodyIndex::new(number * PAGE_ROWS as u32)
}

impl BodyIndex {
    /// The stream, and the position in it.
    #[inline]
    pub(crate) const fn in_stream(self) -> (usize, usize) {
        ((self.get() / STREAM_BODIES) as usize, (self.get() % STREAM_BODIES) as usize)
    }
}

impl Frame {
    /// The stream with this number, created if missing.
    pub(crate) fn stream(&mut self, number: u8) -> &mut Stream {
        while self.streams.len() <= usize::from(number) {
            let ids = stream_ids(self.streams.len() as u8);
            self.streams.push(Stream::new(Arc::new(ids)));
        }
        &mut self.streams[usize::from(number)]
    }

    pub(crate) fn is_live(&self, id: Id) -> bool {
        let stream = self.streams.get(Place::of(BodyIndex::of(id)).stream);
        stream.is_some_and(|stream| stream.ids.is_live(id))
    }

    #[inline]
    pub(crate) fn hot<'a>(&self, store: &'a Store, index: BodyIndex) -> &'a HotRow {
        let Place { stream, page, row } = Place::of(index);
        &store.hot.get(self.streams[stream].hot[page]).rows[row]
    }

    #[inline]
    pub(crate) fn cold<'a>(&self, store: &'a Store, index: BodyIndex) -> &'a ColdRow {
        let Place { stream, page, row } = Place::of(index);
        &store.cold.get(self.streams[stream].cold[page]).rows[row]
    }

    #[inline]
    pub(crate) fn cold_page<'a>(&self, store: &'a Store, index: BodyIndex) -> &'a ColdPage {
        let Place { stream, page, .. } = Place::of(index);
        store.cold.get(self.streams[stream].cold[page])
    }

    #[inline]
    pub(crate) fn hot_mut<'a>(&mut self, store: &'a mut Store, index: BodyIndex) -> &'a mut HotRow {
        let Place { stream, page, row } = Place::of(index);
        &mut store.hot.write(&mut self.streams[stream].hot[page]).rows[row]
    }

    pub(crate) fn cold_page_mut<'a>(
        &mut self,
        store: &'a mut Store,
        index: BodyIndex,
    ) -> &'a mut ColdPage {
        let Place { stream, page, .. } = Place::of(index);
        store.cold.write(&mut self.streams[stream].cold[page])
    }

    /// Creates the pages of a body if they are missing.
    pub(crate) fn make_page(&mut self, store: &mut Store, index: BodyIndex) {
        let Place { stream, page, .. } = Place::of(index);
        let stream = &mut self.streams[stream];
        let missing = (page + 1).saturating_sub(stream.active.len());
        stream.push_pages(store, missing);
    }

    /// Returns whether the frame has pages for a body.
    pub(crate) fn has_page(&self, index: BodyIndex) -> bool {
        let Place { stream, page, .. } = Place::of(index);
        self.streams.get(stream).is_some_and(|stream| page < stream.active.len())
    }

    /// The contact page of a body, if the frame has it.
    pub(crate) fn contact_page<'a>(
        &self,
        store: &'a Store,
        index: BodyIndex,
    ) -> Option<&'a ContactPage> {
        let Place { stream, page, .. } = Place::of(index);
        Some(store.contacts.get(*self.streams.get(stream)?.contacts.get(page)?))
    }

    pub(crate) fn contact_page_mut<'a>(
        &mut self,
        store: &'a mut Store,
        index: BodyIndex,
    ) -> &'a mut ContactPage {
        let Place { stream, page, .. } = Place::of(index);
        store.contacts.write(&mut self.streams[stream].contacts[page])
    }

    /// The id of the live body at an index.
    pub(crate) fn id_at(&self, index: BodyIndex) -> Option<Id> {
        self.streams.get(Place::of(index).stream)?.ids.at(index.get())
    }

    /// Returns whether the id pools are shared with another frame. Unshared pools may still be equal.
    pub(crate) fn has_same_ids(&self, other: &Self) -> bool {
        let mut streams = self.streams.iter().zip(&other.streams);
        self.streams.len() == other.streams.len()
            && streams.all(|(own, other)| Arc::ptr_eq(&own.ids, &other.ids))
    }

    #[inline]
    pub(crate) fn is_active(&self, index: BodyIndex) -> bool {
        let Place { stream, page, row } = Place::of(index);
        self.streams[stream].active[page] >> row & 1 == 1
    }

    /// Returns whether a body is active or does not exist.
    pub(crate) fn is_active_or_gone(&self, index: BodyIndex) -> bool {
        self.id_at(index).is_none() || self.is_active(index)
    }

    /// Updates the active bit of a body from its rows.
    pub(crate) fn mark_active(&mut self, store: &Store, index: BodyIndex) {
        let Place { stream, page, row } = Place::of(index);
        let (cold, hot) = (self.cold_page(store, index), self.hot(store, index));
        let active = cold.live >> row & 1 == 1
            && cold.rows[row].enabled
            && match cold.rows[row].kind {
                BodyKind::Fixed => false,
                BodyKind::Kinematic => hot.moves(),
                BodyKind::Dynamic => !hot.is_asleep(),
            };
        let marks = &mut self.streams[stream].active[page];
        *marks = *marks & !(1 << row) | u32::from(active) << row;
    }

    /// Finds the first contact of a page, from a position on, between a sleeping body and the body `on`, which is not dynamic.
    /// Returns the position of the contact and the sleeping body.
    pub(crate) fn sleeping_contact(
        &self,
        store: &Store,
        (stream, page): (usize, usize),
        on: BodyIndex,
        from: usize,
    ) -> Option<(usize, BodyIndex)> {
        let rows = &store.contacts.get(self.streams[stream].contacts[page]).rows;
        rows[from..].iter().zip(from..).find_map(|(row, at)| {
            let other = match row.key.shapes().map(body_of) {
                [a, b] if a == on => b,
                [a, b] if b == on => a,
                _ => return None,
            };
            self.hot(store, other).is_asleep().then_some((at, other))
        })
    }

    /// Wakes a body and the bodies that fell asleep with it, if it is asleep, and appends them to `woken`.
    pub(crate) fn wake(&mut self, store: &mut Store, index: BodyIndex, woken: &mut Vec<BodyIndex>) {
        let mut at = index;
        while self.hot(store, at).is_asleep() {
            let row = self.hot_mut(store, at);
            let next = row.next;
            (row.still, row.drift, row.next) = (0, [0; 6], BodyIndex::default());
            self.mark_active(store, at);
            woken.push(at);
            at = next;
        }
    }

    /// Wakes all sleeping bodies and appends them to `woken`.
    pub(crate) fn wake_all(&mut self, store: &mut Store, woken: &mut Vec<BodyIndex>) {
        for s in 0..self.streams.len() {
            for p in 0..self.streams[s].active.len() {
                for row in 0..PAGE_ROWS {
                    self.wake(store, index_at(s, p, row), woken);
                }
            }
        }
    }

    /// Puts dynamic bodies to sleep as one island; they are in ascending order.
    pub(crate) fn put_to_sleep(&mut self, store: &mut Store, island: &[BodyIndex]) {
        for (i, &index) in island.iter().enumerate() {
            let row = self.hot_mut(store, index);
            (row.velocity, row.spin) = Default::default();
            (row.still, row.drift) = (ASLEEP, [0; 6]);
            row.next = island[(i + 1) % island.len()];
            self.mark_active(store, index);
        }
    }

    /// Becomes a copy of another frame that shares its pages.
    pub(crate) fn share_from(&mut self, other: &Self, store: &mut Store) {
        self.release(store);
        self.events.clone_from(&other.events);
        self.gravity = other.gravity;
        self.streams.truncate(other.streams.len());
        for (i, from) in other.streams.iter().enumerate() {
            if i == self.streams.len() {
                self.streams.push(Stream::new(Arc::clone(&from.ids)));
            }
            let to = &mut self.streams[i];
            to.ids = Arc::clone(&from.ids);
            to.share_rest(from, store);
        }
    }

    /// Copies the frame into pages of another store.
    pub(crate) fn copy_into(&self, from: &Store, to: &mut Store) -> Self {
        let streams = self.streams.iter().map(|stream| stream.copy_into(from, to));
        Self { streams: streams.collect(), events: self.events.clone(), gravity: self.gravity }
    }

    /// Takes the ids, streams and page count of another frame: missing pages are shared with it, surplus ones are released.
    pub(crate) fn match_pages(&mut self, other: &Self, store: &mut Store) {
        for mut stream in self.streams.drain(other.streams.len().min(self.streams.len())..) {
            stream.cut(store, 0);
        }
        for (i, from) in other.streams.iter().enumerate() {
            if i == self.streams.len() {
                self.streams.push(Stream::new(Arc::clone(&from.ids)));
            }
            let to = &mut self.streams[i];
            to.ids = Arc::clone(&from.ids);
            to.cut(store, from.active.len());
            to.share_rest(from, store);
        }
    }

    /// Removes the rows of a despawned body.
    pub(crate) fn remove_rows(&mut self, store: &mut Store, index: BodyIndex) {
        let Place { stream, page, .. } = Place::of(index);
        self.streams[stream].remove_rows(store, page, index);
    }

    /// Takes the rows of a body that only commands change from another frame that has its pages. Returns whether they differed.
    pub(crate) fn take_commanded_rows(
        &mut self,
        other: &Self,
        store: &mut Store,
        index: BodyIndex,
    ) -> bool {
        let Place { stream, page, .. } = Place::of(index);
        let from = &other.streams[stream];
        self.streams[stream].take_commanded_rows(store, from, page, index)
    }

    /// Releases the pages of hot rows.
    #[cfg(feature = "bench-internals")]
    pub(crate) fn release_hot(&mut self, store: &mut Store) {
        for stream in &mut self.streams {
            stream.hot.drain(..).for_each(|page| store.hot.release(page));
        }
    }

    /// Returns the number of pages, and the number of those shared with another frame.
    pub(crate) fn count_pages(&self, store: &Store) -> (u32, u32) {
        let counts = self.streams.iter().map(|stream| stream.count_pages(store));
        let (all, shared) = counts.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
        (all as u32, shared as u32)
    }

    pub(crate) fn release(&mut self, store: &mut Store) {
        self.streams.iter_mut().for_each(|stream| stream.cut(store, 0));
    }
}

impl Store {
    /// Bytes of all pages that these frames use and `without` does not.
    pub(crate) fn bytes_of<'a>(
        &self,
        frames: impl Iterator<Item = &'a Frame>,
        without: Option<&Frame>,
    ) -> u64 {
        let mut pages = BTreeMap::new();
        let mut visit = |frame: &Frame, counts: bool| {
            for stream in &frame.streams {
                stream.each_page(self, &mut |section, page, bytes| {
                    pages.insert((section, page.number()), if counts { bytes as u64 } else { 0 });
                });
            }
        };
        frames.for_each(|frame| visit(frame, true));
        without.into_iter().for_each(|frame| visit(frame, false));
        pages.values().sum()
    }
}
