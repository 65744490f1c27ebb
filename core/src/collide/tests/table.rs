//! Every ordered pair of kinds against support functions: the separation of two convex shapes is the largest over all
//! directions, and each direction gives a lower bound of it.

use super::oracle::{self, Body, V, delta, metres, unit};
use super::*;
use crate::collide::{Flat, flat, gap};
use crate::data::Rng;
use crate::shape::{Extent, Kind};

const CASES: usize = 400;
const TOLERANCE: f64 = 1e-6;

fn fraction(rng: &mut Rng) -> f64 {
    f64::from(rng.next_u32()) / 2f64.powi(32)
}

fn random_direction(rng: &mut Rng) -> V {
    loop {
        let v: V = std::array::from_fn(|_| 2.0 * fraction(rng) - 1.0);
        let length = oracle::length(v);
        if length > 0.1 && length < 1.0 {
            return v.map(|c| c / length);
        }
    }
}

fn random_rotation(rng: &mut Rng) -> Quat {
    // A third aligned, a third nearly aligned.
    let angle = [0.0, 1e-4, 6.0][rng.next_u32() as usize % 3] * fraction(rng);
    let axis = random_direction(rng);
    Quat::from_axis_angle(Vec3::new(real(axis[0]), real(axis[1]), real(axis[2])), real(angle))
        .unwrap()
}

fn is_plane(body: &Body) -> bool {
    body.shape.is_unbounded()
}

/// Separation along a unit vector from the first to the second. Infinite shapes have one only along their normal.
fn along(a: &Body, b: &Body, n: V) -> f64 {
    oracle::dot(n, delta(a, b)) - a.support(n) - b.support(n.map(|c| -c))
}

/// A lower bound of the separation, by random directions and a search around the best of them.
fn separation(rng: &mut Rng, a: &Body, b: &Body, known: &[V]) -> f64 {
    if is_plane(a) {
        return along(a, b, a.axis(1));
    }
    if is_plane(b) {
        return along(a, b, b.axis(1).map(|c| -c));
    }
    let mut best = (f64::MIN, [0.0; 3]);
    let mut consider = |n: V| {
        let n = n.map(|c| c / oracle::length(n));
        best = if along(a, b, n) > best.0 { (along(a, b, n), n) } else { best };
        best.1
    };
    let axes = (0..3).flat_map(|k| [a.axis(k), b.axis(k)]).flat_map(|n| [n, n.map(|c| -c)]);
    for n in axes.chain(known.iter().copied()) {
        consider(n);
    }
    let mut around = consider(delta(a, b).map(|c| c + 1e-12));
    (0..60).for_each(|_| around = consider(random_direction(rng)));
    let mut step = 0.3;
    while step > 1e-7 {
        let before = around;
        for _ in 0..8 {
            let by = random_direction(rng);
            around = consider(std::array::from_fn(|k| around[k] + step * by[k]));
        }
        step *= if around.map(f64::to_bits) == before.map(f64::to_bits) { 0.5 } else { 1.2 };
    }
    best.0
}

fn least(manifold: &Manifold) -> Option<f64> {
    manifold.points.iter().map(|point| metres(point.separation)).reduce(f64::min)
}

