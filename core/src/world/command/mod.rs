//! Commands: all changes that a game makes. A command is applied at once, so a game reads its own writes, and is recorded for the
//! tick. The same list applied to the same frame gives the same world.

mod force;
mod joints;
mod lifetime;
mod methods;
mod motion;
mod settings;
mod shapes;

use super::def::{
    BodyDef, MAX_DAMPING, MAX_SPEED, MAX_SPEED_CAP, ShapeDef, check_gravity_scale, check_range,
};
use super::errors::CommandError;
use super::joint::{JointDef, JointId};
use super::locks::Locks;
use super::material::{Filter, Material, check_layer};
use super::rows::{BodyIndex, BodyKind, HotRow, PERSIST_EVENTS, STAY_EVENTS, STAYS_AWAKE};
use super::{BodyId, World};
use crate::math::{Q20, Real, Transform, Vec3};
use crate::shape::Shape;
pub(crate) use force::{Forces, TickForce};
pub(crate) use motion::{origin, real_vector, scale_by_power};
pub(super) use motion::{speed_lanes, spin_lanes};
use serde::{Deserialize, Serialize};

/// A change to a world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Command {
    /// Spawns a body with an id from a stream's range.
    Spawn(u8, Box<BodyDef>),
    /// Removes a body.
    Despawn(BodyId),
    /// Sets the velocity of the centre of mass, m/s.
    SetVelocity(BodyId, Vec3),
    /// Sets the angular velocity, rad/s.
    SetAngularVelocity(BodyId, Vec3),
    /// Applies an impulse at the centre of mass, N·s.
    Impulse(BodyId, Vec3),
    /// Applies an impulse at a point in world space, N·s.
    ImpulseAt(BodyId, Vec3, Vec3),
    /// Applies an angular impulse, N·m·s.
    AngularImpulse(BodyId, Vec3),
    /// Moves a body to a pose at once; its velocity is unchanged.
    Teleport(BodyId, Transform),
    /// Moves a kinematic body so that it reaches a pose at the end of this tick.
    MoveTo(BodyId, Transform),
    /// Changes the kind. A dynamic body needs a mass.
    SetKind(BodyId, BodyKind),
    /// Disables or enables a body. A disabled body keeps its state and takes no part in the simulation.
    SetEnabled(BodyId, bool),
    /// Changes the material of a shape.
    SetMaterial(BodyId, u8, Material),
    /// Makes a shape a sensor, or a sensor an ordinary shape. The mass of the body is unchanged until its shapes change.
    SetSensor(BodyId, u8, bool),
    /// Changes the collision filter of a shape.
    SetFilter(BodyId, u8, Filter),
    /// Changes the factor on the world's gravity.
    SetGravityScale(BodyId, Real),
    /// Changes linear and angular damping, 1/s.
    SetDamping(BodyId, Real, Real),
    /// Changes the user data. Does not wake the body.
    SetUserData(BodyId, u64),
    /// Wakes a body and the bodies that fell asleep with it.
    Wake(BodyId),
    /// Allows or forbids the body to fall asleep.
    SetCanSleep(BodyId, bool),
    /// Applies a force at the centre of mass during this tick, N.
    Force(BodyId, Vec3),
    /// Applies a force at a point in world space during this tick, N. The torque is that of the pose at the command.
    ForceAt(BodyId, Vec3, Vec3),
    /// Applies a torque during this tick, N·m.
    Torque(BodyId, Vec3),
    /// Sets the mass, kg, and the moments of inertia about the body's axes, kg·m²; `None` takes them from the shapes.
    SetMass(BodyId, Option<Real>, Option<Vec3>),
    /// Changes the locked degrees of freedom.
    SetLocks(BodyId, Locks),
    /// Changes the largest speed, m/s.
    SetSpeedCap(BodyId, Real),
    /// Reports the body's contacts on every tick, or only when they begin and end. Does not wake the body.
    SetPersistEvents(BodyId, bool),
    /// Reports the body's sensor overlaps on every tick, or only when they begin and end. Does not wake the body.
    SetStayEvents(BodyId, bool),
    /// Puts a body to sleep, with all dynamic bodies that contacts connect to it.
    Sleep(BodyId),
    /// Changes the gravity of the world, m/s². Wakes all bodies if it differs.
    SetGravity(Vec3),
    /// Replaces the geometry of a shape.
    SetShape(BodyId, u8, Shape),
    /// Changes the pose of a shape in its body.
    SetShapePose(BodyId, u8, Transform),
    /// Adds a shape. Its number is the lowest that no shape of the body has.
    AddShape(BodyId, Box<ShapeDef>),
    /// Removes a shape. The others keep their numbers.
    RemoveShape(BodyId, u8),
    /// Spawns a body with this id.
    SpawnWithId(BodyId, Box<BodyDef>),
    /// Adds a joint. Wakes its bodies.
    AddJoint(Box<JointDef>),
    /// Removes a joint. Wakes its bodies.
    RemoveJoint(JointId),
    /// Changes the length of a rod, metres. Wakes its bodies if it differs.
    SetJointLength(JointId, Real),
    /// Disables or enables a joint. Wakes its bodies.
    SetJointEnabled(JointId, bool),
}

