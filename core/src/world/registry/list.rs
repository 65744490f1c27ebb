//! Lists: kinds of rows that few bodies have. The rows of a page's bodies are sorted by body and key, and a page without rows is
//! missing.

use super::{PageKind, Store, Stream, Table, TableRow};
use crate::world::fields::Row;
use crate::world::frame::{Frame, Place};
use crate::world::page_bytes::{PageBodies, PagePlace, State, put_table};
use crate::world::pages::{Page, PageRef, Pages};
use crate::world::rows::BodyIndex;
use core::fmt::Debug;

/// A row of a list.
pub(crate) trait ListRow: Row + Copy + PartialEq + Debug + 'static {
    /// Distinguishes the rows of one body; `()` if a body has at most one.
    type Key: Copy + Ord + Debug;

    /// True if only commands change rows. False if the step changes them too, and takes care of them in a resimulation.
    const BY_COMMAND: bool = true;

    /// The body that has the row. Both are in one page, and the row is removed with the body.
    fn owner(&self) -> BodyIndex;

    fn key(&self) -> Self::Key;

    /// Another body that the row is about. Both exist.
    #[cfg_attr(not(feature = "test-internals"), allow(dead_code, reason = "for steps of subsets"))]
    fn partner(&self) -> Option<BodyIndex> {
        None
    }

    /// Checks every range that the step relies on, for a row of a snapshot. The bodies and contacts of `state` are complete.
    ///
    /// # Errors
    /// The violated condition.
    fn check(&self, state: State<'_>) -> Result<(), &'static str>;
}

/// A row of a registered list.
pub(crate) trait Listed: ListRow {
    const TABLE: Table;

    fn pages(store: &Store) -> &Pages<ListPage<Self>>;

    fn table(stream: &Stream) -> &[Option<PageRef>];

    fn both<'a>(
        store: &'a mut Store,
        stream: &'a mut Stream,
    ) -> (&'a mut Pages<ListPage<Self>>, &'a mut [Option<PageRef>]);
}

/// Visitor of all lists.
pub(crate) trait ListVisitor {
    type Error;

    /// # Errors
    /// Ends the visit.
    fn list<R: Listed>(&mut self) -> Result<(), Self::Error>;
}

/// The rows of 32 bodies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListPage<R> {
    /// Sorted by owner, then key.
    rows: Vec<R>,
}

impl<R> Default for ListPage<R> {
    fn default() -> Self {
        Self { rows: Vec::new() }
    }
}

impl<R: ListRow> Page for ListPage<R> {
    fn copy_from(&mut self, other: &Self) {
        self.rows.clone_from(&other.rows);
    }

    fn clear(&mut self) {
        self.rows.clear();
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.rows)
    }

    fn capacity(&self) -> usize {
        self.rows.capacity()
    }
}

impl<R: ListRow> ListPage<R> {
    pub(crate) fn rows(&self) -> &[R] {
        &self.rows
    }

    /// The range of a body's rows.
    fn range_of(&self, body: BodyIndex) -> core::ops::Range<usize> {
        let start = self.rows.partition_point(|row| row.owner() < body);
        start..start + self.rows[start..].partition_point(|row| row.owner() == body)
    }

    fn rows_of(&self, body: BodyIndex) -> &[R] {
        &self.rows[self.range_of(body)]
    }

    fn find(&self, owner: BodyIndex, key: R::Key) -> Result<usize, usize> {
        self.rows.binary_search_by_key(&(owner, key), |row| (row.owner(), row.key()))
    }
}

impl<R: ListRow> PageKind for ListPage<R> {
    const BY_COMMAND: bool = R::BY_COMMAND;

    fn covers(&self, _: PageBodies) -> Option<u32> {
        (!self.rows.is_empty()).then_some(0)
    }

    fn put(&self, _: PageBodies, out: &mut Vec<u8>) {
        put_table(self.rows.iter().copied(), out);
    }

    fn has_rows_of(&self, body: BodyIndex) -> bool {
        !self.rows_of(body).is_empty()
    }

    fn remove_rows_of(&mut self, body: BodyIndex) {
        self.rows.drain(self.range_of(body));
    }

    fn has_same_rows(&self, other: &Self, body: BodyIndex) -> bool {
        self.rows_of(body) == other.rows_of(body)
    }

    fn take_rows(&mut self, other: &Self, body: BodyIndex) {
        self.rows.splice(self.range_of(body), other.rows_of(body).iter().copied());
    }
}

impl<R: Listed> TableRow for R {
    const TABLE: Table = <R as Listed>::TABLE;

    fn rows(state: State<'_>) -> impl Iterator<Item = Self> {
        state.pages().flat_map(move |PagePlace { stream, page, .. }| {
            let page = R::table(stream)[page].map(|page| R::pages(state.store).get(page));
            page.into_iter().flat_map(|page| page.rows.iter().copied())
        })
    }
}

/// Rows of lists.
impl Frame {
    /// The rows of a body.
    pub(crate) fn rows_of<'a, R: Listed>(&self, store: &'a Store, body: BodyIndex) -> &'a [R] {
        let Place { stream, page, .. } = Place::of(body);
        let slot = self.streams.get(stream).and_then(|stream| *R::table(stream).get(page)?);
        slot.map_or(&[], |page| R::pages(store).get(page).rows_of(body))
    }

    /// The row of a body with a key.
    pub(crate) fn list_row<'a, R: Listed>(
        &self,
        store: &'a Store,
        owner: BodyIndex,
        key: R::Key,
    ) -> Option<&'a R> {
        let rows = self.rows_of::<R>(store, owner);
        Some(&rows[rows.binary_search_by_key(&key, R::key).ok()?])
    }

    /// Adds a row to a body that has pages, or replaces the row with the same key.
    pub(crate) fn set_list_row<R: Listed>(&mut self, store: &mut Store, row: R) {
        let Place { stream, page, .. } = Place::of(row.owner());
        let (pages, table) = R::both(store, &mut self.streams[stream]);
        let page = pages.write_slot(&mut table[page]);
        match page.find(row.owner(), row.key()) {
            Ok(at) => page.rows[at] = row,
            Err(at) => page.rows.insert(at, row),
        }
    }

    /// Removes a row. Returns false if there was none.
    pub(crate) fn remove_list_row<R: Listed>(
        &mut self,
        store: &mut Store,
        owner: BodyIndex,
        key: R::Key,
    ) -> bool {
        if self.list_row::<R>(store, owner, key).is_none() {
            return false;
        }
        let Place { stream, page, .. } = Place::of(owner);
        let (pages, table) = R::both(store, &mut self.streams[stream]);
        let page = pages.write_slot(&mut table[page]);
        page.find(owner, key).is_ok_and(|at| {
            page.rows.remove(at);
            true
        })
    }
}
