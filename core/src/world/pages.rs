//! Pages: blocks of rows with a reference count, shared between frames. A write to a shared page copies it first, so older
//! frames never change and an unchanged page costs nothing.
//!
//! Pages are stored in one pool and referred to by their position in it. Positions are never saved and never decide an order.
//!
//! A page caches its last digest until it is written, so a page that frames share is hashed once.

use crate::digest::Digest;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::OnceLock;

/// Position of a page in its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PageRef(u32);

impl PageRef {
    /// Number for counting distinct pages.
    pub(crate) const fn number(self) -> u32 {
        self.0
    }
}

/// Content that can be copied without an allocation if the target has capacity.
pub(crate) trait Page: Default {
    fn copy_from(&mut self, other: &Self);

    /// Removes all rows and keeps the capacity.
    fn clear(&mut self);

    /// Memory of its rows, bytes.
    fn bytes(&self) -> usize;

    /// Number of rows that the page has capacity for, if that differs between pages.
    fn capacity(&self) -> usize {
        0
    }
}

/// Entry of a page table, which has one for every 32 bodies of a stream.
pub(crate) trait Slot: Copy {
    /// The page, if there is one.
    fn page(self) -> Option<PageRef>;

    fn of(page: PageRef) -> Self;

    /// An entry without rows.
    fn empty<T: Page>(pages: &mut Pages<T>) -> Self;
}

/// Of a kind that every body has rows of.
impl Slot for PageRef {
    #[inline]
    fn page(self) -> Option<PageRef> {
        Some(self)
    }

    fn of(page: PageRef) -> Self {
        page
    }

    fn empty<T: Page>(pages: &mut Pages<T>) -> Self {
        pages.allocate_empty()
    }
}

/// Of a kind that few bodies have rows of. A missing page has no rows.
impl Slot for Option<PageRef> {
    #[inline]
    fn page(self) -> Option<PageRef> {
        self
    }

    fn of(page: PageRef) -> Self {
        Some(page)
    }

    fn empty<T: Page>(_: &mut Pages<T>) -> Self {
        None
    }
}

/// Number of size classes of free pages: no rows, up to 1, 2 to 3, 4 to 7, …, 8,192 or more.
const CLASSES: usize = 15;

/// Class of a page with this capacity: its number of bits.
fn class_of(capacity: usize) -> usize {
    ((usize::BITS - capacity.leading_zeros()) as usize).min(CLASSES - 1)
}

/// Lowest class whose pages all have capacity for this number of rows; of the last class, some may not.
fn class_for(rows: usize) -> usize {
    if rows == 0 { 0 } else { class_of(rows.next_power_of_two()) }
}

/// A pool of pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pages<T> {
    content: Vec<T>,
    /// Number of frames that hold each page; 0 for pages in `free`.
    holders: Vec<u32>,
    /// Free pages by size class, so that a page with many rows is written to one that had as many.
    free: [Vec<u32>; CLASSES],
    /// Digest of each page since its last write, with the set of rows it covers.
    digests: Vec<OnceLock<(u32, Digest)>>,
}

impl<T: Page> Pages<T> {
    /// Allocates a page with one holder and unspecified content.
    pub(crate) fn allocate(&mut self) -> PageRef {
        self.allocate_for(0)
    }

    /// Allocates a page, if possible one with capacity for this number of rows.
    fn allocate_for(&mut self, rows: usize) -> PageRef {
        let (small, large) = self.free.split_at_mut(class_for(rows));
        // The smallest that suffice come first, then the largest of the others.
        if let Some(place) = large.iter_mut().chain(small.iter_mut().rev()).find_map(Vec::pop) {
            self.holders[place as usize] = 1;
            self.digests[place as usize] = OnceLock::new();
            return PageRef(place);
        }
        self.content.push(T::default());
        self.holders.push(1);
        self.digests.push(OnceLock::new());
        // Capacity for its return, so that releasing a page never allocates.
        for free in &mut self.free {
            free.reserve(self.content.len() - free.len());
        }
        PageRef(self.content.len() as u32 - 1)
    }

    /// Allocates a page without rows.
    fn allocate_empty(&mut self) -> PageRef {
        let page = self.allocate();
        // A page from the pool may have old content.
        self.written(page).clear();
        page
    }

    /// Allocates a page with a copy of this content.
    fn add(&mut self, content: &T) -> PageRef {
        let page = self.allocate();
        self.content[page.0 as usize].copy_from(content);
        page
    }

    pub(crate) fn share(&mut self, page: PageRef) {
        self.holders[page.0 as usize] += 1;
    }

    pub(crate) fn is_shared(&self, page: PageRef) -> bool {
        self.holders[page.0 as usize] > 1
    }

    pub(crate) fn release(&mut self, page: PageRef) {
        let holders = &mut self.holders[page.0 as usize];
        *holders -= 1;
        if *holders == 0 {
            let capacity = self.content[page.0 as usize].capacity();
            self.free[class_of(capacity)].push(page.0);
        }
    }

