//! Proxies of the broad phase: key, tight box, marks, and the fat box that is stored in the trees.
//! A proxy that stays inside its fat box costs one comparison.
//!
//! Fat boxes depend on history, so they only prefilter. All results are based on tight boxes.

use super::tree::{Leaf, Tree, edges};
use crate::data::Column;
use crate::data::index::index_types;
use crate::math::{Aabb, Real, Vec3};
use crate::world::rows::ShapeKey;

/// Mobility of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mobility {
    /// Fixed bodies: never active, never paired with one another.
    Fixed,
    /// Dynamic and kinematic bodies.
    Mobile,
    /// Sensors of any body: never active, in no pair, found by [`near_sensors`](super::BroadPhase::near_sensors) and
    /// [`visit`](super::BroadPhase::visit) alone.
    Sensor,
}

index_types! {
    /// A handle, valid until the proxy is removed or the broad phase is cleared. Never state: it depends on history.
    Proxy;
}

/// Data of a proxy except its boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProxyData {
    pub(super) key: ShapeKey,
    leaf: Leaf,
    pub(super) mobility: Mobility,
    live: bool,
}

/// Mark of an active proxy.
pub(super) const ACTIVE: u8 = 1;
/// Mark of a proxy that was inserted, removed, activated, or got another fat box since the last
/// search.
pub(super) const MOVED: u8 = 2;

/// Margin of a fat box: this fraction of the longest edge of the tight box, within limits. A larger
/// margin means fewer searches and more candidates. Measured.
const MARGIN_SHIFT: u32 = 4;
const LEAST_MARGIN: i64 = 1 << (32 - 6);
const GREATEST_MARGIN: i64 = 1 << (32 - 1);
/// A fat box of a moving proxy covers this many further updates of the same motion, up to this many
/// margins.
const AHEAD: i64 = 4;
const AHEAD_MARGINS: i64 = 16;
/// A fat box that exceeds the tight box by more than this many margins is stale: the proxy shrank
/// or stopped.
const STALE_MARGINS: i64 = 24;

/// Columns of proxies; a [`Proxy`] is an index into them.
#[derive(Clone, Debug, Default)]
pub(super) struct Proxies {
    pub(super) tight: Column<Proxy, Aabb>,
    fat: Column<Proxy, Aabb>,
    /// [`ACTIVE`], [`MOVED`].
    pub(super) marks: Column<Proxy, u8>,
    pub(super) list: Column<Proxy, ProxyData>,
    free: Vec<Proxy>,
    /// Proxies whose candidates are out of date, each once. Some may be removed already.
    pub(super) moved: Vec<Proxy>,
    pub(super) fixed: Tree,
    pub(super) mobile: Tree,
    pub(super) sensors: Tree,
}

impl Proxies {
    #[cfg(test)]
    pub(super) const fn len(&self) -> u32 {
        self.fixed.len() + self.mobile.len() + self.sensors.len()
    }

    #[cfg(test)]
    pub(super) fn clear(&mut self) {
        self.tight.clear();
        self.fat.clear();
        self.marks.clear();
        self.list.clear();
        self.free.clear();
        self.moved.clear();
        self.fixed.clear();
        self.mobile.clear();
        self.sensors.clear();
    }

    /// Adds an inactive proxy.
    pub(super) fn insert(&mut self, key: ShapeKey, tight: &Aabb, mobility: Mobility) -> Proxy {
        // A fixed proxy needs no margin.
        let fat = if mobility == Mobility::Fixed { *tight } else { fatten(tight, tight) };
        // The leaf has the same index as the proxy: a search result needs the proxy's other
        // columns.
        let proxy = self.free.pop().unwrap_or_else(|| self.list.end());
        let leaf = self.tree(mobility).insert(proxy, &fat);
        let data = ProxyData { key, leaf, mobility, live: true };
        if proxy == self.list.end() {
            self.tight.push(*tight);
            self.fat.push(fat);
            self.marks.push(0);
            self.list.push(data);
        } else {
            self.tight[proxy] = *tight;
            self.fat[proxy] = fat;
            self.list[proxy] = data;
        }
        self.note_moved(proxy);
        proxy
    }

    /// Removes a proxy. Returns `true` if it existed.
    pub(super) fn remove(&mut self, proxy: Proxy) -> bool {
        let Some(&ProxyData { leaf, mobility, .. }) = self.get(proxy) else { return false };
        self.tree(mobility).remove(leaf);
        self.list[proxy].live = false;
        self.marks[proxy] &= !ACTIVE;
        self.note_moved(proxy);
        self.free.push(proxy);
        true
    }

