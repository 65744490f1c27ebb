//! Eleventh phase: sensor overlaps and their events. A pair without an awake, moving or changed body keeps its overlap,
//! so a static sensor keeps bodies that fell asleep inside it.

use super::gather::place_of;
use super::record::ids;
use super::{Scratch, StepReport};
use crate::collide::collide;
use crate::data::sort_by_key;
use crate::world::frame::{Frame, Place};
use crate::world::rows::{BodyIndex, Overlap, PairKey, STAY_EVENTS, ShapeKey, body_of};
use crate::world::{EventKind, EventRow, World};

/// Buffers, reused to avoid allocation. Keys have the sensor first.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    was: Vec<PairKey>,
    is: Vec<PairKey>,
    sort: Vec<PairKey>,
}

pub(super) fn run(
    world: &mut World,
    scratch: &mut Scratch,
    next: &mut Frame,
    report: &mut StepReport,
) {
    if scratch.diff.on && !scratch.rules.holds(super::rules::Rule::Sensors) {
        return;
    }
    let Buffers { mut was, mut is, mut sort } = core::mem::take(&mut scratch.sensors);
    find_old(world, scratch, world.base(), &mut was);
    find_new(world, scratch, &mut is);
    for keys in [&mut was, &mut is] {
        sort_by_key(keys, &mut sort, |key| key.0);
        keys.dedup();
    }
    report.sensed = is.len() as u32;
    let (mut old, mut new) = (was.iter().peekable(), is.iter().peekable());
    while let Some(&key) = [old.peek(), new.peek()].into_iter().flatten().min() {
        let (was, is) = (old.next_if_eq(&key).is_some(), new.next_if_eq(&key).is_some());
        let rests = scratch.diff.on && rests(world, scratch, *key);
        if !rests {
            push_events(world, scratch, *key, was, is);
        }
        if !scratch.diff.on && was != is {
            set(world, next, *key, is);
        } else if scratch.diff.on && set(world, next, *key, is || was && rests) {
            scratch.diff.mark_pair(key.shapes().map(body_of));
        }
    }
    if scratch.diff.on {
        drop_others(world, scratch, next, (&mut was, &is), &mut sort);
    }
    scratch.sensors = Buffers { was, is, sort };
}

/// Removes sensor overlaps of the old timeline that this timeline lacks.
fn drop_others(
    world: &mut World,
    scratch: &mut Scratch,
    next: &mut Frame,
    (known, is): (&mut Vec<PairKey>, &[PairKey]),
    sort: &mut Vec<PairKey>,
) {
    known.extend_from_slice(is);
    sort_by_key(known, sort, |key| key.0);
    let mut others = core::mem::take(&mut scratch.others);
    find_old(world, scratch, next, &mut others);
    for &key in &others {
        if known.binary_search(&key).is_err() && set(world, next, key, false) {
            scratch.diff.mark_pair(key.shapes().map(body_of));
        }
    }
    scratch.others = others;
}

/// Returns whether no body of the pair is awake, moving or changed, so that its overlap is kept.
fn rests(world: &World, scratch: &Scratch, key: PairKey) -> bool {
    let active = |body: BodyIndex| {
        let moved = scratch.places.get(body).map(|place| scratch.bodies.list[place].awake);
        moved.unwrap_or_else(|| world.work.is_active_or_gone(body))
            || scratch.woken_in_old.contains(body)
            || world.pending.changed.contains(&body)
    };
    !key.shapes().into_iter().any(|shape| active(body_of(shape)))
}

/// Collects the overlaps of a frame whose pairs this step decides.
fn find_old(world: &World, scratch: &Scratch, frame: &Frame, out: &mut Vec<PairKey>) {
    out.clear();
    let mut add = |index: BodyIndex| {
        let Place { stream, page, .. } = Place::of(index);
        let pages = frame.streams.get(stream).map(|stream| &stream.contacts);
        let Some(page) = pages.and_then(|pages| pages.get(page)) else { return };
        let overlaps = world.store.contacts.get(*page).overlaps_of(index);
        out.extend(overlaps.iter().map(|Overlap { own, other, senses }| {
            if *senses { PairKey::new(*own, *other) } else { PairKey::new(*other, *own) }
        }));
    };
    scratch.bodies.list.iter().filter(|body| body.is_moved()).for_each(|body| add(body.index));
    world.pending.changed.iter().for_each(|index| add(*index));
    scratch.copied.iter().for_each(add);
}

/// Collects the overlaps of this tick.
fn find_new(world: &World, scratch: &mut Scratch, out: &mut Vec<PairKey>) {
    out.clear();
    for i in 0..scratch.sensing.len() {
        let keys: [ShapeKey; 2] = scratch.sensing[i].into();
        let places = keys.map(|shape| {
            let place = place_of(world, scratch, body_of(shape));
            scratch.shapes.find(world, &scratch.bodies, place, shape);
            place
        });
        let side = |i: usize| scratch.shapes.get(places[i], keys[i]);
        let manifold = collide(&side(0).posed(), &side(1).posed(), 0);
        if manifold.points.iter().any(|point| point.separation <= 0) {
            let [a, b] = keys;
            let first = side(0).material.sensor;
            out.push(if first { PairKey::new(a, b) } else { PairKey::new(b, a) });
        }
    }
}

fn push_events(world: &World, scratch: &mut Scratch, key: PairKey, was: bool, is: bool) {
    let (old, new) = (ids(world.base(), key), ids(&world.work, key));
    let mut push = |kind: EventKind, bodies: [Option<crate::data::Id>; 2]| {
        if let [Some(a), Some(b)] = bodies {
            scratch.events.push(EventRow::pair(kind, key, [a, b]));
        }
    };
    if was && is && old == new && !world.pending.is_removed(key) {
        let reports = |shape: &ShapeKey| {
            world.work.cold(&world.store, body_of(*shape)).flags & STAY_EVENTS != 0
        };
        if key.shapes().iter().any(reports) {
            push(EventKind::SensorStayed, new);
        }
        return;
    }
    if was {
        push(EventKind::SensorLeft, old);
    }
    if is {
        push(EventKind::SensorEntered, new);
    }
}

/// Adds an overlap to the pages of both bodies, or removes it; returns whether that changed anything.
fn set(world: &mut World, next: &mut Frame, key: PairKey, is: bool) -> bool {
    let [sensor, other] = key.shapes();
    let mut changed = false;
    for overlap in [
        Overlap { own: sensor, other, senses: true },
        Overlap { own: other, other: sensor, senses: false },
    ] {
        let body = body_of(overlap.own);
        let Some(page) = next.contact_page(&world.store, body) else { continue };
        match page.overlaps.binary_search(&overlap) {
            Ok(at) if !is => {
                next.contact_page_mut(&mut world.store, body).overlaps.remove(at);
            }
            Err(at) if is => {
                next.contact_page_mut(&mut world.store, body).overlaps.insert(at, overlap);
            }
            _ => continue,
        }
        changed = true;
    }
    changed
}
