//! Half space against other shapes, relative to the other shape: only the height of its centre is a large number, and that is
//! computed with wide arithmetic.

use crate::collide::frame::{Raw, Unit, add, along, axis, dot, times, to_world, unit_to_local};
use crate::collide::{Manifold, Pair, Point};
use crate::shape::{Capsule, Cuboid, HalfSpace, Sphere};

pub(super) fn sphere(pair: &Pair, _: HalfSpace, sphere: Sphere) -> Manifold {
    let normal = up(pair);
    let height = dot(normal, pair.delta);
    pair.single(normal, under(pair, normal, [0; 3], height, sphere.radius.to_bits(), 0))
}

pub(super) fn capsule(pair: &Pair, _: HalfSpace, capsule: Capsule) -> Manifold {
    let (half_length, radius) = (capsule.half_length.to_bits(), capsule.radius.to_bits());
    let normal = up(pair);
    let height = dot(normal, pair.delta);
    let end = along(axis(&pair.turn_b, 1), half_length);
    let rise = dot(normal, end);
    let mut manifold = Manifold { normal, ..Manifold::default() };
    let high = under(pair, normal, end, height.saturating_add(rise), radius, 0);
    let low = under(pair, normal, end.map(|c| -c), height.saturating_sub(rise), radius, 1);
    pair.push(&mut manifold, high);
    pair.push(&mut manifold, low);
    manifold.or_empty()
}

/// Contact points at the corners of the face that points down most. The lowest corner is always one of them.
pub(super) fn cuboid(pair: &Pair, _: HalfSpace, cuboid: Cuboid) -> Manifold {
    let half = cuboid.half.to_bits();
    let normal = up(pair);
    let height = dot(normal, pair.delta);
    let local = unit_to_local(&pair.turn_b, normal);
    let face = (1..3).fold(0, |m, k| if local[k].abs() > local[m].abs() { k } else { m });
    let down = local[face] > 0;
    let mut manifold = Manifold { normal, ..Manifold::default() };
    for turn in 0..4u32 {
        let (first, second) = (turn == 1 || turn == 2, turn >= 2);
        let mut negative = [down; 3];
        negative[(face + 1) % 3] = first;
        negative[(face + 2) % 3] = second;
        let corner: Raw = core::array::from_fn(|k| if negative[k] { -half[k] } else { half[k] });
        let rise: i64 = (0..3).map(|k| times(local[k], corner[k])).sum();
        let feature = (0..3).map(|k| u32::from(negative[k]) << k).sum();
        let from = to_world(&pair.turn_b, corner);
        let point = under(pair, normal, from, height.saturating_add(rise), 0, feature);
        pair.push(&mut manifold, point);
    }
    manifold.or_empty()
}

fn up(pair: &Pair) -> Unit {
    axis(&pair.turn_a, 1)
}

/// Contact point of a sphere at offset `from` in the second shape, `height` above the plane.
fn under(pair: &Pair, normal: Unit, from: Raw, height: i64, radius: i64, feature: u32) -> Point {
    let separation = height.saturating_sub(radius);
    let drop = along(normal, -(radius.saturating_add(separation >> 1)));
    Point { at: add(pair.delta, add(from, drop)), separation, feature }
}
