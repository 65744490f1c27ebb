//! Fills packs from contacts: reduced-mass units, arms over the bounding size, impulses for warm starting. This file
//! does the parts that need 64 bits or a square root, lane by lane; `lanes/rows.rs` computes the rows in lanes. Results
//! depend on integers only.

use super::arms::{ArmIndex, Known, ScaledArms, scaled_length};
use super::batches::Found;
use super::bodies::StepBody;
use super::constraint::{Motion, V, dot, map3, sub};
use super::contacts::Contact;
use super::lanes::pack::{AngularPack, Eight, Pack, PointPack, Slender, WIDTH, put3};
use super::lanes::stage::Stage;
use super::lanes::{Chosen, make_rows};
use super::load_limit;
use crate::data::Column;
use crate::math::{Lane, Q20, Q30, Wide};
use crate::world::rows::ContactRow;

/// Soft-constraint coefficients for the substep length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Softness {
    pub(crate) softness: Q30,
    pub(crate) bias_rate: Q30,
}

/// Parameters that all contacts of a step share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Common {
    pub(crate) softness: Softness,
    /// Ticks a second.
    pub(crate) tick_rate: i64,
    /// Substeps a second.
    pub(crate) rate: i64,
}

/// Limit of separations over the substep, ½ m at 480 substeps a second: with the displacement of the bodies they then
/// stay within 32 bits.
pub(super) const SEPARATION_LIMIT: i64 = 1 << 28;

/// An eighth of a radian, Q30.
const MAX_HALF_TURN: i64 = 1 << 27;

/// Inputs of the packs of a step.
pub(super) struct Prepare<'a> {
    pub(super) found: &'a Found<'a>,
    pub(super) common: Common,
    pub(super) lanes: Chosen,
    /// Push-out speed of shallow overlaps.
    pub(super) push: Q20,
    /// Cached arms of the last step.
    pub(super) last: &'a Column<ArmIndex, Known>,
}

/// Packs in one unit of work of a thread.
const PACKS: usize = 8;

/// Packs with their rows, split into units of work.
pub(super) struct Unfilled<'a> {
    pub(super) packs: &'a mut [Pack],
    pub(super) points: &'a mut [PointPack],
    pub(super) angular: &'a mut [AngularPack],
    /// Cache entries to write, one for each lane.
    pub(super) known: &'a mut [Known],
}

