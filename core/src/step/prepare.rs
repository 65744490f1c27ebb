//! From a contact's geometry to the solver's block: reduced-mass units, arms over the bounding size, inverse
//! masses of rows, what the last tick's impulses become. Integers only.

use super::block::{
    AngularRow, Block, Motion, NormalRow, ONE_22, Row, V, cross, dot, map3, sub, times,
};
use super::bodies::StepBody;
use super::contacts::Contact;
use crate::data::FixedVec;
use crate::math::{Lane, Q20, Q22, Q30, Wide};

/// Softness of contacts, for the substep in use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Softness {
    pub(crate) softness: Q30,
    pub(crate) bias_rate: Q30,
}

/// What all contacts of a step share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Common {
    pub(crate) dynamic: Softness,
    /// Against what nothing moves: twice as stiff.
    pub(crate) rigid: Softness,
    /// Substeps a second.
    pub(crate) rate: i64,
}

/// Separations over the substep are cut here, ½ m at 480 substeps a second: with the way of the bodies they
/// then stay within 32 bits.
pub(super) const SEPARATION_LIMIT: i64 = 1 << 28;
const IMPULSE_CAP: i64 = 1 << 28;

/// Fills a block from a contact between two bodies of the step, in place: blocks are too large to be handed about.
pub(crate) fn prepare(
    block: &mut Block,
    contact: &Contact,
    places: [u32; 2],
    bodies: [&StepBody; 2],
    motions: [&Motion; 2],
    common: &Common,
) {
    let arms = contact.arms();
    let center = arms.center();
    let slip = slip(bodies, motions, &center);
    let frame = Frame::new(contact, bodies, slip);
    let softness =
        if bodies[0].dynamic && bodies[1].dynamic { common.dynamic } else { common.rigid };
    let mixed = &contact.row.mixed;
    *block = Block {
        bodies: places,
        normal: frame.normal,
        tangents: frame.tangents,
        share: frame.shares[0],
        friction: mixed.friction.odd(),
        softness: softness.softness,
        bias_rate: softness.bias_rate,
        restitution: mixed.restitution,
        approach: -dot(&frame.normal, &slip).round::<30, 20>(),
        ..Block::default()
    };
    normal_rows(block, contact, &frame, &arms, common.rate);
    sliding_rows(block, contact, &frame, &center);
    angular_rows(block, contact, &frame, &arms, &center);
    block.impulse_cap = impulse_cap(block);
}

/// Normal, tangents and mass shares of a contact, with both bodies at hand.
struct Frame<'a> {
    bodies: [&'a StepBody; 2],
    normal: V<30>,
    tangents: [V<30>; 2],
    shares: [Q30; 2],
}

