//! Distance between the convex hulls of two point sets, in exact integers (GJK).
//!
//! A Minkowski point is a point of the second set minus one of the first. The search keeps the simplex of Minkowski points whose hull has
//! the point closest to the origin so far, and adds the extreme point against its direction. It ends when no Minkowski point is
//! nearer along that direction: a comparison of integers. So the distance decreases strictly, no tolerance exists, and
//! degenerate simplexes can't occur: a point that is strictly nearer is never in the plane, on the line or at the place of the others.
//!
//! Magnitudes, for coordinates below 2²³: Minkowski points 2²⁴, edges 2²⁵, their cross products 2⁵⁰, directions 2⁷⁶, products of a
//! direction and a point 2¹⁰². Distances are never squared: squares of directions need more than 128 bits.

use super::sat::Short;
use crate::data::FixedVec;

/// Coordinates are below 2 to this power.
pub(super) const BITS: u32 = 23;

/// A vector of any length. Components are below 2⁷⁷.
type Wide = [i128; 3];

/// A point of the second set minus one of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Minkowski {
    /// Indices of the two points.
    pub(super) places: [u8; 2],
    pub(super) at: [i64; 3],
}

/// Closest points of two sets that are apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closest {
    /// From the first set to the second, of any length.
    pub(super) direction: Wide,
    /// One to three Minkowski points around the closest one.
    pub(super) simplex: FixedVec<Minkowski, 4>,
    /// The closest point is the mean of the simplex with these weights, which are positive and below 2¹⁰³.
    pub(super) weights: [i128; 3],
}

/// Result of the search.
#[derive(Clone, Copy, Debug)]
pub(super) enum Distance {
    Apart(Closest),
    /// The hull of these points contains the origin.
    Touching(#[allow(dead_code, reason = "a certificate for tests")] FixedVec<Minkowski, 4>),
}

/// Finds the closest points of the convex hulls of two sets of 1 to 256 points.
pub(super) fn distance(first: &[Short], second: &[Short]) -> Distance {
    let mut simplex = FixedVec::new();
    let mut newest = minkowski(first, second, [0, 0]);
    loop {
        // The simplex has at most three points here.
        let _ = simplex.push(newest);
        let Some(closest) = reduce(&simplex) else { return Distance::Touching(simplex) };
        newest = support(first, second, closest.direction);
        let nearest = dot(closest.direction, closest.simplex[0].at);
        if dot(closest.direction, newest.at) >= nearest {
            return Distance::Apart(closest);
        }
        simplex = closest.simplex;
    }
}

fn minkowski(first: &[Short], second: &[Short], places: [u8; 2]) -> Minkowski {
    let (a, b) = (first[usize::from(places[0])], second[usize::from(places[1])]);
    Minkowski { places, at: [0, 1, 2].map(|k| i64::from(b[k]) - i64::from(a[k])) }
}

/// The Minkowski point furthest against a direction; the lowest indices of equal ones.
fn support(first: &[Short], second: &[Short], direction: Wide) -> Minkowski {
    let back = direction.map(|c| -c);
    minkowski(first, second, [extreme(first, back), extreme(second, direction)])
}

/// Index of the first point furthest against a direction.
fn extreme(points: &[Short], direction: Wide) -> u8 {
    let narrow = direction.map(|c| c as i64);
    let least = if narrow.map(i128::from) == direction {
        // A single multiplication instruction for each component.
        least(points, |p| (0..3).map(|k| i128::from(narrow[k]) * i128::from(p[k])).sum())
    } else {
        least(points, |p| (0..3).map(|k| direction[k] * i128::from(p[k])).sum())
    };
    least as u8
}

fn least(points: &[Short], height: impl Fn(&Short) -> i128) -> usize {
    let mut best = (0, i128::MAX);
    for (index, point) in points.iter().enumerate() {
        let height = height(point);
        best = if height < best.1 { (index, height) } else { best };
    }
    best.0
}

/// Finds the smallest face of a simplex that has the simplex's closest point to the origin inside; `None` if the simplex contains the
/// origin. The newest point, which is the last, is always part of it.
fn reduce(simplex: &FixedVec<Minkowski, 4>) -> Option<Closest> {
    let last = simplex.len() - 1;
    // Sets of the points before the last, small ones first.
    for older in [0b000, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110] {
        if older >> last != 0 {
            continue;
        }
        let is_in = |place: usize| place == last || older >> place & 1 == 1;
        let mut face = FixedVec::<Minkowski, 4>::new();
        (0..=last).filter(|place| is_in(*place)).for_each(|place| {
            let _ = face.push(simplex[place]);
        });
        let Some((direction, weights)) = foot(&face) else { continue };
        if direction == [0; 3] {
            return None;
        }
        let nearest = dot(direction, face[0].at);
        let others = (0..=last).filter(|place| !is_in(*place));
        if others.into_iter().all(|place| dot(direction, simplex[place].at) >= nearest) {
            return Some(Closest { direction, simplex: face, weights });
        }
    }
    None
}

/// Direction to the plane, line or point of up to three points from the origin, zero if the origin lies on it, and weights of its point that
/// is closest to the origin; `None` if that point is not strictly between the points.
fn foot(face: &[Minkowski]) -> Option<(Wide, [i128; 3])> {
    match *face {
        [p] => Some((p.at.map(i128::from), [1, 0, 0])),
        [p, q] => {
            let edge = sub(q.at, p.at);
            let weights = [short_dot(q.at, edge), -short_dot(p.at, edge), 0];
            let inside = weights[0] > 0 && weights[1] > 0;
            // The edge times the normal of the plane of edge and origin.
            let normal = cross(p.at, edge);
            inside.then(|| (cross(edge, normal), weights))
        }
        [p, q, r] => {
            let normal = cross(sub(q.at, p.at), sub(r.at, p.at));
            let part = |a: [i64; 3], b: [i64; 3]| {
                let side = cross(a, b);
                (0..3).map(|k| normal[k] as i128 * side[k] as i128).sum::<i128>()
            };
            let weights = [part(q.at, r.at), part(r.at, p.at), part(p.at, q.at)];
            let inside = weights.iter().all(|weight| *weight > 0);
            inside.then(|| {
                let sign = short_dot(p.at, normal.map(|c| c as i64)).signum();
                (normal.map(|c| sign * c), weights)
            })
        }
        _ => None,
    }
}

fn sub(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross<T: Copy + Into<i128>>(a: [i64; 3], b: [T; 3]) -> Wide {
    let ([ax, ay, az], [bx, by, bz]) = (a.map(i128::from), b.map(Into::into));
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

fn short_dot(a: [i64; 3], b: [i64; 3]) -> i128 {
    (0..3).map(|k| i128::from(a[k]) * i128::from(b[k])).sum()
}

/// Product of a direction and a point.
fn dot(direction: Wide, at: [i64; 3]) -> i128 {
    (0..3).map(|k| direction[k] * i128::from(at[k])).sum()
}
