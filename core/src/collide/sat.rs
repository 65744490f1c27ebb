//! Separating axis test for two boxes: the axis of least overlap of fifteen. Faces are preferred to edges, and the first box's faces
//! to the second's, so that a resting contact keeps its axis.

use super::frame::UNIT;
use crate::math::isqrt;

/// A length vector with the pair's fractional bits. Sums of all lengths of a pair are below 2³⁰.
pub(super) type Short = [i32; 3];

/// Two boxes in the first one's frame.
pub(super) struct Boxes {
    pub(super) half: [Short; 2],
    /// Vector from the first centre to the second, in the frame of the first box and in the frame of the second.
    pub(super) offset: [Short; 2],
    /// Row i, column j: cosine between axis i of the first and axis j of the second, Q1.30.
    pub(super) turn: [[i32; 3]; 3],
    pub(super) margin: i32,
    /// Amount by which an edge must be better than a face.
    pub(super) preference: i32,
    /// Overlap along a face, or distance, up to which boxes that move graze.
    pub(super) graze: i32,
}

/// Face axis `axis` of box `owner` (0 or 1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    pub(super) owner: usize,
    pub(super) axis: usize,
}

/// Edge directions of both boxes, and the separation along their cross product.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edges {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) separation: i64,
}

/// Result of the test: the best face and the best pair of edges.
pub(super) struct Least {
    pub(super) face: Face,
    pub(super) face_separation: i32,
    /// `None` if all edges are parallel or much worse than the face.
    pub(super) edges: Option<Edges>,
    /// The edges are better than the face by more than the preference.
    pub(super) edges_win: bool,
    /// A face axis along which the boxes barely overlap while another axis separates them.
    pub(super) grazed: Option<Face>,
}

/// Sine below which edges count as parallel (2⁻¹² rad). A face axis finds the same separation to within 0.25 mm per metre of edge.
const PARALLEL_SINE: u64 = 1 << (UNIT - 12);

/// Runs the test. `None` if an axis separates the boxes by more than the margin.
pub(super) fn least_overlap(boxes: &Boxes) -> Option<Least> {
    let sizes = boxes.turn.map(|row| row.map(i32::abs));
    let (face, face_separation, shallow) = best_face(boxes, &sizes)?;
    let mut edges: Option<Edges> = None;
    // Edges that are worse than the face by more than the preference are never used.
    let least_useful = i64::from(face_separation) - i64::from(boxes.preference) - 1;
    for first in 0..3 {
        for second in 0..3 {
            let floor = edges.map_or(least_useful, |best| best.separation);
            let found = edge_separation(boxes, &sizes, [first, second], floor);
            let Some(separation) = found else { continue };
            if separation > i64::from(boxes.margin) {
                return None;
            }
            if edges.is_none_or(|best| separation > best.separation) {
                edges = Some(Edges { first, second, separation });
            }
        }
    }
    let to_beat = i64::from(face_separation) + i64::from(boxes.preference);
    let edges_win = edges.is_some_and(|best| best.separation > to_beat);
    let apart = face_separation > 0 || edges.is_some_and(|best| best.separation > 0);
    let grazed = shallow.filter(|_| apart);
    Some(Least { face, face_separation, edges, edges_win, grazed })
}

/// The face axis with the largest separation and, of those with a slight overlap, the one with the least.
fn best_face(boxes: &Boxes, sizes: &[[i32; 3]; 3]) -> Option<(Face, i32, Option<Face>)> {
    let mut best: Option<(Face, i32)> = None;
    let mut shallow: Option<(Face, i32)> = None;
    for owner in 0..2 {
        for axis in 0..3 {
            let separation = face_separation(boxes, sizes, Face { owner, axis });
            if separation > boxes.margin {
                return None;
            }
            // A quarter of the preference over edges: between faces it only has to prevent flicker.
            if best.is_none_or(|(_, least)| separation > least + (boxes.preference >> 2)) {
                best = Some((Face { owner, axis }, separation));
            }
            if separation <= 0
                && separation > -(boxes.preference >> 2)
                && shallow.is_none_or(|(_, least)| separation > least)
            {
                shallow = Some((Face { owner, axis }, separation));
            }
        }
    }
    best.map(|(face, separation)| (face, separation, shallow.map(|(face, _)| face)))
}

/// Separation along the normal of a face; `sizes` are the absolute cosines.
#[inline(always)]
pub(super) fn face_separation(boxes: &Boxes, sizes: &[[i32; 3]; 3], face: Face) -> i32 {
    let Face { owner, axis } = face;
    let cosines = if owner == 0 { sizes[axis] } else { column(sizes, axis) };
    let reach = boxes.half[owner][axis] + dot(cosines, boxes.half[1 - owner]);
    boxes.offset[owner][axis].abs() - reach
}

/// Returns whether boxes overlap along a face by less than the grazing depth of boxes that move.
#[inline(always)]
pub(super) const fn is_shallow(boxes: &Boxes, separation: i32) -> bool {
    separation <= 0 && separation > -boxes.graze
}

/// Separation along the cross product of two axes; `None` for parallel edges or if it is not above `floor`.
fn edge_separation(
    boxes: &Boxes,
    sizes: &[[i32; 3]; 3],
    [first, second]: [usize; 2],
    floor: i64,
) -> Option<i64> {
    let (i1, i2) = ((first + 1) % 3, (first + 2) % 3);
    let (j1, j2) = ((second + 1) % 3, (second + 2) % 3);
    let offset = boxes.offset[0];
    let [half_a, half_b] = boxes.half;
    let distance = (product(boxes.turn[i1][second], offset[i2])
        - product(boxes.turn[i2][second], offset[i1]))
    .abs();
    let reach = product(sizes[i2][second], half_a[i1])
        + product(sizes[i1][second], half_a[i2])
        + product(sizes[first][j2], half_b[j1])
        + product(sizes[first][j1], half_b[j2]);
    // Not yet divided by the sine, which only moves an overlap further from zero.
    let wide = distance - reach;
    if wide < 0 && wide <= floor << UNIT {
        return None;
    }
    // The sine from the two components of the cross product: 1 − cos² would lose the digits of small angles.
    let sine = isqrt(
        (product(sizes[i1][second], sizes[i1][second])
            + product(sizes[i2][second], sizes[i2][second])) as u128,
    );
    (sine > PARALLEL_SINE).then(|| divide(wide, sine as i64))
}

/// Division, rounded half up. The divisor is positive.
#[inline]
pub(super) fn divide(numerator: i64, divisor: i64) -> i64 {
    (numerator + (divisor >> 1)).div_euclid(divisor)
}

#[inline]
pub(super) fn product(a: i32, b: i32) -> i64 {
    i64::from(a) * i64::from(b)
}

/// Projection of a short vector onto a direction.
#[inline]
pub(super) fn dot(unit: [i32; 3], v: Short) -> i32 {
    round(product(unit[0], v[0]) + product(unit[1], v[1]) + product(unit[2], v[2]))
}

/// Converts a sum of products of directions and lengths to a length.
#[inline]
pub(super) fn round(sum: i64) -> i32 {
    ((sum + (1 << (UNIT - 1))) >> UNIT) as i32
}

#[inline]
pub(super) fn column(rows: &[[i32; 3]; 3], j: usize) -> [i32; 3] {
    [rows[0][j], rows[1][j], rows[2][j]]
}
