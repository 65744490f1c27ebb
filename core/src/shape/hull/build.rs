//! Convex hull of points in exact integers: an incremental hull of triangles, whose neighbours are then merged to faces.
//!
//! Points are integers of at most 2²² in magnitude. Differences are below 2²⁴, cross products below 2⁴⁹, triple products below 2⁷⁵, so every
//! decision is exact. The result does not depend on the order of the points.

use super::topology::{Edge, Face, Topology};
use crate::math::{Scaled, isqrt};
use std::collections::{BTreeMap, BTreeSet};

/// A point of the grid.
pub(crate) type Point = [i32; 3];

/// Greatest distance of a vertex from the plane of a face that it is merged into, in steps of the grid. Points of a face that were rounded to
/// the grid lie this close to a plane.
pub(super) const FLATNESS: u128 = 4;

/// A convex polyhedron.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Polyhedron {
    pub(crate) vertices: Vec<Point>,
    /// Outward unit normals of the faces, Q1.30.
    pub(crate) normals: Vec<[i32; 3]>,
    faces: Vec<Face>,
    loops: Vec<u8>,
    edges: Vec<Edge>,
}

/// Error of [`Polyhedron::of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuildError {
    /// All points lie in one plane.
    Flat,
    /// The hull has this many vertices, more than [`MOST_VERTICES`].
    Vertices(usize),
}

/// Greatest number of vertices of a polyhedron. It has at most twice as many faces.
pub(crate) const MOST_VERTICES: usize = 128;

/// Three points, counter-clockwise as seen from outside.
type Triangle = [usize; 3];

impl Polyhedron {
    /// Computes the convex hull of points.
    pub(crate) fn of(points: &[Point]) -> Result<Self, BuildError> {
        let mut points = points.to_vec();
        points.sort();
        points.dedup();
        let triangles = triangulate(&points).ok_or(BuildError::Flat)?;
        let merged = assemble(&points, &triangles, &merge(&points, &triangles));
        let made = match merged {
            Some(made) => made,
            // Merged faces of a sliver may have no simple outline. Triangles always have.
            None => {
                assemble(&points, &triangles, &single(triangles.len())).ok_or(BuildError::Flat)?
            }
        };
        if made.vertices.len() > MOST_VERTICES {
            return Err(BuildError::Vertices(made.vertices.len()));
        }
        Ok(made)
    }

    pub(crate) fn topology(&self) -> Topology<'_> {
        Topology { faces: &self.faces, loops: &self.loops, edges: &self.edges }
    }
}

fn sub(a: Point, b: Point) -> [i64; 3] {
    [0, 1, 2].map(|k| i64::from(a[k]) - i64::from(b[k]))
}

fn cross([ax, ay, az]: [i64; 3], [bx, by, bz]: [i64; 3]) -> [i64; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

fn dot(a: [i64; 3], b: [i64; 3]) -> i128 {
    (0..3).map(|k| i128::from(a[k]) * i128::from(b[k])).sum()
}

/// Outward normal of a triangle, twice its area long.
fn normal(points: &[Point], [a, b, c]: Triangle) -> [i64; 3] {
    cross(sub(points[b], points[a]), sub(points[c], points[a]))
}

/// Height of a point above the plane of a triangle, times twice its area.
fn height(points: &[Point], triangle: Triangle, point: usize) -> i128 {
    dot(normal(points, triangle), sub(points[point], points[triangle[0]]))
}

/// The hull as triangles; `None` if the points lie in a plane. The points are different.
fn triangulate(points: &[Point]) -> Option<Vec<Triangle>> {
    let furthest = |size: &dyn Fn(usize) -> i128| {
        let best = (0..points.len()).rev().max_by_key(|point| size(*point))?;
        (size(best) > 0).then_some(best)
    };
    let from = |point: usize| sub(points[point], points[0]);
    let b = furthest(&|p| dot(from(p), from(p)))?;
    let c = furthest(&|p| {
        let across = cross(from(b), from(p));
        dot(across, across)
    })?;
    let d = furthest(&|p| height(points, [0, b, c], p).abs())?;
    let (b, c) = if height(points, [0, b, c], d) > 0 { (c, b) } else { (b, c) };
    let mut triangles = vec![[0, b, c], [0, d, b], [b, d, c], [c, d, 0]];
    for point in 0..points.len() {
        let sees = |triangle: &Triangle| height(points, *triangle, point) > 0;
        let (seen, mut rest): (Vec<Triangle>, Vec<Triangle>) =
            triangles.into_iter().partition(sees);
        let edges: BTreeSet<[usize; 2]> = seen.iter().flat_map(|t| sides(t)).collect();
        // The outline of the visible part: a triangle in a plane with the point is not visible, so no new triangle is degenerate.
        let outline = edges.iter().filter(|[a, b]| !edges.contains(&[*b, *a]));
        rest.extend(outline.map(|[a, b]| [*a, *b, point]));
        triangles = rest;
    }
    Some(triangles)
}

fn sides(corners: &[usize]) -> impl Iterator<Item = [usize; 2]> + '_ {
    (0..corners.len()).map(|i| [corners[i], corners[(i + 1) % corners.len()]])
}

