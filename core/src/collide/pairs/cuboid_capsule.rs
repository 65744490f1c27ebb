//! Box against capsule, in the box's frame. If the core is outside, the closest points of box and core define the contact; if
//! inside, the axis of least overlap does. In both cases a face that is nearly as good is preferred and gives two points.

use crate::collide::frame::{
    Raw, UNIT, Unit, add, along, axis, direction, dot, sub, times, to_local,
};
use crate::collide::frame::{to_world, too_short, unit_of, unit_to_local, unit_to_world};
use crate::collide::{Manifold, Pair, Point, face_preference};
use crate::math::isqrt;
use crate::shape::{Capsule, Cuboid};

/// Sine below which the core counts as parallel to an edge, as for two boxes.
const PARALLEL_SINE: u64 = 1 << (UNIT - 12);

/// Cosine of 6°: a face may replace the closest direction if its normal is within this angle.
const ALIGNED: i32 = ((995_i64 << UNIT) / 1000) as i32;

pub(super) fn manifold(pair: &Pair, a: Cuboid, b: Capsule) -> Manifold {
    let shapes = BoxCapsule::new(pair, a, b);
    if shapes.is_far() {
        return Manifold::default();
    }
    let (foot, gap) = shapes.nearest();
    match direction(gap, too_short(shapes.half_length)) {
        Some((normal, distance)) => shapes.outside(foot, gap, normal, distance),
        None => shapes.inside(),
    }
}

/// Direction and distance of the closest points. Beyond the end of a face, the separation in the manifold is not the distance.
pub(super) fn gap(pair: &Pair, a: Cuboid, b: Capsule) -> Option<(Unit, i64)> {
    let shapes = BoxCapsule::new(pair, a, b);
    let (_, gap) = shapes.nearest();
    let Some((normal, distance)) = direction(gap, too_short(shapes.half_length)) else {
        return manifold(pair, a, b).gap();
    };
    let gap = distance - shapes.radius;
    (gap <= pair.margin).then(|| (unit_to_world(&pair.turn_a, normal), gap))
}

struct BoxCapsule<'a> {
    pair: &'a Pair,
    half: Raw,
    /// Centre of the core in the box's frame.
    middle: Raw,
    long: Unit,
    /// Extent of the core along each axis.
    reach: Raw,
    half_length: i64,
    radius: i64,
    preference: i64,
}

impl<'a> BoxCapsule<'a> {
    fn new(pair: &'a Pair, a: Cuboid, b: Capsule) -> Self {
        let half = a.half.to_bits();
        let (half_length, radius) = (b.half_length.to_bits(), b.radius.to_bits());
        let thickness = half.into_iter().fold(radius, i64::min);
        let long = unit_to_local(&pair.turn_a, axis(&pair.turn_b, 1));
        let [x, y, z] = along(long, half_length);
        Self {
            pair,
            half,
            middle: to_local(&pair.turn_a, pair.delta),
            long,
            reach: [x.abs(), y.abs(), z.abs()],
            half_length,
            radius,
            preference: face_preference(thickness),
        }
    }

    /// Returns whether a face axis alone separates the capsule by more than the margin. Early out; the full test agrees.
    fn is_far(&self) -> bool {
        // At that distance the vector to the core has a valid direction. The 8 ulps cover the rounding of points on it.
        let most = (self.radius + self.pair.margin).max(too_short(self.half_length)) + 8;
        let beyond = |k: usize| self.middle[k].abs() - self.half[k] - self.reach[k] > most;
        beyond(0) || beyond(1) || beyond(2)
    }

    /// The box's point closest to the core, and the vector from there to the core.
    fn nearest(&self) -> (Raw, Raw) {
        let core = self.at(self.closest());
        let inside = |k: usize| core[k].clamp(-self.half[k], self.half[k]);
        let foot = [inside(0), inside(1), inside(2)];
        (foot, sub(core, foot))
    }

    fn at(&self, place: i64) -> Raw {
        add(self.middle, along(self.long, place))
    }

