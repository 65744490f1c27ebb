//! 32-bit fixed-point formats of the solver. Operands have 32 bits, products and sums have 64, and
//! one rounding shift returns to 32.
//!
//! Every operation here exists with the same result in SSE4.1, AVX2, AVX-512, NEON and wasm lanes.
//! Scalar code in these types is therefore the reference for the lane kernels. Narrowing drops the
//! upper bits, as lanes do. Ranges are proven at the places where values enter; the feature
//! `check-narrowing` checks each narrowing.

use super::Real;
use core::fmt;
use core::ops::{Add, Neg, Sub};
use serde::{Deserialize, Serialize};

/// A 32-bit fixed-point number with `F` fractional bits.
///
/// Sums wrap. No product narrows by itself: accumulate products in a [`Wide`] and round once.
///
/// ```
/// use isostep_core::internals::{Q20, Q30, Wide};
/// use isostep_core::real;
///
/// let normal = Q30::from_real(real!(0.5)).unwrap();
/// let speed = Q20::from_real(real!(-12.25)).unwrap();
/// let along = Wide::ZERO.plus(normal, speed).round::<30, 20>();
/// assert_eq!(along.to_real(), real!(-6.125));
/// assert!(Q30::from_real(real!(2)).is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[repr(transparent)]
#[serde(transparent)]
#[must_use]
pub struct Lane<const F: u32>(i32);

/// Unit quantities: normals, contact arms divided by the bounding radius, mass fractions, friction.
/// ±2, one ulp 9.3·10⁻¹⁰.
pub type Q30 = Lane<30>;
/// Coordinates of small shapes in the narrow phase. ±128 m, one ulp 60 nm.
pub type Q24 = Lane<24>;
/// Scaled inverse inertia and its products. ±512.
pub type Q22 = Lane<22>;
/// Speeds and impulses in reduced-mass units, and coordinates of large shapes. ±2048, one ulp 0.95 µm.
pub type Q20 = Lane<20>;

impl<const F: u32> Lane<F> {
    /// 0
    pub const ZERO: Self = Self(0);
    /// 1
    pub const ONE: Self = {
        assert!(F <= 30, "1 does not fit a lane with this many fractional bits");
        Self(1 << F)
    };
    /// The largest value.
    pub const MAX: Self = Self(i32::MAX);
    /// The smallest value.
    pub const MIN: Self = Self(i32::MIN);

    /// The number with these raw bits.
    #[inline]
    pub const fn from_bits(bits: i32) -> Self {
        Self(bits)
    }

    /// The raw bits.
    #[inline]
    pub const fn to_bits(self) -> i32 {
        self.0
    }

    /// The nearest lane value (ties up), or `None` if it does not fit.
    #[inline]
    pub const fn from_real(value: Real) -> Option<Self> {
        const { assert!(F < 32, "a lane has at most 31 fractional bits") };
        let bits = super::wide::round_shift(value.to_bits() as i128, 32 - F);
        if bits as i32 as i128 == bits { Some(Self(bits as i32)) } else { None }
    }

    /// The nearest lane value (ties up), or the nearest limit.
    #[inline]
    pub const fn from_real_saturating(value: Real) -> Self {
        match Self::from_real(value) {
            Some(lane) => lane,
            None if value.is_negative() => Self::MIN,
            None => Self::MAX,
        }
    }

    /// The same value as a `Real`, exact.
    #[inline]
    pub const fn to_real(self) -> Real {
        Real::from_bits((self.0 as i64) << (32 - F))
    }

    /// The value with the lowest bit of its magnitude set. Zero stays zero. [`Lane::MIN`] has no
    /// room for that bit in its magnitude and becomes the next number.
    ///
    /// A product with an odd coefficient is almost never exactly halfway between two lane values.
    /// Rounding half up then has no bias, and symmetric scenes stay symmetric.
    #[inline]
    pub const fn odd(self) -> Self {
        // Setting the lowest bit of an even negative two's complement number moves it toward zero.
        // Stepping down instead keeps the pair x, −x symmetric.
        let bits = if self.0 == i32::MIN { -i32::MAX } else { self.0 };
        let even = (bits & 1) ^ 1;
        Self(bits + bits.signum() * even)
    }

    /// The value clamped to ±`limit`. The sign of `limit` is ignored.
    #[inline]
    pub const fn clamp_abs(self, limit: Self) -> Self {
        let limit = limit.0.saturating_abs();
        if self.0 > limit {
            Self(limit)
        } else if self.0 < -limit {
            Self(-limit)
        } else {
            self
        }
    }
}

impl<const F: u32> Add for Lane<F> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        check_fits(i64::from(self.0) + i64::from(other.0));
        Self(self.0.wrapping_add(other.0))
    }
}

impl<const F: u32> Sub for Lane<F> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        check_fits(i64::from(self.0) - i64::from(other.0));
        Self(self.0.wrapping_sub(other.0))
    }
}

impl<const F: u32> Neg for Lane<F> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        check_fits(-i64::from(self.0));
        Self(self.0.wrapping_neg())
    }
}

impl<const F: u32> fmt::Debug for Lane<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_real(), f)
    }
}

/// A 64-bit sum of lane products. Its binary point is the sum of the binary points of the factors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
#[must_use]
pub struct Wide(i64);

impl Wide {
    /// The empty sum.
    pub const ZERO: Self = Self(0);

    /// The raw sum.
    #[inline]
    pub const fn to_bits(self) -> i64 {
        self.0
    }

