//! Second phase: pairs of shapes whose bounds overlap. Keeps the tree in step with the state.

use super::{Scratch, StepReport};
use crate::broad::{BroadPhase, Mobility, Proxy};
use crate::math::{Aabb, Q20, Real};
use crate::world::rows::{BodyKind, HotRow, ShapeRow, body_of, shape_key};
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
}

pub(super) fn run(world: &World, scratch: &mut Scratch, report: &mut StepReport) {
    let mut changed = core::mem::take(&mut scratch.changed);
    let broad = &mut scratch.broad;
    if broad.ready {
        for index in changed.drain(..) {
            broad.insert_again(world, index);
        }
        for body in &scratch.bodies.list[..scratch.bodies.moving] {
            broad.move_body(world, body.index);
        }
    } else {
        changed.clear();
        for (s, stream) in world.work.streams.iter().enumerate() {
            for p in 0..stream.cold.len() {
                (0..32).for_each(|row| broad.insert_again(world, index_at(s, p, row)));
            }
        }
        broad.ready = true;
    }
    scratch.changed = changed;
    let filter = |a, b| meets(world, a, b);
    broad.phase.pairs(filter, &mut broad.pairs);
    report.pairs = broad.pairs.len() as u32;
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
                self.phase.set_active(proxy, kind == BodyKind::Dynamic);
                proxies.push(proxy);
            }
        }
        *self.proxies(index) = proxies;
    }

    fn move_body(&mut self, world: &World, index: u32) {
        let (page, row) = (world.work.cold_page(&world.store, index), Place::of(index).row);
        let hot = world.work.hot(&world.store, index);
        for (i, shape) in page.shapes_of(row).iter().enumerate() {
            let proxy = self.proxies(index)[i];
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
    let filter = |shape: u32, body: u32| {
        let shapes = world.work.cold_page(&world.store, body).shapes_of(Place::of(body).row);
        shapes[(shape & 0xff) as usize].filter
    };
    world.def.layers.allow(filter(a, body_a), filter(b, body_b))
}