    /// Position along the core that is closest to the box. The slope of the squared distance never decreases along the core, even
    /// with rounding, and has kinks only where the core crosses a plane of the box: find the interval where its sign changes.
    fn closest(&self) -> i64 {
        let first = (-self.half_length, self.slope(-self.half_length));
        let last = (self.half_length, self.slope(self.half_length));
        // Most often it is an end of the core.
        if first.1 > 0 {
            return first.0;
        }
        if last.1 < 0 {
            return last.0;
        }
        let mut stops = [0; 6];
        let mut count = 0;
        for k in 0..3 {
            for plane in [-self.half[k], self.half[k]] {
                if let Some(place) = self.passes(k, plane) {
                    stops[count] = place;
                    count += 1;
                }
            }
        }
        let stops = &mut stops[..count];
        stops.sort();
        let (mut before, mut after) = (first, last);
        for &place in &*stops {
            let slope = self.slope(place);
            if slope >= 0 {
                after = (place, slope);
                break;
            }
            before = (place, slope);
        }
        if before.1 == 0 || after.1 == 0 {
            return self.middle_of_zeros(first, stops, last);
        }
        let low = turning([before, after].into_iter(), 1);
        let high = turning([after, before].into_iter(), -1);
        i64::midpoint(low, high)
    }

    /// The closest position if the slope is zero at one or several stops: the middle of that range.
    #[cold]
    #[inline(never)]
    fn middle_of_zeros(&self, first: (i64, i128), stops: &[i64], last: (i64, i128)) -> i64 {
        let between = stops.iter().map(|place| (*place, self.slope(*place)));
        let stops = [first].into_iter().chain(between).chain([last]);
        // First stop from below where the slope is not negative, first from above where it is not positive.
        let low = turning(stops.clone(), 1);
        let high = turning(stops.rev(), -1);
        i64::midpoint(low, high)
    }

    /// Half the derivative of the squared distance to the box along the core, 62 fractional bits.
    fn slope(&self, place: i64) -> i128 {
        let point = self.at(place);
        let part = |k: usize| {
            let excess = point[k] - point[k].clamp(-self.half[k], self.half[k]);
            i128::from(self.long[k]) * i128::from(excess)
        };
        part(0) + part(1) + part(2)
    }

    /// Position at which the core crosses the plane coordinate `k` = `plane`, if it is between the ends.
    fn passes(&self, k: usize, plane: i64) -> Option<i64> {
        let distance = plane - self.middle[k];
        (distance.abs() < self.reach[k]).then(|| {
            let long = i64::from(self.long[k]);
            // Distances of two metres and more are rare, and the wide division is much slower.
            let place = if distance.abs() < 1 << (63 - UNIT) {
                (distance << UNIT) / long
            } else {
                ((i128::from(distance) << UNIT) / i128::from(long)) as i64
            };
            place.clamp(-self.half_length, self.half_length)
        })
    }

    fn outside(&self, foot: Raw, gap: Raw, normal: Unit, distance: i64) -> Manifold {
        let separation = distance - self.radius;
        if separation > self.pair.margin {
            return Manifold::default();
        }
        let face = (1..3).fold(0, |m, k| if gap[k].abs() > gap[m].abs() { k } else { m });
        let side = if gap[face] < 0 { -1 } else { 1 };
        if normal[face].abs() > ALIGNED
            && let Some(manifold) = self.face(face, side, separation + self.preference)
        {
            return manifold;
        }
        let at = add(foot, along(normal, separation >> 1));
        self.single(normal, at, separation, 0)
    }

    /// Manifold of a core that intersects the box.
    fn inside(&self) -> Manifold {
        let separation =
            |k: usize| self.middle[k].abs() - self.half[k] - self.reach[k] - self.radius;
        let face = (1..3).fold(0, |m, k| if separation(k) > separation(m) { k } else { m });
        let mut to_beat = separation(face) + self.preference;
        let mut edge = None;
        for k in 0..3 {
            if let Some((normal, separation)) = self.edge_separation(k)
                && separation > to_beat
            {
                to_beat = separation;
                edge = Some((k, normal));
            }
        }
        let side = if self.middle[face] < 0 { -1 } else { 1 };
        if let Some((k, normal)) = edge {
            return self.edge(k, normal, to_beat);
        }
        if let Some(manifold) = self.face(face, side, i64::MAX) {
            return manifold;
        }
        // By rounding the core misses the face that it intersects: use its deeper end.
        let deep = if (self.long[face] < 0) == (side < 0) { -1 } else { 1 };
        let mut at = self.at(deep * self.half_length);
        at = core::array::from_fn(|k| at[k].clamp(-self.half[k], self.half[k]));
        let mut normal = [0; 3];
        normal[face] = (side as i32) << UNIT;
        self.single(normal, at, separation(face), 0)
    }

