//! The world: rigid bodies, contacts, commands and the step. Same commands, same bits on every machine.
//!
//! The state is stored in pages of rows (`rows.rs`, `pages.rs`, `frame.rs`). A game changes it with commands (`command/`), and
//! [`World::step`] computes the next tick (`step/`).

mod arrive;
mod command;
mod contact_view;
mod def;
mod digest;
mod encode;
mod errors;
mod events;
pub(crate) mod explain;
mod fields;
pub(crate) mod frame;
pub(crate) mod islands;
pub(crate) mod joint;
mod locks;
mod manifold;
mod material;
pub(crate) mod page_bytes;
pub(crate) mod pages;
mod past;
pub(crate) mod registry;
pub(crate) mod rewind;
pub(crate) mod rows;
pub(crate) mod snapshot;
#[cfg(feature = "test-support")]
mod solo;
mod spawn;
pub(crate) mod timeline;
mod verify;
mod view;
mod weigh;

use crate::Tick;
use crate::data::{Id, IndexSet};
use crate::parallel::Threads;
use crate::step::{Scratch, StepReport};
use arrive::Route;
use frame::{Frame, STREAM_BODIES, Store};
use rows::BodyIndex;
use serde::{Deserialize, Serialize};
use timeline::Timeline;

pub use crate::debug_draw::{DebugDraw, DebugLine, DebugTopic};
pub use crate::query::{QueryFilter, RayHit};
pub use command::Command;
pub(crate) use command::{TickForce, origin, real_vector, scale_by_power};
pub use contact_view::{ContactPoint, ContactView};
pub(crate) use contact_view::{Contacts, newton_seconds};
pub use def::{BodyDef, MAX_SPEED, ShapeDef, WORLD_LIMIT, WorldDef};
pub use errors::{CommandError, WorldError};
pub use events::{Event, Impact, Pair};
pub(crate) use events::{EventKind, EventRow, ImpactData};
pub(crate) use explain::{ExplainError, FieldValue};
pub(crate) use islands::Islands;
pub use joint::{Joint, JointDef, JointId, JointKind};
pub use locks::Locks;
pub(crate) use material::Mixed;
pub use material::{Combine, Filter, Layers, Material, MaterialError, MaterialTable, NoSuchLayer};
pub use past::Past;
pub(crate) use registry::StateSection;
pub use rewind::{DEFAULT_HISTORY, ResimMode};
pub use rows::BodyKind;
pub use snapshot::{SNAPSHOT_LIMIT, SnapshotError};
pub use view::Body;

/// Id of a body: stream, index in the stream, and generation. The id of a despawned body never names another body: the next one with
/// the same index has the next generation.
///
/// It prints as the index among the bodies of all streams and the generation, like `7v1`.
///
/// ```
/// use isostep_core::{real, shape::Shape, world::{BodyDef, BodyId, World, WorldDef}};
/// let mut world = World::new(WorldDef::default())?;
/// let ball = BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?);
/// let first = world.spawn_in(2, ball.clone())?;
/// assert_eq!(Some(first), BodyId::new(2, 0, 1));
/// world.despawn(first)?;
/// let second = world.spawn_in(2, ball)?;
/// assert_eq!((second.stream(), second.index_in_stream(), second.generation()), (2, 0, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("RigidBodyHandle", "b2BodyId", "BodyID", "handle"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct BodyId(pub(crate) Id);

impl BodyId {
    /// Returns the id with an index in a stream and a generation: 1 for the first body with the index, and one more for each later one.
    /// `None` for generations that are never used: 0, and those from 2³¹ on.
    pub fn new(stream: u8, index: u16, generation: u32) -> Option<Self> {
        // A generation is odd while it is in use. The last one is never reached.
        let odd = generation.checked_sub(1)?.checked_mul(2)?.checked_add(1)?;
        if odd == u32::MAX {
            return None;
        }
        let index = u32::from(stream) * STREAM_BODIES + u32::from(index);
        Self::from_bits(u64::from(odd) << 32 | u64::from(index))
    }

