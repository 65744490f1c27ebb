//! Access to the broad phase for benches. Not part of the public interface.

use super::{BroadPhase, Mobility, Proxy};
use crate::math::Aabb;
use crate::world::rows::ShapeKey;

/// The broad phase, with proxies numbered in the order of insertion.
#[derive(Default)]
pub struct Broad {
    phase: BroadPhase,
    proxies: Vec<Proxy>,
    pairs: Vec<(ShapeKey, ShapeKey)>,
}

impl Broad {
    /// Adds a proxy. Active ones are mobile.
    pub fn insert(&mut self, key: u32, tight: &Aabb, active: bool) {
        let mobility = if active { Mobility::Mobile } else { Mobility::Fixed };
        let proxy = self.phase.insert(ShapeKey::new(key), tight, mobility);
        self.phase.set_active(proxy, active);
        self.proxies.push(proxy);
    }

    /// Updates the box of the nth inserted proxy.
    pub fn update(&mut self, nth: usize, tight: &Aabb) {
        self.phase.update(self.proxies[nth], tight);
    }

    /// Collects every pair with an active side.
    pub fn pairs(&mut self, mut filter: impl FnMut(u32, u32) -> bool, out: &mut Vec<(u32, u32)>) {
        self.phase.pairs(|a, b| filter(a.get(), b.get()), &mut self.pairs);
        out.clear();
        out.extend(self.pairs.iter().map(|(a, b)| (a.get(), b.get())));
    }
}
