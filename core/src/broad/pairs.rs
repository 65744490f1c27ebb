//! `BroadPhase`: every pair with overlapping tight boxes and an active side, once, ordered by key.
//!
//! The step calls it after the bounds are known and before the narrow phase. Candidates are pairs
//! with overlapping fat boxes. They stay sorted between calls; a search runs only for proxies that
//! left their fat box. The reported pairs are the candidates whose tight boxes overlap. Sleeping
//! and fixed proxies are candidates only with an active proxy, so they cost nothing until one
//! approaches.

use super::proxies::{ACTIVE, MOVED, Mobility, Proxies, Proxy};
use super::tree::Found;
use crate::data::sort_by_key;
use crate::math::Aabb;
use crate::world::rows::{PairKey, ShapeKey};

/// Overlapping pairs by key. Sensors are in no pair.
///
/// Feed it with `insert`, `remove`, `update` and `set_active`. Then call `pairs`, and `wake` for
/// the additional pairs of proxies that become active. `query` is valid at any time. The results
/// are a function of the bounds and active marks alone. Calls with a stale proxy change nothing and
/// return `false` or `None`.
///
/// A filter must be a pure function of two keys. It is called once per candidate, when one of the
/// proxies is inserted, moves or becomes active. Other inputs of the filter may change only while a
/// proxy is removed and inserted again.
#[derive(Clone, Debug, Default)]
pub(crate) struct BroadPhase {
    pub(super) proxies: Proxies,
    /// Sorted by keys.
    candidates: Vec<Candidate>,
    /// Candidates of proxies that moved since the last call.
    fresh: Vec<Candidate>,
    sort: Vec<Candidate>,
    /// Candidates with overlapping tight boxes.
    overlapping: Vec<(ShapeKey, ShapeKey)>,
}

/// Two proxies with overlapping fat boxes, at least one of them active at the time of the search.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// The keys, lower first.
    keys: (ShapeKey, ShapeKey),
    /// Both proxies, in the order of keys.
    places: (Proxy, Proxy),
}

impl BroadPhase {
    #[cfg(test)]
    pub(crate) fn len(&self) -> u32 {
        self.proxies.len()
    }

    /// Removes all proxies and keeps the memory.
    #[cfg(test)]
    pub(crate) fn clear(&mut self) {
        self.proxies.clear();
        self.candidates.clear();
    }

    /// Adds an inactive proxy. Its key must be unique.
    pub(crate) fn insert(&mut self, key: ShapeKey, tight: &Aabb, mobility: Mobility) -> Proxy {
        self.proxies.insert(key, tight, mobility)
    }

    /// Removes a proxy. Returns `true` if it existed.
    pub(crate) fn remove(&mut self, proxy: Proxy) -> bool {
        self.proxies.remove(proxy)
    }

    /// Sets the tight box. Returns `true` if the fat box changed, or `None` if the proxy is stale.
    #[inline]
    pub(crate) fn update(&mut self, proxy: Proxy, tight: &Aabb) -> Option<bool> {
        self.proxies.update(proxy, tight)
    }

    /// Extends the fat box, so that `near` also finds the proxy in `bounds`. Lasts until the fat
    /// box is replaced.
    #[inline]
    pub(crate) fn cover(&mut self, proxy: Proxy, bounds: &Aabb) {
        self.proxies.cover(proxy, bounds);
    }

    /// The fat box of a proxy; `None` if the proxy is stale.
    #[inline]
    pub(crate) fn fat(&self, proxy: Proxy) -> Option<&Aabb> {
        self.proxies.fat(proxy)
    }

    /// Sets the active mark of a mobile proxy. Returns `true` if it exists and is mobile.
    pub(crate) fn set_active(&mut self, proxy: Proxy, active: bool) -> bool {
        self.proxies.set_active(proxy, active)
    }

