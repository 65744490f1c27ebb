//! Sine, arc tangent and related functions, in integers only.
//!
//! One wrapping 128-bit product converts an angle to quarter turns, so even 2³¹ radians reduce
//! without loss. A polynomial in 62-bit fixed point follows. The kernels work on magnitudes and
//! restore signs at the end, so `sin(-x) == -sin(x)` and `cos(-x) == cos(x)` hold to the bit.
//! `tests/functions.rs` checks the documented bounds against big-integer series.

use super::wide::{self, FRAC};
use super::{Real, root};

/// 2/π with 94 fractional bits. Multiplied by a raw `Real` it counts quarter turns in units of
/// 2⁻¹²⁶, so wrapping at 2¹²⁸ is wrapping at a full turn.
const QUARTERS_PER_RADIAN: u128 = 0x28be_60db_9391_054a_7f09_d5f4;

/// (π/2)ⁿ/n! for n = 1, 3, … 13 with 62 fractional bits. The next term is below 2⁻⁴⁵.
const SIN: [i64; 7] = [
    0x6487_ed51_10b4_611a,
    0x2957_79cc_4b7c_a57d,
    0x0519_af19_dd6a_b875,
    0x004c_b4b3_398a_f617,
    0x0002_a0f0_690f_dcf0,
    0x0000_0f18_3a7e_f444,
    0x0000_003d_1e86_9a03,
];

/// (π/2)ⁿ/n! for n = 0, 2, … 12 with 62 fractional bits. The next term is below 2⁻⁴¹.
const COS: [i64; 7] = [
    0x4000_0000_0000_0000,
    0x4ef4_f326_f917_7969,
    0x103c_1f08_1b5a_c3b3,
    0x0155_d3c7_e3cb_ffa0,
    0x000f_0fa8_3448_dd5d,
    0x0000_69b4_7ca8_812a,
    0x0000_01f9_d38a_3764,
];

/// Fractional bits of the results of [`sin_cos`].
pub(crate) const UNIT_FRAC: u32 = 62;

