//! Face contacts: the incident face of the other polyhedron, or its segment, clipped by the side planes of the reference face.

use super::sat::{Crossing, sub, wide_dot};
use super::{MOST_VERTICES, Polyhedra};
use crate::collide::clip::Corner;
use crate::collide::frame::{self, UNIT, Unit, unit_of};
use crate::collide::reduce::choose;
use crate::collide::sat::{Short, divide, dot, product, round};
use crate::collide::{Manifold, Point};
use crate::data::FixedVec;

/// Cosine of 6°: a face may replace a pair of edges whose normal is within this angle of the face normal.
const ALIGNED: i32 = ((995_i64 << UNIT) / 1000) as i32;

/// Corners of the incident face, and one more for each cut.
type Polygon = FixedVec<Corner, { 2 * MOST_VERTICES - 2 }>;

/// Id of the first cut. Edges of the incident face have lower ones.
const CUT: u32 = 128;

/// Directions along a face, and a corner of it.
struct Basis {
    base: Short,
    along: [Unit; 2],
    normal: Unit,
}

impl Basis {
    fn plane(&self, at: Short) -> [i32; 2] {
        self.along.map(|direction| dot(direction, sub(at, self.base)))
    }
}

impl Polyhedra<'_> {
    /// Manifold of the face whose normal is nearly the edges' normal, if its deepest clipped point is no deeper than the edges,
    /// less the preference for faces.
    pub(super) fn face_along(&self, edges: &Crossing) -> Option<Manifold> {
        let (mut most, mut best) = (ALIGNED, None);
        for owner in 0..2 {
            for face in 0..self.solids[owner].normals.len() {
                let cosine = frame::cosine(self.outward(owner, face), edges.normal);
                if cosine > most {
                    (most, best) = (cosine, Some((owner, face)));
                }
            }
        }
        let (owner, face) = best?;
        let manifold = self.face(owner, face, None)?;
        let deepest = manifold.points.iter().map(|point| point.separation).min()?;
        let floor = edges.separation - self.radius - self.preference;
        (deepest >= self.scale.widen(floor)).then_some(manifold)
    }

    /// Clips the incident face of the other polyhedron by the reference face. If no part of it is above the reference face, returns one
    /// point with the depth `last_resort`, if given: overlapping polyhedra always have a contact.
    pub(super) fn face(
        &self,
        owner: usize,
        face: usize,
        last_resort: Option<i32>,
    ) -> Option<Manifold> {
        let basis = self.basis(owner, face)?;
        let (polygon, incident) = self.incident(owner, &basis);
        // Slightly beyond the sides, so that corners of stacked boxes that barely protrude stay corners.
        let slack = self.preference >> 4;
        let is_segment = self.solids[1 - owner].normals.is_empty();
        let mut clipped = polygon;
        let corners = self.solids[owner].topology.loop_of(face);
        for (cut, &corner) in corners.iter().enumerate() {
            let next = corners[(cut + 1) % corners.len()];
            let [p, q] = [corner, next].map(|v| basis.plane(self.solids[owner].corner(v)));
            clip(&mut clipped, [p, q], slack, CUT + cut as u32, is_segment);
        }
        clipped.iter_mut().for_each(|corner| corner.height -= self.radius);
        let chosen = choose(&clipped, self.margin, self.preference >> 2);

        let normal = self.world(self.outward(owner, face));
        let mut manifold = Manifold { normal, ..Manifold::default() };
        let mut push = |corner: &Corner, before: u32| {
            // 8 bits for each edge, 8 for the reference face, and as many as are left for the incident one.
            let faces = (owner as u32) << 31 | (face as u32) << 23 | (incident & 0x7f) << 16;
            let feature = faces | before << 8 | corner.edge;
            let half = corner.height >> 1;
            let at: Short = [0, 1, 2].map(|k| {
                let [u, v] = basis.along;
                let sum = product(u[k], corner.at[0])
                    + product(v[k], corner.at[1])
                    + product(basis.normal[k], half);
                basis.base[k] + round(sum)
            });
            let separation = self.scale.widen(corner.height);
            // The list has capacity for all chosen points.
            let _ = manifold.points.push(Point { at: self.place(at), separation, feature });
        };
        for &index in &chosen {
            let before = clipped[(index + clipped.len() - 1) % clipped.len()].edge;
            push(&clipped[index], before);
        }
        if let (true, Some(depth)) = (chosen.is_empty(), last_resort) {
            let lowest = polygon.iter().min_by_key(|corner| corner.height)?;
            push(&Corner { height: depth - self.radius, edge: 0xff, ..*lowest }, 0xff);
        }
        (!manifold.points.is_empty()).then_some(manifold)
    }

    /// Directions along a face: its first edge and, to the left of it, the one across.
    fn basis(&self, owner: usize, face: usize) -> Option<Basis> {
        let solid = &self.solids[owner];
        let corners = solid.topology.loop_of(face);
        let (base, normal) = (solid.corner(corners[0]), solid.normals[face]);
        let edge = unit_of(sub(solid.corner(corners[1]), base).map(i64::from))?;
        // Perpendicular to the normal, in spite of rounding: the direction across first, then back.
        let across = unit_of(frame::cross(normal, edge))?;
        let along = unit_of(frame::cross(across, normal))?;
        Some(Basis { base, along: [along, across], normal })
    }

    /// Corners of the face of the other polyhedron that faces the reference face most, and the id of that face.
    fn incident(&self, owner: usize, basis: &Basis) -> (Polygon, u32) {
        let other = &self.solids[1 - owner];
        let facing = |face: usize| frame::cosine(other.normals[face], basis.normal);
        let face = (0..other.normals.len()).min_by_key(|face| facing(*face));
        let corners = face.map_or(&[0, 1][..], |face| other.topology.loop_of(face));
        let mut polygon = Polygon::new();
        for (edge, &corner) in corners.iter().enumerate() {
            let at = other.corner(corner);
            let height = round(wide_dot(basis.normal, sub(at, basis.base)));
            // A face has fewer corners than the capacity.
            let _ = polygon.push(Corner { at: basis.plane(at), height, edge: edge as u32 });
        }
        (polygon, face.unwrap_or(0) as u32)
    }
}

