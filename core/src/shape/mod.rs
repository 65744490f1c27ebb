//! Collision shapes. Each kind has a file with everything about it, the trait `Solid`; this file lists the kinds and
//! dispatches to them. Contacts between shapes are in `collide`, where a table lists the pairs of kinds.

mod capsule;
mod cuboid;
mod half_space;
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "shapes that need it follow; tests compare it with oracles")
)]
pub(crate) mod hull;
pub(crate) mod mass;
pub(crate) mod outline;
pub(crate) mod ray;
mod solid;
mod sphere;

use crate::math::{Aabb, Real, Transform, Turn, Vec3};
use serde::{Deserialize, Serialize};

pub(crate) use capsule::Capsule;
pub(crate) use cuboid::Cuboid;
pub(crate) use half_space::HalfSpace;
pub use mass::MassError;
pub(crate) use mass::MassProperties;
pub(crate) use mass::{MAX_MASS, MIN_MASS};
pub(crate) use solid::{Extent, Solid};
pub(crate) use sphere::Sphere;

/// Defines everything that follows from the list of kinds: [`Kind`], and the macro `by_kind`, which runs an expression for the
/// parameters of a geometry in their own type.
macro_rules! kinds {
    ($dollar:tt $($kind:ident { $($size:ident),* })*) => {
        /// Kinds of shapes. Their order is that of the numbers that encode them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Kind {
            $($kind),*
        }

        impl Kind {
            /// All kinds, in order.
            pub(crate) const ALL: [Self; [$($kind::NAME),*].len()] = [$(Self::$kind),*];
            /// Names of the kinds in explanations.
            pub(crate) const NAMES: [&str; Self::ALL.len()] = [$($kind::NAME),*];

            /// Returns whether shapes of this kind are infinite.
            const fn is_unbounded(self) -> bool {
                match self {
                    $(Self::$kind => $kind::UNBOUNDED),*
                }
            }

            /// Geometry of this kind with sizes as they are encoded.
            #[inline]
            fn geometry(self, sizes: Vec3) -> Geometry {
                match self {
                    $(Self::$kind => {
                        let $kind { $($size),* } = $kind::from_sizes(sizes);
                        Geometry::$kind { $($size),* }
                    })*
                }
            }
        }

        $(impl $kind {
            /// The parameters of a shape, if it is of this kind.
            #[inline(always)]
            pub(crate) const fn of(shape: &Shape) -> Option<Self> {
                match shape.0 {
                    Geometry::$kind { $($size),* } => Some(Self { $($size),* }),
                    _ => None,
                }
            }
        })*

        impl Geometry {
            #[inline]
            const fn kind(&self) -> Kind {
                match self {
                    $(Self::$kind { .. } => Kind::$kind),*
                }
            }
        }

        macro_rules! by_kind {
            ($dollar geometry:expr, $dollar shape:ident => $dollar run:expr) => {
                match $dollar geometry {
                    $(Geometry::$kind { $($size),* } => {
                        let $dollar shape = $kind { $($size),* };
                        $dollar run
                    })*
                }
            };
        }
    };
}

kinds! { $
    Sphere { radius }
    Cuboid { half }
    Capsule { half_length, radius }
    HalfSpace {}
}

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
    /// A sphere.
    Sphere {
        /// Its radius.
        radius: Real,
    },
    /// A box (cuboid).
    Cuboid {
        /// Half extents.
        half: Vec3,
    },
    /// A cylinder along the y axis with hemispheres at its ends.
    Capsule {
        /// Half the length of the cylinder.
        half_length: Real,
        /// Radius of cylinder and hemispheres.
        radius: Real,
    },
    /// Everything below the plane y = 0. It has no finite mass, so only fixed and kinematic bodies
    /// can have it.
    HalfSpace,
}

impl Shape {
    /// Everything below the plane y = 0.
    pub const HALF_SPACE: Self = Self(Geometry::HalfSpace);

    /// A sphere. Its radius is [`MIN_SIZE`] (about a millimetre) to [`MAX_SIZE`] (4096 m).
    ///
    /// # Errors
    /// If the radius is outside the limits.
    #[doc(alias = "ball")]
    pub fn sphere(radius: Real) -> Result<Self, ShapeError> {
        Self::try_from(Geometry::Sphere { radius })
    }

