//! Boxes.

use super::solid::box_around;
use super::{Extent, ShapeError, Solid, check};
use crate::math::{Aabb, Real, Transform, Turn, Vec3};

/// Parameters of [`Geometry::Cuboid`](super::Geometry::Cuboid).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cuboid {
    pub(crate) half: Vec3,
}

impl Solid for Cuboid {
    const NAME: &'static str = "cuboid";

    fn check(&self) -> Result<(), ShapeError> {
        check("the half extent in x", self.half.x)?;
        check("the half extent in y", self.half.y)?;
        check("the half extent in z", self.half.z)
    }

    fn sizes(&self) -> Vec3 {
        self.half
    }

    fn from_sizes(sizes: Vec3) -> Self {
        Self { half: sizes }
    }

    #[inline]
    fn extent(&self) -> Extent {
        Extent::Radius(self.half.length() + Real::EPSILON)
    }

    #[inline]
    fn thickness(&self) -> Real {
        let least = self.half.x.min(self.half.y).min(self.half.z);
        least + least
    }

    /// |R|·half, plus a few ulps for the rounding of R.
    #[inline]
    fn bounds(&self, pose: &Transform, turn: &Turn) -> Aabb {
        let [x, y, z] = turn.to_mat3().rows();
        let reach = |row: Vec3| row.abs().dot(self.half) + Real::from_bits(4);
        box_around(pose.translation, Vec3::new(reach(x), reach(y), reach(z)))
    }

    fn weigh(&self, density: Real) -> Option<(Real, Vec3)> {
        let half = self.half;
        let square = half.scale(half) * Real::ratio(1, 3);
        let inertia = Vec3::new(square.y + square.z, square.x + square.z, square.x + square.y);
        // The density is multiplied in early, for the digits of small boxes.
        Some((half.x * 8 * density * half.y * half.z, inertia))
    }
}
