//! `SlotMap`: values with stable ids, iterated in the order of their indices.

use super::{Id, IdPool, PoolFull};
use serde::{Deserialize, Serialize, Serializer, de};

/// A map from [`Id`]s to values. An id never resolves to another value.
///
/// # Why not…
/// - **a `Vec`**: removing shifts or swaps indices, and a kept index then refers to another value.
/// - **a `HashMap`**: its iteration order is random, and the order leaks into the simulation.
/// - **the `slotmap` crate**: saving drops the order of its free list, so a world that was saved
///   and loaded allocates other ids than one that was not (law 1; a test in `tests/containers.rs`
///   shows it). Its generations also wrap around and repeat ids.
///
/// Here the state is only the values and their generations. A new value takes the lowest free
/// index, so ids stay small and dense, and iteration touches little memory.
///
/// ```
/// use isostep_core::SlotMap;
/// let mut names = SlotMap::new();
/// let ada = names.insert("ada")?;
/// let bob = names.insert("bob")?;
/// assert_eq!(names.remove(ada), Some("ada"));
/// assert_eq!(names.get(ada), None);
/// assert_eq!(names[bob], "bob");
/// # Ok::<(), isostep_core::internals::PoolFull>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(bound = "T: Serialize")]
pub struct SlotMap<T> {
    ids: IdPool,
    #[serde(serialize_with = "save_values")]
    values: Vec<Option<T>>,
}

/// Saves a value as a list of one. JSON writes `Some(())` and `Some(None)` as `null`, which is also
/// a free slot. Binary formats are unambiguous and write no bytes for the list.
fn save_values<T: Serialize, S: Serializer>(
    values: &[Option<T>],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|value| value.as_ref().map(|v| (v,))))
}

impl<T> Default for SlotMap<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> SlotMap<T> {
    /// An empty map.
    pub const fn new() -> Self {
        Self { ids: IdPool::new(), values: Vec::new() }
    }

    /// Inserts a value at the lowest free index.
    ///
    /// # Errors
    /// If all 2³² − 1 indices are in use. The map is then unchanged.
    pub fn insert(&mut self, value: T) -> Result<Id, PoolFull> {
        let id = self.ids.allocate()?;
        let slot = id.index() as usize;
        if slot == self.values.len() {
            self.values.push(Some(value));
        } else {
            self.values[slot] = Some(value);
        }
        Ok(id)
    }

    /// Removes a value; `None` if the id is stale.
    pub fn remove(&mut self, id: Id) -> Option<T> {
        if self.ids.free(id) { self.values[id.index() as usize].take() } else { None }
    }

    /// Returns `true` if the id resolves to a value.
    #[inline]
    pub fn contains(&self, id: Id) -> bool {
        self.ids.is_live(id)
    }

    /// The value of an id; `None` if the id is stale.
    #[inline]
    pub fn get(&self, id: Id) -> Option<&T> {
        if self.ids.is_live(id) { self.values[id.index() as usize].as_ref() } else { None }
    }

    /// The value of an id; `None` if the id is stale.
    #[inline]
    pub fn get_mut(&mut self, id: Id) -> Option<&mut T> {
        if self.ids.is_live(id) { self.values[id.index() as usize].as_mut() } else { None }
    }

    /// The number of values.
    pub const fn len(&self) -> u32 {
        self.ids.len()
    }

    /// Returns `true` if the map has no values.
    pub const fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Ids and values in the order of their indices.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { ids: &self.ids, values: (0..).zip(&self.values) }
    }

    /// Ids and values in the order of their indices.
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        IterMut { ids: &self.ids, values: (0..).zip(&mut self.values) }
    }

    /// The values in the order of their indices.
    pub fn values(&self) -> impl Iterator<Item = &T> + '_ {
        self.values.iter().flatten()
    }

    /// The values in the order of their indices.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> + '_ {
        self.values.iter_mut().flatten()
    }
}

impl<'a, T> IntoIterator for &'a SlotMap<T> {
    type Item = (Id, &'a T);
    type IntoIter = Iter<'a, T>;
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut SlotMap<T> {
    type Item = (Id, &'a mut T);
    type IntoIter = IterMut<'a, T>;
    fn into_iter(self) -> IterMut<'a, T> {
        self.iter_mut()
    }
}

/// Ids and values of a [`SlotMap`] in the order of their indices.
#[derive(Clone, Debug)]
pub struct Iter<'a, T> {
    ids: &'a IdPool,
    values: core::iter::Zip<core::ops::RangeFrom<u32>, core::slice::Iter<'a, Option<T>>>,
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = (Id, &'a T);
    fn next(&mut self) -> Option<Self::Item> {
        let ids = self.ids;
        self.values.find_map(|(index, value)| Some((ids.at(index)?, value.as_ref()?)))
    }
}

/// Ids and values of a [`SlotMap`] in the order of their indices.
#[derive(Debug)]
pub struct IterMut<'a, T> {
    ids: &'a IdPool,
    values: core::iter::Zip<core::ops::RangeFrom<u32>, core::slice::IterMut<'a, Option<T>>>,
}

impl<'a, T> Iterator for IterMut<'a, T> {
    type Item = (Id, &'a mut T);
    fn next(&mut self) -> Option<Self::Item> {
        let ids = self.ids;
        self.values.find_map(|(index, value)| Some((ids.at(index)?, value.as_mut()?)))
    }
}

impl<T> core::ops::Index<Id> for SlotMap<T> {
    type Output = T;
    /// # Panics
    /// If the id is stale; use [`SlotMap::get`] if it may be.
    #[track_caller]
    fn index(&self, id: Id) -> &T {
        self.get(id).unwrap_or_else(|| stale(id))
    }
}

impl<T> core::ops::IndexMut<Id> for SlotMap<T> {
    /// # Panics
    /// If the id is stale; use [`SlotMap::get_mut`] if it may be.
    #[track_caller]
    fn index_mut(&mut self, id: Id) -> &mut T {
        self.get_mut(id).unwrap_or_else(|| stale(id))
    }
}

#[cold]
#[track_caller]
fn stale(id: Id) -> ! {
    panic!("the id {id} is stale: its value was removed; use `get` if that may happen")
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for SlotMap<T> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "SlotMap")]
        struct Saved<T> {
            ids: IdPool,
            values: Vec<Option<(T,)>>,
        }
        let Saved { ids, values } = Saved::deserialize(deserializer)?;
        let agree = ids.range() == IdPool::new().range()
            && ids.generations().len() == values.len()
            && ids.generations().iter().zip(&values).all(|(g, v)| (g % 2 == 1) == v.is_some());
        if agree {
            let values = values.into_iter().map(|value| value.map(|(v,)| v));
            Ok(Self { ids, values: values.collect() })
        } else {
            Err(de::Error::custom("the saved values do not match the saved generations"))
        }
    }
}
