//! `BroadPhase`: every pair whose tight boxes overlap and of which a side is active, once, in the order of keys.
//!
//! Called by the step after bounds are known and before the narrow phase. Candidates, pairs whose fat boxes overlap, are
//! kept in order from call to call; only those of things that left their fat box are searched for. What is told is what of
//! them overlaps by tight boxes. Of what sleeps or never moves only the pairs with something active are candidates, so it
//! costs nothing until that comes near.

use super::things::{Mobility, Proxy, Things};
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
    /// Candidates found since; memory for the merge.
    fresh: Vec<Candidate>,
    merged: Vec<Candidate>,
    sort: Vec<Candidate>,
    sort_pairs: Vec<(u32, u32)>,
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
        out.clear();
        if self.things.moved.is_empty() {
            self.tell(out);
            return;
        }
        self.search(filter);
        sort_by_key(&mut self.fresh, &mut self.sort, Candidate::key);
        self.merge(out);
        let Things { list, moved, .. } = &mut self.things;
        moved.drain(..).for_each(|place| list[place as usize].moved = false);
    }

    /// Tells of candidates that overlap and forgets those that fell asleep.
    fn tell(&mut self, out: &mut Vec<(u32, u32)>) {
        let Things { tight, list, .. } = &self.things;
        self.candidates.retain(|&Candidate { keys, places: (a, b) }| {
            let active = list[a as usize].active | list[b as usize].active;
            if active && tight[a as usize].overlaps(&tight[b as usize]) {
                out.push(keys);
            }
            active
        });
    }

    /// Finds the candidates of all things that moved.
    fn search(&mut self, mut filter: impl FnMut(u32, u32) -> bool) {
        let Self { things, fresh, .. } = self;
        fresh.clear();
        for &place in &things.moved {
            let thing = &things.list[place as usize];
            let Some(bounds) = things.fat(Proxy(place)) else { continue };
            let mut visit = |found: &Found| {
                let other = &things.list[found.key as usize];
                // Of two that moved the one with the lower key finds the other. Nothing finds itself.
                if found.key == place || other.moved && other.key < thing.key {
                    return;
                }
                let (a, b) = ((thing.key, place), (other.key, found.key));
                let (a, b) = if a.0 < b.0 { (a, b) } else { (b, a) };
                if filter(a.0, b.0) {
                    fresh.push(Candidate { keys: (a.0, b.0), places: (a.1, b.1) });
                }
            };
            things.mobile.overlapping(bounds, !thing.active, &mut visit);
            if thing.active {
                things.fixed.overlapping(bounds, false, &mut visit);
            }
        }
    }

    /// Puts what was found in the place of what things that moved had, and tells of what overlaps.
    fn merge(&mut self, out: &mut Vec<(u32, u32)>) {
        let Self { things: Things { tight, list, .. }, candidates, fresh, merged, .. } = self;
        merged.clear();
        let most = candidates.len() + fresh.len();
        if merged.capacity() < most {
            merged.reserve(most.next_power_of_two());
        }
        let mut add = |candidate: &Candidate| {
            let (a, b) = candidate.places;
            merged.push(*candidate);
            if tight[a as usize].overlaps(&tight[b as usize]) {
                out.push(candidate.keys);
            }
        };
        let mut fresh = fresh.iter().peekable();
        for candidate in &*candidates {
            let (a, b) = candidate.places;
            let (a, b) = (&list[a as usize], &list[b as usize]);
            if a.moved | b.moved | !(a.active | b.active) {
                continue;
            }
            while let Some(before) = fresh.next_if(|fresh| fresh.key() < candidate.key()) {
                add(before);
            }
            add(candidate);
        }
        fresh.for_each(add);
        core::mem::swap(candidates, merged);
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
            let sleeps =
                |thing: &super::things::Thing| thing.mobility == Mobility::Mobile && !thing.active;
            let Some(thing) = self.things.get(proxy).copied().filter(sleeps) else { continue };
            // Those woken earlier in this list are active by now, and their pairs with this one listed.
            self.things.set_active(proxy, true);
            let Things { tight, list, fixed, mobile, .. } = &self.things;
            let bounds = &tight[proxy.0 as usize];
            let mut visit = |found: &Found| {
                let other = &list[found.key as usize];
                let pair = (thing.key.min(other.key), thing.key.max(other.key));
                if !other.active
                    && tight[found.key as usize].overlaps(bounds)
                    && filter(pair.0, pair.1)
                {
                    out.push(pair);
                }
            };
            mobile.overlapping(bounds, false, &mut visit);
            fixed.overlapping(bounds, false, &mut visit);
        }
        sort_by_key(out, &mut self.sort_pairs, |&(a, b)| u64::from(a) << 32 | u64::from(b));
    }
}

impl Candidate {
    #[inline]
    fn key(&self) -> u64 {
        u64::from(self.keys.0) << 32 | u64::from(self.keys.1)
    }
}
