//! Outlines against signed distances in floats.
#![allow(clippy::disallowed_types, reason = "an oracle")]

use super::*;
use crate::collide::tests::any_size;
use crate::collide::tests::oracle::{self, Body, V, dot, float};
use crate::math::Quat;
use crate::shape::{Geometry, Kind, Shape};
use proptest::prelude::*;

const PATCH: Real = Real::from_int(3);

fn lines(shape: &Shape) -> Vec<[V; 2]> {
    let mut lines = Vec::new();
    shape.outline(PATCH, &mut |start, end| {
        lines.push([start, end].map(|point| point.to_array().map(float)));
    });
    lines
}

/// Depth of the middle of a line below the surface: that of a chord, on shapes with round parts.
fn chord(shape: &Shape) -> f64 {
    let sag = 1.0 - (std::f64::consts::TAU / f64::from(CIRCLE) / 2.0).cos();
    match *shape.geometry() {
        Geometry::Sphere { radius } | Geometry::Capsule { radius, .. } => float(radius) * sag,
        _ => 0.0,
    }
}

/// Checks that the lines lie on the surface and reach all sides of the shape.
fn check(shape: Shape) {
    let body = Body::new(shape, [0.0; 3], Quat::IDENTITY);
    let (lines, tolerance) = (lines(&shape), 1e-8 * (1.0 + body.radius()));
    for &[start, end] in &lines {
        for point in [start, end] {
            let distance = body.distance(point);
            assert!(distance.abs() < tolerance, "{point:?} is {distance} from {shape:?}");
        }
        for i in 1..8 {
            let part = f64::from(i) / 8.0;
            let point: V = std::array::from_fn(|k| start[k] + (end[k] - start[k]) * part);
            let distance = body.distance(point);
            let least = -chord(&shape) - tolerance;
            assert!((least..tolerance).contains(&distance), "{distance} from {shape:?}");
        }
    }
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let mut out = [0.0; 3];
            out[axis] = sign;
            let reach =
                lines.iter().flatten().map(|point| dot(*point, out)).fold(f64::MIN, f64::max);
            let wanted = match shape.geometry() {
                Geometry::HalfSpace => float(PATCH) * f64::from(u8::from(axis != 1)),
                _ => body.support(out),
            };
            assert!((reach - wanted).abs() < tolerance, "{reach} of {wanted} m of {shape:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn outlines_lie_on_the_surface(sizes in [any_size(), any_size(), any_size()]) {
        for kind in Kind::ALL {
            let mut sizes = sizes.into_iter();
            check(oracle::sample(kind, &mut || sizes.next().expect("three sizes suffice")));
        }
    }
}

#[test]
fn the_edges_of_a_box_are_all_different() {
    let mut edges = Vec::new();
    box_edges(-Vec3::ONE, Vec3::ONE, &mut |start, end| {
        let across = (end - start).to_array().into_iter().filter(|part| *part != Real::ZERO);
        assert!(across.eq([Real::from_int(2)]), "along one axis: {start:?} to {end:?}");
        assert!(!edges.contains(&(start, end)), "twice: {start:?} to {end:?}");
        edges.push((start, end));
    });
    assert_eq!(edges.len(), 12);
}
