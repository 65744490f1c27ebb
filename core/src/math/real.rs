//! `Real`, the scalar of the simulation: 64-bit fixed point with 32 fractional bits.
//!
//! Owns the type, its constants, operators and rounding functions. Conversions are in `float.rs`
//! (floats) and `text.rs` (decimal text); roots and angles are in `root.rs` and `trig.rs`.

use super::{root, wide};
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use fixed::types::I32F32;

/// A fixed-point number: ±2³¹ with a step (one *ulp*) of 2⁻³² ≈ 2.3·10⁻¹⁰, the same everywhere.
///
/// Every operation gives the same bits on every platform, in debug and release:
///
/// | operation | rounding | at the edge of the range |
/// | --- | --- | --- |
/// | `+`, `-`, unary `-` | exact | wraps |
/// | `*`, `/` | to nearest, ties toward +∞ | saturates |
/// | `x / 0` | | the limit with the sign of `x`; `0 / 0` is `0` |
/// | [`abs`](Self::abs), [`round`](Self::round), [`ceil`](Self::ceil) | exact | saturates |
///
/// No operation panics. Use the `checked_` methods if overflow would be a mistake. Sums wrap
/// because a wrapped intermediate result is still correct if the final one fits. The limits of the
/// world keep sums in range.
///
/// ```
/// use isostep_core::{real, Real};
///
/// let half = real!(0.5);
/// assert_eq!(half + half, Real::ONE);
/// assert_eq!(Real::ratio(1, 3) * Real::from_int(3), real!(1) - Real::EPSILON);
/// assert_eq!(real!(2).sqrt().unwrap().to_string(), "1.4142135624");
/// assert_eq!(Real::MAX * Real::MAX, Real::MAX);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
#[must_use]
pub struct Real(I32F32);

impl Real {
    /// 0
    pub const ZERO: Self = Self::from_bits(0);
    /// 1
    pub const ONE: Self = Self::from_bits(1 << 32);
    /// ½
    pub const HALF: Self = Self::from_bits(1 << 31);
    /// The smallest step, 2⁻³².
    pub const EPSILON: Self = Self::from_bits(1);
    /// The largest value, 2³¹ − 2⁻³².
    pub const MAX: Self = Self::from_bits(i64::MAX);
    /// The smallest value, −2³¹.
    pub const MIN: Self = Self::from_bits(i64::MIN);
    /// π, to the nearest ulp.
    pub const PI: Self = Self::from_bits(13_493_037_705);
    /// 2π, to the nearest ulp (which is not twice the nearest ulp of π).
    pub const TAU: Self = Self::from_bits(26_986_075_409);
    /// π/2, to the nearest ulp.
    pub const FRAC_PI_2: Self = Self::from_bits(6_746_518_852);

    /// The number with these raw bits: `bits · 2⁻³²`.
    #[inline]
    pub const fn from_bits(bits: i64) -> Self {
        Self(I32F32::from_bits(bits))
    }

    /// The raw bits: the value times 2³². Snapshots and digests contain these bits.
    #[inline]
    pub const fn to_bits(self) -> i64 {
        self.0.to_bits()
    }

    /// A whole number, exact.
    #[inline]
    pub const fn from_int(value: i32) -> Self {
        Self::from_bits((value as i64) << wide::FRAC)
    }

    /// The nearest number to `numerator / denominator`. Use it for constants that
    /// [`real!`](crate::real) refuses because they are not exact: six tenths is `Real::ratio(6,
    /// 10)`.
    ///
    /// A zero denominator saturates, as division does, also in a `const`.
    #[inline]
    pub const fn ratio(numerator: i32, denominator: i32) -> Self {
        Self::from_bits(wide::div(
            (numerator as i64) << wide::FRAC,
            (denominator as i64) << wide::FRAC,
        ))
    }

