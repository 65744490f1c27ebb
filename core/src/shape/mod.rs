//! Collision shapes: sizes, limits, volumes and bounds. Contacts between shapes are in `collide`.

pub(crate) mod mass;

use crate::math::{Aabb, Quat, Real, Transform, Turn, Vec3};
use serde::{Deserialize, Serialize};

pub use mass::MassError;
pub(crate) use mass::MassProperties;
pub(crate) use mass::{MAX_MASS, MIN_MASS};

/// The smallest radius or half extent, 2⁻¹⁰ m: about a millimetre.
pub const MIN_SIZE: Real = Real::from_bits(1 << 22);
/// The largest radius, half length or half extent, 2¹² m.
pub const MAX_SIZE: Real = Real::from_int(1 << 12);

/// Error of building a shape with a size out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is {value} m; it must lie between {MIN_SIZE} and {MAX_SIZE} m")]
pub struct ShapeError {
    /// Name of the size.
    pub what: &'static str,
    /// The rejected value.
    pub value: Real,
}

/// A collision shape around its own origin.
///
/// ```
/// use isostep_core::shape::{Geometry, Shape};
/// use isostep_core::{Vec3, real};
/// let pill = Shape::capsule(real!(0.5), real!(0.25))?;
/// assert_eq!(pill.geometry(), &Geometry::Capsule { half_length: real!(0.5), radius: real!(0.25) });
/// let error = Shape::cuboid(Vec3::new(real!(1), real!(0), real!(1))).unwrap_err();
/// assert_eq!(error.value, real!(0));
/// # Ok::<(), isostep_core::shape::ShapeError>(())
/// ```
#[doc(alias("SharedShape", "collider"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Geometry", into = "Geometry")]
pub struct Shape(Geometry);

/// The parameters of a [`Shape`]. Lengths are in metres.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Geometry {
    /// A ball.
    Sphere {
        /// Its radius.
        radius: Real,
    },
    /// A box.
    Cuboid {
        /// Half extents.
        half: Vec3,
    },
    /// A cylinder along the y axis with half balls at its ends.
    Capsule {
        /// Half the length of the cylinder.
        half_length: Real,
        /// Radius of cylinder and half balls.
        radius: Real,
    },
    /// Everything below the plane y = 0. It has no finite mass, so only fixed and kinematic bodies
    /// can have it.
    HalfSpace,
}

impl Shape {
    /// Everything below the plane y = 0.
    pub const HALF_SPACE: Self = Self(Geometry::HalfSpace);

    /// A ball. Its radius is [`MIN_SIZE`] (about a millimetre) to [`MAX_SIZE`] (4096 m).
    ///
    /// # Errors
    /// If the radius is outside the limits.
    #[doc(alias = "ball")]
    pub fn sphere(radius: Real) -> Result<Self, ShapeError> {
        check("the radius", radius)?;
        Ok(Self(Geometry::Sphere { radius }))
    }

    /// A box from half its edges, each [`MIN_SIZE`] (about a millimetre) to [`MAX_SIZE`] (4096 m).
    ///
    /// # Errors
    /// If a half extent is outside the limits.
    #[doc(alias = "box")]
    pub fn cuboid(half: Vec3) -> Result<Self, ShapeError> {
        check("the half extent in x", half.x)?;
        check("the half extent in y", half.y)?;
        check("the half extent in z", half.z)?;
        Ok(Self(Geometry::Cuboid { half }))
    }

    /// A capsule along the y axis: a cylinder with half balls at its ends. Its whole length is 2 ·
    /// (`half_length` + `radius`). Both are [`MIN_SIZE`] (about a millimetre) to [`MAX_SIZE`] (4096
    /// m).
    ///
    /// # Errors
    /// If the radius or the half length is outside the limits.
    pub fn capsule(half_length: Real, radius: Real) -> Result<Self, ShapeError> {
        check("the half length", half_length)?;
        check("the radius", radius)?;
        Ok(Self(Geometry::Capsule { half_length, radius }))
    }

    /// The parameters of the shape.
    #[inline]
    pub const fn geometry(&self) -> &Geometry {
        &self.0
    }

