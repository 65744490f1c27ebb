//! Error bounds stated in the docs, measured against big-integer series.

use crate::oracle::{self, any_real, any_vec3, milli_ulps, of};
use isostep_core::{Quat, Real, Vec3};
use proptest::prelude::*;

/// Documented bound for angles and unit vectors, in thousandths of an ulp.
const BOUND: u64 = 510;
const FRAC: u32 = 32;
/// Fractional bits of a quaternion's components.
const UNIT: u32 = 30;

fn minus_one_to_one() -> impl Strategy<Value = Real> {
    let one = 1i64 << 32;
    prop_oneof![
        (-one..=one).prop_map(Real::from_bits),
        (0..1i64 << 20).prop_map(move |below| Real::from_bits(one - below)),
        (0..1i64 << 20).prop_map(move |above| Real::from_bits(above - one)),
        (-4096i64..4096).prop_map(Real::from_bits),
    ]
}

/// Mostly angles that occur in games, and some that do not.
fn any_angle() -> impl Strategy<Value = Real> {
    prop_oneof![(-1i64 << 36..1i64 << 36).prop_map(Real::from_bits), any_real()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn sine_and_cosine_are_within_their_bound(angle in any_angle()) {
        let (sin, cos) = angle.sin_cos();
        let (exact_sin, exact_cos) = oracle::sin_cos(&of(angle));
        prop_assert!(milli_ulps(sin.to_bits(), FRAC, &exact_sin) <= BOUND);
        prop_assert!(milli_ulps(cos.to_bits(), FRAC, &exact_cos) <= BOUND);
        prop_assert_eq!((angle.sin(), angle.cos()), (sin, cos));
    }

    #[test]
    fn sine_is_odd_and_cosine_is_even(angle in any_angle()) {
        prop_assume!(angle != Real::MIN);
        prop_assert_eq!((-angle).sin(), -angle.sin());
        prop_assert_eq!((-angle).cos(), angle.cos());
    }

    #[test]
    fn atan2_is_within_its_bound(y in any_real(), x in any_real()) {
        prop_assume!(x != Real::ZERO || y != Real::ZERO);
        let angle = y.atan2(x);
        prop_assert!(milli_ulps(angle.to_bits(), FRAC, &oracle::atan2(&of(y), &of(x))) <= BOUND);
        if y != Real::MIN && y != Real::ZERO {
            prop_assert_eq!((-y).atan2(x), -angle);
        }
    }

    #[test]
    fn acos_and_asin_are_within_their_bound(x in minus_one_to_one()) {
        let across = oracle::sqrt(&(oracle::one() - oracle::mul(&of(x), &of(x))));
        let acos = x.acos().expect("within -1 to 1");
        let asin = x.asin().expect("within -1 to 1");
        prop_assert!(milli_ulps(acos.to_bits(), FRAC, &oracle::atan2(&across, &of(x))) <= BOUND);
        prop_assert!(milli_ulps(asin.to_bits(), FRAC, &oracle::atan2(&of(x), &across)) <= BOUND);
    }

    #[test]
    fn acos_and_asin_refuse_values_out_of_range(x in any_real()) {
        let has_angle = (-Real::ONE..=Real::ONE).contains(&x);
        prop_assert_eq!(x.acos().is_some(), has_angle);
        prop_assert_eq!(x.asin().is_some(), has_angle);
    }

    #[test]
    fn length_is_the_nearest_number(v in any_vec3()) {
        let square = v.to_array().iter().map(|c| of(*c) * of(*c)).sum::<num_bigint::BigInt>();
        prop_assert_eq!(v.length().to_bits(), oracle::rounded(&square.sqrt(), FRAC));
    }

    #[test]
    fn directions_are_within_their_bound(v in any_vec3()) {
        prop_assume!(!v.is_zero());
        let length = v.to_array().iter().map(|c| of(*c) * of(*c)).sum::<num_bigint::BigInt>().sqrt();
        let direction = v.normalize().expect("not zero");
        for (got, c) in direction.to_array().iter().zip(v.to_array()) {
            prop_assert!(milli_ulps(got.to_bits(), FRAC, &oracle::div(&of(c), &length)) <= BOUND);
        }
    }

    #[test]
    fn the_exponential_map_is_within_its_bound(v in any_vec3()) {
        let length = v.to_array().iter().map(|c| of(*c) * of(*c)).sum::<num_bigint::BigInt>().sqrt();
        let (sin, cos) = oracle::sin_cos(&(&length / 2));
        let q = Quat::from_rotation_vector(v).to_bits();
        prop_assert!(milli_ulps(q[3].into(), UNIT, &cos) <= 1000);
        for (got, c) in q.iter().zip(v.to_array()) {
            let part = if v.is_zero() { of(c) } else { oracle::div(&oracle::mul(&of(c), &sin), &length) };
            prop_assert!(milli_ulps(i64::from(*got), UNIT, &part) <= 1000);
        }
    }

    #[test]
    fn axis_and_angle_are_within_their_bound(axis in any_vec3(), angle in any_angle()) {
        prop_assume!(!axis.is_zero());
        let length = axis.to_array().iter().map(|c| of(*c) * of(*c)).sum::<num_bigint::BigInt>().sqrt();
        let (sin, cos) = oracle::sin_cos(&(of(angle) / 2));
        let q = Quat::from_axis_angle(axis, angle).expect("not zero").to_bits();
        prop_assert!(milli_ulps(q[3].into(), UNIT, &cos) <= 1000);
        for (got, c) in q.iter().zip(axis.to_array()) {
            let part = oracle::div(&oracle::mul(&of(c), &sin), &length);
            prop_assert!(milli_ulps(i64::from(*got), UNIT, &part) <= 1000);
        }
    }

    #[test]
    fn the_logarithm_is_within_its_bound(v in any_vec3()) {
        let q = Quat::from_rotation_vector(v);
        let [x, y, z, w] = q.to_bits().map(|c| oracle::exact(c, UNIT));
        let square: num_bigint::BigInt = [&x, &y, &z].iter().map(|c| *c * *c).sum();
        let length = square.sqrt();
        let zero = num_bigint::BigInt::ZERO;
        if length == zero {
            prop_assert_eq!(q.to_rotation_vector(), Vec3::ZERO);
        } else {
            let sign = if oracle::is_negative(&w) { -1 } else { 1 };
            let angle = oracle::atan2(&length, &oracle::abs(&w)) * 2 * sign;
            for (got, c) in q.to_rotation_vector().to_array().iter().zip([x, y, z]) {
                let part = oracle::div(&oracle::mul(&c, &angle), &length);
                prop_assert!(milli_ulps(got.to_bits(), FRAC, &part) <= BOUND);
            }
        }
    }
}

#[test]
fn landmarks_are_exact() {
    assert_eq!(Real::ZERO.sin_cos(), (Real::ZERO, Real::ONE));
    assert_eq!(Real::PI.cos(), -Real::ONE);
    assert_eq!(Real::FRAC_PI_2.sin(), Real::ONE);
    assert_eq!(Real::ZERO.atan2(Real::ONE), Real::ZERO);
    assert_eq!(Real::ZERO.atan2(-Real::ONE), Real::PI);
    assert_eq!(Real::EPSILON.atan2(Real::ZERO), Real::FRAC_PI_2);
    assert_eq!((-Real::EPSILON).atan2(Real::ZERO), -Real::FRAC_PI_2);
    assert_eq!(Real::ZERO.atan2(Real::ZERO), Real::ZERO);
    assert_eq!(Real::MIN.atan2(Real::MIN).to_bits(), oracle::rounded(&(oracle::pi() * -3 / 4), 32));
    assert_eq!(Real::ONE.acos(), Some(Real::ZERO));
    assert_eq!((-Real::ONE).acos(), Some(Real::PI));
    assert_eq!(Real::ONE.asin(), Some(Real::FRAC_PI_2));
    assert_eq!(Vec3::splat(Real::MIN).length(), Real::MAX);
    assert_eq!(Vec3::X * Real::EPSILON, Vec3::new(Real::EPSILON, Real::ZERO, Real::ZERO));
    assert_eq!((Vec3::X * Real::EPSILON).normalize(), Ok(Vec3::X));
}
