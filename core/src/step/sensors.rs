//! Eleventh phase: sensor overlaps and their events, with the poses of the next frame: an overlap is true of the poses that
//! the game then sees. A pair without an awake, moving or changed body keeps its overlap, so a fixed sensor keeps bodies that
//! fell asleep inside it.
//!
//! The pairs of the broad phase do not suffice: they follow from the velocities at the start of the tick, and a contact may
//! move a body further. So each moved or changed shape queries the trees with its final bounds: a sensor those of the other
//! shapes, any other shape that of the sensors. In both trees, bodies that the step did not move are at their current place; the tree of sensors
//! also has those that it moved (`broad::settle`). So a pair is found from the side of a sensor that moved, or from that of
//! another shape that moved.
//!
//! In an incremental resimulation, bodies that are not simulated have the poses of the old frame t + 1, which are those of this
//! timeline too. Leaves enclose them, because history bounds contain the end of each tick.

use super::bounds::{MARGIN, final_bounds};
use super::broad::Broad;
use super::record::ids;
use super::rules::Rule;
use super::shapes::{At, Shapes};
use super::{Scratch, StepReport, broad};
use crate::collide::collide;
use crate::data::sort_by_key;
use crate::math::{Aabb, Real, Vec3};
use crate::world::frame::{Frame, Place};
use crate::world::rows::{
    BodyIndex, BodyKind, ColdRow, Overlap, PairKey, STAY_EVENTS, ShapeKey, ShapeRow, body_of,
    shape_key,
};
use crate::world::{EventKind, EventRow, World};

/// Buffers, reused to avoid allocation. Keys have the sensor first.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    was: Vec<PairKey>,
    is: Vec<PairKey>,
    sort: Vec<PairKey>,
    /// Keys of shapes near another.
    found: Vec<ShapeKey>,
}

pub(super) fn run(
    world: &mut World,
    scratch: &mut Scratch,
    next: &mut Frame,
    report: &mut StepReport,
) {
    broad::settle(world, scratch, next);
    if scratch.diff.on && !scratch.rules.holds(Rule::Sensors) {
        return;
    }
    let Buffers { mut was, mut is, mut sort, mut found } = core::mem::take(&mut scratch.sensors);
    find_old(world, scratch, world.base(), &mut was);
    find_new(world, scratch, next, &mut found, &mut is);
    for keys in [&mut was, &mut is] {
        sort_by_key(keys, &mut sort, |key| key.0);
        keys.dedup();
    }
    report.sensor_overlaps = is.len() as u32;
    let (mut old, mut new) = (was.iter().peekable(), is.iter().peekable());
    while let Some(&key) = [old.peek(), new.peek()].into_iter().flatten().min() {
        let (was, is) = (old.next_if_eq(&key).is_some(), new.next_if_eq(&key).is_some());
        if !scratch.diff.on {
            push_events(world, scratch, *key, was, is);
            if was != is {
                set(world, next, *key, is);
            }
            continue;
        }
        let rests = rests(world, scratch, *key);
        if !rests {
            push_events(world, scratch, *key, was, is);
        }
        if set(world, next, *key, if rests { was } else { is }) {
            scratch.diff.mark_pair(key.shapes().map(body_of));
        }
    }
    if scratch.diff.on {
        drop_others(world, scratch, next, (&mut was, &is), &mut sort);
    }
    scratch.sensors = Buffers { was, is, sort, found };
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
            || world.pending.changed_set.contains(body)
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

/// Collects the overlaps at the end of the tick of the bodies that this step decides.
fn find_new(
    world: &World,
    scratch: &mut Scratch,
    next: &Frame,
    found: &mut Vec<ShapeKey>,
    out: &mut Vec<PairKey>,
) {
    out.clear();
    let Scratch { broad, bodies, moved, places, copied, shapes, diff, rules, .. } = scratch;
    if broad.sensing.is_empty() {
        return;
    }
    let bodies = &bodies.list;
    let moves = |body: BodyIndex| places.get(body).is_some_and(|place| bodies[place].is_moved());
    // Bodies that the step does not move have equal poses in both frames of a full step.
    let earlier = diff.on && !rules.holds(Rule::FinalPoses);
    let frame = |body: BodyIndex| if earlier && !moves(body) { &world.work } else { next };
    let mut finder = Finder { world, broad, shapes, found, out, frame, moves };
    for (body, moved) in bodies.iter().zip(&*moved).filter(|(body, _)| body.is_moved()) {
        // Most bodies are far from all sensors: a box around the body shows that without its shapes.
        if body.dynamic && !finder.broad.sensing.contains(body.index) {
            let half = Vec3::splat(Real::from_bits(1 << (32 + body.exponent)));
            let around = Aabb::from_center(moved.row.center, half);
            let around = around.expect("a size is positive").inflate(MARGIN);
            finder.found.clear();
            finder.broad.near(true, &around, |sensor| finder.found.push(sensor));
            if finder.found.is_empty() {
                continue;
            }
        }
        finder.add(body.index);
    }
    for index in
        world.pending.changed.iter().copied().chain(copied.iter()).filter(|body| !moves(*body))
    {
        finder.add(index);
    }
}

/// Inputs and results of a search for overlaps.
struct Finder<'a, F, M> {
    world: &'a World,
    broad: &'a Broad,
    shapes: &'a mut Shapes,
    found: &'a mut Vec<ShapeKey>,
    out: &'a mut Vec<PairKey>,
    /// Frame with the final pose of a body.
    frame: F,
    /// True for bodies that the step moves.
    moves: M,
}

