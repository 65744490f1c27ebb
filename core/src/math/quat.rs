//! `Quat`: orientations as unit quaternions with 32-bit components, two's complement Q1.30.
//!
//! Invariant: |q|² is within 2⁻²⁸ of 1. Products restore it with one Newton step, so repeated
//! multiplication never drifts from unit length.

use super::wide::{round_shift, saturate};
use super::{Mat3, Q30, Real, Vec3, ZeroLength, root, trig, wide};
use core::fmt;
use core::ops::{Mul, MulAssign};
use serde::{Deserialize, Serialize};

const FRAC: u32 = 30;
const ONE: i32 = 1 << FRAC;
/// 1 with the 60 fractional bits of a product of two components.
const ONE_SQUARED: i64 = 1 << (2 * FRAC);
/// Largest allowed difference of |q|² from 1, with 60 fractional bits.
const TOLERANCE: u64 = 1 << (2 * FRAC - 28);

/// Error of building a rotation from components that are not a unit quaternion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the components are not a unit quaternion; build it with `Quat::from_xyzw`, which normalises"
)]
pub struct NotUnit;

/// A rotation, stored as a unit quaternion.
///
/// `a * b` applies `b` first, then `a`. `q` and `-q` are the same rotation with different bits.
///
/// ```
/// use isostep_core::{Quat, Real, Vec3};
/// let quarter = Quat::from_axis_angle(Vec3::Z, Real::FRAC_PI_2)?;
/// assert_eq!(quarter.rotate(Vec3::X).distance(Vec3::Y) < Real::ratio(1, 1_000_000), true);
/// assert_eq!(quarter.inverse() * quarter, Quat::IDENTITY);
/// # Ok::<(), isostep_core::math::ZeroLength>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "[i32; 4]", into = "[i32; 4]")]
#[must_use]
pub struct Quat {
    x: i32,
    y: i32,
    z: i32,
    w: i32,
}

impl Quat {
    /// No rotation.
    pub const IDENTITY: Self = Self { x: 0, y: 0, z: 0, w: ONE };

    /// A rotation by `angle` radians about `axis` of any length, each component within 1 ulp (2⁻³⁰).
    ///
    /// # Errors
    /// If the axis is the zero vector.
    pub fn from_axis_angle(axis: Vec3, angle: Real) -> Result<Self, ZeroLength> {
        let axis = root::Scaled::new(axis.to_bits()).ok_or(ZeroLength)?;
        let (sin, cos) = trig::sin_cos(angle.to_bits().unsigned_abs(), 1);
        Ok(Self::from_direction(&axis, if angle.is_negative() { -sin } else { sin }, cos))
    }

    /// The exponential map: the rotation about `vector` by its length in radians, each component within
    /// 1 ulp (2⁻³⁰). The zero vector gives the identity.
    pub fn from_rotation_vector(vector: Vec3) -> Self {
        let bits = vector.to_bits();
        let Some(axis) = root::Scaled::new(bits) else {
            return Self::IDENTITY;
        };
        // Small vectors use the length of the scaled vector, which has more fractional bits than a
        // Real. Large vectors use the Real: the scaled length would lack bits for thousands of
        // turns.
        let (length, shift) = match u32::try_from(axis.shift) {
            Ok(shift) => (axis.length(), shift),
            Err(_) => (root::isqrt(root::length_squared(bits)), 0),
        };
        let (sin, cos) = trig::sin_cos(length, shift + 1);
        Self::from_direction(&axis, sin, cos)
    }

    /// Builds sin · axis + cos from the sine and cosine of the half angle.
    fn from_direction(axis: &root::Scaled<3>, sin: i64, cos: i64) -> Self {
        let part = |i| {
            let product = i128::from(axis.direction(i, 2 * FRAC)) * i128::from(sin);
            round_shift(product, FRAC + trig::UNIT_FRAC) as i32
        };
        let w = round_shift(i128::from(cos), trig::UNIT_FRAC - FRAC) as i32;
        Self { x: part(0), y: part(1), z: part(2), w }
    }

