//! `BitSet`, `UnionFind`, `sort_by_key` and `FixedVec`, each against a simple model from std.

use isostep_core::internals::{BitSet, CapacityExceeded, FixedVec, UnionFind, sort_by_key};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// Members at the ends of words and summaries, among others. The greatest takes half a megabyte.
fn member() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => 0..200u32,
        2 => prop::sample::select(vec![64u32, 4096, 262_144, 524_288])
            .prop_flat_map(|edge| edge - 2..edge + 2),
        1 => 0..3_000_000u32,
    ]
}

#[derive(Clone, Debug)]
enum SetOp {
    Insert(u32),
    Remove(u32),
    RemoveNth(prop::sample::Index),
    Union(Vec<u32>),
    Clear,
}

fn set_op() -> impl Strategy<Value = SetOp> {
    prop_oneof![
        8 => member().prop_map(SetOp::Insert),
        2 => member().prop_map(SetOp::Remove),
        4 => any::<prop::sample::Index>().prop_map(SetOp::RemoveNth),
        1 => prop::collection::vec(member(), 0..6).prop_map(SetOp::Union),
        1 => Just(SetOp::Clear),
    ]
}

proptest! {
    #[test]
    fn bit_set_matches_a_btree_set(
        bound in prop_oneof![Just(0), member()],
        ops in prop::collection::vec(set_op(), 0..60),
        probes in prop::collection::vec(member(), 10),
    ) {
        let mut set = BitSet::with_bound(bound);
        let mut model = BTreeSet::new();
        for op in ops {
            match op {
                SetOp::Insert(member) => prop_assert_eq!(set.insert(member), model.insert(member)),
                SetOp::Remove(member) => prop_assert_eq!(set.remove(member), model.remove(&member)),
                SetOp::RemoveNth(pick) if !model.is_empty() => {
                    let member = *model.iter().nth(pick.index(model.len())).unwrap();
                    prop_assert!(set.remove(member) && model.remove(&member));
                }
                SetOp::RemoveNth(_) => {}
                SetOp::Union(members) => {
                    set.union_with(&members.iter().copied().collect());
                    model.extend(members);
                }
                SetOp::Clear => {
                    set.clear();
                    model.clear();
                }
            }
            prop_assert_eq!(set.len() as usize, model.len());
            prop_assert_eq!(set.is_empty(), model.is_empty());
            prop_assert_eq!(set.first(), model.first().copied());
            prop_assert!(set.iter().eq(model.iter().copied()));
            for &probe in &probes {
                prop_assert_eq!(set.contains(probe), model.contains(&probe));
                prop_assert_eq!(set.first_from(probe), model.range(probe..).next().copied());
            }
            prop_assert_eq!(set.first_from(u32::MAX), None);
            prop_assert!(!set.contains(u32::MAX));
        }
    }

    #[test]
    fn sets_are_equal_when_their_members_are(
        a in prop::collection::vec(member(), 0..4),
        b in prop::collection::vec(member(), 0..4),
        gone in member(),
    ) {
        let mut roomy: BitSet = a.iter().copied().collect();
        if roomy.insert(gone) {
            roomy.remove(gone);
        }
        let other: BitSet = b.iter().copied().collect();
        let same = a.iter().collect::<BTreeSet<_>>() == b.iter().collect();
        prop_assert_eq!(roomy == other, same);
        prop_assert_eq!(&roomy, &a.into_iter().rev().collect());
    }
}

#[test]
fn first_from_walks_between_far_members() {
    let set: BitSet = [0, 2_999_999].into_iter().collect();
    let found = [0, 1, 63, 64, 2_999_999, 3_000_000].map(|from| set.first_from(from));
    let far = Some(2_999_999);
    assert_eq!(found, [Some(0), far, far, far, far, None]);
}

#[test]
#[ignore = "reserves 512 MB; run it with `cargo test -p isostep-core --test all sets_and_sorts -- --ignored`"]
fn the_greatest_member_ends_the_walk() {
    let mut set: BitSet = [u32::MAX].into_iter().collect();
    set.insert(0);
    assert_eq!(set.first_from(1), Some(u32::MAX));
    assert_eq!(set.iter().collect::<Vec<_>>(), [0, u32::MAX]);
    set.clear();
    assert_eq!((set.first(), set.len()), (None, 0));
}

