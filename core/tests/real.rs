//! `Real`: every operator against exact big-integer arithmetic, over the full range and its edges.

use crate::oracle::{self, any_real, of, rounded};
use isostep_core::{Real, real};
use proptest::prelude::*;

const MAX: Real = Real::MAX;
const MIN: Real = Real::MIN;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn sums_wrap_and_negation_is_a_difference(a in any_real(), b in any_real()) {
        let wrapped = |sum: i128| sum as i64;
        let (x, y) = (i128::from(a.to_bits()), i128::from(b.to_bits()));
        prop_assert_eq!((a + b).to_bits(), wrapped(x + y));
        prop_assert_eq!((a - b).to_bits(), wrapped(x - y));
        prop_assert_eq!(-a, Real::ZERO - a);
        prop_assert_eq!(a.checked_add(b).is_some(), wrapped(x + y) as i128 == x + y);
        prop_assert_eq!(a.checked_sub(b).is_some(), wrapped(x - y) as i128 == x - y);
    }

    #[test]
    fn products_round_to_nearest_and_saturate(a in any_real(), b in any_real()) {
        let product = oracle::mul(&of(a), &of(b));
        prop_assert_eq!((a * b).to_bits(), rounded(&product, 32));
        prop_assert_eq!(a.checked_mul(b).is_some(), fits(&(of(a) * of(b)), 192 + 192));
    }

    #[test]
    fn quotients_round_to_nearest_and_saturate(a in any_real(), b in any_real()) {
        prop_assume!(b != Real::ZERO);
        // Nearest with ties up is the floor of twice the quotient, plus one, halved: exact in
        // integers.
        let (x, y) = (i128::from(a.to_bits()) << 33, i128::from(b.to_bits()));
        let doubled = x.div_euclid(y) - i128::from(y < 0 && x.rem_euclid(y) != 0);
        let nearest = (doubled + 1) >> 1;
        let limited = nearest.clamp(i64::MIN.into(), i64::MAX.into());
        prop_assert_eq!(i128::from((a / b).to_bits()), limited);
        prop_assert_eq!(a.checked_div(b).is_some(), nearest == limited);
    }

    #[test]
    fn dividing_by_a_power_of_two_is_multiplying_by_its_reciprocal(a in any_real(), n in 0u32..31) {
        let power = Real::from_bits(1 << (32 + n));
        let reciprocal = Real::from_bits(1 << (32 - n));
        prop_assert_eq!(a / power, a * reciprocal);
    }

    #[test]
    fn whole_summands_are_exact_and_wrap(a in any_real(), n in any::<i32>()) {
        let (x, whole) = (i128::from(a.to_bits()), i128::from(n) << 32);
        prop_assert_eq!((a + n).to_bits(), (x + whole) as i64);
        prop_assert_eq!((a - n).to_bits(), (x - whole) as i64);
    }

    #[test]
    fn whole_factors_are_exact_and_saturate(a in any_real(), n in any::<i32>()) {
        prop_assert_eq!(a * n, a * Real::from_int(n));
        prop_assert_eq!(a / n, a / Real::from_int(n));
    }

    #[test]
    fn mul_add_rounds_once(a in any_real(), b in any_real(), c in any_real()) {
        let sum = of(a) * of(b) + (of(c) << oracle::PRECISION);
        prop_assert_eq!(a.mul_add(b, c).to_bits(), rounded(&(sum >> oracle::PRECISION), 32));
    }

    #[test]
    fn lerp_rounds_once_and_saturates(a in any_real(), b in any_real(), t in any_real()) {
        let sum = (of(b) - of(a)) * of(t) + (of(a) << oracle::PRECISION);
        prop_assert_eq!(a.lerp(b, t).to_bits(), rounded(&(sum >> oracle::PRECISION), 32));
    }

    #[test]
    fn sqrt_is_the_nearest_root(a in any_real()) {
        match a.sqrt() {
            None => prop_assert!(a < Real::ZERO),
            Some(root) => prop_assert_eq!(root.to_bits(), rounded(&oracle::sqrt(&of(a)), 32)),
        }
    }

    #[test]
    fn whole_parts_are_exact(a in any_real()) {
        let bits = i128::from(a.to_bits());
        let whole = |n: i128| (n << 32).min(i64::MAX.into()) as i64;
        prop_assert_eq!(a.floor().to_bits(), whole(bits >> 32));
        prop_assert_eq!(a.ceil().to_bits(), whole((bits + 0xffff_ffff) >> 32));
        prop_assert_eq!(a.round().to_bits(), whole((bits + 0x8000_0000) >> 32));
        prop_assert_eq!(a.floor() + a.fract(), a);
        prop_assert_eq!(Real::from_int(a.floor_to_int()), a.floor());
    }

    #[test]
    fn ratio_is_the_nearest_number(n in any::<i32>(), d in any::<i32>()) {
        prop_assert_eq!(Real::ratio(n, d), Real::from_int(n) / Real::from_int(d));
    }

    #[test]
    fn order_is_the_order_of_values(a in any_real(), b in any_real()) {
        prop_assert_eq!(a.cmp(&b), of(a).cmp(&of(b)));
        prop_assert_eq!(a.abs() >= Real::ZERO, true);
        prop_assert_eq!(a.signum(), Real::from_int(i32::from(a > Real::ZERO) - i32::from(a < Real::ZERO)));
    }
}