impl Iterator for Unfilled<'_> {
    type Item = Self;

    fn next(&mut self) -> Option<Self> {
        let count = self.packs.len().min(PACKS);
        let packs = self.packs.split_off_mut(..count).filter(|packs| !packs.is_empty())?;
        let rows = |count: fn(&Pack) -> u32| packs.iter().map(count).sum::<u32>() as usize;
        let (points, angular) = (rows(|pack| pack.points), rows(|pack| pack.angular));
        Some(Self {
            known: self.known.split_off_mut(..packs.len() * WIDTH)?,
            packs,
            points: self.points.split_off_mut(..points)?,
            angular: self.angular.split_off_mut(..angular)?,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.packs.len().div_ceil(PACKS);
        (count, Some(count))
    }
}

impl Prepare<'_> {
    /// Fills packs.
    pub(super) fn fill_all(&self, some: Unfilled<'_>) {
        let Unfilled { packs, mut points, mut angular, known } = some;
        let mut stage = Stage::default();
        for (pack, known) in packs.iter_mut().zip(known.chunks_mut(WIDTH)) {
            let (rows, rest) = points.split_at_mut(pack.points as usize);
            points = rest;
            let (turns, rest) = angular.split_at_mut(pack.angular as usize);
            angular = rest;
            self.fill(pack, rows, turns, known, &mut stage);
        }
    }

    /// Fills a pack whose lanes have their contacts assigned.
    fn fill(
        &self,
        pack: &mut Pack,
        points: &mut [PointPack],
        angular: &mut [AngularPack],
        known: &mut [Known],
        stage: &mut Stage,
    ) {
        *stage = Stage::default();
        pack.slender = Slender::default();
        for point in &mut *points {
            (point.separation, point.impulse) = (Eight::default(), Eight::default());
            (point.push, point.preload) = (Eight::default(), Eight::default());
        }
        for row in &mut *angular {
            (row.friction, row.impulse) = (Eight::default(), Eight::default());
        }
        // In a loop of its own, before staging: contacts are scattered in memory, so the loads of several lanes overlap.
        for (known, contact) in known.iter_mut().zip(pack.contacts) {
            if let Some(contact) = contact.get() {
                *known = self.known(&self.found.contacts[contact]);
            }
        }
        for lane in 0..WIDTH {
            if let Some(contact) = pack.contacts[lane].get() {
                let contact = &self.found.contacts[contact];
                let arms = &known[lane].arms;
                self.stage((lane, contact), pack, points, angular, arms, stage);
            }
        }
        make_rows(pack, points, angular, stage, self.lanes);
    }

    /// Half the rotation vector of this tick, Q30, of a kinematic body. With arms at half a tick, a body on a turntable
    /// moves along a chord of its circle; along the tangent it would creep outwards.
    fn half_turn(&self, body: &StepBody, motion: &Motion) -> [i64; 3] {
        if body.dynamic || motion.angular == [Q20::ZERO; 3] {
            return [0; 3];
        }
        motion.angular.map(|spin| {
            // Speeds are at most 2²⁸, so this fits for any exponent; the smallest bodies exceed the clamp anyway.
            let speed = i64::from(spin.to_bits()) << 10;
            let shift = i32::from(body.exponent);
            let turn = if shift > 0 { speed >> shift } else { speed << (-shift).min(24) };
            (turn / (2 * self.common.tick_rate)).clamp(-MAX_HALF_TURN, MAX_HALF_TURN)
        })
    }

    /// Returns the cached arms of a contact, or computes them.
    #[inline(always)]
    fn known(&self, contact: &Contact) -> Known {
        let exponents = contact.bodies.map(|body| self.found.bodies[body].exponent);
        let last = contact.known.get().map(|arms| &self.last[arms]);
        #[cfg(feature = "test-internals")]
        if self.found.islands.fault == Some(super::Fault::StaleArms)
            && let Some(last) = last
        {
            return *last;
        }
        Known::of(contact, exponents, last)
    }

    /// Stages the inputs of a contact in its lane.
    fn stage(
        &self,
        (lane, contact): (usize, &Contact),
        pack: &mut Pack,
        points: &mut [PointPack],
        angular: &mut [AngularPack],
        arms: &ScaledArms,
        stage: &mut Stage,
    ) {
        let bodies = contact.bodies.map(|body| &self.found.bodies[body]);
        let motions = contact.bodies.map(|body| &self.found.motions[body]);
        let half_turns = [0, 1].map(|side: usize| self.half_turn(bodies[side], motions[side]));
        let halfway;
        let arms = if half_turns == [[0; 3]; 2] {
            arms
        } else {
            halfway = arms.turned(half_turns);
            &halfway
        };
        let bounded;
        let arms = if bodies.iter().any(|body| body.inertia.exceeds) {
            bounded = arms.bounded(bodies.map(|body| &body.inertia));
            &bounded
        } else {
            arms
        };
        let slip = slip(motions, &arms.center);
        let normal = contact.row.normal.map(Q30::from_bits);
        let [t1, t2] = contact.tangents(slip);
        put3(&mut pack.normal, lane, &normal);
        put3(&mut pack.tangents[0], lane, &t1);
        put3(&mut pack.tangents[1], lane, &t2);
        let approach = -dot(&map3(&normal, Lane::odd), &slip).round::<30, 20>();
        pack.approach.set(lane, approach);
        pack.impact_impulse.set(lane, Q20::ZERO);
        let softness = self.common.softness;
        pack.softness.set(lane, softness.softness);
        pack.bias_rate.set(lane, softness.bias_rate);
        let mixed = &contact.row.mixed;
        pack.friction.set(lane, mixed.friction);
        pack.restitution.set(lane, mixed.restitution);
        let mass_fractions = mass_fractions(bodies[0].mass, bodies[1].mass);
        pack.mass_fraction.set(lane, mass_fractions[0]);
        for side in 0..2 {
            put3(&mut stage.center[side], lane, &arms.center[side]);
            stage.mass_fractions[side].set(lane, mass_fractions[side]);
            let inertia = &bodies[side].inertia;
            for i in 0..3 {
                put3(&mut stage.inertia[side][i], lane, &inertia.rows[i]);
            }
            if inertia.slender {
                put3(&mut stage.limit[side], lane, &inertia.limit);
                pack.slender.lanes[side].set(lane, Q30::ONE);
                pack.slender.any[side] = true;
            }
        }
        let limited;
        let limit = load_limit::factor(self.found.islands, contact, bodies, mass_fractions[0]);
        let row = match limit {
            Some(factor) => {
                limited = load_limit::scaled(&contact.row, factor);
                &limited
            }
            None => &contact.row,
        };
        for (j, (point, pack)) in row.points.iter().zip(points).enumerate() {
            for side in 0..2 {
                put3(&mut stage.arms[j][side], lane, &arms.of[j][side]);
            }
            pack.separation.set(lane, separation_speed(contact.separations[j], self.common.rate));
            pack.impulse.set(lane, point.impulse);
            pack.preload.set(lane, point.preload);
            pack.push.set(lane, self.push.max(deep_push(contact.separations[j])));
        }
        put3(&mut stage.friction, lane, &row.friction);
        if !angular.is_empty() {
            let axes = [normal, t1, t2];
            stage_turns(lane, angular, stage, (row, contact.size), (bodies, &axes), arms.twist);
        }
    }
}