    /// A box from half its edges, each [`MIN_SIZE`] (about a millimetre) to [`MAX_SIZE`] (4096 m).
    ///
    /// # Errors
    /// If a half extent is outside the limits.
    #[doc(alias = "box")]
    pub fn cuboid(half: Vec3) -> Result<Self, ShapeError> {
        Self::try_from(Geometry::Cuboid { half })
    }

    /// A capsule along the y axis: a cylinder with hemispheres at its ends. Its whole length is 2 ·
    /// (`half_length` + `radius`). Both are [`MIN_SIZE`] (about a millimetre) to [`MAX_SIZE`] (4096
    /// m).
    ///
    /// # Errors
    /// If the radius or the half length is outside the limits.
    pub fn capsule(half_length: Real, radius: Real) -> Result<Self, ShapeError> {
        Self::try_from(Geometry::Capsule { half_length, radius })
    }

    /// The parameters of the shape.
    #[inline]
    pub const fn geometry(&self) -> &Geometry {
        &self.0
    }

    /// Kind of the shape.
    #[inline]
    pub(crate) const fn kind(&self) -> Kind {
        self.0.kind()
    }

    /// The shape of a kind and sizes as they are encoded, if they are valid.
    #[inline]
    pub(crate) fn decode(kind: Kind, sizes: Vec3) -> Option<Self> {
        let shape = Self::try_from(kind.geometry(sizes)).ok()?;
        // Sizes that the kind does not use must be zero.
        (shape.encode() == (kind, sizes)).then_some(shape)
    }

    /// Kind and sizes as they are encoded; unused sizes are zero.
    #[inline]
    pub(crate) fn encode(&self) -> (Kind, Vec3) {
        let sizes = by_kind!(self.0, shape => shape.sizes());
        (self.kind(), sizes)
    }

    /// The smallest edge or diameter. The motion that a recycled contact tolerates depends on it.
    #[inline]
    #[doc(hidden)]
    pub fn thickness(&self) -> Real {
        by_kind!(self.0, shape => shape.thickness())
    }

    /// Extent from the origin.
    #[inline]
    pub(crate) fn extent(&self) -> Extent {
        by_kind!(self.0, shape => shape.extent())
    }

    /// First hit of a ray in world directions.
    fn ray_cast(&self, ray: &ray::Ray) -> Option<ray::RayHit> {
        by_kind!(self.0, shape => shape.ray_cast(ray))
    }

    /// Returns whether the shape is infinite.
    #[inline]
    pub(crate) const fn is_unbounded(&self) -> bool {
        self.kind().is_unbounded()
    }

    /// A box around the shape at a pose, at most a few ulps too large. For a half space it is the
    /// part of the world below the plane, or the whole world if the plane is not level.
    #[doc(hidden)]
    pub fn bounds(&self, pose: &Transform) -> Aabb {
        self.bounds_turned(pose, &pose.rotation.turn())
    }

    /// [`Self::bounds`] for callers that already have the rotation in matrix form.
    #[inline]
    pub(crate) fn bounds_turned(&self, pose: &Transform, turn: &Turn) -> Aabb {
        by_kind!(self.0, shape => shape.bounds(pose, turn))
    }

    /// Lines that show the shape, in its own frame; see [`Solid::outline`].
    pub(crate) fn outline(&self, patch: Real, draw: &mut outline::Draw<'_>) {
        by_kind!(self.0, shape => shape.outline(patch, draw));
    }

    /// Mass in kilograms and inertia per kilogram about the axes; `None` for an unbounded shape.
    pub(crate) fn weigh(&self, density: Real) -> Option<(Real, Vec3)> {
        by_kind!(self.0, shape => shape.weigh(density))
    }
}

fn check(what: &'static str, value: Real) -> Result<(), ShapeError> {
    if (MIN_SIZE..=MAX_SIZE).contains(&value) { Ok(()) } else { Err(ShapeError { what, value }) }
}

impl TryFrom<Geometry> for Shape {
    type Error = ShapeError;
    fn try_from(geometry: Geometry) -> Result<Self, ShapeError> {
        by_kind!(geometry, shape => shape.check())?;
        Ok(Self(geometry))
    }
}

impl From<Shape> for Geometry {
    fn from(shape: Shape) -> Self {
        shape.0
    }
}