impl<'a> Frame<'a> {
    fn new(contact: &Contact, bodies: [&'a StepBody; 2], slip: V<20>) -> Self {
        let normal = contact.row.normal.map(Q30::from_bits);
        let tangents = contact.tangents(slip);
        let shares = mass_shares(bodies[0].mass, bodies[1].mass);
        let odd = |v: &V<30>| map3(v, Lane::odd);
        let tangents = [odd(&tangents[0]), odd(&tangents[1])];
        Self { bodies, normal: odd(&normal), tangents, shares }
    }

    /// A row that pushes along `direction` at points with these arms.
    #[inline(always)]
    fn row(&self, arms: &[[i64; 3]; 2], direction: &V<30>) -> Row {
        let [a, b] = self.bodies;
        self.with_response([
            lever(&arms[0], a.exponent, direction),
            lever(&arms[1], b.exponent, direction),
        ])
    }

    /// A row that turns about `axis` at a lever of `radius` (raw metres).
    fn turn(&self, radius: i64, axis: &V<30>) -> Row {
        let arm = |side: usize| {
            let lever = scaled_length(radius, self.bodies[side].exponent);
            map3(axis, |c| times(lever, c).odd())
        };
        self.with_response([arm(0), arm(1)])
    }

    #[inline(always)]
    fn with_response(&self, arm: [V<30>; 2]) -> Row {
        Row { arm, response: [self.response(0, &arm[0]), self.response(1, &arm[1])] }
    }

    #[inline(always)]
    fn response(&self, side: usize, arm: &V<30>) -> V<22> {
        let body = self.bodies[side];
        if !body.dynamic {
            return [Q22::ZERO; 3];
        }
        map3(&[0, 1, 2], |i: usize| {
            let turned = dot(&body.response[i], arm).round::<30, 22>();
            times(self.shares[side], turned).odd()
        })
    }
}

/// Velocity of the second surface against the first at the middle of the contact.
fn slip(bodies: [&StepBody; 2], motions: [&Motion; 2], center: &[[i64; 3]; 2]) -> V<20> {
    let surface = |side: usize| -> V<20> {
        let (motion, arm) = (motions[side], scaled_arm(&center[side], bodies[side].exponent));
        let turning = |i: usize, j: usize| {
            Wide::ZERO
                .plus(motion.angular[i], arm[j])
                .minus(motion.angular[j], arm[i])
                .round::<30, 20>()
        };
        let turning = [turning(1, 2), turning(2, 0), turning(0, 1)];
        core::array::from_fn(|i| motion.linear[i] + turning[i])
    };
    sub(&surface(1), &surface(0))
}

#[inline(always)]
fn lever(arm: &[i64; 3], exponent: i8, direction: &V<30>) -> V<30> {
    map3(&cross(&scaled_arm(arm, exponent), direction), Lane::odd)
}

/// What each body takes of an impulse's speed: the other's share of both masses, and all where that is immovable.
///
/// Between, the first share is odd, or half of all speeds of equal masses would lie between two lane values; and
/// it is the odd one below, so that what does is rounded toward zero. Rounded up instead, a stack of 20 keeps ten
/// times the residual speed.
fn mass_shares(a: i64, b: i64) -> [Q30; 2] {
    let odd_below = |bits: i32| Q30::from_bits(bits - (!bits & 1));
    let first = match (a, b) {
        (0, _) => Q30::ZERO,
        (_, 0) => Q30::ONE,
        // As the general case has it, without its division.
        _ if a == b => odd_below(1 << 29),
        _ => {
            let (numerator, sum) = ((b as u128) << 30, a as u128 + b as u128);
            odd_below(((numerator + sum / 2) / sum) as i32)
        }
    };
    [first, Q30::ONE - first]
}

/// An arm in raw Q32.32 metres as a share of 2^exponent m.
#[inline(always)]
fn scaled_arm(arm: &[i64; 3], exponent: i8) -> V<30> {
    map3(arm, |c| scaled_length(c, exponent))
}

/// Clamped to ±1.15: arms reach past the bounding size by a margin, and those of grains and of the immovable further.
/// Three such components are shorter than 2, so no product with a direction overflows.
#[inline(always)]
fn scaled_length(length: i64, exponent: i8) -> Q30 {
    const LIMIT: i64 = (115 << 30) / 100;
    let shift = 2 + i32::from(exponent);
    let scaled = if shift > 0 {
        // What is cut here is far beyond the limit even when shifted, and leaves room for the rounding bit.
        let length = length.clamp(-(1 << 62), 1 << 62);
        (length + (1 << (shift - 1))) >> shift
    } else {
        length.saturating_mul(1 << -shift)
    };
    Q30::from_bits(scaled.clamp(-LIMIT, LIMIT) as i32)
}

/// J·M·J of a row with itself or with another one.
#[inline(always)]
fn coupling(a: &Row, b: &Row) -> Q22 {
    dot(&a.response[0], &b.arm[0]).round::<30, 22>()
        + dot(&a.response[1], &b.arm[1]).round::<30, 22>()
}

/// 1 / k for k of at least a half.
fn reciprocal(k: Q22) -> Q30 {
    const ALMOST_TWO: i64 = (19 << 30) / 10;
    let quotient = (1i64 << 52) / i64::from(k.to_bits().max(1));
    Q30::from_bits(quotient.min(ALMOST_TWO) as i32).odd()
}

fn normal_rows(block: &mut Block, contact: &Contact, frame: &Frame<'_>, arms: &Arms, rate: i64) {
    for (j, point) in contact.row.points.iter().enumerate() {
        let row = frame.row(&arms.of[j], &frame.normal);
        for i in 0..j {
            block.coupling[[0, 0, 1, 3][j] + i] = coupling(&block.points[i].row, &row).odd();
        }
        let made = NormalRow {
            row,
            factor: reciprocal(ONE_22 + coupling(&row, &row)),
            separation: separation_speed(contact.separations[j], rate),
            impulse: point.impulse,
            total: Q20::ZERO,
        };
        block.points.push(made).expect("a contact has at most four points");
    }
}

/// A distance in raw metres as the speed that makes it in a substep.
fn separation_speed(separation: i64, rate: i64) -> Q20 {
    let limited = separation.clamp(-(1 << 34), 1 << 34);
    let speed = (limited * rate + (1 << 11)) >> 12;
    Q20::from_bits(speed.clamp(-SEPARATION_LIMIT, SEPARATION_LIMIT) as i32)
}

fn sliding_rows(block: &mut Block, contact: &Contact, frame: &Frame<'_>, center: &[[i64; 3]; 2]) {
    let [t1, t2] = &frame.tangents;
    let rows = [frame.row(center, t1), frame.row(center, t2)];
    let k11 = ONE_22 + coupling(&rows[0], &rows[0]);
    let k22 = ONE_22 + coupling(&rows[1], &rows[1]);
    let k12 = coupling(&rows[0], &rows[1]);
    let [k11, k12, k22] = [k11, k12, k22].map(|k| i64::from(k.to_bits()));
    let determinant = ((k11 * k22 - k12 * k12) >> 22).max(1);
    let entry =
        |k: i64| Q30::from_bits(((k << 30) / determinant).clamp(-(1 << 30), 1 << 30) as i32).odd();
    block.sliding = rows;
    block.sliding_inverse = [entry(k22), entry(-k12), entry(k11)];
    let old = &contact.row.friction;
    block.sliding_impulse = [dot(t1, old).round::<30, 20>(), dot(t2, old).round::<30, 20>()];
}

fn angular_rows(
    block: &mut Block,
    contact: &Contact,
    frame: &Frame<'_>,
    arms: &Arms,
    center: &[[i64; 3]; 2],
) {
    let mixed = &contact.row.mixed;
    // Several points resist turning with their friction at their mean distance; a single one only if its
    // material says so, at the size of the contact.
    let spread = arms.spread(center);
    let (radius, twist_friction) = if contact.row.points.len() > 1 {
        (spread, mixed.friction)
    } else {
        (contact.size, mixed.spinning)
    };
    let row = |radius: i64, axis: &V<30>, impulse: Q20| {
        let row = frame.turn(radius, axis);
        let k = coupling(&row, &row);
        let factor = if k == Q22::ZERO { Q30::ZERO } else { reciprocal(k) };
        AngularRow { row, factor, impulse }
    };
    if twist_friction != Q30::ZERO {
        block.twist = row(radius, &frame.normal, contact.row.twist);
        block.twist_friction = twist_friction.odd();
    }
    if mixed.rolling != Q30::ZERO {
        let old = &contact.row.rolling;
        block.rolling =
            frame.tangents.map(|t| row(contact.size, &t, dot(&t, old).round::<30, 20>()));
        block.rolling_friction = mixed.rolling.odd();
    }
}

/// Bounds every product of an impulse and a response: past it a contact goes soft instead of exploding.
fn impulse_cap(block: &Block) -> Q20 {
    let mut largest = 0;
    for point in &block.points {
        for response in &point.row.response {
            for r in response {
                largest = largest.max(i64::from(r.to_bits()).abs());
            }
        }
    }
    let cap = (1i64 << (27 + 22)) / largest.max(1);
    Q20::from_bits(cap.min(IMPULSE_CAP) as i32)
}

/// Arms of the points from both centres of mass, raw metres.
pub(crate) struct Arms {
    pub(crate) of: FixedVec<[[i64; 3]; 2], 4>,
}

impl Arms {
    /// The mean arm.
    pub(super) fn center(&self) -> [[i64; 3]; 2] {
        let mut sums = [[0i64; 3]; 2];
        for arms in &self.of {
            for (sum, arm) in sums.iter_mut().zip(arms) {
                for i in 0..3 {
                    // A plane may reach to the end of the world, where four arms have no room; nothing good is there.
                    sum[i] = sum[i].wrapping_add(arm[i]);
                }
            }
        }
        [map3(&sums[0], |c| self.mean(c)), map3(&sums[1], |c| self.mean(c))]
    }

