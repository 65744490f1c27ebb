//! The shape of a [`Tree`]: where a new leaf goes and which rotations follow.
//!
//! The surface-area heuristic decides, within a limit: the heights of two siblings differ by at most `SLACK`. So
//! the height is logarithmic whatever is inserted in whatever order, walks fit a stack of fixed size, and
//! nothing ever has to be rebuilt.

use super::tree::{NIL, Node, Tree, edges};
use crate::math::Aabb;

/// The most by which the heights of two siblings may differ. 1 would be an AVL tree, which has to bury large leaves
/// deep among small ones; with 8 a large leaf may stand beside a few hundred small ones.
pub(super) const SLACK: u8 = 8;

/// The fewest leaves that a tree of this height can have: it has a child of height − 1, and the other is at most
/// `SLACK` lower.
pub(super) const fn least_leaves(height: usize) -> u64 {
    let mut least = [1u64; 256];
    let mut h = 1;
    while h <= height {
        let other = (h - 1).saturating_sub(SLACK as usize);
        least[h] = least[h - 1].saturating_add(least[other]);
        h += 1;
    }
    least[height]
}

/// Half the surface, in units of 2^-16 m squared. Edges have at most 48 bits there, so a sum of as many surfaces
/// as a path has nodes is far from the end of the range.
fn area(bounds: &Aabb) -> u128 {
    let [x, y, z] = edges(bounds).map(|edge| u128::from(edge >> 16));
    x * y + y * z + z * x
}

impl Tree {
    /// No tree is taller, however many leaves it has.
    pub(super) const MAX_HEIGHT: usize = {
        assert!(least_leaves(128) > u32::MAX as u64, "slots are counted in 32 bits");
        128
    };

    /// The height of the tree; 0 for one leaf or none.
    #[cfg(test)]
    pub(crate) fn height(&self) -> u32 {
        self.nodes.get(self.root as usize).map_or(0, |node| u32::from(node.height))
    }

    /// Hangs a leaf that is nowhere into the tree.
    pub(super) fn link(&mut self, leaf: u32) {
        if self.root == NIL {
            self.root = leaf;
            return;
        }
        let sibling = self.best_sibling(&self.nodes[leaf as usize].bounds);
        let above = self.nodes[sibling as usize].parent;
        let blank = Node { parent: above, children: [sibling, leaf], ..self.nodes[leaf as usize] };
        let parent = self.take_node(blank);
        self.replace_child(above, sibling, parent);
        self.nodes[sibling as usize].parent = parent;
        self.nodes[leaf as usize].parent = parent;
        self.settle(parent);
    }

    /// Takes a leaf out of the tree; its parent goes and its sibling moves up.
    pub(super) fn unlink(&mut self, leaf: u32) {
        let parent = self.nodes[leaf as usize].parent;
        if parent == NIL {
            self.root = NIL;
            return;
        }
        let [a, b] = self.nodes[parent as usize].children;
        let sibling = if a == leaf { b } else { a };
        let above = self.nodes[parent as usize].parent;
        self.nodes[sibling as usize].parent = above;
        self.replace_child(above, parent, sibling);
        self.free_node(parent);
        self.settle(above);
    }

    /// The node that a leaf should stand beside: greedily, that which adds least surface to the tree, among those
    /// low enough to have a leaf for a sibling.
    fn best_sibling(&self, bounds: &Aabb) -> u32 {
        let own = area(bounds);
        let merged = |node: u32| area(&self.nodes[node as usize].bounds.union(bounds));
        let (mut at, mut at_merged) = (self.root, merged(self.root));
        // What the boxes above grow by if the leaf goes below them.
        let mut inherited = 0;
        let (mut best, mut best_cost) = (at, u128::MAX);
        loop {
            let node = &self.nodes[at as usize];
            if node.height <= SLACK && at_merged + inherited < best_cost {
                (best, best_cost) = (at, at_merged + inherited);
            }
            if node.is_leaf() {
                return best;
            }
            inherited += at_merged - area(&node.bounds);
            // The least that going there can cost; of equals take the lower, then the first.
            let options = node.children.map(|child| {
                let node = &self.nodes[child as usize];
                let merged = merged(child);
                let least = if node.is_leaf() { merged } else { merged - area(&node.bounds) + own };
                (least, node.height, child, merged)
            });
            let second = (options[1].0, options[1].1) < (options[0].0, options[0].1);
            let (least, _, child, child_merged) = options[usize::from(second)];
            if least + inherited >= best_cost {
                return best;
            }
            (at, at_merged) = (child, child_merged);
        }
    }

