//! Contract of the file of a kind of shape.

use super::ShapeError;
use super::outline::Draw;
use super::ray::{Ray, RayHit};
use crate::math::{Aabb, Real, Transform, Turn, Vec3};

/// Everything that the engine asks a kind of shape, apart from contacts. Implemented by the parameters of the kind.
pub(crate) trait Solid: Copy {
    /// Name of the kind in explanations.
    const NAME: &'static str;

    /// The extent is [`Extent::Unbounded`]. A constant, because an extent may need a square root.
    const UNBOUNDED: bool = false;

    /// Tests the sizes.
    fn check(&self) -> Result<(), ShapeError>;

    /// Sizes as they are encoded; unused ones are zero.
    fn sizes(&self) -> Vec3;

    /// Inverse of [`sizes`](Self::sizes). Not checked.
    fn from_sizes(sizes: Vec3) -> Self;

    /// Extent from the origin.
    fn extent(&self) -> Extent;

    /// The smallest edge or diameter.
    fn thickness(&self) -> Real;

    /// A box around the shape at a pose, at most a few ulps too large. `turn` is the rotation of the pose.
    fn bounds(&self, pose: &Transform, turn: &Turn) -> Aabb;

    /// Mass in kilograms and inertia per kilogram about the axes; `None` for an unbounded shape.
    fn weigh(&self, density: Real) -> Option<(Real, Vec3)>;

    /// First hit of a ray. The shape is closed: its surface counts.
    fn ray_cast(&self, ray: &Ray) -> Option<RayHit>;

    /// Lines that show the shape, in its own frame: their ends lie on the surface. An infinite shape shows the part within `patch`
    /// of its origin, in metres.
    fn outline(&self, patch: Real, draw: &mut Draw<'_>);
}

/// Extent of a shape from its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Radius of a ball around the origin that encloses the shape, rounded up.
    Radius(Real),
    /// The shape is infinite. It has no mass, so only fixed and kinematic bodies can have it.
    Unbounded,
}

impl Extent {
    /// The radius, if there is one.
    #[inline(always)]
    pub(crate) const fn radius(self) -> Option<Real> {
        match self {
            Self::Radius(radius) => Some(radius),
            Self::Unbounded => None,
        }
    }
}

/// Box around a point with these extents, which are not negative.
#[inline(always)]
pub(super) fn box_around(center: Vec3, extents: Vec3) -> Aabb {
    let (min, max) =
        (center.zip(extents, Real::saturating_sub), center.zip(extents, Real::saturating_add));
    Aabb::new(min, max).expect("extents are not negative")
}
