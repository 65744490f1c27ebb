//! The world: bodies that collide and rest, the same on every machine.
//!
//! State lives in pages of rows (`rows.rs`, `pages.rs`, `slot.rs`); a game changes it by commands
//! (`command.rs`); [`World::step`] computes the next tick (`step/`).

mod arrive;
mod command;
mod def;
mod digest;
mod encode;
mod events;
mod explain;
mod fields;
mod islands;
mod material;
mod page_bytes;
pub(crate) mod pages;
mod past;
mod rewind;
pub(crate) mod rows;
pub(crate) mod slot;
mod snapshot;
#[cfg(feature = "test-support")]
mod solo;
pub(crate) mod timeline;
mod verify;
mod view;

use crate::data::{BitSet, Id};
use crate::math::{Transform, Vec3};
use crate::parallel::Threads;
use crate::step::{Scratch, StepReport};
use arrive::Route;
use serde::{Deserialize, Serialize};
use slot::{Slot, Store};
use timeline::Timeline;

pub use command::Command;
pub(crate) use command::{origin, real_vector, scale_by_power};
pub use def::{BodyDef, CommandError, MAX_SPEED, ShapeDef, WORLD_LIMIT, WorldDef, WorldError};
pub use events::{Event, Impact, Pair};
pub(crate) use events::{EventKind, EventRow, ImpactData};
pub use explain::{ExplainError, FieldValue, RowDifference};
pub use islands::Islands;
pub(crate) use material::Mixed;
pub use material::{Combine, Filter, Layers, Material, MaterialError, MaterialTable, NoSuchLayer};
pub use page_bytes::StateSection;
pub use past::Past;
pub use rewind::{DEFAULT_HISTORY, HistoryReport, ResimMode};
pub use rows::BodyKind;
pub use snapshot::{SNAPSHOT_LIMIT, SnapshotError};
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
///   [`islands`](Self::islands), and what happened in the step, [`events`](Self::events).
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
    /// The states of the last ticks, this one's among them, and of the old future after a rewind.
    pub(crate) timeline: Timeline,
    /// This tick's state with its commands.
    pub(crate) work: Slot,
    pub(crate) commands: Vec<Command>,
    /// Ids of the bodies that commands of this tick made.
    pub(crate) spawned: Vec<BodyId>,
    pub(crate) pending: Pending,
    /// Bodies whose state at this tick differs from that of the old future, if there is one.
    pub(crate) dirty: BitSet,
    pub(crate) resim_mode: ResimMode,
    resim_difference: Option<String>,
    pub(crate) threads: Threads,
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
    /// A world of its own with the same state and commands, but no history: it can't be rewound beyond this tick.
    fn clone(&self) -> Self {
        let mut store = Store::default();
        let mut copy = |slot: &Slot| slot.copy_into(&self.store, &mut store);
        let (base, work) = (copy(self.base()), copy(&self.work));
        Self {
            commands: self.commands.clone(),
            spawned: self.spawned.clone(),
            pending: self.pending.clone(),
            ..self.elsewhere(store, base, work)
        }
    }
}

impl World {
    /// A world with the same definition, tick and mode, and another state; no commands, no history.
    fn elsewhere(&self, mut store: Store, mut base: Slot, work: Slot) -> Self {
        let mut timeline = Timeline::new(self.timeline.len());
        timeline.restart(self.tick, &base, &mut store);
        base.release(&mut store);
        Self {
            def: self.def.clone(),
            tick: self.tick,
            store,
            timeline,
            work,
            commands: Vec::new(),
            spawned: Vec::new(),
            pending: Pending::default(),
            dirty: BitSet::new(),
            resim_mode: self.resim_mode,
            resim_difference: None,
            threads: Threads::ONE,
            scratch: Scratch::default(),
        }
    }

    /// An empty world.
    ///
    /// # Errors
    /// When the definition is out of range.
    pub fn new(def: WorldDef) -> Result<Self, WorldError> {
        Self::with_history(def, DEFAULT_HISTORY)
    }

