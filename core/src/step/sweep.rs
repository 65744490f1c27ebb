//! Contacts of what moves fast: where two shapes will meet within the tick, not where they are at its start.
//!
//! Conservative advancement along straight ways: shapes can't touch before they have closed the gap between them
//! along any direction, so they are moved on by that time, again and again, until they do touch or the tick is over.
//! What passes by without touching gets the geometry of the end of its way, which never stands in it.
//!
//! Nothing turns on the way: spin is the solver's, which counts it from the arms of the start of the tick.

use super::block::Motion;
use super::broad::MARGIN;
use super::contacts::Contact;
use super::prepare::SEPARATION_LIMIT;
use crate::collide::{Manifold, Posed, collide_on_the_way, gap, out_of_reach};
use crate::math::{Divisor, Real, Vec3};
use crate::world::{World, real_vector};

/// Shapes touch when they overlap by this, half a millimetre: what rolls along others sinks in less than that, and
/// must not be found to hit an edge that is level with its way.
const OVERLAP: Real = Real::ratio(5, 10_000);
/// And this is near enough to it.
const NEAR_ENOUGH: Real = Real::ratio(2, 10_000);

/// What moves less than the margin in a tick is found in time without looking ahead. But round shapes that pass an
/// edge level with their way would hop over it by way²/2R: they are slow below an eighth of that.
const SLOW_SHARE: i64 = 8;

/// Moves on at most. Straight ways to flat faces take two, grazing ones a few more.
const ROUNDS: u32 = 12;

/// What all pairs of a step share.
pub(super) struct Sweeper {
    /// Seconds in a tick.
    tick: Real,
    /// Ticks a second.
    tick_rate: i64,
    /// The same, to divide by.
    ticks: Divisor,
    /// Separations further than this, metres, are beyond what the solver can count.
    limit: Real,
}

/// Where two shapes touch, and when, as a share of the tick.
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
            // From Q20 to Q32, and a little less for the way that gravity adds.
            limit: Real::from_bits(((SEPARATION_LIMIT << 12) / substep_rate) / 64 * 63),
        }
    }

    /// How far apart a pair may be that can touch within the tick, raw metres; `None` if it is so slow that those
    /// within the margin are all, as they are. `flat` says whether both shapes are.
    #[inline(always)]
    pub(super) fn reach(&self, motions: [&Motion; 2], flat: bool) -> Option<i64> {
        let [a, b] = motions;
        let size = |i: usize| i64::from((b.linear[i].to_bits() - a.linear[i].to_bits()).abs());
        // At least the speed, at most √3 of it.
        let speed = size(0) + size(1) + size(2);
        let margin = MARGIN.to_bits();
        let slow = if flat { margin } else { margin / SLOW_SHARE };
        if speed << 12 <= slow * self.tick_rate {
            return None;
        }
        Some((margin + self.ticks.floor(speed << 12)).min(self.limit.to_bits()))
    }

    /// What the second body moves against the first in a tick.
    pub(super) fn way(&self, [a, b]: [&Motion; 2]) -> Vec3 {
        (real_vector(b.linear) - real_vector(a.linear)) * self.tick
    }

    /// Gives the separations of the start of the tick to a contact from a later time of this way. `None` if they
    /// are beyond what the solver can count.
    pub(super) fn rewind(&self, contact: &mut Contact, way: Vec3, time: Real) -> Option<()> {
        let normal = Vec3::from_bits(contact.row.normal.map(|c| i64::from(c) << 2));
        contact.row.reference += way * time;
        let closed = (normal.dot(way) * time).to_bits();
        let separations = &mut contact.separations[..contact.row.points.len()];
        separations.iter_mut().for_each(|separation| *separation -= closed);
        separations.iter().any(|s| *s <= self.limit.to_bits()).then_some(())
    }
}

/// Where the shapes first touch, or else where they are at the end of the tick if they are near then. The second one
/// moves by `way`, and `first` is the gap between them at the start, if that is known.
pub(super) fn run(
    a: &Posed<'_>,
    b: &Posed<'_>,
    way: Vec3,
    reach: i64,
    first: Option<([i32; 3], i64)>,
) -> Option<Found> {
    let at = |time: Real| {
        let center = (Vec3::from_bits(b.center) + way * time).to_bits();
        Posed { center, ..*b }
    };
    let found = |time: Real| {
        let manifold = collide_on_the_way(a, &at(time), MARGIN.to_bits(), way.to_bits());
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
            // Two boxes, corner to corner: faces and edges don't know their whole distance.
            time = (time + MARGIN / way.length()).min(Real::ONE);
            continue;
        }
        let closing = -Vec3::from_bits(normal.map(|c| i64::from(c) << 2)).dot(way);
        if closing * left <= above {
            // They don't touch, and most are not near then either.
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

/// Whether two balls with the shapes' bounding radii stay further apart than the margin, the second moving by `way`.
pub(super) fn misses(radii: [Option<i64>; 2], delta: Vec3, way: Vec3) -> bool {
    let (toward, square) = (-delta.dot(way), way.length_squared());
    let time = if toward <= Real::ZERO {
        Real::ZERO
    } else if toward >= square {
        Real::ONE
    } else {
        toward / square
    };
    out_of_reach(radii, (delta + way * time).to_bits(), MARGIN.to_bits())
}
