//! Contacts of two edges: one point between their closest points.

use super::Polyhedra;
use super::sat::{Crossing, sub};
use crate::collide::sat::{Short, product};
use crate::collide::{Manifold, Point};

/// Fractional bits of a position along an edge.
const PLACE: u32 = 30;

impl Polyhedra<'_> {
    /// One point between two edges if they are the closest features; `None` falls back to the face.
    pub(super) fn edges(&self, crossing: &Crossing) -> Option<Manifold> {
        let [first, second] = [0, 1].map(|owner: usize| {
            let solid = &self.solids[owner];
            solid.topology.edges[crossing.edges[owner]].ends.map(|end| solid.corner(end))
        });
        let (d, e, r) =
            (sub(first[1], first[0]), sub(second[1], second[0]), sub(second[0], first[0]));
        let dot =
            |a: Short, b: Short| -> i128 { (0..3).map(|k| i128::from(product(a[k], b[k]))).sum() };
        // Normal equations of the two lines. Coordinates are below 2³⁰, so products of two products are below 2¹²⁵.
        let (dd, de, ee, dr, er) = (dot(d, d), dot(d, e), dot(e, e), dot(d, r), dot(e, r));
        let whole = dd * ee - de * de;
        if whole <= 0 {
            return None;
        }
        let places = [dr * ee - de * er, dr * de - dd * er];
        let within = places.iter().all(|place| (0..=whole).contains(place));
        // Separated, and beyond the end of an edge: other features are closer.
        if crossing.separation > self.radius && !within {
            return None;
        }
        let at = |[from, _]: [Short; 2], along: Short, place: i128| -> Short {
            let place = fraction(place, whole);
            [0, 1, 2].map(|k| {
                from[k] + ((product(along[k], place) + (1 << (PLACE - 1))) >> PLACE) as i32
            })
        };
        let [on_a, on_b] = [at(first, d, places[0]), at(second, e, places[1])];
        // Midway between the surfaces: a radius moves the second one back.
        let middle: Short = [0, 1, 2].map(|k| {
            let back = (product(crossing.normal[k], self.radius) >> PLACE) as i32;
            ((i64::from(on_a[k]) + i64::from(on_b[k]) - i64::from(back)) >> 1) as i32
        });
        let [i, j] = crossing.edges.map(|edge| edge as u32);
        // The reference face 255 doesn't exist, so no face contact has such an id.
        let feature = 0xff << 23 | i << 10 | j;
        let separation = self.scale.widen(crossing.separation - self.radius);
        let point = Point { at: self.place(middle), separation, feature };
        Some(self.pair.single(self.world(crossing.normal), point))
    }
}

/// A quotient from 0 to 1, clamped, with [`PLACE`] fractional bits.
fn fraction(part: i128, whole: i128) -> i32 {
    let part = part.clamp(0, whole);
    let quotient = if whole < 1 << 96 { (part << PLACE) / whole } else { part / (whole >> PLACE) };
    quotient.min(1 << PLACE) as i32
}
