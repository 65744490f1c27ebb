//! Contacts of convex polyhedra: separating axis test (`sat.rs`), then the clipped face (`face.rs`) or the pair of edges (`edges.rs`)
//! along the axis of least overlap. One path for every polyhedron; two boxes have a faster one in `pairs/cuboid.rs`.
//!
//! Everything is in the frame of the first shape, in 32-bit coordinates that fit the pair. A capsule is its core segment, a polyhedron
//! without faces, with a radius that is subtracted from the separations.

mod edges;
mod face;
mod sat;

use super::frame::{self, Raw, Rotation, Unit, axis, to_local};
use super::sat::{Short, dot};
use super::scale::Scale;
use super::{Manifold, Pair, face_preference};
use crate::data::FixedVec;
use crate::shape::hull::{MOST_VERTICES, Point, Polyhedron, Topology};

/// Greatest number of faces: triangles on all vertices.
const MOST_FACES: usize = 2 * MOST_VERTICES - 4;

/// Convex polyhedron in its own frame, raw Q32.32.
#[derive(Clone, Copy)]
pub(super) enum Core<'a> {
    /// A box around a point.
    Box { offset: Raw, half: Raw },
    /// Vertices in steps of 2^`shift`.
    Hull { hull: &'a Polyhedron, shift: u32 },
    /// Part of the y axis around the origin.
    Segment { half: i64 },
}

impl<'a> Core<'a> {
    fn topology(&self) -> Topology<'a> {
        match self {
            Self::Box { .. } => Topology::BOX,
            Self::Hull { hull, .. } => hull.topology(),
            Self::Segment { .. } => Topology::SEGMENT,
        }
    }

    /// Vertices in the coordinates of a pair.
    pub(super) fn vertices(&self, scale: Scale) -> FixedVec<Short, MOST_VERTICES> {
        let mut made = FixedVec::new();
        let mut push = |raw: Raw| {
            // The capacity is that of the largest polyhedron.
            let _ = made.push(raw.map(|c| scale.narrow(c)));
        };
        match *self {
            Self::Box { offset, half } => (0..8).for_each(|i| {
                push(
                    [0, 1, 2].map(|k| offset[k] + if i >> k & 1 == 1 { half[k] } else { -half[k] }),
                );
            }),
            Self::Hull { hull, shift } => {
                let raw = |v: &Point| v.map(|c| i64::from(c) << shift);
                hull.vertices.iter().for_each(|v| push(raw(v)));
            }
            Self::Segment { half } => [-half, half].into_iter().for_each(|y| push([0, y, 0])),
        }
        made
    }

    fn normals(&self) -> FixedVec<Unit, MOST_FACES> {
        let mut made = FixedVec::new();
        match self {
            Self::Box { .. } => (0..6).for_each(|face| {
                let mut normal = [0; 3];
                normal[face / 2] = if face % 2 == 1 { 1 << frame::UNIT } else { -1 << frame::UNIT };
                let _ = made.push(normal);
            }),
            Self::Hull { hull, .. } => hull.normals.iter().for_each(|normal| {
                let _ = made.push(*normal);
            }),
            Self::Segment { .. } => {}
        }
        made
    }

    /// Bound of the distance of the vertices from the origin, along each axis.
    fn reach(&self) -> Raw {
        match *self {
            Self::Box { offset, half } => [0, 1, 2].map(|k| offset[k].abs() + half[k]),
            Self::Hull { hull, shift } => [0, 1, 2].map(|k| {
                let most = hull.vertices.iter().map(|v| v[k].unsigned_abs()).max();
                i64::from(most.unwrap_or(0)) << shift
            }),
            Self::Segment { half } => [0, half, 0],
        }
    }
}

/// A polyhedron in the coordinates of a pair.
struct Posed<'a> {
    topology: Topology<'a>,
    vertices: FixedVec<Short, MOST_VERTICES>,
    normals: FixedVec<Unit, MOST_FACES>,
}

impl Posed<'_> {
    fn corner(&self, vertex: u8) -> Short {
        self.vertices[usize::from(vertex)]
    }

    /// A corner of a face.
    fn base(&self, face: usize) -> Short {
        self.corner(self.topology.loop_of(face)[0])
    }
}