impl Command {
    /// Indices of the bodies that the command names; none for a spawn and for commands to the whole world.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = BodyIndex> + use<> {
        let bodies = match self {
            Self::Spawn(..) | Self::SpawnWithId(..) | Self::SetGravity(_) => [None; 2],
            Self::AddJoint(def) => [Some(def.body), def.other],
            Self::RemoveJoint(joint)
            | Self::SetJointLength(joint, _)
            | Self::SetJointEnabled(joint, _) => [Some(joint.body()), None],
            Self::Despawn(body)
            | Self::SetVelocity(body, _)
            | Self::SetAngularVelocity(body, _)
            | Self::Impulse(body, _)
            | Self::ImpulseAt(body, ..)
            | Self::AngularImpulse(body, _)
            | Self::Force(body, _)
            | Self::ForceAt(body, ..)
            | Self::Torque(body, _)
            | Self::Teleport(body, _)
            | Self::MoveTo(body, _)
            | Self::SetKind(body, _)
            | Self::SetEnabled(body, _)
            | Self::SetMaterial(body, ..)
            | Self::SetSensor(body, ..)
            | Self::SetFilter(body, ..)
            | Self::SetGravityScale(body, _)
            | Self::SetDamping(body, ..)
            | Self::SetUserData(body, _)
            | Self::Wake(body)
            | Self::SetCanSleep(body, _)
            | Self::SetMass(body, ..)
            | Self::SetLocks(body, _)
            | Self::SetSpeedCap(body, _)
            | Self::SetPersistEvents(body, _)
            | Self::SetStayEvents(body, _)
            | Self::Sleep(body)
            | Self::SetShape(body, ..)
            | Self::SetShapePose(body, ..)
            | Self::AddShape(body, _)
            | Self::RemoveShape(body, _) => [Some(*body), None],
        };
        bodies.into_iter().flatten().map(BodyId::index)
    }
}

impl World {
    /// Applies a command and records it. Returns the new body's id for [`Command::Spawn`] and [`Command::SpawnWithId`].
    ///
    /// # Errors
    /// If the command is invalid. The world is unchanged and nothing is recorded.
    pub fn command(&mut self, command: Command) -> Result<Option<BodyId>, CommandError> {
        let spawned = self.apply(&command)?;
        self.commands.push(command);
        self.spawned.extend(spawned);
        Ok(spawned)
    }

