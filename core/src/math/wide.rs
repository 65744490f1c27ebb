//! The integer kernels under every number type: products in 128 bits with one rounding at the end,
//! saturation, exact division. Nothing here knows a unit.
//!
//! One rounding rule for the whole crate: to the nearest value, ties toward +∞.
//! Nothing here panics or depends on the build profile.

/// Fractional bits of [`Real`](super::Real).
pub(crate) const FRAC: u32 = 32;
const HALF: i128 = 1 << (FRAC - 1);

/// Shifts right by `shift` (1 to 126), rounding to nearest, ties up.
#[inline]
pub(crate) const fn round_shift(value: i128, shift: u32) -> i128 {
    value.wrapping_add(1 << (shift - 1)) >> shift
}

/// The nearest `i64`.
#[inline]
pub(crate) const fn saturate(value: i128) -> i64 {
    let narrow = value as i64;
    if narrow as i128 == value {
        narrow
    } else {
        limit(value < 0)
    }
}

#[cold]
#[inline(never)]
pub(crate) const fn limit(negative: bool) -> i64 {
    if negative { i64::MIN } else { i64::MAX }
}

/// `a · b`.
#[inline]
pub(crate) const fn mul(a: i64, b: i64) -> i64 {
    saturate(round_shift(a as i128 * b as i128, FRAC))
}

/// `a₀·b₀ + a₁·b₁ + a₂·b₂`, rounded once.
#[inline]
pub(crate) const fn dot(a: [i64; 3], b: [i64; 3]) -> i64 {
    let p0 = a[0] as i128 * b[0] as i128;
    let p1 = a[1] as i128 * b[1] as i128;
    let p2 = a[2] as i128 * b[2] as i128;
    // The true sum lies within ±3·2¹²⁶, so it may wrap; but a wrapped sum is at least 2¹²⁶ away
    // from zero and can't pass for one that fits.
    let rounded = round_shift(p0.wrapping_add(p1).wrapping_add(p2), FRAC);
    let narrow = rounded as i64;
    if narrow as i128 == rounded {
        narrow
    } else {
        limit((p0 >> 2) + (p1 >> 2) + (p2 >> 2) < 0)
    }
}

/// `a·b − c·d`, rounded once. The difference of two products always fits 128 bits.
#[inline]
pub(crate) const fn difference(a: i64, b: i64, c: i64, d: i64) -> i64 {
    saturate((a as i128 * b as i128 - c as i128 * d as i128 + HALF) >> FRAC)
}

/// `a·b + c·2³²`, rounded once.
#[inline]
pub(crate) const fn mul_add(a: i64, b: i64, c: i64) -> i64 {
    saturate(round_shift(
        a as i128 * b as i128 + ((c as i128) << FRAC),
        FRAC,
    ))
}

/// `a + (b − a)·t`, rounded once.
#[inline]
pub(crate) const fn lerp(a: i64, b: i64, t: i64) -> i64 {
    // The span is below 2⁶⁴ and its product with t fits; adding the start at the very edge may not.
    let product = (b as i128 - a as i128) * t as i128;
    saturate(
        product
            .saturating_add((a as i128) << FRAC)
            .saturating_add(HALF)
            >> FRAC,
    )
}

/// `a / b`, or `None` when `b` is zero or the quotient does not fit.
#[inline]
pub(crate) const fn checked_div(a: i64, b: i64) -> Option<i64> {
    let (numerator, divisor) = (a.unsigned_abs(), b.unsigned_abs());
    let high = numerator >> FRAC;
    if high >= divisor {
        return None;
    }
    let (quotient, rest) = div_rem(high, numerator << FRAC, divisor);
    // rest < divisor ≤ 2⁶³, so doubling fits. A tie goes up: away from zero only above it.
    let negative = (a < 0) != (b < 0);
    let up = if negative {
        rest * 2 > divisor
    } else {
        rest * 2 >= divisor
    };
    let Some(magnitude) = quotient.checked_add(up as u64) else {
        return None;
    };
    if negative {
        if magnitude > 1 << 63 {
            None
        } else {
            Some(0i64.wrapping_sub_unsigned(magnitude))
        }
    } else if magnitude > i64::MAX as u64 {
        None
    } else {
        Some(magnitude as i64)
    }
}

