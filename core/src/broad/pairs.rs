//! `BroadPhase`: every pair whose tight boxes overlap and of which a side is active, once, in the order of keys.
//!
//! Called by the step after bounds are known and before the narrow phase. Candidates, pairs whose fat boxes overlap, are
//! kept in order from call to call; only those of things that left their fat box are searched for. What is told is what of
//! them overlaps by tight boxes. Of what sleeps or never moves only the pairs with something active are candidates, so it
//! costs nothing until that comes near.

use super::things::{ACTIVE, MOVED, Mobility, Proxy, Things};
use super::tree::Found;
use crate::data::sort_by_key;
use crate::math::Aabb;

/// What overlaps what, by key.
///
/// Feed it with `insert`, `remove`, `update` and `set_active`; then ask `pairs`, and `wake` for what is to be added
/// when more things become active. `query` may be asked at any time. What they answer is a function of the
/// bounds and marks alone. Stale proxies change nothing and return `false` or `None`.
///
/// A filter must be a pure function of two keys: it is asked once for each candidate, when one of the things is put in,
/// moves or becomes active. Whatever else it depends on may change only when a thing is taken out and put in again.
#[derive(Clone, Debug, Default)]
pub(crate) struct BroadPhase {
    pub(super) things: Things,
    /// By keys.
    candidates: Vec<Candidate>,
    /// Candidates of what moved since.
    fresh: Vec<Candidate>,
    sort: Vec<Candidate>,
    /// Those of them that overlap.
    told: Vec<(u32, u32)>,
}

/// Two things whose fat boxes overlap and of which one was active when that was found.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// The keys, lower first.
    keys: (u32, u32),
    /// The places of both, in the order of keys.
    places: (u32, u32),
}

impl BroadPhase {
    #[cfg(test)]
    pub(crate) fn len(&self) -> u32 {
        self.things.len()
    }

    /// Takes everything out and keeps the memory.
    #[cfg(test)]
    pub(crate) fn clear(&mut self) {
        self.things.clear();
        self.candidates.clear();
    }

    /// Adds a thing that is not active. Its key must be no other thing's.
    pub(crate) fn insert(&mut self, key: u32, tight: &Aabb, mobility: Mobility) -> Proxy {
        self.things.insert(key, tight, mobility)
    }

    /// Takes a thing out; returns whether it was there.
    pub(crate) fn remove(&mut self, proxy: Proxy) -> bool {
        self.things.remove(proxy)
    }

    /// Gives a thing another box; returns whether its fat box is another one now, or `None` if the thing is gone.
    #[inline]
    pub(crate) fn update(&mut self, proxy: Proxy, tight: &Aabb) -> Option<bool> {
        self.things.update(proxy, tight)
    }

    /// Makes `near` find a thing in this box too, until its fat box is out of date.
    #[inline]
    pub(crate) fn cover(&mut self, proxy: Proxy, bounds: &Aabb) {
        self.things.cover(proxy, bounds);
    }

    /// The box around a thing that it hardly ever leaves, unless it is gone.
    #[inline]
    pub(crate) fn fat(&self, proxy: Proxy) -> Option<&Aabb> {
        self.things.fat(proxy)
    }

    /// Marks a mobile thing as active or not; returns whether it is there and mobile.
    pub(crate) fn set_active(&mut self, proxy: Proxy, active: bool) -> bool {
        self.things.set_active(proxy, active)
    }

    /// The key of everything whose tight box overlaps, in any order.
    pub(crate) fn query(&self, bounds: &Aabb, mut visit: impl FnMut(u32)) {
        let Things { tight, list, fixed, mobile, .. } = &self.things;
        let mut visit = |place: u32| {
            if tight[place as usize].overlaps(bounds) {
                visit(list[place as usize].key);
            }
        };
        fixed.query(bounds, &mut visit);
        mobile.query(bounds, visit);
    }

    /// The key of everything whose fat box overlaps, in any order: at least all that `query` finds.
    pub(crate) fn near(&self, bounds: &Aabb, mut visit: impl FnMut(u32)) {
        let Things { list, fixed, mobile, .. } = &self.things;
        let mut visit = |place: u32| visit(list[place as usize].key);
        fixed.query(bounds, &mut visit);
        mobile.query(bounds, visit);
    }

    /// Fills `out` with every pair that overlaps and has an active side, if `filter` keeps it: lower key first, in
    /// ascending order.
    pub(crate) fn pairs(
        &mut self,
        filter: impl FnMut(u32, u32) -> bool,
        out: &mut Vec<(u32, u32)>,
    ) {
        self.search(filter);
        self.tell(out);
        let Self { things: Things { tight, marks, moved, .. }, candidates, fresh, .. } = self;
        if moved.is_empty() {
            return;
        }
        sort_by_key(fresh, &mut self.sort, Candidate::key);
        merge(candidates, fresh, Candidate::key);
        self.told.clear();
        let overlaps = |candidate: &&Candidate| {
            let (a, b) = candidate.places;
            tight[a as usize].overlaps(&tight[b as usize])
        };
        self.told.extend(fresh.iter().filter(overlaps).map(|candidate| candidate.keys));
        merge(out, &self.told, |pair| pair_key(*pair));
        moved.drain(..).for_each(|place| marks[place as usize] &= !MOVED);
    }

