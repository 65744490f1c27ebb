//! `Tree`: a bounding volume hierarchy over leaves with exact bounds, for overlap queries.
//!
//! Boxes are tight: if a leaf moves, its ancestors are refitted as far up as they change. Each leaf
//! also has a home, its box at insertion plus a margin. It is inserted again only if it leaves its
//! home. The links between nodes depend on history; the boxes of the leaves, and so all results, do
//! not.

use super::proxies::Proxy;
use crate::data::index::index_types;
use crate::data::{Column, Optional};
use crate::math::{Aabb, Real};

/// Boxes longer than this (64 km) stay outside of the tree. Otherwise a half space would make every
/// ancestor box as large as the world and the heuristic useless.
const GIANT_EXTENT: u64 = 1 << (32 + 16);

/// A home exceeds the tight box by its longest edge, within these limits. Homes cost nothing in a
/// search, so they are generous. But a leaf far from its insertion point enlarges its ancestor
/// boxes. Measured.
const LEAST_MARGIN: i64 = 1 << (32 - 4);
const GREATEST_MARGIN: i64 = 1 << (32 + 2);
/// A home that exceeds the tight box by more than this many margins is stale: the leaf shrank.
const STALE_MARGINS: i64 = 4;

index_types! {
    /// Handle of a leaf in its [`Tree`], the index of its slot; valid until the leaf is removed or the tree is cleared.
    Leaf;
    /// Index of a node of a [`Tree`].
    NodeIndex;
}

/// A node: 64 bytes, so that a visit touches one cache line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The smallest box around all leaves below; for a leaf, its own box.
    pub(super) bounds: Aabb,
    /// None at the root. In a free node, the next free node.
    pub(super) parent: Optional<NodeIndex>,
    /// In a leaf: the numbers of its slot and its key.
    pub(super) children: [NodeIndex; 2],
    /// 0 for a leaf, otherwise one more than the height of the taller child.
    pub(super) height: u8,
    /// `true` if any leaf below is active.
    pub(super) active: bool,
}

impl Node {
    #[inline]
    pub(super) const fn is_leaf(&self) -> bool {
        self.height == 0
    }

    /// The search result of a leaf node.
    #[inline]
    pub(super) const fn found(&self) -> Found {
        Found { key: Proxy::new(self.children[1].get()), active: self.active, bounds: self.bounds }
    }
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// Unused; holds the next unused slot.
    Free(Optional<Leaf>),
    Node(NodeIndex),
    /// Index in the list of giants.
    Giant(u32),
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// For a giant, its tight box.
    home: Aabb,
    key: Proxy,
    place: Place,
    active: bool,
}

/// Search result: a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) key: Proxy,
    pub(super) active: bool,
    pub(super) bounds: Aabb,
}

/// Leaves with unique keys, exact boxes and active marks.
///
/// Removing leaves keeps the memory, so no operation allocates after the largest size was reached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub(super) nodes: Column<NodeIndex, Node>,
    slots: Column<Leaf, Slot>,
    /// Slots of leaves too large for the tree.
    giants: Vec<Leaf>,
    pub(super) root: Optional<NodeIndex>,
    free_node: Optional<NodeIndex>,
    free_slot: Optional<Leaf>,
    len: u32,
}

impl Tree {
    #[cfg(test)]
    pub(crate) const fn len(&self) -> u32 {
        self.len
    }