    /// Returns the number of the stream: 0 for bodies of [`spawn`](World::spawn).
    pub const fn stream(self) -> u8 {
        (self.0.index() / STREAM_BODIES) as u8
    }

    /// Returns the index in the stream.
    pub const fn index_in_stream(self) -> u16 {
        (self.0.index() % STREAM_BODIES) as u16
    }

    /// Returns the generation: 1 for the first body with the index, and one more for each later one.
    pub const fn generation(self) -> u32 {
        (self.0.to_bits() >> 32).div_ceil(2) as u32
    }

    /// Returns the id with these [bits](Self::to_bits); `None` if no id has them.
    pub fn from_bits(bits: u64) -> Option<Self> {
        Self::try_from(bits).ok()
    }

    /// Returns the id as one number, the form that snapshots and digests contain.
    pub const fn to_bits(self) -> u64 {
        self.0.to_bits()
    }

    pub(crate) const fn index(self) -> BodyIndex {
        BodyIndex::of(self.0)
    }
}

impl TryFrom<u64> for BodyId {
    type Error = &'static str;
    fn try_from(bits: u64) -> Result<Self, Self::Error> {
        match Id::from_bits(bits) {
            Ok(id) if u8::try_from(id.index() / STREAM_BODIES).is_ok() => Ok(Self(id)),
            _ => Err("no body id has these bits; pass those of `BodyId::to_bits`"),
        }
    }
}

impl From<BodyId> for u64 {
    fn from(id: BodyId) -> Self {
        id.to_bits()
    }
}

impl core::fmt::Display for BodyId {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

/// A physics world: rigid bodies, their contacts, and the states of the last ticks.
///
/// Units are metres, seconds, kilograms and radians. Positions lie within ±2³⁰ m of the origin on each axis: a step
/// keeps the centre of mass of each body there, and commands its origin too. Axes are right-handed
/// with y up: gravity points along −y by default, half spaces lie below their y = 0, and capsules stand along y. Rotations follow the
/// right-hand rule: a positive one about z turns x towards y.
///
/// - **Configure**: [`World::new`] with a [`WorldDef`].
/// - **Change**: [`spawn`](Self::spawn), [`despawn`](Self::despawn) and a method for each other change. Each is a [`Command`], which
///   [`command`](Self::command) takes. It has its effect at once (a force in the next step) and is recorded for the
///   tick. An invalid command returns an error and changes nothing.
/// - **Advance**: [`step`](Self::step), once per tick.
/// - **Observe**: [`body`](Self::body), [`bodies`](Self::bodies), [`contacts`](Self::contacts),
///   [`computed`](Self::computed), the [`events`](Self::events) of the last step, and queries: [`cast_ray`](Self::cast_ray).
///   [`debug_lines`](Self::debug_lines) shows all of it. [`past`](Self::past) has the same for held ticks.
/// - **Roll back**: [`rewind`](Self::rewind) to a tick of the [`history`](Self::history), give its commands again, and step.
/// - **Copy**: [`clone`](Clone::clone) copies the current tick with its pending commands, but neither the history nor pinned ticks.
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
#[doc(alias("PhysicsSystem", "PhysicsPipeline", "RigidBodySet", "b2World"))]
#[derive(Debug)]
pub struct World {
    /// Definition. Frames have the gravity.
    pub(crate) def: WorldDef,
    pub(crate) tick: Tick,
    pub(crate) store: Store,
    /// Frames of the last ticks, the current one included, and of the old future after a rewind.
    pub(crate) timeline: Timeline,
    /// The current frame with this tick's commands applied.
    pub(crate) work: Frame,
    pub(crate) commands: Vec<Command>,
    /// Ids of the bodies that this tick's commands spawned.
    pub(crate) spawned: Vec<BodyId>,
    pub(crate) pending: Pending,
    /// Bodies whose state at this tick differs from the old future, if there is one.
    pub(crate) dirty: IndexSet<BodyIndex>,
    pub(crate) resim_mode: ResimMode,
    resim_difference: Option<String>,
    pub(crate) threads: Threads,
    pub(crate) scratch: Scratch,
}

/// Effects of this tick's commands that are not in rows. Derived from the commands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    /// Bodies that commands spawned, despawned, moved or redefined, in the order of the commands.
    pub(crate) changed: Vec<BodyIndex>,
    /// The same, for lookups.
    pub(crate) changed_set: IndexSet<BodyIndex>,
    /// Bodies whose contacts of the last tick are invalid.
    pub(crate) void: IndexSet<BodyIndex>,
    /// Bodies woken by command.
    pub(crate) woken: Vec<BodyIndex>,
    /// Bodies put to sleep by command.
    pub(crate) slept: IndexSet<BodyIndex>,
    /// Keys of shapes that commands removed. Another shape may have the same key since.
    pub(crate) removed: Vec<rows::ShapeKey>,
    /// Forces and torques of this tick.
    pub(crate) forces: command::Forces,
    /// Events of joints whose bodies commands despawned.
    pub(crate) joints_lost: Vec<EventRow>,
}