    /// An empty world that can be rewound by one tick less than this many; at least 2 are held.
    ///
    /// # Errors
    /// When the definition is out of range.
    pub fn with_history(def: WorldDef, ticks: usize) -> Result<Self, WorldError> {
        def.check()?;
        Ok(Self {
            def,
            tick: 0,
            store: Store::default(),
            timeline: Timeline::new(ticks),
            work: Slot::default(),
            commands: Vec::new(),
            spawned: Vec::new(),
            pending: Pending::default(),
            dirty: BitSet::new(),
            resim_mode: ResimMode::default(),
            resim_difference: None,
            threads: Threads::ONE,
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
        self.spawned.push(id);
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
        self.arrive(self.tick, Route::Rewind);
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
        self.make_room();
        let again = self.tick < self.timeline.newest();
        let full = (self.resim_mode == ResimMode::Verify && again).then(|| self.commanded_anew());
        let report = crate::step::run(self, clock);
        self.arrive(self.tick + 1, Route::Step);
        if let Some(full) = full {
            self.verify(full);
        }
        report
    }

    /// The state after the last step.
    pub(crate) fn base(&self) -> &Slot {
        &self.timeline.entry(self.tick).slot
    }

    /// Whether contacts of bodies that hardly move are kept. Without, the world is another one.
    #[cfg(feature = "bench-internals")]
    pub const fn keep_contacts(&mut self, keep: bool) {
        self.scratch.never_recycle = !keep;
    }

    /// Whether a step writes the rows of bodies over those of the last tick, which can't be gone back to then: to see what
    /// keeping them costs.
    #[cfg(feature = "bench-internals")]
    pub const fn write_in_place(&mut self, in_place: bool) {
        self.scratch.in_place = in_place;
    }

    /// Injects a fault into every step from now on.
    #[cfg(feature = "test-internals")]
    pub const fn inject_fault(&mut self, fault: crate::step::Fault) {
        self.scratch.inject_fault(fault);
    }

    /// Switches a rule of incremental resimulation off.
    #[cfg(feature = "test-internals")]
    pub const fn switch_off(&mut self, rule: crate::step::Rule) {
        self.scratch.rules.switch_off(rule);
    }

    /// How often a rule of incremental resimulation mattered.
    #[cfg(feature = "test-internals")]
    pub const fn rule_count(&self, rule: crate::step::Rule) -> u64 {
        self.scratch.rules.count(rule)
    }

    /// Who computes steps. Not state: any number of threads gives the same bits.
    #[must_use]
    pub const fn threads(&self) -> &Threads {
        &self.threads
    }

    /// Has these compute steps from now on. A world starts with the calling thread alone, and so does a copy of it. Steps of
    /// few contacts are still the calling thread's alone: to wake another would take longer.
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
    }

    /// How many contacts the solver works on at once. Not state: every width gives the same bits.
    #[must_use]
    pub const fn lanes(&self) -> crate::Lanes {
        self.scratch.lanes.get()
    }

    /// Has the solver use this width from now on, and says whether this machine can; if not, the width stays. A world starts
    /// with the widest.
    pub fn set_lanes(&mut self, lanes: crate::Lanes) -> bool {
        let chosen = crate::step::lanes::Chosen::new(lanes);
        self.scratch.lanes = chosen.unwrap_or(self.scratch.lanes);
        chosen.is_some()
    }

    /// Packs contacts in another order at each step, with nonsense in lanes that none fills. Nothing of it may show.
    #[cfg(feature = "test-internals")]
    pub fn disorder_lanes(&mut self, seed: u64) {
        self.scratch.disorder(seed);
    }

    /// Forgets everything that can be rebuilt from the state. It changes nothing but the cost of the next step.
    pub fn drop_scratch(&mut self) {
        let rules = core::mem::take(&mut self.scratch.rules);
        let (lanes, scalar_until) = (self.scratch.lanes, self.scratch.scalar_until);
        self.scratch = Scratch::default();
        self.scratch.rules = rules;
        (self.scratch.lanes, self.scratch.scalar_until) = (lanes, scalar_until);
    }
}
