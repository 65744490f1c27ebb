//! Hulls of points against support functions: along every direction a hull reaches as far as its points.
#![allow(clippy::disallowed_types, reason = "an oracle")]

use super::build::{BuildError, FLATNESS};
use super::{MOST_VERTICES, Point, Polyhedron};
use crate::data::Rng;

const SIZE: i32 = 1 << 22;

fn number(rng: &mut Rng, size: i32) -> i32 {
    (rng.next_u32() % (2 * size as u32 + 1)) as i32 - size
}

fn points(rng: &mut Rng, count: usize, size: i32) -> Vec<Point> {
    (0..count).map(|_| [0; 3].map(|_| number(rng, size))).collect()
}

fn float(v: [i32; 3]) -> [f64; 3] {
    v.map(f64::from)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn check(rng: &mut Rng, points: &[Point]) {
    let hull = Polyhedron::of(points).unwrap();
    let topology = hull.topology();
    let (corners, edges, faces) = (hull.vertices.len(), topology.edges.len(), topology.faces.len());
    assert_eq!(corners + faces, edges + 2, "{points:?}");
    assert!(hull.vertices.iter().all(|vertex| points.contains(vertex)));
    let slack = 2.0 * FLATNESS as f64 + 1.0;
    for (face, normal) in hull.normals.iter().enumerate() {
        let normal = float(*normal).map(|c| c / f64::from(1 << 30));
        assert!((dot(normal, normal) - 1.0).abs() < 1e-8);
        let corners = topology.loop_of(face);
        let base = dot(normal, float(hull.vertices[usize::from(corners[0])]));
        for corner in corners {
            let height = dot(normal, float(hull.vertices[usize::from(*corner)])) - base;
            assert!(height.abs() <= slack, "{height} of {points:?}");
        }
        for point in points {
            assert!(dot(normal, float(*point)) - base <= slack, "{points:?}");
        }
    }
    for edge in topology.edges {
        for (side, face) in edge.faces.into_iter().enumerate() {
            let corners = topology.loop_of(usize::from(face));
            let [from, to] = if side == 0 { edge.ends } else { [edge.ends[1], edge.ends[0]] };
            let at = corners.iter().position(|corner| *corner == from).unwrap();
            assert_eq!(corners[(at + 1) % corners.len()], to);
        }
    }
    for _ in 0..50 {
        let direction = [0; 3].map(|_| f64::from(number(rng, 1000)) / 1000.0);
        let reach = |points: &[Point]| {
            points.iter().map(|point| dot(direction, float(*point))).fold(f64::MIN, f64::max)
        };
        let (inner, outer) = (reach(&hull.vertices), reach(points));
        assert!(inner <= outer && outer - inner <= slack, "{points:?} along {direction:?}");
    }
    let mut other = points.to_vec();
    (1..other.len()).for_each(|i| other.swap(i, rng.next_u32() as usize % (i + 1)));
    assert_eq!(Polyhedron::of(&other), Ok(hull), "another order of {points:?}");
}

#[test]
fn a_hull_reaches_as_far_as_its_points() {
    let mut rng = Rng::new(5);
    for case in 0..600 {
        // Small grids have many points in a plane and in a line.
        let size = [1, 2, 4, 1000, SIZE][case % 5];
        let count = 5 + rng.next_u32() as usize % 40;
        let points = points(&mut rng, count, size);
        if Polyhedron::of(&points) == Err(BuildError::Flat) {
            assert!(size <= 2, "{points:?} are flat");
        } else {
            check(&mut rng, &points);
        }
    }
}

#[test]
fn a_box_has_six_faces_at_every_rotation_and_with_points_on_them() {
    let mut rng = Rng::new(6);
    for case in 0..200 {
        let half: [f64; 3] =
            [0; 3].map(|_| f64::from(1 + number(&mut rng, 500_000).abs()) * 4.0 + 2000.0);
        let angle = if case % 4 == 0 { 0.0 } else { f64::from(number(&mut rng, 1000)) / 300.0 };
        let (s, c) = angle.sin_cos();
        let turned = |[x, y, z]: [f64; 3]| {
            let [x, y, z] = [c * x - s * y, s * x + c * y, z];
            [x, c * y - s * z, s * y + c * z].map(|c| c.round() as i32)
        };
        let mut points: Vec<Point> = Vec::new();
        for i in 0..27 {
            let at = [i % 3, i / 3 % 3, i / 9].map(|n| f64::from(n) - 1.0);
            points.push(turned([0, 1, 2].map(|k| at[k] * half[k])));
        }
        let hull = Polyhedron::of(&points).unwrap();
        let topology = hull.topology();
        let counts = (hull.vertices.len(), topology.edges.len(), topology.faces.len());
        assert_eq!(counts, (8, 12, 6), "{half:?} turned by {angle}");
        check(&mut rng, &points);
    }
}

#[test]
fn flat_points_and_too_many_vertices_are_errors() {
    let flat = |points: &[Point]| assert_eq!(Polyhedron::of(points), Err(BuildError::Flat));
    flat(&[]);
    flat(&[[1, 2, 3]; 9]);
    flat(&[[0; 3], [1, 1, 1], [5, 5, 5], [-7, -7, -7]]);
    flat(&[[0, 0, 1], [1, 0, 1], [1, 5, 1], [-7, 3, 1], [3, 3, 1]]);
    let sphere = |count: usize| -> Vec<Point> {
        let at = |i: usize| {
            let (z, turn) = ((2 * i + 1) as f64 / count as f64 - 1.0, i as f64 * 2.4);
            let r = (1.0 - z * z).sqrt();
            [r * turn.cos(), r * turn.sin(), z].map(|c| (c * f64::from(SIZE)) as i32)
        };
        (0..count).map(at).collect()
    };
    check(&mut Rng::new(7), &sphere(MOST_VERTICES));
    let more = MOST_VERTICES + 1;
    assert_eq!(Polyhedron::of(&sphere(more)), Err(BuildError::Vertices(more)));
    assert_eq!(Polyhedron::of(&sphere(400)), Err(BuildError::Vertices(400)));
}