    /// Clips the core to a face: up to two points. `None` if nothing remains, or if the deepest point is shallower than `most`, so
    /// that the face is not the contact feature.
    fn face(&self, face: usize, side: i64, most: i64) -> Option<Manifold> {
        let (mut low, mut high) = (-self.half_length, self.half_length);
        for k in [(face + 1) % 3, (face + 2) % 3] {
            let limit = self.half[k] + (self.preference >> 4);
            let rising = self.long[k] >= 0;
            for plane in [-limit, limit] {
                match self.passes(k, plane) {
                    // A rising core enters at the lower plane and leaves at the upper one.
                    Some(place) if rising == (plane < 0) => low = low.max(place),
                    Some(place) => high = high.min(place),
                    None if (self.middle[k] - plane) * plane.signum() > 0 => return None,
                    None => {}
                }
            }
        }
        if low > high {
            return None;
        }
        let height = |place: i64| side * self.at(place)[face] - self.half[face] - self.radius;
        let deepest = height(low).min(height(high));
        if deepest > most {
            return None;
        }
        let mut normal = [0; 3];
        normal[face] = (side as i32) << UNIT;
        let code = (face as u32 * 2 + u32::from(side < 0) + 1) << 4;
        let mut manifold =
            Manifold { normal: unit_to_world(&self.pair.turn_a, normal), ..Manifold::default() };
        for (end, place) in [(1, low), (2, high)] {
            let separation = height(place);
            // The remaining part of the core is a point.
            let same = high - low < self.radius >> 3;
            if same && (separation > deepest || !manifold.points.is_empty()) {
                continue;
            }
            let mut at = self.at(place);
            at[face] = side * (self.half[face] + (separation >> 1));
            let at = to_world(&self.pair.turn_a, at);
            self.pair.push(&mut manifold, Point { at, separation, feature: code | end });
        }
        (!manifold.points.is_empty()).then_some(manifold)
    }

    /// Normal and separation along the cross product of edge direction `k` and core, or `None` if they are parallel.
    fn edge_separation(&self, k: usize) -> Option<(Unit, i64)> {
        let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
        let mut across = [0; 3];
        across[k1] = -i64::from(self.long[k2]);
        across[k2] = i64::from(self.long[k1]);
        let sine = isqrt((across[k1] * across[k1] + across[k2] * across[k2]) as u128);
        if sine <= PARALLEL_SINE {
            return None;
        }
        let mut normal = unit_of(across)?;
        if dot(normal, self.middle) < 0 {
            normal = normal.map(|c| -c);
        }
        let reach = times(normal[k1].abs(), self.half[k1]) + times(normal[k2].abs(), self.half[k2]);
        Some((normal, dot(normal, self.middle) - reach - self.radius))
    }

    /// The point between the core and the box edge along direction `k` on the side of the normal.
    fn edge(&self, k: usize, normal: Unit, separation: i64) -> Manifold {
        let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
        let mut foot: Raw =
            core::array::from_fn(|i| if normal[i] < 0 { -self.half[i] } else { self.half[i] });
        let product = |i: usize, gap: i64| i128::from(self.long[i]) * i128::from(gap);
        let nearer =
            product(k1, self.middle[k1] - foot[k1]) + product(k2, self.middle[k2] - foot[k2]);
        let square = [self.long[k1], self.long[k2]].map(|c| i128::from(c) * i128::from(c));
        let place = -(nearer << UNIT) / (square[0] + square[1]).max(1);
        let limit = i128::from(self.half_length);
        let core = self.at(place.clamp(-limit, limit) as i64);
        foot[k] = core[k].clamp(-self.half[k], self.half[k]);
        let at = add(foot, along(normal, separation >> 1));
        let sides = u32::from(foot[k1] < 0) | (u32::from(foot[k2] < 0) << 1);
        self.single(normal, at, separation, (1 << 8) | ((k as u32) << 2) | sides)
    }

