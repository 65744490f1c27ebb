//! Bounds of bodies over all held ticks. The tree covers them, so that it is valid for any held tick. Scratch, and
//! conservative: the bounds may be too large, never too small.

use crate::math::Aabb;
use crate::world::World;
use crate::world::frame::STREAM_BODIES;

/// History bounds of bodies that moved.
#[derive(Debug, Default)]
pub(super) struct HistoryBounds {
    /// By stream and position in it.
    list: Vec<Vec<Cover>>,
    /// Bodies with bounds of this epoch or the last.
    pub(super) recent: Vec<u32>,
}

/// Bounds of a body over the held ticks. An epoch is as long as the history, so this epoch and the last contain all of
/// it.
#[derive(Clone, Copy, Debug)]
struct Cover {
    epoch: u32,
    now: Aabb,
    before: Aabb,
}

/// Epoch of bodies without bounds.
const NEVER: u32 = u32::MAX - 1;

/// Epoch of the newest tick of the timeline. Held ticks are in this epoch or the one before.
pub(super) fn epoch(world: &World) -> u32 {
    world.timeline.newest() / world.timeline.len() as u32
}

const fn place(index: u32) -> (usize, usize) {
    ((index / STREAM_BODIES) as usize, (index % STREAM_BODIES) as usize)
}

impl HistoryBounds {
    /// Returns the history bounds of a body, if there are any.
    #[inline]
    pub(super) fn of(&self, index: u32) -> Option<Aabb> {
        let (stream, local) = place(index);
        let cover = self.list.get(stream)?.get(local).filter(|cover| cover.epoch != NEVER)?;
        Some(cover.now.union(&cover.before))
    }

    /// Adds the current bounds of a body.
    #[inline]
    pub(super) fn note(&mut self, index: u32, bounds: &Aabb, epoch: u32) {
        let (stream, local) = place(index);
        if self.list.len() <= stream {
            self.list.resize(stream + 1, Vec::new());
        }
        let history_bounds = &mut self.list[stream];
        if history_bounds.len() <= local {
            let nowhere = Cover { epoch: NEVER, now: *bounds, before: *bounds };
            history_bounds.resize((local + 1).next_multiple_of(32), nowhere);
        }
        let cover = &mut history_bounds[local];
        if cover.epoch == NEVER || cover.epoch + 1 < epoch {
            if cover.epoch == NEVER {
                self.recent.push(index);
            }
            *cover = Cover { epoch, now: *bounds, before: *bounds };
        } else if cover.epoch < epoch {
            *cover = Cover { epoch, now: *bounds, before: cover.now };
        } else if !cover.now.encloses(bounds) {
            cover.now = cover.now.union(bounds);
        }
    }

    /// Drops history bounds that no held tick needs.
    pub(super) fn forget(&mut self, world: &World) {
        // Once an epoch is enough.
        if !(world.tick as usize).is_multiple_of(world.timeline.len()) {
            return;
        }
        let (list, epoch) = (&mut self.list, epoch(world));
        self.recent.retain(|index| {
            let (stream, local) = place(*index);
            let cover = &mut list[stream][local];
            let keep = cover.epoch + 1 >= epoch;
            if !keep {
                cover.epoch = NEVER;
            }
            keep
        });
    }
}
