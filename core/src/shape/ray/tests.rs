//! Ray casts against signed distances in floats, and exact decisions at tangents and corners.
#![allow(clippy::disallowed_types, reason = "an oracle")]

use super::*;
use crate::collide::tests::oracle::{self, Body, V, float, real};
use crate::collide::tests::{any_direction, any_rotation, any_size, capsule, cuboid, sphere};
use crate::math::Quat;
use crate::shape::{Geometry, Kind};
use proptest::prelude::*;

fn vec3(v: V) -> Vec3 {
    Vec3::new(real(v[0]), real(v[1]), real(v[2]))
}

fn array(v: Vec3) -> V {
    v.to_array().map(float)
}

fn plus(a: V, b: V, times: f64) -> V {
    std::array::from_fn(|k| a[k] + b[k] * times)
}

fn any_shape() -> impl Strategy<Value = Shape> {
    (0..Kind::ALL.len(), [any_size(), any_size(), any_size()]).prop_map(|(kind, sizes)| {
        let mut sizes = sizes.into_iter();
        oracle::sample(Kind::ALL[kind], &mut || sizes.next().expect("three sizes suffice"))
    })
}

/// Checks a ray against the signed distance of its points, which is a convex function.
fn check_ray(body: &Body, rotation: Quat, origin: V, displacement: V) {
    let center = Vec3::from_bits(body.center);
    let (from, along) = (vec3(origin), vec3(displacement));
    let hit = ray_cast(&body.shape, &Transform::new(center, rotation), center + from, along);
    let (origin, displacement) = (array(from), array(along));
    let distance = |t: f64| body.distance(plus(origin, displacement, t));
    let length = oracle::length(displacement);
    let tolerance = 1e-9 + 1e-8 * (body.radius() + length);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if distance(a) <= distance(b) { high = b } else { low = a }
    }
    let least = distance(0.0).min(distance(1.0)).min(distance(low));
    let Some(RayHit { fraction, normal }) = hit else {
        assert!(least > -tolerance, "missed, but {least} from {body:?}");
        return;
    };
    assert!(least < tolerance, "hit, but {least} from {body:?}");
    let (fraction, normal) = (float(fraction), array(normal));
    assert!((0.0..=1.0).contains(&fraction));
    if oracle::length(normal) == 0.0 {
        assert!(fraction == 0.0 && distance(0.0) < tolerance);
        return;
    }
    let at = distance(fraction);
    assert!(at.abs() < tolerance, "{at} from the surface of {body:?}");
    for i in 0..64 {
        let before = fraction * f64::from(i) / 64.0;
        assert!(distance(before) > -tolerance, "inside at {before}, before {fraction}: {body:?}");
    }
    assert!((oracle::length(normal) - 1.0).abs() < 1e-8);
    assert!(oracle::dot(normal, displacement) <= tolerance || fraction == 0.0);
    // Outward: the distance grows along the normal as fast as it can.
    let step = 0.01 * body.thickness().min(1.0);
    let above = body.distance(plus(plus(origin, displacement, fraction), normal, step));
    assert!((above - at - step).abs() < 2.0 * tolerance + 0.01 * step, "{normal:?} on {body:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6_000))]

    #[test]
    fn rays_hit_the_first_point_of_a_shape(
        shape in any_shape(),
        rotation in any_rotation(),
        center in [-1e8..1e8f64, -1e8..1e8, -1e8..1e8],
        (side, away) in (any_direction(), 0.0..4.0f64),
        target in [-1.2..1.2f64, -1.2..1.2, -1.2..1.2],
        scale in prop_oneof![0.2..3.0f64, Just(1.0), (0.0..3.5f64).prop_map(|e| 10f64.powf(e))],
    ) {
        let body = Body::new(shape, center, rotation);
        let size = body.radius().max(1.0);
        let origin = side.map(|c| c * away * size);
        let aim = if body.radius() > 0.0 { body.radius() } else { 1.0 };
        let displacement = plus(target.map(|c| c * aim), origin, -1.0);
        check_ray(&body, rotation, origin, displacement.map(|c| c * scale));
        // From far away.
        let far = plus(origin, displacement, -scale);
        check_ray(&body, rotation, far, displacement.map(|c| c * (2.0 * scale + 1.0)));
    }

    #[test]
    fn a_ray_does_not_depend_on_the_position_in_the_world(
        shape in any_shape(), rotation in any_rotation(),
        origin in any_direction(), displacement in any_direction(),
        by in [-1e9..1e9f64, -1e9..1e9, -1e9..1e9],
    ) {
        let cast = |by: Vec3| {
            let pose = Transform::new(by, rotation);
            ray_cast(&shape, &pose, by + vec3(origin), vec3(displacement))
        };
        prop_assert_eq!(cast(vec3(by)), cast(Vec3::ZERO));
    }
}

