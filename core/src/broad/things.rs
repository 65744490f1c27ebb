//! Everything that the broad phase holds, by proxy: its key, its tight box, its marks, and the fat box around the tight
//! one that stands in the trees. A thing that stays inside its fat box costs a comparison.
//!
//! Fat boxes depend on history, so they only prefilter: what is told of things is told of tight boxes.

use super::tree::{Leaf, Tree, edges};
use crate::math::{Aabb, Real, Vec3};

/// Whether a thing may ever move or be marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mobility {
    /// Static bodies: never active, never paired with one another.
    Fixed,
    /// Dynamic and kinematic bodies.
    Mobile,
}

/// A thing's handle; valid until it is removed or the broad phase is cleared. Never state: it depends on history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Proxy(pub(super) u32);

/// What is known of a thing besides its boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thing {
    pub(super) key: u32,
    leaf: Leaf,
    pub(super) mobility: Mobility,
    live: bool,
}

/// Mark of a thing that is active.
pub(super) const ACTIVE: u8 = 1;
/// Mark of one that has another fat box, came, went or became active since pairs were last asked for.
pub(super) const MOVED: u8 = 2;

/// A fat box reaches beyond the tight one by this share of its longest edge, within limits. More means fewer searches and
/// more candidates. Measured.
const MARGIN_SHIFT: u32 = 4;
const LEAST_MARGIN: i64 = 1 << (32 - 6);
const GREATEST_MARGIN: i64 = 1 << (32 - 1);
/// A thing on its way gets a box for so many updates more of the same motion, up to so many margins.
const AHEAD: i64 = 4;
const AHEAD_MARGINS: i64 = 16;
/// A fat box that reaches further than this many margins is out of date: the thing shrank or stopped since.
const STALE_MARGINS: i64 = 24;

/// Columns of things; a proxy is a place in them.
#[derive(Clone, Debug, Default)]
pub(super) struct Things {
    pub(super) tight: Vec<Aabb>,
    fat: Vec<Aabb>,
    /// [`ACTIVE`], [`MOVED`].
    pub(super) marks: Vec<u8>,
    pub(super) list: Vec<Thing>,
    free: Vec<u32>,
    /// Those whose candidates are out of date, each once; some may be gone.
    pub(super) moved: Vec<u32>,
    pub(super) fixed: Tree,
    pub(super) mobile: Tree,
}

impl Things {
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

    /// Adds a thing that is not active.
    pub(super) fn insert(&mut self, key: u32, tight: &Aabb, mobility: Mobility) -> Proxy {
        // What never moves needs no room to move in.
        let fat = if mobility == Mobility::Fixed { *tight } else { fatten(tight, tight) };
        // Named by its place, and its leaf by the place as well: whoever finds it wants the rest of it.
        let place = self.free.pop().unwrap_or(self.list.len() as u32);
        let leaf = self.tree(mobility).insert(place, &fat);
        let thing = Thing { key, leaf, mobility, live: true };
        if place as usize == self.list.len() {
            self.tight.push(*tight);
            self.fat.push(fat);
            self.marks.push(0);
            self.list.push(thing);
        } else {
            self.tight[place as usize] = *tight;
            self.fat[place as usize] = fat;
            self.list[place as usize] = thing;
        }
        self.note_moved(place);
        Proxy(place)
    }

    /// Takes a thing out; returns whether it was there.
    pub(super) fn remove(&mut self, proxy: Proxy) -> bool {
        let Some(&Thing { leaf, mobility, .. }) = self.get(proxy) else { return false };
        self.tree(mobility).remove(leaf);
        self.list[proxy.0 as usize].live = false;
        self.marks[proxy.0 as usize] &= !ACTIVE;
        self.note_moved(proxy.0);
        self.free.push(proxy.0);
        true
    }

    /// Gives a thing another tight box; returns whether it has another fat box with that, or `None` if it is gone.
    #[inline]
    pub(super) fn update(&mut self, proxy: Proxy, tight: &Aabb) -> Option<bool> {
        let Thing { mobility, .. } = *self.get(proxy)?;
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

    /// Makes the fat box of a thing hold another box too; its tight one stays.
    #[inline]
    pub(super) fn cover(&mut self, proxy: Proxy, bounds: &Aabb) {
        if self.get(proxy).is_some() && !self.fat[proxy.0 as usize].encloses(bounds) {
            let fat = self.fat[proxy.0 as usize].union(bounds);
            self.set_fat(proxy.0, &fat);
        }
    }

    fn set_fat(&mut self, place: u32, fat: &Aabb) {
        self.fat[place as usize] = *fat;
        let Thing { leaf, mobility, .. } = self.list[place as usize];
        self.tree(mobility).update(leaf, fat);
        self.note_moved(place);
    }

    /// Marks a mobile thing; returns whether it is there and mobile.
    pub(super) fn set_active(&mut self, proxy: Proxy, active: bool) -> bool {
        let Some(&Thing { leaf, mobility: Mobility::Mobile, .. }) = self.get(proxy) else {
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

    /// The thing, unless it is gone.
    #[inline]
    pub(super) fn get(&self, proxy: Proxy) -> Option<&Thing> {
        self.list.get(proxy.0 as usize).filter(|thing| thing.live)
    }

    /// The fat box of a thing, unless it is gone.
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

/// A box around a thing and where it is likely to be soon, if it was there before.
fn fatten(tight: &Aabb, before: &Aabb) -> Aabb {
    let margin = margin(tight);
    let ahead = |now: Real, before: Real| {
        let way = now.saturating_sub(before).to_bits().saturating_mul(AHEAD);
        Real::from_bits(way.clamp(-AHEAD_MARGINS * margin, AHEAD_MARGINS * margin))
    };
    let low = tight.min().zip(before.min(), ahead).min(Vec3::ZERO);
    let high = tight.max().zip(before.max(), ahead).max(Vec3::ZERO);
    let around = tight.inflate(Real::from_bits(margin));
    around.sweep(low).union(&around.sweep(high))
}

/// Whether a fat box reaches too far beyond the tight one that it encloses.
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
