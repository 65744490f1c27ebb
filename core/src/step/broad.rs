//! Second phase: pairs of shapes whose bounds overlap. Keeps the tree in step with the state.

use super::bodies::StepBody;
use super::history_bounds::{HistoryBounds, epoch};
use super::resim::make_room;
use super::rules::{Rule, Rules};
use super::shapes::{At, Placed, Shapes};
use super::{Scratch, StepReport};
use crate::broad::{BroadPhase, Mobility, Proxy};
use crate::data::{BitSet, sort_by_key};
use crate::math::{Aabb, Q20, Rate, Real, Vec3};
use crate::world::frame::{Frame, Place, STREAM_BODIES, index_at};
use crate::world::rows::{
    BodyKind, ColdPage, ColdRow, HotRow, PairKey, ShapeRow, body_of, shape_key,
};
use crate::world::{Command, World};

/// Shapes nearer than this, metres, may have contact points: 2 cm.
pub(crate) const MARGIN: Real = Real::ratio(2, 100);

/// The broad phase and who is where in it.
#[derive(Debug, Default)]
pub(crate) struct Broad {
    phase: BroadPhase,
    /// Handles of each body's shapes, by stream and place in it.
    proxies: Vec<Vec<Vec<Proxy>>>,
    ready: bool,
    pub(super) pairs: Vec<(u32, u32)>,
    found: Vec<u32>,
    sort: Vec<(u32, u32)>,
    woken: Vec<Proxy>,
    /// Where bodies were.
    history_bounds: HistoryBounds,
    /// First tick that the tree is valid for: from this tick on, each body whose leaf may lag behind is in `history_bounds`, or
    /// was listed as changed or stirred.
    since: u32,
    /// The tree may be of another tick: leaves of recent bodies are not where these are.
    stale: bool,
    /// Leaves of recent bodies cover all ticks that are held.
    wide: bool,
    /// Pairs that were found around chosen bodies in this tick, sorted.
    done: Vec<(u32, u32)>,
}

pub(super) fn run(world: &World, scratch: &mut Scratch, report: &mut StepReport) {
    let Scratch { changed, stirred, broad, bodies, shapes, .. } = scratch;
    if broad.ready {
        if broad.stale {
            stirred.extend_from_slice(&broad.history_bounds.recent);
        }
        for &index in &*changed {
            broad.insert_again(world, index);
            broad.move_body(world, index);
        }
        for &index in stirred.iter().chain(&world.pending.woken) {
            broad.stir(world, index);
        }
    } else {
        for (s, stream) in world.work.streams.iter().enumerate() {
            for p in 0..stream.cold.len() {
                (0..32).for_each(|row| broad.insert_again(world, index_at(s, p, row)));
            }
        }
        // The tree shows this tick with its commands, which another visit to this tick may not give.
        (broad.ready, broad.since) = (true, world.tick + 1);
    }
    let (epoch, rate) = (epoch(world), tick_rate(world));
    for (body, place) in bodies.list.iter().zip(0..) {
        let velocity = bodies.motions[place as usize].linear;
        broad.move_gathered(world, (body, velocity), place, shapes, (epoch, rate));
    }
    changed.clear();
    stirred.clear();
    (broad.stale, broad.wide) = (false, false);
    broad.history_bounds.forget(world);
    let filter = |a, b| meets(world, a, b);
    broad.phase.pairs(filter, &mut broad.pairs);
    broad.add_changed(world);
    report.pairs = broad.pairs.len() as u32;
}

/// Makes bodies active that were woken and leaves the pairs that come with them in `pairs`.
pub(super) fn wake(world: &World, scratch: &mut Scratch, woken: &[u32], report: &mut StepReport) {
    let broad = &mut scratch.broad;
    let mut proxies = core::mem::take(&mut broad.woken);
    proxies.clear();
    for &index in woken {
        // Noted, so that it is found when the world goes back to where it sleeps.
        broad.move_body(world, index);
        proxies.extend_from_slice(broad.proxies(index));
    }
    broad.phase.wake(&proxies, |a, b| meets(world, a, b), &mut broad.pairs);
    broad.woken = proxies;
    // Those of a sleeper with something changed were found because of that.
    let done = &broad.done;
    broad.pairs.retain(|pair| done.binary_search(pair).is_err());
    report.pairs += broad.pairs.len() as u32;
}

