//! Second phase: pairs of shapes whose bounds overlap. Keeps the tree in step with the state.

use super::{Scratch, StepReport};
use crate::broad::{BroadPhase, Mobility, Proxy};
use crate::data::sort_by_key;
use crate::math::{Aabb, Q20, Real};
use crate::world::rows::{BodyKind, HotRow, PairKey, ShapeRow, body_of, shape_key};
use crate::world::slot::{Place, STREAM_BODIES, index_at};
use crate::world::{World, origin, real_vector};

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
    /// Pairs of this tick that were found because a command changed one of their bodies, sorted.
    done: Vec<(u32, u32)>,
}

pub(super) fn run(world: &World, scratch: &mut Scratch, report: &mut StepReport) {
    let Scratch { changed, stirred, broad, bodies, .. } = scratch;
    if broad.ready {
        for &index in &*changed {
            broad.insert_again(world, index);
        }
        for &index in stirred.iter().chain(&world.pending.woken) {
            broad.stir(world, index);
        }
        for body in &bodies.list {
            broad.move_body(world, body.index);
        }
    } else {
        for (s, stream) in world.work.streams.iter().enumerate() {
            for p in 0..stream.cold.len() {
                (0..32).for_each(|row| broad.insert_again(world, index_at(s, p, row)));
            }
        }
        broad.ready = true;
    }
    changed.clear();
    stirred.clear();
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
        broad.move_body(world, index);
        proxies.extend_from_slice(broad.proxies(index));
    }
    broad.phase.wake(&proxies, |a, b| meets(world, a, b), &mut broad.pairs);
    broad.woken = proxies;
    // Those of a sleeper with something changed are there already.
    let done = &broad.done;
    broad.pairs.retain(|pair| done.binary_search(pair).is_err());
    report.pairs += broad.pairs.len() as u32;
}

impl Broad {
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

    fn move_body(&mut self, world: &World, index: u32) {
        let (page, row) = (world.work.cold_page(&world.store, index), Place::of(index).row);
        let hot = world.work.hot(&world.store, index);
        if page.live >> row & 1 == 0 {
            return;
        }
        // A body that was disabled has no handles.
        for (i, shape) in page.shapes_of(row).iter().enumerate() {
            let Some(&proxy) = self.proxies(index).get(i) else { return };
            self.phase.update(proxy, &bounds(world, index, hot, shape));
        }
    }
}

/// What a shape may touch within the tick: its box, half the margin, and the way it goes.
fn bounds(world: &World, index: u32, hot: &HotRow, shape: &ShapeRow) -> Aabb {
    let cold = world.work.cold(&world.store, index);
    let tight = shape.shape.bounds(&(origin(hot, cold) * shape.pose));
    let around = tight.inflate(MARGIN * Real::HALF);
    if hot.velocity == [Q20::ZERO; 3] {
        return around;
    }
    let rate = Real::from_int(world.def.tick_rate as i32);
    around.sweep(real_vector(hot.velocity) / rate)
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
