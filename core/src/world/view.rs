//! Read access to the bodies of a world.

use super::def::ShapeDef;
use super::frame::{Frame, Place, Store};
use super::locks::Locks;
use super::rows::{
    BodyIndex, BodyKind, ColdPage, ColdRow, HotRow, INERTIA_SET, MASS_SET, PERSIST_EVENTS,
    STAY_EVENTS, STAYS_AWAKE,
};
use super::{BodyId, World, origin, real_vector, scale_by_power};
use crate::math::{Quat, Real, Transform, Vec3};

/// Read access to a body, with this tick's commands applied.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    hot: &'a HotRow,
    cold: &'a ColdRow,
    page: &'a ColdPage,
    row: usize,
}

impl<'a> Body<'a> {
    /// The body at an index of a frame.
    pub(super) fn new(frame: &Frame, store: &'a Store, index: BodyIndex) -> Self {
        let (page, row) = (frame.cold_page(store, index), Place::of(index).row);
        Self { hot: frame.hot(store, index), cold: &page.rows[row], page, row }
    }

    /// Iterates over the body's shapes with their definitions, in the order of their numbers. Commands and events name a shape by its
    /// number.
    ///
    /// ```
    /// use isostep_core::{real, shape::Shape, world::{BodyDef, World, WorldDef}};
    /// let mut world = World::new(WorldDef::default())?;
    /// let ball = world.spawn(BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?))?;
    /// let (number, def) = world.body(ball).unwrap().shapes().next().unwrap();
    /// assert_eq!((number, def.density), (0, real!(1000)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shapes(&self) -> impl ExactSizeIterator<Item = (u8, ShapeDef)> + use<'a> {
        self.page.shapes_of(self.row).iter().map(|shape| (shape.ordinal, shape.def()))
    }

    /// Returns the pose of the origin.
    #[doc(alias = "transform")]
    pub fn pose(&self) -> Transform {
        origin(self.hot, self.cold)
    }

    /// Returns the position of the origin.
    #[doc(alias = "translation")]
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
    #[doc(alias("linvel", "linear_velocity"))]
    pub fn velocity(&self) -> Vec3 {
        real_vector(self.hot.velocity)
    }

    /// Returns the angular velocity, rad/s.
    #[doc(alias = "angvel")]
    pub fn angular_velocity(&self) -> Vec3 {
        scale_by_power(real_vector(self.hot.spin), -self.cold.exponent)
    }

    /// Returns the kind: fixed, kinematic or dynamic.
    #[doc(alias("body_type", "motion_type"))]
    pub const fn kind(&self) -> BodyKind {
        self.cold.kind
    }

    /// Returns whether the body takes part in the simulation.
    pub const fn is_enabled(&self) -> bool {
        self.cold.enabled
    }

    /// Returns the mass in kilograms, or zero for a fixed or kinematic body without a valid mass.
    pub const fn mass(&self) -> Real {
        self.cold.mass
    }

    /// Returns the moments of inertia about the principal axes, kg·m²; zero for a body without a mass. A body that has a mass but no
    /// shape with one (none at all, or sensors only) has those of its mass at a distance of 1 m from each axis.
    ///
    /// The result is within the range that [`set_mass`](World::set_mass) accepts for the body. The simulation stores moments beyond
    /// that of [`Real`]: those of the lightest and smallest bodies read as its least step (2.3·10⁻¹⁰ kg·m²), those of the largest as its
    /// greatest value (2.1·10⁹ kg·m²). Setting them replaces the exact ones.
    #[doc(alias = "principal_inertia")]
    pub fn inertia(&self) -> Vec3 {
        self.cold.moments()
    }

    /// Returns whether the mass is set, by [`BodyDef::mass`](super::BodyDef::mass) or [`World::set_mass`]. If not, it follows from the
    /// shapes.
    pub const fn is_mass_set(&self) -> bool {
        self.cold.flags & MASS_SET != 0
    }

    /// Returns whether the moments of inertia are set, by [`BodyDef::inertia`](super::BodyDef::inertia) or [`World::set_mass`]. If not,
    /// they follow from the shapes and the mass.
    pub const fn is_inertia_set(&self) -> bool {
        self.cold.flags & INERTIA_SET != 0
    }

    /// Returns the rotation from the principal axes of inertia to the body's frame.
    #[doc(alias = "principal_inertia_local_frame")]
    pub const fn inertia_axes(&self) -> Quat {
        self.cold.principal
    }

    /// Returns the centre of mass in the body's frame.
    pub const fn local_center_of_mass(&self) -> Vec3 {
        self.cold.local_center
    }

    /// Returns the locked degrees of freedom.
    #[doc(alias = "locked_axes")]
    pub fn locks(&self) -> Locks {
        Locks::from_bits(self.cold.locks).unwrap_or_default()
    }

    /// Returns the factor on the world's gravity.
    pub const fn gravity_scale(&self) -> Real {
        self.cold.gravity_scale
    }

    /// Returns the linear damping, 1/s.
    pub const fn linear_damping(&self) -> Real {
        self.cold.linear_damping
    }

    /// Returns the angular damping, 1/s.
    pub const fn angular_damping(&self) -> Real {
        self.cold.angular_damping
    }

    /// Returns the largest speed, m/s.
    #[doc(alias("max_speed", "max_linear_velocity"))]
    pub const fn speed_cap(&self) -> Real {
        self.cold.speed_cap
    }

    /// Returns whether the body may fall asleep.
    #[doc(alias("allow_sleeping", "is_sleep_enabled"))]
    pub const fn can_sleep(&self) -> bool {
        self.cold.flags & STAYS_AWAKE == 0
    }

    /// Returns whether the body's contacts are reported on every tick on which one of the bodies is awake.
    pub const fn persist_events(&self) -> bool {
        self.cold.flags & PERSIST_EVENTS != 0
    }

    /// Returns whether the body's sensor overlaps are reported on every tick on which one of the bodies is awake or moves.
    pub const fn stay_events(&self) -> bool {
        self.cold.flags & STAY_EVENTS != 0
    }

    /// Returns whether the body is asleep. A sleeping body costs nothing until a contact, a change of its support or a command
    /// wakes it.
    #[doc(alias("is_sleeping", "sleeping", "is_awake", "is_active"))]
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
        Body::new(&self.work, &self.store, index)
    }

    /// Returns the gravity, m/s², with this tick's commands applied.
    pub const fn gravity(&self) -> Vec3 {
        self.work.gravity
    }

    /// Iterates over all bodies in the order of their ids.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, Body<'_>)> + '_ {
        let ids = self.work.streams.iter().flat_map(|stream| stream.ids.iter());
        ids.map(|id| (BodyId(id), self.body_at(BodyIndex::of(id))))
    }
}