    /// The sum, or `None` if it does not fit.
    #[inline]
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.to_bits().checked_add(other.to_bits()) {
            Some(bits) => Some(Self::from_bits(bits)),
            None => None,
        }
    }

    /// The difference, or `None` if it does not fit.
    #[inline]
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.to_bits().checked_sub(other.to_bits()) {
            Some(bits) => Some(Self::from_bits(bits)),
            None => None,
        }
    }

    /// The product, or `None` if it does not fit.
    #[inline]
    pub const fn checked_mul(self, other: Self) -> Option<Self> {
        let product = self.to_bits() as i128 * other.to_bits() as i128;
        let rounded = wide::round_shift(product, wide::FRAC);
        if rounded as i64 as i128 == rounded { Some(Self::from_bits(rounded as i64)) } else { None }
    }

    /// The quotient, or `None` if the divisor is zero or the quotient does not fit.
    #[inline]
    pub const fn checked_div(self, other: Self) -> Option<Self> {
        match wide::checked_div(self.to_bits(), other.to_bits()) {
            Some(bits) => Some(Self::from_bits(bits)),
            None => None,
        }
    }

    /// The sum, or the nearest limit.
    #[inline]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self::from_bits(self.to_bits().saturating_add(other.to_bits()))
    }

    /// The difference, or the nearest limit.
    #[inline]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self::from_bits(self.to_bits().saturating_sub(other.to_bits()))
    }

    /// `self · factor + term`, rounded once; saturates.
    #[inline]
    pub const fn mul_add(self, factor: Self, term: Self) -> Self {
        Self::from_bits(wide::mul_add(self.to_bits(), factor.to_bits(), term.to_bits()))
    }

    /// `1 / self`, within ½ ulp; saturates, and `1 / 0` is [`Real::MAX`].
    #[inline]
    pub const fn recip(self) -> Self {
        Self::from_bits(wide::div(1 << wide::FRAC, self.to_bits()))
    }

    /// The magnitude; that of [`Real::MIN`] is [`Real::MAX`].
    #[inline]
    pub const fn abs(self) -> Self {
        Self::from_bits(self.to_bits().saturating_abs())
    }

    /// −1, 0 or 1.
    #[inline]
    pub const fn signum(self) -> Self {
        Self::from_int(self.to_bits().signum() as i32)
    }

    /// Returns `true` if the number is below zero.
    #[inline]
    pub const fn is_negative(self) -> bool {
        self.to_bits() < 0
    }

    /// The largest whole number not above `self`.
    #[inline]
    pub const fn floor(self) -> Self {
        Self::from_int(self.floor_to_int())
    }

    /// The smallest whole number not below `self`; saturates above 2³¹ − 1.
    #[inline]
    pub const fn ceil(self) -> Self {
        Self::floor_or_max(self.to_bits().checked_add((1 << wide::FRAC) - 1))
    }

    /// The nearest whole number, ties up; saturates above 2³¹ − 1.
    #[inline]
    pub const fn round(self) -> Self {
        Self::floor_or_max(self.to_bits().checked_add(1 << (wide::FRAC - 1)))
    }

    /// The floor of these bits, or the upper limit if `bits` is `None` because of overflow.
    #[inline]
    const fn floor_or_max(bits: Option<i64>) -> Self {
        match bits {
            Some(bits) => Self::from_bits(bits).floor(),
            None => Self::MAX,
        }
    }

    /// The part above [`floor`](Self::floor), from 0 to 1 − 2⁻³².
    #[inline]
    pub const fn fract(self) -> Self {
        Self::from_bits(self.to_bits() & ((1 << wide::FRAC) - 1))
    }

    /// The largest whole number not above `self`, as an integer.
    #[inline]
    pub const fn floor_to_int(self) -> i32 {
        (self.to_bits() >> wide::FRAC) as i32
    }

    /// The square root, to the nearest ulp; `None` below zero.
    #[inline]
    pub fn sqrt(self) -> Option<Self> {
        let bits = u128::try_from(self.to_bits()).ok()?;
        // The root is at most 2^47.5, so it always fits.
        Some(Self::from_bits(root::sqrt_nearest(bits << wide::FRAC) as i64))
    }

    /// `self + (other − self)·t`, rounded once. `t` may lie outside of 0 to 1; saturates.
    #[inline]
    pub const fn lerp(self, other: Self, t: Self) -> Self {
        Self::from_bits(wide::lerp(self.to_bits(), other.to_bits(), t.to_bits()))
    }
}

impl From<i32> for Real {
    #[inline]
    fn from(value: i32) -> Self {
        Self::from_int(value)
    }
}

impl From<I32F32> for Real {
    #[inline]
    fn from(value: I32F32) -> Self {
        Self(value)
    }
}

impl From<Real> for I32F32 {
    #[inline]
    fn from(value: Real) -> Self {
        value.0
    }
}

impl Add for Real {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self::from_bits(self.to_bits().wrapping_add(other.to_bits()))
    }
}

impl Sub for Real {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self::from_bits(self.to_bits().wrapping_sub(other.to_bits()))
    }
}

impl Neg for Real {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self::from_bits(self.to_bits().wrapping_neg())
    }
}

impl Mul for Real {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        Self::from_bits(wide::mul(self.to_bits(), other.to_bits()))
    }
}

impl Div for Real {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        Self::from_bits(wide::div(self.to_bits(), other.to_bits()))
    }
}

/// Adds a whole number, exact. Wraps as other sums do.
impl Add<i32> for Real {
    type Output = Self;
    #[inline]
    fn add(self, whole: i32) -> Self {
        self + Self::from_int(whole)
    }
}

/// Subtracts a whole number, exact. Wraps as other differences do.
impl Sub<i32> for Real {
    type Output = Self;
    #[inline]
    fn sub(self, whole: i32) -> Self {
        self - Self::from_int(whole)
    }
}

/// Multiplies by a whole number. Saturates.
impl Mul<i32> for Real {
    type Output = Self;
    #[inline]
    fn mul(self, times: i32) -> Self {
        Self::from_bits(self.to_bits().saturating_mul(i64::from(times)))
    }
}

/// Divides by a whole number, rounded to nearest. Saturates.
impl Div<i32> for Real {
    type Output = Self;
    #[inline]
    fn div(self, parts: i32) -> Self {
        self / Self::from_int(parts)
    }
}

impl AddAssign for Real {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Real {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl MulAssign for Real {
    #[inline]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl DivAssign for Real {
    #[inline]
    fn div_assign(&mut self, other: Self) {
        *self = *self / other;
    }
}

impl Sum for Real {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

impl<'a> Sum<&'a Self> for Real {
    fn sum<I: Iterator<Item = &'a Self>>(iter: I) -> Self {
        iter.copied().sum()
    }
}
