//! Separating axis test: faces of both polyhedra, and pairs of edges that can have parallel supporting planes.
//!
//! An edge is tried only if it may be better than the best face. For an outward direction n between the normals of the edge's two
//! faces, the separation is at most n·(v − p) for any vertex v of the other polyhedron and a point p of the edge. That is a positive
//! combination, with a sum of factors of at least one, of the same products with the two normals. If both are below a
//! negative bound, so is the separation.

use super::{MOST_FACES, Polyhedra, Posed};
use crate::collide::frame::{UNIT, Unit, unit_of};
use crate::collide::sat::{Short, dot, product, round};
use crate::data::FixedVec;
use crate::math::length_squared;
use crate::shape::hull::Edge;

/// Sine below which edges count as parallel (2⁻¹² rad), as a shift of its square. A face finds the same separation to within 0.25 mm per
/// metre of edge.
const PARALLEL: u32 = 24;

/// A face of a polyhedron, with the separation along its normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct BestFace {
    pub(super) owner: usize,
    pub(super) index: usize,
    pub(super) separation: i32,
}

/// Edges of both polyhedra, with the separation along their common normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub(super) edges: [usize; 2],
    /// From the first polyhedron to the second.
    pub(super) normal: Unit,
    pub(super) separation: i32,
}

/// Result of the test: the best face and the best pair of edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Least {
    pub(super) face: Option<BestFace>,
    /// `None` if no pair is possible or all are much worse than the face.
    pub(super) crossing: Option<Crossing>,
    /// The edges are better than the face by more than the preference.
    pub(super) edges_win: bool,
}

/// Deepest vertices of the other polyhedron below each face.
type Deepest = FixedVec<u8, MOST_FACES>;

impl Polyhedra<'_> {
    /// Runs the test. `None` if an axis separates the polyhedra by more than the margin.
    pub(super) fn least_overlap(&self) -> Option<Least> {
        let limit = self.margin.saturating_add(self.radius);
        let mut face: Option<BestFace> = None;
        let mut deepest = [Deepest::new(), Deepest::new()];
        for owner in 0..2 {
            let [solid, other] = [&self.solids[owner], &self.solids[1 - owner]];
            for index in 0..solid.normals.len() {
                let (vertex, separation) = separation(solid, index, other);
                if separation > limit {
                    return None;
                }
                let _ = deepest[owner].push(vertex);
                // A quarter of the preference over edges: between faces it only has to prevent flicker. The faces of one polyhedron come
                // in the order of their corners, so only those of the other one need it.
                let lead = face
                    .map_or(0, |best| if best.owner == owner { 0 } else { self.preference >> 2 });
                if face.is_none_or(|best| separation > best.separation.saturating_add(lead)) {
                    face = Some(BestFace { owner, index, separation });
                }
            }
        }
        let most = face.map_or(i32::MIN, |face| face.separation);
        // Edges that are worse than the face by more than the preference are never used.
        let useful = most.saturating_sub(self.preference + 1);
        let mut crossing: Option<Crossing> = None;
        let [a, b] = &self.solids;
        let candidates = [0, 1].map(|owner| {
            let solids = [&self.solids[owner], &self.solids[1 - owner]];
            candidates(solids, &deepest[owner], useful.min(0))
        });
        for &i in &candidates[0] {
            let first = &a.topology.edges[usize::from(i)];
            for &j in &candidates[1] {
                let second = &b.topology.edges[usize::from(j)];
                let Some(normal) = common_normal([a, b], [first, second]) else { continue };
                let (p, q) = (a.corner(first.ends[0]), b.corner(second.ends[0]));
                let separation = dot(normal, sub(q, p));
                if separation > limit {
                    return None;
                }
                if separation > crossing.map_or(useful, |best| best.separation) {
                    let edges = [usize::from(i), usize::from(j)];
                    crossing = Some(Crossing { edges, normal, separation });
                }
            }
        }
        let to_beat = most.saturating_add(self.preference);
        let edges_win = crossing.is_some_and(|best| best.separation > to_beat);
        Some(Least { face, crossing, edges_win })
    }
}

