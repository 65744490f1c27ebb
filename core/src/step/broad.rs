//! Second phase: pairs of shapes with overlapping bounds, without sensors. Keeps the trees up to date with the state.
//! Sensors have a tree of their own, which the sensor phase queries with the poses of the end of the tick.

use super::bodies::StepBody;
use super::bounds::{bounds, bounds_in, final_bounds, swept, tick_rate};
use super::history_bounds::{Epoch, HistoryBounds, epoch};
use super::index::BodyPlace;
use super::resim::make_room;
use super::rules::{Rule, Rules};
use super::shapes::{At, Placed, Shapes};
use super::{Scratch, StepReport};
use crate::Tick;
use crate::broad::{BroadPhase, Mobility, Proxy};
use crate::data::{IndexSet, sort_by_key};
use crate::math::{Aabb, Q20, Rate};
use crate::world::frame::{Frame, Place, index_at};
use crate::world::rows::{
    BodyIndex, BodyKind, ColdPage, PairKey, ShapeKey, ShapeRow, body_of, shape_key,
};
use crate::world::{Command, World};

/// The tree, and the proxies of each body.
#[derive(Debug, Default)]
pub(crate) struct Broad {
    pub(super) phase: BroadPhase,
    /// Proxies of each body's shapes, by stream and position in it.
    proxies: Vec<Vec<Vec<Proxy>>>,
    ready: bool,
    pub(super) pairs: Vec<(ShapeKey, ShapeKey)>,
    found: Vec<ShapeKey>,
    sort: Vec<(ShapeKey, ShapeKey)>,
    woken: Vec<Proxy>,
    /// Bodies with sensors.
    pub(super) sensing: IndexSet<BodyIndex>,
    /// Bounds of bodies over the held ticks.
    pub(super) history_bounds: HistoryBounds,
    /// First tick that the tree is valid for. From this tick on, each body whose leaf may be out of date is in
    /// `history_bounds`, or is listed as changed or as changed in activity.
    pub(super) since: Tick,
    /// The tree may show another tick: leaves of recently moved bodies may be out of date.
    pub(super) stale: bool,
    /// Leaves of recently moved bodies enclose their bounds at all held ticks.
    pub(super) wide: bool,
    /// Pairs already found around chosen bodies in this tick, sorted.
    done: Vec<(ShapeKey, ShapeKey)>,
}

impl Broad {
    /// Reserves the initial capacity.
    pub(super) fn reserve(&mut self) {
        make_room(&mut self.sort, 0);
        make_room(&mut self.found, 0);
        make_room(&mut self.woken, 0);
    }
}

pub(super) fn run(world: &World, scratch: &mut Scratch, report: &mut StepReport) {
    let Scratch { changed, activity_changed, broad, bodies, shapes, .. } = scratch;
    if broad.ready {
        if broad.stale {
            activity_changed.extend_from_slice(&broad.history_bounds.recent);
        }
        for &index in &*changed {
            broad.reinsert(world, index);
            broad.move_body(world, index);
        }
        for &index in activity_changed.iter().chain(&world.pending.woken) {
            broad.update_activity(world, index);
        }
    } else {
        for (s, stream) in world.work.streams.iter().enumerate() {
            for p in 0..stream.cold.len() {
                (0..32).for_each(|row| broad.reinsert(world, index_at(s, p, row)));
            }
        }
        // The tree shows this tick with its commands. Another visit to this tick may have other commands.
        (broad.ready, broad.since) = (true, world.tick.next());
    }
    let (epoch, rate) = (epoch(world), tick_rate(world));
    for (place, body) in bodies.list.entries() {
        let velocity = bodies.motions[place].linear;
        broad.move_gathered(world, (body, velocity), place, shapes, (epoch, rate));
    }
    changed.clear();
    activity_changed.clear();
    (broad.stale, broad.wide) = (false, false);
    broad.history_bounds.prune(world);
    let filter = |a, b| may_touch(world, a, b);
    broad.phase.pairs(filter, &mut broad.pairs);
    broad.add_changed(world);
    report.pairs = broad.pairs.len() as u32;
}