/// Makes the tree fit for any tick that is held.
pub(super) fn widen(world: &World, scratch: &mut Scratch, next: &Frame) {
    let Scratch { changed, broad, rules, .. } = scratch;
    if !broad.ready {
        for (s, stream) in world.work.streams.iter().enumerate() {
            for p in 0..stream.cold.len() {
                (0..32).for_each(|row| broad.insert_again(world, index_at(s, p, row)));
            }
        }
        (broad.ready, broad.since) = (true, u32::MAX);
        changed.clear();
    }
    if world.tick < broad.since {
        broad.cover_future(world, next);
        (broad.since, broad.wide) = (world.tick, false);
    }
    for &index in &*changed {
        broad.insert_again(world, index);
        broad.follow(world, index, rules);
    }
    changed.clear();
    // One that is told to go fast may reach further in this tick than it comes: slots don't show that.
    for index in world.commands.iter().filter_map(Command::body) {
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

/// Leaves in `pairs` those of some bodies with any others that were not found before, as they are in this tick.
pub(super) fn around(
    world: &World,
    scratch: &mut Scratch,
    bodies: &[u32],
    report: &mut StepReport,
) {
    let Scratch { broad, rules, places, bodies: columns, rising, .. } = scratch;
    // Those that woke a moment ago are awake in the columns only.
    let stirs = |index: u32| {
        places.get(index).is_some_and(|place| columns.list[place as usize].awake)
            || world.work.is_active(index)
            || rising.contains(index)
            || world.pending.changed.contains(&index)
    };
    for &index in bodies {
        broad.follow(world, index, rules);
    }
    broad.pairs.clear();
    make_room(&mut broad.pairs, 0);
    make_room(&mut broad.done, 0);
    for &index in bodies {
        broad.pairs_of(world, index, stirs);
    }
    sort_by_key(&mut broad.pairs, &mut broad.sort, |&(a, b)| PairKey::new(a, b).0);
    broad.pairs.dedup();
    let done = &broad.done;
    broad.pairs.retain(|pair| done.binary_search(pair).is_err());
    broad.done.extend_from_slice(&broad.pairs);
    sort_by_key(&mut broad.done, &mut broad.sort, |&(a, b)| PairKey::new(a, b).0);
    report.pairs += broad.pairs.len() as u32;
}

impl Broad {
    /// Whether there is a tree.
    pub(super) const fn is_ready(&self) -> bool {
        self.ready
    }

    /// Follows the world to another tick.
    pub(super) fn rewind(&mut self, to: u32, rules: &mut Rules) {
        self.stale = true;
        if self.ready && to < self.since && rules.holds(Rule::TreeTicks) {
            *self = Self::default();
        }
    }

    /// Adds pairs of a body with others if one of them stirs and their bounds overlap now, whatever the tree says.
    fn pairs_of(&mut self, world: &World, index: u32, stirs: impl Fn(u32) -> bool) {
        let (page, row) = (world.work.cold_page(&world.store, index), Place::of(index).row);
        if page.live >> row & 1 == 0 || !page.rows[row].enabled {
            return;
        }
        let hot = world.work.hot(&world.store, index);
        let this_stirs = stirs(index);
        for shape in page.shapes_of(row) {
            let bounds = bounds(world, index, hot, shape);
            self.found.clear();
            self.phase.near(&bounds, |other| self.found.push(other));
            let key = shape_key(index, shape.ordinal);
            for &other in &self.found {
                let pair = (key.min(other), key.max(other));
                let body = body_of(other);
                if (this_stirs || stirs(body))
                    && overlaps_now(world, other, &bounds)
                    && meets(world, pair.0, pair.1)
                {
                    self.pairs.push(pair);
                }
            }
        }
    }

    /// Notes where bodies are in the ticks of the old future, when nobody has: all that are active in any of them. The next
    /// slot is in the step's hands.
    fn cover_future(&mut self, world: &World, next: &Frame) {
        let held = || {
            let ticks = world.tick..=world.timeline.newest();
            let slots = ticks.map(|tick| &world.timeline.entry(tick).frame);
            slots.chain([next, &world.work])
        };
        let mut active = BitSet::new();
        for (s, stream) in held().flat_map(|slot| slot.streams.iter().enumerate()) {
            for (p, &marks) in stream.active.iter().enumerate() {
                for row in (0..32).filter(|row| marks >> row & 1 == 1) {
                    active.insert(index_at(s, p, row));
                }
            }
        }
        for slot in held() {
            for index in active.iter().filter(|index| slot.id_at(*index).is_some()) {
                for shape in slot.cold_page(&world.store, index).shapes_of(Place::of(index).row) {
                    self.history_bounds.note(
                        index,
                        &bounds_in(world, slot, index, shape),
                        epoch(world),
                    );
                }
            }
        }
    }

    /// Lets the leaves of a body cover where it is and was.
    fn cover(&mut self, index: u32, rules: &mut Rules) {
        let Some(history_bounds) = self.history_bounds.of(index) else { return };
        if !rules.holds(Rule::HistoryBounds) {
            return;
        }
        // Once a rollback for all that moved of late: no list is made here, and most leaves are wide enough.
        let (stream, local) = ((index / STREAM_BODIES) as usize, (index % STREAM_BODIES) as usize);
        for &proxy in
            self.proxies.get(stream).and_then(|bodies| bodies.get(local)).into_iter().flatten()
        {
            self.phase.cover(proxy, &history_bounds);
        }
    }

    fn proxies(&mut self, index: u32) -> &mut Vec<Proxy> {
        let (stream, local) = ((index / STREAM_BODIES) as usize, (index % STREAM_BODIES) as usize);
        if self.proxies.len() <= stream {
            self.proxies.resize(stream + 1, Vec::new());
        }
        let bodies = &mut self.proxies[stream];
        if bodies.len() <= local {
            bodies.resize(local + 1, Vec::new());
        }
        &mut bodies[local]
    }

    /// Takes a body's shapes out and puts in what it has now.
    fn insert_again(&mut self, world: &World, index: u32) {
        let mut proxies = core::mem::take(self.proxies(index));
        for proxy in proxies.drain(..) {
            self.phase.remove(proxy);
        }
        // The world may have gone back to before there was a page for it.
        if !world.work.has_page(index) {
            *self.proxies(index) = proxies;
            return;
        }
        let (page, row) = (world.work.cold_page(&world.store, index), Place::of(index).row);
        if page.live >> row & 1 == 1 && page.rows[row].enabled {
            let kind = page.rows[row].kind;
            let mobility =
                if kind == BodyKind::Static { Mobility::Fixed } else { Mobility::Mobile };
            let hot = world.work.hot(&world.store, index);
            for shape in page.shapes_of(row) {
                let bounds = bounds(world, index, hot, shape);
                let proxy = self.phase.insert(shape_key(index, shape.ordinal), &bounds, mobility);
                self.phase.set_active(proxy, world.work.is_active(index));
                proxies.push(proxy);
            }
        }
        *self.proxies(index) = proxies;
    }

    /// Follows a body that fell asleep, woke, or began or ceased to move.
    fn stir(&mut self, world: &World, index: u32) {
        if !world.work.has_page(index) {
            return;
        }
        self.move_body(world, index);
        for i in 0..self.proxies(index).len() {
            let proxy = self.proxies(index)[i];
            self.phase.set_active(proxy, world.work.is_active(index));
        }
    }

    /// Adds pairs of bodies at rest that commands changed with others at rest: they may be in somebody's place now.
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
            for shape in page.shapes_of(row) {
                self.found.clear();
                let bounds = bounds(world, index, hot, shape);
                self.phase.query(&bounds, |other| self.found.push(other));
                let key = shape_key(index, shape.ordinal);
                for &other in &self.found {
                    let pair = (key.min(other), key.max(other));
                    if !world.work.is_active(body_of(other)) && meets(world, pair.0, pair.1) {
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

    /// Brings the leaves of a body to where it is and notes that.
    fn move_body(&mut self, world: &World, index: u32) {
        if !world.work.has_page(index) {
            return;
        }
        let (page, row) = (world.work.cold_page(&world.store, index), Place::of(index).row);
        let hot = world.work.hot(&world.store, index);
        if page.live >> row & 1 == 0 {
            return;
        }
        // A body that was disabled has no handles.
        for (i, shape) in page.shapes_of(row).iter().enumerate() {
            let Some(&proxy) = self.proxies(index).get(i) else { return };
            self.move_shape(index, proxy, &bounds(world, index, hot, shape), epoch(world));
        }
    }

    /// The same for one of the step's bodies, whose shapes become known with that.
    fn move_gathered(
        &mut self,
        world: &World,
        (body, velocity): (&StepBody, [Q20; 3]),
        place: u32,
        shapes: &mut Shapes,
        (epoch, rate): (u32, Rate),
    ) {
        let index = body.index;
        let (page, row) = (world.work.cold_page(&world.store, index), Place::of(index).row);
        let turn = shapes.turns[place as usize];
        let at = At { center: body.center, rotation: body.rotation, turn };
        for (shape, i) in page.shapes_of(row).iter().zip(0..) {
            let placed = Placed::new(&at, page.rows[row].local_center, shape);
            shapes.set(place, i, shape, &placed, &at);
            if let Some(&proxy) = self.proxies(index).get(i as usize) {
                let tight = swept(&placed.bounds(&shape.shape), velocity, rate);
                self.move_shape(index, proxy, &tight, epoch);
            }
        }
    }

    /// Brings a leaf to where its shape is and notes the fat box around it.
    #[inline]
    fn move_shape(&mut self, index: u32, proxy: Proxy, tight: &Aabb, epoch: u32) {
        self.phase.update(proxy, tight);
        if let Some(&fat) = self.phase.fat(proxy) {
            self.history_bounds.note(index, &fat, epoch);
        }
    }

    /// Lets the leaves of a body cover where it is and was, in whatever tick they stand.
    fn follow(&mut self, world: &World, index: u32, rules: &mut Rules) {
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

/// Whether the bounds of a shape in this tick overlap others.
fn overlaps_now(world: &World, key: u32, others: &Aabb) -> bool {
    let index = body_of(key);
    let (page, row) = (world.work.cold_page(&world.store, index), Place::of(index).row);
    let live = page.live >> row & 1 == 1 && page.rows[row].enabled;
    let shape = live.then(|| page.shapes_of(row).get((key & 0xff) as usize)).flatten();
    shape.is_some_and(|shape| {
        bounds(world, index, world.work.hot(&world.store, index), shape).overlaps(others)
    })
}

/// What a shape may touch within the tick: its box, half the margin, and the way it goes.
fn bounds(world: &World, index: u32, hot: &HotRow, shape: &ShapeRow) -> Aabb {
    bounds_of(world, hot, world.work.cold(&world.store, index), shape)
}

/// The same in another slot.
fn bounds_in(world: &World, slot: &Frame, index: u32, shape: &ShapeRow) -> Aabb {
    bounds_of(world, slot.hot(&world.store, index), slot.cold(&world.store, index), shape)
}

fn bounds_of(world: &World, hot: &HotRow, cold: &ColdRow, shape: &ShapeRow) -> Aabb {
    let at = At { center: hot.center, rotation: hot.rotation, turn: hot.rotation.turn() };
    let placed = Placed::new(&at, cold.local_center, shape);
    swept(&placed.bounds(&shape.shape), hot.velocity, tick_rate(world))
}

#[inline]
fn swept(tight: &Aabb, velocity: [Q20; 3], rate: Rate) -> Aabb {
    let around = tight.inflate(MARGIN * Real::HALF);
    if velocity == [Q20::ZERO; 3] {
        return around;
    }
    around.sweep(way(velocity, rate))
}

/// Ticks a second.
fn tick_rate(world: &World) -> Rate {
    Rate::new(i64::from(world.def.tick_rate))
}

/// How far a velocity leads in a tick: the quotient of `Real`s, which needs no more than 64 bits here.
#[inline]
fn way(velocity: [Q20; 3], rate: Rate) -> Vec3 {
    let part = |speed: Q20| Real::from_bits(rate.divide(speed.to_real().to_bits()));
    Vec3::new(part(velocity[0]), part(velocity[1]), part(velocity[2]))
}

/// Whether two shapes of different bodies may touch at all.
fn meets(world: &World, a: u32, b: u32) -> bool {
    let [body_a, body_b] = [a, b].map(body_of);
    if body_a == body_b {
        return false;
    }
    let rows = |shape: u32, body: u32| {
        let (page, row) = (world.work.cold_page(&world.store, body), Place::of(body).row);
        (&page.shapes_of(row)[(shape & 0xff) as usize], page.rows[row].kind)
    };
    let ((a, kind_a), (b, kind_b)) = (rows(a, body_a), rows(b, body_b));
    let either = |kind: BodyKind| kind_a == kind || kind_b == kind;
    // A sensor sees what is solid; what can't move pushes nothing.
    let wanted = match (a.material.sensor, b.material.sensor) {
        (true, true) => false,
        (false, false) => either(BodyKind::Dynamic),
        _ => either(BodyKind::Dynamic) || either(BodyKind::Kinematic),
    };
    wanted && world.def.layers.allow(a.filter, b.filter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::real_vector;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_way_is_the_quotient_of_reals(
            lanes in [any::<i32>(), any::<i32>(), any::<i32>()],
            rate in 1..1000u32,
        ) {
            let velocity = lanes.map(Q20::from_bits);
            let quotient = real_vector(velocity) / Real::from_int(rate as i32);
            prop_assert_eq!(way(velocity, Rate::new(i64::from(rate))), quotient);
        }
    }
}