    /// The logarithmic map: the axis times the angle (at most π) in radians, each component within
    /// 0.51 ulp of a `Real`. The identity gives the zero vector.
    pub fn to_rotation_vector(self) -> Vec3 {
        let imaginary = [self.x, self.y, self.z].map(i64::from);
        let Some(axis) = root::Scaled::new(imaginary) else {
            return Vec3::ZERO;
        };
        // |xyz| with 63 fractional bits.
        let sine = root::isqrt(root::length_squared(imaginary) << 66);
        let angle = trig::first_quadrant(sine, u64::from(self.w.unsigned_abs()) << 33);
        // A rotation by more than π equals the opposite rotation by less.
        let angle = if self.w < 0 { -angle } else { angle };
        let part = |i| {
            // The half angle has 61 fractional bits, so the angle has 60.
            let product = i128::from(axis.direction(i, 60)) * i128::from(angle);
            Real::from_bits(round_shift(product, 120 - wide::FRAC) as i64)
        };
        Vec3::new(part(0), part(1), part(2))
    }

    /// The rotation with these components. They need not be normalised.
    ///
    /// # Errors
    /// If all four are zero.
    pub fn from_xyzw(x: Real, y: Real, z: Real, w: Real) -> Result<Self, ZeroLength> {
        let raw = [x, y, z, w].map(Real::to_bits);
        let scaled = root::Scaled::new(raw).ok_or(ZeroLength)?;
        let part = |i| scaled.direction(i, FRAC) as i32;
        Ok(Self { x: part(0), y: part(1), z: part(2), w: part(3) })
    }

    /// The shortest rotation from one direction to another. For opposite directions, a half turn
    /// about some perpendicular axis.
    ///
    /// # Errors
    /// If either vector is zero.
    pub fn from_rotation_arc(from: Vec3, to: Vec3) -> Result<Self, ZeroLength> {
        let (from, to) = (from.normalize()?, to.normalize()?);
        let (axis, cos) = (from.cross(to), from.dot(to));
        if !cos.is_negative() {
            return Self::from_xyzw(axis.x, axis.y, axis.z, Real::ONE + cos);
        }
        // Past a right angle that formula loses precision. Two reflections do not: the first swaps
        // the two directions, the second leaves the target direction unchanged.
        let swap = (from - to).normalize()?;
        let axis = axis.normalize_or(to.any_orthogonal_vector());
        let keep = (axis - to * axis.dot(to)).normalize()?;
        let turn = keep.cross(swap);
        Self::from_xyzw(turn.x, turn.y, turn.z, -keep.dot(swap))
    }

    /// The rotation with these raw components (x, y, z, w).
    ///
    /// # Errors
    /// If they are not of length one to within 2⁻²⁸.
    pub fn from_bits(bits: [i32; 4]) -> Result<Self, NotUnit> {
        let [x, y, z, w] = bits;
        // Four squares of up to 2⁶² need 65 bits.
        let norm: i128 = bits.iter().map(|c| i128::from(*c).pow(2)).sum();
        if norm.abs_diff(i128::from(ONE_SQUARED)) > u128::from(TOLERANCE) {
            return Err(NotUnit);
        }
        Ok(Self { x, y, z, w })
    }

    /// The raw components x, y, z, w with 30 fractional bits.
    #[inline]
    pub const fn to_bits(self) -> [i32; 4] {
        [self.x, self.y, self.z, self.w]
    }

    /// The components x, y, z, w.
    #[inline]
    pub fn to_xyzw(self) -> [Real; 4] {
        self.to_bits().map(|c| Q30::from_bits(c).to_real())
    }

    /// The opposite rotation.
    #[inline]
    pub const fn inverse(self) -> Self {
        // No component is −2, so none wraps.
        Self { x: -self.x, y: -self.y, z: -self.z, w: self.w }
    }

    /// The rotated vector: an exact product with the matrix, rounded once. Saturates.
    #[inline]
    pub fn rotate(self, v: Vec3) -> Vec3 {
        self.turn().rotate(v)
    }

