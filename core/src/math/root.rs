//! Exact integer square roots, and the length and direction of vectors built on them.
//!
//! This is the one place in the simulation where floats may appear (law 2): `f64::sqrt` and one
//! division give a first guess, exact integer comparisons repair it, and the result is the same
//! whatever the guess was. The tests feed wrong guesses to prove it.

/// `√n` rounded to nearest; the square root of an integer is never halfway between two.
#[inline]
pub(crate) fn sqrt_nearest(n: u128) -> u64 {
    if n <= 1 << 104 { sqrt_nearest_narrow(n) } else { sqrt_nearest_wide(n) }
}

/// Up to 2¹⁰⁴ a float's root is off by one at most.
#[inline(always)]
fn sqrt_nearest_narrow(n: u128) -> u64 {
    nearest_from(n, (seed(n) + 0.5) as i64 as u64)
}

/// Beyond that the 53 bits of a float leave it up to 2¹¹ off: one step of Heron's rule first.
#[cold]
fn sqrt_nearest_wide(n: u128) -> u64 {
    let s = u128::from(seed(n) as u64);
    nearest_from(n, u64::try_from(u128::midpoint(s, n / s)).unwrap_or(u64::MAX))
}

/// The largest `s` with `s² ≤ n`.
#[inline]
pub(crate) fn isqrt(n: u128) -> u64 {
    let nearest = sqrt_nearest(n);
    nearest - u64::from(u128::from(nearest) * u128::from(nearest) > n)
}

/// About `√n`, to within 2⁻⁵² of its size.
#[inline(always)]
#[allow(clippy::disallowed_types, reason = "a seed; nearest_from makes the result exact")]
fn seed(n: u128) -> f64 {
    const HIGH_WORD: f64 = (1u128 << 64) as f64;
    // Two conversions from 64 bits are faster than one from 128.
    ((n >> 64) as u64 as f64 * HIGH_WORD + n as u64 as f64).sqrt()
}

/// The nearest root from a guess: the guess itself when it is right, as it nearly always is.
#[inline(always)]
fn nearest_from(n: u128, guess: u64) -> u64 {
    let s = u128::from(guess);
    // s² − s < n ≤ s² + s in one unsigned comparison: n − s² + s − 1 lies from 0 to 2s − 1. What falls short of 0
    // wraps to 3·2⁶⁴ or more, whatever s, and so beyond 2s.
    if n.wrapping_sub(s * s).wrapping_add(s).wrapping_sub(1) < 2 * s {
        guess
    } else {
        repair_root(n, guess)
    }
}

/// Walks from any guess to the s with (s − ½)² < n < (s + ½)², that is with s² − s < n ≤ s² + s.
#[cold]
fn repair_root(n: u128, guess: u64) -> u64 {
    let mut s = guess;
    while s > 0 && u128::from(s) * u128::from(s - 1) >= n {
        s -= 1;
    }
    while s < u64::MAX && u128::from(s) * u128::from(s + 1) < n {
        s += 1;
    }
    s
}

/// The squared length of a raw vector, exact. Three components of any size fit.
#[inline]
pub(crate) fn length_squared<const N: usize>(v: [i64; N]) -> u128 {
    // Signed products of equal factors: one instruction each, and never negative.
    v.iter().map(|c| (i128::from(*c) * i128::from(*c)) as u128).sum()
}

/// A vector scaled by a power of two so that its largest component fills 51 bits, with its length
/// and the reciprocal of that.
pub(crate) struct Scaled<const N: usize> {
    /// The components, `v · 2^shift`.
    pub(crate) v: [i64; N],
    /// Binary exponent of the scale; negative where the vector was made smaller.
    pub(crate) shift: i32,
    /// |v| of the scaled vector to the nearest integer, from 2⁵⁰ to 2⁵².
    pub(crate) length: u64,
    /// 2¹⁰²/length to the nearest integer. Signed, because it meets signed factors.
    reciprocal: i64,
}

const SCALED_BITS: i32 = 51;
const RECIPROCAL_SHIFT: u32 = 102;

impl<const N: usize> Scaled<N> {
    /// `None` for the zero vector. Nothing overflows and the smallest vector keeps its direction.
    #[inline]
    pub(crate) fn new(v: [i64; N]) -> Option<Self> {
        let largest = v.iter().fold(0, |bits, c| bits | c.unsigned_abs());
        if largest == 0 {
            return None;
        }
        let shift = SCALED_BITS - (64 - largest.leading_zeros() as i32);
        let v = if shift >= 0 { v.map(|c| c << shift) } else { v.map(|c| c >> -shift) };
        let square = length_squared(v);
        let (length, reciprocal) = scaled_seeds(square);
        let length = nearest_from(square, length);
        let reciprocal = reciprocal_from(length, reciprocal) as i64;
        Some(Self { v, shift, length, reciprocal })
    }