/// Activates woken bodies and leaves their new pairs in `pairs`.
pub(super) fn wake(
    world: &World,
    scratch: &mut Scratch,
    woken: &[BodyIndex],
    report: &mut StepReport,
) {
    let broad = &mut scratch.broad;
    let mut proxies = core::mem::take(&mut broad.woken);
    proxies.clear();
    for &index in woken {
        // Recorded in the history bounds, so that the leaf is valid after a rewind to a tick at which the body sleeps.
        broad.move_body(world, index);
        proxies.extend_from_slice(broad.proxies(index));
    }
    broad.phase.wake(&proxies, |a, b| may_touch(world, a, b), &mut broad.pairs);
    broad.woken = proxies;
    // Pairs of a sleeping body with a changed one were already found.
    let done = &broad.done;
    broad.pairs.retain(|pair| done.binary_search(pair).is_err());
    report.pairs += broad.pairs.len() as u32;
}

/// Makes the tree valid for every held tick.
pub(super) fn widen(world: &World, scratch: &mut Scratch, next: &Frame) {
    let Scratch { changed, broad, rules, .. } = scratch;
    let built = !broad.ready;
    if built {
        for (s, stream) in world.work.streams.iter().enumerate() {
            for p in 0..stream.cold.len() {
                (0..32).for_each(|row| broad.reinsert(world, index_at(s, p, row)));
            }
        }
        broad.ready = true;
        changed.clear();
    }
    if built || world.tick < broad.since {
        broad.cover_future(world, next);
        (broad.since, broad.wide) = (world.tick, false);
    }
    for &index in &*changed {
        broad.reinsert(world, index);
        broad.follow(world, index, rules);
    }
    changed.clear();
    // A commanded velocity may sweep further in this tick than the body gets. Frames do not show that.
    for index in world.commands.iter().flat_map(Command::bodies) {
        broad.follow(world, index, rules);
    }
    if !broad.wide {
        for i in 0..broad.history_bounds.recent.len() {
            broad.cover(broad.history_bounds.recent[i], rules);
        }
        (broad.stale, broad.wide) = (true, true);
    }
    broad.done.clear();
}

/// Leaves in `pairs` the pairs of some bodies with any others, at this tick, that were not found before.
pub(super) fn around(
    world: &World,
    scratch: &mut Scratch,
    bodies: &[BodyIndex],
    report: &mut StepReport,
) {
    let Scratch { broad, rules, places, bodies: columns, woken_in_old, .. } = scratch;
    // Bodies woken in this step are awake in the columns only.
    let active = |index: BodyIndex| {
        places.get(index).is_some_and(|place| columns.list[place].awake)
            || world.work.is_active(index)
            || woken_in_old.contains(index)
            || world.pending.changed_set.contains(index)
    };
    for &index in bodies {
        broad.follow(world, index, rules);
    }
    broad.pairs.clear();
    make_room(&mut broad.pairs, 0);
    make_room(&mut broad.done, 0);
    for &index in bodies {
        broad.pairs_of(world, index, active);
    }
    sort_by_key(&mut broad.pairs, &mut broad.sort, |&(a, b)| PairKey::new(a, b).0);
    broad.pairs.dedup();
    let done = &broad.done;
    broad.pairs.retain(|pair| done.binary_search(pair).is_err());
    broad.done.extend_from_slice(&broad.pairs);
    sort_by_key(&mut broad.done, &mut broad.sort, |&(a, b)| PairKey::new(a, b).0);
    report.pairs += broad.pairs.len() as u32;
}