    fn apply(&mut self, command: &Command) -> Result<Option<BodyId>, CommandError> {
        match *command {
            Command::Spawn(stream, ref def) => return self.apply_spawn(stream, def).map(Some),
            Command::SpawnWithId(body, ref def) => {
                return self.apply_spawn_with_id(body, def).map(Some);
            }
            Command::Despawn(body) => self.apply_despawn(body)?,
            Command::SetVelocity(body, velocity) => {
                let lanes = speed_lanes(velocity)?;
                self.change_velocity(body, |hot, _| hot.velocity = lanes)?;
            }
            Command::SetAngularVelocity(body, spin) => self.set_spin(body, spin)?,
            Command::Impulse(body, impulse) => self.add_impulse(body, impulse, Vec3::ZERO)?,
            Command::ImpulseAt(body, impulse, point) => {
                self.add_impulse_at(body, impulse, point)?;
            }
            Command::AngularImpulse(body, impulse) => {
                self.add_impulse(body, Vec3::ZERO, impulse)?;
            }
            Command::Force(body, force) => self.add_force(body, force, Vec3::ZERO)?,
            Command::ForceAt(body, force, point) => self.add_force_at(body, force, point)?,
            Command::Torque(body, torque) => self.add_force(body, Vec3::ZERO, torque)?,
            Command::Teleport(body, pose) => self.teleport_to(body, pose)?,
            Command::MoveTo(body, pose) => self.set_kinematic_target(body, pose)?,
            Command::SetKind(body, kind) => self.change_kind(body, kind)?,
            Command::SetEnabled(body, enabled) => {
                self.cold_change(body, |cold| cold.enabled = enabled)?;
                self.pending.void.insert(body.index());
            }
            Command::SetMaterial(body, shape, material) => {
                material.check()?;
                self.shape_change(body, shape, |row| row.material = material)?;
                self.pending.void.insert(body.index());
            }
            Command::SetSensor(body, shape, sensor) => {
                self.shape_change(body, shape, |row| row.sensor = sensor)?;
                self.pending.void.insert(body.index());
            }
            Command::SetFilter(body, shape, filter) => {
                check_layer(filter.layer)?;
                self.shape_change(body, shape, |row| row.filter = filter)?;
            }
            Command::SetGravityScale(body, scale) => {
                check_gravity_scale(scale)?;
                self.cold_change(body, |cold| cold.gravity_scale = scale)?;
            }
            Command::SetDamping(body, linear, angular) => {
                check_range("the linear damping (1/s)", linear, MAX_DAMPING)?;
                check_range("the angular damping (1/s)", angular, MAX_DAMPING)?;
                self.cold_change(body, |cold| {
                    (cold.linear_damping, cold.angular_damping) = (linear, angular);
                })?;
            }
            Command::SetUserData(body, data) => {
                self.quiet_change(body, |cold| cold.user_data = data)?;
                #[cfg(feature = "test-internals")]
                super::registry::marks::mark(&mut self.work, &mut self.store, body, data);
            }
            Command::Wake(body) => {
                self.hot_of(body)?;
                self.work.wake(&mut self.store, body.index(), &mut self.pending.woken);
            }
            Command::SetCanSleep(body, may) => {
                self.quiet_change(body, |cold| set_flag(&mut cold.flags, STAYS_AWAKE, !may))?;
                self.wake_affected(body.index());
            }
            Command::SetMass(body, mass, inertia) => self.change_mass(body, mass, inertia)?,
            Command::SetLocks(body, locks) => {
                self.cold_change(body, |cold| cold.locks = locks.bits())?;
            }
            Command::SetSpeedCap(body, cap) => {
                check_range("the speed cap (m/s)", cap, MAX_SPEED_CAP)?;
                self.cold_change(body, |cold| cold.speed_cap = cap.min(MAX_SPEED))?;
            }
            Command::SetPersistEvents(body, on) => {
                self.quiet_change(body, |cold| set_flag(&mut cold.flags, PERSIST_EVENTS, on))?;
            }
            Command::SetStayEvents(body, on) => {
                self.quiet_change(body, |cold| set_flag(&mut cold.flags, STAY_EVENTS, on))?;
            }
            Command::Sleep(body) => self.sleep_island(body)?,
            Command::SetGravity(gravity) => self.change_gravity(gravity)?,
            Command::SetShape(body, number, shape) => self.change_geometry(body, number, shape)?,
            Command::SetShapePose(body, number, pose) => {
                self.change_shape_pose(body, number, pose)?;
            }
            Command::AddShape(body, ref def) => self.insert_shape(body, def)?,
            Command::RemoveShape(body, number) => self.delete_shape(body, number)?,
            Command::AddJoint(ref def) => self.apply_add_joint(def)?,
            Command::RemoveJoint(joint) => self.apply_remove_joint(joint)?,
            Command::SetJointLength(joint, length) => self.change_joint_length(joint, length)?,
            Command::SetJointEnabled(joint, enabled) => self.change_joint(joint, |row| {
                (row.enabled, row.impulse) = (enabled, Q20::ZERO);
                Ok(())
            })?,
        }
        Ok(None)
    }

    fn hot_of(&self, body: BodyId) -> Result<&HotRow, CommandError> {
        if self.work.is_live(body.0) {
            Ok(self.work.hot(&self.store, body.index()))
        } else {
            Err(CommandError::NoSuchBody(body))
        }
    }

    /// Wakes all bodies that a change of this body can affect: those that fell asleep with it, or sleeping bodies in contact with it.
    fn wake_affected(&mut self, index: BodyIndex) {
        let Self { work, store, pending, .. } = self;
        if work.cold(store, index).kind == BodyKind::Dynamic {
            work.wake(store, index, &mut pending.woken);
            return;
        }
        self.wake_joined(index);
        let Self { work, store, pending, scratch, .. } = self;
        if !scratch.may_support_sleeping(index) {
            return;
        }
        for s in 0..work.streams.len() {
            for p in 0..work.streams[s].contacts.len() {
                let mut next = 0;
                // One at a time, because waking borrows the frame.
                while let Some((at, owner)) = work.sleeping_contact(store, (s, p), index, next) {
                    work.wake(store, owner, &mut pending.woken);
                    next = at + 1;
                }
            }
        }
    }

    /// Marks a body as changed by command.
    fn mark_changed(&mut self, index: BodyIndex) {
        self.work.mark_active(&self.store, index);
        self.pending.changed.push(index);
        self.pending.changed_set.insert(index);
        self.scratch.changed.push(index);
    }
}

const fn set_flag(flags: &mut u8, flag: u8, on: bool) {
    *flags = if on { *flags | flag } else { *flags & !flag };
}
