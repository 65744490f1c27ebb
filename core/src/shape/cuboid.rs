//! Boxes.

use super::outline::{Draw, box_edges};
use super::ray::{Ray, RayHit};
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

    #[inline]
    fn check(&self) -> Result<(), ShapeError> {
        check("the half extent in x", self.half.x)?;
        check("the half extent in y", self.half.y)?;
        check("the half extent in z", self.half.z)
    }

    #[inline]
    fn sizes(&self) -> Vec3 {
        self.half
    }

    #[inline]
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

    fn ray_cast(&self, ray: &Ray) -> Option<RayHit> {
        let ray = ray.near(self.half.length())?;
        let ([origin, displacement], half) = (ray.local(), self.half.to_bits());
        let face = |axis: usize, negative: bool| {
            let mut normal = [0; 3];
            normal[axis] = if negative { -Real::ONE.to_bits() } else { Real::ONE.to_bits() };
            Vec3::from_bits(normal)
        };
        if (0..3).all(|k| origin[k].abs() <= half[k]) {
            let on = (0..3).find(|&k| origin[k].abs() == half[k]);
            let hit = |axis: usize| ray.hit_local(0, face(axis, origin[axis] < 0));
            return Some(on.map_or(RayHit::INSIDE, hit));
        }
        // The latest entry into the slab of an axis and the earliest exit, as exact quotients. The first of equal entries counts.
        let (mut enter, mut exit) = ((0, 1, 0), (1, 1));
        for k in 0..3 {
            if displacement[k] == 0 {
                if origin[k].abs() > half[k] {
                    return None;
                }
                continue;
            }
            let speed = i128::from(displacement[k].abs());
            let at = i128::from(origin[k] * displacement[k].signum());
            let (near, far) = (-i128::from(half[k]) - at, i128::from(half[k]) - at);
            if near * enter.1 > enter.0 * speed {
                enter = (near, speed, k);
            }
            if far * exit.1 < exit.0 * speed {
                exit = (far, speed);
            }
        }
        if enter.0 * exit.1 > exit.0 * enter.1 {
            return None;
        }
        let (distance, speed, axis) = enter;
        Some(ray.hit_local(((distance << 32) / speed) as i64, face(axis, displacement[axis] > 0)))
    }

    /// The edges.
    fn outline(&self, _: Real, draw: &mut Draw<'_>) {
        box_edges(-self.half, self.half, draw);
    }
}
