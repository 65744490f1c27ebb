//! Traversal of the trees for queries: through shared references, without allocation, pruned by the query.

use super::BroadPhase;
use super::proxies::{Proxies, Proxy};
use super::tree::Tree;
use crate::math::Aabb;
use crate::world::rows::ShapeKey;

/// Region that a query searches. It may shrink during the search, as a ray does with each hit.
pub(crate) trait Region {
    /// Returns whether a box may contain a result. Monotone: if a box may, so may every box around it.
    fn meets(&self, bounds: &Aabb) -> bool;

    /// Returns whether the second box is likely to have the nearer result. It only affects the cost.
    fn prefers_second(&self, _boxes: [&Aabb; 2]) -> bool {
        false
    }
}

impl Region for Aabb {
    fn meets(&self, bounds: &Aabb) -> bool {
        self.overlaps(bounds)
    }
}

impl Tree {
    /// Visits the key of every leaf whose box meets the region. A leaf that stops meeting it during the search may be left out.
    fn search<R: Region>(&self, region: &mut R, visit: &mut impl FnMut(&mut R, Proxy)) {
        for giant in self.giants() {
            if region.meets(&giant.bounds) {
                visit(region, giant.key);
            }
        }
        let Some(root) = self.root.get() else { return };
        // A depth-first traversal keeps one pending node per level; `MAX_HEIGHT` bounds the levels (see balance.rs).
        let mut behind = [root; Self::MAX_HEIGHT];
        let (mut count, mut at) = (0, root);
        loop {
            let node = &self.nodes[at];
            // Tested when it is visited, not when its parent is: the region may have shrunk since.
            if region.meets(&node.bounds) {
                if !node.is_leaf() {
                    let [a, b] = node.children;
                    let boxes = [&self.nodes[a].bounds, &self.nodes[b].bounds];
                    (at, behind[count]) =
                        if region.prefers_second(boxes) { (b, a) } else { (a, b) };
                    count += 1;
                    continue;
                }
                visit(region, node.found().key);
            }
            if count == 0 {
                return;
            }
            count -= 1;
            at = behind[count];
        }
    }
}

impl BroadPhase {
    /// Visits the key of every proxy whose fat box meets a region, sensors only if asked. A proxy that stops meeting it during
    /// the search may be left out.
    pub(crate) fn visit<R: Region>(
        &self,
        sensors: bool,
        region: &mut R,
        mut visit: impl FnMut(&mut R, ShapeKey),
    ) {
        let Proxies { list, .. } = &self.proxies;
        let mut visit = |region: &mut R, place: Proxy| visit(region, list[place].key);
        self.proxies.fixed.search(region, &mut visit);
        self.proxies.mobile.search(region, &mut visit);
        if sensors {
            self.proxies.sensors.search(region, &mut visit);
        }
    }
}
