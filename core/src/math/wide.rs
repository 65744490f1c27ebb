//! Integer kernels under every number type: 128-bit products with one rounding at the end,
//! saturation, exact division. They are independent of units.
//!
//! The whole crate has one rounding rule: to the nearest value, ties toward +∞. No kernel panics or
//! depends on the build profile.

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
    if narrow as i128 == value { narrow } else { limit(value < 0) }
}

#[cold]
#[inline(never)]
pub(crate) const fn limit(negative: bool) -> i64 {
    if negative { i64::MIN } else { i64::MAX }
}

/// A sum of products shifted back by [`FRAC`] and rounded. `None` if it does not fit or is within
/// rounding of the limit.
///
/// The rounding bit is added after the shift, on 33 bits that cannot overflow. On some processors
/// that has half the latency of a 128-bit addition and a double-width shift.
#[inline(always)]
const fn narrow(sum: i128) -> Option<i64> {
    let (high, low) = ((sum >> 64) as i64, sum as u64);
    // One less than the limit, so that rounding up always fits too.
    if (high.wrapping_add(1 << 31) as u64) < (1 << 32) - 1 {
        Some((high << FRAC).wrapping_add((((low >> (FRAC - 1)) + 1) >> 1) as i64))
    } else {
        None
    }
}

/// Fallback of [`narrow`] for sums at the limit of the range or beyond.
#[cold]
#[inline(never)]
const fn narrow_at_the_edge(sum: i128) -> i64 {
    saturate(sum.saturating_add(HALF) >> FRAC)
}

/// `a · b`.
#[inline]
pub(crate) const fn mul(a: i64, b: i64) -> i64 {
    let product = a as i128 * b as i128;
    match narrow(product) {
        Some(narrow) => narrow,
        None => narrow_at_the_edge(product),
    }
}

/// `a₀·b₀ + a₁·b₁ + a₂·b₂`, rounded once.
#[inline]
pub(crate) const fn dot(a: [i64; 3], b: [i64; 3]) -> i64 {
    let p0 = a[0] as i128 * b[0] as i128;
    let p1 = a[1] as i128 * b[1] as i128;
    let p2 = a[2] as i128 * b[2] as i128;
    // The true sum lies within ±3·2¹²⁶, so it may wrap. A wrapped sum is at least 2¹²⁶ away from
    // zero and cannot be mistaken for one that fits.
    let sum = p0.wrapping_add(p1).wrapping_add(p2);
    match narrow(sum) {
        Some(narrow) => narrow,
        None => dot_at_the_edge(p0, p1, p2),
    }
}

#[cold]
#[inline(never)]
const fn dot_at_the_edge(p0: i128, p1: i128, p2: i128) -> i64 {
    // Up to 3 below a quarter of the sum. From 2¹²⁴ on it is far out of range; below that no sum
    // wraps.
    let quarter = (p0 >> 2) + (p1 >> 2) + (p2 >> 2);
    if quarter.unsigned_abs() >= 1 << 124 {
        limit(quarter < 0)
    } else {
        narrow_at_the_edge(p0.wrapping_add(p1).wrapping_add(p2))
    }
}

/// `a·b − c·d`, rounded once. The difference of two products always fits 128 bits.
#[inline]
pub(crate) const fn difference(a: i64, b: i64, c: i64, d: i64) -> i64 {
    let sum = a as i128 * b as i128 - c as i128 * d as i128;
    match narrow(sum) {
        Some(narrow) => narrow,
        None => narrow_at_the_edge(sum),
    }
}

/// `a·b + c·2³²`, rounded once.
#[inline]
pub(crate) const fn mul_add(a: i64, b: i64, c: i64) -> i64 {
    let sum = a as i128 * b as i128 + ((c as i128) << FRAC);
    match narrow(sum) {
        Some(narrow) => narrow,
        None => narrow_at_the_edge(sum),
    }
}

/// `a + (b − a)·t`, rounded once.
#[inline]
pub(crate) const fn lerp(a: i64, b: i64, t: i64) -> i64 {
    // The span is below 2⁶⁴ and its product with t fits. Adding the start may overflow at the
    // limit.
    let product = (b as i128 - a as i128) * t as i128;
    narrow_at_the_edge(product.saturating_add((a as i128) << FRAC))
}