    /// Removes every leaf and keeps the memory.
    #[cfg(test)]
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.slots.clear();
        self.giants.clear();
        (self.root, self.free_node) = (Optional::none(), Optional::none());
        (self.free_slot, self.len) = (Optional::none(), 0);
    }

    /// Adds an inactive leaf. Its key should be unique.
    pub(crate) fn insert(&mut self, key: Proxy, tight: &Aabb) -> Leaf {
        let slot = Slot { home: *tight, key, place: Place::Free(Optional::none()), active: false };
        let leaf = if let Some(leaf) = self.free_slot.get() {
            if let Place::Free(next) = self.slots[leaf].place {
                self.free_slot = next;
            }
            self.slots[leaf] = slot;
            leaf
        } else {
            let leaf = self.slots.end();
            self.slots.push(slot);
            leaf
        };
        self.len += 1;
        self.attach(leaf, tight);
        leaf
    }

    /// Removes a leaf. Returns `true` if it existed.
    pub(crate) fn remove(&mut self, leaf: Leaf) -> bool {
        if self.slot(leaf).is_none() {
            return false;
        }
        self.detach(leaf);
        self.slots[leaf].place = Place::Free(self.free_slot);
        self.free_slot = Optional::some(leaf);
        self.len -= 1;
        true
    }

    /// Sets the box of a leaf. Returns `true` if the leaf exists.
    pub(crate) fn update(&mut self, leaf: Leaf, tight: &Aabb) -> bool {
        let Some(&Slot { home, place, .. }) = self.slot(leaf) else { return false };
        match place {
            Place::Node(node) => {
                let stale = Real::from_bits(margin(tight).to_bits() * STALE_MARGINS);
                if home.encloses(tight) && tight.inflate(stale).encloses(&home) && !is_giant(tight)
                {
                    self.nodes[node].bounds = *tight;
                    self.follow(self.nodes[node].parent);
                    return true;
                }
            }
            Place::Giant(_) if is_giant(tight) => {
                self.slots[leaf].home = *tight;
                return true;
            }
            Place::Giant(_) | Place::Free(_) => {}
        }
        self.detach(leaf);
        self.attach(leaf, tight);
        true
    }

    /// Refits boxes from a node upwards, until one is unchanged.
    fn follow(&mut self, start: Optional<NodeIndex>) {
        let mut next = start;
        while let Some(at) = next.get() {
            let node = &self.nodes[at];
            let [a, b] = node.children.map(|child| &self.nodes[child].bounds);
            let bounds = a.union(b);
            if bounds == node.bounds {
                return;
            }
            let node = &mut self.nodes[at];
            node.bounds = bounds;
            next = node.parent;
        }
    }

    /// Sets the active mark of a leaf. Returns `true` if it exists.
    pub(crate) fn set_active(&mut self, leaf: Leaf, active: bool) -> bool {
        let Some(slot) = self.slot(leaf) else { return false };
        let (before, place) = (slot.active, slot.place);
        if before == active {
            return true;
        }
        self.slots[leaf].active = active;
        if let Place::Node(node) = place {
            self.nodes[node].active = active;
            let mut next = self.nodes[node].parent;
            while let Some(at) = next.get() {
                let [a, b] = self.nodes[at].children;
                let any = self.nodes[a].active || self.nodes[b].active;
                if self.nodes[at].active == any {
                    break;
                }
                self.nodes[at].active = any;
                next = self.nodes[at].parent;
            }
        }
        true
    }

    #[inline]
    fn slot(&self, leaf: Leaf) -> Option<&Slot> {
        self.slots.get(leaf).filter(|slot| !matches!(slot.place, Place::Free(_)))
    }

    /// The search result of a leaf; `None` if it is stale.
    #[cfg(test)]
    pub(super) fn get(&self, leaf: Leaf) -> Option<Found> {
        let slot = self.slot(leaf)?;
        let bounds = match slot.place {
            Place::Node(node) => self.nodes[node].bounds,
            Place::Giant(_) | Place::Free(_) => slot.home,
        };
        Some(Found { key: slot.key, active: slot.active, bounds })
    }

    /// The leaves too large for the tree.
    pub(super) fn giants(&self) -> impl ExactSizeIterator<Item = Found> {
        self.giants.iter().map(|&index| {
            let slot = &self.slots[index];
            Found { key: slot.key, active: slot.active, bounds: slot.home }
        })
    }

    /// Visits the key of every leaf whose tight box overlaps, in any order.
    pub(crate) fn query(&self, bounds: &Aabb, mut visit: impl FnMut(Proxy)) {
        self.overlapping(bounds, false, &mut |found: &Found| visit(found.key));
    }

    /// Visits every leaf whose tight box overlaps, or only the active ones, in any order.
    pub(super) fn overlapping(
        &self,
        bounds: &Aabb,
        only_active: bool,
        visit: &mut impl FnMut(&Found),
    ) {
        for giant in self.giants() {
            if (giant.active || !only_active) && giant.bounds.overlaps(bounds) {
                visit(&giant);
            }
        }
        if let Some(root) = self.root.get() {
            self.overlapping_below(root, bounds, only_active, visit);
        }
    }

    /// [`Self::overlapping`] among the leaves below a node.
    #[inline]
    pub(super) fn overlapping_below(
        &self,
        start: NodeIndex,
        bounds: &Aabb,
        only_active: bool,
        visit: &mut impl FnMut(&Found),
    ) {
        // A depth-first traversal keeps one pending node per level; `MAX_HEIGHT` bounds the levels
        // (see balance.rs).
        let mut behind = [start; Self::MAX_HEIGHT];
        let (mut count, mut at) = (0, start);
        loop {
            let node = &self.nodes[at];
            if (node.active || !only_active) && node.bounds.overlaps(bounds) {
                if !node.is_leaf() {
                    behind[count] = node.children[1];
                    count += 1;
                    at = node.children[0];
                    continue;
                }
                visit(&node.found());
            }
            if count == 0 {
                return;
            }
            count -= 1;
            at = behind[count];
        }
    }

    /// Inserts a detached slot into the tree or the giants.
    fn attach(&mut self, leaf: Leaf, tight: &Aabb) {
        let Slot { key, active, .. } = self.slots[leaf];
        let (home, place) = if is_giant(tight) {
            self.giants.push(leaf);
            (*tight, Place::Giant(self.giants.len() as u32 - 1))
        } else {
            let children = [leaf.get(), key.get()].map(NodeIndex::new);
            let parent = Optional::none();
            let node = self.take_node(Node { bounds: *tight, parent, children, height: 0, active });
            self.link(node);
            (tight.inflate(margin(tight)), Place::Node(node))
        };
        let slot = &mut self.slots[leaf];
        (slot.home, slot.place) = (home, place);
    }

    /// Removes a slot from the tree or the giants. The slot is then detached.
    fn detach(&mut self, leaf: Leaf) {
        match self.slots[leaf].place {
            Place::Node(node) => {
                self.unlink(node);
                self.free_node(node);
            }
            Place::Giant(position) => {
                self.giants.swap_remove(position as usize);
                if let Some(&moved) = self.giants.get(position as usize) {
                    self.slots[moved].place = Place::Giant(position);
                }
            }
            Place::Free(_) => {}
        }
    }

    pub(super) fn take_node(&mut self, node: Node) -> NodeIndex {
        let Some(index) = self.free_node.get() else {
            let index = self.nodes.end();
            self.nodes.push(node);
            return index;
        };
        self.free_node = self.nodes[index].parent;
        self.nodes[index] = node;
        index
    }

    pub(super) fn free_node(&mut self, index: NodeIndex) {
        self.nodes[index].parent = self.free_node;
        self.free_node = Optional::some(index);
    }
}

/// The edge lengths in ulps, exact.
#[inline]
pub(super) fn edges(bounds: &Aabb) -> [u64; 3] {
    let (min, max) = (bounds.min().to_bits(), bounds.max().to_bits());
    // The difference of two i64 in order fits u64.
    let edge = |axis: usize| max[axis].wrapping_sub(min[axis]) as u64;
    [edge(0), edge(1), edge(2)]
}

fn longest_edge(bounds: &Aabb) -> u64 {
    let [x, y, z] = edges(bounds);
    x.max(y).max(z)
}

fn is_giant(tight: &Aabb) -> bool {
    longest_edge(tight) > GIANT_EXTENT
}

fn margin(tight: &Aabb) -> Real {
    let edge = i64::try_from(longest_edge(tight)).unwrap_or(i64::MAX);
    Real::from_bits(edge.clamp(LEAST_MARGIN, GREATEST_MARGIN))
}
