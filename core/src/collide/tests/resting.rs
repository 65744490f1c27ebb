//! Contacts of stacks, and degenerate contacts.

use super::oracle::{Body, metres};
use super::*;

fn yaw(angle: f64) -> Quat {
    Quat::from_axis_angle(Vec3::Y, real(angle)).unwrap()
}

fn separations(manifold: &Manifold) -> Vec<f64> {
    manifold.points.iter().map(|p| metres(p.separation)).collect()
}

#[test]
fn a_box_lying_flat_touches_with_four_equal_points() {
    for size in [0.001, 0.05, 0.5, 20.0, 100.0] {
        for angle in [0.0, 1e-4, 0.4, std::f64::consts::FRAC_PI_4] {
            for gap in [-size / 50.0, 0.0, size / 100.0] {
                let top =
                    Body::new(cuboid([size; 3]), [0.3 * size, 2.0 * size + gap, 0.0], yaw(angle));
                let bottom = Body::new(cuboid([size; 3]), [0.0; 3], Quat::IDENTITY);
                let plane = Body::new(Shape::HALF_SPACE, [7.0, size, 3.0], yaw(1.0));
                for below in [&bottom, &plane] {
                    let found = separations(&touch(below, &top));
                    if gap > MARGIN {
                        assert!(found.is_empty());
                        continue;
                    }
                    assert_eq!(found.len(), 4, "size {size}, angle {angle}, gap {gap}");
                    for separation in found {
                        assert!(
                            (separation - gap).abs() < 1e-8 + size * 1e-7,
                            "{separation} not {gap}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_stacked_box_that_shifts_a_little_keeps_its_features() {
    let bottom = Body::new(cuboid([0.5; 3]), [0.0; 3], Quat::IDENTITY);
    let features = |x: f64, angle: f64| {
        let top = Body::new(cuboid([0.5; 3]), [x, 0.999, -x / 2.0], yaw(angle));
        let mut features: Vec<_> = touch(&bottom, &top).points.iter().map(|p| p.feature).collect();
        features.sort();
        features
    };
    let at_rest = features(0.0, 0.0);
    for (x, angle) in [(1e-7, 0.0), (-1e-5, 1e-6), (1e-4, -1e-5), (-1e-4, 1e-4)] {
        assert_eq!(features(x, angle), at_rest);
    }
}

#[test]
fn crossed_beams_touch_at_one_point_between_their_edges() {
    let quarter = std::f64::consts::FRAC_PI_4;
    let about_x = Quat::from_axis_angle(Vec3::X, real(quarter)).unwrap();
    let about_z = Quat::from_axis_angle(Vec3::Z, real(quarter)).unwrap();
    let low = Body::new(cuboid([2.0, 0.5, 0.5]), [0.0; 3], about_x);
    let high = Body::new(cuboid([0.5, 0.5, 2.0]), [0.1, 2f64.sqrt() - 0.01, 0.2], about_z);
    let manifold = touch(&low, &high);
    assert_eq!(manifold.points.len(), 1);
    let point = manifold.points[0];
    assert!((metres(point.separation) + 0.01).abs() < 1e-7);
    let at = point.at.map(metres);
    assert!(oracle::length(oracle::sub(at, [0.1, 0.5f64.sqrt() - 0.005, 0.0])) < 1e-6, "{at:?}");
}

#[test]
fn a_capsule_lying_on_a_face_touches_at_both_ends() {
    let lying = Quat::from_axis_angle(Vec3::Z, real(std::f64::consts::FRAC_PI_2)).unwrap();
    let pill = Body::new(capsule(0.5, 0.2), [0.1, 0.699, 0.0], lying);
    let plane = Body::new(Shape::HALF_SPACE, [0.0, 0.5, 0.0], Quat::IDENTITY);
    let table = Body::new(cuboid([2.0, 0.5, 2.0]), [0.0; 3], Quat::IDENTITY);
    let beam = Body::new(cuboid([0.2, 0.5, 2.0]), [0.0; 3], Quat::IDENTITY);
    let other = Body::new(capsule(0.6, 0.3), [0.0, 0.2, 0.0], lying);
    for below in [&plane, &table, &beam, &other] {
        let found = separations(&touch(below, &pill));
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|s| (s + 0.001).abs() < 1e-7), "{found:?}");
    }
}

#[test]
fn shapes_with_a_common_centre_separate() {
    let shapes = [cuboid([0.5; 3]), cuboid([0.1, 2.0, 1.0]), capsule(0.5, 0.2), sphere(0.3)];
    for first in shapes {
        for second in shapes {
            for turn in [Quat::IDENTITY, yaw(0.3)] {
                let a = Body::new(first, [0.0; 3], Quat::IDENTITY);
                let b = Body::new(second, [0.0; 3], turn);
                let manifold = touch(&a, &b);
                assert!(!manifold.points.is_empty());
                assert!((oracle::length(oracle::unit(manifold.normal)) - 1.0).abs() < 1e-8);
                assert!(deepest(&manifold) < -0.199);
            }
        }
    }
}

#[test]
fn boxes_that_pass_each_other_diagonally_do_not_touch() {
    // Both gaps are within the margin, but neither face is above the other. A contact here would stop a box that falls past a
    // ledge.
    let ledge = Body::new(cuboid([0.5; 3]), [0.0; 3], Quat::IDENTITY);
    let falling = Body::new(cuboid([0.5; 3]), [1.01, 1.01, 0.0], Quat::IDENTITY);
    assert!(touch(&ledge, &falling).points.is_empty());
}