    /// The smallest edge or diameter. The motion that a recycled contact tolerates depends on it.
    #[inline]
    #[doc(hidden)]
    pub fn thickness(&self) -> Real {
        match self.0 {
            Geometry::Sphere { radius } | Geometry::Capsule { radius, .. } => radius + radius,
            Geometry::Cuboid { half } => {
                let least = half.x.min(half.y).min(half.z);
                least + least
            }
            Geometry::HalfSpace => MAX_SIZE,
        }
    }

    /// The radius of a ball around the origin that encloses the shape, rounded up; `None` for a
    /// half space.
    #[doc(hidden)]
    #[inline]
    pub fn bounding_radius(&self) -> Option<Real> {
        match self.0 {
            Geometry::Sphere { radius } => Some(radius),
            Geometry::Cuboid { half } => Some(half.length() + Real::EPSILON),
            Geometry::Capsule { half_length, radius } => Some(half_length + radius),
            Geometry::HalfSpace => None,
        }
    }

    /// Returns `true` if the contact points are faces and edges that stay in place. Contacts of a
    /// ball or capsule roll.
    pub(crate) const fn is_flat(&self) -> bool {
        matches!(self.0, Geometry::Cuboid { .. } | Geometry::HalfSpace)
    }

    /// A box around the shape at a pose, at most a few ulps too large. For a half space it is the
    /// part of the world below the plane, or the whole world if the plane is not level.
    #[allow(clippy::missing_panics_doc, reason = "the extents are not negative")]
    #[doc(hidden)]
    pub fn bounds(&self, pose: &Transform) -> Aabb {
        self.bounds_turned(pose, &pose.rotation.turn())
    }

    /// [`Self::bounds`] for callers that already have the rotation in matrix form.
    #[inline]
    pub(crate) fn bounds_turned(&self, pose: &Transform, turn: &Turn) -> Aabb {
        let extent = match self.0 {
            Geometry::Sphere { radius } => Vec3::splat(radius),
            Geometry::Cuboid { half } => cuboid_extent(turn, half),
            Geometry::Capsule { half_length, radius } => {
                let along = turn.rotate(Vec3::Y * half_length).abs();
                along + Vec3::splat(radius + Real::EPSILON)
            }
            Geometry::HalfSpace => return half_space_bounds(pose),
        };
        let (min, max) = (
            pose.translation.zip(extent, Real::saturating_sub),
            pose.translation.zip(extent, Real::saturating_add),
        );
        Aabb::new(min, max).expect("extents are not negative")
    }
}

/// |R|·half, plus one ulp for the rounding of R.
#[inline]
fn cuboid_extent(turn: &Turn, half: Vec3) -> Vec3 {
    let [x, y, z] = turn.to_mat3().rows();
    let reach = |row: Vec3| row.abs().dot(half) + Real::from_bits(4);
    Vec3::new(reach(x), reach(y), reach(z))
}

fn half_space_bounds(pose: &Transform) -> Aabb {
    let (min, mut max) = (Vec3::splat(Real::MIN), Vec3::splat(Real::MAX));
    if pose.rotation == Quat::IDENTITY {
        max.y = pose.translation.y;
    }
    Aabb::new(min, max).expect("the world is not empty")
}

fn check(what: &'static str, value: Real) -> Result<(), ShapeError> {
    if (MIN_SIZE..=MAX_SIZE).contains(&value) { Ok(()) } else { Err(ShapeError { what, value }) }
}

impl TryFrom<Geometry> for Shape {
    type Error = ShapeError;
    fn try_from(geometry: Geometry) -> Result<Self, ShapeError> {
        match geometry {
            Geometry::Sphere { radius } => Self::sphere(radius),
            Geometry::Cuboid { half } => Self::cuboid(half),
            Geometry::Capsule { half_length, radius } => Self::capsule(half_length, radius),
            Geometry::HalfSpace => Ok(Self::HALF_SPACE),
        }
    }
}

impl From<Shape> for Geometry {
    fn from(shape: Shape) -> Self {
        shape.0
    }
}
