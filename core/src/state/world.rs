//! A world as a state. The world holds its own ticks; a save records the mapping from session tick
//! to world tick.
//!
//! A game may step a world several times in a tick, or not at all. Session ticks therefore map to
//! world ticks in ascending order on both sides, and several session ticks may share one world
//! tick.

use super::{State, StateDifference, StateError, derived::join};
use crate::Tick;
use crate::digest::{Digest, DigestTree};
use crate::history::{HistoryError, find_tick};
use crate::world::{StateSection, World};

/// Largest average number of world steps per session tick, over the held ticks. If a game exceeds
/// it, the world drops its oldest ticks. It bounds the memory that a world holds for a session that
/// no longer exists.
const STEPS_IN_A_TICK: usize = 16;

/// Mapping from session ticks to world ticks.
#[derive(Clone, Debug)]
pub struct WorldSlots {
    capacity: usize,
    /// Sorted by tick; at most `capacity` of them are unpinned.
    held: Vec<Saved>,
}

#[derive(Clone, Copy, Debug)]
struct Saved {
    tick: Tick,
    world_tick: Tick,
    pins: u32,
    /// No session tick pins it any more, but it left the ring of the world while pinned: one pin of
    /// the world remains.
    stays: bool,
}

impl Saved {
    /// Releases the world tick.
    fn release(self, world: &mut World) {
        for _ in 0..self.pins + u32::from(self.stays) {
            world.unpin(self.world_tick);
        }
    }
}

impl WorldSlots {
    fn find(&self, tick: Tick) -> Result<usize, HistoryError> {
        find_tick(&self.held, tick, |saved| saved.tick)
    }

    /// The world tick of a session tick, if the world still holds it.
    pub(super) fn world_tick(&self, world: &World, tick: Tick) -> Result<Tick, StateError> {
        let Saved { world_tick, .. } = self.held[self.find(tick)?];
        if world.holds_tick(world_tick) {
            return Ok(world_tick);
        }
        Err(StateError::Discarded { tick, world_tick })
    }

    /// Drops the saves from an index on, with their pins.
    fn cut(&mut self, world: &mut World, from: usize) {
        for saved in self.held.drain(from..) {
            saved.release(world);
        }
    }

    /// Drops the oldest unpinned saves until at most `left` remain.
    fn drop_oldest(&mut self, world: &mut World, left: usize) {
        let loose = self.held.iter().filter(|saved| saved.pins == 0).count();
        for _ in left..loose {
            if let Some(at) = self.held.iter().position(|saved| saved.pins == 0) {
                self.held.remove(at).release(world);
            }
        }
    }

    /// Resizes the world's ring to hold all unpinned saves.
    fn keep(&self, world: &mut World) {
        let oldest = self.held.iter().find(|saved| saved.pins == 0 && !saved.stays);
        let from = oldest.map_or(world.tick(), |saved| saved.world_tick);
        world.keep_from(from, (self.capacity + 1).saturating_mul(STEPS_IN_A_TICK));
    }
}

/// The section of a world with this name in a tree.
fn section_of(name: &str, section: &str) -> Option<StateSection> {
    let own =
        if name.is_empty() { section } else { section.strip_prefix(name)?.strip_prefix('.')? };
    StateSection::from_name(own)
}

impl State for World {
    type Slots = WorldSlots;

    fn slots(&mut self, capacity: usize) -> WorldSlots {
        let capacity = capacity.max(1);
        if self.history_len() < capacity + 1 {
            self.set_history(capacity + 1);
        }
        WorldSlots { capacity, held: Vec::with_capacity(capacity + 1) }
    }

    fn ready(&self, slots: &WorldSlots, tick: Tick) -> Result<(), StateError> {
        let before = slots.held.partition_point(|saved| saved.tick < tick);
        match slots.held[..before].last() {
            _ if !self.commands().is_empty() => {
                Err(StateError::UnfinishedCommands { count: self.commands().len() })
            }
            Some(&Saved { tick, world_tick: before, .. }) if before > self.tick() => {
                Err(StateError::WentBack { tick, before, now: self.tick() })
            }
            _ => Ok(()),
        }
    }

    fn holds(&self, slots: &WorldSlots, tick: Tick) -> Result<(), StateError> {
        slots.world_tick(self, tick).map(drop)
    }