impl Pending {
    /// Returns whether the last tick's contact or overlap of these two shapes is invalid.
    #[inline]
    pub(crate) fn is_void(&self, key: rows::PairKey) -> bool {
        let void = |shape: rows::ShapeKey| self.void.contains(rows::body_of(shape));
        !self.void.is_empty() && key.shapes().into_iter().any(void)
    }

    /// Returns whether a shape of the last tick's contact or overlap was removed.
    #[inline]
    pub(crate) fn is_removed(&self, key: rows::PairKey) -> bool {
        !self.removed.is_empty() && key.shapes().iter().any(|shape| self.removed.contains(shape))
    }

    fn clear(&mut self) {
        self.changed.clear();
        self.changed_set.clear();
        self.removed.clear();
        self.void.clear();
        self.woken.clear();
        self.slept.clear();
        self.forces.clear();
        self.joints_lost.clear();
    }
}

impl Clone for World {
    /// Copies state and commands but no history: the copy can't be rewound beyond this tick.
    fn clone(&self) -> Self {
        let mut store = Store::default();
        let mut copy = |frame: &Frame| frame.copy_into(&self.store, &mut store);
        let (base, work) = (copy(self.base()), copy(&self.work));
        Self {
            commands: self.commands.clone(),
            spawned: self.spawned.clone(),
            pending: self.pending.clone(),
            ..self.with_state(store, base, work)
        }
    }
}

