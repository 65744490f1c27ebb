//! Sphere against sphere, capsule and box: the closest point of the other shape's core, then one distance.

use crate::collide::frame::{
    Raw, Unit, add, along, axis, direction, dot, facing, sub, to_local, to_world,
};
use crate::collide::frame::{UNIT, is_longer, too_short, unit_to_world};
use crate::collide::{Manifold, Pair, Point};
use crate::shape::{Capsule, Cuboid, Sphere};

/// Normal for spheres with coincident centres: they separate upward.
const UP: Unit = [0, 1 << UNIT, 0];

pub(super) fn spheres(pair: &Pair, a: Sphere, b: Sphere) -> Manifold {
    let (radius_a, radius_b) = (a.radius.to_bits(), b.radius.to_bits());
    let (normal, distance) = direction(pair.delta, 0).unwrap_or((UP, 0));
    pair.single(normal, between([0; 3], normal, distance, [radius_a, radius_b], 0))
}

pub(super) fn capsule(pair: &Pair, a: Capsule, b: Sphere) -> Manifold {
    let (half_length, radius) = (a.half_length.to_bits(), a.radius.to_bits());
    let radius_b = b.radius.to_bits();
    let long = axis(&pair.turn_a, 1);
    let core = along(long, dot(long, pair.delta).clamp(-half_length, half_length));
    let gap = sub(pair.delta, core);
    if is_longer(gap, (radius + radius_b + pair.margin).max(too_short(half_length))) {
        return Manifold::default();
    }
    // A sphere centred on the core line separates perpendicular to it.
    let (normal, distance) = direction(gap, too_short(half_length))
        .unwrap_or_else(|| facing(axis(&pair.turn_a, 0), gap));
    pair.single(normal, between(core, normal, distance, [radius, radius_b], 0))
}

pub(super) fn cuboid(pair: &Pair, a: Cuboid, b: Sphere) -> Manifold {
    let (half, radius) = (a.half.to_bits(), b.radius.to_bits());
    let center = to_local(&pair.turn_a, pair.delta);
    let inside = |k: usize| center[k].clamp(-half[k], half[k]);
    let nearest: Raw = [inside(0), inside(1), inside(2)];
    let gap = sub(center, nearest);
    if is_longer(gap, radius + pair.margin) {
        return Manifold::default();
    }
    let level = if pair.displacement == [0; 3] {
        None
    } else {
        level_face(gap, radius, to_local(&pair.turn_a, pair.displacement))
    };
    let (local_normal, distance, foot) = match (level, direction(gap, 0)) {
        (Some((normal, distance)), _) => (normal, distance, sub(center, along(normal, distance))),
        (None, Some((normal, distance))) => (normal, distance, nearest),
        (None, None) => nearest_face(center, half),
    };
    let separation = distance - radius;
    let at = add(foot, along(local_normal, separation >> 1));
    let normal = unit_to_world(&pair.turn_a, local_normal);
    pair.single(normal, Point { at: to_world(&pair.turn_a, at), separation, feature: 0 })
}

/// Largest overlap with a face, one millimetre, at which a sphere that crosses the face's edge does not collide with the edge.
const GRAZE: i64 = (1 << 32) / 1000;

/// Normal of a face that a sphere is about to roll onto, and the distance of the sphere's centre from that face. `None` unless the
/// sphere is beside the face, level with it, and above it within the tick. The nearest point of the box is then on an edge, and
/// its normal would make the sphere hop at the seam of flush tiles.
fn level_face(gap: Raw, radius: i64, displacement: Raw) -> Option<(Unit, i64)> {
    let up = (0..3).max_by_key(|k| gap[*k].abs())?;
    let beside = [(up + 1) % 3, (up + 2) % 3];
    let height = gap[up].abs();
    if beside.iter().all(|k| gap[*k] == 0) || height < radius - GRAZE.min(radius / 8) {
        return None;
    }
    let product = |a: &Raw, b: &Raw| -> i128 {
        beside.iter().map(|k| i128::from(a[*k]) * i128::from(b[*k])).sum()
    };
    let shallow = 16 * i128::from(displacement[up]).pow(2) <= product(&displacement, &displacement);
    let arrives = -product(&displacement, &gap) >= product(&gap, &gap);
    let mut normal = [0; 3];
    normal[up] = if gap[up] < 0 { -1 << UNIT } else { 1 << UNIT };
    (shallow && arrives).then_some((normal, height))
}

/// For a point inside a box: normal of the closest face, the (negative) distance to it, and the foot point.
fn nearest_face(center: Raw, half: Raw) -> (Unit, i64, Raw) {
    let mut best = 0;
    for k in 1..3 {
        if center[k].abs() - half[k] > center[best].abs() - half[best] {
            best = k;
        }
    }
    let side = if center[best] < 0 { -1 } else { 1 };
    let mut normal = [0; 3];
    normal[best] = side << UNIT;
    let mut foot = center;
    foot[best] = i64::from(side) * half[best];
    (normal, center[best].abs() - half[best], foot)
}

/// Contact point between two spheres, the first around `from`, with centres `distance` apart along the normal.
pub(super) fn between(
    from: Raw,
    normal: Unit,
    distance: i64,
    radii: [i64; 2],
    feature: u32,
) -> Point {
    let separation = distance - radii[0] - radii[1];
    let at = add(from, along(normal, radii[0] + (separation >> 1)));
    Point { at, separation, feature }
}
