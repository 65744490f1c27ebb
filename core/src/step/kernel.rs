//! The solver's inner loop, scalar and final: what lane kernels must reproduce to the bit.
//!
//! A pass over a block does friction first, then the normals in order, coupled inside the block, then writes
//! both bodies once. `NUMBERS.md` of the design has the arithmetic and why each piece is there.

use super::block::{AngularRow, Block, Motion, Row, V, dot, minus_dot, plus_dot, sub, times};
use super::fence::Column;
use crate::math::{Lane, Q20, Q30, Wide};

/// Largest component of a velocity, 256 m/s: with it no sum of a pass can overflow.
pub(crate) const SPEED_CAP: Q20 = Q20::from_bits((1 << 28) - 1);
/// Where the octagon that stands for the friction circle cuts its corners: |x| + |y| ≤ 1.32 r.
const OCTAGON: Q30 = Q30::from_bits(1_417_339_207);

/// What a pass does about separation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pass {
    /// Soft contacts that push overlaps apart.
    Biased,
    /// Takes back speed that pushing apart put in, at most what was applied.
    Relax,
}

/// Applies the impulses that the contact ended the last tick with.
pub(crate) fn warm_start(block: &Block, motions: &mut Column<Motion>) {
    let [mut a, mut b] = block.bodies.map(|body| motions[body as usize]);
    let [s1, s2] = block.sliding_impulse;
    let total = block.points.iter().fold(Lane::ZERO, |sum, point| sum + point.impulse);
    let push: V<20> = core::array::from_fn(|i| {
        Wide::ZERO
            .plus(block.normal[i], total)
            .plus(block.tangents[0][i], s1)
            .plus(block.tangents[1][i], s2)
            .round::<30, 20>()
    });
    apply_linear(block.share, &push, &mut a, &mut b);
    // Plain loops over arrays: chained iterators are not inlined and cost several times as much.
    let mut turns = [[Wide::ZERO; 3]; 2];
    let mut turn = |row: &Row, impulse: Q20| {
        for (turn, response) in turns.iter_mut().zip(&row.response) {
            for i in 0..3 {
                turn[i] = turn[i].plus(response[i], impulse);
            }
        }
    };
    turn(&block.sliding[0], s1);
    turn(&block.sliding[1], s2);
    turn(&block.twist.row, block.twist.impulse);
    if block.rolling_friction != Lane::ZERO {
        turn(&block.rolling[0].row, block.rolling[0].impulse);
        turn(&block.rolling[1].row, block.rolling[1].impulse);
    }
    for point in &block.points {
        turn(&point.row, point.impulse);
    }
    turn_both(&turns, &mut a, &mut b);
    store(block, motions, a, b);
}

/// One pass over a block. `moved` is the way of the bodies in this tick, over the substep.
// Inlined with all its parts into both callers, so that each has its own copy without the other pass's branches.
#[inline(always)]
pub(crate) fn solve(
    block: &mut Block,
    motions: &mut Column<Motion>,
    moved: &Column<Motion>,
    push: Q20,
    pass: Pass,
) {
    let [mut a, mut b] = block.bodies.map(|body| motions[body as usize]);
    friction(block, &mut a, &mut b);
    normals(block, moved, &mut a, &mut b, push, pass);
    store(block, motions, a, b);
}

#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "the index runs over several arrays at once")]
fn normals(
    block: &mut Block,
    moved: &Column<Motion>,
    a: &mut Motion,
    b: &mut Motion,
    push: Q20,
    pass: Pass,
) {
    let [way_a, way_b] = block.bodies.map(|body| moved[body as usize]);
    let along = dot(&block.normal, &sub(&b.linear, &a.linear)).round::<30, 20>();
    let way_along = dot(&block.normal, &sub(&way_b.linear, &way_a.linear)).round::<30, 20>();
    let (softness, rate, cap) = (block.softness, block.bias_rate, block.impulse_cap);
    let mut sum: Q20 = Lane::ZERO;
    let mut changes: [Q20; 4] = [Lane::ZERO; 4];
    let mut turns = [[Wide::ZERO; 3]; 2];
    for (j, point) in block.points.iter_mut().enumerate() {
        let mut coupled = Wide::ZERO;
        for i in 0..j {
            coupled = coupled.plus(block.coupling[[0, 0, 1, 3][j] + i], changes[i]);
        }
        let turning = relative_spin(&point.row, &a.angular, &b.angular);
        let speed = along + sum + turning + coupled.round::<22, 20>();
        let separation = point.separation
            + way_along
            + relative_spin(&point.row, &way_a.angular, &way_b.angular);
        let wanted = match pass {
            Pass::Biased if separation > Lane::ZERO => {
                point.impulse - times(point.factor, speed + separation)
            }
            Pass::Biased => {
                // The imbalance is capped, not the bias: then the load that a contact carries does not
                // depend on how fast it may push out.
                let soft = times(softness, point.factor);
                let imbalance = times(soft, times(rate, separation)) + point.impulse
                    - times(softness, point.impulse);
                point.impulse - times(soft, speed) - imbalance.max(-times(soft, push))
            }
            Pass::Relax => {
                let change = -times(point.factor, speed + separation.max(Lane::ZERO));
                // No more than pushing apart can have put in: a contact that is steep against its friction would
                // else give all its load back and keep the friction, and the body would gain energy.
                let pushed = point.impulse + times(point.factor, push);
                let change = change.max(-point.total.min(pushed));
                // What is about to bounce must not be stopped the substep before.
                let parted = block.restitution > Lane::ZERO && separation > Lane::ZERO;
                point.impulse + if parted { change.min(Lane::ZERO) } else { change }
            }
        };
        let impulse = wanted.max(Lane::ZERO).min(cap);
        // The relax pass may take back more than this row's last impulse.
        let change = match pass {
            Pass::Biased => impulse - point.impulse,
            Pass::Relax => wanted - point.impulse,
        };
        point.total =
            saturating_add(point.total, if pass == Pass::Biased { impulse } else { change });
        point.impulse = impulse;
        changes[j] = change;
        sum = sum + change;
        for (turn, response) in turns.iter_mut().zip(&point.row.response) {
            for i in 0..3 {
                turn[i] = turn[i].plus(response[i], change);
            }
        }
    }
    let push = [0, 1, 2].map(|i| times(block.normal[i], sum));
    apply_linear(block.share, &push, a, b);
    turn_both(&turns, a, b);
}