    /// The vector rotated by the inverse.
    #[inline]
    pub fn rotate_inverse(self, v: Vec3) -> Vec3 {
        self.turn().rotate_inverse(v)
    }

    /// Equals `self * IDENTITY`, at a fraction of its cost. The result may differ from `self` by an
    /// ulp or two, because products are renormalised.
    #[inline]
    pub(crate) fn times_identity(self) -> Self {
        let [x, y, z, w] = self.to_bits().map(i64::from);
        let missing = (ONE_SQUARED - (x * x + y * y + z * z + w * w)) / 2;
        let part = |c: i64| {
            let corrected = (c << FRAC) + ((c * missing) >> FRAC);
            ((corrected + (1 << (FRAC - 1))) >> FRAC) as i32
        };
        Self { x: part(x), y: part(y), z: part(z), w: part(w) }
    }

    /// The rotation as a matrix, each entry within ½ ulp.
    #[inline]
    #[doc(hidden)]
    pub fn to_mat3(self) -> Mat3 {
        self.turn().to_mat3()
    }

    /// The rotation as a matrix of lanes, by rows, each entry within ½ ulp.
    #[inline]
    #[doc(hidden)]
    pub fn to_lanes(self) -> [[Q30; 3]; 3] {
        self.turn().to_lanes()
    }

    /// The rotation in matrix form, for rotating many vectors.
    #[inline]
    pub(crate) fn turn(self) -> Turn {
        let [x, y, z, w] =
            [i64::from(self.x), i64::from(self.y), i64::from(self.z), i64::from(self.w)];
        let (xx, yy, zz) = (x * x, y * y, z * z);
        let (xy, xz, yz) = (x * y, x * z, y * z);
        let (wx, wy, wz) = (w * x, w * y, w * z);
        Turn([
            [ONE_SQUARED - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)],
            [2 * (xy + wz), ONE_SQUARED - 2 * (xx + zz), 2 * (yz - wx)],
            [2 * (xz - wy), 2 * (yz + wx), ONE_SQUARED - 2 * (xx + yy)],
        ])
    }

    /// Normalised linear interpolation along the shorter arc, for presentation. `t` is clamped to 0
    /// to 1.
    pub fn nlerp(self, other: Self, t: Real) -> Self {
        let [ax, ay, az, aw] = self.to_xyzw();
        let mut b = other.to_xyzw();
        if dot(self, other) < 0 {
            b = b.map(|c| -c);
        }
        let t = t.clamp(Real::ZERO, Real::ONE);
        let [bx, by, bz, bw] = b;
        // On the shorter arc the interpolated length is at least √½.
        Self::from_xyzw(ax.lerp(bx, t), ay.lerp(by, t), az.lerp(bz, t), aw.lerp(bw, t))
            .unwrap_or(self)
    }
}

#[inline]
fn dot(a: Quat, b: Quat) -> i64 {
    let products = [(a.x, b.x), (a.y, b.y), (a.z, b.z), (a.w, b.w)];
    products.iter().map(|(p, q)| i64::from(*p) * i64::from(*q)).sum()
}

/// Rows of a rotation matrix with 60 fractional bits, unrounded. Computed once per rotation and
/// used for every vector that it rotates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn([[i64; 3]; 3]);

impl Turn {
    /// As [`Quat::rotate`].
    #[inline]
    pub(crate) fn rotate(&self, v: Vec3) -> Vec3 {
        let ([x, y, z], v) = (&self.0, v.to_bits());
        Vec3::from_bits([turned(*x, v), turned(*y, v), turned(*z, v)])
    }

    /// As [`Quat::rotate_inverse`].
    #[inline]
    pub(crate) fn rotate_inverse(&self, v: Vec3) -> Vec3 {
        let ([x, y, z], v) = (&self.0, v.to_bits());
        let column = |i: usize| turned([x[i], y[i], z[i]], v);
        Vec3::from_bits([column(0), column(1), column(2)])
    }

