//! Half spaces: everything below the plane y = 0.

use super::{Extent, MAX_SIZE, ShapeError, Solid};
use crate::math::{Aabb, Quat, Real, Transform, Turn, Vec3};

/// [`Geometry::HalfSpace`](super::Geometry::HalfSpace), which has no parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfSpace {}

impl Solid for HalfSpace {
    const NAME: &'static str = "half space";

    fn check(&self) -> Result<(), ShapeError> {
        Ok(())
    }

    fn sizes(&self) -> Vec3 {
        Vec3::ZERO
    }

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
}
