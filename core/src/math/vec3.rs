//! `Vec3`: a point or vector of three `Real`s, with products that round once.

use super::{Real, root, wide};
use core::fmt;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use serde::{Deserialize, Serialize};

/// Error of normalising the zero vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a zero-length vector has no direction; check `is_zero` first or use `normalize_or`")]
pub struct ZeroLength;

/// A vector or a point, in metres unless stated otherwise.
///
/// Sums wrap and products saturate, as for [`Real`]. Lengths and directions have full precision for
/// every vector, from one ulp to the whole range: no square overflows or underflows.
///
/// ```
/// use isostep_core::{real, Vec3};
/// let v = Vec3::new(real!(3), real!(0), real!(-4));
/// assert_eq!(v.length(), real!(5));
/// assert_eq!(v.dot(Vec3::Y), real!(0));
/// assert!(Vec3::ZERO.normalize().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[must_use]
pub struct Vec3 {
    /// First component.
    pub x: Real,
    /// Second component.
    pub y: Real,
    /// Third component.
    pub z: Real,
}

impl Vec3 {
    /// The origin.
    pub const ZERO: Self = Self::splat(Real::ZERO);
    /// (1, 1, 1)
    pub const ONE: Self = Self::splat(Real::ONE);
    /// The first axis.
    pub const X: Self = Self::new(Real::ONE, Real::ZERO, Real::ZERO);
    /// The second axis.
    pub const Y: Self = Self::new(Real::ZERO, Real::ONE, Real::ZERO);
    /// The third axis.
    pub const Z: Self = Self::new(Real::ZERO, Real::ZERO, Real::ONE);

    /// A vector from its components.
    #[inline]
    pub const fn new(x: Real, y: Real, z: Real) -> Self {
        Self { x, y, z }
    }

    /// A vector with whole components.
    #[inline]
    pub const fn from_ints(x: i32, y: i32, z: i32) -> Self {
        Self::new(Real::from_int(x), Real::from_int(y), Real::from_int(z))
    }

    /// A vector with three equal components.
    #[inline]
    pub const fn splat(value: Real) -> Self {
        Self::new(value, value, value)
    }

    /// The vector with these raw components.
    #[inline]
    pub const fn from_bits(bits: [i64; 3]) -> Self {
        Self::new(Real::from_bits(bits[0]), Real::from_bits(bits[1]), Real::from_bits(bits[2]))
    }

    /// The raw components.
    #[inline]
    pub const fn to_bits(self) -> [i64; 3] {
        [self.x.to_bits(), self.y.to_bits(), self.z.to_bits()]
    }

    /// The components in order.
    #[inline]
    pub const fn to_array(self) -> [Real; 3] {
        [self.x, self.y, self.z]
    }

    /// Returns `true` if every component is exactly zero.
    #[inline]
    pub const fn is_zero(self) -> bool {
        let [x, y, z] = self.to_bits();
        x | y | z == 0
    }

    /// Applies a function to each component.
    #[inline]
    pub fn map(self, mut f: impl FnMut(Real) -> Real) -> Self {
        // `array::map` often remains a call.
        Self { x: f(self.x), y: f(self.y), z: f(self.z) }
    }

    /// Applies a function to each pair of components.
    #[inline]
    pub fn zip(self, other: Self, mut f: impl FnMut(Real, Real) -> Real) -> Self {
        Self::new(f(self.x, other.x), f(self.y, other.y), f(self.z, other.z))
    }

    /// The dot product, within ½ ulp; saturates.
    #[inline]
    pub const fn dot(self, other: Self) -> Real {
        Real::from_bits(wide::dot(self.to_bits(), other.to_bits()))
    }

    /// The cross product, each component within ½ ulp; saturates.
    #[inline]
    pub const fn cross(self, other: Self) -> Self {
        let [ax, ay, az] = self.to_bits();
        let [bx, by, bz] = other.to_bits();
        Self::from_bits([
            wide::difference(ay, bz, az, by),
            wide::difference(az, bx, ax, bz),
            wide::difference(ax, by, ay, bx),
        ])
    }

    /// The length, within ½ ulp; saturates past 2³¹.
    #[inline]
    pub fn length(self) -> Real {
        let length = root::sqrt_nearest(root::length_squared(self.to_bits()));
        Real::from_bits(i64::try_from(length).unwrap_or(i64::MAX))
    }

    /// The squared length, within ½ ulp; saturates past 2³¹, that is for lengths over 46 km.
    #[inline]
    pub const fn length_squared(self) -> Real {
        self.dot(self)
    }

