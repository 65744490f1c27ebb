//! First phase: copies rows of active bodies into compact columns, in the order of their ids. Other bodies are added
//! when a pair names them.

use super::bodies::{Bodies, lanes};
use super::constraint::V;
use super::index::BodyPlace;
use super::shapes::Shapes;
use super::{Scratch, StepReport};
use crate::data::Optional;
use crate::math::{Real, Vec3};
use crate::world::World;
use crate::world::frame::index_at;
use crate::world::rows::{BodyIndex, PAGE_ROWS};

/// Place of each body in the step's columns.
#[derive(Debug, Default)]
pub(crate) struct Places {
    streams: Vec<Vec<Optional<BodyPlace>>>,
}

impl Places {
    /// Returns the place of a body, if it has one.
    #[inline]
    pub(crate) fn get(&self, index: BodyIndex) -> Option<BodyPlace> {
        let (stream, local) = index.in_stream();
        self.streams.get(stream)?.get(local)?.get()
    }

    fn set(&mut self, index: BodyIndex, place: Optional<BodyPlace>) {
        let (stream, local) = index.in_stream();
        if self.streams.len() <= stream {
            self.streams.resize(stream + 1, Vec::new());
        }
        let places = &mut self.streams[stream];
        if places.len() <= local {
            places.resize((local + 1).next_multiple_of(PAGE_ROWS), Optional::none());
        }
        places[local] = place;
    }
}

/// Values that all bodies share and that need divisions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shared {
    /// Velocity that gravity adds in a substep.
    pub(super) gravity: Vec3,
    /// The same in lanes, for bodies with a gravity scale of one.
    pub(super) pull: V<20>,
    /// Seconds in a tick.
    pub(super) tick: Real,
    /// Substeps a second.
    pub(super) rate: Real,
}

/// Columns of the step's bodies and of their shapes. Bodies are added on demand.
pub(super) struct Columns<'a> {
    pub(super) bodies: &'a mut Bodies,
    pub(super) shapes: &'a mut Shapes,
    pub(super) places: &'a mut Places,
    pub(super) shared: &'a Shared,
}

impl Columns<'_> {
    /// Returns the place of a body. A body without one is added as read-only.
    #[inline]
    pub(super) fn place_of(&mut self, world: &World, index: BodyIndex) -> BodyPlace {
        self.places.get(index).unwrap_or_else(|| self.push(world, index))
    }

    fn push(&mut self, world: &World, index: BodyIndex) -> BodyPlace {
        let Self { bodies, shapes, places, shared } = self;
        let hot = world.work.hot(&world.store, index);
        let cold = world.work.cold(&world.store, index);
        let place = bodies.list.end();
        let turn = hot.rotation.turn();
        bodies.push(index, hot, cold, &turn, shared);
        if !world.pending.forces.is_empty()
            && let Some(force) = world.pending.forces.of(index)
        {
            bodies.force(force, hot, cold, shared);
        }
        shapes.push(turn, cold.span);
        bodies.list[place].awake = world.work.is_active(index);
        places.set(index, Optional::some(place));
        place
    }
}

pub(super) fn run(world: &World, scratch: &mut Scratch, report: &mut StepReport) {
    clear(world, scratch);
    let mut columns = scratch.columns();
    for (s, stream) in world.work.streams.iter().enumerate() {
        for (p, &active) in stream.active.iter().enumerate() {
            let mut rows = active;
            while rows != 0 {
                let row = rows.trailing_zeros() as usize;
                rows &= rows - 1;
                let place = columns.push(world, index_at(s, p, row));
                columns.bodies.list[place].read_only = false;
            }
        }
    }
    report.bodies = columns.bodies.list.len() as u32;
}

/// Clears the columns.
pub(super) fn clear(world: &World, scratch: &mut Scratch) {
    // Only places that were set can be stale.
    for body in &scratch.bodies.list {
        scratch.places.set(body.index, Optional::none());
    }
    scratch.bodies.clear();
    scratch.shapes.clear();
    let tick_rate = Real::from_int(world.def.tick_rate as i32);
    let substeps = Real::from_int(world.def.substeps as i32);
    let rate = tick_rate * substeps;
    let gravity = world.work.gravity / rate;
    scratch.shared = Shared { gravity, pull: lanes(gravity), tick: tick_rate.recip(), rate };
}
