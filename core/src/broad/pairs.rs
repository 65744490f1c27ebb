//! `BroadPhase`: every pair whose tight boxes overlap and of which a side is active, once, in the order of keys.
//!
//! Called by the step after bounds are known and before the narrow phase. Both trees are walked at once from
//! their roots, and only where something is active, so what sleeps or never moves costs nothing until something
//! active comes near.

use super::tree::{Found, Leaf, NIL, Node, Tree, edges};
use crate::data::sort_by_key;
use crate::math::Aabb;

/// Whether a thing may ever move or be marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mobility {
    /// Static bodies: never active, never paired with one another.
    Fixed,
    /// Dynamic and kinematic bodies.
    Mobile,
}

/// A thing's handle; valid until it is removed or the broad phase is cleared. Never state: it depends on history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Proxy {
    mobility: Mobility,
    leaf: Leaf,
}

/// What overlaps what, by key.
///
/// Feed it with `insert`, `remove`, `update` and `set_active`; then ask `pairs`, and `wake` for what is to be added
/// when more things become active. `query` may be asked at any time. What they answer is a function of the
/// bounds and marks alone. Stale proxies change nothing and return `false`.
#[derive(Clone, Debug, Default)]
pub(crate) struct BroadPhase {
    pub(super) fixed: Tree,
    pub(super) mobile: Tree,
    sort_scratch: Vec<(u32, u32)>,
}

/// Most pairs of nodes that wait in a walk over two trees: one for each level of both, and the last.
const WAITING: usize = 2 * Tree::MAX_HEIGHT + 1;

impl BroadPhase {
    pub(crate) const fn new() -> Self {
        Self { fixed: Tree::new(), mobile: Tree::new(), sort_scratch: Vec::new() }
    }

    pub(crate) const fn len(&self) -> u32 {
        self.fixed.len() + self.mobile.len()
    }

    /// Takes everything out and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.fixed.clear();
        self.mobile.clear();
    }

    /// Adds a thing that is not active. Its key must be no other thing's.
    pub(crate) fn insert(&mut self, key: u32, tight: &Aabb, mobility: Mobility) -> Proxy {
        Proxy { mobility, leaf: self.tree(mobility).insert(key, tight) }
    }

    /// Takes a thing out; returns whether it was there.
    pub(crate) fn remove(&mut self, proxy: Proxy) -> bool {
        self.tree(proxy.mobility).remove(proxy.leaf)
    }

    /// Gives a thing another box; returns whether the thing is there.
    pub(crate) fn update(&mut self, proxy: Proxy, tight: &Aabb) -> bool {
        self.tree(proxy.mobility).update(proxy.leaf, tight)
    }

    /// Marks a mobile thing as active or not; returns whether it is there and mobile.
    pub(crate) fn set_active(&mut self, proxy: Proxy, active: bool) -> bool {
        proxy.mobility == Mobility::Mobile && self.mobile.set_active(proxy.leaf, active)
    }

    /// The key of everything whose tight box overlaps, in any order.
    pub(crate) fn query(&self, bounds: &Aabb, mut visit: impl FnMut(u32)) {
        self.fixed.query(bounds, &mut visit);
        self.mobile.query(bounds, visit);
    }

    /// Fills `out` with every pair that overlaps and has an active side, if `filter` keeps it: lower key first, in
    /// ascending order. The filter should be a pure function; the order of its calls depends on history.
    pub(crate) fn pairs(
        &mut self,
        mut filter: impl FnMut(u32, u32) -> bool,
        out: &mut Vec<(u32, u32)>,
    ) {
        out.clear();
        let mut visit = |a: &Found, b: &Found| {
            let pair = (a.key.min(b.key), a.key.max(b.key));
            if filter(pair.0, pair.1) {
                out.push(pair);
            }
        };
        within(&self.mobile, &mut visit);
        between(&self.mobile, &self.fixed, &mut visit);
        sort(out, &mut self.sort_scratch);
    }

    /// Marks things as active and fills `out` with the pairs that `pairs` gives now and did not give before. Those
    /// already active and fixed ones are passed over.
    pub(crate) fn wake(
        &mut self,
        woken: &[Proxy],
        mut filter: impl FnMut(u32, u32) -> bool,
        out: &mut Vec<(u32, u32)>,
    ) {
        out.clear();
        for &proxy in woken.iter().filter(|proxy| proxy.mobility == Mobility::Mobile) {
            let Some(Found { key, active: false, bounds }) = self.mobile.get(proxy.leaf) else {
                continue;
            };
            // Those woken earlier in this list are active by now, and their pairs with this one listed.
            self.mobile.set_active(proxy.leaf, true);
            let mut visit = |other: &Found| {
                let pair = (key.min(other.key), key.max(other.key));
                if !other.active && filter(pair.0, pair.1) {
                    out.push(pair);
                }
            };
            self.mobile.overlapping(&bounds, false, &mut visit);
            self.fixed.overlapping(&bounds, false, &mut visit);
        }
        sort(out, &mut self.sort_scratch);
    }

    const fn tree(&mut self, mobility: Mobility) -> &mut Tree {
        match mobility {
            Mobility::Fixed => &mut self.fixed,
            Mobility::Mobile => &mut self.mobile,
        }
    }
}

