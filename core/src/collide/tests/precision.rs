//! Precision of depths, by size.

use super::oracle::{Body, fifteen_axes, metres, separation_along, unit};
use super::*;
use crate::data::Rng;

fn fraction(rng: &mut Rng) -> f64 {
    rng.next_u32() as f64 / 2f64.powi(32)
}

fn random_turn(rng: &mut Rng) -> Quat {
    let mut part = || real(fraction(rng) * 2.0 - 1.0);
    Quat::from_xyzw(part(), part(), part(), part()).unwrap()
}

/// Two boxes that overlap by up to a tenth of the smaller: the second against a face of the first, or along a random direction.
fn overlapping(rng: &mut Rng, size_a: f64, size_b: f64) -> (Body, Body) {
    let mut half = |size: f64| std::array::from_fn(|_| size * (0.5 + 0.5 * fraction(rng)));
    let shapes = [cuboid(half(size_a)), cuboid(half(size_b))];
    let a = Body::new(shapes[0], [0.0; 3], random_turn(rng));
    let b = Body::new(shapes[1], [0.0; 3], random_turn(rng));
    let overlap = 0.1 * fraction(rng) * size_a.min(size_b);
    if fraction(rng) < 0.5 {
        let mut n: V = std::array::from_fn(|_| fraction(rng) - 0.5);
        n = n.map(|c| c / oracle::length(n));
        let reach = a.support(n) + b.support(n) - overlap;
        return (a, b.moved(n.map(|c| c * reach)));
    }
    let mut local: V = std::array::from_fn(|k| a.half()[k] * (2.0 * fraction(rng) - 1.0));
    local[1] = a.half()[1] + b.support(a.axis(1)) - overlap;
    let place = std::array::from_fn(|k| (0..3).map(|j| a.axis(j)[k] * local[j]).sum());
    (a, b.moved(place))
}

/// The largest error of the deepest point along the reported normal.
fn worst(size_a: f64, size_b: f64) -> f64 {
    let mut rng = Rng::new(7);
    let (mut worst, mut counted) = (0f64, 0);
    for _ in 0..20_000 {
        let (a, b) = overlapping(&mut rng, size_a, size_b);
        let manifold = touch(&a, &b);
        if manifold.points.is_empty() {
            continue;
        }
        let along = separation_along(&a, &b, unit(manifold.normal));
        // If the preference for faces chose another axis, the deepest corner may lie beside the face.
        if along < 0.0 && (along - fifteen_axes(&a, &b)).abs() < 1e-8 * size_a.max(size_b) {
            worst = worst.max((deepest(&manifold) - along).abs());
            counted += 1;
        }
    }
    assert!(counted > 5_000, "only {counted} of the pairs count");
    worst
}

#[test]
fn depth_error_is_bounded_by_size() {
    for (size_a, size_b, bound) in [
        (0.002, 0.002, 1e-7),
        (0.05, 0.05, 1e-7),
        (0.5, 0.5, 5e-6),
        (10.0, 10.0, 1e-5),
        (100.0, 100.0, 2e-5),
        // Rounding of the large box's axes dominates: 2⁻²⁸ of 4 km is 15 µm.
        (4000.0, 0.5, 5e-5),
        (4000.0, 4000.0, 1e-3),
    ] {
        let error = worst(size_a, size_b);
        println!("half edges {size_a} m and {size_b} m: depth within {:.3} µm", error * 1e6);
        assert!(error <= bound, "{size_a} m and {size_b} m: {error}");
    }
}

#[test]
fn a_small_box_on_a_huge_one_keeps_its_own_resolution() {
    for turn in [0.0, 0.3, 1.1] {
        let turn = Quat::from_axis_angle(Vec3::Y, real(turn)).unwrap();
        let ground = Body::new(cuboid([4000.0, 100.0, 4000.0]), [0.0; 3], Quat::IDENTITY);
        let small = Body::new(cuboid([0.5; 3]), [1234.567, 100.5 - 0.001, -3210.9], turn);
        let manifold = touch(&ground, &small);
        assert_eq!(manifold.points.len(), 4);
        for point in &manifold.points {
            assert!(
                (metres(point.separation) + 0.001).abs() < 2e-7,
                "{}",
                metres(point.separation)
            );
            let from_small = oracle::sub(point.at.map(metres), oracle::delta(&ground, &small));
            assert!(small.distance(from_small).abs() < 0.000_51);
        }
    }
}
