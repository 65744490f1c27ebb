//! Capsules: cylinders along the y axis with half balls at their ends.

use super::solid::box_around;
use super::sphere::ball_mass;
use super::{Extent, ShapeError, Solid, check};
use crate::math::{Aabb, Real, Transform, Turn, Vec3};

/// Parameters of [`Geometry::Capsule`](super::Geometry::Capsule).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capsule {
    pub(crate) half_length: Real,
    pub(crate) radius: Real,
}

impl Solid for Capsule {
    const NAME: &'static str = "capsule";

    fn check(&self) -> Result<(), ShapeError> {
        check("the half length", self.half_length)?;
        check("the radius", self.radius)
    }

    fn sizes(&self) -> Vec3 {
        Vec3::new(self.half_length, self.radius, Real::ZERO)
    }

    fn from_sizes(sizes: Vec3) -> Self {
        Self { half_length: sizes.x, radius: sizes.y }
    }

    #[inline]
    fn extent(&self) -> Extent {
        Extent::Radius(self.half_length + self.radius)
    }

    #[inline]
    fn thickness(&self) -> Real {
        self.radius + self.radius
    }

    #[inline]
    fn bounds(&self, pose: &Transform, turn: &Turn) -> Aabb {
        let along = turn.rotate(Vec3::Y * self.half_length).abs();
        box_around(pose.translation, along + Vec3::splat(self.radius + Real::EPSILON))
    }

    fn weigh(&self, density: Real) -> Option<(Real, Vec3)> {
        let Self { half_length, radius } = *self;
        let cylinder = radius * Real::TAU * density * radius * half_length;
        let ball = ball_mass(radius, density);
        let mass = cylinder.saturating_add(ball);
        let (c, b) = (cylinder / mass, ball / mass);
        // About the long axis, then across it. The centres of the half balls lie 3/8 of a radius beyond the ends.
        let square = radius * radius;
        let along = square * (c * Real::HALF + b * Real::ratio(2, 5));
        let cylinder_across = square / 4 + half_length * half_length / 3;
        let ball_across = square * Real::ratio(2, 5)
            + half_length * half_length
            + half_length * radius * Real::ratio(3, 4);
        let across = c * cylinder_across + b * ball_across;
        Some((mass, Vec3::new(across, along, across)))
    }
}
