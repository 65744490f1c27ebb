//! Columns with a fence: while a cluster is worked on, a debug build panics when a row of another one is read or
//! written. In release builds a column is a vector.

use core::ops::{Index, IndexMut};

/// No cluster is open, or a body that is in none.
pub(crate) const NONE: u32 = u32::MAX;

/// Rows of the step's bodies, by place.
#[derive(Debug, Default)]
pub(crate) struct Column<T> {
    pub(crate) rows: Vec<T>,
    #[cfg(debug_assertions)]
    labels: Vec<u32>,
    #[cfg(debug_assertions)]
    open: Option<u32>,
}

impl<T: Clone + Default> Column<T> {
    /// Starts again with this many empty rows.
    pub(crate) fn reset(&mut self, count: usize) {
        self.rows.clear();
        self.rows.resize(count, T::default());
    }
}

impl<T> Column<T> {
    /// Learns whose row is whose: a label for each, [`NONE`] for what everybody may read.
    #[allow(
        clippy::missing_const_for_fn,
        unused_variables,
        reason = "it does nothing in release builds"
    )]
    pub(crate) fn fence(&mut self, labels: &[u32]) {
        #[cfg(debug_assertions)]
        {
            self.labels.clear();
            self.labels.extend_from_slice(labels);
        }
    }

    /// Lets in the cluster with this label only; [`NONE`] for all.
    #[inline(always)]
    #[allow(
        clippy::missing_const_for_fn,
        unused_variables,
        reason = "it does nothing in release builds"
    )]
    pub(crate) fn open(&mut self, label: u32) {
        #[cfg(debug_assertions)]
        {
            self.open = (label != NONE).then_some(label);
        }
    }

    #[inline(always)]
    #[allow(
        clippy::missing_const_for_fn,
        unused_variables,
        clippy::unused_self,
        reason = "it does nothing in release builds"
    )]
    fn check(&self, place: usize) {
        #[cfg(debug_assertions)]
        if let Some(open) = self.open {
            let label = self.labels[place];
            assert!(
                label == open || label == NONE,
                "a row of cluster {label} is read while cluster {open} is worked on: no result may depend on it"
            );
        }
    }
}

impl<T> Index<usize> for Column<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, place: usize) -> &T {
        self.check(place);
        &self.rows[place]
    }
}

impl<T> IndexMut<usize> for Column<T> {
    #[inline(always)]
    fn index_mut(&mut self, place: usize) -> &mut T {
        self.check(place);
        &mut self.rows[place]
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    fn fenced() -> Column<i32> {
        let mut column = Column::default();
        column.reset(3);
        column.fence(&[7, 9, NONE]);
        column.open(7);
        column
    }

    #[test]
    fn a_cluster_reads_its_own_rows_and_those_that_do_not_conduct() {
        let mut column = fenced();
        column[0] = 5;
        assert_eq!((column[0], column[2]), (5, 0));
        column.open(NONE);
        assert_eq!(column[1], 0);
    }

    #[test]
    #[should_panic(expected = "a row of cluster 9 is read while cluster 7 is worked on")]
    fn another_clusters_row_is_out_of_bounds() {
        let _ = fenced()[1];
    }
}