/// Moves the leaves of sensors to their poses at the end of the tick, and extends the leaves and the history bounds of each body
/// that its bounds over the tick may not contain. So the tree is valid for queries after the step.
pub(super) fn settle(world: &World, scratch: &mut Scratch, next: &Frame) {
    let Scratch { broad, rules, bodies, moved, diff, .. } = scratch;
    let epoch = epoch(world);
    for (body, moved) in bodies.list.iter().zip(&*moved).filter(|(body, _)| body.is_moved()) {
        let (index, senses) = (body.index, broad.sensing.contains(body.index));
        if !moved.leaves_bounds && !senses {
            continue;
        }
        let notes = rules.holds(Rule::FinalBounds);
        let (page, row) = (world.work.cold_page(&world.store, index), Place::of(index).row);
        for (shape, i) in page.shapes_of(row).iter().zip(0..) {
            let bounds = final_bounds(world, next, index, shape);
            if notes {
                broad.history_bounds.note(index, &bounds, epoch);
            }
            if diff.on {
                continue;
            }
            let proxy = broad.proxies(index)[i];
            if shape.sensor {
                broad.phase.update(proxy, &bounds);
            } else if notes {
                broad.phase.cover(proxy, &bounds);
            }
        }
        if diff.on {
            broad.cover(index, rules);
        }
    }
}

impl Broad {
    /// Visits the keys of shapes near some bounds: sensors, or else all others. A superset of the shapes that overlap them at
    /// the end of the tick, except that bodies which this step moves may be missing among the others.
    pub(super) fn near(&self, sensors: bool, bounds: &Aabb, visit: impl FnMut(ShapeKey)) {
        if sensors {
            self.phase.near_sensors(bounds, visit);
        } else {
            self.phase.near(bounds, visit);
        }
    }

    /// Returns whether the tree is built.
    pub(super) const fn is_ready(&self) -> bool {
        self.ready
    }

    /// Marks the tree stale; drops it if `to` is before its first valid tick.
    pub(super) fn rewind(&mut self, to: Tick, rules: &mut Rules) {
        self.stale = true;
        if self.ready && to < self.since && rules.holds(Rule::TreeTicks) {
            *self = Self::default();
        }
    }

    /// Adds pairs of a body with others if one of the two is active and their bounds at this tick overlap. The tree only
    /// gives candidates.
    fn pairs_of(&mut self, world: &World, index: BodyIndex, active: impl Fn(BodyIndex) -> bool) {
        let (page, row) = (world.work.cold_page(&world.store, index), Place::of(index).row);
        if page.live >> row & 1 == 0 || !page.rows[row].enabled {
            return;
        }
        let hot = world.work.hot(&world.store, index);
        let this_active = active(index);
        for shape in page.shapes_of(row).iter().filter(|shape| !shape.sensor) {
            let bounds = bounds(world, index, hot, shape);
            self.found.clear();
            self.phase.near(&bounds, |other| self.found.push(other));
            let key = shape_key(index, shape.ordinal);
            for &other in &self.found {
                let pair = (key.min(other), key.max(other));
                let body = body_of(other);
                if (this_active || active(body))
                    && overlaps_now(world, other, &bounds)
                    && may_touch(world, pair.0, pair.1)
                {
                    self.pairs.push(pair);
                }
            }
        }
    }

    /// Records the bounds of all bodies that are active at any tick of the old timeline, if that was not done during
    /// these ticks. The step has taken the next frame out of the timeline, so it is an argument.
    fn cover_future(&mut self, world: &World, next: &Frame) {
        let held = || {
            let ticks = world.timeline.ticks().filter(|tick| *tick >= world.tick);
            let frames = ticks.map(|tick| &world.timeline.entry(tick).frame);
            frames.chain([next, &world.work])
        };
        let mut active = IndexSet::new();
        for (s, stream) in held().flat_map(|frame| frame.streams.iter().enumerate()) {
            for (p, &marks) in stream.active.iter().enumerate() {
                for row in (0..32).filter(|row| marks >> row & 1 == 1) {
                    active.insert(index_at(s, p, row));
                }
            }
        }
        for frame in held() {
            for index in active.iter().filter(|index| frame.id_at(*index).is_some()) {
                for shape in frame.cold_page(&world.store, index).shapes_of(Place::of(index).row) {
                    self.history_bounds.note(
                        index,
                        &bounds_in(world, frame, index, shape),
                        epoch(world),
                    );
                }
            }
        }
    }

    /// Widens the leaves of a body to its history bounds.
    fn cover(&mut self, index: BodyIndex, rules: &mut Rules) {
        let Some(history_bounds) = self.history_bounds.of(index) else { return };
        if !rules.holds(Rule::HistoryBounds) {
            return;
        }
        // Runs once a rollback for every recently moved body: no list is allocated, and most leaves are wide enough
        // already.
        let (stream, local) = index.in_stream();
        for &proxy in
            self.proxies.get(stream).and_then(|bodies| bodies.get(local)).into_iter().flatten()
        {
            self.phase.cover(proxy, &history_bounds);
        }
    }

