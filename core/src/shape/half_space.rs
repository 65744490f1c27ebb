//! Half spaces: everything below the plane y = 0.

use super::outline::Draw;
use super::ray::{Ray, RayHit};
use super::{Extent, MAX_SIZE, ShapeError, Solid};
use crate::math::{Aabb, Quat, Real, Transform, Turn, Vec3};

/// Cells of the outline's grid on each side of the origin.
const CELLS: i32 = 4;

/// [`Geometry::HalfSpace`](super::Geometry::HalfSpace), which has no parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfSpace {}

impl Solid for HalfSpace {
    const NAME: &'static str = "half space";
    const UNBOUNDED: bool = true;

    #[inline]
    fn check(&self) -> Result<(), ShapeError> {
        Ok(())
    }

    #[inline]
    fn sizes(&self) -> Vec3 {
        Vec3::ZERO
    }

    #[inline]
    fn from_sizes(_: Vec3) -> Self {
        Self {}
    }

    #[inline]
    fn extent(&self) -> Extent {
        Extent::Unbounded
    }

    #[inline]
    fn thickness(&self) -> Real {
        MAX_SIZE
    }

    /// The part of the world below the plane, or the whole world if the plane is not level.
    #[inline]
    fn bounds(&self, pose: &Transform, _: &Turn) -> Aabb {
        let (min, mut max) = (Vec3::splat(Real::MIN), Vec3::splat(Real::MAX));
        if pose.rotation == Quat::IDENTITY {
            max.y = pose.translation.y;
        }
        Aabb::new(min, max).expect("the world is not empty")
    }

    fn weigh(&self, _: Real) -> Option<(Real, Vec3)> {
        None
    }

    fn ray_cast(&self, ray: &Ray) -> Option<RayHit> {
        let normal = ray.turn.to_lanes().map(|row| i128::from(row[1].to_bits()));
        let height: i128 = (0..3).map(|k| normal[k] * ray.origin[k]).sum();
        let drop: i128 = -(0..3).map(|k| normal[k] * i128::from(ray.displacement[k])).sum::<i128>();
        if height < 0 {
            return Some(RayHit::INSIDE);
        }
        if height > drop.max(0) {
            return None;
        }
        // Both are below 2⁹⁴.
        let fraction = if height == 0 { 0 } else { (height << 32) / drop };
        let normal = Vec3::from_bits(normal.map(|c| (c as i64) << 2));
        Some(RayHit { fraction: Real::from_bits(fraction as i64), normal })
    }

    /// A grid on the plane.
    fn outline(&self, patch: Real, draw: &mut Draw<'_>) {
        for (along, across) in [(Vec3::X, Vec3::Z), (Vec3::Z, Vec3::X)] {
            for step in -CELLS..=CELLS {
                let middle = across * (patch * step / CELLS);
                draw(middle - along * patch, middle + along * patch);
            }
        }
    }
}