    /// The distance between two points, within ½ ulp; saturates past 2³¹.
    #[inline]
    pub fn distance(self, other: Self) -> Real {
        // A component that saturates already exceeds the longest representable distance.
        self.zip(other, Real::saturating_sub).length()
    }

    /// The vector of length one in this direction, each component within 0.51 ulp.
    ///
    /// # Errors
    /// If the vector is zero. A vector of one ulp has a direction.
    #[inline]
    pub fn normalize(self) -> Result<Self, ZeroLength> {
        let scaled = root::Scaled::new(self.to_bits()).ok_or(ZeroLength)?;
        Ok(Self::from_bits([
            scaled.direction(0, wide::FRAC),
            scaled.direction(1, wide::FRAC),
            scaled.direction(2, wide::FRAC),
        ]))
    }

    /// The direction of the vector, or `fallback` if it has none.
    #[inline]
    pub fn normalize_or(self, fallback: Self) -> Self {
        self.normalize().unwrap_or(fallback)
    }

    /// A vector perpendicular to this one, as in `glam`: its cross product with the axis that is furthest from
    /// it. Zero only for the zero vector.
    #[inline]
    pub fn any_orthogonal_vector(self) -> Self {
        let a = self.abs();
        let axis = if a.x <= a.y && a.x <= a.z {
            Self::X
        } else if a.y <= a.z {
            Self::Y
        } else {
            Self::Z
        };
        self.cross(axis)
    }

    /// The componentwise product.
    #[inline]
    pub fn scale(self, other: Self) -> Self {
        self.zip(other, Mul::mul)
    }

    /// The componentwise minimum.
    #[inline]
    pub fn min(self, other: Self) -> Self {
        self.zip(other, Ord::min)
    }

    /// The componentwise maximum.
    #[inline]
    pub fn max(self, other: Self) -> Self {
        self.zip(other, Ord::max)
    }

    /// The componentwise magnitude.
    #[inline]
    pub fn abs(self) -> Self {
        self.map(Real::abs)
    }

    /// `self + (other − self)·t`, each component rounded once.
    #[inline]
    pub fn lerp(self, other: Self, t: Real) -> Self {
        self.zip(other, |a, b| a.lerp(b, t))
    }
}

impl fmt::Debug for Vec3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {}, {})", self.x, self.y, self.z)
    }
}

impl fmt::Display for Vec3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        self.x.fmt(f)?;
        f.write_str(", ")?;
        self.y.fmt(f)?;
        f.write_str(", ")?;
        self.z.fmt(f)?;
        f.write_str(")")
    }
}

impl Add for Vec3 {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        self.zip(other, Add::add)
    }
}

impl Sub for Vec3 {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self.zip(other, Sub::sub)
    }
}

impl Neg for Vec3 {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        self.map(Neg::neg)
    }
}

impl Mul<Real> for Vec3 {
    type Output = Self;
    #[inline]
    fn mul(self, factor: Real) -> Self {
        self.map(|c| c * factor)
    }
}

/// Multiplies by a whole number. Saturates.
impl Mul<i32> for Vec3 {
    type Output = Self;
    #[inline]
    fn mul(self, times: i32) -> Self {
        self.map(|c| c * times)
    }
}

/// Divides by a whole number, rounded to nearest. Saturates.
impl Div<i32> for Vec3 {
    type Output = Self;
    #[inline]
    fn div(self, parts: i32) -> Self {
        self.map(|c| c / parts)
    }
}

impl Mul<Vec3> for Real {
    type Output = Vec3;
    #[inline]
    fn mul(self, vector: Vec3) -> Vec3 {
        vector * self
    }
}

impl Div<Real> for Vec3 {
    type Output = Self;
    #[inline]
    fn div(self, divisor: Real) -> Self {
        self.map(|c| c / divisor)
    }
}

impl AddAssign for Vec3 {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Vec3 {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl MulAssign<Real> for Vec3 {
    #[inline]
    fn mul_assign(&mut self, factor: Real) {
        *self = *self * factor;
    }
}

impl DivAssign<Real> for Vec3 {
    #[inline]
    fn div_assign(&mut self, divisor: Real) {
        *self = *self / divisor;
    }
}

impl core::iter::Sum for Vec3 {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

impl<'a> core::iter::Sum<&'a Self> for Vec3 {
    fn sum<I: Iterator<Item = &'a Self>>(iter: I) -> Self {
        iter.copied().sum()
    }
}