    /// As [`Quat::to_mat3`].
    #[inline]
    pub(crate) fn to_mat3(self) -> Mat3 {
        const SHIFT: u32 = 2 * FRAC - wide::FRAC;
        // Entries are at most 1 + 2⁻²⁷, so there is room for the rounding bit.
        let part = |e: i64| (e + (1 << (SHIFT - 1))) >> SHIFT;
        let row = |[x, y, z]: [i64; 3]| Vec3::from_bits([part(x), part(y), part(z)]);
        let [x, y, z] = self.0;
        Mat3::from_rows([row(x), row(y), row(z)])
    }

    /// As [`Quat::to_lanes`].
    #[inline]
    pub(crate) fn to_lanes(self) -> [[Q30; 3]; 3] {
        // Entries are at most 1 + 2⁻²⁷, so there is room for the rounding bit.
        let lane = |e: i64| Q30::from_bits(((e + (1 << (FRAC - 1))) >> FRAC) as i32);
        let lanes = |[x, y, z]: [i64; 3]| [lane(x), lane(y), lane(z)];
        let [x, y, z] = self.0;
        [lanes(x), lanes(y), lanes(z)]
    }
}

/// A row with 60 fractional bits times a vector.
#[inline]
fn turned(row: [i64; 3], v: [i64; 3]) -> i64 {
    // Entries are at most 1 + 2⁻²⁷, so the sum is below 2¹²⁵.
    let sum = i128::from(row[0]) * i128::from(v[0])
        + i128::from(row[1]) * i128::from(v[1])
        + i128::from(row[2]) * i128::from(v[2]);
    saturate(round_shift(sum, 2 * FRAC))
}

impl Mul for Quat {
    type Output = Self;

    /// The renormalised product; each component within 0.51 ulp (2⁻³⁰).
    #[inline]
    fn mul(self, other: Self) -> Self {
        let [ax, ay, az, aw] = self.to_bits().map(i64::from);
        let [bx, by, bz, bw] = other.to_bits().map(i64::from);
        let product = [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ];
        // One Newton step toward unit length: q·(1 + (1 − |q|²)/2).
        let norm: i128 = product.iter().map(|c| i128::from(*c) * i128::from(*c)).sum();
        let missing = (ONE_SQUARED - (norm >> (2 * FRAC)) as i64) / 2;
        // At most 2³⁰ · 2³²: the norms of both factors are within the tolerance.
        let [x, y, z, w] = product.map(|c| {
            let corrected = c + (((c >> FRAC) * missing) >> FRAC);
            ((corrected + (1 << (FRAC - 1))) >> FRAC) as i32
        });
        Self { x, y, z, w }
    }
}

impl MulAssign for Quat {
    #[inline]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl Default for Quat {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl fmt::Debug for Quat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z, w] = self.to_xyzw();
        write!(f, "({x}i + {y}j + {z}k + {w})")
    }
}

impl TryFrom<[i32; 4]> for Quat {
    type Error = NotUnit;
    fn try_from(bits: [i32; 4]) -> Result<Self, NotUnit> {
        Self::from_bits(bits)
    }
}

impl From<Quat> for [i32; 4] {
    fn from(rotation: Quat) -> Self {
        rotation.to_bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn times_identity_is_the_product_with_it(
            parts in [any::<i32>(), any::<i32>(), any::<i32>(), any::<i32>()],
            off in [-1..=1i32, -1..=1, -1..=1, -1..=1],
        ) {
            let [x, y, z, w] = parts.map(|part| Real::from_bits(i64::from(part)));
            let Ok(q) = Quat::from_xyzw(x, y, z, w) else { return Ok(()) };
            // Includes rotations at the tolerance limit of unit length.
            let bits = q.to_bits();
            let near = core::array::from_fn(|i| bits[i] + off[i]);
            for q in [Ok(q), Quat::from_bits(near)].into_iter().flatten() {
                prop_assert_eq!(q.times_identity(), q * Quat::IDENTITY);
            }
        }
    }
}
