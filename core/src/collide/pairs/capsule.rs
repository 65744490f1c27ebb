//! Capsule against capsule: closest points of the core segments; two points if the capsules are nearly parallel.

use super::sphere::between;
use crate::collide::frame::{
    Raw, Unit, add, along, axis, cosine, cross, direction, dot, facing, is_longer, sub, too_short,
    unit_of,
};
use crate::collide::{Manifold, Pair, Point};
use crate::math::{length_squared, round_shift};
use crate::shape::Capsule;

/// Squared sine, 60 fractional bits, below which capsules count as side by side (0.9°).
const ALONG: i64 = 1 << 48;
/// Squared sine below which lines count as parallel (10⁻⁶ rad): their closest points are dominated by rounding.
const PARALLEL: i64 = 1 << 20;

/// A core segment: centre relative to the first capsule's, direction, half length.
#[derive(Clone, Copy)]
struct Segment {
    middle: Raw,
    long: Unit,
    half: i64,
}

impl Segment {
    fn at(&self, place: i64) -> Raw {
        add(self.middle, along(self.long, place))
    }

    /// Position along the segment that is closest to a point.
    fn nearest(&self, point: Raw) -> i64 {
        self.unbounded(point).clamp(-self.half, self.half)
    }

    fn unbounded(&self, point: Raw) -> i64 {
        dot(self.long, sub(point, self.middle))
    }
}

pub(super) fn capsules(pair: &Pair, a: Capsule, b: Capsule) -> Manifold {
    let half_lengths = [a.half_length.to_bits(), b.half_length.to_bits()];
    let radii = [a.radius.to_bits(), b.radius.to_bits()];
    let first = Segment { middle: [0; 3], long: axis(&pair.turn_a, 1), half: half_lengths[0] };
    let second = Segment { middle: pair.delta, long: axis(&pair.turn_b, 1), half: half_lengths[1] };
    // No point of the second core is further from its centre than its half length, up to the rounding of an axis.
    let near = radii[0] + radii[1] + pair.margin;
    let slack = 64 + ((first.half + second.half) >> 20);
    let near = near.max(too_short(first.half + second.half)) + second.half + slack;
    if is_longer(sub(pair.delta, first.at(first.nearest(pair.delta))), near) {
        return Manifold::default();
    }
    let across = cross(first.long, second.long);
    let sine_squared: i64 = across.map(|c| (c >> 30) * (c >> 30)).iter().sum();

    let (from, to) = closest(&first, &second, sine_squared);
    let gap = sub(to, from);
    let (normal, distance) = direction(gap, too_short(first.half + second.half))
        .unwrap_or_else(|| crossing_normal(pair, across, sine_squared, gap));
    let nearest = between(from, normal, distance, radii, 0);
    if sine_squared < ALONG {
        let side = side_by_side(pair, &first, &second, normal, radii, nearest.separation);
        if let Some(manifold) = side {
            return manifold;
        }
    }
    pair.single(normal, nearest)
}

/// Separation normal for cores that intersect: perpendicular to both, or to the first if they are parallel.
fn crossing_normal(pair: &Pair, across: Raw, sine_squared: i64, gap: Raw) -> (Unit, i64) {
    let both = unit_of(across).filter(|_| sine_squared > PARALLEL);
    let (normal, reach) = facing(both.unwrap_or(axis(&pair.turn_a, 0)), gap);
    // For an exact intersection the vector between the centres decides the sign.
    if reach == 0 { (facing(normal, pair.delta).0, 0) } else { (normal, reach) }
}

/// Closest points of two segments: interior if both lines have theirs within the segments, else at one of the four ends.
fn closest(first: &Segment, second: &Segment, sine_squared: i64) -> (Raw, Raw) {
    let mut best = (first.middle, second.at(second.nearest(first.middle)));
    let mut least = length_squared(sub(best.1, best.0));
    let mut consider = |from: Raw, to: Raw| {
        let square = length_squared(sub(to, from));
        if square < least {
            (best, least) = ((from, to), square);
        }
    };
    for end in [-first.half, first.half] {
        let from = first.at(end);
        consider(from, second.at(second.nearest(from)));
    }
    for end in [-second.half, second.half] {
        let to = second.at(end);
        consider(first.at(first.nearest(to)), to);
    }
    if sine_squared > PARALLEL {
        let (reach, back) = (first.unbounded(second.middle), second.unbounded(first.middle));
        let cos = i128::from(cosine(first.long, second.long));
        // 1 − cos² = sin²: the normal equations of the two lines.
        let numerator = i128::from(reach) + round_shift(cos * i128::from(back), 30);
        let place = (numerator << 60) / i128::from(sine_squared);
        let place = place.clamp(i128::from(-first.half), i128::from(first.half)) as i64;
        let to = second.at(second.nearest(first.at(place)));
        consider(first.at(first.nearest(to)), to);
    }
    best
}

/// Two points at the ends of the overlap of the cores, or `None` if one point suffices.
///
/// Positions are measured on the thinner capsule's core. The core of a thick capsule is far from its surface, and there a small
/// angle causes a large lateral offset.
fn side_by_side(
    pair: &Pair,
    first: &Segment,
    second: &Segment,
    normal: Unit,
    radii: [i64; 2],
    nearest: i64,
) -> Option<Manifold> {
    let thin_first = radii[0] <= radii[1];
    let (thin, thick) = if thin_first { (first, second) } else { (second, first) };
    let (radius, outward) =
        if thin_first { (radii[0], normal) } else { (radii[1], normal.map(|c| -c)) };
    let ends = [-thick.half, thick.half].map(|end| thin.unbounded(thick.at(end)));
    let low = ends[0].min(ends[1]).max(-thin.half);
    let high = ends[0].max(ends[1]).min(thin.half);
    // An overlap shorter than an eighth of a radius gives no more support than a point.
    if high - low <= radius >> 3 {
        return None;
    }
    let mut manifold = Manifold { normal, ..Manifold::default() };
    let mut least = i64::MAX;
    for (feature, place) in [(1, low), (2, high)] {
        let core = thin.at(place);
        let gap = sub(thick.at(thick.nearest(core)), core);
        let (toward, distance) = direction(gap, 0).unwrap_or((outward, 0));
        let separation = distance - radii[0] - radii[1];
        least = least.min(separation);
        let at = add(core, along(toward, radius + (separation >> 1)));
        pair.push(&mut manifold, Point { at, separation, feature });
    }
    // Intersecting cores are closer between the ends than at them.
    let agree = least - nearest <= radius >> 8;
    (agree && !manifold.points.is_empty()).then_some(manifold)
}
