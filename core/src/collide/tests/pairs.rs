//! Properties of random pairs.

use super::oracle::{Body, core_distance, fifteen_axes, metres, separation_along, unit};
use super::*;
use crate::collide::Point;
use crate::shape::{Geometry, Kind, MAX_SIZE};

/// Bound for rounding errors: some ulps of the pair's exponent, or of a long shape's axes.
fn tolerance(a: &Body, b: &Body) -> f64 {
    20e-9 + 1.5e-7 * (a.radius().min(b.radius()) + MARGIN) + 1e-8 * (a.radius() + b.radius())
}

/// Preference for faces, metres.
fn preference(a: &Body, b: &Body) -> f64 {
    (a.thickness().min(b.thickness()) / 32.0).min(1.0 / 256.0)
}

/// Distance of the deepest corner from the part of space above the face, if the normal is that of a face: the corner of the other box.
fn beside(a: &Body, b: &Body, normal: V) -> f64 {
    let sides = [(a, b, normal), (b, a, normal.map(|c| -c))];
    let of = |(owner, other, outward): (&Body, &Body, V)| {
        let along = owner.local(outward);
        let face = (0..3).find(|&k| along[k].abs() > 1.0 - 1e-6)?;
        let mut corner = oracle::delta(owner, other);
        for j in 0..3 {
            let axis = other.axis(j);
            let down = -oracle::dot(axis, outward).signum() * other.half()[j];
            corner = std::array::from_fn(|k| corner[k] + axis[k] * down);
        }
        let corner = owner.local(corner);
        let beyond =
            |k: usize| if k == face { 0.0 } else { (corner[k].abs() - owner.half()[k]).max(0.0) };
        Some(oracle::length([beyond(0), beyond(1), beyond(2)]))
    };
    sides.into_iter().filter_map(of).reduce(f64::min).unwrap_or(0.0)
}