impl World {
    /// Returns a world with the same definition, tick and resimulation mode, and another state. It has no commands and no history.
    fn with_state(&self, mut store: Store, mut base: Frame, work: Frame) -> Self {
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
            dirty: IndexSet::new(),
            resim_mode: self.resim_mode,
            resim_difference: None,
            threads: Threads::ONE,
            scratch: Scratch::default(),
        }
    }

    /// Creates an empty world with [`DEFAULT_HISTORY`] ticks of history.
    ///
    /// # Errors
    /// If the definition is out of range.
    pub fn new(def: WorldDef) -> Result<Self, WorldError> {
        Self::with_history(def, DEFAULT_HISTORY)
    }

    /// Creates an empty world that holds this many ticks, at least 2. It can be rewound by one tick less.
    ///
    /// # Errors
    /// If the definition is out of range.
    pub fn with_history(def: WorldDef, ticks: usize) -> Result<Self, WorldError> {
        def.check()?;
        let mut timeline = Timeline::new(ticks);
        timeline.entry_mut(Tick(0)).frame.gravity = def.gravity;
        let work = Frame { gravity: def.gravity, ..Frame::default() };
        Ok(Self {
            def,
            tick: Tick(0),
            store: Store::default(),
            timeline,
            work,
            commands: Vec::new(),
            spawned: Vec::new(),
            pending: Pending::default(),
            dirty: IndexSet::new(),
            resim_mode: ResimMode::default(),
            resim_difference: None,
            threads: Threads::ONE,
            scratch: Scratch::default(),
        })
    }

    /// Returns the commands of this tick, in order.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// Undoes all commands since the last step.
    pub fn discard_commands(&mut self) {
        self.arrive(self.tick, Route::Rewind);
    }

    /// Returns the number of the current tick: the number of steps since tick 0.
    pub const fn tick(&self) -> Tick {
        self.tick
    }

    /// Computes the next tick.
    #[doc(alias = "simulate")]
    pub fn step(&mut self) -> StepReport {
        self.step_timed(None)
    }

    /// Computes the next tick and measures its phases with a clock that returns nanoseconds.
    pub fn step_timed(&mut self, clock: Option<&mut dyn FnMut() -> u64>) -> StepReport {
        self.make_room();
        let again = self.tick < self.timeline.newest();
        let full = (self.resim_mode == ResimMode::Verify && again).then(|| self.replay_commands());
        let report = crate::step::run(self, clock);
        self.arrive(self.tick.next(), Route::Step);
        if let Some(full) = full {
            self.verify(full);
        }
        report
    }

    /// The frame after the last step, without this tick's commands.
    pub(crate) fn base(&self) -> &Frame {
        &self.timeline.entry(self.tick).frame
    }

    /// Turns contact recycling for slow bodies on or off. The result of the simulation changes.
    #[cfg(feature = "bench-internals")]
    pub const fn keep_contacts(&mut self, keep: bool) {
        self.scratch.never_recycle = !keep;
    }

    /// Has steps overwrite the body rows of the last tick, which then can't be rewound to. Measures the cost of keeping them.
    #[cfg(feature = "bench-internals")]
    pub const fn write_in_place(&mut self, in_place: bool) {
        self.scratch.in_place = in_place;
    }

    /// Injects a fault into every step from now on.
    #[cfg(feature = "test-internals")]
    pub const fn inject_fault(&mut self, fault: crate::step::Fault) {
        self.scratch.inject_fault(fault);
    }

    /// Disables a rule of incremental resimulation.
    #[cfg(feature = "test-internals")]
    pub const fn switch_off(&mut self, rule: crate::step::Rule) {
        self.scratch.rules.switch_off(rule);
    }

    /// Returns how often a rule of incremental resimulation took effect.
    #[cfg(feature = "test-internals")]
    pub const fn rule_count(&self, rule: crate::step::Rule) -> u64 {
        self.scratch.rules.count(rule)
    }

    /// Returns the worker threads that compute steps. Not state: any number of threads gives the same bits.
    #[must_use]
    pub const fn threads(&self) -> &Threads {
        &self.threads
    }

    /// Sets the threads that compute steps. A new world, and a clone, uses the calling thread alone. Steps with few contacts
    /// always run on the calling thread, because waking another would take longer.
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
    }

    /// Returns the SIMD width of the solver, in contacts. Not state: every width gives the same bits.
    #[doc(hidden)]
    #[must_use]
    pub const fn lanes(&self) -> crate::step::Lanes {
        self.scratch.lanes.get()
    }

    /// Sets the SIMD width of the solver. Returns false, and keeps the width, if this machine does not support it. A new world
    /// uses the widest supported one.
    #[doc(hidden)]
    pub fn set_lanes(&mut self, lanes: crate::step::Lanes) -> bool {
        let chosen = crate::step::lanes::Chosen::new(lanes);
        self.scratch.lanes = chosen.unwrap_or(self.scratch.lanes);
        chosen.is_some()
    }

    /// Packs contacts in another order at each step, with random data in unused lanes. The result must not change.
    #[cfg(feature = "test-internals")]
    pub fn disorder_lanes(&mut self, seed: u64) {
        self.scratch.disorder(seed);
    }

    /// Drops all caches that can be rebuilt from the state. Only the cost of the next step changes.
    #[doc(hidden)]
    pub fn drop_scratch(&mut self) {
        let rules = core::mem::take(&mut self.scratch.rules);
        let (lanes, scalar_until) = (self.scratch.lanes, self.scratch.scalar_until);
        self.scratch = Scratch::default();
        self.scratch.rules = rules;
        (self.scratch.lanes, self.scratch.scalar_until) = (lanes, scalar_until);
    }
}
