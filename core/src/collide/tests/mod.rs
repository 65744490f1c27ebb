//! Narrow phase against a float oracle: random pairs of every kind, then degenerate cases.
#![allow(clippy::disallowed_types, reason = "an oracle")]

mod gjk;
pub(crate) mod oracle;
mod pairs;
mod polyhedra;
mod precision;
mod resting;
mod table;

use super::{Manifold, collide};
use crate::math::{Quat, Vec3};
use crate::shape::Shape;
use oracle::{Body, V, real};
use proptest::prelude::*;

const MARGIN: f64 = 0.02;

fn touch(a: &Body, b: &Body) -> Manifold {
    collide(&a.posed(), &b.posed(), oracle::raw(MARGIN))
}

fn deepest(manifold: &Manifold) -> f64 {
    manifold.points.iter().map(|p| oracle::metres(p.separation)).fold(f64::MAX, f64::min)
}

pub(crate) fn cuboid(half: V) -> Shape {
    Shape::cuboid(Vec3::new(real(half[0]), real(half[1]), real(half[2]))).unwrap()
}

pub(crate) fn sphere(radius: f64) -> Shape {
    Shape::sphere(real(radius)).unwrap()
}

pub(crate) fn capsule(half_length: f64, radius: f64) -> Shape {
    Shape::capsule(real(half_length), real(radius)).unwrap()
}

/// 1 mm to 100 m, each order of magnitude with the same probability.
pub(crate) fn any_size() -> impl Strategy<Value = f64> {
    (-3.0..2.0f64).prop_map(|e| 10f64.powf(e).max(0.001))
}

pub(crate) fn any_direction() -> impl Strategy<Value = V> {
    prop_oneof![
        2 => [-1.0..1.0f64, -1.0..1.0, -1.0..1.0],
        1 => (0..3usize, any::<bool>()).prop_map(|(k, up)| {
            let mut v = [0.0; 3];
            v[k] = if up { 1.0 } else { -1.0 };
            v
        }),
    ]
    .prop_filter_map("no direction", |v| {
        let l = oracle::length(v);
        (l > 0.1).then(|| v.map(|c| c / l))
    })
}

/// Random, axis-aligned, 45° and nearly aligned rotations.
pub(crate) fn any_rotation() -> impl Strategy<Value = Quat> {
    let turn = |axis: V, angle: f64| {
        Quat::from_axis_angle(Vec3::new(real(axis[0]), real(axis[1]), real(axis[2])), real(angle))
            .unwrap()
    };
    let quarter = std::f64::consts::FRAC_PI_4;
    prop_oneof![
        3 => (any_direction(), 0.0..3.2f64).prop_map(move |(axis, angle)| turn(axis, angle)),
        1 => Just(Quat::IDENTITY),
        1 => (any_direction(), 0..8).prop_map(move |(axis, n)| turn(axis, f64::from(n) * quarter)),
        1 => (any_direction(), -6.0..-1.0f64).prop_map(move |(axis, e)| turn(axis, 10f64.powf(e))),
    ]
}

fn any_cuboid() -> impl Strategy<Value = Shape> {
    prop_oneof![
        any_size().prop_map(|s| cuboid([s; 3])),
        // A size, and proportions up to 1 : 10.
        (any_size(), [0.1..1.0f64, 0.1..1.0, 0.1..1.0])
            .prop_map(|(s, p)| cuboid(p.map(|p| (p * s).max(0.001)))),
    ]
}

fn any_round() -> impl Strategy<Value = Shape> {
    prop_oneof![
        any_size().prop_map(sphere),
        (any_size(), 0.1..10.0f64).prop_map(|(r, p)| capsule((r * p).clamp(0.001, 100.0), r)),
    ]
}

fn any_solid() -> impl Strategy<Value = Shape> {
    prop_oneof![any_cuboid(), any_round()]
}

/// Two bodies that overlap, touch or are slightly apart along a random direction, at a random position.
fn any_pair(
    first: impl Strategy<Value = Shape>,
    second: impl Strategy<Value = Shape>,
) -> impl Strategy<Value = (Body, Body)> {
    let apart = prop_oneof![
        3 => -0.1..0.1f64,
        3 => -1.0..0.05f64,
        1 => Just(0.0),
        1 => Just(-1.0),
    ];
    let turns = [any_rotation().boxed(), any_rotation().boxed()];
    (first, second, turns, any_direction(), apart, [-1e8..1e8f64, -1e8..1e8, -1e8..1e8]).prop_map(
        |(shape_a, shape_b, [turn_a, turn_b], n, apart, place)| {
            let a = Body::new(shape_a, [0.0; 3], turn_a);
            let b = Body::new(shape_b, [0.0; 3], turn_b);
            // Scaled by the smaller one, so that unequal pairs touch too.
            let small = a.support(n).min(b.support(n));
            let distance = (a.support(n) + b.support(n) + 2.0 * apart * small).max(0.0);
            (a.moved(place), b.moved(place).moved(n.map(|c| c * distance)))
        },
    )
}
