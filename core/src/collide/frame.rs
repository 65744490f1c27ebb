//! Vectors of the narrow phase: raw Q32.32 lengths, raw Q1.30 directions, and rotations between frames. Components are written
//! out, because `array::map` and `from_fn` often compile to calls with a loop. Each result is rounded once. Sums wrap: ranges are
//! checked at the entry of a pair.

use crate::math::{Scaled, length_squared, round_shift, saturate};

/// A length vector, Q32.32.
pub(super) type Raw = [i64; 3];
/// A direction, Q1.30.
pub(super) type Unit = [i32; 3];
/// Rows of a rotation, Q1.30.
pub(super) type Rotation = [[i32; 3]; 3];

/// Fractional bits of directions.
pub(super) const UNIT: u32 = 30;
#[inline]
pub(super) fn add(a: Raw, b: Raw) -> Raw {
    [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1]), a[2].wrapping_add(b[2])]
}

#[inline]
pub(super) fn sub(a: Raw, b: Raw) -> Raw {
    [a[0].wrapping_sub(b[0]), a[1].wrapping_sub(b[1]), a[2].wrapping_sub(b[2])]
}

/// Projection of `v` onto a direction, saturating.
#[inline]
pub(super) fn dot(unit: Unit, v: Raw) -> i64 {
    let part = |k: usize| i128::from(unit[k]) * i128::from(v[k]);
    let sum = part(0) + part(1) + part(2);
    saturate(round_shift(sum, UNIT))
}

/// Scales a direction by a length.
#[inline]
pub(super) fn along(unit: Unit, length: i64) -> Raw {
    [times(unit[0], length), times(unit[1], length), times(unit[2], length)]
}

/// Scales one component of a direction by a length, saturating.
#[inline]
pub(super) fn times(component: i32, length: i64) -> i64 {
    saturate(round_shift(i128::from(component) * i128::from(length), UNIT))
}

/// Cosine of the angle between two directions.
#[inline]
pub(super) fn cosine(a: Unit, b: Unit) -> i32 {
    let part = |k: usize| i64::from(a[k]) * i64::from(b[k]);
    let sum = part(0) + part(1) + part(2);
    ((sum + (1 << (UNIT - 1))) >> UNIT) as i32
}

/// Cross product of two directions, 60 fractional bits, exact.
#[inline]
pub(super) fn cross(a: Unit, b: Unit) -> Raw {
    let [ax, ay, az] = a.map(i64::from);
    let [bx, by, bz] = b.map(i64::from);
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

/// Column `j`: the shape's axis in world coordinates.
#[inline]
pub(super) fn axis(rotation: &Rotation, j: usize) -> Unit {
    [rotation[0][j], rotation[1][j], rotation[2][j]]
}

#[inline]
pub(super) fn to_local(rotation: &Rotation, v: Raw) -> Raw {
    let part = |j: usize| dot(axis(rotation, j), v);
    [part(0), part(1), part(2)]
}

#[inline]
pub(super) fn to_world(rotation: &Rotation, v: Raw) -> Raw {
    [dot(rotation[0], v), dot(rotation[1], v), dot(rotation[2], v)]
}

#[inline]
pub(super) fn unit_to_local(rotation: &Rotation, unit: Unit) -> Unit {
    let part = |j: usize| cosine(axis(rotation, j), unit);
    [part(0), part(1), part(2)]
}

#[inline]
pub(super) fn unit_to_world(rotation: &Rotation, unit: Unit) -> Unit {
    [cosine(rotation[0], unit), cosine(rotation[1], unit), cosine(rotation[2], unit)]
}

/// Direction of a vector of any scale; `None` for zero.
#[inline]
pub(super) fn unit_of(v: Raw) -> Option<Unit> {
    let scaled = Scaled::new(v)?;
    let part = |k: usize| scaled.direction(k, UNIT) as i32;
    Some([part(0), part(1), part(2)])
}

/// Direction and length of a vector below 2¹⁸ m; `None` if it is not longer than `short`.
#[inline]
pub(super) fn direction(v: Raw, short: i64) -> Option<(Unit, i64)> {
    let scaled = Scaled::new(v)?;
    let shift = u32::try_from(scaled.shift).unwrap_or(0);
    let length = ((scaled.length() + ((1 << shift) >> 1)) >> shift) as i64;
    let part = |k: usize| scaled.direction(k, UNIT) as i32;
    (length > short).then(|| ([part(0), part(1), part(2)], length))
}

/// Returns whether a vector is longer than `length` by more than the rounding of [`direction`]. If so, [`direction`] also returns
/// a larger length.
#[inline]
pub(super) fn is_longer(v: Raw, length: i64) -> bool {
    let most = u128::from((length + 2).unsigned_abs());
    length_squared(v) > most * most
}

/// Length below which a difference between points of shapes has no usable direction. `lengths` is the sum of half lengths and half
/// extents. Axes are rounded by up to 2⁻²⁸, and the direction must be accurate to a thousandth.
#[inline]
pub(super) fn too_short(lengths: i64) -> i64 {
    const LEAST: i64 = 1 << 12;
    (lengths >> 18).max(LEAST)
}

/// The direction with its sign chosen so that `v` does not point against it, and the projection of `v` onto it.
#[inline]
pub(super) fn facing(unit: Unit, v: Raw) -> (Unit, i64) {
    let reach = dot(unit, v);
    if reach < 0 { (unit.map(|c| -c), -reach) } else { (unit, reach) }
}
