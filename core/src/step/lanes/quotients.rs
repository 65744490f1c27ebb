//! Exact quotients for eight lanes. The loops are plain and have no branches; they are inlined into a copy for each
//! width, where the compiler vectorises them. A floating-point guess is checked with integers, so results do not depend
//! on floats. A wrong guess, which IEEE rounding excludes, falls back to integer division.

use super::pack::{Eight, Eights, WIDTH};

/// Added to a float from 0 to 2⁵¹, this leaves it in the last bits, rounded to an integer.
const ROOM_BITS: u64 = 0x433 << 52;
#[allow(clippy::disallowed_types, reason = "a seed; what follows makes the result exact")]
const ROOM: f64 = (1u64 << 52) as f64;

/// Effective masses 1 / k with 30 fractional bits, at most 1.9, for k with 22 fractional bits. Smaller k are raised to
/// just above a half.
#[inline(always)]
pub(super) fn effective_masses(k: &[i32; WIDTH]) -> [i32; WIDTH] {
    const ALMOST_TWO: i32 = ((19 << 30) / 10i64) as i32;
    // The quotient of a raised value is above the limit and still fits.
    let raised = each(k, |k| k.max((1 << 21) + 1));
    each(&reciprocals::<52>(&raised), |effective_mass| effective_mass.min(ALMOST_TWO))
}

/// Returns the least effective masses over all directions for symmetric matrices of 11, 12 and 22, or a little less: the largest eigenvalue
/// is at most the larger diagonal entry and the size of the other one.
#[inline(always)]
pub(super) fn least_masses([k11, k12, k22]: &Eights<30>) -> [i32; WIDTH] {
    let mut largest = [0; WIDTH];
    for lane in 0..WIDTH {
        largest[lane] = k11.0[lane].max(k22.0[lane]).saturating_add(k12.0[lane].saturating_abs());
    }
    effective_masses(&largest)
}

/// Returns impulse caps that bound every product of an impulse and a response to 2²⁷, from the largest response. Beyond the cap
/// a contact gets soft instead of unstable.
#[inline(always)]
pub(super) fn impulse_caps(largest: &[i32; WIDTH]) -> [i32; WIDTH] {
    // Raised values give the largest cap, 2²⁸.
    reciprocals::<{ 27 + 22 }>(&each(largest, |largest| largest.max(1 << 21)))
}

/// Returns caps of sliding impulses, which bound the products to 2²⁸: an impulse that stops a spin at the speed cap is below.
#[inline(always)]
pub(super) fn sliding_caps(largest: &[i32; WIDTH]) -> [i32; WIDTH] {
    reciprocals::<{ 28 + 22 }>(&each(largest, |largest| largest.max(1 << 22)))
}

/// Writes bound / max(most, 2·oblique), at most 1, with 30 fractional bits, for the first `N` lanes of the three sizes.
#[inline(always)]
pub(super) fn portions<const N: usize>(
    [bound, most, oblique]: &[Eight<20>; 3],
    factors: &mut Eight<30>,
) {
    let (mut bounds, mut sizes) = ([0; N], [0; N]);
    for lane in 0..N {
        bounds[lane] = i64::from(bound.0[lane]);
        sizes[lane] = i64::from(most.0[lane]).max(2 * i64::from(oblique.0[lane])).max(1);
    }
    factors.0[..N].copy_from_slice(&fractions(&bounds, &sizes));
}

/// Inverts a symmetric matrix of 11, 12 and 22.
#[inline(always)]
pub(super) fn invert(matrix: &mut Eights<30>) {
    let [k11, k12, k22] = [wide(&matrix[0].0), wide(&matrix[1].0), wide(&matrix[2].0)];
    let mut determinants = [0; WIDTH];
    let mut negative = [0; WIDTH];
    for lane in 0..WIDTH {
        // Two products of 31-bit values leave room for their difference.
        let determinant = k11[lane] * k22[lane] - k12[lane] * k12[lane];
        determinants[lane] = (determinant >> 22).max(1);
        negative[lane] = -k12[lane];
    }
    for (entry, k) in matrix.iter_mut().zip([&k22, &negative, &k11]) {
        entry.0 = fractions(k, &determinants);
    }
}

#[inline(always)]
fn wide(values: &[i32; WIDTH]) -> [i64; WIDTH] {
    let mut wide = [0; WIDTH];
    for lane in 0..WIDTH {
        wide[lane] = i64::from(values[lane]);
    }
    wide
}

#[inline(always)]
fn each(values: &[i32; WIDTH], f: impl Fn(i32) -> i32) -> [i32; WIDTH] {
    let mut out = [0; WIDTH];
    for lane in 0..WIDTH {
        out[lane] = f(values[lane]);
    }
    out
}

