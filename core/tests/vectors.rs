//! Vectors, rotations, matrices and boxes: products against exact integers, and algebraic
//! identities.

use crate::oracle::{self, any_real, any_vec3, of, rounded};
use isostep_core::internals::{Aabb, Mat3, Sym3};
use isostep_core::math::{NotUnit, ZeroLength};
use isostep_core::{Quat, Real, Rng, Transform, Vec3, real};
use num_bigint::BigInt;
use proptest::prelude::*;

fn any_rotation() -> impl Strategy<Value = Quat> {
    any::<u64>().prop_map(random_rotation)
}

fn random_rotation(seed: u64) -> Quat {
    let mut rng = Rng::new(seed);
    let mut part = || Real::from_bits(rng.next_u64() as i64 >> 24);
    Quat::from_xyzw(part(), part(), part(), part()).unwrap_or_default()
}

/// Points of a large world.
fn any_point() -> impl Strategy<Value = Vec3> {
    let c = || -1i64 << 61..1i64 << 61;
    [c(), c(), c()].prop_map(Vec3::from_bits)
}

/// Matrix entries of ordinary size.
fn small_vec3() -> impl Strategy<Value = Vec3> {
    let c = || -1i64 << 38..1i64 << 38;
    [c(), c(), c()].prop_map(Vec3::from_bits)
}