    #[inline]
    pub(crate) fn get(&self, page: PageRef) -> &T {
        &self.content[page.0 as usize]
    }

    /// Returns the page for writing. If it is shared, a copy replaces it first.
    pub(crate) fn write(&mut self, page: &mut PageRef) -> &mut T {
        self.write_most(page, |from, to| to.copy_from(from))
    }

    /// Like [`Self::write`], for writers that overwrite most of the page: `keep` copies only the rows that stay.
    pub(crate) fn write_most(
        &mut self,
        page: &mut PageRef,
        keep: impl FnOnce(&T, &mut T),
    ) -> &mut T {
        if self.holders[page.0 as usize] > 1 {
            let old = *page;
            *page = self.allocate();
            self.release(old);
            let (from, to) = pair(&mut self.content, old.0 as usize, page.0 as usize);
            keep(from, to);
        }
        self.written(*page)
    }

    /// Takes out a page's content, unspecified, for writing about this number of rows, so that other pages can be read meanwhile.
    /// The replaced page stays readable until [`Self::put`] returns the content.
    pub(crate) fn take_for_writing(&mut self, page: &mut PageRef, rows: usize) -> T {
        *page = self.allocate_for(rows);
        core::mem::take(&mut self.content[page.0 as usize])
    }

    /// Returns content from [`Self::take_for_writing`] and releases the replaced page.
    pub(crate) fn put(&mut self, page: PageRef, content: T, replaced: PageRef) {
        *self.written(page) = content;
        self.release(replaced);
    }

    /// Returns the content for writing and drops the cached digest.
    fn written(&mut self, page: PageRef) -> &mut T {
        self.digests[page.0 as usize] = OnceLock::new();
        &mut self.content[page.0 as usize]
    }

    /// Digest of some rows of a page: the cached one if it covers the same rows, else computed by `take`.
    pub(crate) fn digest(
        &self,
        page: PageRef,
        rows: u32,
        take: impl FnOnce(&T) -> Digest,
    ) -> Digest {
        let known = &self.digests[page.0 as usize];
        if let Some((of, digest)) = known.get()
            && *of == rows
        {
            return *digest;
        }
        let digest = take(self.get(page));
        // The rows differ only if a body of the page was despawned since. Then the digest is computed every time.
        let _ = known.set((rows, digest));
        digest
    }
}

/// Page tables.
impl<T: Page> Pages<T> {
    /// Appends all pages of another table, shared.
    pub(crate) fn share_table<S: Slot>(&mut self, to: &mut Vec<S>, from: &[S]) {
        to.extend_from_slice(from);
        from.iter().filter_map(|slot| slot.page()).for_each(|page| self.share(page));
    }

    /// Appends entries without rows. All but the last share one page until something is written to it.
    pub(crate) fn extend_table<S: Slot>(&mut self, table: &mut Vec<S>, missing: usize) {
        let Some(before) = missing.checked_sub(1) else { return };
        if before > 0 {
            let shared = S::empty(self);
            table.push(shared);
            for _ in 1..before {
                self.share_table(table, &[shared]);
            }
        }
        table.push(S::empty(self));
    }

    /// Returns a table with copies of the pages of another pool, each once, also if the table has it several times.
    pub(crate) fn copy_table<S: Slot>(&mut self, other: &Self, table: &[S]) -> Vec<S> {
        let mut known = BTreeMap::new();
        let copied = table.iter().map(|slot| {
            let Some(page) = slot.page() else { return S::empty(self) };
            S::of(match known.entry(page) {
                Entry::Occupied(copy) => {
                    self.share(*copy.get());
                    *copy.get()
                }
                Entry::Vacant(entry) => *entry.insert(self.add(other.get(page))),
            })
        });
        copied.collect()
    }

    /// Removes the entries from a number on, and releases their pages.
    pub(crate) fn cut_table<S: Slot>(&mut self, table: &mut Vec<S>, from: usize) {
        let cut = table.drain(from.min(table.len())..);
        cut.filter_map(Slot::page).for_each(|page| self.release(page));
    }

    /// Returns the number of pages in a table, and the number of those shared with another frame.
    pub(crate) fn count_table<S: Slot>(&self, table: &[S]) -> (usize, usize) {
        let pages = || table.iter().filter_map(|slot| slot.page());
        (pages().count(), pages().filter(|page| self.is_shared(*page)).count())
    }

    /// Returns the page of an entry for writing. If it is shared, a copy replaces it first; if it is missing, a page without rows.
    pub(crate) fn write_slot<S: Slot>(&mut self, slot: &mut S) -> &mut T {
        let mut page = slot.page().unwrap_or_else(|| self.allocate_empty());
        let content = self.write(&mut page);
        *slot = S::of(page);
        content
    }
}

fn pair<T>(items: &mut [T], from: usize, to: usize) -> (&T, &mut T) {
    if from < to {
        let (low, high) = items.split_at_mut(to);
        (&low[from], &mut high[0])
    } else {
        let (low, high) = items.split_at_mut(from);
        (&high[0], &mut low[to])
    }
}