/// Joins by renaming every member of one group. Returns for each union whether the two were
/// separate.
fn name_groups(len: u32, unions: &[(u32, u32)]) -> (Vec<u32>, Vec<bool>) {
    let mut names: Vec<u32> = (0..len).collect();
    let apart = unions.iter().map(|&(a, b)| {
        let (a, b) = (names[a as usize], names[b as usize]);
        for name in &mut names {
            if *name == a.max(b) {
                *name = a.min(b);
            }
        }
        a != b
    });
    let apart = apart.collect();
    (names, apart)
}

type Unions = Vec<(u32, u32)>;

fn unions_and_the_same_shuffled() -> impl Strategy<Value = (Unions, Unions)> {
    prop::collection::vec((0..60u32, 0..60u32), 0..80)
        .prop_flat_map(|unions| (Just(unions.clone()), Just(unions).prop_shuffle()))
}

proptest! {
    #[test]
    fn roots_are_the_least_members_in_any_order_of_unions(
        (unions, shuffled) in unions_and_the_same_shuffled(),
    ) {
        let (names, _) = name_groups(60, &unions);
        let mut groups = UnionFind::new();
        for order in [&unions, &shuffled] {
            groups.reset(60);
            let apart: Vec<bool> = order.iter().map(|&(a, b)| groups.union(a, b)).collect();
            prop_assert_eq!(&apart, &name_groups(60, order).1);
            let roots: Vec<u32> = (0..60).map(|member| groups.find(member)).collect();
            prop_assert_eq!(&roots, &names);
        }
        for (a, b) in shuffled {
            prop_assert!(groups.same(a, b) && groups.same(b, a));
            prop_assert_eq!(groups.same(a, 0), names[a as usize] == 0);
        }
    }
}

#[test]
fn a_reset_forgets_every_union_and_the_old_length() {
    let mut groups = UnionFind::new();
    groups.reset(9);
    groups.union(0, 8);
    groups.reset(4);
    assert_eq!((groups.len(), groups.same(0, 3)), (4, false));
    assert!(std::panic::catch_unwind(move || groups.find(4)).is_err());
}

#[test]
fn a_long_chain_of_unions_has_one_root() {
    let mut groups = UnionFind::new();
    groups.reset(100_000);
    for member in (1..100_000).rev() {
        groups.union(member, member - 1);
    }
    assert!((0..100_000).all(|member| groups.find(member) == 0));
}

/// Keys of many distributions, with lengths around the change of method.
fn keys() -> impl Strategy<Value = Vec<u64>> {
    let masks = vec![
        !0,
        0,
        0b11,
        0xff,
        0xff << 56,
        1 << 63,
        1,
        0xffff_0000,
        0xff00_0000_0000_00ff,
        0x0001_0100_0000_0001,
    ];
    let len = prop_oneof![0..300usize, 46..52usize];
    let shape = (prop::sample::select(masks), any::<u64>(), 0..4u8);
    (len, shape).prop_flat_map(|(len, (mask, shared, arrangement))| {
        prop::collection::vec(any::<u64>(), len).prop_map(move |mut keys| {
            for key in &mut keys {
                *key = (*key & mask) | (shared & !mask);
            }
            if arrangement > 0 {
                keys.sort_by_key(|key| *key);
            }
            match arrangement {
                2 => keys.reverse(),
                // Sorted except for the last.
                3 => keys.rotate_left(1.min(len)),
                _ => {}
            }
            keys
        })
    })
}

