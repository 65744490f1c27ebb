//! Reference values from big integers and textbook series. Shares no code with the crate.
#![allow(dead_code, reason = "each test file uses a part of it")]

use isostep_core::Real;
use num_bigint::{BigInt, Sign};
use proptest::prelude::*;

/// Fractional bits of the oracle's numbers: 160 more than a `Real` has.
pub(crate) const PRECISION: u32 = 192;

/// A fixed-point number of any size as an oracle number.
pub(crate) fn exact(bits: impl Into<BigInt>, frac: u32) -> BigInt {
    bits.into() << (PRECISION - frac)
}

pub(crate) fn of(value: Real) -> BigInt {
    exact(value.to_bits(), 32)
}

pub(crate) fn one() -> BigInt {
    BigInt::from(1) << PRECISION
}

pub(crate) fn mul(a: &BigInt, b: &BigInt) -> BigInt {
    (a * b) >> PRECISION
}

pub(crate) fn div(a: &BigInt, b: &BigInt) -> BigInt {
    (a << PRECISION) / b
}

pub(crate) fn sqrt(a: &BigInt) -> BigInt {
    (a << PRECISION).sqrt()
}

pub(crate) fn is_negative(a: &BigInt) -> bool {
    a.sign() == Sign::Minus
}

pub(crate) fn abs(a: &BigInt) -> BigInt {
    BigInt::from(a.magnitude().clone())
}

/// Machin's formula.
pub(crate) fn pi() -> BigInt {
    let arc = |n: u32| atan_series(&(one() / n));
    (arc(5) * 4 - arc(239)) * 4
}

/// Sine and cosine by reduction to a full turn and Taylor series.
pub(crate) fn sin_cos(angle: &BigInt) -> (BigInt, BigInt) {
    let turn = pi() * 2;
    let x = ((angle % &turn) + &turn) % &turn;
    let (mut sin, mut cos) = (BigInt::ZERO, BigInt::ZERO);
    let mut term = one();
    for n in 1u32.. {
        match n % 4 {
            1 => cos += &term,
            2 => sin += &term,
            3 => cos -= &term,
            _ => sin -= &term,
        }
        term = mul(&term, &x) / n;
        if term == BigInt::ZERO {
            break;
        }
    }
    (sin, cos)
}

fn atan_series(t: &BigInt) -> BigInt {
    let square = mul(t, t);
    let (mut sum, mut power) = (BigInt::ZERO, t.clone());
    for n in 0u32.. {
        let term = &power / (2 * n + 1);
        if term == BigInt::ZERO {
            break;
        }
        sum += if n % 2 == 0 { term } else { -term };
        power = mul(&power, &square);
    }
    sum
}

/// The angle of a point other than the origin, by halving the angle three times.
pub(crate) fn atan2(y: &BigInt, x: &BigInt) -> BigInt {
    let (ay, ax) = (abs(y), abs(x));
    let steep = ay > ax;
    let mut t = if steep { div(&ax, &ay) } else { div(&ay, &ax) };
    for _ in 0..3 {
        t = div(&t, &(one() + sqrt(&(one() + mul(&t, &t)))));
    }
    let mut angle: BigInt = atan_series(&t) * 8;
    if steep {
        angle = pi() / 2 - angle;
    }
    if is_negative(x) {
        angle = pi() - angle;
    }
    if is_negative(y) { -angle } else { angle }
}

/// Distance of raw bits from an oracle number, in thousandths of their ulp, rounded up.
pub(crate) fn milli_ulps(bits: i64, frac: u32, expected: &BigInt) -> u64 {
    let distance = abs(&(exact(bits, frac) - expected));
    let milli = ((distance * 1000u32) >> (PRECISION - frac)) + 1u32;
    u64::try_from(milli).unwrap_or(u64::MAX)
}

/// Raw bits of a number rounded to nearest, ties toward +∞, and clamped to the limits.
pub(crate) fn rounded(value: &BigInt, frac: u32) -> i64 {
    let shift = PRECISION - frac;
    // BigInt's shift floors.
    let nearest: BigInt = (value + (BigInt::from(1) << (shift - 1))) >> shift;
    i64::try_from(nearest.clone()).unwrap_or(if is_negative(&nearest) {
        i64::MIN
    } else {
        i64::MAX
    })
}

/// Raw bits of every magnitude, with many at the limits.
pub(crate) fn any_bits() -> impl Strategy<Value = i64> {
    let edge = prop_oneof![
        Just(0i64),
        Just(i64::MIN),
        Just(i64::MAX),
        (0u32..64).prop_map(|shift| 1i64 << shift),
        (0u32..64).prop_map(|shift| (1i64 << shift).wrapping_neg()),
    ];
    let near_edge =
        (edge, -2i64..=2).prop_map(|(bits, offset): (i64, i64)| bits.wrapping_add(offset));
    let any_size = (any::<i64>(), 0u32..64).prop_map(|(bits, shift)| bits >> shift);
    prop_oneof![1 => near_edge, 3 => any_size]
}

/// Numbers of every magnitude, with many at the limits.
pub(crate) fn any_real() -> impl Strategy<Value = Real> {
    any_bits().prop_map(Real::from_bits)
}

/// Vectors whose components have independent magnitudes.
pub(crate) fn any_vec3() -> impl Strategy<Value = isostep_core::Vec3> {
    [any_bits(), any_bits(), any_bits()].prop_map(isostep_core::Vec3::from_bits)
}
