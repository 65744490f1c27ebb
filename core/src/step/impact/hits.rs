//! Impulses of simultaneous impacts: Gauss-Seidel passes over their points, then friction, then the displacement back.

use super::order::Constraint;
use super::points::{lane, limited_sum, seen_by};
use crate::math::{Q20, Q30, Wide};
use crate::step::constraint::{Motion, NormalRow, ScalarContact, times};
use crate::step::index::BatchRow;
use crate::step::rows::{MOVED_LIMIT, RowsMut, lock};
use crate::step::scalar_contact;

/// Maximum number of Gauss-Seidel passes over the points of a group; a single point needs one or two.
const PASSES: u32 = 24;

/// Point of an impact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub(super) contact: Constraint,
    pub(super) point: u32,
    /// Target of the relative normal velocity, and the impact speed, raw Q20.
    pub(super) goal: i64,
    pub(super) impact: i64,
    /// Time of impact as a fraction of the substep.
    pub(super) time: Q30,
    pub(super) impulse: Q20,
}

/// Applies normal impulses until all points have reached their target or separate faster, then applies friction from
/// these impulses.
pub(super) fn hit(hits: &mut [Hit], constraints: &mut [ScalarContact], bodies: &mut RowsMut<'_>) {
    // Rounding changes speeds by one; a smaller change is no progress.
    const ENOUGH: i32 = 2;
    for pass in 0..PASSES {
        let mut most = 0;
        for hits in hits.chunk_by_mut(|a, b| a.contact == b.contact) {
            let constraint = &constraints[hits[0].contact];
            let [mut a, mut b] = constraint.bodies.map(|body| bodies.motions[body]);
            let bound = bodies.are_locked(constraint);
            for hit in hits {
                let row = &constraint.points[hit.point as usize];
                let missing = lane(hit.goal - seen_by(constraint, row, &a, &b));
                let wanted = hit.impulse + times(row.effective_mass, missing);
                let impulse = wanted.max(Q20::ZERO).min(constraint.impulse_cap);
                let change = impulse - hit.impulse;
                // No change: after the first pass, locks and caps hold already.
                if pass > 0 && change == Q20::ZERO {
                    continue;
                }
                hit.impulse = impulse;
                most = most.max(change.to_bits().abs());
                push(constraint, row, change, &mut a, &mut b);
                if bound {
                    bodies.lock(constraint, [&mut a, &mut b]);
                }
                (a, b) = (scalar_contact::capped(a), scalar_contact::capped(b));
            }
            bodies.store(constraint, [a, b]);
        }
        if most <= ENOUGH {
            break;
        }
    }
    for hits in hits.chunk_by(|a, b| a.contact == b.contact) {
        finish(hits, &mut constraints[hits[0].contact], bodies);
    }
}

/// Applies the friction of an impact, and the displacement back of both bodies.
fn finish(hits: &[Hit], constraint: &mut ScalarContact, bodies: &mut RowsMut<'_>) {
    let load =
        hits.iter().fold(Q20::ZERO, |sum, hit| scalar_contact::saturating_add(sum, hit.impulse));
    constraint.impact_impulse = scalar_contact::saturating_add(constraint.impact_impulse, load);
    constraint.approach =
        hits.iter().fold(constraint.approach, |most, hit| most.max(lane(hit.impact)));
    let [mut a, mut b] = constraint.bodies.map(|body| bodies.motions[body]);
    let kept = core::mem::replace(&mut constraint.sliding_impulse, [Q20::ZERO; 2]);
    let bound = times(constraint.friction, load.min(constraint.impulse_cap));
    let bound = bound.min(constraint.sliding_cap);
    scalar_contact::slide(constraint, bound, &mut a, &mut b);
    let slid = core::mem::replace(&mut constraint.sliding_impulse, kept);
    bodies.lock(constraint, [&mut a, &mut b]);
    bodies.store(constraint, [scalar_contact::capped(a), scalar_contact::capped(b)]);

    let [mut a, mut b] = [Motion::default(); 2];
    for hit in hits {
        let row = &constraint.points[hit.point as usize];
        push(constraint, row, -times(hit.time, hit.impulse), &mut a, &mut b);
    }
    scalar_contact::apply_sliding(
        constraint,
        slid.map(|d| -times(hits[0].time, d)),
        &mut a,
        &mut b,
    );
    for (body, back) in constraint.bodies.into_iter().zip([a, b]) {
        bodies.step_back(body, back);
    }
}

impl RowsMut<'_> {
    /// Returns whether a body of a contact has locked axes.
    #[inline(always)]
    fn are_locked(&self, constraint: &ScalarContact) -> bool {
        constraint.bodies.iter().any(|body| self.traits[*body].locks != 0)
    }

    #[inline(always)]
    fn lock(&self, constraint: &ScalarContact, [a, b]: [&mut Motion; 2]) {
        let [list_a, list_b] = constraint.bodies.map(|body| &self.traits[body]);
        lock(list_a, a);
        lock(list_b, b);
    }

    #[inline(always)]
    fn store(&mut self, constraint: &ScalarContact, motions: [Motion; 2]) {
        for (row, motion) in constraint.bodies.into_iter().zip(motions) {
            self.motions[row] = motion;
        }
    }

    fn step_back(&mut self, body: BatchRow, mut back: Motion) {
        // 64 substeps at full speed sum up to 2³⁴. With this limit the displacement stays below 2³⁷ for any number of
        // impacts.
        const DISPLACEMENT_LIMIT: i64 = 1 << 36;
        lock(&self.traits[body], &mut back);
        let (moved, displacement) = (&mut self.moved[body], &mut self.displacement[body]);
        let add = |displacement: &mut i64, back: Q20| {
            *displacement = (*displacement + i64::from(back.to_bits()))
                .clamp(-DISPLACEMENT_LIMIT, DISPLACEMENT_LIMIT);
        };
        for i in 0..3 {
            moved.linear[i] = limited_sum(moved.linear[i], back.linear[i], MOVED_LIMIT);
            moved.angular[i] = limited_sum(moved.angular[i], back.angular[i], MOVED_LIMIT);
            add(&mut displacement[i], back.linear[i]);
            add(&mut displacement[3 + i], back.angular[i]);
        }
    }
}

/// Applies a normal impulse at one point.
#[inline(always)]
fn push(constraint: &ScalarContact, row: &NormalRow, impulse: Q20, a: &mut Motion, b: &mut Motion) {
    let linear = constraint.normal.map(|n| times(n, impulse));
    scalar_contact::apply_linear(constraint.mass_fraction, &linear, a, b);
    let turn = |side: usize, i: usize| {
        Wide::ZERO.plus(row.row.response[side][i], impulse).round::<22, 20>()
    };
    for i in 0..3 {
        a.angular[i] = a.angular[i] - turn(0, i);
        b.angular[i] = b.angular[i] + turn(1, i);
    }
}