/// Two polyhedra in the frame of the first.
pub(super) struct Polyhedra<'a> {
    pair: &'a Pair,
    scale: Scale,
    solids: [Posed<'a>; 2],
    margin: i32,
    /// Amount by which an edge must be better than a face.
    preference: i32,
    /// Radius around the second polyhedron.
    radius: i32,
}

impl<'a> Polyhedra<'a> {
    /// Places two polyhedra. Only the second may be a segment; `radius` is that around it, and `thickness` the smallest half
    /// extent or radius of the pair.
    pub(super) fn new(pair: &'a Pair, cores: &[Core<'a>; 2], radius: i64, thickness: i64) -> Self {
        let center = to_local(&pair.turn_a, pair.delta);
        let reach = cores.map(|core| core.reach());
        let extent = 2 * (reach[0].iter().sum::<i64>() + reach[1].iter().sum::<i64>())
            + center.iter().map(|c| c.abs()).sum::<i64>()
            + 4 * (pair.margin + radius);
        let scale = Scale::of_extent(extent, super::scale::COORDINATE_BITS);
        let turn: Rotation = [0, 1, 2].map(|i| {
            [0, 1, 2].map(|j| frame::cosine(axis(&pair.turn_a, i), axis(&pair.turn_b, j)))
        });
        let offset = center.map(|c| scale.narrow(c));
        let mut second = Posed::new(&cores[1], scale);
        for vertex in second.vertices.iter_mut() {
            *vertex = [0, 1, 2].map(|k| offset[k] + dot(turn[k], *vertex));
        }
        for normal in second.normals.iter_mut() {
            *normal = frame::unit_to_world(&turn, *normal);
        }
        Self {
            pair,
            scale,
            solids: [Posed::new(&cores[0], scale), second],
            margin: scale.narrow(pair.margin),
            preference: scale.narrow(face_preference(thickness)),
            radius: scale.narrow(radius),
        }
    }

    /// Computes the manifold along the axis of least overlap.
    pub(super) fn manifold(&self) -> Manifold {
        self.least_overlap().and_then(|least| self.resolve(&least)).unwrap_or_default()
    }

    /// Axis along which the polyhedra are furthest apart, of those that the test tries, and that distance. `None` if it exceeds the
    /// margin.
    pub(super) fn widest(&self) -> Option<(Unit, i64)> {
        let sat::Least { face, crossing, .. } = self.least_overlap()?;
        let face = face.map(|face| (self.outward(face.owner, face.index), face.separation));
        let edges = crossing.map(|edges| (edges.normal, edges.separation));
        let (normal, separation) =
            [face, edges].into_iter().flatten().rev().max_by_key(|(_, separation)| *separation)?;
        Some((self.world(normal), self.scale.widen(separation - self.radius)))
    }

    fn resolve(&self, least: &sat::Least) -> Option<Manifold> {
        let sat::Least { face, crossing, edges_win } = *least;
        let edges_if = |good: bool| crossing.filter(|_| good).and_then(|edges| self.edges(&edges));
        let Some(face) = face else { return edges_if(true) };
        // The preferred face may have no part of the other polyhedron above it. Then the edges are used if they are nearly as good.
        let nearly = crossing.is_some_and(|e| e.separation >= face.separation - self.preference);
        let overlap = face.separation <= self.radius
            && crossing.is_none_or(|edges| edges.separation <= self.radius);
        crossing
            .filter(|_| edges_win)
            .and_then(|edges| self.face_along(&edges))
            .or_else(|| edges_if(edges_win))
            .or_else(|| self.face(face.owner, face.index, None))
            .or_else(|| edges_if(nearly && !edges_win))
            .or_else(|| self.face(face.owner, face.index, overlap.then_some(face.separation)))
    }

    /// Normal of a face, from the first polyhedron to the second, in the first one's frame.
    fn outward(&self, owner: usize, face: usize) -> Unit {
        let normal = self.solids[owner].normals[face];
        if owner == 0 { normal } else { normal.map(|c| -c) }
    }

    fn world(&self, normal: Unit) -> Unit {
        frame::unit_to_world(&self.pair.turn_a, normal)
    }

    /// Converts a point to world directions, relative to the first centre.
    fn place(&self, at: Short) -> Raw {
        self.pair.turn_a.map(|row| self.scale.widen(dot(row, at)))
    }
}

impl<'a> Posed<'a> {
    fn new(core: &Core<'a>, scale: Scale) -> Self {
        Self { topology: core.topology(), vertices: core.vertices(scale), normals: core.normals() }
    }
}
