//! `Mat3` and the symmetric `Sym3` (inertia tensors), with inverses that keep their precision.
//!
//! Used for mass properties and frames. The solver uses its own lane formats instead.

use super::wide::{round_shift, saturate};
use super::{Quat, Real, Vec3};
use core::ops::{Add, Mul, Sub};
use serde::{Deserialize, Serialize};

/// A 3×3 matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[must_use]
pub struct Mat3 {
    rows: [Vec3; 3],
}

impl Mat3 {
    /// The identity.
    pub const IDENTITY: Self = Self { rows: [Vec3::X, Vec3::Y, Vec3::Z] };
    /// All zeros.
    pub const ZERO: Self = Self { rows: [Vec3::ZERO; 3] };

    /// A matrix from its rows.
    #[inline]
    pub const fn from_rows(rows: [Vec3; 3]) -> Self {
        Self { rows }
    }

    /// A matrix from its columns: the images of the three axes.
    #[inline]
    pub const fn from_columns(columns: [Vec3; 3]) -> Self {
        Self { rows: columns }.transpose()
    }

    /// The rows.
    #[inline]
    pub const fn rows(&self) -> [Vec3; 3] {
        self.rows
    }

    /// The columns.
    #[inline]
    pub const fn columns(&self) -> [Vec3; 3] {
        self.transpose().rows
    }

    /// Rows and columns exchanged.
    #[inline]
    pub const fn transpose(self) -> Self {
        let [a, b, c] = self.rows;
        Self {
            rows: [Vec3::new(a.x, b.x, c.x), Vec3::new(a.y, b.y, c.y), Vec3::new(a.z, b.z, c.z)],
        }
    }

    /// The determinant, within ½ ulp plus 2⁻³⁷ of the cube of the largest entry; saturates.
    pub fn determinant(&self) -> Real {
        let Some(scaled) = Scaled::new(self.rows.map(Vec3::to_bits)) else {
            return Real::ZERO;
        };
        // An entry is off by at most 2⁻⁴¹ of the largest one, and the magnitudes of nine cofactors
        // of numbers within ±1 add up to 12 at most. Three factors of 2^(32 + shift) are in the
        // product; one factor of 2³² stays.
        Real::from_bits(shift_saturating(scaled.determinant, -64 - 3 * scaled.shift))
    }

    /// The inverse, or `None` if the matrix is singular or an entry of the inverse does not fit.
    ///
    /// Entries below 2⁻⁴² of the largest one count as zero. Each entry of the inverse is within ½ ulp plus
    /// about 2⁻³⁹ of the inverse's norm times the condition number of the matrix.
    pub fn inverse(&self) -> Option<Self> {
        let scaled = Scaled::new(self.rows.map(Vec3::to_bits))?;
        Some(Self {
            rows: [
                Vec3::from_bits([
                    scaled.inverse(0, 0)?,
                    scaled.inverse(0, 1)?,
                    scaled.inverse(0, 2)?,
                ]),
                Vec3::from_bits([
                    scaled.inverse(1, 0)?,
                    scaled.inverse(1, 1)?,
                    scaled.inverse(1, 2)?,
                ]),
                Vec3::from_bits([
                    scaled.inverse(2, 0)?,
                    scaled.inverse(2, 1)?,
                    scaled.inverse(2, 2)?,
                ]),
            ],
        })
    }
}

impl Mul<Vec3> for Mat3 {
    type Output = Vec3;
    /// The image of a vector, each component within ½ ulp; saturates.
    #[inline]
    fn mul(self, v: Vec3) -> Vec3 {
        let [a, b, c] = self.rows;
        Vec3::new(a.dot(v), b.dot(v), c.dot(v))
    }
}

impl Mul for Mat3 {
    type Output = Self;
    /// The product, each entry within ½ ulp; saturates.
    #[inline]
    fn mul(self, other: Self) -> Self {
        let columns = other.columns();
        Self {
            rows: self.rows.map(|row| {
                Vec3::new(row.dot(columns[0]), row.dot(columns[1]), row.dot(columns[2]))
            }),
        }
    }
}

/// A symmetric 3×3 matrix in six entries.
///
/// ```
/// use isostep_core::{Vec3, real};
/// use isostep_core::internals::Sym3;
/// let inertia = Sym3::diagonal(Vec3::from_ints(2, 4, 8));
/// let inverse = inertia.inverse().unwrap();
/// assert_eq!(inverse * Vec3::Y, Vec3::Y * real!(0.25));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[must_use]
pub struct Sym3 {
    /// The three diagonal entries xx, yy, zz.
    pub diagonal: Vec3,
    /// The off-diagonal entries yz, xz, xy. Each has the index of the axis that it does not
    /// contain.
    pub off: Vec3,
}

impl Sym3 {
    /// The identity.
    pub const IDENTITY: Self = Self::diagonal(Vec3::ONE);
    /// All zeros.
    pub const ZERO: Self = Self::diagonal(Vec3::ZERO);

    /// A diagonal matrix.
    #[inline]
    pub const fn diagonal(diagonal: Vec3) -> Self {
        Self { diagonal, off: Vec3::ZERO }
    }

