//! Read access to a held tick without rewinding, for renderers and reports about ticks that a rollback computed again.

use super::events::{Event, EventRow};
use super::frame::Frame;
use super::rows::BodyIndex;
use super::view::Body;
use super::{BodyId, Command, Contacts, World};
use crate::Tick;
use crate::history::HistoryError;
use crate::math::Vec3;
use crate::step::candidates::Moment;

/// Read access to the world at a held tick, before that tick's own commands.
///
/// ```
/// use isostep_core::{Tick, Transform, Vec3, real, shape::Shape, world::{BodyDef, Command, World, WorldDef}};
/// let mut world = World::new(WorldDef::default())?;
/// let stone = world.spawn(BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?))?;
/// world.step();
/// let elsewhere = Transform::at(Vec3::from_ints(5, 5, 5));
/// world.teleport(stone, elsewhere)?;
/// world.step();
/// // The step from 1 to 2 began with a teleport.
/// assert_eq!(world.past(Tick(1))?.body(stone).unwrap().position().x, real!(0));
/// assert_eq!(world.past(Tick(2))?.commands(), [Command::Teleport(stone, elsewhere)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    world: &'a World,
    frame: &'a Frame,
    commands: &'a [Command],
    tick: Tick,
}

impl<'a> Past<'a> {
    /// Returns the tick.
    pub const fn tick(&self) -> Tick {
        self.tick
    }

    /// Returns the gravity at this tick, m/s².
    pub const fn gravity(&self) -> Vec3 {
        self.frame.gravity
    }

    /// Returns the body at this tick; `None` if it did not exist.
    pub fn body(&self, id: BodyId) -> Option<Body<'a>> {
        self.frame.is_live(id.0).then(|| self.row(id.index()))
    }

    /// Iterates over all bodies in the order of their ids.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, Body<'a>)> + use<'a> {
        let past = *self;
        let ids = past.frame.streams.iter().flat_map(|stream| stream.ids.iter());
        ids.map(move |id| (BodyId(id), past.row(BodyIndex::of(id))))
    }

    /// Iterates over the events of the step to this tick, in the order of [`World::events`].
    pub fn events(&self) -> impl ExactSizeIterator<Item = Event> + use<'a> {
        self.frame.events.iter().map(EventRow::event)
    }

    /// Returns the commands that the step to this tick began with. Empty for a restored tick and after
    /// [`World::drop_step_records`], because they are not known there.
    #[doc(hidden)]
    pub const fn commands(&self) -> &'a [Command] {
        self.commands
    }

    /// The state of this tick, for queries.
    pub(crate) const fn moment(&self) -> Moment<'a> {
        Moment { world: self.world, frame: self.frame, tick: self.tick }
    }

    /// The contacts of the step to this tick.
    pub(crate) const fn contact_table(&self) -> Contacts<'a> {
        Contacts::held(self.world, self.frame)
    }

    fn row(&self, index: BodyIndex) -> Body<'a> {
        Body::new(self.frame, &self.world.store, index)
    }
}

impl World {
    /// Returns the world at a held tick. The current tick is one of them, without its commands so far.
    ///
    /// For presentation, tools and debugging. The step of a game must not depend on it, except for the current tick: the held ticks are not
    /// state, and depend on the length of the history, rollbacks, restores and seeks, so the same tick is held on one machine and missing
    /// on another. Keep the poses that the game needs later in its own state.
    ///
    /// # Errors
    /// If the tick is not held. The error contains the held ticks.
    pub fn past(&self, tick: Tick) -> Result<Past<'_>, HistoryError> {
        let in_ring = self.timeline.find(tick, self.tick)?;
        let entry = self.timeline.entry(tick);
        if let (false, Some(frame)) = (in_ring, self.timeline.pinned(tick)) {
            return Ok(Past { world: self, frame, commands: &[], tick });
        }
        let commands =
            entry.step_record.as_ref().map_or(&[][..], |step_record| &step_record.commands);
        Ok(Past { world: self, frame: &entry.frame, commands, tick })
    }
}
