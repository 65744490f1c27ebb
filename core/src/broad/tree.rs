//! `Tree`: a bounding volume hierarchy over leaves with exact bounds, for overlap queries.
//!
//! Boxes are tight: if a leaf moves, its ancestors are refitted as far up as they change. Each leaf
//! also has a home, its box at insertion plus a margin. It is inserted again only if it leaves its
//! home. The links between nodes depend on history; the boxes of the leaves, and so all results, do
//! not.

use crate::math::{Aabb, Real};

/// Index of no node and no slot.
pub(super) const NIL: u32 = u32::MAX;

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

/// Handle of a leaf in its [`Tree`]; valid until the leaf is removed or the tree is cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf(pub(super) u32);

/// A node: 64 bytes, so that a visit touches one cache line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The smallest box around all leaves below; for a leaf, its own box.
    pub(super) bounds: Aabb,
    /// `NIL` at the root. In a free node, the next free node.
    pub(super) parent: u32,
    /// In a leaf: its slot and its key.
    pub(super) children: [u32; 2],
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
        Found { key: self.children[1], active: self.active, bounds: self.bounds }
    }
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// Unused; holds the next unused slot.
    Free(u32),
    Node(u32),
    /// Index in the list of giants.
    Giant(u32),
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// For a giant, its tight box.
    home: Aabb,
    key: u32,
    place: Place,
    active: bool,
}

/// Search result: a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) key: u32,
    pub(super) active: bool,
    pub(super) bounds: Aabb,
}

/// Leaves with unique keys, exact boxes and active marks.
///
/// Removing leaves keeps the memory, so no operation allocates after the largest size was reached.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(super) nodes: Vec<Node>,
    slots: Vec<Slot>,
    /// Slots of leaves too large for the tree.
    giants: Vec<u32>,
    pub(super) root: u32,
    free_node: u32,
    free_slot: u32,
    len: u32,
}

impl Default for Tree {
    fn default() -> Self {
        Self::new()
    }
}

