//! Ray casts: the first point of a segment in a shape.
//!
//! A ray is an origin and a displacement, never normalised. Shapes are closed sets: a ray that touches the surface hits it. All
//! decisions are exact integer comparisons for the ray in the shape's frame, where its origin and its displacement are rounded to Q32.32;
//! a ball needs no frame. A ray longer than 16 km, or further away, is clipped to a cube around the shape first, with an
//! error of some ulps.

use super::Shape;
use crate::math::{Real, Scaled, Transform, Turn, Vec3};

/// Hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RayHit {
    /// Position of the hit along the displacement, 0 to 1, rounded down.
    pub(crate) fraction: Real,
    /// Outward unit normal in world coordinates; zero if the origin is inside the shape.
    pub(crate) normal: Vec3,
}

/// Returns the first hit of the segment from `origin` to `origin` + `displacement` with a shape at a pose.
pub(crate) fn ray_cast(
    shape: &Shape,
    pose: &Transform,
    origin: Vec3,
    displacement: Vec3,
) -> Option<RayHit> {
    let (from, center) = (origin.to_bits(), pose.translation.to_bits());
    let ray = Ray {
        origin: core::array::from_fn(|k| i128::from(from[k]) - i128::from(center[k])),
        displacement: displacement.to_bits(),
        turn: pose.rotation.turn(),
    };
    shape.ray_cast(&ray)
}

/// A ray relative to a shape's origin, in world directions, raw Q32.32.
pub(crate) struct Ray {
    /// Below 2⁶⁵.
    pub(super) origin: [i128; 3],
    pub(super) displacement: [i64; 3],
    /// Rotation of the shape.
    pub(super) turn: Turn,
}

/// The part of a [`Ray`] near a shape. Components are below 2⁴⁶.
pub(super) struct NearRay<'a> {
    pub(super) origin: [i64; 3],
    pub(super) displacement: [i64; 3],
    turn: &'a Turn,
    /// Start and length of the part, as fractions of the whole with [`PART`] fractional bits.
    start: i64,
    span: i64,
}

/// Fractional bits of the ends of a part. A difference of positions times this fits 126 bits.
const PART: u32 = 60;

/// Size of components beyond which a ray is clipped, 16 km.
const LONG: u128 = 1 << 46;

/// Distance of the clip planes from the shape. More than the rounding of the clip.
const CLEARANCE: i128 = 1 << 20;

impl Ray {
    /// Returns the part of the ray within a cube around a shape with this bounding radius.
    pub(super) fn near(&self, radius: Real) -> Option<NearRay<'_>> {
        let Self { origin, displacement, turn } = self;
        let is_long = (0..3).any(|k| {
            origin[k].unsigned_abs() > LONG || displacement[k].unsigned_abs() as u128 > LONG
        });
        if !is_long {
            let (origin, displacement) = (origin.map(|c| c as i64), *displacement);
            return Some(NearRay { origin, displacement, turn, start: 0, span: 1 << PART });
        }
        let reach = i128::from(radius.to_bits()) + CLEARANCE;
        let (mut start, mut end) = (0, 1 << PART);
        for k in 0..3 {
            let (at, along) = (origin[k], i128::from(displacement[k]));
            if along == 0 {
                if at.abs() > reach {
                    return None;
                }
                continue;
            }
            let (size, at) = (along.abs(), at * along.signum());
            start = start.max(((-reach - at) << PART).div_euclid(size));
            end = end.min(((reach - at) << PART).div_euclid(size) + 1);
        }
        if start > end {
            return None;
        }
        let at = |k: usize, part: i128| (i128::from(displacement[k]) * part) >> PART;
        Some(NearRay {
            origin: core::array::from_fn(|k| (origin[k] + at(k, start)) as i64),
            displacement: core::array::from_fn(|k| at(k, end - start) as i64),
            turn,
            start: start as i64,
            span: (end - start) as i64,
        })
    }
}

impl NearRay<'_> {
    /// Origin and displacement in the shape's frame. Components are below 2⁴⁷.
    pub(super) fn local(&self) -> [[i64; 3]; 2] {
        let local = |v| self.turn.rotate_inverse(Vec3::from_bits(v)).to_bits();
        [local(self.origin), local(self.displacement)]
    }

    /// A hit at a fraction of this part with 32 fractional bits, with the normal in the shape's frame.
    pub(super) fn hit_local(&self, fraction: i64, normal: Vec3) -> RayHit {
        self.hit(fraction, self.turn.rotate(normal))
    }

    /// A hit at a fraction of this part with 32 fractional bits.
    pub(super) fn hit(&self, fraction: i64, normal: Vec3) -> RayHit {
        let within = (i128::from(fraction) * i128::from(self.span)) >> 32;
        let whole = i128::from(self.start) + within;
        RayHit { fraction: Real::from_bits((whole >> (PART - 32)) as i64), normal }
    }
}

impl RayHit {
    /// Hit of a ray whose origin is inside a shape.
    pub(super) const INSIDE: Self = Self { fraction: Real::ZERO, normal: Vec3::ZERO };
}

/// Direction of a vector; zero for zero.
pub(super) fn direction(v: [i64; 3]) -> Vec3 {
    let unit = |scaled: Scaled<3>| Vec3::from_bits([0, 1, 2].map(|k| scaled.direction(k, 32)));
    Scaled::new(v).map_or(Vec3::ZERO, unit)
}

#[cfg(test)]
mod tests;
