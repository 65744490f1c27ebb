//! Continuous collision: manifolds of fast pairs at their time of impact within the tick.
//!
//! Conservative advancement along straight paths: shapes can't touch before they have closed the gap between them along
//! any direction, so time is advanced by that amount, repeatedly, until they touch or the tick ends. If the sweep finds
//! no hit, the manifold at the end of the sweep is used; it cannot block the motion.
//!
//! Rotation is not swept: the solver accounts for spin, with the arms of the start of the tick.

use super::bounds::MARGIN;
use super::constraint::Motion;
use super::contacts::Contact;
use super::prepare::SEPARATION_LIMIT;
use crate::collide::{Manifold, Posed, collide_moving, gap, out_of_reach};
use crate::math::{Divisor, Real, Vec3};
use crate::shape::Extent;
use crate::world::{World, real_vector};

/// Overlap at which the sweep counts as a hit, half a millimetre. Rolling bodies sink in less than that, and must not
/// hit an edge that is level with their path.
const OVERLAP: Real = Real::ratio(5, 10_000);
/// Tolerance of that overlap.
const NEAR_ENOUGH: Real = Real::ratio(2, 10_000);

/// Divisor of the margin for round shapes. A pair that moves less than the margin in a tick is found in time without a
/// sweep. But round shapes that pass an edge level with their path would hop over it by d²/2R, with d the displacement:
/// for them the limit is an eighth of the margin.
const SLOW_DIVISOR: i64 = 8;

/// Maximum number of advances. Straight paths to flat faces need two, grazing ones a few more.
const ROUNDS: u32 = 12;

/// Parameters that all pairs of a step share.
pub(super) struct Sweeper {
    /// Seconds in a tick.
    tick: Real,
    /// Ticks a second.
    tick_rate: i64,
    /// Tick rate as a divisor.
    ticks: Divisor,
    /// Largest separation, metres, that the solver can represent.
    limit: Real,
}

/// Manifold of a hit, and its time as a fraction of the tick.
pub(super) struct Found {
    pub(super) manifold: Manifold,
    pub(super) time: Real,
}

impl Sweeper {
    pub(super) fn new(world: &World) -> Self {
        let substep_rate = i64::from(world.def.tick_rate * world.def.substeps);
        Self {
            tick: Real::from_int(world.def.tick_rate as i32).recip(),
            tick_rate: i64::from(world.def.tick_rate),
            ticks: Divisor::new(i64::from(world.def.tick_rate)),
            // From Q20 to Q32, and a little less for the displacement that gravity adds.
            limit: Real::from_bits(((SEPARATION_LIMIT << 12) / substep_rate) / 64 * 63),
        }
    }

    /// Returns the largest distance, raw metres, at which a pair can touch within the tick. `None` if it is so slow that
    /// the margin at the start of the tick suffices. `flat` is true if both shapes are flat.
    #[inline(always)]
    pub(super) fn reach(&self, motions: [&Motion; 2], flat: bool) -> Option<i64> {
        let [a, b] = motions;
        let size = |i: usize| i64::from((b.linear[i].to_bits() - a.linear[i].to_bits()).abs());
        // At least the speed, at most √3 of it.
        let speed = size(0) + size(1) + size(2);
        let margin = MARGIN.to_bits();
        let slow = if flat { margin } else { margin / SLOW_DIVISOR };
        if speed << 12 <= slow * self.tick_rate {
            return None;
        }
        Some((margin + self.ticks.floor(speed << 12)).min(self.limit.to_bits()))
    }

    /// Displacement of the second body relative to the first in a tick.
    pub(super) fn displacement(&self, [a, b]: [&Motion; 2]) -> Vec3 {
        (real_vector(b.linear) - real_vector(a.linear)) * self.tick
    }

    /// Converts the separations of a contact from `time` back to the start of the tick. `None` if they exceed what the
    /// solver can represent.
    pub(super) fn rewind(
        &self,
        contact: &mut Contact,
        displacement: Vec3,
        time: Real,
    ) -> Option<()> {
        let normal = Vec3::from_bits(contact.row.normal.map(|c| i64::from(c) << 2));
        contact.row.reference += displacement * time;
        let closed = (normal.dot(displacement) * time).to_bits();
        let separations = &mut contact.separations[..contact.row.points.len()];
        separations.iter_mut().for_each(|separation| *separation -= closed);
        separations.iter().any(|s| *s <= self.limit.to_bits()).then_some(())
    }
}

/// Finds the first touching manifold, or else the manifold at the end of the tick if the shapes are near then. The
/// second shape moves by `displacement`, and `first` is the gap at the start, if known.
pub(super) fn run(
    a: &Posed<'_>,
    b: &Posed<'_>,
    displacement: Vec3,
    reach: i64,
    first: Option<([i32; 3], i64)>,
) -> Option<Found> {
    let at = |time: Real| {
        let center = (Vec3::from_bits(b.center) + displacement * time).to_bits();
        Posed { center, ..*b }
    };
    let found = |time: Real| {
        let manifold = collide_moving(a, &at(time), MARGIN.to_bits(), displacement.to_bits());
        (!manifold.points.is_empty()).then_some(Found { manifold, time })
    };
    let mut time = Real::ZERO;
    let mut known = first;
    for _ in 0..ROUNDS {
        let (normal, gap) = known.take().or_else(|| gap(a, &at(time), reach))?;
        let above = Real::from_bits(gap) + OVERLAP;
        let left = Real::ONE - time;
        if above <= NEAR_ENOUGH {
            let touching = found(time);
            if touching.is_some() || left == Real::ZERO {
                return touching;
            }
            // Two boxes, corner to corner: the face and edge axes underestimate their distance.
            time = (time + MARGIN / displacement.length()).min(Real::ONE);
            continue;
        }
        let closing = -Vec3::from_bits(normal.map(|c| i64::from(c) << 2)).dot(displacement);
        if closing * left <= above {
            // No hit, and most pairs are beyond the margin at the end too.
            if above - closing * left > MARGIN + OVERLAP {
                return None;
            }
            time = Real::ONE;
            break;
        }
        time = (time + above / closing).min(Real::ONE);
    }
    found(time)
}

/// Returns whether two spheres with the shapes' bounding radii stay further apart than the margin while the second moves
/// by `displacement`.
pub(super) fn misses(extents: [Extent; 2], delta: Vec3, displacement: Vec3) -> bool {
    let (toward, square) = (-delta.dot(displacement), displacement.length_squared());
    let time = if toward <= Real::ZERO {
        Real::ZERO
    } else if toward >= square {
        Real::ONE
    } else {
        toward / square
    };
    out_of_reach(extents, (delta + displacement * time).to_bits(), MARGIN.to_bits())
}
