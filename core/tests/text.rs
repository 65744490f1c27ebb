//! Conversions at the boundary: text, serde and floats convert exactly or give an error.
#![allow(
    clippy::disallowed_types,
    clippy::float_cmp,
    reason = "float conversions are under test, and exact"
)]

use crate::oracle::{self, any_real, any_vec3};
use isostep_core::internals::Aabb;
use isostep_core::math::{FloatError, ParseRealError};
use isostep_core::{Quat, Real, Vec3, real};
use num_bigint::BigInt;
use proptest::prelude::*;

/// A decimal number as text and its exact value with the oracle's precision.
fn any_decimal() -> impl Strategy<Value = (String, BigInt)> {
    ("-?[0-9]{1,9}", "[0-9]{1,40}").prop_map(|(whole, fraction)| {
        let digits: BigInt =
            format!("{}{fraction}", whole.trim_start_matches('-')).parse().unwrap();
        let scale = BigInt::from(10).pow(fraction.len() as u32);
        let magnitude = (digits << oracle::PRECISION) / scale;
        let value = if whole.starts_with('-') { -magnitude } else { magnitude };
        (format!("{whole}.{fraction}"), value)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn text_parses_to_the_nearest_number((text, value) in any_decimal()) {
        let parsed: Real = text.parse().unwrap();
        prop_assert!(oracle::milli_ulps(parsed.to_bits(), 32, &value) <= 501);
    }

    #[test]
    fn printed_numbers_parse_back(a in any_real()) {
        prop_assert_eq!(a.to_string().parse(), Ok(a));
        prop_assert_eq!(format!("{a:.32}").parse(), Ok(a));
    }

    #[test]
    fn printed_text_is_the_shortest(a in any_real()) {
        let text = a.to_string();
        if let Some((whole, fraction)) = text.split_once('.') {
            for places in 0..fraction.len() {
                prop_assert_ne!(format!("{a:.places$}").parse(), Ok(a));
            }
            prop_assert!(fraction.len() <= 10 && !whole.is_empty());
        }
    }

    #[test]
    fn places_round_the_exact_value(a in any_real(), places in 0usize..40) {
        let text = format!("{a:.places$}");
        let shown: BigInt = text.replace('.', "").parse().unwrap();
        let scale = BigInt::from(10).pow(places as u32);
        // |shown/scale − a| ≤ 1/(2·scale), without a division.
        let distance = oracle::abs(&((shown << 33u32) - BigInt::from(a.to_bits()) * &scale * 2));
        prop_assert!(distance <= BigInt::from(1u64 << 32), "{} is shown as {}", a.to_bits(), text);
    }

    #[test]
    fn any_text_gives_a_number_or_an_error(text in "\\PC{0,20}") {
        let _ = text.parse::<Real>();
    }

    #[test]
    fn floats_become_the_nearest_number(bits in any::<u64>(), exponent in 980u64..1060) {
        // Random mantissa and sign; exponents from far below an ulp to beyond the range.
        let value = f64::from_bits(bits & !(0x7ff << 52) | exponent << 52);
        let scaled = value * 4_294_967_296.0;
        let nearest = (scaled + 0.5).floor();
        match Real::from_f64(value) {
            // From 2⁵² up every float is whole, and adding a half would round.
            Ok(a) if scaled.abs() >= 4_503_599_627_370_496.0 => prop_assert_eq!(a.to_f64(), value),
            Ok(a) => prop_assert!((a.to_bits() as f64 - scaled).abs() <= 0.5, "{} {}", value, nearest),
            Err(_) => prop_assert!(!(-2_147_483_648.0..2_147_483_648.0).contains(&value)),
        }
    }

    #[test]
    fn every_f32_in_range_survives(bits in any::<u32>()) {
        let value = f32::from_bits(bits);
        if let Ok(a) = Real::from_f32(value) {
            if value.abs() >= 0.01 {
                // 24 bits from 2⁻⁷ down to 2⁻³¹: all representable.
                prop_assert_eq!(a.to_f32(), value);
            }
        } else {
            prop_assert!(value.is_nan() || value.abs() >= 2_147_483_648.0);
        }
    }

    #[test]
    fn serde_round_trips(a in any_real(), v in any_vec3()) {
        let both = (a, v);
        let json = serde_json::to_string(&both).unwrap();
        prop_assert_eq!(serde_json::from_str::<(Real, Vec3)>(&json).unwrap(), both);
        let bytes = postcard::to_stdvec(&both).unwrap();
        prop_assert_eq!(postcard::from_bytes::<(Real, Vec3)>(&bytes).unwrap(), both);
    }

    #[test]
    fn foreign_bytes_never_make_an_invalid_value(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        if let Ok(q) = postcard::from_bytes::<Quat>(&bytes) {
            prop_assert!(Quat::from_bits(q.to_bits()).is_ok());
        }
        if let Ok(b) = postcard::from_bytes::<Aabb>(&bytes) {
            prop_assert!(Aabb::new(b.min(), b.max()).is_ok());
        }
    }
}

#[test]
fn literals_are_exact() {
    assert_eq!(real!(0.000000000232830643653869628906250).to_bits(), 1);
    assert_eq!(real!(-2147483648), Real::MIN);
    assert_eq!(real!(2147483647.99999999976716935634613037109375), Real::MAX);
    assert_eq!(real!(1_000.5).to_bits(), 2001 << 31);
    assert_eq!(real!(+3), Real::from_int(3));
    assert_eq!(real!(-0), Real::ZERO);
}

#[test]
fn text_rounds_ties_up_even_when_the_tie_is_broken_far_behind() {
    // Half an ulp has 33 decimals; the 34th decides.
    let half_ulp = "0.000000000116415321826934814453125";
    assert_eq!(half_ulp.parse(), Ok(Real::EPSILON));
    assert_eq!(format!("-{half_ulp}").parse(), Ok(Real::ZERO));
    assert_eq!(format!("-{half_ulp}0001").parse(), Ok(-Real::EPSILON));
    assert_eq!("0.0000000001164153218269348144531249".parse(), Ok(Real::ZERO));
}

#[test]
fn invalid_text_gives_the_matching_error() {
    for text in ["", "-", ".5", "1e5", "0x10", "1.2.3", "NaN", " 1", "1 ", "--1", "_1", "١"] {
        assert_eq!(text.parse::<Real>(), Err(ParseRealError::Syntax), "{text:?}");
    }
    for text in ["2147483648", "-2147483648.0000000002", "99999999999999999999999999"] {
        assert_eq!(text.parse::<Real>(), Err(ParseRealError::OutOfRange), "{text:?}");
    }
    assert_eq!("-2147483648".parse(), Ok(Real::MIN));
}

#[test]
fn floats_that_are_not_numbers_are_refused() {
    assert_eq!(Real::from_f64(f64::NAN), Err(FloatError::NotANumber));
    assert_eq!(Real::from_f32(f32::NAN), Err(FloatError::NotANumber));
    for value in [f64::INFINITY, f64::NEG_INFINITY, 2_147_483_648.0, f64::MAX] {
        let error = Real::from_f64(value).unwrap_err();
        assert_eq!(error, FloatError::OutOfRange { value, limit: 2_147_483_648.0 });
    }
    assert_eq!(Real::from_f64(-2_147_483_648.0), Ok(Real::MIN));
    assert_eq!(Real::from_f64(-0.0), Ok(Real::ZERO));
    assert_eq!(Real::from_f64(f64::MIN_POSITIVE / 4.0), Ok(Real::ZERO));
    // The largest f64 below half an ulp, half an ulp, and the same below zero.
    let half = 2f64.powi(-33);
    assert_eq!(Real::from_f64(half.next_down()), Ok(Real::ZERO));
    assert_eq!(Real::from_f64(half), Ok(Real::EPSILON));
    assert_eq!(Real::from_f64(-half), Ok(Real::ZERO));
    assert_eq!(Real::from_f64((-half).next_down()), Ok(-Real::EPSILON));
}

#[test]
fn numbers_print_as_people_write_them() {
    assert_eq!(Real::ratio(1, 10).to_string(), "0.1");
    assert_eq!(real!(-12.5).to_string(), "-12.5");
    assert_eq!(Real::from_int(7).to_string(), "7");
    assert_eq!(format!("{:.2}", Real::PI), "3.14");
    assert_eq!(format!("{:>8.1}", real!(-1.25)), "    -1.3");
    assert_eq!(format!("{:+}", Real::ONE), "+1");
    assert_eq!(format!("{:?}", Vec3::X), "(1, 0, 0)");
    assert_eq!(serde_json::to_string(&Real::ratio(3, 5)).unwrap(), "\"0.6\"");
}

#[test]
fn json_numbers_are_refused_because_they_are_floats() {
    let error = serde_json::from_str::<Real>("1.5").unwrap_err();
    assert!(error.to_string().contains("decimal number as text"), "{error}");
}

#[test]
#[cfg(feature = "glam")]
fn glam_vectors_and_rotations_convert_both_ways() {
    let v = Vec3::new(real!(1.5), real!(-2), real!(0.25));
    assert_eq!(Vec3::try_from(glam::Vec3::from(v)), Ok(v));
    assert_eq!(Vec3::try_from(glam::DVec3::from(v)), Ok(v));
    let q = Quat::from_rotation_vector(v);
    let back = Quat::try_from(glam::DQuat::from(q)).unwrap();
    assert!(back.to_bits().iter().zip(q.to_bits()).all(|(a, b)| a.abs_diff(b) <= 1));
    assert!(Vec3::try_from(glam::Vec3::NAN).is_err());
    assert!(Quat::try_from(glam::Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)).is_err());
    assert!(Quat::try_from(glam::DQuat::NAN).is_err());
}

#[test]
fn arrays_of_floats_convert_both_ways() {
    let v = Vec3::new(real!(1.5), real!(-2), real!(0.25));
    assert_eq!(<[f32; 3]>::from(v), [1.5, -2.0, 0.25]);
    assert_eq!(Vec3::try_from([1.5, -2.0, 0.25]), Ok(v));
    let half_turn = Quat::from_axis_angle(Vec3::Y, Real::PI).unwrap();
    let [x, y, z, w] = <[f32; 4]>::from(half_turn);
    assert!((x, z) == (0.0, 0.0) && (y - 1.0).abs() < 1e-6 && w.abs() < 1e-6, "{y} {w}");
    assert_eq!(Quat::try_from([0.0, 0.0, 0.0, 2.0]), Ok(Quat::IDENTITY), "normalized");
    assert!(Vec3::try_from([0.0, f32::NAN, 0.0]).is_err());
    assert!(Quat::try_from([0.0; 4]).is_err());
    assert!(Quat::try_from([0.0, 0.0, 0.0, f32::INFINITY]).is_err());
}

#[test]
#[cfg(feature = "mint")]
fn mint_vectors_and_rotations_convert_both_ways() {
    let v = Vec3::new(real!(1.5), real!(-2), real!(0.25));
    assert_eq!(mint::Vector3::from(v), mint::Vector3 { x: 1.5, y: -2.0, z: 0.25 });
    assert_eq!(Vec3::try_from(mint::Vector3::from(v)), Ok(v));
    assert_eq!(Vec3::try_from(mint::Point3::from(v)), Ok(v));
    let turn = mint::Quaternion { s: 0.0, v: mint::Vector3 { x: 0.0, y: 1.0, z: 0.0 } };
    let q = Quat::try_from(turn).unwrap();
    assert_eq!(q.rotate(Vec3::X), -Vec3::X);
    assert_eq!(mint::Quaternion::from(q), turn);
}
