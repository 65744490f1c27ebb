//! The broad phase against an n² oracle on plain boxes, and the tree height against its stated
//! bound.
//!
//! The broad phase does not allocate after warm-up, by design. Only the vectors of nodes, slots,
//! giants, pairs and sort scratch grow, and none is ever shrunk. Free nodes and slots are linked
//! lists through themselves, and traversals use fixed arrays.

use super::balance::{SLACK, least_leaves};
use super::tree::{Leaf, NodeIndex};
use super::{BroadPhase, Mobility, Proxy, Tree};
use crate::math::{Aabb, Real, Vec3};
use crate::world::rows::ShapeKey;
use crate::{Rng, real};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ops::Bound;

/// The complete input of the broad phase for one proxy.
#[derive(Clone, Copy, Debug)]
struct Item {
    bounds: Aabb,
    mobility: Mobility,
    active: bool,
}

type Items = BTreeMap<ShapeKey, Item>;

/// A filter unrelated to bounds: drops about a quarter of all pairs.
fn keep(a: ShapeKey, b: ShapeKey) -> bool {
    !(a.get() ^ (b.get() >> 8)).is_multiple_of(4)
}

fn oracle(items: &Items) -> Vec<(ShapeKey, ShapeKey)> {
    let mut pairs = Vec::new();
    for (&a, first) in items {
        for (&b, second) in items.range((Bound::Excluded(a), Bound::Unbounded)) {
            let active = first.active || second.active;
            if active && first.bounds.overlaps(&second.bounds) && keep(a, b) {
                pairs.push((a, b));
            }
        }
    }
    pairs
}

fn pairs(broad: &mut BroadPhase) -> Vec<(ShapeKey, ShapeKey)> {
    // `pairs` must clear the list.
    let mut out = vec![(ShapeKey::new(1), ShapeKey::new(1))];
    broad.pairs(keep, &mut out);
    out
}

/// The same proxies, inserted at once in an order drawn from `seed`.
fn rebuilt(items: &Items, seed: u64) -> BroadPhase {
    let mut order: Vec<(&ShapeKey, &Item)> = items.iter().collect();
    Rng::new(seed).shuffle(&mut order);
    let mut broad = BroadPhase::default();
    for (&key, item) in order {
        let proxy = broad.insert(key, &item.bounds, item.mobility);
        broad.set_active(proxy, item.active);
    }
    broad
}

/// Box coordinates: small and crowded, on a lattice so that borders touch, far away, at the limits.
fn coordinate() -> impl Strategy<Value = i64> {
    let edge = prop::sample::select(vec![i64::MIN, 0, 1 << 48, i64::MAX]);
    prop_oneof![
        4 => (-6..6i64).prop_map(|metres| metres << 32),
        4 => -(8i64 << 32)..(8i64 << 32),
        1 => (edge, -3..=3i64).prop_map(|(edge, step)| edge.saturating_add(step << 30)),
        1 => any::<i64>(),
    ]
}

fn point() -> impl Strategy<Value = Vec3> {
    [coordinate(), coordinate(), coordinate()].prop_map(Vec3::from_bits)
}

fn bounds() -> impl Strategy<Value = Aabb> {
    let from_half = |center: Vec3, half: Vec3| Aabb::from_center(center, half.abs()).unwrap();
    let small = [0..1i64 << 33, 0..1i64 << 33, 0..1i64 << 33].prop_map(Vec3::from_bits);
    let world = Aabb::new(Vec3::splat(Real::MIN), Vec3::splat(Real::MAX)).unwrap();
    prop_oneof![
        8 => (point(), small).prop_map(move |(center, half)| from_half(center, half)),
        2 => point().prop_map(|p| Aabb::around([p]).unwrap()),
        2 => (point(), point()).prop_map(|(a, b)| Aabb::around([a, b]).unwrap()),
        1 => (point(), 0..3usize).prop_map(move |(p, axis)| {
            // A half space: the world up to a plane.
            let mut top = Vec3::splat(Real::MAX).to_bits();
            top[axis] = p.to_bits()[axis];
            Aabb::new(world.min(), Vec3::from_bits(top)).unwrap()
        }),
        1 => Just(world),
    ]
}

