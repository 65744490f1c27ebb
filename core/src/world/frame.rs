//! A frame: the state of a world at one tick, as tables of shared pages.

use super::events::EventRow;
use super::pages::{PageRef, Pages};
use super::rows::{
    ASLEEP, BodyIndex, BodyKind, ColdPage, ColdRow, ContactPage, ContactRow, HotPage, HotRow,
    Overlap, PAGE_ROWS, ShapeRow, body_of,
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

/// Page pools of all frames of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    pub(crate) hot: Pages<HotPage>,
    pub(crate) cold: Pages<ColdPage>,
    pub(crate) contacts: Pages<ContactPage>,
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

/// The bodies of one stream: ids, and a page of each kind for every 32 of them.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) ids: Arc<IdPool>,
    pub(crate) hot: Vec<PageRef>,
    pub(crate) cold: Vec<PageRef>,
    pub(crate) contacts: Vec<PageRef>,
    /// By page, bit i: row i is live, enabled and not at rest, that is, a dynamic body that is awake or a kinematic one with a
    /// velocity. Derived from the rows, for fast iteration over active bodies.
    pub(crate) active: Vec<u32>,
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
        let missing = (page + 1).saturating_sub(stream.hot.len());
        // All pages before that of the body share one empty page until something is written to them.
        for count in [missing.saturating_sub(1), missing.min(1)] {
            if count == 0 {
                continue;
            }
            let (hot, cold, contacts) = store.empty_pages();
            for number in 0..count {
                if number > 0 {
                    store.hot.share(hot);
                    store.cold.share(cold);
                    store.contacts.share(contacts);
                }
                stream.hot.push(hot);
                stream.cold.push(cold);
                stream.contacts.push(contacts);
                stream.active.push(0);
            }
        }
    }

    /// Returns whether the frame has pages for a body.
    pub(crate) fn has_page(&self, index: BodyIndex) -> bool {
        let Place { stream, page, .. } = Place::of(index);
        self.streams.get(stream).is_some_and(|stream| page < stream.hot.len())
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
            for p in 0..self.streams[s].hot.len() {
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
            to.hot.clone_from(&from.hot);
            to.cold.clone_from(&from.cold);
            to.contacts.clone_from(&from.contacts);
            to.active.clone_from(&from.active);
            to.hot.iter().for_each(|page| store.hot.share(*page));
            to.cold.iter().for_each(|page| store.cold.share(*page));
            to.contacts.iter().for_each(|page| store.contacts.share(*page));
        }
    }

    /// Copies the frame into pages of another store.
    pub(crate) fn copy_into(&self, from: &Store, to: &mut Store) -> Self {
        let mut streams = Vec::new();
        let mut known = <[BTreeMap<PageRef, PageRef>; 3]>::default();
        let [hot, cold, contacts] = &mut known;
        for stream in &self.streams {
            streams.push(Stream {
                ids: Arc::clone(&stream.ids),
                hot: from.hot.copy_into(&stream.hot, &mut to.hot, hot),
                cold: from.cold.copy_into(&stream.cold, &mut to.cold, cold),
                contacts: from.contacts.copy_into(&stream.contacts, &mut to.contacts, contacts),
                active: stream.active.clone(),
            });
        }
        Self { streams, events: self.events.clone(), gravity: self.gravity }
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
            to.cut(store, from.hot.len());
            for page in to.hot.len()..from.hot.len() {
                to.hot.push(from.hot[page]);
                to.cold.push(from.cold[page]);
                to.contacts.push(from.contacts[page]);
                to.active.push(from.active[page]);
                store.hot.share(from.hot[page]);
                store.cold.share(from.cold[page]);
                store.contacts.share(from.contacts[page]);
            }
        }
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
        let (mut all, mut shared) = (0, 0);
        for Stream { hot, cold, contacts, .. } in &self.streams {
            all += hot.len() + cold.len() + contacts.len();
            shared += hot.iter().filter(|page| store.hot.is_shared(**page)).count();
            shared += cold.iter().filter(|page| store.cold.is_shared(**page)).count();
            shared += contacts.iter().filter(|page| store.contacts.is_shared(**page)).count();
        }
        (all as u32, shared as u32)
    }

    pub(crate) fn release(&mut self, store: &mut Store) {
        self.streams.iter_mut().for_each(|stream| stream.cut(store, 0));
    }
}

impl Stream {
    /// A stream without pages.
    const fn new(ids: Arc<IdPool>) -> Self {
        Self { ids, hot: Vec::new(), cold: Vec::new(), contacts: Vec::new(), active: Vec::new() }
    }

    /// Releases the pages from a number on.
    fn cut(&mut self, store: &mut Store, from: usize) {
        let from = from.min(self.hot.len());
        self.hot.drain(from..).for_each(|page| store.hot.release(page));
        self.cold.drain(from..).for_each(|page| store.cold.release(page));
        self.contacts.drain(from..).for_each(|page| store.contacts.release(page));
        self.active.truncate(from);
    }
}

impl Store {
    /// Allocates a page of each kind, without bodies.
    fn empty_pages(&mut self) -> (PageRef, PageRef, PageRef) {
        // A page from the pool may have old content.
        let (mut hot, mut cold, mut contacts) =
            (self.hot.allocate(), self.cold.allocate(), self.contacts.allocate());
        *self.hot.overwrite(&mut hot) = HotPage::default();
        let empty = self.cold.overwrite(&mut cold);
        empty.live = 0;
        empty.shapes.clear();
        let empty = self.contacts.overwrite(&mut contacts);
        empty.rows.clear();
        empty.overlaps.clear();
        (hot, cold, contacts)
    }

    /// Bytes of all pages that these frames use and `without` does not.
    pub(crate) fn bytes_of<'a>(
        &self,
        frames: impl Iterator<Item = &'a Frame>,
        without: Option<&Frame>,
    ) -> u64 {
        let mut pages = [BTreeMap::new(), BTreeMap::new(), BTreeMap::new()];
        let mut visit = |frame: &Frame, counts: bool| {
            let bytes = |bytes: usize| if counts { bytes } else { 0 };
            for stream in &frame.streams {
                for page in &stream.hot {
                    pages[0].insert(page.number(), bytes(size_of::<HotPage>()));
                }
                for page in &stream.cold {
                    let shapes = self.cold.get(*page).shapes.len() * size_of::<ShapeRow>();
                    pages[1].insert(page.number(), bytes(size_of::<ColdPage>() + shapes));
                }
                for page in &stream.contacts {
                    let ContactPage { rows, overlaps } = self.contacts.get(*page);
                    let of_rows = rows.len() * size_of::<ContactRow>();
                    let of_overlaps = overlaps.len() * size_of::<Overlap>();
                    let all = size_of::<ContactPage>() + of_rows + of_overlaps;
                    pages[2].insert(page.number(), bytes(all));
                }
            }
        };
        frames.for_each(|frame| visit(frame, true));
        without.into_iter().for_each(|frame| visit(frame, false));
        pages.iter().flat_map(BTreeMap::values).map(|bytes| *bytes as u64).sum()
    }
}
