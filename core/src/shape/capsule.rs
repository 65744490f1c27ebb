//! Capsules: cylinders along the y axis with half balls at their ends.

use super::outline::{CIRCLE, Draw, arc};
use super::ray::{Ray, RayHit, direction};
use super::solid::box_around;
use super::sphere::{along, ball_mass, enter_ball};
use super::{Extent, ShapeError, Solid, check};
use crate::math::{Aabb, Real, Transform, Turn, Vec3, length_squared};

/// Parameters of [`Geometry::Capsule`](super::Geometry::Capsule).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capsule {
    pub(crate) half_length: Real,
    pub(crate) radius: Real,
}

impl Solid for Capsule {
    const NAME: &'static str = "capsule";

    #[inline]
    fn check(&self) -> Result<(), ShapeError> {
        check("the half length", self.half_length)?;
        check("the radius", self.radius)
    }

    #[inline]
    fn sizes(&self) -> Vec3 {
        Vec3::new(self.half_length, self.radius, Real::ZERO)
    }

    #[inline]
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

    fn ray_cast(&self, ray: &Ray) -> Option<RayHit> {
        let ray = ray.near(self.half_length + self.radius)?;
        let ([origin, displacement], radius) = (ray.local(), self.radius.to_bits());
        let half = self.half_length.to_bits();
        // Vector from the nearest point of the core.
        let outward = |[x, y, z]: [i64; 3]| [x, y - y.clamp(-half, half), z];
        let (square, limit) = (length_squared(outward(origin)), length_squared([radius]));
        if square < limit {
            return Some(RayHit::INSIDE);
        }
        let fraction = if square == limit {
            0
        } else {
            let ([x, y, z], [u, v, w]) = (origin, displacement);
            let ends = [-half, half].map(|end| enter_ball([x, y - end, z], displacement, radius));
            // A ray that starts within the infinite cylinder can only enter through the ends.
            let beside = length_squared([x, z]) >= limit;
            let side = if beside { enter_ball([x, 0, z], [u, 0, w], radius) } else { None };
            let side = side.filter(|k| {
                let height = (i128::from(y) << 32) + i128::from(v) * i128::from(*k);
                height.abs() <= i128::from(half) << 32
            });
            [ends[0], ends[1], side].into_iter().flatten().min()?
        };
        let normal = direction(outward(along(origin, displacement, fraction)));
        Some(ray.hit_local(fraction, normal))
    }

    /// Circles where the half balls begin, four lines between them, and two half circles on each half ball.
    fn outline(&self, _: Real, draw: &mut Draw<'_>) {
        let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| axis * self.radius);
        let top = Vec3::Y * self.half_length;
        for (end, out) in [(top, y), (-top, -y)] {
            arc(end, [x, z], 0..=CIRCLE, draw);
            arc(end, [x, out], 0..=CIRCLE / 2, draw);
            arc(end, [z, out], 0..=CIRCLE / 2, draw);
        }
        for side in [x, z, -x, -z] {
            draw(side - top, side + top);
        }
    }
}