/// `a / b`, or `None` when `b` is zero or the quotient does not fit.
#[inline]
pub(crate) const fn checked_div(a: i64, b: i64) -> Option<i64> {
    let (numerator, divisor) = (a.unsigned_abs(), b.unsigned_abs());
    if numerator >> FRAC >= divisor {
        return None;
    }
    let (quotient, rest) = div_rem(numerator >> FRAC, numerator << FRAC, divisor);
    // rest < divisor ≤ 2⁶³, so doubling fits. A tie rounds up, which is away from zero only for
    // positive quotients.
    let negative = (a < 0) != (b < 0);
    let magnitude = quotient as u128 + (rest * 2 > divisor - !negative as u64) as u128;
    let signed = if negative { -(magnitude as i128) } else { magnitude as i128 };
    if signed as i64 as i128 == signed { Some(signed as i64) } else { None }
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
#[inline]
pub(crate) const fn div_rem(high: u64, low: u64, divisor: u64) -> (u64, u64) {
    debug_assert!(high < divisor);
    let numerator = (high as u128) << 64 | low as u128;
    let quotient = (numerator / divisor as u128) as u64;
    (quotient, low.wrapping_sub(quotient.wrapping_mul(divisor)))
}

/// A positive divisor for many divisions. Multiplies by a reciprocal and gives the same quotients
/// as division.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divisor {
    divisor: i64,
    /// 2⁶⁴ divided by the divisor; at most one too small.
    reciprocal: u64,
}

impl Divisor {
    /// Accepts divisors from 1 to 2⁶².
    #[inline]
    pub(crate) const fn new(divisor: i64) -> Self {
        debug_assert!(divisor > 0 && divisor <= 1 << 62);
        Self { divisor, reciprocal: u64::MAX / divisor as u64 }
    }

    /// The floor of the quotient.
    #[inline(always)]
    pub(crate) const fn floor(self, numerator: i64) -> i64 {
        // The error of the reciprocal changes the product by at most ½, so the quotient is off by
        // at most one.
        let guess = ((numerator as i128 * self.reciprocal as i128) >> 64) as i64;
        let rest = numerator.wrapping_sub(guess.wrapping_mul(self.divisor));
        guess + (rest >= self.divisor) as i64 - (rest < 0) as i64
    }
}

/// A rate per second as a divisor. Quotients round to nearest, ties up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    rate: i64,
    twice: Divisor,
}

impl Rate {
    /// Accepts rates from 1 to 2³².
    #[inline]
    pub(crate) const fn new(rate: i64) -> Self {
        Self { rate, twice: Divisor::new(2 * rate) }
    }

    /// Divides a numerator below 2⁶¹.
    #[inline(always)]
    pub(crate) const fn divide(self, numerator: i64) -> i64 {
        self.twice.floor(2 * numerator + self.rate)
    }
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

        #[test]
        fn a_divisor_divides_as_the_processor_does(
            numerator in any_size(), negative in any::<bool>(), divisor in any_size()
        ) {
            let divisor = (divisor >> 2).max(1) as i64;
            let numerator = if negative { (numerator as i64).wrapping_neg() } else { numerator as i64 };
            check_divisor(numerator, divisor);
            // A wrong guess shows first around a multiple.
            let multiple = numerator.wrapping_div(divisor).wrapping_mul(divisor);
            for near in -2..=2 {
                check_divisor(multiple.saturating_add(near), divisor);
            }
        }

        #[test]
        fn a_rate_rounds_to_nearest_with_ties_up(numerator in any_size(), rate in 1..1i64 << 32) {
            for numerator in [(numerator >> 3) as i64, -((numerator >> 3) as i64)] {
                let twice = 2 * i128::from(numerator) + i128::from(rate);
                let nearest = twice.div_euclid(2 * i128::from(rate)) as i64;
                prop_assert_eq!(Rate::new(rate).divide(numerator), nearest);
            }
        }
    }

    fn check_divisor(numerator: i64, divisor: i64) {
        let floor = numerator.div_euclid(divisor);
        assert_eq!(Divisor::new(divisor).floor(numerator), floor, "{numerator} / {divisor}");
    }

    #[test]
    fn a_divisor_is_right_at_the_edges() {
        for divisor in [1, 2, 3, 60, 480, 960, i64::from(u32::MAX), (1 << 62) - 1, 1 << 62] {
            for numerator in [i64::MIN, i64::MIN + 1, -divisor, -1, 0, 1, divisor, i64::MAX] {
                check_divisor(numerator, divisor);
            }
        }
    }

    #[test]
    fn div_rem_is_right_where_the_digit_estimate_is_two_too_large() {
        for (high, low, divisor) in [
            (0x7fff_ffff_ffff_fffe, u64::MAX, 0x7fff_ffff_ffff_ffff),
            (0x8000_0000_0000_0000, 0, 0x8000_0000_ffff_ffff),
            (0x8000_0000_fffe_ffff, 0xffff_ffff_0000_0000, 0x8000_0000_ffff_0000),
            (u64::MAX - 1, u64::MAX, u64::MAX),
        ] {
            let numerator = (u128::from(high) << 64) | u128::from(low);
            let expected = (numerator / u128::from(divisor), numerator % u128::from(divisor));
            let (quotient, rest) = div_rem(high, low, divisor);
            assert_eq!((u128::from(quotient), u128::from(rest)), expected);
        }
    }
}
