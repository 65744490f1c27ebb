//! Typed indices: a type for each index space, so that the compiler catches a mix-up of two spaces.
//!
//! An index is a `u32` in memory, and its conversions are free. [`Column`] is a list indexed by one space, [`IndexSet`] a bit
//! set of one space, [`Optional`] an `Option` of an index in four bytes.

use super::BitSet;
use core::fmt;
use core::marker::PhantomData;

/// An index of one space.
pub(crate) trait TypedIndex: Copy + Ord {
    /// The index with this number.
    fn new(number: u32) -> Self;

    /// The number of the index.
    fn get(self) -> u32;

    /// The index of a position in a list. Lists that use it have fewer than 2³² entries.
    #[inline(always)]
    fn from_position(position: usize) -> Self {
        Self::new(position as u32)
    }

    /// The position in a list.
    #[inline(always)]
    fn position(self) -> usize {
        self.get() as usize
    }
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

/// Makes slices of these types indexable by an index type. For columns that are parts of longer lists, which [`Column`] can't
/// be.
macro_rules! index_slices {
    ($index:ty: $($item:ty),*) => {$(
        impl core::ops::Index<$index> for [$item] {
            type Output = $item;

            #[inline(always)]
            fn index(&self, index: $index) -> &$item {
                &self[index.get() as usize]
            }
        }

        impl core::ops::IndexMut<$index> for [$item] {
            #[inline(always)]
            fn index_mut(&mut self, index: $index) -> &mut $item {
                &mut self[index.get() as usize]
            }
        }
    )*};
}

pub(crate) use index_slices;

/// `Option` of an index, in four bytes: number 2³² − 1 is reserved for none.
///
/// Not an `Option` of an index over `NonZeroU32`, because each use of such an index as an offset costs a conversion.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Optional<I>(I);

impl<I: TypedIndex> Optional<I> {
    #[inline(always)]
    pub(crate) fn none() -> Self {
        Self(I::new(u32::MAX))
    }

    #[inline(always)]
    pub(crate) fn some(index: I) -> Self {
        debug_assert!(index.get() != u32::MAX, "2³² − 1 is reserved for none");
        Self(index)
    }

    #[inline(always)]
    pub(crate) fn get(self) -> Option<I> {
        if self.0.get() == u32::MAX { None } else { Some(self.0) }
    }

    /// The lesser of two indices, or the given one if there is none yet.
    #[inline(always)]
    pub(crate) fn min(self, index: I) -> Self {
        Self(self.0.min(index))
    }

    /// A sort key: the number of the index; none is last.
    #[inline(always)]
    pub(crate) fn order(self) -> u64 {
        u64::from(self.0.get())
    }
}

impl<I: TypedIndex> Default for Optional<I> {
    fn default() -> Self {
        Self::none()
    }
}

impl<I: TypedIndex> From<Option<I>> for Optional<I> {
    #[inline(always)]
    fn from(index: Option<I>) -> Self {
        index.map_or_else(Self::none, Self::some)
    }
}

impl<I: TypedIndex + fmt::Debug> fmt::Debug for Optional<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// A list indexed by `I`.
pub(crate) struct Column<I, T> {
    items: Vec<T>,
    index: PhantomData<fn(I)>,
}

impl<I: TypedIndex, T> Column<I, T> {
    pub(crate) const fn len(&self) -> usize {
        self.items.len()
    }

    /// The index that the next pushed entry gets.
    #[inline]
    pub(crate) fn end(&self) -> I {
        I::from_position(self.items.len())
    }

    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        self.items.push(item);
    }

    pub(crate) fn clear(&mut self) {
        self.items.clear();
    }

    /// Restarts with `len` equal entries. Allocates only to grow.
    pub(crate) fn reset(&mut self, len: usize, item: T)
    where
        T: Clone,
    {
        self.items.clear();
        self.items.resize(len, item);
    }

    /// Cuts or extends the column to `len` entries.
    pub(crate) fn resize(&mut self, len: usize, item: T)
    where
        T: Clone,
    {
        self.items.resize(len, item);
    }

    #[inline]
    pub(crate) fn get(&self, index: I) -> Option<&T> {
        self.items.get(index.position())
    }

    pub(crate) fn iter(&self) -> core::slice::Iter<'_, T> {
        self.items.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> core::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// Iterates over the entries with their indices.
    #[inline]
    pub(crate) fn entries(&self) -> impl Iterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(position, item)| (I::from_position(position), item))
    }

    /// The entries without their index space, for loops over positions.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[T] {
        &self.items
    }

    #[inline]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// The list without its index space.
    pub(crate) const fn as_mut_vec(&mut self) -> &mut Vec<T> {
        &mut self.items
    }
}

impl<I, T> Extend<T> for Column<I, T> {
    #[inline]
    fn extend<Iter: IntoIterator<Item = T>>(&mut self, items: Iter) {
        self.items.extend(items);
    }
}

impl<I, T> Default for Column<I, T> {
    fn default() -> Self {
        Self { items: Vec::new(), index: PhantomData }
    }
}

impl<I, T: Clone> Clone for Column<I, T> {
    fn clone(&self) -> Self {
        Self { items: self.items.clone(), index: PhantomData }
    }
}

impl<I, T: fmt::Debug> fmt::Debug for Column<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

impl<I: TypedIndex, T> core::ops::Index<I> for Column<I, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, index: I) -> &T {
        &self.items[index.position()]
    }
}

impl<I: TypedIndex, T> core::ops::IndexMut<I> for Column<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.items[index.position()]
    }
}

impl<'a, I, T> IntoIterator for &'a Column<I, T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> core::slice::Iter<'a, T> {
        self.items.iter()
    }
}

impl<'a, I, T> IntoIterator for &'a mut Column<I, T> {
    type Item = &'a mut T;
    type IntoIter = core::slice::IterMut<'a, T>;

    fn into_iter(self) -> core::slice::IterMut<'a, T> {
        self.items.iter_mut()
    }
}

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

    /// Reserves capacity for indices with numbers below `end`.
    pub(crate) fn reserve(&mut self, end: u32) {
        self.bits.reserve(end);
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
    fn an_optional_index_takes_four_bytes() {
        assert_eq!(size_of::<Optional<Seat>>(), 4);
        assert_eq!(Optional::<Seat>::from(None).get(), None);
        for number in [0, 1, u32::MAX - 1] {
            assert_eq!(Optional::from(Some(Seat::new(number))).get(), Some(Seat::new(number)));
        }
    }

    #[test]
    fn a_column_gives_the_entry_of_an_index() {
        let mut names = Column::<Seat, &str>::default();
        let first = names.end();
        names.push("ada");
        let second = names.end();
        names.push("bob");
        assert_eq!((names[first], names[second]), ("ada", "bob"));
        names[first] = "eve";
        assert!(names.entries().eq([(first, &"eve"), (second, &"bob")]));
    }

    #[test]
    fn a_set_returns_its_indices_in_order() {
        let seats = [7, 300, 0].map(Seat::new);
        let set: IndexSet<Seat> = seats.into_iter().collect();
        assert!(set.iter().eq([0, 7, 300].map(Seat::new)));
        assert!(set.contains(seats[1]) && !set.contains(Seat::new(1)));
    }
}
