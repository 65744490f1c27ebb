//! Typed indices: a type for each index space, so that the compiler catches a mix-up of two spaces.
//!
//! An index is a `u32` in memory, and its conversions are free. [`IndexSet`] is a bit set of one space.

use super::BitSet;
use core::marker::PhantomData;

/// An index of one space.
pub(crate) trait TypedIndex: Copy + Ord {
    /// The index with this number.
    fn new(number: u32) -> Self;

    /// The number of the index.
    fn get(self) -> u32;
}

/// Defines index types. They print as their number.
macro_rules! index_types {
    ($($(#[$attribute:meta])* $name:ident;)*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub(crate) struct $name(u32);

        impl $name {
            /// The index with this number.
            #[inline(always)]
            pub(crate) const fn new(number: u32) -> Self {
                Self(number)
            }

            /// The number of the index.
            #[inline(always)]
            pub(crate) const fn get(self) -> u32 {
                self.0
            }
        }

        impl $crate::data::index::TypedIndex for $name {
            #[inline(always)]
            fn new(number: u32) -> Self {
                Self::new(number)
            }

            #[inline(always)]
            fn get(self) -> u32 {
                self.get()
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

pub(crate) use index_types;

/// A set of indices of one space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexSet<I> {
    bits: BitSet,
    index: PhantomData<fn(I)>,
}

impl<I: TypedIndex> IndexSet<I> {
    pub(crate) const fn new() -> Self {
        Self { bits: BitSet::new(), index: PhantomData }
    }

    /// The number of indices in the set.
    pub(crate) const fn len(&self) -> u32 {
        self.bits.len()
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    #[inline]
    pub(crate) fn contains(&self, index: I) -> bool {
        self.bits.contains(index.get())
    }

    /// Returns `true` if the index was not in the set.
    #[inline]
    pub(crate) fn insert(&mut self, index: I) -> bool {
        self.bits.insert(index.get())
    }

    /// Returns `true` if the index was in the set.
    #[inline]
    pub(crate) fn remove(&mut self, index: I) -> bool {
        self.bits.remove(index.get())
    }

    pub(crate) fn clear(&mut self) {
        self.bits.clear();
    }

    pub(crate) fn union_with(&mut self, other: &Self) {
        self.bits.union_with(&other.bits);
    }

    /// Iterates in ascending order.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = I> {
        self.bits.iter().map(I::new)
    }
}

impl<I: TypedIndex> Default for IndexSet<I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: TypedIndex> FromIterator<I> for IndexSet<I> {
    fn from_iter<Iter: IntoIterator<Item = I>>(indices: Iter) -> Self {
        Self { bits: indices.into_iter().map(I::get).collect(), index: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    index_types! {
        Seat;
    }

    #[test]
    fn a_set_returns_its_indices_in_order() {
        let seats = [7, 300, 0].map(Seat::new);
        let set: IndexSet<Seat> = seats.into_iter().collect();
        assert!(set.iter().eq([0, 7, 300].map(Seat::new)));
        assert!(set.contains(seats[1]) && !set.contains(Seat::new(1)));
    }
}
