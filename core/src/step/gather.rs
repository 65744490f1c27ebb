//! First phase: rows of moving bodies into compact columns, in the order of their ids.

use super::{Scratch, StepReport};
use crate::math::{Real, Vec3};
use crate::world::World;
use crate::world::rows::{ColdRow, HotRow, PAGE_ROWS};
use crate::world::slot::{STREAM_BODIES, index_at};

/// Where each body is among the step's columns.
#[derive(Debug, Default)]
pub(crate) struct Places {
    streams: Vec<Vec<u32>>,
}

const NOWHERE: u32 = u32::MAX;

impl Places {
    /// The place of a body, if it has one.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<u32> {
        let local = self.streams.get((index / STREAM_BODIES) as usize)?;
        local.get((index % STREAM_BODIES) as usize).copied().filter(|place| *place != NOWHERE)
    }

    fn set(&mut self, index: u32, place: u32) {
        let (stream, local) = ((index / STREAM_BODIES) as usize, (index % STREAM_BODIES) as usize);
        if self.streams.len() <= stream {
            self.streams.resize(stream + 1, Vec::new());
        }
        let places = &mut self.streams[stream];
        if places.len() <= local {
            places.resize((local + 1).next_multiple_of(PAGE_ROWS), NOWHERE);
        }
        places[local] = place;
    }
}

pub(super) fn run(world: &World, scratch: &mut Scratch, report: &mut StepReport) {
    // Only places that were set can be wrong now.
    for body in &scratch.bodies.list {
        scratch.places.set(body.index, NOWHERE);
    }
    scratch.bodies.clear();
    let shared = Shared::of(world);
    for (s, stream) in world.work.streams.iter().enumerate() {
        for (p, (hot, cold)) in stream.hot.iter().zip(&stream.cold).enumerate() {
            let cold = world.store.cold.get(*cold);
            let mut rows = cold.moving;
            while rows != 0 {
                let row = rows.trailing_zeros() as usize;
                rows &= rows - 1;
                let hot = &world.store.hot.get(*hot).rows[row];
                push(scratch, index_at(s, p, row), hot, &cold.rows[row], &shared);
            }
        }
    }
    scratch.bodies.moving = scratch.bodies.list.len();
    report.bodies = scratch.bodies.moving as u32;
}

/// The place of a body, which is made if it is a static one that nothing touched before.
#[inline]
pub(super) fn place_of(world: &World, scratch: &mut Scratch, index: u32) -> u32 {
    scratch.places.get(index).unwrap_or_else(|| {
        let (hot, cold) =
            (world.work.hot(&world.store, index), world.work.cold(&world.store, index));
        push(scratch, index, hot, cold, &Shared::of(world))
    })
}

/// What all bodies share; it takes divisions to find.
struct Shared {
    /// Velocity that gravity adds in a substep.
    gravity: Vec3,
    /// Seconds in a tick.
    tick: Real,
}

impl Shared {
    fn of(world: &World) -> Self {
        let tick_rate = Real::from_int(world.def.tick_rate as i32);
        let substeps = Real::from_int(world.def.substeps as i32);
        Self { gravity: world.def.gravity / (tick_rate * substeps), tick: tick_rate.recip() }
    }
}

fn push(scratch: &mut Scratch, index: u32, hot: &HotRow, cold: &ColdRow, shared: &Shared) -> u32 {
    let place = scratch.bodies.list.len() as u32;
    scratch.bodies.push(index, hot, cold, shared.gravity, shared.tick);
    scratch.places.set(index, place);
    place
}
