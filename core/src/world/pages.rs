//! Pages: blocks of rows, counted by how many frames share them. Writing to a shared page copies it first, so
//! an older frame never changes, and a page nobody touched costs nothing to keep.
//!
//! Pages live in one pool and are named by their place in it. Those places never reach saved bytes or decide
//! an order.
//!
//! Each page keeps the digest that was last taken of it until it is written, so what frames share is hashed once.

use crate::digest::Digest;
use std::sync::OnceLock;

/// The place of a page in its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageRef(u32);

impl PageRef {
    /// For counting; it means nothing else.
    pub(crate) const fn number(self) -> u32 {
        self.0
    }
}

/// Something that can take over another one's content without allocating, where it has room.
pub(crate) trait Page: Default {
    fn copy_from(&mut self, other: &Self);
}

/// A pool of pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pages<T> {
    content: Vec<T>,
    /// How many frames hold each page; 0 for pages in `free`.
    holders: Vec<u32>,
    free: Vec<u32>,
    /// Digest of each page since it was last written, and which of its rows it was taken of.
    digests: Vec<OnceLock<(u32, Digest)>>,
}

impl<T: Page> Pages<T> {
    /// A page with one holder and whatever content it last had.
    pub(crate) fn allocate(&mut self) -> PageRef {
        if let Some(place) = self.free.pop() {
            self.holders[place as usize] = 1;
            self.digests[place as usize] = OnceLock::new();
            return PageRef(place);
        }
        self.content.push(T::default());
        self.holders.push(1);
        self.digests.push(OnceLock::new());
        // Room for its return, so that releasing never allocates.
        self.free.reserve(self.content.len() - self.free.len());
        PageRef(self.content.len() as u32 - 1)
    }

    /// A page of its own with this content.
    pub(crate) fn add(&mut self, content: &T) -> PageRef {
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
            self.free.push(page.0);
        }
    }

    #[inline]
    pub(crate) fn get(&self, page: PageRef) -> &T {
        &self.content[page.0 as usize]
    }

    /// The page for writing: itself when nobody else holds it, else a copy that takes its place.
    pub(crate) fn write(&mut self, page: &mut PageRef) -> &mut T {
        self.write_most(page, |from, to| to.copy_from(from))
    }

    /// The same for who is going to write most of it: `keep` copies what stays as it is.
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

    /// The content of a page for writing, whatever it last was, taken out so that others can be read meanwhile. The page
    /// that it replaces stays readable until [`Self::put`] brings the content back.
    pub(crate) fn take_for_writing(&mut self, page: &mut PageRef) -> T {
        *page = self.allocate();
        core::mem::take(&mut self.content[page.0 as usize])
    }

    /// Brings back what [`Self::take_for_writing`] took and lets go of the page that it replaces.
    pub(crate) fn put(&mut self, page: PageRef, content: T, replaced: PageRef) {
        *self.written(page) = content;
        self.release(replaced);
    }

    /// A page for writing whose former content does not matter.
    pub(crate) fn overwrite(&mut self, page: &mut PageRef) -> &mut T {
        if self.holders[page.0 as usize] > 1 {
            let old = *page;
            *page = self.allocate();
            self.release(old);
        }
        self.written(*page)
    }

    /// The content for writing, after which a digest of it would be stale.
    fn written(&mut self, page: PageRef) -> &mut T {
        self.digests[page.0 as usize] = OnceLock::new();
        &mut self.content[page.0 as usize]
    }

    /// The digest of some rows of a page: what was last taken of the same rows, or what `take` makes of the content.
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
        // Of other rows only when a body of the page was despawned since; then it is taken every time.
        let _ = known.set((rows, digest));
        digest
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
