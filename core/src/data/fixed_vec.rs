//! `FixedVec`: a short list of plain values stored inline.
//!
//! `arrayvec` is the usual choice, but its unused tail is uninitialised: two equal lists may differ
//! in memory, and a row that holds one is not `Copy`. Here the tail always holds the default value.
//! Equal lists have equal fields, tail included, and are copied, hashed and compared as plain data.

use core::fmt;
use core::ops::{Deref, DerefMut};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Error of pushing to a full list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the list is full at {capacity} values; remove one first or use a larger capacity")]
pub struct CapacityExceeded {
    /// The number of values that the list can hold.
    pub capacity: u32,
}

/// Up to `N` (at most 255) plain values, stored inline.
///
/// ```
/// use isostep_core::internals::FixedVec;
/// let mut points = FixedVec::<u32, 4>::new();
/// points.push(7)?;
/// points.push(9)?;
/// assert_eq!(points.swap_remove(0), Some(7));
/// assert_eq!(&points[..], [9]);
/// # Ok::<(), isostep_core::internals::CapacityExceeded>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FixedVec<T, const N: usize> {
    /// Values past `len` are `T::default()`.
    values: [T; N],
    len: u8,
}

impl<T: Copy + Default, const N: usize> FixedVec<T, N> {
    /// The capacity. A compile-time check keeps it within the one-byte length.
    pub const CAPACITY: u32 = {
        assert!(N <= u8::MAX as usize, "a FixedVec holds at most 255 values");
        N as u32
    };

    /// An empty list.
    pub fn new() -> Self {
        let _ = Self::CAPACITY;
        Self { values: [T::default(); N], len: 0 }
    }

    /// Appends a value.
    ///
    /// # Errors
    /// If the list is full. The list is then unchanged.
    #[inline]
    pub fn push(&mut self, value: T) -> Result<(), CapacityExceeded> {
        let place = self
            .values
            .get_mut(usize::from(self.len))
            .ok_or(CapacityExceeded { capacity: Self::CAPACITY })?;
        *place = value;
        self.len += 1;
        Ok(())
    }

    /// Removes the last value.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let last = self.len.checked_sub(1)?;
        self.len = last;
        Some(core::mem::take(&mut self.values[usize::from(last)]))
    }

    /// Removes a value and moves the last one to its index.
    #[inline]
    pub fn swap_remove(&mut self, index: usize) -> Option<T> {
        let value = *self.get(index)?;
        let last = self.pop()?;
        if index < usize::from(self.len) {
            self.values[index] = last;
        }
        Some(value)
    }

    /// Removes every value.
    #[inline]
    pub fn clear(&mut self) {
        *self = Self::new();
    }
}

impl<T: Copy + Default, const N: usize> Default for FixedVec<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize> Deref for FixedVec<T, N> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        &self.values[..usize::from(self.len)]
    }
}

impl<T, const N: usize> DerefMut for FixedVec<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[..usize::from(self.len)]
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for FixedVec<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&**self).finish()
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a FixedVec<T, N> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Copy + Default, const N: usize> TryFrom<&[T]> for FixedVec<T, N> {
    type Error = CapacityExceeded;
    fn try_from(values: &[T]) -> Result<Self, CapacityExceeded> {
        let mut list = Self::new();
        values.iter().try_for_each(|value| list.push(*value))?;
        Ok(list)
    }
}

impl<T: Serialize, const N: usize> Serialize for FixedVec<T, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&**self)
    }
}

impl<'de, T: Copy + Default + Deserialize<'de>, const N: usize> Deserialize<'de>
    for FixedVec<T, N>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Visitor(core::marker::PhantomData))
    }
}

struct Visitor<T, const N: usize>(core::marker::PhantomData<T>);

impl<'de, T: Copy + Default + Deserialize<'de>, const N: usize> de::Visitor<'de> for Visitor<T, N> {
    type Value = FixedVec<T, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {N} values")
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = FixedVec::new();
        while let Some(value) = seq.next_element()? {
            list.push(value).map_err(de::Error::custom)?;
        }
        Ok(list)
    }
}