fn ulps(a: Vec3, b: Vec3) -> u64 {
    let pairs = a.to_bits().into_iter().zip(b.to_bits());
    pairs.map(|(p, q)| p.abs_diff(q)).max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn dot_rounds_once_and_saturates(a in any_vec3(), b in any_vec3()) {
        let pairs = a.to_array().into_iter().zip(b.to_array());
        let sum: BigInt = pairs.map(|(p, q)| of(p) * of(q)).sum();
        prop_assert_eq!(a.dot(b).to_bits(), rounded(&(sum >> oracle::PRECISION), 32));
    }

    #[test]
    fn cross_rounds_once_and_saturates(a in any_vec3(), b in any_vec3()) {
        let det = |p, q, r, s| rounded(&((of(p) * of(q) - of(r) * of(s)) >> oracle::PRECISION), 32);
        let expected = Vec3::from_bits([
            det(a.y, b.z, a.z, b.y),
            det(a.z, b.x, a.x, b.z),
            det(a.x, b.y, a.y, b.x),
        ]);
        prop_assert_eq!(a.cross(b), expected);
    }

    #[test]
    fn distance_saturates_where_the_difference_would_wrap(a in any_vec3(), b in any_vec3()) {
        let pairs = a.to_array().into_iter().zip(b.to_array());
        let sum: BigInt = pairs.map(|(p, q)| (of(p) - of(q)).pow(2)).sum();
        prop_assert_eq!(a.distance(b).to_bits(), rounded(&sum.sqrt(), 32));
    }

    #[test]
    fn rotation_rounds_once(q in any_rotation(), v in any_vec3()) {
        let [x, y, z, w] = q.to_bits().map(BigInt::from);
        let one = BigInt::from(1u64 << 60);
        let rows: [[BigInt; 3]; 3] = [
            [&one - (&y * &y + &z * &z) * 2, (&x * &y - &w * &z) * 2, (&x * &z + &w * &y) * 2],
            [(&x * &y + &w * &z) * 2, &one - (&x * &x + &z * &z) * 2, (&y * &z - &w * &x) * 2],
            [(&x * &z - &w * &y) * 2, (&y * &z + &w * &x) * 2, &one - (&x * &x + &y * &y) * 2],
        ];
        let expected = rows.map(|row| {
            let sum: BigInt = row.iter().zip(v.to_bits()).map(|(r, c)| r * c).sum();
            rounded(&oracle::exact(sum, 92), 32)
        });
        prop_assert_eq!(q.rotate(v).to_bits(), expected);
    }

    #[test]
    fn rotate_inverse_undoes_rotate(q in any_rotation(), v in any_point()) {
        // A component with a precision of 2⁻³⁰ times a coordinate of up to 2²⁹ m.
        let slack = (v.length().to_bits() >> 26).unsigned_abs() + 2;
        prop_assert!(ulps(q.rotate_inverse(q.rotate(v)), v) <= slack);
    }

    #[test]
    fn products_of_rotations_turn_in_order(a in any_rotation(), b in any_rotation(), v in small_vec3()) {
        let slack = (v.length().to_bits() >> 26).unsigned_abs() + 2;
        prop_assert!(ulps((a * b).rotate(v), a.rotate(b.rotate(v))) <= slack);
    }

    #[test]
    fn the_shortest_arc_turns_one_direction_into_the_other(a in any_vec3(), b in any_vec3()) {
        prop_assume!(!a.is_zero() && !b.is_zero());
        let (from, to) = (a.normalize().unwrap(), b.normalize().unwrap());
        let turned = Quat::from_rotation_arc(a, b).unwrap().rotate(from);
        prop_assert!(ulps(turned, to) <= 32, "{:?} became {:?}, not {:?}", from, turned, to);
    }

    #[test]
    fn the_shortest_arc_holds_near_opposite_directions(a in small_vec3(), off in [-64i64..64, -64..64, -64..64]) {
        prop_assume!(!a.is_zero());
        let from = a.normalize().unwrap();
        let to = (-from + Vec3::from_bits(off)).normalize().unwrap();
        let turned = Quat::from_rotation_arc(from, to).unwrap().rotate(from);
        prop_assert!(ulps(turned, to) <= 32);
    }

    #[test]
    fn raw_quaternions_are_checked(bits in any::<[i32; 4]>()) {
        let norm: i128 = bits.iter().map(|c| i128::from(*c).pow(2)).sum();
        let unit = (norm - (1 << 60)).abs() <= 1 << 32;
        prop_assert_eq!(Quat::from_bits(bits).is_ok(), unit);
    }

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity(a in small_vec3(), b in small_vec3(), c in small_vec3(), v in small_vec3()) {
        let matrix = Mat3::from_rows([a, b, c]);
        // Ill-conditioned matrices lose precision in any arithmetic and are skipped.
        prop_assume!(matrix.determinant().abs() > real!(1000));
        let inverse = matrix.inverse().expect("the determinant is not zero");
        let back = inverse * (matrix * v);
        prop_assert!(ulps(back, v) < 1 << 22, "{:?} came back as {:?}", v, back);
    }

    #[test]
    fn symmetric_and_general_inverses_agree(d in small_vec3(), o in small_vec3()) {
        let symmetric = Sym3 { diagonal: d, off: o };
        let general = symmetric.to_mat3().inverse();
        prop_assert_eq!(symmetric.inverse().map(Sym3::to_mat3), general);
    }

    #[test]
    fn determinants_of_small_matrices_round_once(a in small_vec3(), b in small_vec3(), c in small_vec3()) {
        let exact = of(a.x) * (of(b.y) * of(c.z) - of(b.z) * of(c.y))
            - of(a.y) * (of(b.x) * of(c.z) - of(b.z) * of(c.x))
            + of(a.z) * (of(b.x) * of(c.y) - of(b.y) * of(c.x));
        let exact = exact >> (2 * oracle::PRECISION);
        // Entries are below 2⁶ and have 38 bits: nothing is lost before the last rounding.
        let got = Mat3::from_rows([a, b, c]).determinant();
        prop_assert!(oracle::milli_ulps(got.to_bits(), 32, &exact) <= 500);
    }

    #[test]
    fn matrices_of_any_size_give_a_value_or_none(rows in [any_vec3(), any_vec3(), any_vec3()], q in any_rotation()) {
        // Tests that no operation overflows; debug assertions are on.
        let matrix = Mat3::from_rows(rows);
        prop_assert_eq!((matrix * Mat3::IDENTITY).determinant(), matrix.determinant());
        if let Some(inverse) = matrix.inverse() {
            prop_assert!(inverse != Mat3::ZERO || rows.iter().any(|row| row.length() > Real::ONE));
        }
        let symmetric = Sym3 { diagonal: rows[0], off: rows[1] };
        prop_assert_eq!(symmetric.rotated(Quat::IDENTITY), symmetric);
        let _ = (symmetric.inverse(), symmetric.rotated(q));
    }

    #[test]
    fn transforms_compose_and_invert(p in any_rotation(), q in any_rotation(), t in small_vec3(), u in small_vec3(), v in small_vec3()) {
        let (a, b) = (Transform::new(t, p), Transform::new(u, q));
        prop_assert!(ulps((a * b).point(v), a.point(b.point(v))) <= 1 << 12);
        prop_assert!(ulps(a.point_inverse(a.point(v)), v) <= 1 << 12);
        prop_assert!(ulps(a.inverse().point(a.point(v)), v) <= 1 << 13);
    }

    #[test]
    fn boxes_overlap_as_intervals_do(a in any_vec3(), b in any_vec3(), c in any_vec3(), d in any_vec3()) {
        let (p, q) = (Aabb::around([a, b]).unwrap(), Aabb::around([c, d]).unwrap());
        let shares = (0..3).all(|i| {
            let [a, b, c, d] = [a, b, c, d].map(|v| v.to_bits()[i]);
            a.min(b).max(c.min(d)) <= a.max(b).min(c.max(d))
        });
        prop_assert_eq!(p.overlaps(&q), shares);
        prop_assert_eq!(p.intersection(&q).is_some(), shares);
        prop_assert!(p.union(&q).encloses(&p) && p.union(&q).encloses(&q));
        prop_assert!(p.contains(p.center()));
    }

    #[test]
    fn inflated_and_swept_boxes_enclose_their_contents(a in any_vec3(), b in any_vec3(), m in any_real(), v in any_vec3()) {
        let aabb = Aabb::around([a, b]).unwrap();
        prop_assert!(aabb.inflate(m).encloses(&aabb));
        let swept = aabb.sweep(v);
        prop_assert!(swept.encloses(&aabb));
        prop_assert!(swept.contains(a.zip(v, Real::saturating_add)));
    }

    #[test]
    fn a_transformed_box_encloses_its_transformed_corners(a in small_vec3(), b in small_vec3(), t in any_point(), q in any_rotation()) {
        let aabb = Aabb::around([a, b]).unwrap();
        let motion = Transform::new(t, q);
        let moved = aabb.transformed(&motion);
        prop_assert!(moved.contains(motion.point(aabb.min())) && moved.contains(motion.point(aabb.max())));
    }
}

