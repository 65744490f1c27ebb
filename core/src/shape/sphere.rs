//! Balls.

use super::solid::box_around;
use super::{Extent, ShapeError, Solid, check};
use crate::math::{Aabb, Real, Transform, Turn, Vec3};

/// Parameters of [`Geometry::Sphere`](super::Geometry::Sphere).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sphere {
    pub(crate) radius: Real,
}

impl Solid for Sphere {
    const NAME: &'static str = "sphere";

    fn check(&self) -> Result<(), ShapeError> {
        check("the radius", self.radius)
    }

    fn sizes(&self) -> Vec3 {
        Vec3::new(self.radius, Real::ZERO, Real::ZERO)
    }

    fn from_sizes(sizes: Vec3) -> Self {
        Self { radius: sizes.x }
    }

    #[inline]
    fn extent(&self) -> Extent {
        Extent::Radius(self.radius)
    }

    #[inline]
    fn thickness(&self) -> Real {
        self.radius + self.radius
    }

    #[inline]
    fn bounds(&self, pose: &Transform, _: &Turn) -> Aabb {
        box_around(pose.translation, Vec3::splat(self.radius))
    }

    fn weigh(&self, density: Real) -> Option<(Real, Vec3)> {
        let inertia = self.radius * self.radius * Real::ratio(2, 5);
        Some((ball_mass(self.radius, density), Vec3::splat(inertia)))
    }
}

/// Mass of a ball. The density is multiplied in early: the volume of a small shape has few significant digits, its mass has more.
pub(super) fn ball_mass(radius: Real, density: Real) -> Real {
    const FOUR_THIRDS_PI: Real = Real::from_bits(17_990_716_939);
    radius * FOUR_THIRDS_PI * density * radius * radius
}