fn cast(shape: Shape, origin: Vec3, displacement: Vec3) -> Option<RayHit> {
    ray_cast(&shape, &Transform::IDENTITY, origin, displacement)
}

#[test]
fn a_ray_that_touches_hits_and_one_ulp_further_it_misses() {
    let (ulp, right) = (Vec3::Y * Real::EPSILON, Vec3::X * 20);
    for (shape, touching) in [
        (sphere(1.0), Vec3::from_ints(-10, 1, 0)),
        (sphere(4096.0), Vec3::from_ints(-10, 4096, 0)),
        (cuboid([1.0, 2.0, 3.0]), Vec3::from_ints(-10, 2, 3)),
        (capsule(1.0, 1.0), Vec3::from_ints(-10, 2, 0)),
    ] {
        assert!(cast(shape, touching, right).is_some(), "{shape:?}");
        assert_eq!(cast(shape, touching + ulp, right), None, "{shape:?}");
    }
    let from = Vec3::from_ints(5, 10, 5);
    let hit = RayHit { fraction: Real::ONE, normal: Vec3::Y };
    assert_eq!(cast(Shape::HALF_SPACE, from, Vec3::Y * -10), Some(hit));
    assert_eq!(cast(Shape::HALF_SPACE, from + ulp, Vec3::Y * -10), None);
}

#[test]
fn a_ray_that_ends_at_the_surface_hits_and_one_ulp_before_it_misses() {
    let short = Vec3::X * Real::EPSILON;
    for shape in [sphere(1.0), cuboid([1.0; 3]), capsule(1.0, 1.0)] {
        let hit = cast(shape, Vec3::X * -3, Vec3::X * 2);
        assert_eq!(hit, Some(RayHit { fraction: Real::ONE, normal: -Vec3::X }), "{shape:?}");
        assert_eq!(cast(shape, Vec3::X * -3, Vec3::X * 2 - short), None, "{shape:?}");
    }
}

#[test]
fn a_ray_from_the_surface_has_its_normal_and_one_from_inside_none() {
    for shape in [sphere(1.0), cuboid([1.0; 3]), capsule(1.0, 1.0)] {
        for displacement in [Vec3::X, -Vec3::X, Vec3::ZERO, Vec3::Z] {
            let hit = cast(shape, Vec3::X, displacement);
            assert_eq!(hit, Some(RayHit { fraction: Real::ZERO, normal: Vec3::X }), "{shape:?}");
            let inside = Vec3::X * (Real::ONE - Real::EPSILON);
            assert_eq!(cast(shape, inside, displacement), Some(RayHit::INSIDE), "{shape:?}");
        }
    }
    let plane = |origin: Vec3, displacement| cast(Shape::HALF_SPACE, origin, displacement);
    let surface = Some(RayHit { fraction: Real::ZERO, normal: Vec3::Y });
    assert_eq!(plane(Vec3::X, Vec3::Y), surface);
    assert_eq!(plane(Vec3::X, -Vec3::Y), surface);
    assert_eq!(plane(-Vec3::Y, Vec3::Y * 5), Some(RayHit::INSIDE));
}

#[test]
fn fractions_are_rounded_down() {
    // A third of the way, and the same for a ball whose surface is there.
    let third = Real::from_bits((1 << 32) / 3);
    for shape in [sphere(1.0), cuboid([1.0; 3]), capsule(1.0, 1.0)] {
        let hit = cast(shape, Vec3::X * -2, Vec3::X * 3).unwrap();
        assert_eq!(hit.fraction, third, "{shape:?}");
    }
    assert_eq!(cast(Shape::HALF_SPACE, Vec3::Y, Vec3::Y * -3).unwrap().fraction, third);
}

#[test]
fn rays_across_the_world_hit_at_the_right_place() {
    let far = Vec3::from_ints(-2_000_000_000, 0, 0);
    for shape in [sphere(1.0), cuboid([1.0; 3]), capsule(1.0, 1.0)] {
        // The ends of the ray are more than the range of a position apart.
        let pose = Transform::at(Vec3::from_ints(2_000_000_000, 0, 0));
        let hit = ray_cast(&shape, &pose, far, Vec3::X * Real::MAX);
        assert_eq!(hit, None);
        let hit = ray_cast(&shape, &Transform::at(Vec3::ZERO), far, Vec3::X * Real::MAX).unwrap();
        assert!((float(hit.fraction) * float(Real::MAX) - 2e9 + 1.0).abs() < 1.0, "{shape:?}");
        assert_eq!(hit.normal, -Vec3::X);
        let beside = far + Vec3::Y + Vec3::Y * Real::EPSILON;
        assert!(
            matches!(shape.geometry(), Geometry::Capsule { .. })
                || ray_cast(&shape, &Transform::at(Vec3::ZERO), beside, Vec3::X * Real::MAX)
                    .is_none()
        );
    }
}