#[test]
fn a_dot_product_just_past_128_bits_keeps_its_sign() {
    // (2⁶³ − 1)² twice, and 2⁶⁵ − 1 in two factors: 2¹²⁷ + 1, which wraps, though quarters of the three
    // products, each rounded down, add up to less than 2¹²⁵.
    let a = Vec3::from_bits([i64::MAX, i64::MAX, 253_921]);
    let b = Vec3::from_bits([i64::MAX, i64::MAX, 145_295_143_558_111]);
    assert_eq!(a.dot(b), Real::MAX);
    assert_eq!((-a).dot(b), Real::MIN);
    assert_eq!(Vec3::splat(Real::MIN).dot(Vec3::splat(Real::MIN)), Real::MAX);
    assert_eq!(Vec3::splat(Real::MIN).dot(Vec3::splat(Real::MAX)), Real::MIN);
}

#[test]
fn a_box_moved_past_the_range_stays_at_its_edge() {
    let aabb = Aabb::new(Vec3::ZERO, Vec3::splat(Real::MAX)).unwrap();
    let moved = aabb.transformed(&Transform::at(Vec3::ONE));
    assert_eq!((moved.min(), moved.max()), (Vec3::ONE, Vec3::splat(Real::MAX)));
}

#[test]
fn determinants_of_large_matrices_keep_to_their_bound() {
    // A singular matrix of entries of 2¹⁸. Each entry is changed in the direction of its cofactor
    // by the amount that scaling to 41 bits rounds away.
    let (one, cofactors) = (1i128 << 50, [[-1i128, 0, 1], [-1, 0, 1], [2, 0, -2]]);
    let pattern = [[1, 1, 1], [1, -1, 1], [1, 0, 1]];
    let e =
        [0, 1, 2].map(|i| [0, 1, 2].map(|j| pattern[i][j] * one + cofactors[i][j].signum() * 511));
    let minor = |p: usize, q: usize| e[1][p] * e[2][q] - e[1][q] * e[2][p];
    let exact: BigInt =
        (0..3).map(|j| BigInt::from(e[0][j]) * minor((j + 1) % 3, (j + 2) % 3)).sum();
    let matrix = Mat3::from_rows(e.map(|row| Vec3::from_bits(row.map(|c| c as i64))));
    let error = exact - (BigInt::from(matrix.determinant().to_bits()) << 64);
    assert!(error > BigInt::from(1) << (3 * 50 - 39), "this is the hard case: {error}");
    assert!(error <= BigInt::from(1) << (3 * 50 - 37), "{error}");
}