/// Keeps the part of a polygon to the left of a line, or at most `slack` to the right of it. A segment has no edge back from its second
/// corner to the first.
fn clip(polygon: &mut Polygon, [p, q]: [[i32; 2]; 2], slack: i32, cut: u32, is_segment: bool) {
    let Some(outward) = unit_of([i64::from(q[1] - p[1]), i64::from(p[0] - q[0]), 0]) else {
        return;
    };
    let beyond = |corner: &Corner| {
        let away = [corner.at[0] - p[0], corner.at[1] - p[1]];
        round(product(outward[0], away[0]) + product(outward[1], away[1])) - slack
    };
    if polygon.iter().all(|corner| beyond(corner) <= 0) {
        return;
    }
    let mut kept = Polygon::new();
    // Rounding can deform a sliver so that a line cuts it more than twice. Surplus corners are dropped.
    let mut keep = |corner| {
        let _ = kept.push(corner);
    };
    for (index, corner) in polygon.iter().enumerate() {
        let next = polygon.get(index + 1).unwrap_or(&polygon[0]);
        let (here, there) = (beyond(corner), beyond(next));
        if here <= 0 {
            keep(*corner);
        }
        if is_segment && index + 1 == polygon.len() {
            break;
        }
        if here <= 0 && there > 0 {
            keep(Corner { edge: cut, ..between(corner, next, -here, there) });
        } else if here > 0 && there <= 0 {
            // Computed from the inner corner, so that an edge is cut at the same point in either direction.
            keep(Corner { edge: corner.edge, ..between(next, corner, -there, here) });
        }
    }
    *polygon = kept;
}

/// Point of an edge on a line, from the distances of its ends.
fn between(inner: &Corner, outer: &Corner, inside: i32, outside: i32) -> Corner {
    let whole = i64::from(inside) + i64::from(outside);
    let blend = |from: i32, to: i32| from + divide(product(to - from, inside), whole) as i32;
    let at = [0, 1].map(|k| blend(inner.at[k], outer.at[k]));
    Corner { at, height: blend(inner.height, outer.height), edge: 0 }
}
