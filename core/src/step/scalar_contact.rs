//! Rows of one contact in scalar code, for impacts; the kernels do the same in lanes.

use super::constraint::{
    Motion, Row, SPEED_CAP, ScalarContact, V, dot, minus_dot, plus_dot, sub, times,
};
use super::lanes::{COS_22, COS_45, SIN_22};
use crate::math::{Q20, Q30, Wide};

#[inline(always)]
pub(super) fn slide(constraint: &mut ScalarContact, bound: Q20, a: &mut Motion, b: &mut Motion) {
    let difference = sub(&b.linear, &a.linear);
    let speed = |k: usize| {
        let row = &constraint.sliding[k];
        let sum = plus_dot(dot(&constraint.tangents[k], &difference), &row.arm[1], &b.angular);
        minus_dot(sum, &row.arm[0], &a.angular).round::<30, 20>()
    };
    let (v1, v2) = (speed(0), speed(1));
    let [k11, k12, k22] = constraint.sliding_inverse;
    let [old1, old2] = constraint.sliding_impulse;
    let wanted1 = old1 - Wide::ZERO.plus(k11, v1).plus(k12, v2).round::<30, 20>();
    let wanted2 = old2 - Wide::ZERO.plus(k12, v1).plus(k22, v2).round::<30, 20>();
    let least = constraint.least_sliding_mass;
    let opposing = [old1 - times(least, v1), old2 - times(least, v2)];
    let [new1, new2] = bounded([wanted1, wanted2], opposing, bound);
    constraint.sliding_impulse = [new1, new2];
    apply_sliding(constraint, [new1 - old1, new2 - old2], a, b);
}

/// Applies a tangential impulse to both bodies.
#[inline(always)]
pub(super) fn apply_sliding(
    constraint: &ScalarContact,
    [d1, d2]: [Q20; 2],
    a: &mut Motion,
    b: &mut Motion,
) {
    let [t1, t2] = &constraint.tangents;
    let push: V<20> =
        core::array::from_fn(|i| Wide::ZERO.plus(t1[i], d1).plus(t2[i], d2).round::<30, 20>());
    apply_linear(constraint.mass_fraction, &push, a, b);
    let [r1, r2] = &constraint.sliding;
    for i in 0..3 {
        let turn = |side: usize| {
            Wide::ZERO
                .plus(r1.response[side][i], d1)
                .plus(r2.response[side][i], d2)
                .round::<22, 20>()
        };
        a.angular[i] = a.angular[i] - turn(0);
        b.angular[i] = b.angular[i] + turn(1);
    }
}

/// Relative angular velocity along a row: the second body's part minus the first's.
#[inline(always)]
pub(super) fn relative_spin(row: &Row, a: &V<20>, b: &V<20>) -> Q20 {
    minus_dot(dot(&row.arm[1], b), &row.arm[0], a).round::<30, 20>()
}

/// Applies a linear impulse: the first body gets its mass fraction of −push, the second the rest of +push.
#[inline(always)]
pub(super) fn apply_linear(mass_fraction: Q30, push: &V<20>, a: &mut Motion, b: &mut Motion) {
    for (i, &push) in push.iter().enumerate() {
        let first = times(mass_fraction, push);
        a.linear[i] = a.linear[i] - first;
        b.linear[i] = b.linear[i] + (push - first);
    }
}

/// Facets of the polygon that bounds friction: the larger component, and half the distance along the oblique facets.
#[inline(always)]
fn facets([x, y]: [Q20; 2]) -> [Q20; 2] {
    let (x, y) = (abs(x), abs(y));
    let (most, least) = (x.max(y), x.min(y));
    let (a, b) = (half(most), half(least));
    let steep = Wide::ZERO.plus(COS_22, a).plus(SIN_22, b).round::<30, 20>();
    [most, steep.max(times(COS_45, a + b))]
}

/// Bounds an impulse, as the kernels do.
#[inline(always)]
fn bounded(stopping: [Q20; 2], opposing: [Q20; 2], bound: Q20) -> [Q20; 2] {
    let [most, oblique] = facets(stopping);
    if most <= bound && oblique <= half(bound) {
        return stopping;
    }
    let [most, oblique] = facets(opposing).map(|v| i64::from(v.to_bits()));
    let size = most.max(2 * oblique).max(1);
    let factor = ((i64::from(bound.to_bits()) << 30) / size).min(1 << 30);
    opposing.map(|v| times(Q30::from_bits(factor as i32), v))
}

#[inline(always)]
fn half(v: Q20) -> Q20 {
    Q20::from_bits(v.to_bits() >> 1)
}

#[inline(always)]
fn abs(v: Q20) -> Q20 {
    v.max(-v)
}

#[inline(always)]
pub(super) fn saturating_add(a: Q20, b: Q20) -> Q20 {
    Q20::from_bits(a.to_bits().saturating_add(b.to_bits()))
}

/// Clamps the motion to the speed cap; the spin keeps its direction.
#[inline(always)]
pub(super) fn capped(motion: Motion) -> Motion {
    Motion {
        linear: motion.linear.map(|v| v.clamp_abs(SPEED_CAP)),
        angular: super::rows::halved_spin(motion.angular),
    }
}