    fn single(&self, normal: Unit, at: Raw, separation: i64, feature: u32) -> Manifold {
        let at = to_world(&self.pair.turn_a, at);
        let normal = unit_to_world(&self.pair.turn_a, normal);
        self.pair.single(normal, Point { at, separation, feature })
    }
}

/// Zero of the slope between the first stop with `sign` · slope ≥ 0 and the stop before it.
fn turning(stops: impl Iterator<Item = (i64, i128)>, sign: i128) -> i64 {
    let mut before: Option<(i64, i128)> = None;
    for (place, slope) in stops {
        let slope = sign * slope;
        if slope >= 0 {
            let Some((start, negative)) = before else { return place };
            let (down, whole) = (-negative, slope - negative);
            return start + (i128::from(place - start) * down / whole) as i64;
        }
        before = Some((place, slope));
    }
    before.map_or(0, |(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Q30, Quat, Real, Vec3};
    use crate::shape::Extent;
    use proptest::prelude::*;

    /// Reference implementation: the closest position from the slopes at all stops.
    fn slowly(shapes: &BoxCapsule<'_>) -> i64 {
        let mut stops = vec![-shapes.half_length, shapes.half_length];
        for k in 0..3 {
            for plane in [-shapes.half[k], shapes.half[k]] {
                let distance = plane - shapes.middle[k];
                if distance.abs() < shapes.reach[k] {
                    let place = (i128::from(distance) << UNIT) / i128::from(shapes.long[k]);
                    stops.push((place as i64).clamp(-shapes.half_length, shapes.half_length));
                }
            }
        }
        stops.sort();
        let slopes = stops.iter().map(|place| (*place, shapes.slope(*place)));
        i64::midpoint(turning(slopes.clone(), 1), turning(slopes.rev(), -1))
    }

    fn rotation() -> impl Strategy<Value = [[i32; 3]; 3]> {
        ([any::<i32>(), any::<i32>(), any::<i32>(), any::<i32>()], 0..4u8).prop_map(
            |(parts, kind)| {
                let [x, y, z, w] = parts.map(|part| Real::from_bits(i64::from(part)));
                let small = |c: Real| Real::from_bits(c.to_bits() >> 20);
                let (x, y, z, w) = match kind {
                    // Aligned with the box's axes, nearly or exactly: slopes are zero there.
                    0 => (Real::ZERO, Real::ZERO, Real::ZERO, Real::ONE),
                    1 => (Real::ZERO, Real::ZERO, Real::ONE, Real::ONE),
                    2 => (small(x), small(y), small(z), Real::ONE),
                    _ => (x, y, z, w),
                };
                let turned = Quat::from_xyzw(x, y, z, w).unwrap_or(Quat::IDENTITY).to_lanes();
                turned.map(|row| row.map(Q30::to_bits))
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn the_closest_position_matches_a_search_over_all_stops(
            turns in [rotation(), rotation()],
            half in [1i64 << 22..1 << 44, 1 << 22..1 << 44, 1 << 22..1 << 44],
            delta in any::<[i64; 3]>(),
            (half_length, radius) in (1i64 << 22..1 << 44, 1i64 << 22..1 << 44),
            (small, near) in (0..22u32, 17..32u32),
        ) {
            let size = |length: i64| (length >> small).max(1 << 22);
            let pair = Pair {
                turn_a: turns[0],
                turn_b: turns[1],
                delta: delta.map(|c| c >> near),
                margin: 1 << 26,
                displacement: [0; 3],
                extents: [Extent::Unbounded; 2],
            };
            let length = |raw: i64| Real::from_bits(size(raw));
            let shapes = BoxCapsule::new(
                &pair,
                Cuboid { half: Vec3::from_bits(half.map(size)) },
                Capsule { half_length: length(half_length), radius: length(radius) },
            );
            prop_assert_eq!(shapes.closest(), slowly(&shapes));
        }
    }
}
