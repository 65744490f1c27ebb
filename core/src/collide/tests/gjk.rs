//! Exact distances against complete conditions in big integers: the reported point is in the hull of the simplex, and no Minkowski point lies
//! before the plane through it. For sets that touch, the origin is in the hull of the reported points.

use crate::collide::gjk::{BITS, Distance, Minkowski, distance};
use crate::data::Rng;
use num_bigint::BigInt;

type Point = [i32; 3];
type Big = [BigInt; 3];

fn big(p: [i64; 3]) -> Big {
    p.map(BigInt::from)
}

fn dot(a: &Big, b: &Big) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &Big, b: &Big) -> Big {
    [&a[1] * &b[2] - &a[2] * &b[1], &a[2] * &b[0] - &a[0] * &b[2], &a[0] * &b[1] - &a[1] * &b[0]]
}

fn sub(a: &Big, b: &Big) -> Big {
    [&a[0] - &b[0], &a[1] - &b[1], &a[2] - &b[2]]
}

/// Whether the origin lies in the hull of one to four points.
fn contains_origin(points: &[Big]) -> bool {
    let zero = BigInt::from(0);
    match points {
        [p] => p.iter().all(|c| *c == zero),
        [p, q] => cross(p, q).iter().all(|c| *c == zero) && dot(p, q) <= zero,
        [p, q, r] => {
            let n = cross(&sub(q, p), &sub(r, p));
            let sides = [dot(&n, &cross(p, q)), dot(&n, &cross(q, r)), dot(&n, &cross(r, p))];
            dot(&n, p) == zero
                && n != [zero.clone(), zero.clone(), zero.clone()]
                && sides.iter().all(|s| *s >= zero)
        }
        [p, q, r, s] => {
            let det = |a: &Big, b: &Big, c: &Big| dot(a, &cross(b, c));
            let whole = det(&sub(q, p), &sub(r, p), &sub(s, p));
            // Signed volumes of the tetrahedra of the origin and a face.
            let parts = [det(q, r, s), -det(p, r, s), det(p, q, s), -det(p, q, r)];
            let sum: BigInt = parts.iter().sum();
            assert_eq!(sum, whole);
            whole != zero && (parts.iter().all(|v| *v >= zero) || parts.iter().all(|v| *v <= zero))
        }
        _ => false,
    }
}

fn check(a: &[Point], b: &[Point]) -> bool {
    let context = || format!("{a:?}\n{b:?}");
    let named = |m: &Minkowski| {
        let (p, q) = (a[usize::from(m.places[0])], b[usize::from(m.places[1])]);
        let at = [0, 1, 2].map(|k| i64::from(q[k]) - i64::from(p[k]));
        assert_eq!(at, m.at, "{}", context());
        big(at)
    };
    match distance(a, b) {
        Distance::Touching(simplex) => {
            let points: Vec<Big> = simplex.iter().map(named).collect();
            assert!(contains_origin(&points), "{}", context());
            false
        }
        Distance::Apart(closest) => {
            let points: Vec<Big> = closest.simplex.iter().map(named).collect();
            assert!(matches!(points.len(), 1..=3));
            let direction = closest.direction.map(BigInt::from);
            // v · whole is the mean of the points, and parallel to the direction.
            let weights = &closest.weights[..points.len()];
            assert!(weights.iter().all(|weight| *weight > 0), "{}", context());
            let mut mean = [0, 1, 2].map(|_| BigInt::from(0));
            for (point, weight) in points.iter().zip(weights) {
                (0..3).for_each(|k| mean[k] += &point[k] * BigInt::from(*weight));
            }
            let zero = BigInt::from(0);
            assert!(cross(&mean, &direction).iter().all(|c| *c == zero), "{}", context());
            assert!(dot(&mean, &direction) > zero, "{}", context());
            // v · w ≥ v · v for every pair.
            let whole: BigInt = weights.iter().map(|weight| BigInt::from(*weight)).sum();
            let square = dot(&mean, &mean);
            for p in a {
                for q in b {
                    let w = big([0, 1, 2].map(|k| i64::from(q[k]) - i64::from(p[k])));
                    assert!(dot(&mean, &w) * &whole >= square, "{}", context());
                }
            }
            true
        }
    }
}

/// Sets of a few points: on a small grid, where most are degenerate, on a large one, flat, or in a line.
fn points(rng: &mut Rng) -> Vec<Point> {
    let count = 1 + rng.next_u32() as usize % 9;
    let size = [2, 3, 5, 100, 1 << 12, (1 << BITS) - 1][rng.next_u32() as usize % 6];
    let mut number = |size: i32| (rng.next_u32() % (2 * size as u32 + 1)) as i32 - size;
    let center = [0; 3].map(|_| number(((1 << BITS) - 1 - size).min(size / 3)));
    let flat = number(4);
    (0..count)
        .map(|_| {
            let by = [0, 1, 2].map(|k| if k < flat { 0 } else { number(size) });
            [0, 1, 2].map(|k| center[k] + by[k])
        })
        .collect()
}

fn run(cases: usize, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut apart = 0;
    for _ in 0..cases {
        let (a, b) = (points(&mut rng), points(&mut rng));
        apart += usize::from(check(&a, &b));
        check(&b, &a);
    }
    assert!((cases / 10..9 * cases / 10).contains(&apart), "{apart} of {cases} are apart");
}

#[test]
fn distances_are_exact() {
    run(20_000, 1);
}

/// Minutes of pairs: `cargo test --release -p isostep-core --lib collide::tests::gjk -- --ignored`.
#[test]
#[ignore = "10⁷ pairs take minutes: `cargo test --release -p isostep-core --lib soak -- --ignored`, after a change of collide/gjk.rs"]
fn distances_are_exact_in_a_soak() {
    (0..20).for_each(|seed| run(500_000, 1000 + seed));
}

#[test]
fn extreme_coordinates_fit() {
    let end = (1 << BITS) - 1;
    let corner = |bits: i32| [0, 1, 2].map(|k| if bits >> k & 1 == 1 { end } else { -end });
    let cube: Vec<Point> = (0..8).map(corner).collect();
    assert!(!check(&cube, &cube));
    for bits in 0..8 {
        for other in 0..8 {
            assert_eq!(check(&[corner(bits)], &[corner(other)]), bits != other);
            let near = [0, 1, 2].map(|k| corner(other)[k] - (k as i32));
            check(&[corner(bits), corner(7 - bits)], &[corner(other), near]);
            check(&cube[..4], &[corner(other), near, corner(bits)]);
        }
    }
}