/// Stages the inputs of the rows against twisting and rolling.
fn stage_turns(
    lane: usize,
    angular: &mut [AngularPack],
    stage: &mut Stage,
    (row, size): (&ContactRow, i64),
    (bodies, [normal, t1, t2]): ([&StepBody; 2], &[V<30>; 3]),
    spread: [Q30; 2],
) {
    let mixed = &row.mixed;
    // Several points resist twisting by friction at their mean distance from the centre. A single point does so only
    // with spinning friction in its material, at the size of the contact.
    let several = row.points.len() > 1;
    let friction = if several { mixed.friction } else { mixed.spinning };
    let scaled = |radius: i64| bodies.map(|body| scaled_length(radius, body.exponent));
    let bounded = |side: usize, radius: Q30, axes: &[V<30>]| {
        let inertia = &bodies[side].inertia;
        if !inertia.exceeds {
            return radius;
        }
        let halvings = axes.iter().map(|axis| inertia.halvings_of_radius(axis, radius)).max();
        Q30::from_bits(radius.to_bits() >> halvings.unwrap_or(0))
    };
    if friction != Q30::ZERO {
        let twist = if several { spread } else { scaled(size) };
        for (side, to) in stage.twist.iter_mut().enumerate() {
            to.set(lane, bounded(side, twist[side], &[*normal]));
        }
        angular[0].friction.set(lane, friction);
        angular[0].impulse.set(lane, row.twist);
    }
    if mixed.rolling != Q30::ZERO {
        let roll = scaled(size);
        for (side, to) in stage.roll.iter_mut().enumerate() {
            to.set(lane, bounded(side, roll[side], &[*t1, *t2]));
        }
        put3(&mut stage.rolling, lane, &row.rolling);
        for row in &mut angular[1..] {
            row.friction.set(lane, mixed.rolling);
        }
    }
}

/// Relative velocity of the second surface against the first at these arms.
fn slip(motions: [&Motion; 2], arms: &[V<30>; 2]) -> V<20> {
    let surface = |side: usize| -> V<20> {
        let (Motion { linear, angular }, arm) = (motions[side], &arms[side]);
        let turning = |i: usize, j: usize| {
            Wide::ZERO.plus(angular[i], arm[j]).minus(angular[j], arm[i]).round::<30, 20>()
        };
        [linear[0] + turning(1, 2), linear[1] + turning(2, 0), linear[2] + turning(0, 1)]
    };
    sub(&surface(1), &surface(0))
}

