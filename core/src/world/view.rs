//! Read access to the bodies of a world.

use super::rows::{BodyIndex, BodyKind, ColdRow, HotRow};
use super::{BodyId, World, origin, real_vector, scale_by_power};
use crate::math::{Quat, Real, Transform, Vec3};

/// Read access to a body, with this tick's commands applied.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    pub(super) hot: &'a HotRow,
    pub(super) cold: &'a ColdRow,
}

impl Body<'_> {
    /// Returns the pose of the origin.
    pub fn pose(&self) -> Transform {
        origin(self.hot, self.cold)
    }

    /// Returns the position of the origin.
    pub fn position(&self) -> Vec3 {
        self.pose().translation
    }

    /// Returns the rotation.
    pub const fn rotation(&self) -> Quat {
        self.hot.rotation
    }

    /// Returns the centre of mass in world space.
    pub const fn center_of_mass(&self) -> Vec3 {
        self.hot.center
    }

    /// Returns the velocity of the centre of mass, m/s.
    pub fn velocity(&self) -> Vec3 {
        real_vector(self.hot.velocity)
    }

    /// Returns the angular velocity, rad/s.
    pub fn angular_velocity(&self) -> Vec3 {
        scale_by_power(real_vector(self.hot.spin), -self.cold.exponent)
    }

    /// Returns the kind: static, kinematic or dynamic.
    pub const fn kind(&self) -> BodyKind {
        self.cold.kind
    }

    /// Returns the mass in kilograms, or zero for a static or kinematic body without a valid mass.
    pub const fn mass(&self) -> Real {
        self.cold.mass
    }

    /// Returns whether the body is asleep. A sleeping body costs nothing until a contact, a change of its support or a command
    /// wakes it.
    pub const fn is_asleep(&self) -> bool {
        self.hot.is_asleep()
    }

    /// Returns the game's own value.
    pub const fn user_data(&self) -> u64 {
        self.cold.user_data
    }
}

impl World {
    /// Returns a body, or `None` if the id is stale.
    pub fn body(&self, id: BodyId) -> Option<Body<'_>> {
        self.work.is_live(id.0).then(|| self.body_at(id.index()))
    }

    pub(crate) fn body_at(&self, index: BodyIndex) -> Body<'_> {
        Body { hot: self.work.hot(&self.store, index), cold: self.work.cold(&self.store, index) }
    }

    pub(crate) fn id_at(&self, index: BodyIndex) -> Option<BodyId> {
        self.work.id_at(index).map(BodyId)
    }

    /// Iterates over all bodies in the order of their ids.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, Body<'_>)> + '_ {
        let ids = self.work.streams.iter().flat_map(|stream| stream.ids.iter());
        ids.map(|id| (BodyId(id), self.body_at(BodyIndex::of(id))))
    }
}