impl Tree {
    pub(crate) const fn new() -> Self {
        Self {
            nodes: Vec::new(),
            slots: Vec::new(),
            giants: Vec::new(),
            root: NIL,
            free_node: NIL,
            free_slot: NIL,
            len: 0,
        }
    }

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
        (self.root, self.free_node, self.free_slot, self.len) = (NIL, NIL, NIL, 0);
    }

    /// Adds an inactive leaf. Its key should be unique.
    pub(crate) fn insert(&mut self, key: u32, tight: &Aabb) -> Leaf {
        let slot = Slot { home: *tight, key, place: Place::Free(NIL), active: false };
        let index = if self.free_slot == NIL {
            self.slots.push(slot);
            self.slots.len() as u32 - 1
        } else {
            let index = self.free_slot;
            if let Place::Free(next) = self.slots[index as usize].place {
                self.free_slot = next;
            }
            self.slots[index as usize] = slot;
            index
        };
        self.len += 1;
        self.attach(index, tight);
        Leaf(index)
    }

    /// Removes a leaf. Returns `true` if it existed.
    pub(crate) fn remove(&mut self, leaf: Leaf) -> bool {
        if self.slot(leaf).is_none() {
            return false;
        }
        self.detach(leaf.0);
        self.slots[leaf.0 as usize].place = Place::Free(self.free_slot);
        self.free_slot = leaf.0;
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
                    self.nodes[node as usize].bounds = *tight;
                    self.follow(self.nodes[node as usize].parent);
                    return true;
                }
            }
            Place::Giant(_) if is_giant(tight) => {
                self.slots[leaf.0 as usize].home = *tight;
                return true;
            }
            Place::Giant(_) | Place::Free(_) => {}
        }
        self.detach(leaf.0);
        self.attach(leaf.0, tight);
        true
    }

    /// Refits boxes from a node upwards, until one is unchanged.
    fn follow(&mut self, start: u32) {
        let mut at = start;
        while at != NIL {
            let node = &self.nodes[at as usize];
            let [a, b] = node.children.map(|child| &self.nodes[child as usize].bounds);
            let bounds = a.union(b);
            if bounds == node.bounds {
                return;
            }
            let node = &mut self.nodes[at as usize];
            node.bounds = bounds;
            at = node.parent;
        }
    }

    /// Sets the active mark of a leaf. Returns `true` if it exists.
    pub(crate) fn set_active(&mut self, leaf: Leaf, active: bool) -> bool {
        let Some(slot) = self.slot(leaf) else { return false };
        let (before, place) = (slot.active, slot.place);
        if before == active {
            return true;
        }
        self.slots[leaf.0 as usize].active = active;
        if let Place::Node(node) = place {
            self.nodes[node as usize].active = active;
            let mut at = self.nodes[node as usize].parent;
            while at != NIL {
                let [a, b] = self.nodes[at as usize].children;
                let any = self.nodes[a as usize].active || self.nodes[b as usize].active;
                if self.nodes[at as usize].active == any {
                    break;
                }
                self.nodes[at as usize].active = any;
                at = self.nodes[at as usize].parent;
            }
        }
        true
    }

    #[inline]
    fn slot(&self, leaf: Leaf) -> Option<&Slot> {
        self.slots.get(leaf.0 as usize).filter(|slot| !matches!(slot.place, Place::Free(_)))
    }

    /// The search result of a leaf; `None` if it is stale.
    #[cfg(test)]
    pub(super) fn get(&self, leaf: Leaf) -> Option<Found> {
        let slot = self.slot(leaf)?;
        let bounds = match slot.place {
            Place::Node(node) => self.nodes[node as usize].bounds,
            Place::Giant(_) | Place::Free(_) => slot.home,
        };
        Some(Found { key: slot.key, active: slot.active, bounds })
    }

    /// The leaves too large for the tree.
    pub(super) fn giants(&self) -> impl ExactSizeIterator<Item = Found> {
        self.giants.iter().map(|&index| {
            let slot = &self.slots[index as usize];
            Found { key: slot.key, active: slot.active, bounds: slot.home }
        })
    }

    /// Visits the key of every leaf whose tight box overlaps, in any order.
    pub(crate) fn query(&self, bounds: &Aabb, mut visit: impl FnMut(u32)) {
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
        if self.root != NIL {
            self.overlapping_below(self.root, bounds, only_active, visit);
        }
    }

    /// [`Self::overlapping`] among the leaves below a node.
    #[inline]
    pub(super) fn overlapping_below(
        &self,
        start: u32,
        bounds: &Aabb,
        only_active: bool,
        visit: &mut impl FnMut(&Found),
    ) {
        // A depth-first traversal keeps one pending node per level; `MAX_HEIGHT` bounds the levels
        // (see balance.rs).
        let mut behind = [NIL; Self::MAX_HEIGHT];
        let (mut count, mut at) = (0, start);
        loop {
            let node = &self.nodes[at as usize];
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
    fn attach(&mut self, index: u32, tight: &Aabb) {
        let Slot { key, active, .. } = self.slots[index as usize];
        let (home, place) = if is_giant(tight) {
            self.giants.push(index);
            (*tight, Place::Giant(self.giants.len() as u32 - 1))
        } else {
            let children = [index, key];
            let leaf = Node { bounds: *tight, parent: NIL, children, height: 0, active };
            let node = self.take_node(leaf);
            self.link(node);
            (tight.inflate(margin(tight)), Place::Node(node))
        };
        let slot = &mut self.slots[index as usize];
        (slot.home, slot.place) = (home, place);
    }

    /// Removes a slot from the tree or the giants. The slot is then detached.
    fn detach(&mut self, index: u32) {
        match self.slots[index as usize].place {
            Place::Node(node) => {
                self.unlink(node);
                self.free_node(node);
            }
            Place::Giant(position) => {
                self.giants.swap_remove(position as usize);
                if let Some(&moved) = self.giants.get(position as usize) {
                    self.slots[moved as usize].place = Place::Giant(position);
                }
            }
            Place::Free(_) => {}
        }
    }

    pub(super) fn take_node(&mut self, node: Node) -> u32 {
        if self.free_node == NIL {
            self.nodes.push(node);
            return self.nodes.len() as u32 - 1;
        }
        let index = self.free_node;
        self.free_node = self.nodes[index as usize].parent;
        self.nodes[index as usize] = node;
        index
    }

    pub(super) fn free_node(&mut self, index: u32) {
        self.nodes[index as usize].parent = self.free_node;
        self.free_node = index;
    }
}

/// The edge lengths in ulps, exact.
#[inline]
pub(super) fn edges(bounds: &Aabb) -> [u64; 3] {
    let (min, max) = (bounds.min().to_bits(), bounds.max().to_bits());
    // The difference of two i64 in order fits u64.
    [0, 1, 2].map(|axis| max[axis].wrapping_sub(min[axis]) as u64)
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
