//! Float conversions: the boundary between floats and the fixed-point simulation. No code inside a
//! step uses them.
//!
//! A float is decoded from its bits, so the result does not depend on the platform's float unit.
//! NaN, infinities and values out of range are errors.
#![allow(clippy::disallowed_types, reason = "float conversions are the boundary of the simulation")]

use super::Real;

/// Error of converting a float to a fixed-point number.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FloatError {
    /// The float is NaN: an earlier computation failed (0/0, a root of a negative number).
    #[error(
        "the float is NaN; look for a division by zero or a root of a negative number before this call"
    )]
    NotANumber,
    /// The float is infinite or out of the range of the type.
    #[error("{value} is out of range; it must lie within ±{limit}")]
    OutOfRange {
        /// The offending float.
        value: f64,
        /// The limit of the type.
        limit: f64,
    },
}

const MANTISSA_BITS: u32 = 52;

impl Real {
    /// The nearest number to a float (ties toward +∞).
    ///
    /// ```
    /// use isostep_core::{real, math::FloatError, Real};
    /// assert_eq!(Real::from_f64(-0.5), Ok(real!(-0.5)));
    /// assert_eq!(Real::from_f64(f64::NAN), Err(FloatError::NotANumber));
    /// assert!(Real::from_f64(1e10).is_err());
    /// ```
    ///
    /// # Errors
    /// For NaN, infinities and values that round beyond the range.
    pub const fn from_f64(value: f64) -> Result<Self, FloatError> {
        match fixed_bits(value, super::wide::FRAC as i32) {
            Ok(bits) => Ok(Self::from_bits(bits)),
            Err(error) => Err(error),
        }
    }

    /// The nearest number to a float (ties toward +∞).
    ///
    /// # Errors
    /// For NaN, infinities and values that round beyond the range.
    pub const fn from_f32(value: f32) -> Result<Self, FloatError> {
        // Every f32 is an f64, so this conversion is exact on every platform.
        Self::from_f64(value as f64)
    }

    /// The nearest `f64` (ties to even), exact for magnitudes up to 2²¹. For rendering and reports.
    pub const fn to_f64(self) -> f64 {
        // The conversion rounds once; scaling by a power of two is exact.
        self.to_bits() as f64 / 4_294_967_296.0
    }

    /// The nearest `f32` (ties to even). For rendering.
    pub const fn to_f32(self) -> f32 {
        self.to_bits() as f32 / 4_294_967_296.0
    }
}

/// `value · 2^frac` as an integer, rounded to nearest, ties toward +∞.
pub(crate) const fn fixed_bits(value: f64, frac: i32) -> Result<i64, FloatError> {
    if value.is_nan() {
        return Err(FloatError::NotANumber);
    }
    let out_of_range = FloatError::OutOfRange { value, limit: limit(63 - frac) };
    let raw = value.to_bits();
    let negative = raw >> 63 == 1;
    let exponent = (raw >> MANTISSA_BITS) as i32 & 0x7ff;
    let fraction = raw & ((1 << MANTISSA_BITS) - 1);
    // Subnormal numbers have no hidden bit and use the exponent of the smallest normal number.
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, 1) } else { (fraction | (1 << MANTISSA_BITS), exponent) };
    // value = mantissa · 2^(exponent − 1075)
    let shift = exponent - 1075 + frac;
    let magnitude = if shift >= 0 {
        if shift > 63 - MANTISSA_BITS as i32 {
            return Err(out_of_range);
        }
        (mantissa as u128) << shift
    } else if shift < -(MANTISSA_BITS as i32 + 2) {
        0
    } else {
        let cut = (-shift) as u32;
        let floor = mantissa >> cut;
        let rest = mantissa & ((1 << cut) - 1);
        let half = 1 << (cut - 1);
        (floor + (rest > half || (rest == half && !negative)) as u64) as u128
    };
    if magnitude > i64::MAX as u128 + negative as u128 {
        return Err(out_of_range);
    }
    let magnitude = magnitude as u64;
    Ok(if negative { 0i64.wrapping_sub_unsigned(magnitude) } else { magnitude as i64 })
}

/// 2^exponent as a float.
const fn limit(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << MANTISSA_BITS)
}
