//! Pages: blocks of rows, counted by how many slots share them. Writing to a shared page copies it first, so
//! an older slot never changes, and a page nobody touched costs nothing to keep.
//!
//! Pages live in one pool and are named by their place in it. Those places never reach saved bytes or decide
//! an order.

/// The place of a page in its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageRef(u32);

/// Something that can take over another one's content without allocating, where it has room.
pub(crate) trait Page: Default {
    fn copy_from(&mut self, other: &Self);
}

/// A pool of pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pages<T> {
    content: Vec<T>,
    /// How many slots hold each page; 0 for pages in `free`.
    holders: Vec<u32>,
    free: Vec<u32>,
}

impl<T: Page> Pages<T> {
    /// A page with one holder and whatever content it last had.
    pub(crate) fn allocate(&mut self) -> PageRef {
        if let Some(place) = self.free.pop() {
            self.holders[place as usize] = 1;
            return PageRef(place);
        }
        self.content.push(T::default());
        self.holders.push(1);
        // Room for its return, so that releasing never allocates.
        self.free.reserve(self.content.len() - self.free.len());
        PageRef(self.content.len() as u32 - 1)
    }

    pub(crate) fn share(&mut self, page: PageRef) {
        self.holders[page.0 as usize] += 1;
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
        if self.holders[page.0 as usize] > 1 {
            let old = *page;
            *page = self.allocate();
            self.release(old);
            let (from, to) = pair(&mut self.content, old.0 as usize, page.0 as usize);
            to.copy_from(from);
        }
        &mut self.content[page.0 as usize]
    }

    /// As [`Self::overwrite`], with another page, which must not be the only holder's same one, to read from.
    pub(crate) fn overwrite_beside(
        &mut self,
        page: &mut PageRef,
        other: Option<PageRef>,
    ) -> (Option<&T>, &mut T) {
        self.overwrite(page);
        match other {
            Some(other) if other != *page => {
                let (from, to) = pair(&mut self.content, other.0 as usize, page.0 as usize);
                (Some(from), to)
            }
            _ => (None, &mut self.content[page.0 as usize]),
        }
    }

    /// A page for writing whose former content does not matter.
    pub(crate) fn overwrite(&mut self, page: &mut PageRef) -> &mut T {
        if self.holders[page.0 as usize] > 1 {
            let old = *page;
            *page = self.allocate();
            self.release(old);
        }
        &mut self.content[page.0 as usize]
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