/// Mass fractions of the two bodies: the other body's part of the total mass, and one if the other body is immovable.
///
/// Between zero and one, the first fraction is odd, or half of all speeds of equal masses would be ties. It is rounded
/// down to odd, so that ties round toward zero. Rounded up instead, a stack of 20 keeps ten times the residual speed.
pub(super) fn mass_fractions(a: i64, b: i64) -> [Q30; 2] {
    let odd_below = |bits: i32| Q30::from_bits(bits - (!bits & 1));
    let first = match (a, b) {
        (0, _) => Q30::ZERO,
        (_, 0) => Q30::ONE,
        // Equal to the general case, without its division.
        _ if a == b => odd_below(1 << 29),
        _ => {
            let (numerator, sum) = ((b as u128) << 30, a as u128 + b as u128);
            odd_below(rounded_fraction(numerator, sum) as i32)
        }
    };
    [first, Q30::ONE - first]
}

/// Computes `numerator / sum` to the nearest, ties up, for a numerator of at most 2³⁰ times the sum.
#[inline(always)]
#[allow(clippy::disallowed_types, reason = "a seed; what follows makes the result exact")]
fn rounded_fraction(numerator: u128, sum: u128) -> u128 {
    let seed = ((numerator >> 30) as u64 as f64 / sum as u64 as f64 * (1u64 << 30) as f64) as u64;
    repaired(numerator + sum / 2, sum, u128::from(seed))
}

/// Returns the quotient, rounded down, from a guess near it.
#[inline(always)]
fn repaired(numerator: u128, divisor: u128, guess: u128) -> u128 {
    if guess * divisor <= numerator && numerator - guess * divisor < divisor {
        return guess;
    }
    numerator / divisor
}

/// Push-out speed of a deep overlap: its depth in a fifth of a second. It falls as the overlap shrinks, so that the body
/// does not leave with it. At most 20 m/s, for overlaps of 4 m.
fn deep_push(separation: i64) -> Q20 {
    let depth = -separation.clamp(-(1 << 34), 0);
    Q20::from_bits(((depth * 5) >> 12) as i32)
}

/// Converts a distance in raw metres to the speed that covers it in one substep.
pub(super) fn separation_speed(separation: i64, rate: i64) -> Q20 {
    let limited = separation.clamp(-(1 << 34), 1 << 34);
    let speed = (limited * rate + (1 << 11)) >> 12;
    Q20::from_bits(speed.clamp(-SEPARATION_LIMIT, SEPARATION_LIMIT) as i32)
}

/// Converts two impulses along the tangents to world directions.
pub(crate) fn across([t1, t2]: &[V<30>; 2], [x, y]: [Q20; 2]) -> V<20> {
    core::array::from_fn(|i| Wide::ZERO.plus(t1[i], x).plus(t2[i], y).round::<30, 20>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Real;
    use proptest::prelude::*;

    /// Separations from a half space at the world limit saturate, and the negation overflowed.
    #[test]
    fn the_deepest_overlap_is_pushed_out_at_20_metres_a_second() {
        let speed = |separation| deep_push(separation).to_real();
        assert_eq!(speed(i64::MIN), Real::from_int(20));
        assert_eq!(speed(-(1 << 32)), Real::from_int(5));
        assert_eq!([speed(0), speed(i64::MAX)], [Real::ZERO; 2]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn mass_fractions_from_floats_match_integers(a in 1i64.., b in 1i64.., shift in 0u32..60) {
            for (a, b) in [(a, b), (a >> shift, b), (a, b >> shift)] {
                let (numerator, sum) = ((b as u128) << 30, a as u128 + b as u128);
                let expected = (numerator + sum / 2) / sum.max(1);
                if sum > 0 {
                    prop_assert_eq!(rounded_fraction(numerator, sum), expected);
                }
            }
        }
    }
}