impl<'a, F: Fn(BodyIndex) -> &'a Frame, M: Fn(BodyIndex) -> bool> Finder<'a, F, M> {
    /// Adds the overlaps of a body.
    fn add(&mut self, index: BodyIndex) {
        let Some((cold, shapes)) = live(self.world, index) else { return };
        for row in shapes {
            let senses = row.sensor;
            let bounds = final_bounds(self.world, (self.frame)(index), index, row);
            self.found.clear();
            self.broad.near(!senses, &bounds, |other| self.found.push(other));
            let key = shape_key(index, row.ordinal);
            for i in 0..self.found.len() {
                let other = self.found[i];
                // Another shape that moved finds the sensor.
                if senses && (self.moves)(body_of(other)) || body_of(other) == index {
                    continue;
                }
                let Some((other_cold, other_row)) = live_shape(self.world, other) else { continue };
                let kinds = [cold.kind, other_cold.kind];
                let sees = senses != other_row.sensor
                    && kinds.iter().any(|kind| *kind != BodyKind::Fixed)
                    && self.world.def.layers.allow(row.filter, other_row.filter);
                if sees && self.overlap([(key, cold, row), (other, other_cold, other_row)]) {
                    let sensor_first = if senses { (key, other) } else { (other, key) };
                    self.out.push(PairKey::new(sensor_first.0, sensor_first.1));
                }
            }
        }
    }

    /// Returns whether two shapes overlap at the end of the tick.
    fn overlap(&mut self, mut sides: [(ShapeKey, &ColdRow, &ShapeRow); 2]) -> bool {
        // The order of the arguments is part of the result: last bits may differ.
        sides.sort_by_key(|side| side.0);
        let [(a, a_bounds), (b, b_bounds)] = sides.map(|(key, cold, row)| {
            let hot = (self.frame)(body_of(key)).hot(&self.world.store, body_of(key));
            let at = At { center: hot.center, rotation: hot.rotation, turn: hot.rotation.turn() };
            self.shapes.posed_at(row, &at, cold.local_center)
        });
        let near = a_bounds.inflate(MARGIN).overlaps(&b_bounds);
        near && collide(&a, &b, 0).points.iter().any(|point| point.separation <= 0)
    }
}

/// Row and shapes of a body that is live and enabled.
fn live(world: &World, index: BodyIndex) -> Option<(&ColdRow, &[ShapeRow])> {
    if !world.work.has_page(index) {
        return None;
    }
    let (page, row) = (world.work.cold_page(&world.store, index), Place::of(index).row);
    let live = page.live >> row & 1 == 1 && page.rows[row].enabled;
    live.then(|| (&page.rows[row], page.shapes_of(row)))
}

/// A shape of a body that is live and enabled, and the row of the body. The trees may contain shapes of other ticks.
fn live_shape(world: &World, key: ShapeKey) -> Option<(&ColdRow, &ShapeRow)> {
    let (cold, shapes) = live(world, body_of(key))?;
    Some((cold, shapes.iter().find(|shape| shape.ordinal == key.ordinal())?))
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
