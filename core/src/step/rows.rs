//! Rows of a batch's bodies, and their integration between the passes over its contacts. The loops are plain; they are
//! inlined into a copy for each SIMD width, where the compiler vectorises them.
//!
//! Row 0 is for all bodies at rest, row 1 for empty lanes. The batch's own bodies follow, then its read-only bodies.

use super::constraint::{Motion, SPEED_CAP, V, times};
use super::index::{BatchRow, BodyPlace};
use crate::data::index::index_slices;
use crate::math::{Q20, Q30, isqrt};
use core::ops::Range;

/// Constant properties of a row's body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traits {
    /// Velocity that gravity and forces add in a substep.
    pub(super) gravity: V<20>,
    /// Damping factors of linear and angular velocity for a tick: the remaining part.
    pub(super) damping: [Q30; 2],
    pub(super) speed_cap: Q20,
    /// Place of the body in the step's columns.
    pub(super) place: BodyPlace,
    pub(super) locks: u8,
    pub(super) dynamic: bool,
    /// True for a kinematic body with a velocity.
    pub(super) moving_kinematic: bool,
    /// The spin is capped by length.
    pub(super) slender: bool,
}

/// Rows of all batches.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(super) traits: Vec<Traits>,
    pub(super) motions: Vec<Motion>,
    moved: Vec<Motion>,
    pub(super) displacement: Vec<[i64; 6]>,
    carried_impulse: Vec<Motion>,
    start: Vec<Motion>,
}

impl Rows {
    pub(super) fn clear(&mut self) {
        self.traits.clear();
        self.displacement.clear();
        for column in
            [&mut self.motions, &mut self.moved, &mut self.carried_impulse, &mut self.start]
        {
            column.clear();
        }
    }

    /// Adds a row; `carried` is a velocity change that each substep applies.
    pub(super) fn push(&mut self, traits: Traits, motion: Motion, carried: Motion) {
        self.traits.push(traits);
        self.motions.push(motion);
        self.moved.push(Motion::default());
        self.displacement.push([0; 6]);
        self.carried_impulse.push(carried);
        self.start.push(Motion::default());
    }

    /// Returns all rows.
    pub(super) fn all(&mut self) -> RowsMut<'_> {
        RowsMut {
            traits: &self.traits,
            motions: &mut self.motions,
            moved: &mut self.moved,
            displacement: &mut self.displacement,
            carried_impulse: &mut self.carried_impulse,
            start: &mut self.start,
        }
    }
}

/// Rows of one batch.
pub(crate) struct RowsMut<'a> {
    pub(super) traits: &'a [Traits],
    /// Velocity and spin.
    pub(super) motions: &'a mut [Motion],
    /// Sum of the substep velocities so far, clamped to [`MOVED_LIMIT`]: contacts need no more.
    pub(super) moved: &'a mut [Motion],
    /// Sum of the substep velocities so far, without the clamp.
    pub(super) displacement: &'a mut [[i64; 6]],
    /// Carried impulse: velocity change from contacts in the last substep, and from torques.
    pub(super) carried_impulse: &'a mut [Motion],
    /// Motion at the start of the substep, after gravity.
    start: &'a mut [Motion],
}

impl RowsMut<'_> {
    /// Splits off the first `count` rows.
    pub(super) fn split_off(&mut self, count: usize) -> Self {
        Self {
            traits: self.traits.split_off(..count).unwrap_or_default(),
            motions: self.motions.split_off_mut(..count).unwrap_or_default(),
            moved: self.moved.split_off_mut(..count).unwrap_or_default(),
            displacement: self.displacement.split_off_mut(..count).unwrap_or_default(),
            carried_impulse: self.carried_impulse.split_off_mut(..count).unwrap_or_default(),
            start: self.start.split_off_mut(..count).unwrap_or_default(),
        }
    }
}

index_slices!(BatchRow: Traits, Motion, [i64; 6]);

/// Limit of the displacement that separations use, half a metre at 480 substeps a second.
pub(super) const MOVED_LIMIT: Q20 = Q20::from_bits(1 << 28);

