//! Clipping of a convex polygon by the side planes of a face.
//!
//! A corner is the intersection of two edges, each an edge of the original polygon or a clip edge. That pair identifies the
//! corner, whatever the order of the cuts.

use super::sat::{divide, product};
use crate::data::FixedVec;

/// A corner of the polygon.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Corner {
    /// Coordinates along the face.
    pub(super) at: [i32; 2],
    /// Height above the face.
    pub(super) height: i32,
    /// Edge from here to the next corner: 0 to 3 for the polygon's own, 4 to 7 for the cuts.
    pub(super) edge: u32,
}

/// Capacity: four corners and one more for each of four cuts.
pub(super) type Polygon = FixedVec<Corner, 8>;

/// Returns the part of the polygon within ±`limits` in both coordinates.
pub(super) fn clip_to_face(mut polygon: Polygon, limits: [i32; 2]) -> Polygon {
    for (cut, axis, sign) in [(4, 0, 1), (5, 1, 1), (6, 0, -1), (7, 1, -1)] {
        polygon = clip(&polygon, axis, sign, limits[axis], cut);
    }
    polygon
}

/// Keeps the side of the plane sign · coordinate = limit that contains the face.
fn clip(polygon: &Polygon, axis: usize, sign: i32, limit: i32, cut: u32) -> Polygon {
    let beyond = |corner: &Corner| sign * corner.at[axis] - limit;
    if polygon.iter().all(|corner| beyond(corner) <= 0) {
        return *polygon;
    }
    let mut kept = Polygon::new();
    // Rounding can deform a sliver so that a plane cuts it more than twice. Surplus corners are dropped.
    let mut keep = |corner| {
        let _ = kept.push(corner);
    };
    for (index, corner) in polygon.iter().enumerate() {
        let next = polygon.get(index + 1).unwrap_or(&polygon[0]);
        let (here, there) = (beyond(corner), beyond(next));
        if here <= 0 {
            keep(*corner);
        }
        if here <= 0 && there > 0 {
            keep(Corner { edge: cut, ..cross(corner, next, -here, there, axis, sign * limit) });
        } else if here > 0 && there <= 0 {
            // Computed from the inner corner, so that an edge is cut at the same point in either direction.
            let crossing = cross(next, corner, -there, here, axis, sign * limit);
            keep(Corner { edge: corner.edge, ..crossing });
        }
    }
    kept
}

/// Intersection of an edge with the plane, from the distances of its ends.
fn cross(
    inner: &Corner,
    outer: &Corner,
    inside: i32,
    outside: i32,
    axis: usize,
    plane: i32,
) -> Corner {
    let whole = i64::from(inside) + i64::from(outside);
    let blend = |from: i32, to: i32| from + divide(product(to - from, inside), whole) as i32;
    let mut at = [plane; 2];
    let other = 1 - axis;
    at[other] = blend(inner.at[other], outer.at[other]);
    Corner { at, height: blend(inner.height, outer.height), edge: 0 }
}