/// Turns the first body by the negative of its sum of responses times impulses, the second by its own.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "the index runs over several arrays at once")]
fn turn_both(turns: &[[Wide; 3]; 2], a: &mut Motion, b: &mut Motion) {
    for i in 0..3 {
        a.angular[i] = a.angular[i] - turns[0][i].round::<22, 20>();
        b.angular[i] = b.angular[i] + turns[1][i].round::<22, 20>();
    }
}

/// One central block against sliding, one row against twisting, two against rolling, all bound by the normal
/// impulse.
#[inline(always)]
fn friction(block: &mut Block, a: &mut Motion, b: &mut Motion) {
    let load = block.points.iter().fold(Lane::ZERO, |sum, point| sum + point.impulse);
    let load = load.min(block.impulse_cap);
    slide(block, times(block.friction, load), a, b);
    // Most single points have none.
    if block.twist_friction != Lane::ZERO {
        twist(&mut block.twist, times(block.twist_friction, load), a, b);
    }
    if block.rolling_friction != Lane::ZERO {
        let bound = times(block.rolling_friction, load);
        for row in &mut block.rolling {
            twist(row, bound, a, b);
        }
    }
}

#[inline(always)]
pub(super) fn slide(block: &mut Block, bound: Q20, a: &mut Motion, b: &mut Motion) {
    let difference = sub(&b.linear, &a.linear);
    let speed = |k: usize| {
        let row = &block.sliding[k];
        let sum = plus_dot(dot(&block.tangents[k], &difference), &row.arm[1], &b.angular);
        minus_dot(sum, &row.arm[0], &a.angular).round::<30, 20>()
    };
    let (v1, v2) = (speed(0), speed(1));
    let [k11, k12, k22] = block.sliding_inverse;
    let [old1, old2] = block.sliding_impulse;
    let wanted1 = old1 - Wide::ZERO.plus(k11, v1).plus(k12, v2).round::<30, 20>();
    let wanted2 = old2 - Wide::ZERO.plus(k12, v1).plus(k22, v2).round::<30, 20>();
    let (new1, new2) = clamp_to_octagon(wanted1, wanted2, bound);
    block.sliding_impulse = [new1, new2];
    apply_sliding(block, [new1 - old1, new2 - old2], a, b);
}

/// Pushes both bodies across the normal.
#[inline(always)]
pub(super) fn apply_sliding(block: &Block, [d1, d2]: [Q20; 2], a: &mut Motion, b: &mut Motion) {
    let [t1, t2] = &block.tangents;
    let push: V<20> =
        core::array::from_fn(|i| Wide::ZERO.plus(t1[i], d1).plus(t2[i], d2).round::<30, 20>());
    apply_linear(block.share, &push, a, b);
    let [r1, r2] = &block.sliding;
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

#[inline(always)]
fn twist(row: &mut AngularRow, bound: Q20, a: &mut Motion, b: &mut Motion) {
    let speed = relative_spin(&row.row, &a.angular, &b.angular);
    let wanted = row.impulse - times(row.factor, speed);
    let impulse = wanted.clamp_abs(bound);
    let change = impulse - row.impulse;
    row.impulse = impulse;
    for i in 0..3 {
        a.angular[i] =
            a.angular[i] - Wide::ZERO.plus(row.row.response[0][i], change).round::<22, 20>();
        b.angular[i] =
            b.angular[i] + Wide::ZERO.plus(row.row.response[1][i], change).round::<22, 20>();
    }
}

/// What a row sees of two spins: the second's part minus the first's.
#[inline(always)]
pub(super) fn relative_spin(row: &Row, a: &V<20>, b: &V<20>) -> Q20 {
    minus_dot(dot(&row.arm[1], b), &row.arm[0], a).round::<30, 20>()
}

/// Gives the first body its share of −push, the second the rest of +push.
#[inline(always)]
pub(super) fn apply_linear(share: Q30, push: &V<20>, a: &mut Motion, b: &mut Motion) {
    for (i, &push) in push.iter().enumerate() {
        let first = times(share, push);
        a.linear[i] = a.linear[i] - first;
        b.linear[i] = b.linear[i] + (push - first);
    }
}

/// No root and no division: between 0.93 and 1.05 of the circle, by direction.
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

#[inline(always)]
pub(super) fn store(block: &Block, motions: &mut Column<Motion>, a: Motion, b: Motion) {
    let cap = |motion: Motion| Motion {
        linear: motion.linear.map(|v| v.clamp_abs(SPEED_CAP)),
        angular: motion.angular.map(|v| v.clamp_abs(SPEED_CAP)),
    };
    motions[block.bodies[0] as usize] = cap(a);
    motions[block.bodies[1] as usize] = cap(b);
}