/// Returns `true` if a product of two raw numbers, both scaled by 2^192 / 2^32, rounds into the
/// range.
fn fits(product: &num_bigint::BigInt, frac: u32) -> bool {
    let shift = frac - 32;
    let nearest: num_bigint::BigInt =
        (product + (num_bigint::BigInt::from(1) << (shift - 1))) >> shift;
    i64::try_from(nearest).is_ok()
}

#[test]
fn division_by_zero_saturates_by_sign() {
    assert_eq!(Real::ONE / Real::ZERO, MAX);
    assert_eq!(-Real::EPSILON / Real::ZERO, MIN);
    assert_eq!(Real::ZERO / Real::ZERO, Real::ZERO);
    assert_eq!(Real::ONE.checked_div(Real::ZERO), None);
    assert_eq!(Real::ZERO.recip(), MAX);
    assert_eq!(const { Real::ratio(-1, 0) }, MIN);
}

#[test]
fn the_edges_of_the_range_are_as_documented() {
    assert_eq!(MAX + Real::EPSILON, MIN);
    assert_eq!(MIN - Real::EPSILON, MAX);
    assert_eq!(-MIN, MIN);
    assert_eq!(MIN.abs(), MAX);
    assert_eq!(MIN * MIN, MAX);
    assert_eq!(MIN * MAX, MIN);
    assert_eq!(MIN / -Real::ONE, MAX);
    assert_eq!(MAX / Real::EPSILON, MAX);
    assert_eq!(MAX.ceil(), MAX);
    assert_eq!(MAX.round(), MAX);
    assert_eq!(MIN.floor(), MIN);
    assert_eq!(MIN.saturating_sub(Real::ONE), MIN);
    assert_eq!(MAX.saturating_add(Real::ONE), MAX);
    assert_eq!(MIN.lerp(MAX, MIN), MIN);
    assert_eq!(MAX.lerp(MIN, MIN), MAX);
}

#[test]
fn the_largest_whole_number_is_not_past_the_range() {
    let largest = Real::from_int(i32::MAX);
    assert_eq!(largest.ceil(), largest);
    assert_eq!((largest + Real::EPSILON).ceil(), MAX);
    assert_eq!((largest + Real::HALF - Real::EPSILON).round(), largest);
    assert_eq!((largest + Real::HALF).round(), MAX);
}

#[test]
fn ties_go_up() {
    assert_eq!(Real::EPSILON * Real::HALF, Real::EPSILON);
    assert_eq!(-Real::EPSILON * Real::HALF, Real::ZERO);
    assert_eq!(Real::EPSILON / real!(2), Real::EPSILON);
    assert_eq!(-Real::EPSILON / real!(2), Real::ZERO);
    assert_eq!(real!(2.5).round(), real!(3));
    assert_eq!(real!(-2.5).round(), real!(-2));
}

#[test]
fn constants_are_the_nearest_numbers() {
    let pi = oracle::pi();
    assert_eq!(Real::PI.to_bits(), rounded(&pi, 32));
    assert_eq!(Real::TAU.to_bits(), rounded(&(&pi * 2), 32));
    assert_eq!(Real::FRAC_PI_2.to_bits(), rounded(&(&pi / 2), 32));
}

#[test]
fn sums_of_iterators_wrap_like_sums() {
    let terms = [MAX, MAX, Real::from_bits(2)];
    assert_eq!(terms.into_iter().sum::<Real>(), Real::ZERO);
}
