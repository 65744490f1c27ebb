//! Types of the solver's constraints: motions, rows and the scalar contact, with vector operations on lanes. Every
//! operand has 32 bits, in reduced-mass units. A scalar contact is one lane of a pack; lane kernels give the same bits.

use super::index::BatchRow;
use crate::data::FixedVec;
use crate::math::{Lane, Q20, Q22, Q30, Wide};

/// Largest component of a velocity, 256 m/s: with it no sum of a pass can overflow.
pub(crate) const SPEED_CAP: Q20 = Q20::from_bits((1 << 28) - 1);

/// Vector of fixed-point values with `F` fractional bits.
pub(crate) type V<const F: u32> = [Lane<F>; 3];

/// Velocity and scaled spin of a body, or the sum of them over the substeps so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub(crate) struct Motion {
    pub(crate) linear: V<20>,
    pub(crate) angular: V<20>,
}

/// Angular Jacobian J of a row for both bodies, and the response M·J times the mass fraction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Row {
    pub(crate) arm: [V<30>; 2],
    pub(crate) response: [V<22>; 2],
}

/// Normal row of one point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NormalRow {
    pub(crate) row: Row,
    /// Effective mass in reduced-mass units: 1 / (1 + J·M·J).
    pub(crate) effective_mass: Q30,
    /// Separation at the start of the tick, over the substep length.
    pub(crate) separation: Q20,
}

/// Constraint of one contact, as impacts use it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScalarContact {
    /// Rows of the two bodies in their batch.
    pub(crate) bodies: [BatchRow; 2],
    pub(crate) normal: V<30>,
    pub(crate) tangents: [V<30>; 2],
    /// Mass fraction of the first body; the second takes the rest of an impulse's velocity.
    pub(crate) mass_fraction: Q30,
    pub(crate) friction: Q30,
    pub(crate) impulse_cap: Q20,
    pub(crate) sliding_cap: Q20,
    pub(crate) points: FixedVec<NormalRow, 4>,
    pub(crate) sliding: [Row; 2],
    /// Inverse of the 2×2 effective-mass matrix of the sliding rows: 11, 12, 22.
    pub(crate) sliding_inverse: [Q30; 3],
    /// Least effective mass of all sliding directions.
    pub(crate) least_sliding_mass: Q30,
    pub(crate) sliding_impulse: [Q20; 2],
    /// Coefficient of restitution.
    pub(crate) restitution: Q30,
    /// Rank of the contact in the order of keys.
    pub(crate) order: u32,
    /// Approach speed at the start of the tick, or of the fastest impact in it.
    pub(crate) approach: Q20,
    /// Sum of the normal impulses of impacts in the tick, saturating.
    pub(crate) impact_impulse: Q20,
}

pub(crate) const ONE_22: Q22 = Lane::ONE;

/// Returns a·b as one sum.
#[inline(always)]
pub(crate) const fn dot<const F: u32, const G: u32>(a: &V<F>, b: &V<G>) -> Wide {
    Wide::ZERO.plus(a[0], b[0]).plus(a[1], b[1]).plus(a[2], b[2])
}

/// Returns sum + a·b.
#[inline(always)]
pub(crate) const fn plus_dot<const F: u32, const G: u32>(sum: Wide, a: &V<F>, b: &V<G>) -> Wide {
    sum.plus(a[0], b[0]).plus(a[1], b[1]).plus(a[2], b[2])
}

/// Returns sum − a·b.
#[inline(always)]
pub(crate) const fn minus_dot<const F: u32, const G: u32>(sum: Wide, a: &V<F>, b: &V<G>) -> Wide {
    sum.minus(a[0], b[0]).minus(a[1], b[1]).minus(a[2], b[2])
}

/// Returns a × b of two unit-format vectors.
#[inline(always)]
pub(crate) fn cross(a: &V<30>, b: &V<30>) -> V<30> {
    let part = |i: usize, j: usize| Wide::ZERO.plus(a[i], b[j]).minus(a[j], b[i]).round::<30, 30>();
    [part(1, 2), part(2, 0), part(0, 1)]
}

/// Multiplies a value by a unit-format factor.
#[inline(always)]
pub(crate) fn times<const F: u32>(factor: Q30, value: Lane<F>) -> Lane<F> {
    Wide::ZERO.plus(factor, value).round::<30, F>()
}

/// Applies `f` to each component. `array::map` often stays a call with a loop; this is always inlined.
#[inline(always)]
pub(crate) fn map3<T: Copy, U>(v: &[T; 3], f: impl Fn(T) -> U) -> [U; 3] {
    [f(v[0]), f(v[1]), f(v[2])]
}

#[inline(always)]
pub(crate) fn sub<const F: u32>(a: &V<F>, b: &V<F>) -> V<F> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
