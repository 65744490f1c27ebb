//! What benches may see of the broad phase; no part of the public interface.

use super::{BroadPhase, Mobility, Proxy};
use crate::math::Aabb;

/// The broad phase, with proxies counted in the order of insertion.
#[derive(Default)]
pub struct Broad {
    broad: BroadPhase,
    proxies: Vec<Proxy>,
}

impl Broad {
    /// Adds a thing; active ones are mobile.
    pub fn insert(&mut self, key: u32, tight: &Aabb, active: bool) {
        let mobility = if active { Mobility::Mobile } else { Mobility::Fixed };
        let proxy = self.broad.insert(key, tight, mobility);
        self.broad.set_active(proxy, active);
        self.proxies.push(proxy);
    }

    /// Gives the nth thing inserted another box.
    pub fn update(&mut self, nth: usize, tight: &Aabb) {
        self.broad.update(self.proxies[nth], tight);
    }

    /// Every pair with an active side.
    pub fn pairs(&mut self, filter: impl FnMut(u32, u32) -> bool, out: &mut Vec<(u32, u32)>) {
        self.broad.pairs(filter, out);
    }
}
