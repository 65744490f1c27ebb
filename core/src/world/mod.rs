//! The world: bodies that collide and rest, the same on every machine.
//!
//! State lives in pages of rows (`rows.rs`, `pages.rs`, `slot.rs`); a game changes it by commands
//! (`command.rs`); [`World::step`] computes the next tick (`step/`).

mod clusters;
mod command;
mod def;
mod encode;
mod events;
mod material;
pub(crate) mod pages;
pub(crate) mod rows;
pub(crate) mod slot;
#[cfg(feature = "test-internals")]
mod solo;
mod view;

use crate::data::{BitSet, Id};
use crate::math::{Transform, Vec3};
use crate::step::{Scratch, StepReport};
use serde::{Deserialize, Serialize};
use slot::{Slot, Store};

pub use clusters::Clusters;
pub use command::Command;
pub(crate) use command::{origin, real_vector, scale_by_power};
pub use def::{BodyDef, CommandError, MAX_SPEED, ShapeDef, WORLD_LIMIT, WorldDef, WorldError};
pub use events::{Event, Impact, Pair};
pub(crate) use events::{EventKind, EventRow, Strike};
pub use material::{Combine, Filter, Layers, Material, MaterialError, MaterialTable, NoSuchLayer};
pub use rows::BodyKind;
pub use view::{Body, ContactView};

/// The name of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BodyId(pub(crate) Id);

impl BodyId {
    /// The id as one number: what is saved and hashed.
    pub const fn to_bits(self) -> u64 {
        self.0.to_bits()
    }
}

impl core::fmt::Display for BodyId {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

/// Bodies, and how they move.
///
/// Units are metres, seconds, kilograms; the world ends at 2³⁰ m from the origin on each axis.
///
/// - **Configure**: [`World::new`] with a [`WorldDef`].
/// - **Change**: [`spawn`](Self::spawn), [`despawn`](Self::despawn), methods for the commonest changes, and
///   [`command`](Self::command) for all of them ([`Command`] lists them). They take effect at once, are recorded for the tick, and are refused with an error
///   that says why.
/// - **Advance**: [`step`](Self::step), once a tick.
/// - **Observe**: [`body`](Self::body), [`bodies`](Self::bodies), [`contacts`](Self::contacts),
///   [`clusters`](Self::clusters), and what happened in the step, [`events`](Self::events).
///
/// ```
/// use isostep_core::{real, shape::Shape, world::{BodyDef, World, WorldDef}, Vec3};
/// let mut world = World::new(WorldDef::default())?;
/// world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE))?;
/// let half = Vec3::splat(real!(0.5));
/// let crate_ = world.spawn(BodyDef::dynamic().at(Vec3::from_ints(0, 3, 0)).shape(Shape::cuboid(half)?))?;
/// for _ in 0..120 {
///     world.step();
/// }
/// let height = world.body(crate_).unwrap().position().y;
/// assert!((height - real!(0.5)).abs() < real!(0.0078125));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct World {
    pub(crate) def: WorldDef,
    pub(crate) tick: u32,
    pub(crate) store: Store,
    /// The state after the last step, as [`World::discard_commands`] brings it back.
    pub(crate) base: Slot,
    /// The same with this tick's commands; the step turns it into the next state.
    pub(crate) work: Slot,
    commands: Vec<Command>,
    pub(crate) pending: Pending,
    pub(crate) scratch: Scratch,
}

/// What this tick's commands leave to the step besides rows. It follows from the commands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    /// Bodies that are not what or where they were.
    pub(crate) changed: Vec<u32>,
    /// Those of them whose old contacts mean nothing any more.
    pub(crate) void: BitSet,
    /// Bodies that commands woke.
    pub(crate) woken: Vec<u32>,
}

impl Pending {
    /// Whether an old row of these two shapes means nothing any more.
    #[inline]
    pub(crate) fn is_void(&self, key: rows::PairKey) -> bool {
        let void = |shape: u32| self.void.contains(rows::body_of(shape));
        !self.void.is_empty() && key.shapes().into_iter().any(void)
    }

    fn clear(&mut self) {
        self.changed.clear();
        self.void.clear();
        self.woken.clear();
    }
}

impl Clone for World {
    /// A world of its own with the same state and commands. It has yet to rebuild what can be rebuilt.
    fn clone(&self) -> Self {
        Self {
            def: self.def.clone(),
            tick: self.tick,
            store: self.store.clone(),
            base: self.base.clone(),
            work: self.work.clone(),
            commands: self.commands.clone(),
            pending: self.pending.clone(),
            scratch: Scratch::default(),
        }
    }
}

impl World {
    /// An empty world.
    ///
    /// # Errors
    /// When the definition is out of range.
    pub fn new(def: WorldDef) -> Result<Self, WorldError> {
        def.check()?;
        Ok(Self {
            def,
            tick: 0,
            store: Store::default(),
            base: Slot::default(),
            work: Slot::default(),
            commands: Vec::new(),
            pending: Pending::default(),
            scratch: Scratch::default(),
        })
    }

    /// Makes a body.
    ///
    /// # Errors
    /// When the definition is out of range.
    pub fn spawn(&mut self, def: BodyDef) -> Result<BodyId, CommandError> {
        self.spawn_in(0, def)
    }

