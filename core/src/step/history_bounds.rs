//! Where bodies were in the ticks that are held, so that the tree can be made fit for any of them. Scratch, and generous: a
//! cover may be too large, never too small.

use crate::math::Aabb;
use crate::world::World;
use crate::world::frame::STREAM_BODIES;

/// HistoryBounds of bodies that moved.
#[derive(Debug, Default)]
pub(super) struct HistoryBounds {
    /// By stream and place in it.
    list: Vec<Vec<Cover>>,
    /// Bodies with a cover of this epoch or the last.
    pub(super) recent: Vec<u32>,
}

/// Where a body was in the ticks that are held. Epochs are as long as the history, so this one and the last cover it.
#[derive(Clone, Copy, Debug)]
struct Cover {
    epoch: u32,
    now: Aabb,
    before: Aabb,
}

/// No epoch.
const NEVER: u32 = u32::MAX - 1;

/// The epoch of the newest tick that was ever reached from here; ticks that are held are of it or the one before.
pub(super) fn epoch(world: &World) -> u32 {
    world.timeline.newest() / world.timeline.len() as u32
}

const fn place(index: u32) -> (usize, usize) {
    ((index / STREAM_BODIES) as usize, (index % STREAM_BODIES) as usize)
}

impl HistoryBounds {
    /// Where a body is and was, if that was noted.
    #[inline]
    pub(super) fn of(&self, index: u32) -> Option<Aabb> {
        let (stream, local) = place(index);
        let cover = self.list.get(stream)?.get(local).filter(|cover| cover.epoch != NEVER)?;
        Some(cover.now.union(&cover.before))
    }

    /// Notes where a body is.
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

    /// Drops history bounds that no tick which is held needs.
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