    /// Visits the key of every proxy, except sensors, whose tight box overlaps, in any order.
    pub(crate) fn query(&self, bounds: &Aabb, mut visit: impl FnMut(ShapeKey)) {
        let Proxies { tight, list, fixed, mobile, .. } = &self.proxies;
        let mut visit = |place: Proxy| {
            if tight[place].overlaps(bounds) {
                visit(list[place].key);
            }
        };
        fixed.query(bounds, &mut visit);
        mobile.query(bounds, visit);
    }

    /// Visits the key of every proxy, except sensors, whose fat box overlaps, in any order. A
    /// superset of `query`.
    pub(crate) fn near(&self, bounds: &Aabb, mut visit: impl FnMut(ShapeKey)) {
        let Proxies { list, fixed, mobile, .. } = &self.proxies;
        let mut visit = |place: Proxy| visit(list[place].key);
        fixed.query(bounds, &mut visit);
        mobile.query(bounds, visit);
    }

    /// Visits the key of every sensor whose fat box overlaps, in any order.
    pub(crate) fn near_sensors(&self, bounds: &Aabb, mut visit: impl FnMut(ShapeKey)) {
        let Proxies { list, sensors, .. } = &self.proxies;
        sensors.query(bounds, |place| visit(list[place].key));
    }

    /// Fills `out` with every overlapping pair that has an active side and passes `filter`: lower
    /// key first, in ascending order.
    pub(crate) fn pairs(
        &mut self,
        filter: impl FnMut(ShapeKey, ShapeKey) -> bool,
        out: &mut Vec<(ShapeKey, ShapeKey)>,
    ) {
        self.search(filter);
        self.report(out);
        let Self { proxies: Proxies { tight, marks, moved, .. }, candidates, fresh, .. } = self;
        if moved.is_empty() {
            return;
        }
        sort_by_key(fresh, &mut self.sort, Candidate::key);
        merge(candidates, fresh, Candidate::key);
        self.overlapping.clear();
        let overlaps = |candidate: &&Candidate| {
            let (a, b) = candidate.places;
            tight[a].overlaps(&tight[b])
        };
        self.overlapping.extend(fresh.iter().filter(overlaps).map(|candidate| candidate.keys));
        merge(out, &self.overlapping, |pair| pair_key(*pair));
        moved.drain(..).for_each(|place| marks[place] &= !MOVED);
    }

    /// Reports candidates that overlap, and drops those that fell asleep or are out of date.
    fn report(&mut self, out: &mut Vec<(ShapeKey, ShapeKey)>) {
        let Self { proxies: Proxies { tight, marks, .. }, candidates, .. } = self;
        let (mut kept, mut overlapping) = (0, 0);
        out.resize(candidates.len(), Default::default());
        // Branch-free: overlap is unpredictable for the processor.
        for i in 0..candidates.len() {
            let candidate = candidates[i];
            let (a, b) = candidate.places;
            let stays = marks[a] | marks[b] == ACTIVE;
            candidates[kept] = candidate;
            kept += usize::from(stays);
            out[overlapping] = candidate.keys;
            overlapping += usize::from(stays & overlap(&tight[a], &tight[b]));
        }
        candidates.truncate(kept);
        out.truncate(overlapping);
    }

    /// Searches the candidates of all proxies that moved.
    fn search(&mut self, mut filter: impl FnMut(ShapeKey, ShapeKey) -> bool) {
        let Self { proxies, fresh, candidates, .. } = self;
        fresh.clear();
        // A tick in which all proxies move finds every candidate anew; that tick should not be the
        // one that allocates.
        fresh.reserve(candidates.capacity());
        for &place in &proxies.moved {
            let (data, active) = (&proxies.list[place], proxies.is_active(place));
            let Some(bounds) = proxies.fat(place) else { continue };
            if data.mobility == Mobility::Sensor {
                continue;
            }
            let mut visit = |found: &Found| {
                let other = &proxies.list[found.key];
                // If both moved, the one with the lower key finds the other. No proxy finds itself.
                let moved = proxies.marks[found.key] & MOVED != 0;
                if found.key == place || moved && other.key < data.key {
                    return;
                }
                let (a, b) = ((data.key, place), (other.key, found.key));
                let (a, b) = if a.0 < b.0 { (a, b) } else { (b, a) };
                if filter(a.0, b.0) {
                    fresh.push(Candidate { keys: (a.0, b.0), places: (a.1, b.1) });
                }
            };
            proxies.mobile.overlapping(bounds, !active, &mut visit);
            if active {
                proxies.fixed.overlapping(bounds, false, &mut visit);
            }
        }
    }

