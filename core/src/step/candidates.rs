//! Candidates of a query: the shapes that may meet a region, at the current tick or at any held one. Read-only, so any thread may
//! search between steps.
//!
//! The tree of the broad phase shows one tick. These bodies may be elsewhere at the tick of a query, or have other shapes, and are
//! taken from lists beside the tree:
//!
//! - bodies that commands changed since: `Scratch::changed` for the current tick, the step records for earlier ones;
//! - bodies that moved within the held ticks, by their history bounds: for an earlier tick, and after a rewind until the next step.
//!
//! If the tree is missing, or was built after the tick, or a step record is missing, all shapes are candidates. The candidates
//! only decide the cost: each is tested with its exact rows.

use super::Scratch;
use crate::Tick;
use crate::broad::Region;
use crate::world::World;
use crate::world::frame::{Frame, Place, index_at};
use crate::world::rows::{BodyIndex, PAGE_ROWS, ShapeKey, body_of, shape_key};

/// State that a query reads: that of the current tick with its commands, or that of a held tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment<'a> {
    pub(crate) world: &'a World,
    pub(crate) frame: &'a Frame,
    pub(crate) tick: Tick,
}

impl Moment<'_> {
    /// Visits the keys of all shapes that may meet a region, sensors only if asked; in any order, some of them twice, and others
    /// too. A shape that stops meeting the region during the search may be left out.
    pub(crate) fn candidates<R: Region>(
        &self,
        sensors: bool,
        region: &mut R,
        mut visit: impl FnMut(&mut R, ShapeKey),
    ) {
        let Scratch { broad, changed, .. } = &self.world.scratch;
        if !self.is_in_tree() {
            for (s, stream) in self.frame.streams.iter().enumerate() {
                for p in 0..stream.cold.len() {
                    for row in 0..PAGE_ROWS {
                        self.visit_body(index_at(s, p, row), region, &mut visit);
                    }
                }
            }
            return;
        }
        let moved = &broad.history_bounds;
        let has_moved = self.tick < self.world.tick || broad.stale && !broad.wide;
        broad.phase.visit(sensors, region, |region, key| {
            if !has_moved || moved.of(body_of(key)).is_none() {
                visit(region, key);
            }
        });
        if has_moved {
            for &index in &moved.recent {
                if moved.of(index).is_some_and(|bounds| region.meets(&bounds)) {
                    self.visit_body(index, region, &mut visit);
                }
            }
        }
        let later = self.later().filter_map(|tick| {
            self.world.timeline.entry(tick).step_record.as_ref().map(|record| &record.changed)
        });
        for &index in later.flatten().chain(changed) {
            self.visit_body(index, region, &mut visit);
        }
    }

    /// Returns whether the tree and the lists have all shapes of the tick.
    fn is_in_tree(&self) -> bool {
        let World { timeline, scratch, .. } = self.world;
        scratch.broad.is_ready()
            && self.tick >= scratch.broad.since
            && timeline.held().contains(&self.tick)
            && self.later().all(|tick| timeline.entry(tick).step_record.is_some())
    }

    /// The ticks after this one, up to the current one.
    fn later(&self) -> impl Iterator<Item = Tick> + use<> {
        (self.tick.next().0..=self.world.tick.0).map(Tick)
    }

    fn visit_body<R>(
        &self,
        index: BodyIndex,
        region: &mut R,
        visit: &mut impl FnMut(&mut R, ShapeKey),
    ) {
        if !self.frame.has_page(index) {
            return;
        }
        let (page, row) = (self.frame.cold_page(&self.world.store, index), Place::of(index).row);
        if page.live >> row & 1 == 1 {
            for shape in page.shapes_of(row) {
                visit(region, shape_key(index, shape.ordinal));
            }
        }
    }
}
