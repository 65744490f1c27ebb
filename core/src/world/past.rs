//! Looking at a tick that is held without going back to it: what a renderer or a report asks about the ticks that a
//! rollback computed again. Nothing here changes the world.

use super::events::{Event, EventRow};
use super::slot::Slot;
use super::view::Body;
use super::{BodyId, Command, World};
use crate::history::HistoryError;

/// The world as it was on a tick, before that tick's own commands.
///
/// ```
/// use isostep_core::{Transform, Vec3, real, shape::Shape, world::{BodyDef, Command, World, WorldDef}};
/// let mut world = World::new(WorldDef::default())?;
/// let stone = world.spawn(BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?))?;
/// world.step();
/// let elsewhere = Transform::at(Vec3::from_ints(5, 5, 5));
/// world.teleport(stone, elsewhere)?;
/// world.step();
/// // The step from 1 to 2 began with a teleport.
/// assert_eq!(world.past(1)?.body(stone).unwrap().position().x, real!(0));
/// assert_eq!(world.past(2)?.commands(), [Command::Teleport(stone, elsewhere)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    world: &'a World,
    slot: &'a Slot,
    commands: &'a [Command],
    tick: u32,
}

impl<'a> Past<'a> {
    /// The tick.
    pub const fn tick(&self) -> u32 {
        self.tick
    }

    /// The body as it was; `None` if it was not there.
    pub fn body(&self, id: BodyId) -> Option<Body<'a>> {
        self.slot.is_live(id.0).then(|| self.row(id.0.index()))
    }

    /// All bodies in the order of their ids.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, Body<'a>)> + use<'a> {
        let past = *self;
        let ids = past.slot.streams.iter().flat_map(|stream| stream.ids.iter());
        ids.map(move |id| (BodyId(id), past.row(id.index())))
    }

    /// What happened in the step to this tick, in the order of [`World::events`].
    pub fn events(&self) -> impl ExactSizeIterator<Item = Event> + use<'a> {
        self.slot.events.iter().map(EventRow::event)
    }

    /// The commands that the step to this tick began with, as far as they are known: those of a restored tick, or after
    /// [`World::drop_step_records`], are not.
    pub const fn commands(&self) -> &'a [Command] {
        self.commands
    }

    fn row(&self, index: u32) -> Body<'a> {
        let store = &self.world.store;
        Body { hot: self.slot.hot(store, index), cold: self.slot.cold(store, index) }
    }
}

impl World {
    /// The world as it was on a tick that is held; the present tick is one of them, without its commands so far.
    ///
    /// # Errors
    /// When the tick is not held; the error says which ticks are.
    pub fn past(&self, tick: u32) -> Result<Past<'_>, HistoryError> {
        let in_ring = self.timeline.find(tick, self.tick)?;
        let entry = self.timeline.entry(tick);
        if let (false, Some(slot)) = (in_ring, self.timeline.pinned(tick)) {
            return Ok(Past { world: self, slot, commands: &[], tick });
        }
        let commands =
            entry.step_record.as_ref().map_or(&[][..], |step_record| &step_record.commands);
        Ok(Past { world: self, slot: &entry.slot, commands, tick })
    }
}