/// Returns 2^SHIFT / k, rounded down, for each k. All k must be positive and large enough for the quotients to fit.
#[inline(always)]
#[allow(clippy::disallowed_types, reason = "a seed; what follows makes the result exact")]
pub(super) fn reciprocals<const SHIFT: u32>(divisors: &[i32; WIDTH]) -> [i32; WIDTH] {
    let numerator = 1i64 << SHIFT;
    let mut quotients = [0; WIDTH];
    let mut wrong = 0;
    for lane in 0..WIDTH {
        let divisor = i64::from(divisors[lane]);
        let guess = (numerator as f64 / f64::from(divisors[lane]) + ROOM).to_bits() as i32;
        let (less, bad) = settle(numerator - i64::from(guess) * divisor, divisor);
        quotients[lane] = guess.wrapping_add(less);
        wrong |= bad;
    }
    if wrong < 0 {
        quotients = divisors.map(|divisor| (numerator / i64::from(divisor)) as i32);
    }
    quotients
}

/// Returns |k| / divisor, rounded down and at most 1, with the sign of k and 30 fractional bits. Divisors are from 1 to
/// 2⁴¹.
#[inline(always)]
#[allow(clippy::disallowed_types, reason = "a seed; what follows makes the result exact")]
pub(super) fn fractions<const N: usize>(k: &[i64; N], divisors: &[i64; N]) -> [i32; N] {
    let mut quotients = [0; N];
    let mut wrong = 0;
    for lane in 0..N {
        let divisor = divisors[lane];
        let size = k[lane].abs().min(divisor);
        let float = |bits: i64| f64::from_bits(bits as u64 | ROOM_BITS) - ROOM;
        let fraction = float(size) * (1u64 << 30) as f64 / float(divisor);
        let guess = (fraction + ROOM).to_bits() as i32;
        let rest = (size << 30).wrapping_sub(i64::from(guess).wrapping_mul(divisor));
        let (less, bad) = settle(rest, divisor);
        let sign = (k[lane] >> 63) as i32;
        quotients[lane] = (guess.wrapping_add(less) ^ sign).wrapping_sub(sign);
        wrong |= bad;
    }
    if wrong < 0 {
        for lane in 0..N {
            let size = ((k[lane].abs() << 30) / divisors[lane]).min(1 << 30) as i32;
            quotients[lane] = if k[lane] < 0 { -size } else { size };
        }
    }
    quotients
}

/// Returns the correction of a quotient with this remainder, 0 or −1, since the guess was rounded to the nearest; and a
/// negative number if the quotient is wrong after it.
#[inline(always)]
const fn settle(rest: i64, divisor: i64) -> (i32, i64) {
    let less = rest >> 63;
    let rest = rest.wrapping_add(less & divisor);
    (less as i32, rest | (divisor - 1).wrapping_sub(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn quotients_from_floats_match_integers(
            k in (1i64 << 21) + 1..1 << 31, divisor in 1i64..=1 << 41, shift in 0u32..41
        ) {
            // Includes values just above, at and below a divisor of the numerator.
            let near = (1i64 << 52) / k;
            let all = [k, near, near - 1, near + 1, 1 << 22, i64::from(i32::MAX), (1 << 21) + 1, k | 1];
            let divisors = all.map(|k| k.clamp((1 << 21) + 1, i64::from(i32::MAX)) as i32);
            prop_assert_eq!(reciprocals::<52>(&divisors), divisors.map(|k| ((1 << 52) / i64::from(k)) as i32));
            prop_assert_eq!(reciprocals::<49>(&divisors), divisors.map(|k| ((1 << 49) / i64::from(k)) as i32));
            prop_assert_eq!(reciprocals::<50>(&divisors), divisors.map(|k| ((1 << 50) / i64::from(k)) as i32));
            let divisor = (divisor >> shift).max(1);
            let k = [k, -k, 0, 1 << 31, divisor.min(1 << 31), divisor.min(k) - 1, 1, -1];
            let fraction = |k: i64| ((k.abs() << 30) / divisor).min(1 << 30) * k.signum();
            prop_assert_eq!(fractions(&k, &[divisor; WIDTH]), k.map(|k| fraction(k) as i32));
        }
    }

    #[test]
    fn a_wrong_guess_is_detected() {
        for guess in -3..=3 {
            // 100 / 7 = 14, remainder 2.
            let (less, bad) = settle(100 - (14 + guess) * 7, 7);
            let right = guess == 0 || guess == 1;
            assert_eq!(bad >= 0, right);
            assert!(!right || guess + i64::from(less) == 0);
        }
    }
}