/// Separation along the normal of a face, and the vertex of the other polyhedron that is deepest below it.
fn separation(solid: &Posed<'_>, face: usize, other: &Posed<'_>) -> (u8, i32) {
    let normal = solid.normals[face];
    let mut best = (0, i64::MAX);
    for (index, vertex) in other.vertices.iter().enumerate() {
        let height = wide_dot(normal, *vertex);
        best = if height < best.1 { (index, height) } else { best };
    }
    (best.0 as u8, round(best.1 - wide_dot(normal, solid.base(face))))
}

/// Edges of the first polyhedron whose separation may exceed a bound of at most zero.
fn candidates(
    [solid, other]: [&Posed<'_>; 2],
    deepest: &Deepest,
    bound: i32,
) -> FixedVec<u16, 255> {
    let mut found = FixedVec::new();
    for (index, edge) in solid.topology.edges.iter().enumerate() {
        let corner = solid.corner(edge.ends[0]);
        let hidden = !deepest.is_empty() && {
            let faces = edge.faces.map(usize::from);
            faces.iter().any(|face| {
                let toward = sub(other.corner(deepest[*face]), corner);
                // Two steps for the rounding of the vertices.
                faces.iter().all(|face| dot(solid.normals[*face], toward) <= bound - 2)
            })
        };
        if !hidden {
            // Only deep inside a polyhedron of more than 85 vertices more edges are left. Surplus ones are dropped.
            let _ = found.push(index as u16);
        }
    }
    found
}

/// Unit normal of two edges from the first polyhedron to the second, if planes with this normal can support both edges.
///
/// On the sphere of directions an edge is the arc between the normals of its faces. The arc of the first edge and the reversed arc of
/// the second must cross.
fn common_normal([a, b]: [&Posed<'_>; 2], [first, second]: [&Edge; 2]) -> Option<Unit> {
    let along = |solid: &Posed<'_>, edge: &Edge| {
        sub(solid.corner(edge.ends[1]), solid.corner(edge.ends[0]))
    };
    let (d, e) = (along(a, first), along(b, second));
    let [n0, n1] = first.faces.map(|face| a.normals[usize::from(face)]);
    let across = [wide_dot(n0, e).signum(), wide_dot(n1, e).signum()];
    if across[0] * across[1] >= 0 {
        return None;
    }
    if !b.normals.is_empty() {
        let [m0, m1] = second.faces.map(|face| b.normals[usize::from(face)]);
        let back = [-wide_dot(m0, d).signum(), -wide_dot(m1, d).signum()];
        // Both arcs are less than half a circle; they cross on this side and not on the opposite one.
        if back[0] * back[1] >= 0 || across[1] * back[0] <= 0 {
            return None;
        }
    }
    let cross = [
        product(d[1], e[2]) - product(d[2], e[1]),
        product(d[2], e[0]) - product(d[0], e[2]),
        product(d[0], e[1]) - product(d[1], e[0]),
    ];
    let square = |v: Short| length_squared(v.map(i64::from));
    if length_squared(cross) <= (square(d) * square(e)) >> PARALLEL {
        return None;
    }
    let normal = unit_of(cross)?;
    let outward = [0, 1, 2].map(|k| i64::from(n0[k]) + i64::from(n1[k]));
    let side: i64 = (0..3).map(|k| i64::from(normal[k]) * (outward[k] >> 2)).sum();
    Some(if side < 0 { normal.map(|c| -c) } else { normal })
}

pub(super) fn sub(a: Short, b: Short) -> Short {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Projection onto a direction with [`UNIT`] more fractional bits.
pub(super) fn wide_dot(unit: Unit, v: Short) -> i64 {
    const { assert!(UNIT == 30, "sums fit 64 bits") };
    product(unit[0], v[0]) + product(unit[1], v[1]) + product(unit[2], v[2])
}