    /// Makes boxes, heights and marks right from a node up to the root, and rotates where that helps.
    fn settle(&mut self, start: u32) {
        let mut at = start;
        while at != NIL {
            at = self.level(at);
            self.refit(at);
            self.tighten(at);
            at = self.nodes[at as usize].parent;
        }
    }

    /// If one child is too tall, lets it rise; returns the node that is now in this place.
    ///
    /// One leaf came or went, so the difference is `SLACK + 1` at most. The taller grandchild stays with the riser,
    /// the other goes to the sinker; then both differ by `SLACK` at most, and the height of this place is what it
    /// was before the leaf came or went, or one off, so the argument holds for the node above.
    fn level(&mut self, sinker: u32) -> u32 {
        let [a, b] = self.nodes[sinker as usize].children;
        let heights = [a, b].map(|child| self.nodes[child as usize].height);
        if heights[0].abs_diff(heights[1]) <= SLACK {
            return sinker;
        }
        let side = usize::from(heights[1] > heights[0]);
        let (riser, other) = if side == 0 { (a, b) } else { (b, a) };
        let mut grandchildren = self.nodes[riser as usize].children;
        let [f, g] = grandchildren.map(|child| self.nodes[child as usize]);
        let beside = self.nodes[other as usize].bounds;
        let surface = |node: &Node| area(&node.bounds.union(&beside));
        if g.height > f.height || (g.height == f.height && surface(&f) < surface(&g)) {
            grandchildren.swap(0, 1);
        }
        let [stays, goes] = grandchildren;
        let above = self.nodes[sinker as usize].parent;
        self.replace_child(above, sinker, riser);
        self.nodes[riser as usize].parent = above;
        self.nodes[riser as usize].children = [stays, sinker];
        self.nodes[sinker as usize].parent = riser;
        self.nodes[sinker as usize].children[side] = goes;
        self.nodes[goes as usize].parent = sinker;
        self.refit(sinker);
        riser
    }

    /// Swaps a child with a grandchild on the other side if that makes the box between them smaller. The height of
    /// the node itself stays, or the argument of [`Self::level`] would break.
    fn tighten(&mut self, top: u32) {
        let node = &self.nodes[top as usize];
        let get = |index: u32| &self.nodes[index as usize];
        let mut best = None;
        let mut most_saved = 0;
        for side in 0..2 {
            let (child, uncle) = (node.children[side], node.children[1 - side]);
            if get(child).is_leaf() {
                continue;
            }
            let before = area(&get(child).bounds);
            for place in 0..2 {
                let (rises, stays) = (get(child).children[place], get(child).children[1 - place]);
                let (rises_height, stays, uncle) = (get(rises).height, get(stays), get(uncle));
                let height = uncle.height.max(stays.height) + 1;
                let saved = before.saturating_sub(area(&uncle.bounds.union(&stays.bounds)));
                if saved > most_saved
                    && uncle.height.abs_diff(stays.height) <= SLACK
                    && rises_height.abs_diff(height) <= SLACK
                    && rises_height.max(height) + 1 == node.height
                {
                    most_saved = saved;
                    best = Some((side, place));
                }
            }
        }
        let Some((side, place)) = best else { return };
        let (child, uncle) = (node.children[side], node.children[1 - side]);
        let rises = get(child).children[place];
        self.nodes[top as usize].children[1 - side] = rises;
        self.nodes[rises as usize].parent = top;
        self.nodes[child as usize].children[place] = uncle;
        self.nodes[uncle as usize].parent = child;
        self.refit(child);
    }

    /// Box, height and mark of a node from its children's.
    fn refit(&mut self, index: u32) {
        let [a, b] = self.nodes[index as usize].children.map(|child| self.nodes[child as usize]);
        let node = &mut self.nodes[index as usize];
        node.bounds = a.bounds.union(&b.bounds);
        node.height = a.height.max(b.height) + 1;
        node.active = a.active || b.active;
    }

    /// `parent` is `NIL` where `old` is the root.
    fn replace_child(&mut self, parent: u32, old: u32, new: u32) {
        if parent == NIL {
            self.root = new;
            return;
        }
        for child in &mut self.nodes[parent as usize].children {
            if *child == old {
                *child = new;
            }
        }
    }
}