/// `a / b`, saturating; `±x / 0` is the limit with the sign of `x`, `0 / 0` is `0`.
#[inline]
pub(crate) const fn div(a: i64, b: i64) -> i64 {
    match checked_div(a, b) {
        Some(quotient) => quotient,
        None if a == 0 => 0,
        None => limit((a < 0) != (b < 0)),
    }
}

/// Quotient and remainder of the 128-bit `high:low` by `divisor`; needs `high < divisor`.
///
/// Schoolbook division in two 32-bit digits: 1.5 to 2 times faster than the compiler's 128-bit
/// division, and one instruction when `high` is zero.
#[inline]
pub(crate) const fn div_rem(high: u64, low: u64, divisor: u64) -> (u64, u64) {
    debug_assert!(high < divisor);
    if high == 0 {
        return (low / divisor, low % divisor);
    }
    let shift = divisor.leading_zeros();
    let divisor = divisor << shift;
    let numerator = (((high as u128) << 64) | low as u128) << shift;
    let (high, low) = ((numerator >> 64) as u64, numerator as u64);
    let (q1, rest) = div_digit(high, low >> 32, divisor);
    let (q0, rest) = div_digit(rest, low & DIGIT, divisor);
    ((q1 << 32) | q0, rest >> shift)
}

const DIGIT: u64 = u32::MAX as u64;

/// One digit of [`div_rem`]: divides `high·2³² + next` by a divisor with its top bit set.
#[inline(always)]
const fn div_digit(high: u64, next: u64, divisor: u64) -> (u64, u64) {
    let (d1, d0) = (divisor >> 32, divisor & DIGIT);
    let mut digit = high / d1;
    let mut rest = high % d1;
    // The estimate from the divisor's upper half is at most two too large.
    while digit > DIGIT || digit * d0 > ((rest << 32) | next) {
        digit -= 1;
        rest += d1;
        if rest > DIGIT {
            break;
        }
    }
    let rest = ((high << 32) | next).wrapping_sub(digit.wrapping_mul(divisor));
    (digit, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Magnitudes of every size, so that small, middle and extreme values are equally likely.
    fn any_size() -> impl Strategy<Value = u64> {
        (any::<u64>(), 0u32..64).prop_map(|(x, shift)| x >> shift)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn div_rem_agrees_with_the_compilers_128_bit_division(
            high in any_size(), low in any_size(), divisor in any_size()
        ) {
            let divisor = divisor.max(1);
            let high = high % divisor;
            let numerator = (u128::from(high) << 64) | u128::from(low);
            let (quotient, rest) = div_rem(high, low, divisor);
            prop_assert_eq!(u128::from(quotient), numerator / u128::from(divisor));
            prop_assert_eq!(u128::from(rest), numerator % u128::from(divisor));
        }
    }

    #[test]
    fn div_rem_is_right_where_the_digit_estimate_is_two_too_large() {
        for (high, low, divisor) in [
            (0x7fff_ffff_ffff_fffe, u64::MAX, 0x7fff_ffff_ffff_ffff),
            (0x8000_0000_0000_0000, 0, 0x8000_0000_ffff_ffff),
            (
                0x8000_0000_fffe_ffff,
                0xffff_ffff_0000_0000,
                0x8000_0000_ffff_0000,
            ),
            (u64::MAX - 1, u64::MAX, u64::MAX),
        ] {
            let numerator = (u128::from(high) << 64) | u128::from(low);
            let expected = (
                numerator / u128::from(divisor),
                numerator % u128::from(divisor),
            );
            let (quotient, rest) = div_rem(high, low, divisor);
            assert_eq!((u128::from(quotient), u128::from(rest)), expected);
        }
    }
}
