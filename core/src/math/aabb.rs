//! `Aabb`: axis-aligned boxes on exact 64-bit bounds.

use super::{Real, Transform, Vec3};
use serde::{Deserialize, Serialize};

/// Error of building a box from corners in the wrong order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the lower corner {min:?} is above the upper corner {max:?} on at least one axis; swap the corners or make the half extents positive"
)]
pub struct InvertedBox {
    /// The corner meant to be lower.
    pub min: Vec3,
    /// The corner meant to be upper.
    pub max: Vec3,
}

/// An axis-aligned box, borders included. Its lower corner is never above its upper one.
///
/// ```
/// use isostep_core::{Vec3, real};
/// use isostep_core::internals::Aabb;
/// let a = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
/// let b = Aabb::from_center(Vec3::splat(real!(1.5)), Vec3::splat(real!(0.5)))?;
/// assert!(a.overlaps(&b)); // they touch in a corner
/// assert_eq!(a.union(&b).max(), Vec3::splat(real!(2)));
/// # Ok::<(), isostep_core::internals::InvertedBox>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Corners", into = "Corners")]
#[must_use]
pub struct Aabb {
    min: Vec3,
    max: Vec3,
}

#[derive(Serialize, Deserialize)]
struct Corners {
    min: Vec3,
    max: Vec3,
}

impl TryFrom<Corners> for Aabb {
    type Error = InvertedBox;
    fn try_from(corners: Corners) -> Result<Self, InvertedBox> {
        Self::new(corners.min, corners.max)
    }
}

impl From<Aabb> for Corners {
    fn from(aabb: Aabb) -> Self {
        Self { min: aabb.min, max: aabb.max }
    }
}

impl Aabb {
    /// A box from its lower and upper corner.
    ///
    /// # Errors
    /// If the lower corner is above the upper one on some axis.
    pub fn new(min: Vec3, max: Vec3) -> Result<Self, InvertedBox> {
        if min.x <= max.x && min.y <= max.y && min.z <= max.z {
            Ok(Self { min, max })
        } else {
            Err(InvertedBox { min, max })
        }
    }

    /// A box from its centre and half extents; corners saturate at the end of the range.
    ///
    /// # Errors
    /// If a half extent is negative.
    pub fn from_center(center: Vec3, half: Vec3) -> Result<Self, InvertedBox> {
        Self::new(center.zip(half, Real::saturating_sub), center.zip(half, Real::saturating_add))
    }

    /// The smallest box around some points, or `None` for none.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        points.into_iter().map(|p| Self { min: p, max: p }).reduce(|a, b| a.union(&b))
    }

    /// The lower corner.
    #[inline]
    pub const fn min(&self) -> Vec3 {
        self.min
    }

    /// The upper corner.
    #[inline]
    pub const fn max(&self) -> Vec3 {
        self.max
    }

    /// The middle, rounded down to an ulp; exact arithmetic on corners of any size.
    #[inline]
    pub fn center(&self) -> Vec3 {
        // The sum of two i64 may need 65 bits; this form of the mean does not.
        self.min.zip(self.max, |a, b| {
            let (a, b) = (a.to_bits(), b.to_bits());
            Real::from_bits((a & b) + ((a ^ b) >> 1))
        })
    }

    /// The three edge lengths; saturate.
    #[inline]
    pub fn extents(&self) -> Vec3 {
        self.max.zip(self.min, Real::saturating_sub)
    }

    /// Returns `true` if the boxes share at least one point.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
            && self.min.z <= other.max.z
            && other.min.z <= self.max.z
    }

    /// Returns `true` if the point is inside or on the border.
    #[inline]
    pub fn contains(&self, point: Vec3) -> bool {
        self.overlaps(&Self { min: point, max: point })
    }

    /// Returns `true` if the other box is inside, borders included.
    #[inline]
    pub fn encloses(&self, other: &Self) -> bool {
        self.contains(other.min) && self.contains(other.max)
    }

    /// The smallest box around both.
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The common part of both boxes, or `None` if they are disjoint.
    #[inline]
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        Self::new(self.min.max(other.min), self.max.min(other.max)).ok()
    }

    /// The box grown by the magnitude of `margin` on every side. Corners saturate.
    #[inline]
    pub fn inflate(&self, margin: Real) -> Self {
        let margin = Vec3::splat(margin.abs());
        Self {
            min: self.min.zip(margin, Real::saturating_sub),
            max: self.max.zip(margin, Real::saturating_add),
        }
    }

    /// The box extended by `motion`: it covers every point of the box along the whole displacement.
    /// Corners saturate.
    #[inline]
    pub fn sweep(&self, motion: Vec3) -> Self {
        Self {
            min: self.min.zip(motion.min(Vec3::ZERO), Real::saturating_add),
            max: self.max.zip(motion.max(Vec3::ZERO), Real::saturating_add),
        }
    }

    /// The smallest box around the eight moved corners, and so around every moved point of the box;
    /// corners saturate.
    pub fn transformed(&self, motion: &Transform) -> Self {
        let (lo, hi) = (self.min, self.max);
        let corner = |i: u32| {
            let pick = |bit: u32, a, b| if i >> bit & 1 == 0 { a } else { b };
            let corner = Vec3::new(pick(0, lo.x, hi.x), pick(1, lo.y, hi.y), pick(2, lo.z, hi.z));
            // `motion.point` would wrap, and a wrapped corner inverts the box; this sum saturates.
            let moved = motion.rotation.rotate(corner);
            moved.zip(motion.translation, Real::saturating_add)
        };
        let first = corner(0);
        let point = |p| Self { min: p, max: p };
        (1..8).map(corner).fold(point(first), |aabb, p| aabb.union(&point(p)))
    }
}