    fn proxies(&mut self, index: BodyIndex) -> &mut Vec<Proxy> {
        let (stream, local) = index.in_stream();
        if self.proxies.len() <= stream {
            self.proxies.resize(stream + 1, Vec::new());
        }
        let bodies = &mut self.proxies[stream];
        if bodies.len() <= local {
            bodies.resize(local + 1, Vec::new());
        }
        &mut bodies[local]
    }

    /// Replaces the proxies of a body by those of its current shapes.
    fn reinsert(&mut self, world: &World, index: BodyIndex) {
        let mut proxies = core::mem::take(self.proxies(index));
        for proxy in proxies.drain(..) {
            self.phase.remove(proxy);
        }
        self.sensing.remove(index);
        // After a rewind there may be no page for the body yet.
        if !world.work.has_page(index) {
            *self.proxies(index) = proxies;
            return;
        }
        let (page, row) = (world.work.cold_page(&world.store, index), Place::of(index).row);
        if page.live >> row & 1 == 1 && page.rows[row].enabled {
            let kind = page.rows[row].kind;
            let solid = if kind == BodyKind::Fixed { Mobility::Fixed } else { Mobility::Mobile };
            let hot = world.work.hot(&world.store, index);
            for shape in page.shapes_of(row) {
                let bounds = bounds(world, index, hot, shape);
                let mobility = if shape.sensor { Mobility::Sensor } else { solid };
                if shape.sensor {
                    self.sensing.insert(index);
                }
                let proxy = self.phase.insert(shape_key(index, shape.ordinal), &bounds, mobility);
                self.phase.set_active(proxy, world.work.is_active(index));
                proxies.push(proxy);
            }
        }
        *self.proxies(index) = proxies;
    }

    /// Updates the bounds and the active flag of a body's proxies.
    fn update_activity(&mut self, world: &World, index: BodyIndex) {
        if !world.work.has_page(index) {
            return;
        }
        self.move_body(world, index);
        for i in 0..self.proxies(index).len() {
            let proxy = self.proxies(index)[i];
            self.phase.set_active(proxy, world.work.is_active(index));
        }
    }

    /// Adds pairs of inactive bodies that commands changed with other inactive bodies: they may overlap now.
    fn add_changed(&mut self, world: &World) {
        self.done.clear();
        for &index in &world.pending.changed {
            let (page, row) = (world.work.cold_page(&world.store, index), Place::of(index).row);
            let rests = page.live >> row & 1 == 1
                && page.rows[row].enabled
                && page.rows[row].kind != BodyKind::Dynamic
                && !world.work.is_active(index);
            if !rests {
                continue;
            }
            let hot = world.work.hot(&world.store, index);
            for shape in page.shapes_of(row).iter().filter(|shape| !shape.sensor) {
                self.found.clear();
                let bounds = bounds(world, index, hot, shape);
                self.phase.query(&bounds, |other| self.found.push(other));
                let key = shape_key(index, shape.ordinal);
                for &other in &self.found {
                    let pair = (key.min(other), key.max(other));
                    if !world.work.is_active(body_of(other)) && may_touch(world, pair.0, pair.1) {
                        self.done.push(pair);
                    }
                }
            }
        }
        if !self.done.is_empty() {
            sort_by_key(&mut self.done, &mut self.sort, |&(a, b)| PairKey::new(a, b).0);
            self.done.dedup();
            self.pairs.extend_from_slice(&self.done);
            sort_by_key(&mut self.pairs, &mut self.sort, |&(a, b)| PairKey::new(a, b).0);
            self.pairs.dedup();
        }
    }