#[derive(Clone, Debug)]
enum Op {
    Insert(ShapeKey, Aabb, bool),
    Remove(prop::sample::Index),
    Jump(prop::sample::Index, Aabb),
    /// Displacement in ulps on each axis.
    Drift(prop::sample::Index, [i64; 3]),
    Mark(prop::sample::Index, bool),
    Wake(Vec<prop::sample::Index>),
    Clear,
}

fn op() -> impl Strategy<Value = Op> {
    let any_index = any::<prop::sample::Index>;
    let drift = -(1i64 << 30)..(1i64 << 30);
    prop_oneof![
        40 => (0..1000u32, bounds(), any::<bool>()).prop_map(|(k, b, m)| Op::Insert(ShapeKey::new(k << 8), b, m)),
        12 => any_index().prop_map(Op::Remove),
        12 => (any_index(), bounds()).prop_map(|(i, b)| Op::Jump(i, b)),
        30 => (any_index(), [drift.clone(), drift.clone(), drift])
            .prop_map(|(i, d)| Op::Drift(i, d)),
        20 => (any_index(), any::<bool>()).prop_map(|(i, a)| Op::Mark(i, a)),
        6 => prop::collection::vec(any_index(), 0..12).prop_map(Op::Wake),
        1 => Just(Op::Clear),
    ]
}

/// Applies an operation to the broad phase and to the list of proxies, and compares the returned
/// values.
fn apply(
    op: Op,
    broad: &mut BroadPhase,
    items: &mut Items,
    proxies: &mut BTreeMap<ShapeKey, Proxy>,
) {
    let keys: Vec<ShapeKey> = items.keys().copied().collect();
    if keys.is_empty() && !matches!(op, Op::Insert(..)) {
        return;
    }
    match op {
        Op::Insert(key, bounds, mobile) => {
            let mobility = if mobile { Mobility::Mobile } else { Mobility::Fixed };
            items.entry(key).or_insert_with(|| {
                proxies.insert(key, broad.insert(key, &bounds, mobility));
                Item { bounds, mobility, active: false }
            });
        }
        Op::Remove(index) => {
            let key = *index.get(&keys);
            items.remove(&key);
            let proxy = proxies.remove(&key).unwrap();
            assert!(broad.remove(proxy));
            assert!(!broad.remove(proxy) && !broad.set_active(proxy, true));
            assert!(broad.update(proxy, &Aabb::around([Vec3::ZERO]).unwrap()).is_none());
        }
        Op::Jump(index, bounds) => {
            let key = *index.get(&keys);
            items.get_mut(&key).unwrap().bounds = bounds;
            assert!(broad.update(proxies[&key], &bounds).is_some());
        }
        Op::Drift(index, by) => {
            let key = *index.get(&keys);
            let item = items.get_mut(&key).unwrap();
            let by = Vec3::from_bits(by);
            let moved = |corner: Vec3| corner.zip(by, Real::saturating_add);
            item.bounds = Aabb::new(moved(item.bounds.min()), moved(item.bounds.max())).unwrap();
            assert!(broad.update(proxies[&key], &item.bounds).is_some());
        }
        Op::Mark(index, active) => {
            let key = *index.get(&keys);
            let item = items.get_mut(&key).unwrap();
            let mobile = item.mobility == Mobility::Mobile;
            item.active = active && mobile;
            assert_eq!(broad.set_active(proxies[&key], active), mobile);
        }
        Op::Wake(indices) => {
            let before = oracle(items);
            let woken: Vec<ShapeKey> = indices.iter().map(|index| *index.get(&keys)).collect();
            for key in &woken {
                let item = items.get_mut(key).unwrap();
                item.active = item.mobility == Mobility::Mobile;
            }
            let mut added = oracle(items);
            added.retain(|pair| before.binary_search(pair).is_err());
            let woken: Vec<Proxy> = woken.iter().map(|key| proxies[key]).collect();
            let mut out = vec![(ShapeKey::new(1), ShapeKey::new(1))];
            broad.wake(&woken, keep, &mut out);
            assert_eq!(out, added);
        }
        Op::Clear => {
            broad.clear();
            items.clear();
            proxies.clear();
        }
    }
}

