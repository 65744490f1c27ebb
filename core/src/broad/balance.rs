//! Insertion and balancing of a [`Tree`]: the place of a new leaf and the rotations that follow.
//!
//! The surface-area heuristic decides within a limit: the heights of two siblings differ by at most
//! `SLACK`. The height is therefore logarithmic for every insertion order, traversals fit a stack
//! of fixed size, and the tree is never rebuilt.

use super::tree::{Node, NodeIndex, Tree, edges};
use crate::data::Optional;
use crate::math::Aabb;

/// Largest allowed height difference of two siblings. 1 would be an AVL tree, which has to place
/// large leaves deep among small ones. With 8 a large leaf can be the sibling of a subtree of a few
/// hundred small ones.
pub(super) const SLACK: u8 = 8;

/// The fewest leaves of a tree of this height: one child has height − 1, and the other is at most
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

/// Half the surface area, in units of 2⁻¹⁶ m squared. Edges have at most 48 bits in that unit, so
/// the sum over a whole path is far from overflow.
fn area(bounds: &Aabb) -> u128 {
    let [x, y, z] = edges(bounds).map(|edge| u128::from(edge >> 16));
    x * y + y * z + z * x
}

impl Tree {
    /// Upper bound of the height of any tree.
    pub(super) const MAX_HEIGHT: usize = {
        assert!(least_leaves(128) > u32::MAX as u64, "slots are counted in 32 bits");
        128
    };

    /// The height of the tree; 0 for one leaf or none.
    #[cfg(test)]
    pub(crate) fn height(&self) -> u32 {
        self.root.get().map_or(0, |root| u32::from(self.nodes[root].height))
    }

    /// Inserts an unlinked leaf into the tree.
    pub(super) fn link(&mut self, leaf: NodeIndex) {
        let Some(root) = self.root.get() else {
            self.root = Optional::some(leaf);
            return;
        };
        let sibling = self.best_sibling(root, &self.nodes[leaf].bounds);
        let above = self.nodes[sibling].parent;
        let blank = Node { parent: above, children: [sibling, leaf], ..self.nodes[leaf] };
        let parent = self.take_node(blank);
        self.replace_child(above, sibling, parent);
        self.nodes[sibling].parent = Optional::some(parent);
        self.nodes[leaf].parent = Optional::some(parent);
        self.settle(Optional::some(parent));
    }

    /// Removes a leaf from the tree. Its parent is freed and its sibling takes the parent's place.
    pub(super) fn unlink(&mut self, leaf: NodeIndex) {
        let Some(parent) = self.nodes[leaf].parent.get() else {
            self.root = Optional::none();
            return;
        };
        let [a, b] = self.nodes[parent].children;
        let sibling = if a == leaf { b } else { a };
        let above = self.nodes[parent].parent;
        self.nodes[sibling].parent = above;
        self.replace_child(above, parent, sibling);
        self.free_node(parent);
        self.settle(above);
    }

    /// The best sibling for a leaf: greedily, the node that adds the least surface area, among
    /// those low enough to have a leaf as sibling.
    fn best_sibling(&self, root: NodeIndex, bounds: &Aabb) -> NodeIndex {
        let own = area(bounds);
        let merged = |node: NodeIndex| area(&self.nodes[node].bounds.union(bounds));
        let (mut at, mut at_merged) = (root, merged(root));
        // Growth of the ancestor boxes if the leaf is inserted below them.
        let mut inherited = 0;
        let (mut best, mut best_cost) = (at, u128::MAX);
        loop {
            let node = &self.nodes[at];
            if node.height <= SLACK && at_merged + inherited < best_cost {
                (best, best_cost) = (at, at_merged + inherited);
            }
            if node.is_leaf() {
                return best;
            }
            inherited += at_merged - area(&node.bounds);
            // Lower bound of the cost in each child. Ties prefer the lower child, then the first.
            let options = node.children.map(|child| {
                let node = &self.nodes[child];
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

    /// Updates boxes, heights and active marks from a node up to the root, and rotates if that
    /// reduces the area.
    fn settle(&mut self, start: Optional<NodeIndex>) {
        let mut next = start;
        while let Some(at) = next.get() {
            let at = self.level(at);
            self.refit(at);
            self.tighten(at);
            next = self.nodes[at].parent;
        }
    }

    /// Rotates if one child is too tall. Returns the node that is now in this place.
    ///
    /// One leaf was added or removed, so the difference is at most `SLACK + 1`. The taller child
    /// moves up; its taller grandchild stays with it, the other one moves to the old parent.
    /// Afterwards both pairs of siblings differ by at most `SLACK`. The height of this place is
    /// unchanged or one off, so the argument holds for the node above.
    fn level(&mut self, parent: NodeIndex) -> NodeIndex {
        let [a, b] = self.nodes[parent].children;
        let heights = [a, b].map(|child| self.nodes[child].height);
        if heights[0].abs_diff(heights[1]) <= SLACK {
            return parent;
        }
        let side = usize::from(heights[1] > heights[0]);
        let (child, other) = if side == 0 { (a, b) } else { (b, a) };
        let mut grandchildren = self.nodes[child].children;
        let [f, g] = grandchildren.map(|child| self.nodes[child]);
        let beside = self.nodes[other].bounds;
        let surface = |node: &Node| area(&node.bounds.union(&beside));
        if g.height > f.height || (g.height == f.height && surface(&f) < surface(&g)) {
            grandchildren.swap(0, 1);
        }
        let [stays, goes] = grandchildren;
        let above = self.nodes[parent].parent;
        self.replace_child(above, parent, child);
        self.nodes[child].parent = above;
        self.nodes[child].children = [stays, parent];
        self.nodes[parent].parent = Optional::some(child);
        self.nodes[parent].children[side] = goes;
        self.nodes[goes].parent = Optional::some(parent);
        self.refit(parent);
        child
    }

    /// Swaps a child with a grandchild on the other side if that shrinks the box between them. The
    /// height of the node itself must not change, or the argument of [`Self::level`] would fail.
    fn tighten(&mut self, top: NodeIndex) {
        let node = &self.nodes[top];
        let get = |index: NodeIndex| &self.nodes[index];
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
        self.nodes[top].children[1 - side] = rises;
        self.nodes[rises].parent = Optional::some(top);
        self.nodes[child].children[place] = uncle;
        self.nodes[uncle].parent = Optional::some(child);
        self.refit(child);
    }

    /// Updates box, height and active mark of a node from its children.
    fn refit(&mut self, index: NodeIndex) {
        let [a, b] = self.nodes[index].children.map(|child| self.nodes[child]);
        let node = &mut self.nodes[index];
        node.bounds = a.bounds.union(&b.bounds);
        node.height = a.height.max(b.height) + 1;
        node.active = a.active || b.active;
    }

    /// Replaces a child link; there is no parent if `old` is the root.
    fn replace_child(&mut self, parent: Optional<NodeIndex>, old: NodeIndex, new: NodeIndex) {
        let Some(parent) = parent.get() else {
            self.root = Optional::some(new);
            return;
        };
        for child in &mut self.nodes[parent].children {
            if *child == old {
                *child = new;
            }
        }
    }
}