    /// Updates the leaves of a body and records the bounds.
    fn move_body(&mut self, world: &World, index: BodyIndex) {
        if !world.work.has_page(index) {
            return;
        }
        let (page, row) = (world.work.cold_page(&world.store, index), Place::of(index).row);
        let hot = world.work.hot(&world.store, index);
        if page.live >> row & 1 == 0 {
            return;
        }
        // A body that was disabled has no proxies.
        for (i, shape) in page.shapes_of(row).iter().enumerate() {
            let Some(&proxy) = self.proxies(index).get(i) else { return };
            self.move_shape(index, proxy, &bounds(world, index, hot, shape), epoch(world));
        }
    }

    /// Updates the leaves of a gathered body, records the bounds and stores the posed shapes.
    fn move_gathered(
        &mut self,
        world: &World,
        (body, velocity): (&StepBody, [Q20; 3]),
        place: BodyPlace,
        shapes: &mut Shapes,
        (epoch, rate): (Epoch, Rate),
    ) {
        let index = body.index;
        let (page, row) = (world.work.cold_page(&world.store, index), Place::of(index).row);
        let turn = shapes.turns[place];
        let at = At { center: body.center, rotation: body.rotation, turn };
        // The sensor phase moves sensors.
        let solid = |(_, shape): &(usize, &ShapeRow)| !shape.sensor;
        for (i, shape) in page.shapes_of(row).iter().enumerate().filter(solid) {
            let placed = Placed::new(&at, page.rows[row].local_center, shape);
            shapes.set(place, shape.ordinal, shape, &placed, &at);
            if let Some(&proxy) = self.proxies(index).get(i) {
                let tight = swept(&placed.bounds(&shape.shape), velocity, rate);
                self.move_shape(index, proxy, &tight, epoch);
            }
        }
    }

    /// Updates a leaf and records its fat bounds.
    #[inline]
    fn move_shape(&mut self, index: BodyIndex, proxy: Proxy, tight: &Aabb, epoch: Epoch) {
        self.phase.update(proxy, tight);
        if let Some(&fat) = self.phase.fat(proxy) {
            self.history_bounds.note(index, &fat, epoch);
        }
    }

    /// Records the bounds of a body at this tick, if it is live, and widens its leaves to its history bounds.
    fn follow(&mut self, world: &World, index: BodyIndex, rules: &mut Rules) {
        let live = |page: &ColdPage| page.live >> Place::of(index).row & 1 == 1;
        if world.work.has_page(index) && live(world.work.cold_page(&world.store, index)) {
            let hot = world.work.hot(&world.store, index);
            let page = world.work.cold_page(&world.store, index);
            for shape in page.shapes_of(Place::of(index).row) {
                self.history_bounds.note(index, &bounds(world, index, hot, shape), epoch(world));
            }
        }
        self.cover(index, rules);
    }
}

/// Returns whether the bounds of a shape at this tick overlap `others`.
fn overlaps_now(world: &World, key: ShapeKey, others: &Aabb) -> bool {
    let index = body_of(key);
    let (page, row) = (world.work.cold_page(&world.store, index), Place::of(index).row);
    let live = page.live >> row & 1 == 1 && page.rows[row].enabled;
    let shape = live.then(|| page.shape(row, key.ordinal())).flatten();
    shape.is_some_and(|shape| {
        bounds(world, index, world.work.hot(&world.store, index), shape).overlaps(others)
    })
}

/// Returns whether two shapes, neither of them a sensor, may have a contact.
fn may_touch(world: &World, a: ShapeKey, b: ShapeKey) -> bool {
    let [body_a, body_b] = [a, b].map(body_of);
    if body_a == body_b {
        return false;
    }
    let rows = |shape: ShapeKey, body: BodyIndex| {
        let (page, row) = (world.work.cold_page(&world.store, body), Place::of(body).row);
        let found = page.shape(row, shape.ordinal()).expect("the tree has shapes that exist");
        (found, page.rows[row].kind)
    };
    let ((a, kind_a), (b, kind_b)) = (rows(a, body_a), rows(b, body_b));
    let dynamic = |kind: BodyKind| kind == BodyKind::Dynamic;
    // Two shapes without a dynamic body exert no impulse.
    (dynamic(kind_a) || dynamic(kind_b))
        && world.def.layers.allow(a.filter, b.filter)
        && !world.work.are_joined(&world.store, body_a, body_b)
}
