//! Errors of definitions and commands: what is out of range, and what to do.

use super::BodyId;
use super::def::{MAX_SPEED, WORLD_LIMIT};
use super::frame::STREAM_BODIES;
use super::material::{MaterialError, NoSuchLayer};
use crate::data::PoolFull;
use crate::math::{Real, Vec3, ZeroLength};
use crate::shape::MassError;

/// Error of [`World::new`](super::World::new): a value of the [`WorldDef`](super::WorldDef) is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The tick rate is out of range.
    #[error("the tick rate is {0} per second; set `tick_rate` to 10 to 240")]
    TickRate(u32),
    /// The number of substeps is out of range.
    #[error("the number of substeps is {0}; set `substeps` to 1 to 64")]
    Substeps(u32),
    /// The maximum push-out speed is out of range.
    #[error("the maximum push-out speed is {0} m/s; set `max_push_out_speed` to 0 to 10")]
    MaxPushOutSpeed(Real),
    /// The sleep threshold is out of range.
    #[error("the sleep threshold is {0} m/s; set `sleep_threshold` to 0 (never sleep) to 1")]
    SleepThreshold(Real),
    /// The time to sleep is out of range.
    #[error("the time to sleep is {0} s; set `time_to_sleep` to 0 to 60")]
    TimeToSleep(Real),
    /// The restitution threshold is out of range.
    #[error("the restitution threshold is {0} m/s; set `restitution_threshold` to 0.01 to 100")]
    RestitutionThreshold(Real),
    /// Gravity is out of range.
    #[error("gravity is {0} m/s²; set each component within ±1000")]
    Gravity(Vec3),
}

/// Error of a command. The world is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The body was despawned, or was never spawned in this world.
    #[error(
        "body {0} does not exist: it was despawned or never spawned in this world; check the id with `World::body`"
    )]
    NoSuchBody(BodyId),
    /// The body has no shape with this index.
    #[error("the body has no shape {0}; shapes are numbered from 0 in the order of the definition")]
    NoSuchShape(u8),
    /// A position is outside the world.
    #[error("{0} is outside the world; each coordinate must lie within ±{WORLD_LIMIT} m")]
    OutOfWorld(Vec3),
    /// A speed exceeds [`MAX_SPEED`].
    #[error(
        "the velocity, or the surface velocity by spin, would be {0} m/s; each component must lie within ±{MAX_SPEED}"
    )]
    TooFast(Vec3),
    /// A value is outside its range.
    #[error("{what} is {value}; it must lie between 0 and {limit}")]
    OutOfRange {
        /// Name of the value.
        what: &'static str,
        /// Rejected value.
        value: Real,
        /// Upper limit. The lower limit is 0.
        limit: Real,
    },
    /// The command needs a dynamic body, or, if it sets a velocity, a dynamic or kinematic one.
    #[error(
        "body {0} can't be moved this way: impulses need a dynamic body, velocities a dynamic or kinematic one; set its kind with `Command::SetKind` first"
    )]
    NotDynamic(BodyId),
    /// The command needs a kinematic body.
    #[error(
        "body {0} is not kinematic; set its kind with `Command::SetKind` first, or teleport it"
    )]
    NotKinematic(BodyId),
    /// A lock bit has no axis.
    #[error(
        "the locks are {0:#04x}; use bits 0 to 2 for translation along x, y, z and bits 3 to 5 for rotation about them"
    )]
    NoSuchLock(u8),
    /// The body has more than 255 shapes.
    #[error("the body has more than 255 shapes; use fewer shapes or several bodies")]
    TooManyShapes,
    /// A dynamic body has neither a mass nor a shape that adds one.
    #[error("the dynamic body has no mass; add a shape that is not a sensor, or set `mass`")]
    NoMass,
    /// The stream holds its maximum number of bodies.
    #[error(
        "stream {} is full: it has {STREAM_BODIES} bodies; despawn some, or spawn in another stream with `World::spawn_in`",
        .0.first / STREAM_BODIES
    )]
    PoolFull(#[from] PoolFull),
    /// The mass is out of range.
    #[error(transparent)]
    Mass(#[from] MassError),
    /// The material is out of range.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// The layer does not exist.
    #[error(transparent)]
    Layer(#[from] NoSuchLayer),
    /// A direction has length 0.
    #[error(transparent)]
    ZeroLength(#[from] ZeroLength),
}
