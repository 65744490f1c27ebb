//! One lane at a time: the reference for all other widths, and the fallback without SIMD. With the feature
//! `check-narrowing` every operation that loses bits panics.

use super::pack::{Eight, WIDTH};
use crate::math::{Lane, Q20, Wide};
use crate::step::constraint::Motion;
use crate::step::index::BatchRow;

/// Lanes of one vector.
pub(super) const AT_ONCE: usize = 1;

/// A value.
pub(super) type L<const F: u32> = Lane<F>;
/// A sum of products.
pub(super) type W = Wide;

#[inline(always)]
pub(super) const fn splat<const F: u32>(value: Lane<F>) -> L<F> {
    value
}

#[inline(always)]
pub(super) const fn load<const F: u32>(from: &Eight<F>, group: usize) -> L<F> {
    from.get(group)
}

#[inline(always)]
pub(super) const fn store<const F: u32>(to: &mut Eight<F>, group: usize, value: L<F>) {
    to.set(group, value);
}

#[inline(always)]
pub(super) fn add<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    a + b
}

#[inline(always)]
pub(super) fn sub<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    a - b
}

#[inline(always)]
pub(super) fn min<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    a.min(b)
}

#[inline(always)]
pub(super) fn max<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    a.max(b)
}

/// Returns `a` where `sign` is positive, else `b`.
#[inline(always)]
pub(super) fn if_positive<const F: u32, const G: u32>(sign: L<F>, a: L<G>, b: L<G>) -> L<G> {
    if sign > Lane::ZERO { a } else { b }
}

/// Returns the sum of two values, known to be not negative, saturated at the greatest value.
#[inline(always)]
pub(super) const fn add_up(a: L<20>, b: L<20>) -> L<20> {
    let sum = (a.to_bits() as u32).wrapping_add(b.to_bits() as u32);
    let most = i32::MAX as u32;
    Q20::from_bits(if sum < most { sum } else { most } as i32)
}

#[inline(always)]
pub(super) const fn half<const F: u32>(a: L<F>) -> L<F> {
    Lane::from_bits(a.to_bits() >> 1)
}

/// Sets the last bit of the magnitude; zero stays zero.
#[inline(always)]
pub(super) const fn odd<const F: u32>(a: L<F>) -> L<F> {
    a.odd()
}

/// Reinterprets the bits as a unit.
#[inline(always)]
pub(super) const fn as_unit(a: L<22>) -> L<30> {
    Lane::from_bits(a.to_bits())
}

/// Reinterprets the bits as a speed.
#[inline(always)]
pub(super) const fn as_speed(a: L<22>) -> L<20> {
    Lane::from_bits(a.to_bits())
}

#[inline(always)]
pub(super) const fn wide() -> W {
    Wide::ZERO
}

#[inline(always)]
pub(super) const fn plus<const F: u32, const G: u32>(sum: W, a: L<F>, b: L<G>) -> W {
    sum.plus(a, b)
}

#[inline(always)]
pub(super) const fn minus<const F: u32, const G: u32>(sum: W, a: L<F>, b: L<G>) -> W {
    sum.minus(a, b)
}

/// Shifts right by `SHIFT`, 30 or 22, rounding half up.
#[inline(always)]
#[cfg_attr(feature = "check-narrowing", track_caller)]
pub(super) fn round<const SHIFT: u32, const F: u32>(sum: W) -> L<F> {
    sum.round::<SHIFT, F>()
}

/// Loads velocity and spin of the bodies in these rows.
#[inline(always)]
pub(super) fn gather(
    motions: &[Motion],
    rows: &[BatchRow; WIDTH],
    group: usize,
) -> [[L<20>; 3]; 2] {
    let Motion { linear, angular } = motions[rows[group]];
    [linear, angular]
}

#[inline(always)]
pub(super) fn scatter(
    motions: &mut [Motion],
    rows: &[BatchRow; WIDTH],
    group: usize,
    [linear, angular]: [[L<20>; 3]; 2],
) {
    motions[rows[group]] = Motion { linear, angular };
}
