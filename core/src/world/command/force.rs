//! Forces and torques of one tick. They act in every substep like gravity, and are dropped after the step.
//!
//! Not state: [`Pending`](crate::world::Pending) holds the sums for the tick, which follow from its commands.

use super::motion::{components_within, spin_limit, spin_of, torque_about};
use crate::math::{Real, Vec3};
use crate::world::def::{MAX_SPEED, check_place};
use crate::world::errors::CommandError;
use crate::world::rows::{BodyIndex, BodyKind, ColdRow, HotRow};
use crate::world::{BodyId, World, scale_by_power};

/// Sums of a body's forces and torques in this tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TickForce {
    pub(crate) body: BodyIndex,
    /// Newtons, at the centre of mass.
    pub(crate) force: Vec3,
    /// Newton-metres.
    pub(crate) torque: Vec3,
}

impl TickForce {
    /// Velocity that the force adds at this many updates a second, m/s.
    pub(crate) fn velocity_gain(&self, cold: &ColdRow, rate: Real) -> Vec3 {
        self.force / cold.mass / rate
    }

    /// Scaled spin that the torque adds at this many updates a second, m/s.
    pub(crate) fn spin_gain(&self, hot: &HotRow, cold: &ColdRow, rate: Real) -> Vec3 {
        spin_of(self.torque, hot, cold) / rate
    }
}

/// Forces of a tick, sorted by body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Forces {
    list: Vec<TickForce>,
}

impl Forces {
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn of(&self, body: BodyIndex) -> Option<&TickForce> {
        self.find(body).ok().map(|at| &self.list[at])
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &TickForce> {
        self.list.iter()
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
    }

    /// Keeps the forces on some bodies.
    #[cfg(feature = "test-support")]
    pub(crate) fn among(&self, chosen: impl Fn(BodyIndex) -> bool) -> Self {
        Self { list: self.list.iter().copied().filter(|force| chosen(force.body)).collect() }
    }

    fn set(&mut self, force: TickForce) {
        match self.find(force.body) {
            Ok(at) => self.list[at] = force,
            Err(at) => self.list.insert(at, force),
        }
    }

    /// Drops the force on a body.
    pub(super) fn remove(&mut self, body: BodyIndex) {
        if let Ok(at) = self.find(body) {
            self.list.remove(at);
        }
    }

    fn find(&self, body: BodyIndex) -> Result<usize, usize> {
        self.list.binary_search_by_key(&body, |force| force.body)
    }
}

impl World {
    /// Adds a force at a point in world space.
    pub(super) fn add_force_at(
        &mut self,
        body: BodyId,
        force: Vec3,
        point: Vec3,
    ) -> Result<(), CommandError> {
        check_place(point)?;
        let arm = point - self.hot_of(body)?.center;
        let torque = torque_about(arm, force).ok_or(CommandError::TorqueOverflow { force, arm })?;
        self.add_force(body, force, torque)
    }

    /// Adds a force at the centre of mass and a torque. Wakes the body if one of them is not zero.
    pub(super) fn add_force(
        &mut self,
        body: BodyId,
        force: Vec3,
        torque: Vec3,
    ) -> Result<(), CommandError> {
        let (hot, index) = (*self.hot_of(body)?, body.index());
        let cold = *self.work.cold(&self.store, index);
        if cold.kind != BodyKind::Dynamic {
            return Err(CommandError::NotDynamic(body));
        }
        if force.is_zero() && torque.is_zero() {
            return Ok(());
        }
        let old = self.pending.forces.of(index).copied().unwrap_or_default();
        let sum = TickForce {
            body: index,
            force: old.force.zip(force, Real::saturating_add),
            torque: old.torque.zip(torque, Real::saturating_add),
        };
        let rate = Real::from_int(self.def.tick_rate as i32);
        let gain = sum.velocity_gain(&cold, rate);
        if !components_within(gain, MAX_SPEED) {
            return Err(CommandError::ForceTooLarge(gain));
        }
        let scaled = sum.spin_gain(&hot, &cold, rate);
        if !components_within(scaled, MAX_SPEED) {
            let gain = scale_by_power(scaled, -cold.exponent);
            return Err(CommandError::TorqueTooLarge { gain, limit: spin_limit(cold.exponent) });
        }
        self.work.wake(&mut self.store, index, &mut self.pending.woken);
        // As in other engines, the time to sleep starts again: a body that is pushed against a wall on every tick would
        // otherwise fall asleep and wake by turns.
        if self.work.hot(&self.store, index).still != 0 {
            self.work.hot_mut(&mut self.store, index).still = 0;
        }
        self.pending.forces.set(sum);
        Ok(())
    }
}
