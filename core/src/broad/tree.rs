//! `Tree`: a binary tree of boxes over leaves with exact bounds, for finding what overlaps what.
//!
//! Boxes are tight: when a leaf moves, those above it follow, as far up as they change. Each leaf also has a home, its
//! box when it was put in and a margin; only when it leaves that is it put in anew. So the links between nodes depend
//! on history, but the boxes of the leaves, and with them all answers, do not.

use crate::math::{Aabb, Real};

/// No node, no slot.
pub(super) const NIL: u32 = u32::MAX;

/// Boxes longer than this (64 km) are kept out of the tree: a half-space or two would make every box above them
/// as large as the world, and the heuristic blind.
const GIANT_EXTENT: u64 = 1 << (32 + 16);

/// A home reaches beyond the tight box by its longest edge within these limits. Homes cost nothing in a search, so they
/// are generous; but a leaf that wandered far from where it was put makes the boxes above it large. Measured.
const LEAST_MARGIN: i64 = 1 << (32 - 4);
const GREATEST_MARGIN: i64 = 1 << (32 + 2);
/// A home that reaches further than this many margins is out of date: the leaf shrank since.
const STALE_MARGINS: i64 = 4;

/// Where a leaf is in its [`Tree`]; valid until it is removed or the tree is cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf(pub(super) u32);

/// A node: 64 bytes, so that a visit touches one cache line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The smallest box around everything below; of a leaf, its own.
    pub(super) bounds: Aabb,
    /// `NIL` at the root. In a free node, the next free one.
    pub(super) parent: u32,
    /// Of a leaf: its slot and its key.
    pub(super) children: [u32; 2],
    /// 0 for a leaf, else one more than the taller child's.
    pub(super) height: u8,
    /// Whether any leaf below is active.
    pub(super) active: bool,
}

impl Node {
    #[inline]
    pub(super) const fn is_leaf(&self) -> bool {
        self.height == 0
    }

    /// A leaf's node as what it stands for.
    #[inline]
    pub(super) const fn found(&self) -> Found {
        Found { key: self.children[1], active: self.active, bounds: self.bounds }
    }
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// Unused; the next unused slot.
    Free(u32),
    Node(u32),
    /// Position in the list of giants.
    Giant(u32),
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Of a giant, its box.
    home: Aabb,
    key: u32,
    place: Place,
    active: bool,
}

/// What a search finds: a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) key: u32,
    pub(super) active: bool,
    pub(super) bounds: Aabb,
}

/// Leaves named by keys, each with an exact box and an active mark.
///
/// Memory is kept when leaves go, so once it has held its most it does not allocate.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(super) nodes: Vec<Node>,
    slots: Vec<Slot>,
    /// Slots of leaves that are too large for the tree.
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

    /// Takes every leaf out and keeps the memory.
    #[cfg(test)]
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.slots.clear();
        self.giants.clear();
        (self.root, self.free_node, self.free_slot, self.len) = (NIL, NIL, NIL, 0);
    }

    /// Adds a leaf that is not active. Its key should be no other leaf's.
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

    /// Takes a leaf out; returns whether it was there.
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

    /// Gives a leaf another box; returns whether the leaf is there.
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

    /// Makes boxes right from a node upwards, until one is.
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

    /// Marks a leaf; returns whether it is there.
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

    /// A leaf as a search would find it, or `None` if it is gone.
    #[cfg(test)]
    pub(super) fn get(&self, leaf: Leaf) -> Option<Found> {
        let slot = self.slot(leaf)?;
        let bounds = match slot.place {
            Place::Node(node) => self.nodes[node as usize].bounds,
            Place::Giant(_) | Place::Free(_) => slot.home,
        };
        Some(Found { key: slot.key, active: slot.active, bounds })
    }

    /// The leaves that are too large for the tree.
    pub(super) fn giants(&self) -> impl ExactSizeIterator<Item = Found> {
        self.giants.iter().map(|&index| {
            let slot = &self.slots[index as usize];
            Found { key: slot.key, active: slot.active, bounds: slot.home }
        })
    }

    /// The key of every leaf whose tight box overlaps, in any order.
    pub(crate) fn query(&self, bounds: &Aabb, mut visit: impl FnMut(u32)) {
        self.overlapping(bounds, false, &mut |found: &Found| visit(found.key));
    }

    /// Every leaf whose tight box overlaps, or every active one of those, in any order.
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

    /// As [`Self::overlapping`], among the leaves below a node.
    #[inline]
    pub(super) fn overlapping_below(
        &self,
        start: u32,
        bounds: &Aabb,
        only_active: bool,
        visit: &mut impl FnMut(&Found),
    ) {
        // A walk in depth leaves one node a level behind; no tree is taller (see balance.rs).
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

    /// Puts a slot that is nowhere into the tree or among the giants.
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

    /// Takes a slot out of the tree or the giants; it is nowhere then.
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
