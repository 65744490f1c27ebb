//! Commands that move a body: velocities, impulses, poses.

use crate::math::{Q20, Quat, Real, Transform, Vec3, saturate};
use crate::world::def::{MAX_SPEED, check_center, check_place};
use crate::world::errors::CommandError;
use crate::world::rows::{BodyKind, ColdRow, HotRow};
use crate::world::weigh::Weight;
use crate::world::{BodyId, World};

impl World {
    /// Changes the velocities of a dynamic or kinematic body. Wakes it if they differ from before.
    pub(super) fn change_velocity(
        &mut self,
        body: BodyId,
        change: impl FnOnce(&mut HotRow, &ColdRow),
    ) -> Result<(), CommandError> {
        self.hot_of(body)?;
        let cold = *self.work.cold(&self.store, body.index());
        if cold.kind == BodyKind::Fixed {
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

    pub(super) fn set_spin(&mut self, body: BodyId, spin: Vec3) -> Result<(), CommandError> {
        self.hot_of(body)?;
        let exponent = self.work.cold(&self.store, body.index()).exponent;
        let lanes = spin_lanes(spin, exponent)?;
        self.change_velocity(body, |hot, _| hot.spin = lanes)
    }

    /// Adds an impulse at a point in world space.
    pub(super) fn add_impulse_at(
        &mut self,
        body: BodyId,
        impulse: Vec3,
        point: Vec3,
    ) -> Result<(), CommandError> {
        check_place(point)?;
        let arm = point - self.hot_of(body)?.center;
        let angular = torque_about(arm, impulse)
            .ok_or(CommandError::AngularImpulseOverflow { impulse, arm })?;
        self.add_impulse(body, impulse, angular)
    }

    /// Adds a linear and an angular impulse at the centre of mass.
    pub(super) fn add_impulse(
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
            let gained = (free_part(linear, cold.locks) / cold.mass, spin_of(angular, hot, cold));
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

    pub(super) fn teleport_to(
        &mut self,
        body: BodyId,
        pose: Transform,
    ) -> Result<(), CommandError> {
        self.hot_of(body)?;
        check_place(pose.translation)?;
        let center = pose.point(self.work.cold(&self.store, body.index()).local_center);
        check_center(center)?;
        self.wake_affected(body.index());
        let hot = self.work.hot_mut(&mut self.store, body.index());
        (hot.center, hot.rotation) = (center, pose.rotation);
        self.mark_changed(body.index());
        Ok(())
    }

    pub(super) fn set_kinematic_target(
        &mut self,
        body: BodyId,
        pose: Transform,
    ) -> Result<(), CommandError> {
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
}

impl HotRow {
    /// The row of the body with another centre of mass and size: the origin stays in place, and the velocity of each point of the body
    /// is unchanged.
    pub(super) fn reweighed(&self, cold: &ColdRow, weight: &Weight) -> Result<Self, CommandError> {
        let mut hot = *self;
        let spin = scale_by_power(real_vector(hot.spin), -cold.exponent);
        if weight.local_center != cold.local_center {
            let arm = hot.rotation.rotate(weight.local_center - cold.local_center);
            hot.center += arm;
            check_center(hot.center)?;
            if !spin.is_zero() {
                hot.velocity = speed_lanes(real_vector(hot.velocity) + spin.cross(arm))?;
            }
        }
        if weight.exponent != cold.exponent {
            hot.spin = spin_lanes(spin, weight.exponent)?;
        }
        Ok(hot)
    }
}

/// Arm × force or impulse; `None` if it does not fit.
pub(super) fn torque_about(arm: Vec3, force: Vec3) -> Option<Vec3> {
    let torque = arm.cross(force);
    // A saturated product would have the wrong direction.
    let fits = |c: &Real| *c > Real::MIN && *c < Real::MAX;
    torque.to_array().iter().all(fits).then_some(torque)
}

/// Change of the scaled spin by an angular impulse L: ω·2^e gains A·D·Aᵀ·L / (m·2^e), with A the principal axes and D =
/// m·4^e/I. An overflow saturates along a principal axis, far above the speed limit.
///
/// Rows and columns of locked axes are zero, as in the solver: an angular impulse about a locked axis has no effect, not even on the
/// free axes that the inertia couples with it.
pub(super) fn spin_of(angular: Vec3, hot: &HotRow, cold: &ColdRow) -> Vec3 {
    let free = |v: Vec3| free_part(v, cold.locks >> 3);
    let axes = hot.rotation * cold.principal;
    let along = axes.rotate_inverse(free(angular));
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
    free(axes.rotate(gained))
}

/// The vector without its components along axes whose bit of `locks` is set.
fn free_part(v: Vec3, locks: u8) -> Vec3 {
    let part = |axis: u8, c: Real| if locks >> axis & 1 == 0 { c } else { Real::ZERO };
    Vec3::new(part(0, v.x), part(1, v.y), part(2, v.z))
}

/// v · 2^power, saturating.
pub(crate) fn scale_by_power(v: Vec3, power: i8) -> Vec3 {
    v * Real::from_bits(1 << (32 + power))
}

/// Converts a velocity to lanes. Fails above [`MAX_SPEED`].
pub(in crate::world) fn speed_lanes(velocity: Vec3) -> Result<[Q20; 3], CommandError> {
    lanes_of(velocity).ok_or(CommandError::TooFast(velocity))
}

/// Converts an angular velocity, rad/s, to lanes of the scaled spin of a body of this size.
pub(in crate::world) fn spin_lanes(spin: Vec3, exponent: i8) -> Result<[Q20; 3], CommandError> {
    lanes_of(scale_by_power(spin, exponent)).ok_or_else(|| spins_too_fast(spin, exponent))
}

fn spins_too_fast(spin: Vec3, exponent: i8) -> CommandError {
    CommandError::SpinsTooFast { spin, limit: spin_limit(exponent) }
}

/// Largest angular velocity about an axis of a body of this size, rad/s.
pub(super) fn spin_limit(exponent: i8) -> Real {
    scale_by_power(Vec3::X * MAX_SPEED, -exponent).x
}

/// Returns whether each component lies within ±`limit`.
pub(super) fn components_within(v: Vec3, limit: Real) -> bool {
    v.to_array().iter().all(|c| (-limit..=limit).contains(c))
}

fn lanes_of(velocity: Vec3) -> Option<[Q20; 3]> {
    components_within(velocity, MAX_SPEED)
        .then(|| velocity.to_array().map(Q20::from_real_saturating))
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