/// Sine and cosine, with [`UNIT_FRAC`] bits, of `angle · 2^-(32 + shift)` radians.
#[inline]
pub(crate) const fn sin_cos(angle: u64, shift: u32) -> (i64, i64) {
    let turn = (angle as u128).wrapping_mul(QUARTERS_PER_RADIAN >> shift);
    // The upper two bits are the quadrant, the others the fraction of it. Past the middle the
    // fraction is measured back from the next quadrant.
    let quadrant = ((turn >> 126) + ((turn >> 125) & 1)) & 3;
    let f = (turn << 2) as i128 >> 64;
    let z = (f * f) >> 64;
    let s = ((f * series(&SIN, z) as i128) >> 64) as i64;
    let c = series(&COS, z);
    match quadrant {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

/// c₀ − z·(c₁ − z·(c₂ − …)), z with 64 fractional bits.
#[inline(always)]
const fn series(coefficients: &[i64; 7], z: i128) -> i64 {
    let mut sum = coefficients[6];
    let mut n = 6;
    while n > 0 {
        n -= 1;
        sum = coefficients[n] - ((z * sum as i128) >> 64) as i64;
    }
    sum
}

/// Fractional bits of angles inside this file.
const ANGLE_FRAC: u32 = 61;
const PI: i64 = 0x6487_ed51_10b4_611a;
const FRAC_PI_2: i64 = 0x3243_f6a8_885a_308d;

/// atan(i/32) with [`ANGLE_FRAC`] bits.
const ATAN: [i64; 33] = [
    0x0000_0000_0000_0000,
    0x00ff_eaad_dd4b_b125,
    0x01ff_55bb_72cf_de9c,
    0x02fd_c304_c05e_21d2,
    0x03fa_b753_5585_edb9,
    0x04f5_bbba_3198_9b16,
    0x05ee_5ed2_f396_c08a,
    0x06e4_35d4_a498_2881,
    0x07d6_dd7e_4b20_3759,
    0x08c5_fad1_85f8_bc13,
    0x09b1_3b9b_83f5_e5e7,
    0x0a98_56cc_a8e6_a4ee,
    0x0b7b_0ca0_f26f_7847,
    0x0c59_269c_a50d_92b7,
    0x0d32_7761_e611_fe5b,
    0x0e06_da64_a764_f7c6,
    0x0ed6_3382_b0dd_a7b4,
    0x0fa0_6e85_aa0a_0be6,
    0x1065_7e94_db30_cfc5,
    0x1125_5d9b_fbd2_a8f7,
    0x11e0_0bab_defe_b3f3,
    0x1295_8e59_308e_30df,
    0x1345_f01c_ce37_bb44,
    0x13f1_3fb8_9e96_f43e,
    0x1497_8fa3_269e_e125,
    0x1538_f57b_8906_1eb9,
    0x15d5_8987_169b_1810,
    0x166d_6639_23e0_86d2,
    0x1700_a7c5_7846_33ce,
    0x178f_6bbd_5d31_5e50,
    0x1819_d0b7_158a_4cc8,
    0x189f_f5ff_57f1_f7ab,
    0x1921_fb54_442d_1847,
];

/// 1, 1/3, 1/5, 1/7 with 63 fractional bits.
const ODD_RECIPROCALS: [u64; 4] =
    [1 << 63, 0x2aaa_aaaa_aaaa_aaab, 0x1999_9999_9999_999a, 0x1249_2492_4924_9249];

/// The angle of the point (x, y) in the first quadrant, with [`ANGLE_FRAC`] bits; 0 for the origin.
pub(crate) const fn first_quadrant(y: u64, x: u64) -> i64 {
    let (low, high) = if y < x { (y, x) } else { (x, y) };
    if high == 0 {
        return 0;
    }
    let shift = high.leading_zeros();
    let (low, high) = (low << shift, high << shift);
    // Rotates the point back by the nearest angle of the table. The remaining angle is at most
    // about 1/64.
    let index = ((low >> 32) * 64 / (high >> 32)).div_ceil(2);
    let numerator = low as i128 * 32 - index as i128 * high as i128;
    let denominator = ((high as u128 * 32 + index as u128 * low as u128) >> 6) as u64;
    let magnitude = numerator.unsigned_abs();
    let (u, _) = wide::div_rem((magnitude >> 2) as u64, (magnitude << 62) as u64, denominator);
    // u has 68 fractional bits, z 72, and u⁹/9 is below 2⁻⁵⁶.
    let z = (u as u128 * u as u128) >> 64;
    let mut sum = ODD_RECIPROCALS[3] as u128;
    let mut n = 3;
    while n > 0 {
        n -= 1;
        sum = ODD_RECIPROCALS[n] as u128 - ((z * sum) >> 72);
    }
    let rest = ((u as u128 * sum) >> (68 + 63 - ANGLE_FRAC)) as i64;
    let angle = ATAN[index as usize] + if numerator < 0 { -rest } else { rest };
    if y < x { angle } else { FRAC_PI_2 - angle }
}

const fn angle_to_real(angle: i64) -> Real {
    Real::from_bits(wide::round_shift(angle as i128, ANGLE_FRAC - FRAC) as i64)
}

/// A value with [`UNIT_FRAC`] bits as a `Real`, rounding magnitudes so that signs are symmetric.
const fn unit_to_real(value: i64) -> Real {
    let magnitude = wide::round_shift(value.unsigned_abs() as i128, UNIT_FRAC - FRAC) as i64;
    Real::from_bits(if value < 0 { -magnitude } else { magnitude })
}

/// Angles are in radians. Error bounds count the distance to the true value, rounding included.
impl Real {
    /// Sine and cosine at the cost of one, each within 0.51 ulp, for any angle in the range.
    #[inline]
    pub const fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = sin_cos(self.to_bits().unsigned_abs(), 0);
        let sin = if self.is_negative() { -sin } else { sin };
        (unit_to_real(sin), unit_to_real(cos))
    }

    /// The sine, within 0.51 ulp.
    #[inline]
    pub const fn sin(self) -> Self {
        self.sin_cos().0
    }

    /// The cosine, within 0.51 ulp.
    #[inline]
    pub const fn cos(self) -> Self {
        self.sin_cos().1
    }

    /// The angle of the point (x, `self`), from −π to π, within 0.51 ulp.
    ///
    /// As with floats, the origin has the angle 0.
    #[inline]
    pub const fn atan2(self, x: Self) -> Self {
        let angle = first_quadrant(self.to_bits().unsigned_abs(), x.to_bits().unsigned_abs());
        let angle = angle_to_real(if x.is_negative() { PI - angle } else { angle });
        if self.is_negative() { Self::from_bits(-angle.to_bits()) } else { angle }
    }

    /// The angle from 0 to π with this cosine, within 0.51 ulp; `None` outside of −1 to 1. Clamp
    /// the value first if rounding may put it outside.
    pub fn acos(self) -> Option<Self> {
        let (x, sine) = self.with_complement()?;
        let angle = first_quadrant(sine, x);
        Some(angle_to_real(if self.is_negative() { PI - angle } else { angle }))
    }

    /// The angle from −π/2 to π/2 with this sine, within 0.51 ulp; `None` outside of −1 to 1.
    pub fn asin(self) -> Option<Self> {
        let (x, cosine) = self.with_complement()?;
        let angle = angle_to_real(first_quadrant(x, cosine));
        Some(if self.is_negative() { -angle } else { angle })
    }

    /// |x| and √(1 − x²), both with 63 fractional bits; the difference is exact before the root.
    fn with_complement(self) -> Option<(u64, u64)> {
        let x = self.to_bits().unsigned_abs();
        let square = u128::from(x) * u128::from(x);
        let complement = (1u128 << (2 * FRAC)).checked_sub(square)?;
        Some((x << (63 - FRAC), root::isqrt(complement << (2 * (63 - FRAC)))))
    }
}