impl RowsMut<'_> {
    /// Applies a tick's damping.
    pub(super) fn damp(&mut self, members: Range<usize>) {
        for (body, motion) in self.traits[members.clone()].iter().zip(&mut self.motions[members]) {
            let scale = |v: V<20>, damping: Q30| v.map(|c| times(damping, c));
            motion.linear = shortened(scale(motion.linear, body.damping[0]), body.speed_cap);
            motion.angular = shortened(scale(motion.angular, body.damping[1]), SPEED_CAP);
        }
    }

    /// Clamps the motion of read-only bodies to the speed cap.
    pub(super) fn cap_read_only(&mut self, from: usize) {
        for motion in &mut self.motions[from..] {
            motion.linear = motion.linear.map(|v| v.clamp_abs(SPEED_CAP));
            motion.angular = motion.angular.map(|v| v.clamp_abs(SPEED_CAP));
        }
    }

    /// Adds gravity and the carried impulse, and starts a substep.
    #[inline(always)]
    pub(super) fn accelerate_plain(&mut self, members: Range<usize>) {
        let columns = self.traits[members.clone()]
            .iter()
            .zip(&mut self.motions[members.clone()])
            .zip(&self.carried_impulse[members.clone()])
            .zip(&mut self.start[members]);
        for (((body, motion), carried_impulse), start) in columns {
            // Each is below 2³⁰, so that sums of two fit; gravity is clamped where it would reach the cap anyway.
            let mut faster = combine(motion, carried_impulse, |v, c| limited(v + c, SPEED_CAP));
            for i in 0..3 {
                faster.linear[i] = limited(faster.linear[i] + body.gravity[i], SPEED_CAP);
            }
            let old = motion.angular;
            *motion = faster;
            *start = faster;
            if body.slender {
                motion.angular = slender_sum(&old, &carried_impulse.angular);
                start.angular = motion.angular;
            }
        }
    }

    /// Starts a substep from the current motion.
    pub(super) fn restart(&mut self, members: Range<usize>) {
        self.start[members.clone()].copy_from_slice(&self.motions[members]);
    }

    /// Adds the velocity change since the substep began to the carried impulse, which has only torques so far.
    #[inline(always)]
    pub(super) fn carry_plain(&mut self, members: Range<usize>) {
        let columns = self.motions[members.clone()]
            .iter()
            .zip(&self.start[members.clone()])
            .zip(&mut self.carried_impulse[members]);
        for ((motion, start), carried_impulse) in columns {
            let change = combine(motion, start, |m, s| m - s);
            *carried_impulse = combine(carried_impulse, &change, |c, d| c + d);
        }
    }

    /// Adds the velocity change of the substep to the carried impulse.
    #[inline(always)]
    pub(super) fn carry_on_plain(&mut self, members: Range<usize>) {
        let columns = self.traits[members.clone()]
            .iter()
            .zip(&self.motions[members.clone()])
            .zip(&self.start[members.clone()])
            .zip(&mut self.carried_impulse[members]);
        for (((body, motion), start), carried_impulse) in columns {
            let change = combine(motion, start, |m, s| m - s);
            let old = carried_impulse.angular;
            *carried_impulse = combine(carried_impulse, &change, |c, d| limited(c + d, SPEED_CAP));
            if body.slender {
                carried_impulse.angular = slender_sum(&old, &change.angular);
            }
        }
    }

    /// Integrates the displacement over one substep.
    #[inline(always)]
    pub(super) fn advance_plain(&mut self, members: Range<usize>) {
        let columns = self.traits[members.start..]
            .iter()
            .zip(&mut self.motions[members.start..])
            .zip(&mut self.moved[members.start..])
            .zip(&mut self.displacement[members.start..]);
        for (i, (((body, motion), moved), displacement)) in columns.enumerate() {
            if i >= members.len() && !body.moving_kinematic {
                continue;
            }
            if body.locks != 0 {
                lock(body, motion);
            }
            *moved = combine(moved, motion, |a, b| limited(a + b, MOVED_LIMIT));
            for i in 0..3 {
                displacement[i] += i64::from(motion.linear[i].to_bits());
                displacement[3 + i] += i64::from(motion.angular[i].to_bits());
            }
        }
    }

    /// Applies locks and speed caps at the end of the tick: the relaxation pass ignores locks, and gravity ignores caps.
    pub(super) fn end(&mut self, members: Range<usize>) {
        for (body, motion) in self.traits[members.clone()].iter().zip(&mut self.motions[members]) {
            lock(body, motion);
            motion.linear = shortened(motion.linear, body.speed_cap);
            motion.angular = shortened(motion.angular, SPEED_CAP);
        }
    }
}

/// Zeroes motion along locked axes.
pub(super) fn lock(body: &Traits, motion: &mut Motion) {
    if body.locks != 0 && body.dynamic {
        for i in 0..3 {
            if body.locks >> i & 1 == 1 {
                motion.linear[i] = Q20::ZERO;
            }
            if body.locks >> (3 + i) & 1 == 1 {
                motion.angular[i] = Q20::ZERO;
            }
        }
    }
}

/// Scales a velocity down to at most `cap`, in the same direction.
#[inline]
pub(super) fn shortened(v: V<20>, cap: Q20) -> V<20> {
    let bits = v.map(|c| i64::from(c.to_bits()));
    let cap = i64::from(cap.to_bits());
    // No component is beyond 2²⁹, so squares and their sum fit 64 bits.
    let square = bits[0] * bits[0] + bits[1] * bits[1] + bits[2] * bits[2];
    if square <= cap * cap {
        return v;
    }
    // The length is rounded up and the quotient toward zero, so the result is never longer than the cap.
    let length = isqrt(square as u128) as i64 + 1;
    bits.map(|c| Q20::from_bits((c * cap / length) as i32))
}

/// Returns the sum of two spins of a slender body, within the cap. Not inlined, so that the loops over other bodies stay short.
#[cold]
#[inline(never)]
fn slender_sum(a: &V<20>, b: &V<20>) -> V<20> {
    halved_spin([a[0] + b[0], a[1] + b[1], a[2] + b[2]])
}

/// Returns a spin within the cap in the same direction, as the kernels compute it for slender bodies. Components must be
/// below four times the cap.
pub(super) fn halved_spin(mut v: V<20>) -> V<20> {
    for _ in 0..2 {
        let most = v.iter().fold(0, |most, c| most.max(c.to_bits().abs()));
        let shift = u32::from(most > SPEED_CAP.to_bits());
        v = v.map(|c| Q20::from_bits(c.to_bits() >> shift));
    }
    v.map(|c| limited(c, SPEED_CAP))
}

/// Clamps the value to ±`limit`, which is positive.
#[inline(always)]
fn limited(value: Q20, limit: Q20) -> Q20 {
    value.max(Q20::from_bits(-limit.to_bits())).min(limit)
}

#[inline(always)]
fn combine(a: &Motion, b: &Motion, f: impl Fn(Q20, Q20) -> Q20) -> Motion {
    let zip = |a: &V<20>, b: &V<20>| [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])];
    Motion { linear: zip(&a.linear, &b.linear), angular: zip(&a.angular, &b.angular) }
}