    fn save(&mut self, slots: &mut WorldSlots, tick: Tick) -> Result<(), StateError> {
        self.ready(slots, tick)?;
        let now = self.tick();
        let from = slots.held.partition_point(|saved| saved.tick < tick);
        let same = slots.held.get(from).filter(|saved| saved.tick == tick);
        let pins = same.map_or(0, |saved| saved.pins);
        for _ in 0..pins {
            World::pin(self, now)?;
        }
        slots.cut(self, from);
        slots.drop_oldest(self, slots.capacity - 1);
        slots.held.push(Saved { tick, world_tick: now, pins, stays: false });
        slots.keep(self);
        Ok(())
    }

    fn load(&mut self, slots: &mut WorldSlots, tick: Tick) -> Result<(), StateError> {
        let world_tick = slots.world_tick(self, tick)?;
        let after = slots.held.partition_point(|saved| saved.tick <= tick);
        slots.cut(self, after);
        self.rewind(world_tick)?;
        slots.keep(self);
        Ok(())
    }

    fn pin(&mut self, slots: &mut WorldSlots, tick: Tick) -> Result<(), StateError> {
        let world_tick = slots.world_tick(self, tick)?;
        let at = slots.find(tick)?;
        let saved = &mut slots.held[at];
        if !core::mem::take(&mut saved.stays) {
            World::pin(self, world_tick)?;
        }
        saved.pins += 1;
        slots.keep(self);
        Ok(())
    }

    fn unpin(&mut self, slots: &mut WorldSlots, tick: Tick) -> bool {
        let Ok(at) = slots.find(tick) else { return false };
        let saved = &mut slots.held[at];
        if saved.pins == 0 {
            return false;
        }
        saved.pins -= 1;
        saved.stays = saved.pins == 0 && !self.history().contains(&saved.world_tick);
        if !saved.stays {
            World::unpin(self, saved.world_tick);
        }
        slots.drop_oldest(self, slots.capacity);
        slots.keep(self);
        true
    }

    fn drop_caches(&mut self, _: &mut WorldSlots) {
        self.compute_scalar();
        self.discard_future();
        self.drop_step_records();
        self.drop_scratch();
    }

    fn digest(&self, slots: &WorldSlots, tick: Tick) -> Result<Digest, StateError> {
        Ok(self.digest_at(slots.world_tick(self, tick)?)?)
    }

    fn tree(
        &self,
        slots: &WorldSlots,
        tick: Tick,
        name: &str,
        tree: &mut DigestTree,
    ) -> Result<(), StateError> {
        let own = self.digest_tree_at(slots.world_tick(self, tick)?)?;
        for (section, content) in own.sections() {
            tree.section(&join(name, section), content.pages().iter().copied());
        }
        Ok(())
    }

    fn page(
        &self,
        slots: &WorldSlots,
        tick: Tick,
        name: &str,
        section: &str,
        page: u32,
        out: &mut Vec<u8>,
    ) -> Result<bool, StateError> {
        let Some(section) = section_of(name, section) else { return Ok(false) };
        let bytes = self.page_bytes(slots.world_tick(self, tick)?, section, page)?;
        out.extend_from_slice(&bytes);
        Ok(true)
    }

    fn explain(
        &self,
        slots: &WorldSlots,
        tick: Tick,
        name: &str,
        section: &str,
        page: u32,
        theirs: &[u8],
        limit: usize,
        out: &mut Vec<StateDifference>,
    ) -> Result<bool, StateError> {
        let Some(section) = section_of(name, section) else { return Ok(false) };
        let world_tick = slots.world_tick(self, tick)?;
        let found = self.explain_within(world_tick, section, page, theirs, limit)?;
        out.extend(found.into_iter().map(|found| {
            let (local, remote) = if found.ours.text == found.theirs.text {
                let raw = |value: &crate::world::FieldValue| {
                    format!("{} ({:#x})", value.text, value.bits)
                };
                (raw(&found.ours), raw(&found.theirs))
            } else {
                (found.ours.text, found.theirs.text)
            };
            let entity =
                if name.is_empty() { found.entity } else { format!("{name} {}", found.entity) };
            StateDifference { entity, field: found.field, local, remote }
        }));
        Ok(true)
    }
}