    /// Marks proxies as active and fills `out` with the pairs that `pairs` now gives in addition.
    /// Proxies that are already active, fixed or sensors are skipped.
    pub(crate) fn wake(
        &mut self,
        woken: &[Proxy],
        mut filter: impl FnMut(ShapeKey, ShapeKey) -> bool,
        out: &mut Vec<(ShapeKey, ShapeKey)>,
    ) {
        out.clear();
        for &proxy in woken {
            let Some(data) = self.proxies.get(proxy).copied() else { continue };
            if data.mobility != Mobility::Mobile || self.proxies.is_active(proxy) {
                continue;
            }
            // Proxies woken earlier in this list are already active, and their pairs with this one
            // are listed.
            self.proxies.set_active(proxy, true);
            let Proxies { tight, marks, list, fixed, mobile, .. } = &self.proxies;
            let bounds = &tight[proxy];
            let mut visit = |found: &Found| {
                let other = &list[found.key];
                let pair = (data.key.min(other.key), data.key.max(other.key));
                if marks[found.key] & ACTIVE == 0
                    && tight[found.key].overlaps(bounds)
                    && filter(pair.0, pair.1)
                {
                    out.push(pair);
                }
            };
            mobile.overlapping(bounds, false, &mut visit);
            fixed.overlapping(bounds, false, &mut visit);
        }
        sort_by_key(out, &mut self.overlapping, |pair| pair_key(*pair));
    }
}

impl Candidate {
    #[inline]
    fn key(&self) -> u64 {
        pair_key(self.keys)
    }
}

#[inline]
const fn pair_key((a, b): (ShapeKey, ShapeKey)) -> u64 {
    PairKey::new(a, b).0
}

/// [`Aabb::overlaps`] without branches.
#[inline]
#[allow(clippy::needless_bitwise_bool, reason = "lazy operators are branches")]
fn overlap(a: &Aabb, b: &Aabb) -> bool {
    let ([ax, ay, az], [bx, by, bz]) = (a.min().to_bits(), b.max().to_bits());
    let low = (ax <= bx) & (ay <= by) & (az <= bz);
    let ([ax, ay, az], [bx, by, bz]) = (a.max().to_bits(), b.min().to_bits());
    low & (bx <= ax) & (by <= ay) & (bz <= az)
}

/// Merges sorted items into a sorted list, from the end. Entries before the first inserted item are
/// not touched.
fn merge<T: Copy>(list: &mut Vec<T>, items: &[T], key: impl Fn(&T) -> u64) {
    let (mut from, mut to) = (list.len(), list.len() + items.len());
    if list.capacity() < to {
        // Reserves generously: the number of candidates varies, and allocation should not depend on
        // which tick has the most.
        list.reserve(to.next_power_of_two() - from);
    }
    list.extend_from_slice(items);
    for item in items.iter().rev() {
        // The position is near the end of the remaining list, or a galloping search finds it soon.
        // Then one block moves.
        let beyond = |other: &T| key(other) > key(item);
        let mut step = 1;
        while step < from && beyond(&list[from - step]) {
            step *= 2;
        }
        let low = from.saturating_sub(step);
        let start = low + list[low..from].partition_point(|other| !beyond(other));
        list.copy_within(start..from, to - (from - start));
        (from, to) = (start, to - (from - start) - 1);
        list[to] = *item;
    }
}
