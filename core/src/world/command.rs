//! Commands: all changes that a game makes. A command is applied at once, so a game reads its own writes, and is recorded for the
//! tick. The same list applied to the same frame gives the same world.

use super::def::{BodyDef, MAX_DAMPING, MAX_SPEED, check_gravity_scale, check_place, check_range};
use super::errors::CommandError;
use super::frame::Place;
use super::material::{Filter, Material, check_layer};
use super::rows::{BodyIndex, BodyKind, ColdRow, HotRow, STAYS_AWAKE, ShapeRow};
use super::spawn::{mass_properties, rows};
use super::{BodyId, World};
use crate::math::{Q20, Quat, Real, Transform, Vec3, saturate};
use crate::shape::{Geometry, MassError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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
    /// Makes a shape a sensor, or a sensor an ordinary shape. The mass of the body is unchanged.
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
    SetMaySleep(BodyId, bool),
}

impl World {
    /// Applies a command and records it. Returns the new body's id for [`Command::Spawn`].
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
            Command::Despawn(body) => self.apply_despawn(body)?,
            Command::SetVelocity(body, velocity) => {
                let lanes = speed_lanes(velocity)?;
                self.change_velocity(body, |hot, _| hot.velocity = lanes)?;
            }
            Command::SetAngularVelocity(body, spin) => self.set_spin(body, spin)?,
            Command::Impulse(body, impulse) => self.add_impulse(body, impulse, Vec3::ZERO)?,
            Command::ImpulseAt(body, impulse, point) => {
                check_place(point)?;
                let center = self.hot_of(body)?.center;
                self.add_impulse(body, impulse, torque_impulse(center, point, impulse)?)?;
            }
            Command::AngularImpulse(body, impulse) => {
                self.add_impulse(body, Vec3::ZERO, impulse)?;
            }
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
                self.hot_of(body)?;
                let row = Place::of(body.index()).row;
                let page = self.work.cold_page_mut(&mut self.store, body.index());
                page.rows[row].user_data = data;
            }
            Command::Wake(body) => {
                self.hot_of(body)?;
                self.work.wake(&mut self.store, body.index(), &mut self.pending.woken);
            }
            Command::SetMaySleep(body, may) => self.cold_change(body, |cold| {
                let flag = if may { 0 } else { STAYS_AWAKE };
                cold.flags = cold.flags & !STAYS_AWAKE | flag;
            })?,
        }
        Ok(None)
    }

    pub(super) fn apply_spawn(
        &mut self,
        stream: u8,
        def: &BodyDef,
    ) -> Result<BodyId, CommandError> {
        def.check()?;
        let properties = mass_properties(def)?;
        let (hot, cold) = rows(def, properties.as_ref())?;
        let ids = &mut self.work.stream(stream).ids;
        let id = BodyId(Arc::make_mut(ids).allocate()?);
        self.work.make_page(&mut self.store, id.index());
        *self.work.hot_mut(&mut self.store, id.index()) = hot;
        let row = Place::of(id.index()).row;
        let page = self.work.cold_page_mut(&mut self.store, id.index());
        page.live |= 1 << row;
        page.rows[row] = cold;
        let start = page.shapes.partition_point(|shape| usize::from(shape.row) < row);
        let shapes = def.shapes.iter().zip(0..).map(|(shape, ordinal)| ShapeRow {
            row: row as u8,
            ordinal,
            shape: shape.shape,
            pose: shape.pose,
            material: shape.material,
            sensor: shape.sensor,
            filter: shape.filter,
        });
        page.shapes.splice(start..start, shapes);
        self.mark_changed(id.index());
        self.pending.void.insert(id.index());
        Ok(id)
    }

    fn apply_despawn(&mut self, body: BodyId) -> Result<(), CommandError> {
        self.hot_of(body)?;
        let (index, place) = (body.index(), Place::of(body.index()));
        self.wake_affected(index);
        self.pending.void.insert(index);
        Arc::make_mut(&mut self.work.streams[place.stream].ids).free(body.0);
        *self.work.hot_mut(&mut self.store, index) = HotRow::default();
        let page = self.work.cold_page_mut(&mut self.store, index);
        page.live &= !(1 << place.row);
        page.rows[place.row] = ColdRow::default();
        page.shapes.retain(|shape| usize::from(shape.row) != place.row);
        self.mark_changed(index);
        Ok(())
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
        let Self { work, store, pending, scratch, .. } = self;
        if work.cold(store, index).kind == BodyKind::Dynamic {
            work.wake(store, index, &mut pending.woken);
            return;
        }
        if !scratch.may_bear_sleepers(index) {
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

    /// Changes the velocities of a dynamic or kinematic body. Wakes it if they differ from before.
    fn change_velocity(
        &mut self,
        body: BodyId,
        change: impl FnOnce(&mut HotRow, &ColdRow),
    ) -> Result<(), CommandError> {
        self.hot_of(body)?;
        let cold = *self.work.cold(&self.store, body.index());
        if cold.kind == BodyKind::Static {
            return Err(CommandError::NotDynamic(body));
        }
        let mut hot = *self.work.hot(&self.store, body.index());
        let before = hot;
        change(&mut hot, &cold);
        // A command that changes nothing wakes no body: games set the velocity of a resting platform on every tick.
        if hot != before {
            self.work.wake(&mut self.store, body.index(), &mut self.pending.woken);
            let row = self.work.hot_mut(&mut self.store, body.index());
            (row.velocity, row.spin) = (hot.velocity, hot.spin);
            self.work.mark_active(&self.store, body.index());
            self.scratch.activity_changed.push(body.index());
        }
        Ok(())
    }

    fn set_spin(&mut self, body: BodyId, spin: Vec3) -> Result<(), CommandError> {
        self.hot_of(body)?;
        let exponent = self.work.cold(&self.store, body.index()).exponent;
        let lanes = spin_lanes(spin, exponent)?;
        self.change_velocity(body, |hot, _| hot.spin = lanes)
    }

    /// Adds a linear and an angular impulse at the centre of mass.
    fn add_impulse(
        &mut self,
        body: BodyId,
        linear: Vec3,
        angular: Vec3,
    ) -> Result<(), CommandError> {
        self.hot_of(body)?;
        if self.work.cold(&self.store, body.index()).kind != BodyKind::Dynamic {
            return Err(CommandError::NotDynamic(body));
        }
        let mut result = Ok(());
        self.change_velocity(body, |hot, cold| {
            let gained = (linear / cold.mass, spin_of(angular, hot, cold));
            let sum = |lanes: [Q20; 3], gained: Vec3| {
                real_vector(lanes).zip(gained, Real::saturating_add)
            };
            let spin = sum(hot.spin, gained.1);
            let spin = lanes_of(spin)
                .ok_or_else(|| spins_too_fast(scale_by_power(spin, -cold.exponent), cold.exponent));
            match (speed_lanes(sum(hot.velocity, gained.0)), spin) {
                (Ok(velocity), Ok(spin)) => (hot.velocity, hot.spin) = (velocity, spin),
                (Err(error), _) | (_, Err(error)) => result = Err(error),
            }
        })?;
        result
    }

    fn teleport_to(&mut self, body: BodyId, pose: Transform) -> Result<(), CommandError> {
        self.hot_of(body)?;
        check_place(pose.translation)?;
        let local = self.work.cold(&self.store, body.index()).local_center;
        self.wake_affected(body.index());
        let hot = self.work.hot_mut(&mut self.store, body.index());
        (hot.center, hot.rotation) = (pose.point(local), pose.rotation);
        self.mark_changed(body.index());
        Ok(())
    }

    fn set_kinematic_target(&mut self, body: BodyId, pose: Transform) -> Result<(), CommandError> {
        let hot = *self.hot_of(body)?;
        check_place(pose.translation)?;
        let cold = *self.work.cold(&self.store, body.index());
        if cold.kind != BodyKind::Kinematic {
            return Err(CommandError::NotKinematic(body));
        }
        let rate = Real::from_int(self.def.tick_rate as i32);
        let velocity = speed_lanes((pose.point(cold.local_center) - hot.center) * rate)?;
        let turn = (pose.rotation * hot.rotation.inverse()).to_rotation_vector() * rate;
        let spin = spin_lanes(turn, cold.exponent)?;
        self.change_velocity(body, |hot, _| (hot.velocity, hot.spin) = (velocity, spin))
    }

    fn change_kind(&mut self, body: BodyId, kind: BodyKind) -> Result<(), CommandError> {
        self.hot_of(body)?;
        if kind == BodyKind::Dynamic {
            let (page, row) =
                (self.work.cold_page(&self.store, body.index()), Place::of(body.index()).row);
            if page.rows[row].mass == Real::ZERO {
                return Err(CommandError::NoMass);
            }
            let plane = |shape: &ShapeRow| *shape.shape.geometry() == Geometry::HalfSpace;
            if page.shapes_of(row).iter().any(plane) {
                return Err(MassError::HalfSpace.into());
            }
        }
        self.cold_change(body, |cold| cold.kind = kind)?;
        if kind == BodyKind::Static {
            let hot = self.work.hot_mut(&mut self.store, body.index());
            (hot.velocity, hot.spin) = Default::default();
            self.work.mark_active(&self.store, body.index());
        }
        self.pending.void.insert(body.index());
        Ok(())
    }

    fn cold_change(
        &mut self,
        body: BodyId,
        change: impl FnOnce(&mut ColdRow),
    ) -> Result<(), CommandError> {
        self.hot_of(body)?;
        self.wake_affected(body.index());
        let row = Place::of(body.index()).row;
        let page = self.work.cold_page_mut(&mut self.store, body.index());
        change(&mut page.rows[row]);
        self.mark_changed(body.index());
        Ok(())
    }

    fn shape_change(
        &mut self,
        body: BodyId,
        ordinal: u8,
        change: impl FnOnce(&mut ShapeRow),
    ) -> Result<(), CommandError> {
        self.hot_of(body)?;
        let (index, row) = (body.index(), Place::of(body.index()).row);
        let page = self.work.cold_page(&self.store, index);
        let is_it = |shape: &ShapeRow| usize::from(shape.row) == row && shape.ordinal == ordinal;
        let place = page.shapes.iter().position(is_it).ok_or(CommandError::NoSuchShape(ordinal))?;
        self.wake_affected(index);
        change(&mut self.work.cold_page_mut(&mut self.store, index).shapes[place]);
        self.mark_changed(index);
        Ok(())
    }
}

/// (point − center) × impulse, N·m·s.
fn torque_impulse(center: Vec3, point: Vec3, impulse: Vec3) -> Result<Vec3, CommandError> {
    let arm = point - center;
    let torque = arm.cross(impulse);
    // A saturated product would have the wrong direction.
    let fits = |c: &Real| *c > Real::MIN && *c < Real::MAX;
    if torque.to_array().iter().all(fits) {
        Ok(torque)
    } else {
        Err(CommandError::AngularImpulseOverflow { impulse, arm })
    }
}

/// Change of the scaled spin by an angular impulse L: ω·2^e gains A·D·Aᵀ·L / (m·2^e), with A the principal axes and D =
/// m·4^e/I. An overflow saturates along a principal axis, far above the speed limit.
fn spin_of(angular: Vec3, hot: &HotRow, cold: &ColdRow) -> Vec3 {
    let axes = hot.rotation * cold.principal;
    let along = axes.rotate_inverse(angular);
    let gained = along.zip(cold.inverse_inertia, |l, inverse| {
        // 128 bits: the factors may lie far outside the range of the quotient.
        let product = i128::from(l.to_bits()) * i128::from(inverse.to_bits());
        let divisor = i128::from(cold.mass.to_bits());
        let shift = i32::from(cold.exponent);
        let (product, divisor) = if shift < 0 {
            (product.saturating_mul(1 << -shift), divisor)
        } else {
            (product, divisor << shift)
        };
        Real::from_bits(saturate(product / divisor))
    });
    axes.rotate(gained)
}

/// v · 2^power, saturating.
pub(crate) fn scale_by_power(v: Vec3, power: i8) -> Vec3 {
    v * Real::from_bits(1 << (32 + power))
}

/// Converts a velocity to lanes. Fails above [`MAX_SPEED`].
pub(super) fn speed_lanes(velocity: Vec3) -> Result<[Q20; 3], CommandError> {
    lanes_of(velocity).ok_or(CommandError::TooFast(velocity))
}

/// Converts an angular velocity, rad/s, to lanes of the scaled spin of a body of this size.
pub(super) fn spin_lanes(spin: Vec3, exponent: i8) -> Result<[Q20; 3], CommandError> {
    lanes_of(scale_by_power(spin, exponent)).ok_or_else(|| spins_too_fast(spin, exponent))
}

fn spins_too_fast(spin: Vec3, exponent: i8) -> CommandError {
    let limit = scale_by_power(Vec3::X * MAX_SPEED, -exponent).x;
    CommandError::SpinsTooFast { spin, limit }
}

fn lanes_of(velocity: Vec3) -> Option<[Q20; 3]> {
    let fits = |c: &Real| (-MAX_SPEED..=MAX_SPEED).contains(c);
    let components = velocity.to_array();
    components.iter().all(fits).then(|| components.map(Q20::from_real_saturating))
}

pub(crate) fn real_vector(lanes: [Q20; 3]) -> Vec3 {
    let [x, y, z] = lanes.map(Q20::to_real);
    Vec3::new(x, y, z)
}

/// The pose of a body's origin.
pub(crate) fn origin(hot: &HotRow, cold: &ColdRow) -> Transform {
    let rotation: Quat = hot.rotation;
    Transform::new(hot.center - rotation.rotate(cold.local_center), rotation)
}