fn check(rng: &mut Rng, a: &Body, b: &Body) {
    let context = || format!("{a:?}\n{b:?}");
    let manifold = touch(a, b);
    let reach = 0.5;
    let found = gap(&a.posed(), &b.posed(), oracle::raw(reach));
    if is_plane(a) && is_plane(b) {
        assert!(manifold.points.is_empty() && found.is_none());
        return;
    }
    let normals = [found.map(|(n, _)| unit(n)), least(&manifold).map(|_| unit(manifold.normal))];
    let known: Vec<V> = normals.into_iter().flatten().collect();
    let expected = separation(rng, a, b, &known);
    let small = if is_plane(a) {
        b
    } else if is_plane(b) {
        a
    } else {
        [a, b][usize::from(a.radius() > b.radius())]
    };
    // Faces are preferred to directions that are a little better.
    let lean = 1.0 / 64.0 + 0.12 * small.radius();

    if let Some((normal, gap)) = found {
        let gap = metres(gap);
        assert!(
            gap <= expected.max(0.0) + TOLERANCE || gap <= expected + lean,
            "gap {gap} of {expected}: {}",
            context()
        );
        // A positive gap is proven by its direction.
        assert!(gap <= TOLERANCE || along(a, b, unit(normal)) >= gap - TOLERANCE, "{}", context());
        assert!(gap < reach + TOLERANCE, "gap {gap} beyond the reach: {}", context());
    } else {
        assert!(expected > reach - lean, "no gap, {expected}: {}", context());
    }

    match least(&manifold) {
        None => assert!(expected > -TOLERANCE, "no contact at {expected}: {}", context()),
        Some(least) => {
            assert!(expected < MARGIN + TOLERANCE, "contact at {expected}: {}", context());
            assert!((least - expected).abs() < lean, "{least} of {expected}: {}", context());
            let along = along(a, b, unit(manifold.normal));
            assert!(along > expected - lean, "{along} of {expected}: {}", context());
            assert!(least > along - TOLERANCE, "{least} below {along}: {}", context());
        }
    }

    let back = touch(b, a);
    if a.shape.kind() != b.shape.kind() {
        assert_eq!(manifold.points.len(), back.points.len());
        assert_eq!(manifold.normal, back.normal.map(|c| -c));
        let separations =
            |of: &Manifold| of.points.iter().map(|p| p.separation).collect::<Vec<_>>();
        assert_eq!(separations(&manifold), separations(&back));
    } else if let (Some(there), Some(back)) = (least(&manifold), least(&back)) {
        assert!(there > 0.0 || (there - back).abs() < 1.0 / 64.0, "{there}, {back}: {}", context());
    }
    let again = gap(&b.posed(), &a.posed(), oracle::raw(reach));
    assert_eq!(found.is_some(), again.is_some(), "{}", context());
}

#[test]
fn every_pair_of_kinds_matches_the_support_functions() {
    let mut rng = Rng::new(11);
    for (first, second) in Kind::ALL.into_iter().flat_map(|a| Kind::ALL.map(|b| (a, b))) {
        for _ in 0..CASES {
            let mut size = || 0.1 + 0.9 * fraction(&mut rng);
            let shapes = [first, second].map(|kind| oracle::sample(kind, &mut size));
            let a = Body::new(shapes[0], [0.0; 3], random_rotation(&mut rng));
            let b = Body::new(shapes[1], [0.0; 3], random_rotation(&mut rng));
            // Overlapping, near, or up to beyond the reach of a gap.
            let n = if is_plane(&a) {
                a.axis(1)
            } else if is_plane(&b) {
                b.axis(1).map(|c| -c)
            } else {
                random_direction(&mut rng)
            };
            let apart = [-0.05, 0.0, 0.7][rng.next_u32() as usize % 3] * fraction(&mut rng);
            let distance = a.support(n) + b.support(n.map(|c| -c)) + apart;
            check(&mut rng, &a, &b.moved(n.map(|c| c * distance)));
        }
    }
}

#[test]
fn only_infinite_shapes_have_no_radius() {
    for kind in Kind::ALL {
        let shape = oracle::sample(kind, &mut || 1.0);
        assert_eq!(shape.is_unbounded(), shape.extent() == Extent::Unbounded, "{kind:?}");
        assert_eq!(shape.is_unbounded(), shape.weigh(real(1.0)).is_none(), "{kind:?}");
    }
}

#[test]
fn contacts_of_round_surfaces_are_not_flat() {
    for (first, second) in Kind::ALL.into_iter().flat_map(|a| Kind::ALL.map(|b| (a, b))) {
        let [a, b] = [first, second].map(|kind| oracle::sample(kind, &mut || 1.0));
        let flat_kinds = [Kind::Cuboid, Kind::HalfSpace];
        // Two half spaces have no contacts.
        let expected = flat_kinds.contains(&first)
            && flat_kinds.contains(&second)
            && [first, second] != [Kind::HalfSpace; 2];
        assert_eq!(matches!(flat(&a, &b), Flat::Always), expected, "{first:?} and {second:?}");
        assert_eq!(flat(&a, &b).has_all([7].into_iter()), flat(&b, &a).has_all([7].into_iter()));
    }
}