    /// A sum over the points by their number. Dividing by constants spares the division.
    #[inline(always)]
    fn mean(&self, sum: i64) -> i64 {
        match self.of.len() {
            0 | 1 => sum,
            2 => sum / 2,
            3 => sum / 3,
            _ => sum / 4,
        }
    }

    /// The mean distance of the points from their centre.
    fn spread(&self, center: &[[i64; 3]; 2]) -> i64 {
        let distance = |arm: &[[i64; 3]; 2]| {
            let off: [i64; 3] = core::array::from_fn(|i| arm[0][i].wrapping_sub(center[0][i]));
            crate::math::sqrt_nearest(crate::math::length_squared(off)) as i64
        };
        self.mean(self.of.iter().map(distance).fold(0, i64::wrapping_add))
    }
}

/// The friction impulse of a solved block in world directions.
pub(crate) fn world_friction(block: &Block) -> V<20> {
    tangent_vector(block, block.sliding_impulse)
}

/// The rolling impulse of a solved block in world directions.
pub(crate) fn world_rolling(block: &Block) -> V<20> {
    tangent_vector(block, block.rolling.map(|row| row.impulse))
}

fn tangent_vector(block: &Block, [x, y]: [Q20; 2]) -> V<20> {
    let [t1, t2] = &block.tangents;
    core::array::from_fn(|i| Wide::ZERO.plus(t1[i], x).plus(t2[i], y).round::<30, 20>())
}
