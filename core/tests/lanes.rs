//! SIMD widths of one, four and eight contacts give the same bits on every tick of every scene, in any order of contacts and
//! with random data in unused lanes.

use isostep_core::digest::Digest;
use isostep_core::internals::Lanes;
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, Material, ShapeDef, World, WorldDef};
use isostep_core::{Quat, Real, Vec3, real};
use isostep_scenes::scenes;

/// Ticks for each scene, enough for contacts between all bodies.
fn ticks(name: &str) -> u32 {
    match name {
        "bin" => 100,
        _ => 160,
    }
}

/// Returns the first tick at which two worlds differ.
fn first_difference(name: &str, change: impl Fn(&mut World)) -> Option<u32> {
    let mut reference = scenes::build(name, 1).expect("a scene");
    let mut other = scenes::build(name, 1).expect("a scene");
    assert!(reference.world.set_lanes(Lanes::Scalar));
    change(&mut other.world);
    for tick in 1..=ticks(name) {
        reference.step();
        other.step();
        if reference.digest() != other.digest() {
            return Some(tick);
        }
    }
    None
}

#[test]
fn every_width_gives_the_same_bits() {
    for name in scenes::NAMES {
        for lanes in Lanes::available() {
            let set = |world: &mut World| assert!(world.set_lanes(lanes));
            assert_eq!(first_difference(name, set), None, "{name} in {} lanes", lanes.name());
        }
    }
}

#[cfg(feature = "test-internals")]
#[test]
fn the_order_of_lanes_and_the_content_of_unused_ones_change_nothing() {
    for name in scenes::NAMES {
        for (seed, lanes) in (1..).zip(Lanes::available()) {
            let disorder = |world: &mut World| {
                assert!(world.set_lanes(lanes));
                world.disorder_lanes(seed);
            };
            let difference = || first_difference(name, disorder);
            #[cfg(feature = "check-narrowing")]
            let difference = || isostep_core::math::without_narrowing_checks(difference);
            assert_eq!(difference(), None, "{name} in {} lanes", lanes.name());
        }
    }
}

#[cfg(feature = "test-internals")]
#[test]
fn a_lane_with_another_rounding_is_detected() {
    for lanes in Lanes::available() {
        let skewed = |world: &mut World| {
            assert!(world.set_lanes(lanes));
            world.inject_fault(isostep_core::test_internals::Fault::SkewedLane);
        };
        assert!(first_difference("stacks", skewed).is_some(), "{} lanes", lanes.name());
    }
}

/// Returns the digests of a world of a few bodies on each of its ticks. Any operation that loses bits panics with the feature
/// `check-narrowing`, which has scalar lanes only.
fn digests(lanes: Lanes, bodies: &[BodyDef]) -> Vec<Digest> {
    let mut world = World::new(WorldDef::default()).unwrap();
    assert!(world.set_lanes(lanes));
    for def in bodies {
        world.spawn(def.clone()).unwrap();
    }
    (0..60)
        .map(|_| {
            world.step();
            world.digest()
        })
        .collect()
}

#[track_caller]
fn same_in_all_widths(bodies: &[BodyDef]) {
    let expected = digests(Lanes::Scalar, bodies);
    for lanes in Lanes::available() {
        assert_eq!(digests(lanes, bodies), expected, "in {} lanes", lanes.name());
    }
}

/// A small ball whose size is that of its sensor: m·4ᵉ/I is at its limit about each axis.
fn ball_with_sensor(radius: Real, material: Material) -> BodyDef {
    let ball = ShapeDef::from(Shape::sphere(radius).unwrap()).material(material);
    let around = ShapeDef::from(Shape::sphere(real!(0.75)).unwrap()).sensor();
    BodyDef::dynamic().shape(ball).shape(around)
}

/// The contact of a ball deep inside a huge box is far from the ball, so its arms were as long as the sensor, and J·M·J did not fit:
/// script 1465 of seed 3 of the exactness scripts.
#[test]
fn a_small_ball_with_a_sensor_deep_inside_a_box_keeps_its_rows_in_range() {
    let huge = Shape::cuboid(Vec3::splat(Real::from_int(4096))).unwrap();
    let axis = Vec3::new(Real::ONE, Real::ZERO, Real::ONE);
    let turned = Quat::from_axis_angle(axis, Real::ratio(1, 10)).unwrap();
    let center = Vec3::new(real!(-1), Real::HALF, real!(-1));
    let ball = ball_with_sensor(Real::ratio(1, 512), Material::default());
    let ground = BodyDef::fixed().at(center).rotated(turned).shape(huge);
    same_in_all_widths(&[ball.at(Vec3::Y * Real::HALF), ground]);
}

/// The friction that stops such a ball, or a rod that slides across its length, turned it beyond the range of a spin.
#[test]
fn friction_of_fast_bodies_with_little_inertia_keeps_spins_in_range() {
    let thin = Real::ratio(1, 100);
    let rod = Shape::cuboid(Vec3::new(Real::ONE, thin, thin)).unwrap();
    for friction in [Real::ratio(6, 10), Real::ratio(19, 10)] {
        let material = Material { friction, spinning: Real::HALF, ..Material::default() };
        let ground = BodyDef::fixed().shape(ShapeDef::from(Shape::HALF_SPACE).material(material));
        let ball = ball_with_sensor(Real::ratio(1, 50), material);
        let rod = BodyDef::dynamic().shape(ShapeDef::from(rod).material(material));
        for body in [ball, rod] {
            for speed in [60, 120, 240] {
                let velocity = Vec3::from_ints(speed, -speed, speed / 2);
                let thrown = body.clone().at(Vec3::Y * Real::ratio(1, 25)).velocity(velocity);
                same_in_all_widths(&[ground.clone(), thrown]);
            }
        }
    }
}
