//! Kinds of pages and of rows in tables: the functions that generated code calls for each of them.

use super::Table;
use crate::digest::Digest;
use crate::world::fields::Row;
use crate::world::page_bytes::{PageBodies, State};
use crate::world::pages::{Page, PageRef, Pages, Slot};
use crate::world::rows::BodyIndex;
use crate::world::snapshot::SnapshotRow;

/// Content of a page of one kind: rows that belong to the 32 bodies of the page.
pub(crate) trait PageKind: Page {
    /// True if the step never changes the rows of a body: only commands do.
    const BY_COMMAND: bool;

    /// The set of rows that the bytes of the page cover, as a number; `None` if it has no rows.
    fn covers(&self, at: PageBodies) -> Option<u32>;

    /// Appends its tables. The page has rows.
    fn put(&self, at: PageBodies, out: &mut Vec<u8>);

    /// Returns whether the page has rows that belong to this body alone. Rows about two bodies, like contacts, do not count: a step
    /// ends them.
    fn has_rows_of(&self, body: BodyIndex) -> bool;

    /// Removes the rows of a despawned body.
    fn remove_rows_of(&mut self, body: BodyIndex);

    /// Returns whether both pages have the same rows of a body.
    fn has_same_rows(&self, other: &Self, body: BodyIndex) -> bool;

    /// Replaces the rows of a body by those of another page.
    fn take_rows(&mut self, other: &Self, body: BodyIndex);
}

/// A row of a table.
pub(crate) trait TableRow: Row {
    const TABLE: Table;

    /// All rows of a state, in order.
    fn rows(state: State<'_>) -> impl Iterator<Item = Self>;
}

/// Visitor of all tables.
pub(crate) trait TableVisitor {
    fn table<R: SnapshotRow>(&mut self);
}

impl<T: PageKind> Pages<T> {
    /// Appends the tables of a page; nothing if it has no rows.
    pub(super) fn put_page(&self, slot: impl Slot, at: PageBodies, out: &mut Vec<u8>) {
        let page = slot.page().map(|page| self.get(page));
        if let Some(page) = page.filter(|page| page.covers(at).is_some()) {
            page.put(at, out);
        }
    }

    /// Digest of a page, from its cache if the page has one; `None` if it has no rows.
    pub(super) fn page_digest(
        &self,
        slot: impl Slot,
        at: PageBodies,
        buffer: &mut Vec<u8>,
    ) -> Option<Digest> {
        let page = slot.page()?;
        let rows = self.get(page).covers(at)?;
        Some(self.digest(page, rows, |page| {
            buffer.clear();
            page.put(at, buffer);
            Digest::of(buffer)
        }))
    }

    /// Calls a function with each page of a table and its memory in bytes.
    pub(super) fn each_page(&self, table: &[impl Slot], mut visit: impl FnMut(PageRef, usize)) {
        let pages = table.iter().filter_map(|slot| slot.page());
        pages.for_each(|page| visit(page, self.get(page).bytes()));
    }

    pub(super) fn remove_rows(&mut self, slot: &mut impl Slot, body: BodyIndex) {
        if slot.page().is_some_and(|page| self.get(page).has_rows_of(body)) {
            self.write_slot(slot).remove_rows_of(body);
        }
    }

    /// Takes the rows of a body from another page of the pool if only commands change them. Returns whether they differed.
    pub(super) fn take_commanded_rows<S: Slot>(
        &mut self,
        slot: &mut S,
        from: S,
        body: BodyIndex,
    ) -> bool {
        if !T::BY_COMMAND {
            return false;
        }
        let (Some(from), Some(to)) = (from.page(), slot.page()) else {
            return self.take_from_missing(slot, from, body);
        };
        if from == to || self.get(from).has_same_rows(self.get(to), body) {
            return false;
        }
        let mut page = to;
        let mut new = self.take_for_writing(&mut page, 0);
        new.copy_from(self.get(to));
        new.take_rows(self.get(from), body);
        self.put(page, new, to);
        *slot = S::of(page);
        true
    }

    /// Does the same if one of the two pages is missing.
    fn take_from_missing<S: Slot>(&mut self, slot: &mut S, from: S, body: BodyIndex) -> bool {
        let has_rows = |slot: S| slot.page().is_some_and(|page| self.get(page).has_rows_of(body));
        if has_rows(*slot) {
            self.write_slot(slot).remove_rows_of(body);
            true
        } else if has_rows(from)
            && let Some(from) = from.page()
        {
            let mut new = T::default();
            new.take_rows(self.get(from), body);
            *self.write_slot(slot) = new;
            true
        } else {
            false
        }
    }

    /// Copies the rows of a body from a page of another pool.
    #[cfg(feature = "test-support")]
    pub(super) fn copy_rows<S: Slot>(
        &mut self,
        slot: &mut S,
        from: &Self,
        page: S,
        body: BodyIndex,
    ) {
        let page = page.page().map(|page| from.get(page));
        if let Some(page) = page.filter(|page| page.has_rows_of(body)) {
            self.write_slot(slot).take_rows(page, body);
        }
    }
}
