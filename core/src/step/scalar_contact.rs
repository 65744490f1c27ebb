//! Rows of one contact in scalar code, for impacts; the kernels do the same in lanes.

use super::constraint::{
    Motion, Row, SPEED_CAP, ScalarContact, V, dot, minus_dot, plus_dot, sub, times,
};
use super::lanes::OCTAGON;
use crate::math::{Lane, Q20, Q30, Wide};

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
    let (new1, new2) = clamp_to_octagon(wanted1, wanted2, bound);
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

/// Clamps to an octagon, between 0.93 and 1.05 of the circle by direction. Needs no square root and no division.
#[inline(always)]
fn clamp_to_octagon(x: Q20, y: Q20, bound: Q20) -> (Q20, Q20) {
    let (x, y) = (x.clamp_abs(bound), y.clamp_abs(bound));
    let excess = (abs(x) + abs(y) - times(OCTAGON, bound)).max(Lane::ZERO);
    let cut = Q20::from_bits(excess.to_bits() >> 1);
    let shorten = |v: Q20| if v > Lane::ZERO { v - cut } else { v + cut };
    (shorten(x), shorten(y))
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