fn sort(pairs: &mut [(u32, u32)], scratch: &mut Vec<(u32, u32)>) {
    sort_by_key(pairs, scratch, |&(a, b)| u64::from(a) << 32 | u64::from(b));
}

/// Pairs of nodes still to be looked at. Each step lowers the sum of heights by at least one for each pair that it leaves
/// waiting, so no more wait than the heights of both roots sum up to, and one.
struct Waiting {
    pairs: [(u32, u32); WAITING],
    count: usize,
}

impl Waiting {
    const fn new(a: u32, b: u32) -> Self {
        let mut pairs = [(NIL, NIL); WAITING];
        pairs[0] = (a, b);
        Self { pairs, count: 1 }
    }

    #[inline]
    const fn push(&mut self, a: u32, b: u32) {
        self.pairs[self.count] = (a, b);
        self.count += 1;
    }

    /// Replaces the larger of two nodes by its children.
    #[inline]
    fn open(&mut self, a: u32, first: &Node, b: u32, second: &Node) {
        let size = |node: &Node| edges(&node.bounds).iter().fold(0, |sum, edge| sum + (edge >> 2));
        if size(first) >= size(second) {
            self.push(first.children[0], b);
            self.push(first.children[1], b);
        } else {
            self.push(a, second.children[0]);
            self.push(a, second.children[1]);
        }
    }

    #[inline]
    const fn pop(&mut self) -> Option<(u32, u32)> {
        if self.count == 0 {
            return None;
        }
        self.count -= 1;
        Some(self.pairs[self.count])
    }
}

/// Every pair of leaves of one tree that overlap and have an active side, once.
fn within(tree: &Tree, visit: &mut impl FnMut(&Found, &Found)) {
    for (position, giant) in tree.giants().enumerate() {
        for other in tree.giants().skip(position + 1) {
            if (giant.active || other.active) && giant.bounds.overlaps(&other.bounds) {
                visit(&giant, &other);
            }
        }
        if tree.root != NIL {
            let mut visit = |other: &Found| visit(&giant, other);
            tree.overlapping_below(tree.root, &giant.bounds, !giant.active, &mut visit);
        }
    }
    if tree.root == NIL {
        return;
    }
    let mut waiting = Waiting::new(tree.root, tree.root);
    while let Some((a, b)) = waiting.pop() {
        let (first, second) = (&tree.nodes[a as usize], &tree.nodes[b as usize]);
        if a == b {
            if first.active && !first.is_leaf() {
                let [left, right] = first.children;
                waiting.push(left, right);
                waiting.push(left, left);
                waiting.push(right, right);
            }
        } else if (first.active || second.active) && first.bounds.overlaps(&second.bounds) {
            if first.is_leaf() {
                let leaf = first.found();
                let mut visit = |other: &Found| visit(&leaf, other);
                tree.overlapping_below(b, &leaf.bounds, !leaf.active, &mut visit);
            } else if second.is_leaf() {
                let leaf = second.found();
                let mut visit = |other: &Found| visit(&leaf, other);
                tree.overlapping_below(a, &leaf.bounds, !leaf.active, &mut visit);
            } else {
                waiting.open(a, first, b, second);
            }
        }
    }
}

/// Every pair of an active leaf of one tree and any leaf of the other that overlap, once.
fn between(tree: &Tree, others: &Tree, visit: &mut impl FnMut(&Found, &Found)) {
    for giant in tree.giants().filter(|giant| giant.active) {
        others.overlapping(&giant.bounds, false, &mut |other| visit(&giant, other));
    }
    if tree.root == NIL {
        return;
    }
    for giant in others.giants() {
        let mut visit = |slot: &Found| visit(slot, &giant);
        tree.overlapping_below(tree.root, &giant.bounds, true, &mut visit);
    }
    if others.root == NIL {
        return;
    }
    let mut waiting = Waiting::new(tree.root, others.root);
    while let Some((a, b)) = waiting.pop() {
        let (first, second) = (&tree.nodes[a as usize], &others.nodes[b as usize]);
        if !first.active || !first.bounds.overlaps(&second.bounds) {
            continue;
        }
        if first.is_leaf() {
            let leaf = first.found();
            let mut visit = |other: &Found| visit(&leaf, other);
            others.overlapping_below(b, &leaf.bounds, false, &mut visit);
        } else if second.is_leaf() {
            let leaf = second.found();
            let mut visit = |other: &Found| visit(other, &leaf);
            tree.overlapping_below(a, &leaf.bounds, true, &mut visit);
        } else {
            waiting.open(a, first, b, second);
        }
    }
}
