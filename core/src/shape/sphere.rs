//! Balls.

use super::outline::{CIRCLE, Draw, arc};
use super::ray::{Ray, RayHit, direction};
use super::solid::box_around;
use super::{Extent, ShapeError, Solid, check};
use crate::math::{Aabb, Real, Transform, Turn, U256, Vec3, isqrt, length_squared};

/// Parameters of [`Geometry::Sphere`](super::Geometry::Sphere).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sphere {
    pub(crate) radius: Real,
}

impl Solid for Sphere {
    const NAME: &'static str = "sphere";

    #[inline]
    fn check(&self) -> Result<(), ShapeError> {
        check("the radius", self.radius)
    }

    #[inline]
    fn sizes(&self) -> Vec3 {
        Vec3::new(self.radius, Real::ZERO, Real::ZERO)
    }

    #[inline]
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

    fn ray_cast(&self, ray: &Ray) -> Option<RayHit> {
        let (ray, radius) = (ray.near(self.radius)?, self.radius.to_bits());
        let (square, limit) = (length_squared(ray.origin), length_squared([radius]));
        if square < limit {
            return Some(RayHit::INSIDE);
        }
        let fraction =
            if square == limit { 0 } else { enter_ball(ray.origin, ray.displacement, radius)? };
        Some(ray.hit(fraction, direction(along(ray.origin, ray.displacement, fraction))))
    }

    /// A circle in each coordinate plane.
    fn outline(&self, _: Real, draw: &mut Draw<'_>) {
        let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| axis * self.radius);
        for plane in [[x, y], [y, z], [z, x]] {
            arc(Vec3::ZERO, plane, 0..=CIRCLE, draw);
        }
    }
}

/// Point of a segment at a fraction with 32 fractional bits.
pub(super) fn along(origin: [i64; 3], displacement: [i64; 3], fraction: i64) -> [i64; 3] {
    let step = |k: usize| (i128::from(displacement[k]) * i128::from(fraction)) >> 32;
    [0, 1, 2].map(|k| origin[k] + step(k) as i64)
}

/// Fraction of a segment, with 32 fractional bits and rounded down, at which it enters a ball around zero. The segment starts
/// outside. Components are below 2⁴⁷. With zeros in one axis, the ball is a cylinder along it.
pub(super) fn enter_ball(origin: [i64; 3], displacement: [i64; 3], radius: i64) -> Option<i64> {
    let ([x, y, z], [u, v, w]) = (origin.map(i128::from), displacement.map(i128::from));
    let toward = -(x * u + y * v + z * w);
    let length = u * u + v * v + w * w;
    if toward <= 0 {
        return None;
    }
    let limit = length_squared([radius]);
    let hits = if toward >= length {
        // The end is the closest point.
        length_squared([0, 1, 2].map(|k: usize| origin[k] + displacement[k])) <= limit
    } else {
        let across = [y * w - z * v, z * u - x * w, x * v - y * u];
        U256::length_squared(across) <= U256::product(limit, length.unsigned_abs())
    };
    if !hits {
        return None;
    }
    // The distance decreases up to the closest point. The last fraction before it that is not inside is the entry, rounded down.
    let limit = U256::product(limit, 1 << 64);
    let is_before = |fraction: i64| {
        let k = i128::from(fraction);
        fraction.unsigned_abs() as u128 * length.unsigned_abs() <= toward.unsigned_abs() << 32
            && U256::length_squared([(x << 32) + u * k, (y << 32) + v * k, (z << 32) + w * k])
                >= limit
    };
    Some(last(estimate(origin, displacement, radius), is_before))
}

/// Approximate fraction at which a segment enters a ball.
fn estimate(origin: [i64; 3], displacement: [i64; 3], radius: i64) -> i64 {
    let all = origin
        .iter()
        .chain(&displacement)
        .fold(radius.unsigned_abs(), |all, c| all | c.unsigned_abs());
    let shift = 34u32.saturating_sub(all.leading_zeros());
    let (o, d) =
        (origin.map(|c| i128::from(c >> shift)), displacement.map(|c| i128::from(c >> shift)));
    let dot = |a: [i128; 3], b: [i128; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (a, b) = (dot(d, d).max(1), dot(o, d));
    let c = dot(o, o) - i128::from(radius >> shift).pow(2);
    let root = isqrt((b * b - a * c).max(0).unsigned_abs());
    (((-b - i128::from(root)) << 32) / a).clamp(0, 1 << 32) as i64
}

/// Last number from 0 to 2³² that satisfies a condition which holds for 0 and up to some number. Searches from a guess.
fn last(guess: i64, holds: impl Fn(i64) -> bool) -> i64 {
    let (mut low, mut high) = (0, (1 << 32) + 1);
    let mut step = 1;
    if holds(guess) {
        low = guess;
        while low + step < high && holds(low + step) {
            low += step;
            step *= 2;
        }
        high = high.min(low + step);
    } else {
        high = guess;
        while high - step > 0 && !holds(high - step) {
            high -= step;
            step *= 2;
        }
        low = low.max(high - step);
    }
    while high - low > 1 {
        let middle = i64::midpoint(low, high);
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

/// Mass of a ball. The density is multiplied in early: the volume of a small shape has few significant digits, its mass has more.
pub(super) fn ball_mass(radius: Real, density: Real) -> Real {
    const FOUR_THIRDS_PI: Real = Real::from_bits(17_990_716_939);
    radius * FOUR_THIRDS_PI * density * radius * radius
}
