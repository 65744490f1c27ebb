//! Powers of one half in integers: the fraction of an error that is left at an age. Equal on every machine and for
//! every frame rate.

use core::time::Duration;
use isostep_core::Real;

/// Fractional bits of the table and of the product.
const FRAC: u32 = 63;

/// 2^(−1/2), 2^(−1/4), … with 63 fractional bits: each is the root of the one before.
const ROOTS: [u64; 32] = {
    let mut roots = [0; 32];
    let mut power: u128 = 1 << (FRAC - 1);
    let mut at = 0;
    while at < roots.len() {
        power = (power << FRAC).isqrt();
        roots[at] = power as u64;
        at += 1;
    }
    roots
};

/// 2^(−age / half life), within 1 ulp of a `Real`. Monotonic; exactly 1 at age 0 and ½ after a half life, and 0 after
/// 33 half lives; a half life of zero gives 0.
pub(super) fn left_after(age: Duration, half_life: Duration) -> Real {
    let half_lives = match half_life.as_nanos() {
        0 => return Real::ZERO,
        // An age is below 2⁹⁴ ns.
        nanos => (age.as_nanos() << 32) / nanos,
    };
    let whole = half_lives >> 32;
    if whole > 32 {
        return Real::ZERO;
    }
    // Each product loses less than 2⁻⁶², far less than one step of the exponent changes, so the result is monotonic.
    let mut power: u128 = 1 << FRAC;
    for (place, root) in (0..).zip(ROOTS) {
        if half_lives >> (31 - place) & 1 == 1 {
            power = (power * u128::from(root)) >> FRAC;
        }
    }
    let cut = FRAC - 32;
    Real::from_bits((((power >> whole) + (1 << (cut - 1))) >> cut) as i64)
}

/// Elapsed fraction of a span, 0 to 1, rounded down; 1 for an empty span.
pub(super) fn progress(age: Duration, span: Duration) -> Real {
    if age >= span {
        return Real::ONE;
    }
    Real::from_bits(((age.as_nanos() << 32) / span.as_nanos()) as i64)
}

/// Seconds of a span, rounded to nearest; at most 2³¹.
pub(super) fn seconds(span: Duration) -> Real {
    let bits = ((span.as_nanos() << 32) + 500_000_000) / 1_000_000_000;
    Real::from_bits(i64::try_from(bits).unwrap_or(i64::MAX))
}

/// A fraction of a span, 0 to 1, rounded down to nanoseconds.
pub(super) fn part_of(span: Duration, part: Real) -> Duration {
    let part = part.clamp(Real::ZERO, Real::ONE).to_bits() as u128;
    let nanos = span.as_nanos().saturating_mul(part) >> 32;
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use isostep_core::real;
    use proptest::prelude::*;

    const HALF_LIFE: Duration = Duration::from_millis(50);

    #[test]
    fn whole_half_lives_are_exact() {
        for count in 0..=32u32 {
            assert_eq!(left_after(HALF_LIFE * count, HALF_LIFE).to_bits(), 1 << (32 - count));
        }
        assert_eq!(left_after(HALF_LIFE * 33, HALF_LIFE), Real::ZERO);
        assert_eq!(left_after(Duration::MAX, Duration::from_nanos(1)), Real::ZERO);
        assert_eq!(left_after(Duration::ZERO, Duration::ZERO), Real::ZERO);
    }

    #[test]
    fn a_quarter_of_a_half_life_is_the_fourth_root() {
        // 2^(−1/4) = 0.840 896 415 253 714 5…
        let left = left_after(Duration::from_micros(12_500), HALF_LIFE);
        assert!(
            (left - real!(0.84089641529135406017303466796875)).abs() <= Real::EPSILON,
            "{left}"
        );
    }

    proptest! {
        #[test]
        fn it_never_grows(age in 0u64..2_000_000_000, more in 0u64..50_000_000, half in 1u64..500_000_000) {
            let left = |age| left_after(Duration::from_nanos(age), Duration::from_nanos(half));
            prop_assert!(left(age + more) <= left(age));
        }

        /// Two factors of ½ ulp each, and the product's own rounding.
        #[test]
        fn two_halves_make_a_whole_within_two_ulps(a in 0u64..200_000_000, b in 0u64..200_000_000) {
            let left = |age| left_after(Duration::from_nanos(age), HALF_LIFE);
            let apart = left(a) * left(b) - left(a + b);
            prop_assert!(apart.to_bits().abs() <= 2, "{}", apart.to_bits());
        }
    }
}