    /// Tells of candidates that overlap, and forgets those that fell asleep or are out of date.
    fn tell(&mut self, out: &mut Vec<(u32, u32)>) {
        let Self { things: Things { tight, marks, .. }, candidates, .. } = self;
        let (mut kept, mut told) = (0, 0);
        out.resize(candidates.len(), (0, 0));
        // Without branches: which candidates overlap is anybody's guess, a processor's too.
        for i in 0..candidates.len() {
            let candidate = candidates[i];
            let (a, b) = (candidate.places.0 as usize, candidate.places.1 as usize);
            let stays = marks[a] | marks[b] == ACTIVE;
            candidates[kept] = candidate;
            kept += usize::from(stays);
            out[told] = candidate.keys;
            told += usize::from(stays & overlap(&tight[a], &tight[b]));
        }
        candidates.truncate(kept);
        out.truncate(told);
    }

    /// Finds the candidates of all things that moved.
    fn search(&mut self, mut filter: impl FnMut(u32, u32) -> bool) {
        let Self { things, fresh, .. } = self;
        fresh.clear();
        for &place in &things.moved {
            let (thing, active) = (&things.list[place as usize], things.is_active(place));
            let Some(bounds) = things.fat(Proxy(place)) else { continue };
            let mut visit = |found: &Found| {
                let other = &things.list[found.key as usize];
                // Of two that moved the one with the lower key finds the other. Nothing finds itself.
                let moved = things.marks[found.key as usize] & MOVED != 0;
                if found.key == place || moved && other.key < thing.key {
                    return;
                }
                let (a, b) = ((thing.key, place), (other.key, found.key));
                let (a, b) = if a.0 < b.0 { (a, b) } else { (b, a) };
                if filter(a.0, b.0) {
                    fresh.push(Candidate { keys: (a.0, b.0), places: (a.1, b.1) });
                }
            };
            things.mobile.overlapping(bounds, !active, &mut visit);
            if active {
                things.fixed.overlapping(bounds, false, &mut visit);
            }
        }
    }

    /// Marks things as active and fills `out` with the pairs that `pairs` gives now and did not give before. Those
    /// already active and fixed ones are passed over.
    pub(crate) fn wake(
        &mut self,
        woken: &[Proxy],
        mut filter: impl FnMut(u32, u32) -> bool,
        out: &mut Vec<(u32, u32)>,
    ) {
        out.clear();
        for &proxy in woken {
            let Some(thing) = self.things.get(proxy).copied() else { continue };
            if thing.mobility == Mobility::Fixed || self.things.is_active(proxy.0) {
                continue;
            }
            // Those woken earlier in this list are active by now, and their pairs with this one listed.
            self.things.set_active(proxy, true);
            let Things { tight, marks, list, fixed, mobile, .. } = &self.things;
            let bounds = &tight[proxy.0 as usize];
            let mut visit = |found: &Found| {
                let other = &list[found.key as usize];
                let pair = (thing.key.min(other.key), thing.key.max(other.key));
                if marks[found.key as usize] & ACTIVE == 0
                    && tight[found.key as usize].overlaps(bounds)
                    && filter(pair.0, pair.1)
                {
                    out.push(pair);
                }
            };
            mobile.overlapping(bounds, false, &mut visit);
            fixed.overlapping(bounds, false, &mut visit);
        }
        sort_by_key(out, &mut self.told, |pair| pair_key(*pair));
    }
}

impl Candidate {
    #[inline]
    fn key(&self) -> u64 {
        pair_key(self.keys)
    }
}

#[inline]
const fn pair_key((a, b): (u32, u32)) -> u64 {
    (a as u64) << 32 | b as u64
}

/// As [`Aabb::overlaps`], without branches.
#[inline]
#[allow(clippy::needless_bitwise_bool, reason = "lazy operators are branches")]
fn overlap(a: &Aabb, b: &Aabb) -> bool {
    let ([ax, ay, az], [bx, by, bz]) = (a.min().to_bits(), b.max().to_bits());
    let low = (ax <= bx) & (ay <= by) & (az <= bz);
    let ([ax, ay, az], [bx, by, bz]) = (a.max().to_bits(), b.min().to_bits());
    low & (bx <= ax) & (by <= ay) & (bz <= az)
}

/// Merges sorted items into a sorted list, from the end, so that what is before the first of them is not touched.
fn merge<T: Copy>(list: &mut Vec<T>, items: &[T], key: impl Fn(&T) -> u64) {
    let (mut from, mut to) = (list.len(), list.len() + items.len());
    if list.capacity() < to {
        // Generously: crowds come and go, and which tick has the most must not hang on chance.
        list.reserve(to.next_power_of_two() - from);
    }
    list.extend_from_slice(items);
    for item in items.iter().rev() {
        // Where it goes is near the end of what is left, or a search in doubled steps finds it soon; then a block moves.
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
