//! Proxies of the broad phase: key, tight box, marks, and the fat box that is stored in the trees.
//! A proxy that stays inside its fat box costs one comparison.
//!
//! Fat boxes depend on history, so they only prefilter. All results are based on tight boxes.

use super::tree::{Leaf, Tree, edges};
use crate::math::{Aabb, Real, Vec3};

/// Mobility of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mobility {
    /// Static bodies: never active, never paired with one another.
    Fixed,
    /// Dynamic and kinematic bodies.
    Mobile,
}

/// A handle, valid until the proxy is removed or the broad phase is cleared. Never state: it
/// depends on history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Proxy(pub(super) u32);

/// Data of a proxy except its boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProxyData {
    pub(super) key: u32,
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
    pub(super) tight: Vec<Aabb>,
    fat: Vec<Aabb>,
    /// [`ACTIVE`], [`MOVED`].
    pub(super) marks: Vec<u8>,
    pub(super) list: Vec<ProxyData>,
    free: Vec<u32>,
    /// Proxies whose candidates are out of date, each once. Some may be removed already.
    pub(super) moved: Vec<u32>,
    pub(super) fixed: Tree,
    pub(super) mobile: Tree,
}

impl Proxies {
    #[cfg(test)]
    pub(super) const fn len(&self) -> u32 {
        self.fixed.len() + self.mobile.len()
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
    }

    /// Adds an inactive proxy.
    pub(super) fn insert(&mut self, key: u32, tight: &Aabb, mobility: Mobility) -> Proxy {
        // A fixed proxy needs no margin.
        let fat = if mobility == Mobility::Fixed { *tight } else { fatten(tight, tight) };
        // The leaf has the same index as the proxy: a search result needs the proxy's other
        // columns.
        let place = self.free.pop().unwrap_or(self.list.len() as u32);
        let leaf = self.tree(mobility).insert(place, &fat);
        let data = ProxyData { key, leaf, mobility, live: true };
        if place as usize == self.list.len() {
            self.tight.push(*tight);
            self.fat.push(fat);
            self.marks.push(0);
            self.list.push(data);
        } else {
            self.tight[place as usize] = *tight;
            self.fat[place as usize] = fat;
            self.list[place as usize] = data;
        }
        self.note_moved(place);
        Proxy(place)
    }

    /// Removes a proxy. Returns `true` if it existed.
    pub(super) fn remove(&mut self, proxy: Proxy) -> bool {
        let Some(&ProxyData { leaf, mobility, .. }) = self.get(proxy) else { return false };
        self.tree(mobility).remove(leaf);
        self.list[proxy.0 as usize].live = false;
        self.marks[proxy.0 as usize] &= !ACTIVE;
        self.note_moved(proxy.0);
        self.free.push(proxy.0);
        true
    }

    /// Sets the tight box. Returns `true` if the fat box changed, or `None` if the proxy is stale.
    #[inline]
    pub(super) fn update(&mut self, proxy: Proxy, tight: &Aabb) -> Option<bool> {
        let ProxyData { mobility, .. } = *self.get(proxy)?;
        let place = proxy.0 as usize;
        let before = core::mem::replace(&mut self.tight[place], *tight);
        let fat = &self.fat[place];
        if fat.encloses(tight) && (mobility == Mobility::Fixed || !is_stale(fat, tight)) {
            return Some(false);
        }
        let fat = if mobility == Mobility::Fixed { *tight } else { fatten(tight, &before) };
        self.set_fat(proxy.0, &fat);
        Some(true)
    }

    /// Extends the fat box of a proxy to cover another box. The tight box is unchanged.
    #[inline]
    pub(super) fn cover(&mut self, proxy: Proxy, bounds: &Aabb) {
        if self.get(proxy).is_some() && !self.fat[proxy.0 as usize].encloses(bounds) {
            let fat = self.fat[proxy.0 as usize].union(bounds);
            self.set_fat(proxy.0, &fat);
        }
    }

    fn set_fat(&mut self, place: u32, fat: &Aabb) {
        self.fat[place as usize] = *fat;
        let ProxyData { leaf, mobility, .. } = self.list[place as usize];
        self.tree(mobility).update(leaf, fat);
        self.note_moved(place);
    }

    /// Sets the active mark of a mobile proxy. Returns `true` if it exists and is mobile.
    pub(super) fn set_active(&mut self, proxy: Proxy, active: bool) -> bool {
        let Some(&ProxyData { leaf, mobility: Mobility::Mobile, .. }) = self.get(proxy) else {
            return false;
        };
        if self.is_active(proxy.0) != active {
            self.marks[proxy.0 as usize] ^= ACTIVE;
            self.mobile.set_active(leaf, active);
            if active {
                self.note_moved(proxy.0);
            }
        }
        true
    }

    /// The data of a proxy; `None` if it is stale.
    #[inline]
    pub(super) fn get(&self, proxy: Proxy) -> Option<&ProxyData> {
        self.list.get(proxy.0 as usize).filter(|data| data.live)
    }

    /// The fat box of a proxy; `None` if it is stale.
    #[inline]
    pub(super) fn fat(&self, proxy: Proxy) -> Option<&Aabb> {
        self.get(proxy).map(|_| &self.fat[proxy.0 as usize])
    }

    #[inline]
    pub(super) fn is_active(&self, place: u32) -> bool {
        self.marks[place as usize] & ACTIVE != 0
    }

    fn note_moved(&mut self, place: u32) {
        let marks = &mut self.marks[place as usize];
        if *marks & MOVED == 0 {
            *marks |= MOVED;
            self.moved.push(place);
        }
    }

    const fn tree(&mut self, mobility: Mobility) -> &mut Tree {
        match mobility {
            Mobility::Fixed => &mut self.fixed,
            Mobility::Mobile => &mut self.mobile,
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