    /// Sets the tight box. Returns `true` if the fat box changed, or `None` if the proxy is stale.
    #[inline]
    pub(super) fn update(&mut self, proxy: Proxy, tight: &Aabb) -> Option<bool> {
        let ProxyData { mobility, .. } = *self.get(proxy)?;
        let before = core::mem::replace(&mut self.tight[proxy], *tight);
        let fat = &self.fat[proxy];
        if fat.encloses(tight) && (mobility == Mobility::Fixed || !is_stale(fat, tight)) {
            return Some(false);
        }
        let fat = if mobility == Mobility::Fixed { *tight } else { fatten(tight, &before) };
        self.set_fat(proxy, &fat);
        Some(true)
    }

    /// Extends the fat box of a proxy to cover another box. The tight box is unchanged.
    #[inline]
    pub(super) fn cover(&mut self, proxy: Proxy, bounds: &Aabb) {
        if self.get(proxy).is_some() && !self.fat[proxy].encloses(bounds) {
            let fat = self.fat[proxy].union(bounds);
            self.set_fat(proxy, &fat);
        }
    }

    fn set_fat(&mut self, proxy: Proxy, fat: &Aabb) {
        self.fat[proxy] = *fat;
        let ProxyData { leaf, mobility, .. } = self.list[proxy];
        self.tree(mobility).update(leaf, fat);
        self.note_moved(proxy);
    }

    /// Sets the active mark of a mobile proxy. Returns `true` if it exists and is mobile.
    pub(super) fn set_active(&mut self, proxy: Proxy, active: bool) -> bool {
        let Some(&ProxyData { leaf, mobility: Mobility::Mobile, .. }) = self.get(proxy) else {
            return false;
        };
        if self.is_active(proxy) != active {
            self.marks[proxy] ^= ACTIVE;
            self.mobile.set_active(leaf, active);
            if active {
                self.note_moved(proxy);
            }
        }
        true
    }

    /// The data of a proxy; `None` if it is stale.
    #[inline]
    pub(super) fn get(&self, proxy: Proxy) -> Option<&ProxyData> {
        self.list.get(proxy).filter(|data| data.live)
    }

    /// The fat box of a proxy; `None` if it is stale.
    #[inline]
    pub(super) fn fat(&self, proxy: Proxy) -> Option<&Aabb> {
        self.get(proxy).map(|_| &self.fat[proxy])
    }

    #[inline]
    pub(super) fn is_active(&self, proxy: Proxy) -> bool {
        self.marks[proxy] & ACTIVE != 0
    }

    fn note_moved(&mut self, proxy: Proxy) {
        let marks = &mut self.marks[proxy];
        if *marks & MOVED == 0 {
            *marks |= MOVED;
            self.moved.push(proxy);
        }
    }

    const fn tree(&mut self, mobility: Mobility) -> &mut Tree {
        match mobility {
            Mobility::Fixed => &mut self.fixed,
            Mobility::Mobile => &mut self.mobile,
            Mobility::Sensor => &mut self.sensors,
        }
    }
}

fn margin(tight: &Aabb) -> i64 {
    let [x, y, z] = edges(tight);
    let edge = (x.max(y).max(z) >> MARGIN_SHIFT) as i64;
    edge.clamp(LEAST_MARGIN, GREATEST_MARGIN)
}

/// A box around the current bounds and the likely next ones, extrapolated from the previous bounds.
fn fatten(tight: &Aabb, before: &Aabb) -> Aabb {
    let margin = margin(tight);
    let ahead = |now: Real, before: Real| {
        let motion = now.saturating_sub(before).to_bits().saturating_mul(AHEAD);
        Real::from_bits(motion.clamp(-AHEAD_MARGINS * margin, AHEAD_MARGINS * margin))
    };
    let low = tight.min().zip(before.min(), ahead).min(Vec3::ZERO);
    let high = tight.max().zip(before.max(), ahead).max(Vec3::ZERO);
    let around = tight.inflate(Real::from_bits(margin));
    around.sweep(low).union(&around.sweep(high))
}

/// Returns `true` if a fat box exceeds the tight box by too much.
#[inline]
fn is_stale(fat: &Aabb, tight: &Aabb) -> bool {
    let most = (margin(tight) * STALE_MARGINS) as u64;
    let ([low_x, low_y, low_z], [x, y, z]) = (fat.min().to_bits(), tight.min().to_bits());
    // The difference of two i64 in order fits u64.
    let beyond = |further: i64, nearer: i64| further.wrapping_sub(nearer) as u64 > most;
    if beyond(x, low_x) | beyond(y, low_y) | beyond(z, low_z) {
        return true;
    }
    let ([high_x, high_y, high_z], [x, y, z]) = (fat.max().to_bits(), tight.max().to_bits());
    beyond(high_x, x) | beyond(high_y, y) | beyond(high_z, z)
}
