//! Access to the broad phase for benches. Not part of the public interface.

use super::{BroadPhase, Mobility, Proxy};
use crate::math::Aabb;

/// The broad phase, with proxies numbered in the order of insertion.
#[derive(Default)]
pub struct Broad {
    broad: BroadPhase,
    proxies: Vec<Proxy>,
}

impl Broad {
    /// Adds a proxy. Active ones are mobile.
    pub fn insert(&mut self, key: u32, tight: &Aabb, active: bool) {
        let mobility = if active { Mobility::Mobile } else { Mobility::Fixed };
        let proxy = self.broad.insert(key, tight, mobility);
        self.broad.set_active(proxy, active);
        self.proxies.push(proxy);
    }

    /// Updates the box of the nth inserted proxy.
    pub fn update(&mut self, nth: usize, tight: &Aabb) {
        self.broad.update(self.proxies[nth], tight);
    }

    /// Collects every pair with an active side.
    pub fn pairs(&mut self, filter: impl FnMut(u32, u32) -> bool, out: &mut Vec<(u32, u32)>) {
        self.broad.pairs(filter, out);
    }
}