    /// Component `axis` of the direction with `frac` fractional bits (at most 60), within
    /// ½ + 2^(frac − 48) ulp.
    #[inline]
    pub(crate) fn direction(&self, axis: usize, frac: u32) -> i64 {
        let product = i128::from(self.v[axis]) * i128::from(self.reciprocal);
        super::wide::round_shift(product, RECIPROCAL_SHIFT - frac) as i64
    }
}

/// The root s of a number from 2¹⁰⁰ to 2¹⁰⁴, and 2¹⁰²/s, both as the nearest integer or next to it.
#[inline(always)]
#[allow(clippy::disallowed_types, reason = "seeds; their callers make the results exact")]
fn scaled_seeds(square: u128) -> (u64, u64) {
    const SHIFT: u32 = 42;
    const ROOT_SHIFT: f64 = (1u64 << (SHIFT / 2)) as f64;
    const NUMERATOR: f64 = (1u128 << RECIPROCAL_SHIFT) as f64;
    // Added to 2⁵², a float of at most 2⁵² is rounded, and its mantissa is the integer. A cast would
    // look at NaN and the limits, which takes longer than the root.
    const MANTISSA: f64 = (1u64 << 52) as f64;
    let integer = |shifted: f64| shifted.to_bits().wrapping_sub(MANTISSA.to_bits());
    let root = ((square >> SHIFT) as u64 as f64).sqrt() * ROOT_SHIFT + MANTISSA;
    let reciprocal = NUMERATOR / (root - MANTISSA) + MANTISSA;
    (integer(root), integer(reciprocal))
}

/// 2¹⁰²/length to the nearest integer, for a length from 2⁵⁰ to 2⁵², from a guess. It is never halfway
/// between two: the length would have to divide 2¹⁰³ but not 2¹⁰².
#[inline(always)]
fn reciprocal_from(length: u64, guess: u64) -> u64 {
    let length = u128::from(length);
    let rest = (1u128 << RECIPROCAL_SHIFT).wrapping_sub(u128::from(guess) * length);
    // Twice the rest lies between −length and length, in one unsigned comparison.
    if rest.wrapping_mul(2).wrapping_add(length) < 2 * length {
        guess
    } else {
        repair_reciprocal(length)
    }
}

/// A guess was off: divide.
#[cold]
fn repair_reciprocal(length: u128) -> u64 {
    (((1u128 << RECIPROCAL_SHIFT) + length / 2) / length) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_size() -> impl Strategy<Value = u128> {
        (any::<u128>(), 0u32..128).prop_map(|(x, shift)| x >> shift)
    }

    fn assert_floor_root(n: u128, s: u64) {
        let s = u128::from(s);
        assert!(s * s <= n, "{s}² > {n}");
        assert!(s == u128::from(u64::MAX) || (s + 1) * (s + 1) > n, "({s} + 1)² ≤ {n}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn isqrt_is_the_floor_of_the_root(n in any_size()) {
            assert_floor_root(n, isqrt(n));
        }

        #[test]
        fn isqrt_is_exact_around_perfect_squares(s in any::<u64>(), shift in 0u32..64) {
            let s = s >> shift;
            let square = u128::from(s) * u128::from(s);
            prop_assert_eq!(isqrt(square), s);
            prop_assert_eq!(isqrt(square.saturating_sub(1)), s.saturating_sub(1));
            prop_assert_eq!(isqrt(square + u128::from(s)), s);
        }

        #[test]
        fn the_float_seed_never_shows(n in any_size(), error in -3000i64..3000) {
            let right = sqrt_nearest(n);
            prop_assert_eq!(nearest_from(n, right.saturating_add_signed(error)), right);
        }

        #[test]
        fn the_reciprocal_does_not_depend_on_its_seed(
            length in (1u64 << 50)..(1 << 52), error in -3000i64..3000
        ) {
            let right = ((1u128 << 103) / u128::from(length)).div_ceil(2) as u64;
            prop_assert_eq!(reciprocal_from(length, right.saturating_add_signed(error)), right);
        }
    }

    #[test]
    fn seeds_are_next_to_what_they_stand_for() {
        for square in
            [1u128 << 100, (1 << 104) - 1, 1 << 104, 3 << 101, 0x0123_4567_89ab_cdef << 44]
        {
            let (root, reciprocal) = scaled_seeds(square);
            let right = sqrt_nearest(square);
            assert!(root.abs_diff(right) <= 1);
            assert!(reciprocal.abs_diff(reciprocal_from(right, reciprocal)) <= 1);
        }
    }

    #[test]
    fn isqrt_is_right_at_the_edges() {
        let big = u128::from(u64::MAX);
        for n in [0, 1, 2, 3, 4, big, big * big - 1, big * big, big * big + 1, u128::MAX] {
            assert_floor_root(n, isqrt(n));
        }
        for bits in 0..128 {
            for n in [(1u128 << bits) - 1, 1 << bits, (1 << bits) + 1] {
                assert_floor_root(n, isqrt(n));
            }
        }
    }
}