/// Triangles of each face, the one that defines the plane first. Starts from the largest triangles.
fn merge(points: &[Point], triangles: &[Triangle]) -> Vec<Vec<usize>> {
    let area = |triangle: Triangle| {
        let normal = normal(points, triangle);
        dot(normal, normal)
    };
    let at: BTreeMap<[usize; 2], usize> = triangles
        .iter()
        .enumerate()
        .flat_map(|(i, t)| sides(t).map(move |side| (side, i)))
        .collect();
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by_key(|i| (-area(triangles[*i]), triangles[*i]));
    let mut free = vec![true; triangles.len()];
    let mut faces = Vec::new();
    for seed in order {
        if !core::mem::take(&mut free[seed]) {
            continue;
        }
        let (plane, up) = (triangles[seed], normal(points, triangles[seed]));
        let most = (FLATNESS * u128::from(isqrt(dot(up, up).unsigned_abs()))) as i128;
        let fits = |triangle: Triangle| {
            dot(up, normal(points, triangle)) > 0
                && triangle.iter().all(|point| height(points, plane, *point).abs() <= most)
        };
        let mut face = vec![seed];
        let mut next = 0;
        while let Some(&triangle) = face.get(next) {
            next += 1;
            for [a, b] in sides(&triangles[triangle]) {
                let beside = at[&[b, a]];
                if free[beside] && fits(triangles[beside]) {
                    free[beside] = false;
                    face.push(beside);
                }
            }
        }
        faces.push(face);
    }
    faces
}

fn single(count: usize) -> Vec<Vec<usize>> {
    (0..count).map(|i| vec![i]).collect()
}

/// Makes a polyhedron of faces of triangles; `None` if the outline of a face is not a single loop.
fn assemble(points: &[Point], triangles: &[Triangle], faces: &[Vec<usize>]) -> Option<Polyhedron> {
    let mut outlines = faces
        .iter()
        .map(|face| outline(face.iter().flat_map(|i| sides(&triangles[*i]))))
        .collect::<Option<Vec<_>>>()?;
    // A vertex between two faces only lies on an edge.
    let mut uses = vec![0; points.len()];
    outlines.iter().flatten().for_each(|point| uses[*point] += 1);
    outlines.iter_mut().for_each(|outline| outline.retain(|point| uses[*point] > 2));
    // In the order of their normals and corners, which does not depend on the search.
    let mut outlines: Vec<(Vec<usize>, [i64; 3])> =
        outlines.into_iter().zip(faces.iter().map(|f| normal(points, triangles[f[0]]))).collect();
    outlines.iter_mut().for_each(|(outline, _)| {
        let first = (0..outline.len()).min_by_key(|i| outline[*i]).unwrap_or(0);
        outline.rotate_left(first);
    });
    outlines.sort();
    let used: BTreeSet<usize> = outlines.iter().flat_map(|(outline, _)| outline).copied().collect();
    let place: BTreeMap<usize, u8> = used.iter().zip(0u32..).map(|(p, i)| (*p, i as u8)).collect();
    let mut made = Polyhedron {
        vertices: used.iter().map(|point| points[*point]).collect(),
        normals: Vec::new(),
        faces: Vec::new(),
        loops: Vec::new(),
        edges: Vec::new(),
    };
    if used.len() > MOST_VERTICES {
        return Some(made);
    }
    let mut at = BTreeMap::new();
    for (index, (outline, normal)) in outlines.iter().enumerate() {
        if outline.len() < 3 {
            return None;
        }
        let (start, count) = (made.loops.len() as u16, outline.len() as u8);
        made.faces.push(Face { start, count });
        made.loops.extend(outline.iter().map(|point| place[point]));
        let scaled = Scaled::new(*normal)?;
        made.normals.push([0, 1, 2].map(|k| scaled.direction(k, 30) as i32));
        at.extend(sides(outline).map(|[a, b]| ([place[&a], place[&b]], index as u8)));
    }
    for (&[a, b], &face) in &at {
        let beside = *at.get(&[b, a])?;
        if a < b {
            made.edges.push(Edge { ends: [a, b], faces: [face, beside] });
        }
    }
    Some(made)
}

/// The loop around triangles with these sides; `None` if there are several.
fn outline(all: impl Iterator<Item = [usize; 2]>) -> Option<Vec<usize>> {
    let all: BTreeSet<[usize; 2]> = all.collect();
    let border = all.iter().filter(|[a, b]| !all.contains(&[*b, *a]));
    let mut next = BTreeMap::new();
    for [a, b] in border {
        if next.insert(*a, *b).is_some() {
            return None;
        }
    }
    let first = *next.keys().next()?;
    let mut outline = vec![first];
    let mut at = next[&first];
    while at != first {
        outline.push(at);
        at = *next.get(&at)?;
        if outline.len() > next.len() {
            return None;
        }
    }
    (outline.len() == next.len()).then_some(outline)
}
