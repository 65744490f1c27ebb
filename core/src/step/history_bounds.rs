//! Bounds of bodies over all held ticks. The tree covers them, so that it is valid for any held tick. Scratch, and
//! conservative: the bounds may be too large, never too small.

use crate::data::Optional;
use crate::data::index::index_types;
use crate::math::Aabb;
use crate::world::World;
use crate::world::rows::BodyIndex;

/// History bounds of bodies that moved.
#[derive(Debug, Default)]
pub(super) struct HistoryBounds {
    /// By stream and position in it.
    list: Vec<Vec<Cover>>,
    /// Bodies with bounds of this epoch or the last.
    pub(super) recent: Vec<BodyIndex>,
}

/// Bounds of a body over the held ticks. An epoch is as long as the history, so this epoch and the last contain all of
/// it.
#[derive(Clone, Copy, Debug)]
struct Cover {
    /// None for a body without bounds.
    epoch: Optional<Epoch>,
    now: Aabb,
    before: Aabb,
}

index_types! {
    /// Number of an epoch.
    Epoch;
}

/// Epoch of the newest tick of the timeline. Held ticks are in this epoch or the one before.
pub(super) fn epoch(world: &World) -> Epoch {
    Epoch::new(world.timeline.newest().0 / world.timeline.len() as u32)
}

impl Epoch {
    /// Returns whether it is at most one epoch before this one.
    const fn is_recent(self, now: Self) -> bool {
        self.get() + 1 >= now.get()
    }
}

impl HistoryBounds {
    /// Returns the history bounds of a body, if there are any.
    #[inline]
    pub(super) fn of(&self, index: BodyIndex) -> Option<Aabb> {
        let (stream, local) = index.in_stream();
        let cover = self.list.get(stream)?.get(local)?;
        cover.epoch.get()?;
        Some(cover.now.union(&cover.before))
    }

    /// Adds the current bounds of a body.
    #[inline]
    pub(super) fn note(&mut self, index: BodyIndex, bounds: &Aabb, epoch: Epoch) {
        let (stream, local) = index.in_stream();
        if self.list.len() <= stream {
            self.list.resize(stream + 1, Vec::new());
        }
        let history_bounds = &mut self.list[stream];
        if history_bounds.len() <= local {
            let nowhere = Cover { epoch: Optional::none(), now: *bounds, before: *bounds };
            history_bounds.resize((local + 1).next_multiple_of(32), nowhere);
        }
        let cover = &mut history_bounds[local];
        match cover.epoch.get() {
            // It may be a later epoch, since an old future may be dropped.
            Some(last) if last >= epoch => {
                if !cover.now.encloses(bounds) {
                    cover.now = cover.now.union(bounds);
                }
            }
            last => {
                if last.is_none() {
                    self.recent.push(index);
                }
                let follows = last.is_some_and(|last| last.is_recent(epoch));
                let before = if follows { cover.now } else { *bounds };
                *cover = Cover { epoch: Optional::some(epoch), now: *bounds, before };
            }
        }
    }

    /// Drops history bounds that no held tick needs.
    pub(super) fn prune(&mut self, world: &World) {
        // Once an epoch is enough.
        if !(world.tick.0 as usize).is_multiple_of(world.timeline.len()) {
            return;
        }
        let (list, epoch) = (&mut self.list, epoch(world));
        self.recent.retain(|index| {
            let (stream, local) = index.in_stream();
            let cover = &mut list[stream][local];
            let keep = cover.epoch.get().is_some_and(|last| last.is_recent(epoch));
            if !keep {
                cover.epoch = Optional::none();
            }
            keep
        });
    }
}