/// Checks links, boxes, marks, heights and the height difference of siblings below a node. Returns
/// the number of leaves.
fn check(tree: &Tree, index: NodeIndex, parent: Option<NodeIndex>) -> u32 {
    let node = &tree.nodes[index];
    assert_eq!(node.parent.get(), parent);
    if node.is_leaf() {
        let leaf = tree.get(Leaf::new(node.children[0].get())).unwrap();
        assert_eq!((leaf.key.get(), leaf.active), (node.children[1].get(), node.active));
        return 1;
    }
    let [a, b] = node.children.map(|child| tree.nodes[child]);
    assert_eq!(node.bounds, a.bounds.union(&b.bounds));
    assert_eq!(node.height, a.height.max(b.height) + 1);
    assert_eq!(node.active, a.active || b.active);
    assert!(a.height.abs_diff(b.height) <= SLACK);
    node.children.into_iter().map(|child| check(tree, child, Some(index))).sum()
}

fn check_tree(tree: &Tree) {
    let in_tree = tree.root.get().map_or(0, |root| check(tree, root, None));
    let giants = tree.giants().len() as u32;
    assert_eq!(in_tree + giants, tree.len());
    // The documented bound: see `least_leaves`.
    assert!(least_leaves(tree.height() as usize) <= u64::from(in_tree.max(1)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn pairs_match_the_oracle_after_any_history(
        ops in prop::collection::vec(op(), 0..250),
        seed in any::<u64>(),
        probes in prop::collection::vec(bounds(), 4),
    ) {
        let (mut broad, mut items) = (BroadPhase::default(), Items::new());
        let mut proxies = BTreeMap::new();
        for (count, op) in ops.into_iter().enumerate() {
            apply(op, &mut broad, &mut items, &mut proxies);
            if count % 8 == 0 {
                assert_eq!(pairs(&mut broad), oracle(&items));
            }
        }
        let expected = oracle(&items);
        assert_eq!(pairs(&mut broad), expected);
        assert_eq!(pairs(&mut rebuilt(&items, seed)), expected);
        check_tree(&broad.proxies.fixed);
        check_tree(&broad.proxies.mobile);
        for probe in probes {
            let mut found = Vec::new();
            broad.query(&probe, |key| found.push(key));
            found.sort();
            let overlap = |(key, item): (&ShapeKey, &Item)| item.bounds.overlaps(&probe).then_some(*key);
            let expected: Vec<_> = items.iter().filter_map(overlap).collect();
            assert_eq!(found, expected);
            // The fat boxes are larger than the tight ones, and each proxy is visited once.
            let mut visited = Vec::new();
            broad.visit(true, &mut probe.clone(), |_, key| visited.push(key));
            visited.sort();
            assert!(visited.windows(2).all(|keys| keys[0] < keys[1]));
            assert!(expected.iter().all(|key| visited.binary_search(key).is_ok()));
        }
        for proxy in proxies.values() {
            assert!(broad.remove(*proxy));
        }
        assert_eq!(broad.len(), 0);
        assert_eq!(pairs(&mut broad), []);
        assert_eq!((broad.proxies.fixed.root.get(), broad.proxies.mobile.root.get()), (None, None));
    }
}

fn cube(center: Vec3, half: Real) -> Aabb {
    Aabb::from_center(center, Vec3::splat(half)).unwrap()
}

/// Ten thousand boxes in orders that degrade naive trees.
fn hostile_orders() -> Vec<(&'static str, Vec<Aabb>)> {
    let mut rng = Rng::new(4);
    let n = 10_000;
    let mut near = || rng.between(real!(-1), real!(1)).unwrap();
    let clustered = (0..n).map(|i| {
        let jitter = Vec3::new(near(), near(), near());
        cube(Vec3::from_ints(i % 5 * 1000, i % 3 * 500, 0) + jitter, real!(0.5))
    });
    vec![
        ("sorted", (0..n).map(|i| cube(Vec3::from_ints(i, 0, 0), real!(0.5))).collect()),
        ("clustered", clustered.collect()),
        ("equal", (0..n).map(|_| cube(Vec3::ONE, Real::HALF)).collect()),
        ("nested", (1..=n).map(|i| cube(Vec3::ZERO, Real::from_int(i))).collect()),
        ("nested, inwards", (1..=n).rev().map(|i| cube(Vec3::ZERO, Real::from_int(i))).collect()),
        (
            "ever further",
            (0..n).map(|i| cube(Vec3::splat(Real::from_bits(1 << (i % 63))), Real::ONE)).collect(),
        ),
    ]
}

#[test]
fn height_stays_within_its_bound_in_hostile_orders() {
    // 47 for 10,000 leaves by `least_leaves`. Practical heights are far lower.
    assert!(least_leaves(48) > 10_000);
    for (name, boxes) in hostile_orders() {
        let mut tree = Tree::default();
        let mut leaves: Vec<_> = boxes
            .iter()
            .zip(0..)
            .map(|(bounds, key)| tree.insert(Proxy::new(key), bounds))
            .collect();
        check_tree(&tree);
        for probe in boxes.iter().step_by(977) {
            let mut found = 0;
            tree.query(probe, |_| found += 1);
            let expected = boxes.iter().filter(|bounds| bounds.overlaps(probe)).count();
            assert_eq!(found, expected, "{name}");
        }
        assert!(tree.height() <= 47, "{name}: {}", tree.height());
        Rng::new(5).shuffle(&mut leaves);
        for leaf in &leaves[100..] {
            assert!(tree.remove(*leaf));
        }
        check_tree(&tree);
        assert_eq!(tree.len(), 100);
    }
}

#[test]
fn a_jittering_leaf_does_not_change_links() {
    let mut tree = Tree::default();
    let leaf = tree.insert(Proxy::new(1), &cube(Vec3::ZERO, real!(0.5)));
    for i in 2..100 {
        tree.insert(Proxy::new(i), &cube(Vec3::from_ints(i as i32, 0, 0), real!(0.5)));
    }
    let links =
        |tree: &Tree| -> Vec<_> { tree.nodes.iter().map(|n| (n.parent, n.children)).collect() };
    let before = links(&tree);
    tree.update(leaf, &cube(Vec3::splat(Real::ratio(1, 10)), real!(0.5)));
    tree.update(leaf, &cube(Vec3::splat(Real::ratio(-1, 10)), real!(0.5)));
    assert_eq!(links(&tree), before);
    check_tree(&tree);
}

#[test]
fn extreme_keys_pair_lower_first() {
    let mut broad = BroadPhase::default();
    let there = cube(Vec3::ZERO, Real::ONE);
    let [zero, seven, greatest] = [0, 7, u32::MAX].map(ShapeKey::new);
    let last = broad.insert(greatest, &there, Mobility::Mobile);
    broad.set_active(last, true);
    broad.insert(zero, &there, Mobility::Fixed);
    broad.insert(seven, &there, Mobility::Mobile);
    let mut out = Vec::new();
    broad.pairs(|_, _| true, &mut out);
    assert_eq!(out, [(zero, greatest), (seven, greatest)]);
}
