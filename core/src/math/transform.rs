//! `Transform`: a rotation and a translation, the pose of a body or a shape.

use super::{Quat, Vec3};
use core::ops::Mul;
use serde::{Deserialize, Serialize};

/// A rigid motion: rotate, then translate.
///
/// ```
/// use isostep_core::{Quat, Real, Transform, Vec3};
/// let pose = Transform::new(Vec3::from_ints(0, 5, 0), Quat::IDENTITY);
/// assert_eq!(pose.point(Vec3::X), Vec3::from_ints(1, 5, 0));
/// assert_eq!(pose.point_inverse(Vec3::from_ints(1, 5, 0)), Vec3::X);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[must_use]
pub struct Transform {
    /// The image of the origin.
    pub translation: Vec3,
    /// The rotation of the axes.
    pub rotation: Quat,
}

impl Transform {
    /// No motion.
    pub const IDENTITY: Self = Self::new(Vec3::ZERO, Quat::IDENTITY);

    /// A motion from its parts.
    #[inline]
    pub const fn new(translation: Vec3, rotation: Quat) -> Self {
        Self { translation, rotation }
    }

    /// A translation.
    #[inline]
    pub const fn at(translation: Vec3) -> Self {
        Self::new(translation, Quat::IDENTITY)
    }

    /// The image of a point.
    #[inline]
    pub fn point(&self, point: Vec3) -> Vec3 {
        self.rotation.rotate(point) + self.translation
    }

    /// The point with this image. The difference is taken before the rotation, so the result is as
    /// precise far from the origin as near it.
    #[inline]
    pub fn point_inverse(&self, point: Vec3) -> Vec3 {
        self.rotation.rotate_inverse(point - self.translation)
    }

    /// The inverse motion.
    #[inline]
    pub fn inverse(&self) -> Self {
        Self::new(-self.rotation.rotate_inverse(self.translation), self.rotation.inverse())
    }
}

impl Mul for Transform {
    type Output = Self;
    /// The composition: `other` first, then `self`.
    #[inline]
    fn mul(self, other: Self) -> Self {
        Self::new(self.point(other.translation), self.rotation * other.rotation)
    }
}