#[test]
fn a_million_turns_stay_on_the_unit_sphere() {
    let step = Quat::from_rotation_vector(Vec3::new(real!(0.125), real!(-0.25), real!(0.0625)));
    let mut q = Quat::IDENTITY;
    for _ in 0..1_000_000 {
        q *= step;
    }
    assert!(Quat::from_bits(q.to_bits()).is_ok());
}

#[test]
fn small_turns_add_up_to_a_large_one() {
    // A thousandth of a half turn is not a multiple of 2⁻³⁰: each step may be off by an ulp of the
    // component, and a thousand of them by a thousand.
    let step = Quat::from_axis_angle(Vec3::Y, Real::PI / real!(1000)).unwrap();
    let half_turn = (0..1000).fold(Quat::IDENTITY, |q, _| q * step);
    assert!(ulps(half_turn.rotate(Vec3::X), -Vec3::X) < 1 << 14);
}

#[test]
fn nlerp_takes_the_shorter_arc() {
    let quarter = Quat::from_axis_angle(Vec3::Z, Real::FRAC_PI_2).unwrap();
    let eighth = Quat::from_axis_angle(Vec3::Z, Real::FRAC_PI_2 / real!(2)).unwrap();
    let far = Quat::from_bits(quarter.to_bits().map(|c| -c)).unwrap();
    for target in [quarter, far] {
        let middle = Quat::IDENTITY.nlerp(target, Real::HALF);
        assert!(ulps(middle.rotate(Vec3::X), eighth.rotate(Vec3::X)) < 32);
    }
}

#[test]
fn zero_vectors_have_no_direction() {
    assert_eq!(Vec3::ZERO.normalize(), Err(ZeroLength));
    assert_eq!(Vec3::ZERO.normalize_or(Vec3::Y), Vec3::Y);
    assert_eq!(Quat::from_axis_angle(Vec3::ZERO, Real::ONE), Err(ZeroLength));
    assert_eq!(Quat::from_rotation_arc(Vec3::ZERO, Vec3::X), Err(ZeroLength));
    let zero = Real::ZERO;
    assert_eq!(Quat::from_xyzw(zero, zero, zero, zero), Err(ZeroLength));
    assert_eq!(Quat::from_bits([0, 0, 0, 1]), Err(NotUnit));
}

#[test]
fn singular_matrices_and_inverted_boxes_are_refused() {
    assert_eq!(Mat3::ZERO.inverse(), None);
    assert_eq!(Mat3::from_rows([Vec3::X, Vec3::X, Vec3::Z]).inverse(), None);
    assert_eq!(Sym3::diagonal(Vec3::splat(Real::EPSILON)).inverse(), None);
    assert!(Aabb::new(Vec3::X, Vec3::ZERO).is_err());
    assert!(Aabb::from_center(Vec3::ZERO, -Vec3::ONE).is_err());
    assert_eq!(Aabb::around([]), None);
}

#[test]
fn inverses_keep_precision_for_heavy_and_light_bodies() {
    for shift in [2, 20, 32, 40, 50, 60] {
        let matrix = Sym3::diagonal(Vec3::splat(Real::from_bits(1 << shift)));
        let expected = Real::ONE.checked_div(Real::from_bits(1 << shift));
        assert_eq!(matrix.inverse(), expected.map(|e| Sym3::diagonal(Vec3::splat(e))));
    }
}

#[test]
fn a_turned_inertia_tensor_is_the_tensor_of_the_turned_body() {
    let tensor = Sym3::diagonal(Vec3::from_ints(1, 2, 3));
    let quarter = Quat::from_axis_angle(Vec3::Z, Real::FRAC_PI_2).unwrap();
    let turned = tensor.rotated(quarter);
    assert!(ulps(turned.diagonal, Vec3::from_ints(2, 1, 3)) < 64);
    assert!(ulps(turned.off, Vec3::ZERO) < 64);
}