    /// Makes a body with an id from a stream's own range: what one player or system spawns renumbers nothing of
    /// another's. A stream has room for 65,536 bodies at a time.
    ///
    /// # Errors
    /// When the definition is out of range, or the stream is full.
    pub fn spawn_in(&mut self, stream: u8, def: BodyDef) -> Result<BodyId, CommandError> {
        let id = self.apply_spawn(stream, &def)?;
        self.commands.push(Command::Spawn(stream, Box::new(def)));
        Ok(id)
    }

    /// Takes a body away.
    ///
    /// # Errors
    /// When there is no such body.
    pub fn despawn(&mut self, body: BodyId) -> Result<(), CommandError> {
        self.command(Command::Despawn(body)).map(drop)
    }

    /// Sets the velocity of a body's centre of mass, m/s.
    ///
    /// # Errors
    /// When there is no such body, it is static, or the speed is beyond the limit.
    pub fn set_velocity(&mut self, body: BodyId, velocity: Vec3) -> Result<(), CommandError> {
        self.command(Command::SetVelocity(body, velocity)).map(drop)
    }

    /// Pushes a body's centre of mass for this tick with a force in newtons.
    ///
    /// # Errors
    /// When there is no such body, it is not dynamic, or it would become too fast.
    pub fn apply_force(&mut self, body: BodyId, force: Vec3) -> Result<(), CommandError> {
        self.command(Command::Impulse(body, force / self.def.tick_rate as i32)).map(drop)
    }

    /// Pushes a body's centre of mass, N·s.
    ///
    /// # Errors
    /// When there is no such body, it is not dynamic, or it would become too fast.
    pub fn apply_impulse(&mut self, body: BodyId, impulse: Vec3) -> Result<(), CommandError> {
        self.command(Command::Impulse(body, impulse)).map(drop)
    }

    /// Pushes a body at a point of the world, N·s.
    ///
    /// # Errors
    /// When there is no such body, it is not dynamic, or it would become too fast.
    pub fn apply_impulse_at(
        &mut self,
        body: BodyId,
        impulse: Vec3,
        point: Vec3,
    ) -> Result<(), CommandError> {
        self.command(Command::ImpulseAt(body, impulse, point)).map(drop)
    }

    /// Sets a body's angular velocity, rad/s.
    ///
    /// # Errors
    /// When there is no such body, it is static, or its surface would move too fast.
    pub fn set_angular_velocity(&mut self, body: BodyId, spin: Vec3) -> Result<(), CommandError> {
        self.command(Command::SetAngularVelocity(body, spin)).map(drop)
    }

    /// Turns a body for this tick with a torque in newton metres.
    ///
    /// # Errors
    /// When there is no such body, it is not dynamic, or its surface would move too fast.
    pub fn apply_torque(&mut self, body: BodyId, torque: Vec3) -> Result<(), CommandError> {
        self.command(Command::AngularImpulse(body, torque / self.def.tick_rate as i32)).map(drop)
    }

    /// Puts a body elsewhere.
    ///
    /// # Errors
    /// When there is no such body, or the place is outside the world.
    pub fn teleport(&mut self, body: BodyId, pose: Transform) -> Result<(), CommandError> {
        self.command(Command::Teleport(body, pose)).map(drop)
    }

    /// Has a kinematic body arrive at a pose at the end of this tick. It gets the velocity that takes it there and
    /// keeps it, so call this every tick, or stop the body when it has arrived.
    ///
    /// # Errors
    /// When there is no such body, it is not kinematic, or it would have to move too fast.
    pub fn move_to(&mut self, body: BodyId, pose: Transform) -> Result<(), CommandError> {
        self.command(Command::MoveTo(body, pose)).map(drop)
    }

    /// Wakes a body and whatever it fell asleep with.
    ///
    /// # Errors
    /// When there is no such body.
    pub fn wake(&mut self, body: BodyId) -> Result<(), CommandError> {
        self.command(Command::Wake(body)).map(drop)
    }

    /// The commands of this tick, in the order in which they were given.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// Takes back everything that was commanded since the last step.
    pub fn discard_commands(&mut self) {
        self.commands.clear();
        self.pending.clear();
        self.work.share_from(&self.base, &mut self.store);
        self.drop_scratch();
    }

    /// The number of steps so far.
    pub const fn tick(&self) -> u32 {
        self.tick
    }

    /// Computes the next tick.
    pub fn step(&mut self) -> StepReport {
        self.step_timed(None)
    }

    /// Computes the next tick and measures its phases with a clock that counts nanoseconds.
    pub fn step_timed(&mut self, clock: Option<&mut dyn FnMut() -> u64>) -> StepReport {
        let report = crate::step::run(self, clock);
        self.commands.clear();
        self.pending.clear();
        self.tick = self.tick.wrapping_add(1);
        self.base.share_from(&self.work, &mut self.store);
        report
    }

    /// Whether contacts of bodies that hardly move are kept. Without, the world is another one.
    #[cfg(feature = "bench-internals")]
    pub const fn keep_contacts(&mut self, keep: bool) {
        self.scratch.never_keep = !keep;
    }

    /// Breaks a rule on purpose from now on.
    #[cfg(feature = "test-internals")]
    pub const fn plant(&mut self, plant: crate::step::Plant) {
        self.scratch.plant(plant);
    }

    /// Forgets everything that can be rebuilt from the state. It changes nothing but the cost of the next step.
    pub fn drop_scratch(&mut self) {
        self.scratch = Scratch::default();
    }
}