    /// The same matrix in nine entries.
    #[inline]
    pub const fn to_mat3(self) -> Mat3 {
        let (d, o) = (self.diagonal, self.off);
        Mat3::from_rows([
            Vec3::new(d.x, o.z, o.y),
            Vec3::new(o.z, d.y, o.x),
            Vec3::new(o.y, o.x, d.z),
        ])
    }

    /// The matrix in a rotated frame: R·S·Rᵀ. Each entry is within 3 ulp of the largest entry's
    /// magnitude rounded up to 1.
    pub fn rotated(self, rotation: Quat) -> Self {
        // R applied to the columns of S gives R·S; R applied to the rows of that gives R·S·Rᵀ.
        let half = Mat3::from_columns(self.to_mat3().rows().map(|column| rotation.rotate(column)));
        let [a, b, c] = half.rows().map(|row| rotation.rotate(row));
        Self { diagonal: Vec3::new(a.x, b.y, c.z), off: Vec3::new(b.z, a.z, a.y) }
    }

    /// The inverse, as precise as [`Mat3::inverse`] and exactly symmetric.
    pub fn inverse(self) -> Option<Self> {
        let scaled = Scaled::new(self.to_mat3().rows().map(Vec3::to_bits))?;
        Some(Self {
            diagonal: Vec3::from_bits([
                scaled.inverse(0, 0)?,
                scaled.inverse(1, 1)?,
                scaled.inverse(2, 2)?,
            ]),
            off: Vec3::from_bits([
                scaled.inverse(1, 2)?,
                scaled.inverse(0, 2)?,
                scaled.inverse(0, 1)?,
            ]),
        })
    }
}

impl Mul<Vec3> for Sym3 {
    type Output = Vec3;
    #[inline]
    fn mul(self, v: Vec3) -> Vec3 {
        self.to_mat3() * v
    }
}

impl Add for Sym3 {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self { diagonal: self.diagonal + other.diagonal, off: self.off + other.off }
    }
}

impl Sub for Sym3 {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { diagonal: self.diagonal - other.diagonal, off: self.off - other.off }
    }
}

/// A matrix scaled by 2^shift so that its largest entry fills 41 bits. The determinant, a sum of
/// six products of three entries, then stays below 2¹²⁶.
struct Scaled {
    entries: [[i128; 3]; 3],
    shift: i32,
    determinant: i128,
}

const SCALED_BITS: i32 = 41;

impl Scaled {
    /// `None` if the determinant is zero.
    fn new(raw: [[i64; 3]; 3]) -> Option<Self> {
        let all = raw.iter().flatten().fold(0, |bits, e| bits | e.unsigned_abs());
        let shift = SCALED_BITS - (64 - all.leading_zeros() as i32);
        let entries = raw.map(|row| row.map(|e| shift_rounding(i128::from(e), shift)));
        let mut scaled = Self { entries, shift, determinant: 0 };
        scaled.determinant = (0..3).map(|j| entries[0][j] * scaled.cofactor(0, j)).sum();
        (scaled.determinant != 0).then_some(scaled)
    }

    fn cofactor(&self, i: usize, j: usize) -> i128 {
        let e = &self.entries;
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        e[i1][j1] * e[i2][j2] - e[i1][j2] * e[i2][j1]
    }

    /// Raw entry of the inverse; `None` if it does not fit.
    fn inverse(&self, i: usize, j: usize) -> Option<i64> {
        let (numerator, divisor) = (self.cofactor(j, i), self.determinant);
        if numerator == 0 {
            return Some(0);
        }
        // Both operands are mantissas, 128 bits over 64, so the quotient has at least 63 bits.
        let lead = numerator.unsigned_abs().leading_zeros() as i32;
        let cut = 64 - divisor.unsigned_abs().leading_zeros() as i32;
        let mantissa = numerator.unsigned_abs() << lead;
        let quotient = mantissa / shift_unsigned(divisor.unsigned_abs(), -cut);
        // The entries are raw · 2^shift, that is value · 2^(32 + shift). The inverse therefore
        // needs a factor of 2^(64 + shift) to become raw.
        let exponent = 64 + self.shift - lead - cut;
        if exponent >= 0 {
            return None;
        }
        let magnitude =
            if exponent < -126 { 0 } else { round_shift(quotient as i128, -exponent as u32) };
        let signed = if (numerator < 0) == (divisor < 0) { magnitude } else { -magnitude };
        i64::try_from(signed).ok()
    }
}

fn shift_rounding(value: i128, shift: i32) -> i128 {
    if shift >= 0 { value << shift } else { round_shift(value, -shift as u32) }
}

fn shift_unsigned(value: u128, shift: i32) -> u128 {
    if shift >= 0 { value << shift } else { value >> -shift }
}

fn shift_saturating(value: i128, shift: i32) -> i64 {
    if shift >= 0 {
        let room = value.unsigned_abs().leading_zeros() as i32 - 1;
        if shift > room { saturate(value.signum() << 100) } else { saturate(value << shift) }
    } else if shift < -126 {
        0
    } else {
        saturate(round_shift(value, -shift as u32))
    }
}
