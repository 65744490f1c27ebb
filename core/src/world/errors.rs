//! Errors of definitions and commands: what is out of range, and what to do.

use super::def::{MAX_SPEED, WORLD_LIMIT};
use super::frame::STREAM_BODIES;
use super::material::{MaterialError, NoSuchLayer};
use super::{BodyId, JointId};
use crate::data::PoolFull;
use crate::math::{Real, Vec3};
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
    /// The joint was removed, or was never added to this world.
    #[error(
        "joint {0} does not exist: it was removed, one of its bodies was despawned, or it was never added to this world; check the id with `World::joint`"
    )]
    NoSuchJoint(JointId),
    /// Both bodies of a joint are the same.
    #[error(
        "the joint would connect body {0} to itself; give another body, or connect it to the world"
    )]
    JoinedToItself(BodyId),
    /// The numbers of the body's joints are used up.
    #[error(
        "body {0} has had 4294967295 joints, and has no number for another one; make the other body the first, or despawn the body and spawn it again"
    )]
    TooManyJoints(BodyId),
    /// The body has no shape with this number.
    #[error("body {body} has no shape {shape}; `Body::shapes` lists the numbers of its shapes")]
    NoSuchShape {
        /// The body.
        body: BodyId,
        /// Rejected number.
        shape: u8,
    },
    /// A position is outside the world.
    #[error("position {0} is outside the world; each coordinate must lie within ±{WORLD_LIMIT} m")]
    OutOfWorld(Vec3),
    /// The centre of mass of the body would be outside the world: its shapes are beyond the limit.
    #[error(
        "the centre of mass would be at {0}, outside the world; each coordinate must lie within ±{WORLD_LIMIT} m: move the body or its shapes"
    )]
    CenterOutOfWorld(Vec3),
    /// A component of the velocity, m/s, exceeds [`MAX_SPEED`].
    #[error(
        "the velocity would be {0} m/s; each component must lie within ±{limit}: give a lower velocity or a smaller impulse",
        limit = rounded_down(MAX_SPEED)
    )]
    TooFast(Vec3),
    /// A component of the angular velocity exceeds the limit of the body.
    #[error(
        "the angular velocity would be {spin} rad/s; each component must lie within ±{} for a body of this size: give a lower angular velocity or a smaller impulse, or make the body smaller",
        rounded_down(*.limit)
    )]
    SpinsTooFast {
        /// Rejected angular velocity, rad/s.
        spin: Vec3,
        /// Limit of each component for this body, rad/s: [`MAX_SPEED`] divided by the body's radius about its centre of mass, with
        /// the radius rounded up to a power of two.
        limit: Real,
    },
    /// The angular impulse of an impulse at a point exceeds the numeric range.
    #[error(
        "an impulse of {impulse} N·s at {arm} m from the centre of mass has an angular impulse beyond ±{} N·m·s; apply a smaller impulse, or apply it nearer to the body",
        1u32 << 31
    )]
    AngularImpulseOverflow {
        /// Rejected impulse, N·s.
        impulse: Vec3,
        /// Its point, relative to the centre of mass, metres.
        arm: Vec3,
    },
    /// The torque of a force at a point exceeds the numeric range.
    #[error(
        "a force of {force} N at {arm} m from the centre of mass has a torque beyond ±{} N·m; apply a smaller force, or apply it nearer to the body",
        1u32 << 31
    )]
    TorqueOverflow {
        /// Rejected force, N.
        force: Vec3,
        /// Its point, relative to the centre of mass, metres.
        arm: Vec3,
    },
    /// The forces of this tick would change a component of the velocity by more than [`MAX_SPEED`]; the change, m/s.
    #[error(
        "the forces of this tick would change the velocity by {0} m/s; each component must lie within ±{limit}: apply a smaller force",
        limit = rounded_down(MAX_SPEED)
    )]
    ForceTooLarge(Vec3),
    /// The torques of this tick would change a component of the angular velocity by more than its limit.
    #[error(
        "the torques of this tick would change the angular velocity by {gain} rad/s; each component must lie within ±{} for a body of this size: apply a smaller torque",
        rounded_down(*.limit)
    )]
    TorqueTooLarge {
        /// Change of the angular velocity in this tick, rad/s.
        gain: Vec3,
        /// Limit of each component for this body, rad/s.
        limit: Real,
    },
    /// A value is outside its range.
    #[error("{what} is {value}; it must lie between {min} and {max}")]
    OutOfRange {
        /// Name of the value.
        what: &'static str,
        /// Rejected value.
        value: Real,
        /// Lower limit.
        min: Real,
        /// Upper limit.
        max: Real,
    },
    /// The command needs a dynamic body, or, if it sets a velocity, a dynamic or kinematic one.
    #[error(
        "body {0} can't be moved this way: impulses and forces need a dynamic body, velocities a dynamic or kinematic one; set its kind with `World::set_kind` first"
    )]
    NotDynamic(BodyId),
    /// The command needs a kinematic body.
    #[error("body {0} is not kinematic; set its kind with `World::set_kind` first, or teleport it")]
    NotKinematic(BodyId),
    /// The body can't be put to sleep.
    #[error(
        "body {0} can't be put to sleep: it is not dynamic, is disabled, or its `can_sleep` is false; change it with `World::set_kind`, `set_enabled` or `set_can_sleep` first"
    )]
    CannotSleep(BodyId),
    /// The body would have more than 255 shapes.
    #[error("the body would have more than 255 shapes; use fewer shapes or several bodies")]
    TooManyShapes,
    /// A dynamic body has neither a mass nor a shape that adds one.
    #[error("the dynamic body has no mass; add a shape that is not a sensor, or set `mass`")]
    NoMass,
    /// A body has the index of the id.
    #[error(
        "the id is taken: body {0} has its index; despawn that body first, or take another index"
    )]
    IdTaken(BodyId),
    /// The id, or a later one with the same index, was in use before.
    #[error(
        "the id {0} was in use before; take an id with the same index and a higher generation, or another index: see `BodyId::new`"
    )]
    IdUsed(BodyId),
    /// The generation of the id is the one that is never used. [`BodyId::new`] does not make such an id.
    #[error("the id {0} is out of range: its generation must be below 2147483648")]
    IdOutOfRange(BodyId),
    /// The body can't be put to sleep on a tick on which a command changed it, or a body in contact with it.
    #[error(
        "the body can't be put to sleep on this tick, because body {0} was changed on this tick, and it is the body itself, in its island or in contact with it; do it on the next tick"
    )]
    ChangedThisTick(BodyId),
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
}

/// A limit with two decimals, rounded down, so that the printed value is accepted.
fn rounded_down(limit: Real) -> Real {
    let readable = (Real::ONE..Real::from_int(1 << 20)).contains(&limit);
    if readable { (limit * 100).floor() / 100 } else { limit }
}
