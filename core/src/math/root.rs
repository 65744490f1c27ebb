//! Exact integer square roots, and vector lengths and directions based on them.
//!
//! This is the only place in the simulation that may use floats (law 2). `f64::sqrt` gives a first
//! guess, and exact integer comparisons correct it, so the result does not depend on the guess. The
//! tests pass wrong guesses to prove it.

/// `√n` rounded to nearest. The square root of an integer is never halfway between two integers.
#[inline]
pub(crate) fn sqrt_nearest(n: u128) -> u64 {
    if n <= 1 << 104 { sqrt_nearest_narrow(n) } else { sqrt_nearest_wide(n) }
}

/// Up to 2¹⁰⁴ the float root is off by at most one.
#[inline(always)]
fn sqrt_nearest_narrow(n: u128) -> u64 {
    nearest_from(n, (seed(n) + 0.5) as i64 as u64)
}

/// Beyond 2¹⁰⁴ the 53 bits of a float leave an error of up to 2¹¹, so one step of Heron's method
/// comes first.
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

/// The nearest root from a guess. The guess is nearly always right and is then returned unchanged.
#[inline(always)]
fn nearest_from(n: u128, guess: u64) -> u64 {
    let s = u128::from(guess);
    // s² − s < n ≤ s² + s in one unsigned comparison: n − s² + s − 1 lies from 0 to 2s − 1. A
    // negative difference wraps to at least 3·2⁶⁴ for every s, which is beyond 2s.
    if n.wrapping_sub(s * s).wrapping_add(s).wrapping_sub(1) < 2 * s {
        guess
    } else {
        repair_root(n, guess)
    }
}

/// Steps from any guess to the s with (s − ½)² < n < (s + ½)², that is with s² − s < n ≤ s² + s.
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
    // Signed products of equal factors are one instruction each and never negative.
    v.iter().map(|c| (i128::from(*c) * i128::from(*c)) as u128).sum()
}

/// A vector scaled by a power of two so that its largest component fills 51 bits, with its square and
/// the reciprocal of its length.
pub(crate) struct Scaled<const N: usize> {
    /// The components, `v · 2^shift`.
    v: [i64; N],
    /// Binary exponent of the scale. Negative if the vector was scaled down.
    pub(crate) shift: i32,
    /// The squared length of the scaled vector, from 2¹⁰⁰ up to 2¹⁰⁴.
    square: u128,
    /// 2⁵⁰/length with 63 fractional bits. Signed, because its factors are signed.
    reciprocal: i64,
}

const SCALED_BITS: i32 = 51;
/// Binary point of a component times the reciprocal: 50 + 63.
const PRODUCT_FRAC: u32 = 113;

impl<const N: usize> Scaled<N> {
    /// Returns `None` for the zero vector. No vector overflows, and the smallest vector keeps its
    /// direction.
    #[inline]
    pub(crate) fn new(v: [i64; N]) -> Option<Self> {
        let largest = v.iter().fold(0, |bits, c| bits | c.unsigned_abs());
        if largest == 0 {
            return None;
        }
        let shift = SCALED_BITS - (64 - largest.leading_zeros() as i32);
        let v = if shift >= 0 { v.map(|c| c << shift) } else { v.map(|c| c >> -shift) };
        // Four components of exactly −2⁵¹ would exceed the bound by one.
        let square = length_squared(v).min((1 << 104) - 1);
        Some(Self { v, shift, square, reciprocal: inverse_root((square >> 40) as u64) as i64 })
    }

    /// The length of the scaled vector to the nearest integer, from 2⁵⁰ to 2⁵².
    pub(crate) fn length(&self) -> u64 {
        sqrt_nearest(self.square)
    }

    /// Component `axis` of the direction with `frac` fractional bits (at most 60), within
    /// ½ + 2^(frac − 46) ulp.
    #[inline]
    pub(crate) fn direction(&self, axis: usize, frac: u32) -> i64 {
        let product = i128::from(self.v[axis]) * i128::from(self.reciprocal);
        super::wide::round_shift(product, PRODUCT_FRAC - frac) as i64
    }
}

/// 1/√x with 63 fractional bits, within 2⁻⁴⁸ of its size, for x from 1 up to 16 with 60 fractional bits.
///
/// A linear interpolation in a table, precise to 2⁻¹³, and two Newton steps, each of which doubles
/// the precision. It takes three quarters of the time of a float seed, which would need a
/// correction.
#[inline]
fn inverse_root(x: u64) -> u64 {
    let entry = TABLE[((x >> 55) as usize).wrapping_sub(FIRST_CELL).min(CELLS - 1)];
    let step = (x >> 39) & 0xffff;
    let guess = (u64::from(entry >> 16) << 47) - ((u64::from(entry & 0xffff) * step) << 31);
    newton_step(x, newton_step(x, guess))
}

/// r·(3 − x·r²)/2.
#[inline(always)]
fn newton_step(x: u64, r: u64) -> u64 {
    let high = |a: u64, b: u64| ((u128::from(a) * u128::from(b)) >> 64) as u64;
    // 62 fractional bits, then 58.
    let product = high(x, high(r, r));
    high(r, ((3 << 58) - product) << 4) << 1
}

/// Cells of the table: x from 1 to 16 in steps of 1/32.
const CELLS: usize = 480;
const FIRST_CELL: usize = 32;

/// 1/√x at the start of each cell and its decrease over the cell, both with 16 fractional bits.
const TABLE: [u32; CELLS] = {
    let mut table = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let (start, end) = (table_root(cell + FIRST_CELL), table_root(cell + FIRST_CELL + 1));
        table[cell] = start << 16 | (start - end);
        cell += 1;
    }
    table
};

/// √(32/x) with 16 fractional bits. The first one is clamped to fit.
const fn table_root(x: usize) -> u32 {
    let root = ((1u64 << 37) / x as u64).isqrt();
    if root > u16::MAX as u64 { u16::MAX as u32 } else { root as u32 }
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
        fn the_inverse_root_is_within_its_bound(x in any::<u64>()) {
            check_inverse_root(x.max(1 << 60));
        }
    }

    /// |1 − x·r²| ≤ 2⁻⁴⁷ is |1 − r·√x| ≤ 2⁻⁴⁸.
    fn check_inverse_root(x: u64) {
        let r = u128::from(inverse_root(x));
        // r² keeps 62 fractional bits; x has 60.
        let product = ((r * r) >> 64) * u128::from(x);
        assert!(product.abs_diff(1 << 122) <= 1 << 75, "1/√({x}·2⁻⁶⁰) came out as {r}·2⁻⁶³");
    }

    #[test]
    fn the_inverse_root_is_within_its_bound_at_the_ends_of_every_cell() {
        for cell in 32..512u64 {
            for x in [
                cell << 55,
                (cell << 55) + 1,
                (cell << 55) + (1 << 54),
                ((cell + 1) << 55).wrapping_sub(1),
            ] {
                check_inverse_root(x);
            }
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