    /// Adds a product.
    #[inline]
    pub const fn plus<const F: u32, const G: u32>(self, a: Lane<F>, b: Lane<G>) -> Self {
        Self(self.0.wrapping_add(a.0 as i64 * b.0 as i64))
    }

    /// Subtracts a product.
    #[inline]
    pub const fn minus<const F: u32, const G: u32>(self, a: Lane<F>, b: Lane<G>) -> Self {
        Self(self.0.wrapping_sub(a.0 as i64 * b.0 as i64))
    }

    /// Shifts right by `SHIFT`, rounds half up, and keeps 32 bits, `F` of them fractional.
    ///
    /// # Panics
    /// If the sum does not fit, with the feature `check-narrowing`.
    #[inline]
    #[cfg_attr(feature = "check-narrowing", track_caller)]
    pub fn round<const SHIFT: u32, const F: u32>(self) -> Lane<F> {
        const { assert!(0 < SHIFT && SHIFT < 64, "a rounding shift is from 1 to 63") };
        count_tie(self.0, SHIFT);
        let rounded = self.0.wrapping_add(1 << (SHIFT - 1)) >> SHIFT;
        check_fits(rounded);
        Lane(rounded as i32)
    }
}

/// Number of sums since program start that were exactly halfway between two lane values. Odd
/// coefficients should keep this near zero, since all ties round the same way.
#[cfg(feature = "check-narrowing")]
pub fn rounding_ties() -> u64 {
    TIES.load(core::sync::atomic::Ordering::Relaxed)
}

#[cfg(feature = "check-narrowing")]
static TIES: core::sync::atomic::AtomicU64 = core::sync::atomic::AtomicU64::new(0);

#[inline(always)]
fn count_tie(sum: i64, shift: u32) {
    #[cfg(feature = "check-narrowing")]
    if sum & ((1 << shift) - 1) == 1 << (shift - 1) {
        TIES.fetch_add(1, core::sync::atomic::Ordering::Relaxed);
    }
    #[cfg(not(feature = "check-narrowing"))]
    let _ = (sum, shift);
}

#[inline(always)]
#[cfg_attr(feature = "check-narrowing", track_caller)]
const fn check_fits(value: i64) {
    if cfg!(feature = "check-narrowing") {
        assert!(
            value as i32 as i64 == value,
            "a solver lane lost bits in narrowing; check the range of its inputs"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_is_symmetric_and_keeps_zero() {
        for bits in [0, 1, 2, 3, 1000, 1 << 30, i32::MAX - 1, i32::MAX] {
            let (up, down) = (Q30::from_bits(bits).odd(), Q30::from_bits(-bits).odd());
            assert_eq!(up.to_bits(), -down.to_bits());
            assert_eq!(up.to_bits(), if bits == 0 { 0 } else { bits | 1 });
        }
    }

    #[test]
    fn odd_keeps_the_sign_of_the_limits() {
        assert_eq!(Q30::MAX.odd(), Q30::MAX);
        assert_eq!(Q30::MIN.odd().to_bits(), -i32::MAX);
    }

    #[test]
    fn clamp_abs_ignores_the_sign_of_the_limit() {
        let (five, nine) = (Q20::from_bits(5), Q20::from_bits(9));
        for limit in [five, Q20::from_bits(-5)] {
            assert_eq!(nine.clamp_abs(limit).to_bits(), 5);
            assert_eq!(Q20::MIN.clamp_abs(limit).to_bits(), -5);
        }
        assert_eq!(five.clamp_abs(Q20::MIN), five);
        assert_eq!(Q20::MIN.clamp_abs(Q20::MIN), Q20::from_bits(-i32::MAX));
        assert_eq!(nine.clamp_abs(Q20::ZERO), Q20::ZERO);
    }

    #[test]
    fn wide_rounds_half_up() {
        let one = Q20::from_bits(1);
        for (factor, expected) in [(3, 2), (1, 1), (-1, 0), (-3, -1), (5, 3)] {
            let half = Lane::<1>::from_bits(factor);
            assert_eq!(Wide::ZERO.plus(half, one).round::<1, 20>().to_bits(), expected);
        }
    }

    #[test]
    fn products_with_odd_coefficients_mirror_to_the_bit() {
        let mut ties = 0;
        for k in 1..20_000 {
            let c = Q30::from_bits(k * 53_639).odd();
            let x = Q20::from_bits((k % 517) * 517_331 - 100_003);
            let right = Wide::ZERO.plus(c, x);
            let left = Wide::ZERO.minus(c, x);
            if right.to_bits() & ((1 << 30) - 1) == 1 << 29 {
                ties += 1;
            } else {
                assert_eq!(right.round::<30, 20>().to_bits(), -left.round::<30, 20>().to_bits());
            }
        }
        assert_eq!(ties, 0);
    }

    #[test]
    fn conversion_refuses_values_out_of_range() {
        assert_eq!(Q30::from_real(Real::from_int(2)), None);
        assert_eq!(Q30::from_real(Real::from_int(-2)), Some(Q30::MIN));
        assert_eq!(Q30::from_real_saturating(Real::MAX), Q30::MAX);
        assert_eq!(Q30::from_real_saturating(Real::MIN), Q30::MIN);
        assert_eq!(Q20::ONE.to_real(), Real::ONE);
    }

    #[test]
    #[cfg(feature = "check-narrowing")]
    #[should_panic(expected = "lost bits")]
    fn check_narrowing_panics_on_lost_bits() {
        let _ = Wide::ZERO.plus(Q30::MAX, Q20::MAX).round::<20, 20>();
    }
}
