//! `IndexPairs`: a sorted list of pairs of indices, of which few change at a time.

use super::{TypedIndex, sort_by_key};
use core::marker::PhantomData;

/// Pairs of an index of `A` and one of `B`, sorted.
#[derive(Clone, Debug)]
pub(crate) struct IndexPairs<A, B> {
    list: Vec<Numbers>,
    /// Length of the sorted part; pushed pairs follow it until [`sort`](Self::sort).
    sorted: usize,
    spaces: PhantomData<fn(A, B)>,
}

/// A pair without its index spaces.
type Numbers = (u32, u32);

/// Scratch lists, shared by pairs of any spaces.
#[derive(Debug, Default)]
pub(crate) struct PairBuffers {
    few: Vec<Numbers>,
    sort: Vec<Numbers>,
}

impl PairBuffers {
    /// The lists, to reserve room in them.
    pub(crate) const fn lists(&mut self) -> [&mut Vec<Numbers>; 2] {
        [&mut self.few, &mut self.sort]
    }
}

impl<A, B> Default for IndexPairs<A, B> {
    fn default() -> Self {
        Self { list: Vec::new(), sorted: 0, spaces: PhantomData }
    }
}

impl<A: TypedIndex, B: TypedIndex> IndexPairs<A, B> {
    /// The first partner of an index.
    pub(crate) fn first_of(&self, a: A) -> Option<B> {
        self.all_of(a).next()
    }

    /// The partners of an index, ascending.
    pub(crate) fn all_of(&self, a: A) -> impl Iterator<Item = B> + '_ {
        let start = self.list.partition_point(|pair| pair.0 < a.get());
        let pairs = self.list[start..].iter().take_while(move |pair| pair.0 == a.get());
        pairs.map(|pair| B::new(pair.1))
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.sorted = 0;
    }

    /// The list, to reserve room in it.
    pub(crate) const fn list(&mut self) -> &mut Vec<Numbers> {
        &mut self.list
    }

    /// Adds a pair. Call [`sort`](Self::sort) after the last one.
    #[inline]
    pub(crate) fn push(&mut self, a: A, b: B) {
        self.list.push((a.get(), b.get()));
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(A, B) -> bool) {
        self.list.retain(|pair| keep(A::new(pair.0), B::new(pair.1)));
        self.sorted = self.list.len();
    }

    /// Removes the first pair of each of these indices, which ascend, and the mirrored pair from `mirror`.
    pub(crate) fn remove(
        &mut self,
        indices: impl Iterator<Item = A>,
        mirror: &mut IndexPairs<B, A>,
        buffers: &mut PairBuffers,
    ) {
        let PairBuffers { few, sort } = buffers;
        few.clear();
        few.extend(indices.filter_map(|a| Some((a.get(), self.first_of(a)?.get()))));
        remove_sorted(&mut self.list, few);
        few.iter_mut().for_each(|pair| *pair = (pair.1, pair.0));
        sort_by_key(few, sort, |pair| order(*pair));
        remove_sorted(&mut mirror.list, few);
        (self.sorted, mirror.sorted) = (self.list.len(), mirror.list.len());
    }

    /// Sorts the pushed pairs into the others.
    pub(crate) fn sort(&mut self, buffers: &mut PairBuffers) {
        let PairBuffers { few, sort } = buffers;
        sort_by_key(&mut self.list[self.sorted..], sort, |pair| order(*pair));
        merge_sorted(&mut self.list, self.sorted, few);
        self.sorted = self.list.len();
    }
}

fn order((a, b): Numbers) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// Removes sorted entries from a sorted list. Usually few of many: entries between them are moved in blocks.
fn remove_sorted(list: &mut Vec<Numbers>, gone: &[Numbers]) {
    let (mut from, mut to) = (0, 0);
    for entry in gone {
        let at = from + list[from..].partition_point(|other| other < entry);
        if list.get(at) != Some(entry) {
            continue;
        }
        if to < from {
            list.copy_within(from..at, to);
        }
        (from, to) = (at + 1, to + at - from);
    }
    if to < from {
        list.copy_within(from.., to);
        list.truncate(list.len() - (from - to));
    }
}

/// Merges the sorted entries after the first `sorted` ones into them. `few` is scratch.
fn merge_sorted(list: &mut [Numbers], sorted: usize, few: &mut Vec<Numbers>) {
    if sorted == 0 {
        return;
    }
    few.clear();
    few.extend_from_slice(&list[sorted..]);
    let mut end = sorted;
    while let Some(entry) = few.pop() {
        let at = list[..end].partition_point(|other| *other < entry);
        list.copy_within(at..end, at + few.len() + 1);
        list[at + few.len()] = entry;
        end = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::index::index_types;
    use proptest::collection::{btree_map, btree_set, vec};
    use proptest::prelude::*;

    index_types! {
        Left;
        Right;
    }

    proptest! {
        #[test]
        fn adding_pairs_keeps_a_list_sorted(parts in vec(vec((0..9u32, 0..9u32), 0..20), 0..4)) {
            let (mut pairs, mut expected) = (IndexPairs::<Left, Right>::default(), Vec::new());
            for part in parts {
                for &(a, b) in &part {
                    pairs.push(Left::new(a), Right::new(b));
                }
                pairs.sort(&mut PairBuffers::default());
                expected.extend(part);
                expected.sort();
                for a in 0..9 {
                    let partners = expected.iter().filter(|pair| pair.0 == a);
                    let partners = partners.map(|pair| Right::new(pair.1));
                    prop_assert!(pairs.all_of(Left::new(a)).eq(partners));
                }
            }
        }

        #[test]
        fn removed_pairs_are_gone_from_both_lists(
            labels in btree_map(0..40u32, 0..9u32, 0..40),
            gone in btree_set(0..40u32, 0..9),
        ) {
            let mut pairs = IndexPairs::<Left, Right>::default();
            let (mut mirror, mut buffers) = (IndexPairs::<Right, Left>::default(), PairBuffers::default());
            for (&a, &b) in &labels {
                pairs.push(Left::new(a), Right::new(b));
                mirror.push(Right::new(b), Left::new(a));
            }
            pairs.sort(&mut buffers);
            mirror.sort(&mut buffers);
            pairs.remove(gone.iter().copied().map(Left::new), &mut mirror, &mut buffers);
            for a in 0..40 {
                let expected = labels.get(&a).filter(|_| !gone.contains(&a)).copied();
                prop_assert_eq!(pairs.first_of(Left::new(a)), expected.map(Right::new));
            }
            for b in 0..9 {
                let members = labels.iter().filter(|(a, label)| **label == b && !gone.contains(a));
                prop_assert!(mirror.all_of(Right::new(b)).eq(members.map(|(a, _)| Left::new(*a))));
            }
        }
    }
}
