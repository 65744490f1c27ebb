//! Looking at a world: bodies and contacts.

use super::rows::{BodyKind, ColdRow, ContactRow, HotRow, PairKey, body_of};
use super::{BodyId, World, origin, real_vector, scale_by_power};
use crate::math::{Quat, Real, Transform, Vec3};

/// A body as it is now, this tick's commands included.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    pub(super) hot: &'a HotRow,
    pub(super) cold: &'a ColdRow,
}

impl Body<'_> {
    /// Where its origin is and how it is turned.
    pub fn pose(&self) -> Transform {
        origin(self.hot, self.cold)
    }

    /// Where its origin is.
    pub fn position(&self) -> Vec3 {
        self.pose().translation
    }

    /// How it is turned.
    pub const fn rotation(&self) -> Quat {
        self.hot.rotation
    }

    /// Its centre of mass.
    pub const fn center_of_mass(&self) -> Vec3 {
        self.hot.center
    }

    /// Velocity of its centre of mass, m/s.
    pub fn velocity(&self) -> Vec3 {
        real_vector(self.hot.velocity)
    }

    /// Angular velocity, rad/s.
    pub fn angular_velocity(&self) -> Vec3 {
        scale_by_power(real_vector(self.hot.spin), -self.cold.exponent)
    }

    /// How it moves.
    pub const fn kind(&self) -> BodyKind {
        self.cold.kind
    }

    /// Kilograms; zero for a body that could not be weighed.
    pub const fn mass(&self) -> Real {
        self.cold.mass
    }

    /// Whether it sleeps: it rests, and costs nothing until something touches it or what it rests on changes.
    pub const fn is_asleep(&self) -> bool {
        self.hot.is_asleep()
    }

    /// What the game keeps there.
    pub const fn user_data(&self) -> u64 {
        self.cold.user_data
    }
}

/// A contact after the last step.
#[derive(Clone, Copy, Debug)]
pub struct ContactView<'a> {
    bodies: [BodyId; 2],
    row: &'a ContactRow,
}

impl ContactView<'_> {
    /// The two bodies, lower index first.
    pub const fn bodies(&self) -> [BodyId; 2] {
        self.bodies
    }

    /// Unit vector from the first body to the second.
    pub fn normal(&self) -> Vec3 {
        Vec3::from_bits(self.row.normal.map(|c| i64::from(c) << 2))
    }

    /// Whether the shapes overlapped or pushed each other in the last step; else they are only near.
    pub const fn is_touching(&self) -> bool {
        self.row.touching
    }

    /// How many points it has.
    pub fn point_count(&self) -> u32 {
        self.row.points.len() as u32
    }

    /// Separation of the deepest point when its geometry was made, metres; negative where shapes overlap.
    pub fn separation(&self) -> Real {
        let least = self.row.points.iter().map(|point| point.separation).min();
        Real::from_bits(least.unwrap_or(0))
    }
}

impl World {
    /// The body, or `None` if the id is stale.
    pub fn body(&self, id: BodyId) -> Option<Body<'_>> {
        self.work.is_live(id.0).then(|| self.body_at(id.0.index()))
    }

    pub(crate) fn body_at(&self, index: u32) -> Body<'_> {
        Body { hot: self.work.hot(&self.store, index), cold: self.work.cold(&self.store, index) }
    }

    pub(crate) fn id_at(&self, index: u32) -> Option<BodyId> {
        self.work.id_at(index).map(BodyId)
    }

    /// All bodies in the order of their ids.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, Body<'_>)> + '_ {
        let ids = self.work.streams.iter().flat_map(|stream| stream.ids.iter());
        ids.map(|id| (BodyId(id), self.body_at(id.index())))
    }

    /// The keys of all contacts that commands did not make void.
    pub(crate) fn contact_keys(&self) -> impl Iterator<Item = PairKey> + '_ {
        self.contact_rows().map(|row| row.key)
    }

    fn contact_rows(&self) -> impl Iterator<Item = &ContactRow> + '_ {
        let pages = self.work.streams.iter().flat_map(|stream| &stream.contacts);
        let rows = pages.flat_map(|page| &self.store.contacts.get(*page).rows);
        rows.filter(|row| !self.pending.is_void(row.key))
    }

    /// Pairs of shapes that touch after the last step, or are within 2 cm of it: some have a positive separation. The
    /// order is the same on every machine.
    pub fn contacts(&self) -> impl Iterator<Item = ContactView<'_>> + '_ {
        self.contact_rows().filter_map(|row| {
            let [a, b] = row.key.shapes().map(|shape| self.id_at(body_of(shape)));
            Some(ContactView { bodies: [a?, b?], row })
        })
    }
}