/// Checks the properties of every manifold of two solids.
fn check_manifold(a: &Body, b: &Body, manifold: &Manifold) {
    if manifold.points.is_empty() {
        assert_eq!(*manifold, Manifold::default());
        return;
    }
    let normal = unit(manifold.normal);
    let tolerance = tolerance(a, b);
    assert!((oracle::length(normal) - 1.0).abs() < 8e-9, "not a unit: {normal:?}");
    let slack = preference(a, b) / 4.0 + tolerance;
    let along = separation_along(a, b, normal);
    for point in &manifold.points {
        let at = point.at.map(metres);
        let half = metres(point.separation).abs() / 2.0 + slack;
        let from_b = oracle::sub(at, oracle::delta(a, b));
        let (to_a, to_b) = (a.distance(at), b.distance(from_b));
        for (body, distance) in [(a, to_a), (b, to_b)] {
            // The contact of a capsule on a face uses the face's normal, not the capsule's own.
            let inner = matches!(body.shape.geometry(), Geometry::Capsule { .. });
            let near = distance <= half && (inner || distance >= -half);
            assert!(near, "{distance} from {body:?}, {half} allowed: {point:?}");
        }
        // No point is deeper than the overlap along the normal.
        assert!(metres(point.separation) >= along - tolerance, "{point:?} below {along}");
        // A face contact within the margin has all its points up to twice the margin.
        assert!(metres(point.separation) <= 2.0 * MARGIN + 1e-9);
    }
    let least = manifold.points.iter().map(|point| metres(point.separation)).reduce(f64::min);
    assert!(least.is_none_or(|least| least <= MARGIN + 1e-9), "{least:?} beyond the margin");
    let mut features: Vec<_> = manifold.points.iter().map(|p| p.feature).collect();
    features.sort();
    features.dedup();
    assert_eq!(features.len(), manifold.points.len(), "features repeat: {manifold:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// Bounds reject most distant pairs before the closest points are known. They must not reject a pair within the margin: there
    /// a margin removes points and changes nothing else.
    #[test]
    fn bounds_reject_nothing_that_is_within_the_margin(
        (a, b) in any_pair(any_solid(), any_round()),
        margin in prop_oneof![0.0..0.001f64, 0.0..0.5f64],
        swap in any::<bool>(),
    ) {
        let (a, b) = if swap { (b, a) } else { (a, b) };
        let margin = oracle::raw(margin);
        let mut expected = collide(&a.posed(), &b.posed(), MAX_SIZE.to_bits());
        let all = core::mem::take(&mut expected.points);
        for point in all.iter().filter(|point| point.separation <= margin) {
            expected.points.push(*point).unwrap();
        }
        if !expected.points.is_empty() {
            prop_assert_eq!(collide(&a.posed(), &b.posed(), margin), expected);
        }
    }

    #[test]
    fn round_pairs_have_their_exact_distance((a, b) in any_pair(any_round(), any_round())) {
        let manifold = touch(&a, &b);
        let expected = core_distance(&a, &b) - a.thickness() - b.thickness();
        check_manifold(&a, &b, &manifold);
        if expected > MARGIN + tolerance(&a, &b) {
            prop_assert!(manifold.points.is_empty());
        } else if expected < MARGIN - tolerance(&a, &b) {
            // The distance of parallel capsules may be off by 1/256 of a radius. For intersecting cores, the distance is taken along a
            // normal that was chosen for lack of a direction.
            let side_by_side = if manifold.points.len() == 2 { 1.0 / 256.0 } else { 0.0 };
            let slack = tolerance(&a, &b)
                + side_by_side * a.thickness().min(b.thickness())
                + core_distance(&a, &b).min(1e-6 + 4e-6 * (a.radius() + b.radius()));
            prop_assert!((deepest(&manifold) - expected).abs() <= slack,
                "{} instead of {expected}", deepest(&manifold));
        }
    }

    #[test]
    fn the_overlap_of_boxes_matches_the_fifteen_axes((a, b) in any_pair(any_cuboid(), any_cuboid())) {
        let manifold = touch(&a, &b);
        let expected = fifteen_axes(&a, &b);
        check_manifold(&a, &b, &manifold);
        if expected > MARGIN + tolerance(&a, &b) {
            prop_assert!(manifold.points.is_empty());
        }
        if expected < 0.0 {
            let slack = 1.25 * preference(&a, &b) + tolerance(&a, &b);
            let along = separation_along(&a, &b, unit(manifold.normal));
            prop_assert!(!manifold.points.is_empty());
            // Only the part of a much larger box around the other counts, not its far end.
            let alike = a.radius().max(b.radius()) < 4.0 * a.radius().min(b.radius());
            // A face may replace edges whose normal e is within acos 0.995 of its own, f. With q the other box's deepest corner along f and
            // p the point of the face nearest to it, the separation along e is at most e·(q − p), which exceeds that along f by at most
            // 0.1 of the distance beside the face and 0.005 of the depth. The other box may be the larger one.
            let least = (expected - slack - 0.1 * beside(&a, &b, unit(manifold.normal))) / 0.995;
            prop_assert!(!alike || along >= least, "axis {along} instead of {expected}");
            prop_assert!((deepest(&manifold) - expected).abs() <= slack,
                "{} instead of {expected}", deepest(&manifold));
        }
    }

    #[test]
    fn round_shapes_outside_a_box_have_their_exact_distance(
        (a, b) in any_pair(any_cuboid(), any_round())
    ) {
        let manifold = touch(&a, &b);
        check_manifold(&a, &b, &manifold);
        let distance = core_distance(&b, &a);
        let expected = distance - b.thickness();
        let slack = tolerance(&a, &b) + preference(&a, &b);
        if expected > MARGIN + tolerance(&a, &b) {
            prop_assert!(manifold.points.is_empty());
        } else if distance > 2e-6 && expected < MARGIN - slack {
            prop_assert!((deepest(&manifold) - expected).abs() <= slack,
                "{} instead of {expected}", deepest(&manifold));
        } else if distance == 0.0 {
            prop_assert!(deepest(&manifold) <= tolerance(&a, &b) - b.thickness());
        }
    }

    #[test]
    fn exchanging_the_shapes_mirrors_the_contact((a, b) in any_pair(any_solid(), any_solid())) {
        let (there, back) = (touch(&a, &b), touch(&b, &a));
        check_manifold(&b, &a, &back);
        let slack = 1.25 * preference(&a, &b) + tolerance(&a, &b);
        if !there.points.is_empty() && deepest(&there) < MARGIN - slack {
            // Exchanged, a separated pair of boxes may use a face instead of an edge.
            let unclear = deepest(&there) > 0.0;
            prop_assert!(unclear || (deepest(&there) - deepest(&back)).abs() <= 2.0 * slack,
                "{there:?} against {back:?}");
        }
        let kind = |body: &Body| std::mem::discriminant(body.shape.geometry());
        if kind(&a) != kind(&b) {
            let delta: [i64; 3] = std::array::from_fn(|k| b.center[k] - a.center[k]);
            prop_assert_eq!(there.normal, back.normal.map(|c| -c));
            for (p, q) in there.points.iter().zip(&back.points) {
                let rebased = std::array::from_fn(|k| q.at[k] + delta[k]);
                prop_assert_eq!(*p, Point { at: rebased, ..*q });
            }
        }
    }

    #[test]
    fn manifolds_do_not_depend_on_the_position_in_the_world(
        (a, b) in any_pair(any_solid(), any_solid()), by in [-1e8..1e8f64, -1e8..1e8, -1e8..1e8]
    ) {
        prop_assert_eq!(touch(&a, &b), touch(&a.moved(by), &b.moved(by)));
    }

    #[test]
    fn the_normal_points_from_the_first_to_the_second(
        (a, b) in any_pair(any_solid(), any_solid())
    ) {
        let manifold = touch(&a, &b);
        if !manifold.points.is_empty() {
            let n = unit(manifold.normal);
            let along = oracle::dot(n, oracle::delta(&a, &b));
            // Nearly intersecting cores are too close for a reliable direction, and a face may replace a direction 6° off.
            let leans = 0.1 * oracle::length(oracle::delta(&a, &b));
            let slack = tolerance(&a, &b) + leans.max(1e-3 * (a.radius() + b.radius()));
            prop_assert!(along >= -slack, "{along}");
        }
    }

    #[test]
    fn the_depth_in_a_half_space_matches_the_support_function(
        shape in any_solid(), turn in any_rotation(), ground in any_rotation(),
        place in [-1e5..1e5f64, -1e5..1e5, -1e5..1e5], depth in -1.0..1.0f64,
    ) {
        let plane = Body::new(Shape::HALF_SPACE, [0.0; 3], ground);
        let up = plane.axis(1);
        let solid = Body::new(shape, [0.0; 3], turn);
        let along = oracle::dot(up, place);
        let height = solid.support(up) * (1.0 + depth);
        let solid = solid.moved(std::array::from_fn(|k| place[k] + up[k] * (height - along)));
        let manifold = touch(&plane, &solid);
        let expected = oracle::dot(up, oracle::delta(&plane, &solid)) - solid.support(up);
        if expected > MARGIN + 1e-6 {
            prop_assert!(manifold.points.is_empty());
        } else if expected < MARGIN - 1e-6 {
            prop_assert_eq!(manifold.normal, std::array::from_fn(|k| plane.rotation[k][1]));
            let slack = 2e-9 + 4e-9 * solid.radius();
            prop_assert!((deepest(&manifold) - expected).abs() < slack);
            for point in &manifold.points {
                let height = plane.distance(point.at.map(metres));
                prop_assert!((height - metres(point.separation) / 2.0).abs() < 1e-3);
            }
        }
    }

    #[test]
    fn nothing_within_the_limits_panics(
        sizes in [0u32..23, 0..23, 0..23, 0..23, 0..23, 0..23], kinds in [0..4, 0..4],
        turns in [any_rotation().boxed(), any_rotation().boxed()],
        apart in [any::<i64>(), any::<i64>(), any::<i64>()], shift in 14u32..63, margin in any::<i64>(),
    ) {
        let sizes = sizes.map(|bits| f64::from(1 << bits) / 1024.0);
        let shape = |kind: i32, s: &[f64]| match kind {
            0 => Shape::HALF_SPACE,
            1 => cuboid([s[0], s[1], s[2]]),
            2 => capsule(s[0], s[1]),
            _ => sphere(s[0]),
        };
        let a = Body::new(shape(kinds[0], &sizes[..3]), [0.0; 3], turns[0]);
        let mut b = Body::new(shape(kinds[1], &sizes[3..]), [0.0; 3], turns[1]);
        b.center = apart.map(|c| c >> shift);
        let _ = collide(&a.posed(), &b.posed(), margin);
        let _ = touch(&a, &b);
        b.center = [0; 3];
        let both_planes = kinds == [0, 0];
        prop_assert_eq!(touch(&a, &b).points.is_empty(), both_planes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn a_gap_never_exceeds_the_separation_along_its_direction(
        (a, b) in any_pair(any_solid(), any_solid()),
        away in any_direction(),
        further in 0.0..0.5f64,
    ) {
        let b = b.moved(away.map(|c| c * further));
        if let Some((normal, gap)) = crate::collide::gap(&a.posed(), &b.posed(), oracle::raw(0.5)) {
            // Never larger than the true gap, or a body that advances by it would tunnel. Not tested for deep overlaps.
            let along = separation_along(&a, &b, unit(normal));
            let tolerance = tolerance(&a, &b) + 1e-6 * (1.0 + a.radius() + b.radius());
            prop_assert!(along < 0.0 || metres(gap) <= along + tolerance, "{} of {along}", metres(gap));
        } else {
            // And every gap within the reach is found.
            let boxes = [a, b].iter().all(|body| body.shape.kind() == Kind::Cuboid);
            prop_assert!(!boxes || fifteen_axes(&a, &b) > 0.5 - 1e-3, "{}", fifteen_axes(&a, &b));
        }
    }
}