proptest! {
    #[test]
    fn sort_by_key_matches_the_stable_sort_of_std(
        keys in keys(),
        scratch in prop::collection::vec((any::<u64>(), any::<usize>()), 0..80),
    ) {
        // The second half distinguishes items with equal keys.
        let mut items: Vec<(u64, usize)> = keys.into_iter().zip(0..).collect();
        let mut expected = items.clone();
        expected.sort_by_key(|item| item.0);
        let mut scratch = scratch;
        sort_by_key(&mut items, &mut scratch, |item| item.0);
        prop_assert_eq!(&items, &expected);
        items.reverse();
        let mut expected = items.clone();
        expected.sort_by_key(|item| item.0);
        sort_by_key(&mut items, &mut scratch, |item| item.0);
        prop_assert_eq!(&items, &expected);
    }

    #[test]
    fn wide_keys_sort_by_the_lower_part_then_the_upper(
        mut items in prop::collection::vec((0..4u64, any::<u64>()), 0..120),
    ) {
        let mut expected = items.clone();
        expected.sort_by_key(|item| *item);
        let mut scratch = Vec::new();
        sort_by_key(&mut items, &mut scratch, |item| item.1);
        sort_by_key(&mut items, &mut scratch, |item| item.0);
        prop_assert_eq!(items, expected);
    }
}

/// A hasher that keeps all its input, so that equal hashes are no accident.
#[derive(Default)]
struct Recorder(Vec<u8>);

impl Hasher for Recorder {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
    fn finish(&self) -> u64 {
        0
    }
}

fn hashed(value: &impl Hash) -> Vec<u8> {
    let mut recorder = Recorder::default();
    value.hash(&mut recorder);
    recorder.0
}

#[derive(Clone, Debug)]
enum ListOp {
    Push(u16),
    Pop,
    SwapRemove(usize),
    Set(prop::sample::Index, u16),
    Clear,
}

fn list_op() -> impl Strategy<Value = ListOp> {
    prop_oneof![
        6 => any::<u16>().prop_map(ListOp::Push),
        2 => Just(ListOp::Pop),
        3 => (0..8usize).prop_map(ListOp::SwapRemove),
        1 => (any::<prop::sample::Index>(), any::<u16>()).prop_map(|(i, v)| ListOp::Set(i, v)),
        1 => Just(ListOp::Clear),
    ]
}

proptest! {
    #[test]
    fn fixed_vec_matches_a_vec_independent_of_its_history(
        ops in prop::collection::vec(list_op(), 0..60),
    ) {
        let mut list = FixedVec::<u16, 6>::new();
        let mut model: Vec<u16> = Vec::new();
        for op in ops {
            match op {
                ListOp::Push(value) if model.len() == 6 => {
                    prop_assert_eq!(list.push(value), Err(CapacityExceeded { capacity: 6 }));
                }
                ListOp::Push(value) => {
                    prop_assert_eq!(list.push(value), Ok(()));
                    model.push(value);
                }
                ListOp::Pop => prop_assert_eq!(list.pop(), model.pop()),
                ListOp::SwapRemove(index) => {
                    let expected = (index < model.len()).then(|| model.swap_remove(index));
                    prop_assert_eq!(list.swap_remove(index), expected);
                }
                ListOp::Set(pick, value) if !model.is_empty() => {
                    let index = pick.index(model.len());
                    (list[index], model[index]) = (value, value);
                }
                ListOp::Set(..) => {}
                ListOp::Clear => {
                    list.clear();
                    model.clear();
                }
            }
            prop_assert_eq!(&list[..], &model[..]);
            let fresh = FixedVec::<u16, 6>::try_from(&model[..]).unwrap();
            prop_assert_eq!(list, fresh);
            prop_assert_eq!(hashed(&list), hashed(&fresh));
            let json = serde_json::to_string(&list).unwrap();
            prop_assert_eq!(&json, &serde_json::to_string(&model).unwrap());
            prop_assert_eq!(serde_json::from_str::<FixedVec<u16, 6>>(&json).unwrap(), list);
        }
    }
}

#[test]
fn a_trailing_default_value_is_not_an_unused_place() {
    let shorter = FixedVec::<u8, 3>::try_from(&[5][..]).unwrap();
    let longer = FixedVec::<u8, 3>::try_from(&[5, 0][..]).unwrap();
    assert_ne!(shorter, longer);
}

#[test]
fn the_widest_list_holds_255_values_and_refuses_the_next() {
    let values: Vec<u8> = (0..255).collect();
    let mut list = FixedVec::<u8, 255>::try_from(&values[..]).unwrap();
    assert!(list.push(7).is_err() && list[..] == values[..]);
    assert!(FixedVec::<u8, 255>::try_from(&[0; 256][..]).is_err());
    assert!(FixedVec::<u8, 0>::new().push(1).is_err());
}
