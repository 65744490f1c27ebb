//! Friction in numbers: slopes hold below the friction angle and not above it, and stopping distances follow Coulomb's law.

use super::common::{floats, ground, length, world};
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, Material, ShapeDef};
use isostep_core::{Quat, Real, Vec3, real};

fn surface(friction: Real) -> Material {
    Material { friction, ..Material::default() }
}

/// Displacement and speed of a slab after 600 ticks on a slope whose tangent is `share` of the friction. The slope descends in
/// direction `heading` about the vertical.
fn slide(friction: Real, share: f64, heading: Real) -> (f64, f64) {
    let angle = Real::from_f64((friction.to_f64() * share).atan()).unwrap();
    let heading = Quat::from_axis_angle(Vec3::Y, heading).unwrap();
    let rotation = heading * Quat::from_axis_angle(Vec3::Z, -angle).unwrap();
    let solid = |half| ShapeDef::from(Shape::cuboid(half).unwrap()).material(surface(friction));
    let mut world = world();
    // The centre of the slope's top is the origin.
    let slope = solid(Vec3::from_ints(200, 1, 200));
    let below = rotation.rotate(Vec3::from_ints(0, -1, 0));
    world.spawn(BodyDef::fixed().at(below).rotated(rotation).shape(slope)).unwrap();
    // Flat, so that it slides and does not topple.
    let slab = solid(Vec3::new(Real::HALF, real!(0.125), Real::HALF));
    let place = rotation.rotate(Vec3::Y * real!(0.125));
    let slab = {
        let body = BodyDef::dynamic().at(place).rotated(rotation).shape(slab);
        // A body that starts to slide very slowly would fall asleep first.
        world.spawn(body.stay_awake()).unwrap()
    };
    for _ in 0..600 {
        world.step();
    }
    let body = world.body(slab).unwrap();
    (length(body.position() - place), length(body.velocity()))
}

/// Headings all around, some along axes and diagonals.
fn headings() -> impl Iterator<Item = Real> {
    (0..16).map(|i| Real::TAU * i / 16 + if i % 2 == 0 { Real::ZERO } else { Real::ratio(1, 10) })
}

#[test]
fn a_slope_below_the_friction_angle_holds_in_every_direction() {
    for friction in [Real::ratio(3, 10), Real::ratio(6, 10)] {
        for heading in headings() {
            let (displacement, speed) = slide(friction, 0.92, heading);
            println!("{friction} {heading}: {displacement} m, {speed} m/s");
            assert!(
                displacement < 0.005 && speed < 0.001,
                "{friction}, {heading}: {displacement} m, {speed} m/s"
            );
        }
    }
}

#[test]
fn a_slope_above_the_friction_angle_gives_way_in_every_direction() {
    for friction in [Real::ratio(3, 10), Real::ratio(6, 10)] {
        for heading in headings() {
            let (displacement, speed) = slide(friction, 1.06, heading);
            println!("{friction} {heading}: {displacement} m, {speed} m/s");
            // At 1.06 against at most 1.05 the least acceleration is 0.01·μ·g·cos, 0.03 m/s² for μ = 0.3. The limit is half of that over
            // ten seconds.
            assert!(
                displacement > 0.5 && speed > 0.1,
                "{friction}, {heading}: {displacement} m, {speed} m/s"
            );
        }
    }
}

/// Ratio of the stopping distance from 10 m/s to v²/(2·μ·g), and sideways displacement over distance.
fn stop(friction: Real, heading: f64) -> (f64, f64) {
    let mut world = world();
    let mut floor = ground();
    floor.shapes[0].material = surface(friction);
    world.spawn(floor).unwrap();
    let slab = Shape::cuboid(Vec3::new(Real::HALF, real!(0.125), Real::HALF)).unwrap();
    let slab = ShapeDef::from(slab).material(surface(friction));
    let (sin, cos) = heading.sin_cos();
    let [x, z] = [cos, sin].map(|c| Real::from_f64(10.0 * c).unwrap());
    let start = Vec3::Y * real!(0.125);
    let slab = BodyDef::dynamic().at(start).shape(slab).velocity(Vec3::new(x, Real::ZERO, z));
    let slab = world.spawn(slab).unwrap();
    for _ in 0..600 {
        world.step();
    }
    let body = world.body(slab).unwrap();
    assert!(length(body.velocity()) < 0.001, "still sliding");
    let [x, _, z] = floats(body.position() - start);
    let expected = 100.0 / (2.0 * friction.to_f64() * 9.81);
    let (along, aside) = (x * cos + z * sin, z * cos - x * sin);
    (along / expected, aside.abs() / along)
}

#[test]
fn the_stopping_distance_of_a_box_follows_coulombs_law() {
    for friction in [Real::ratio(3, 10), Real::ratio(6, 10)] {
        let (ratio, aside) = stop(friction, 0.0);
        println!("{friction}: {ratio}, aside {aside}");
        assert!((ratio - 1.0).abs() < 0.01 && aside < 0.01, "{friction}: {ratio}, {aside}");
    }
}

#[test]
fn a_sliding_box_stops_straight_ahead_in_every_direction() {
    for i in 0..16 {
        let (ratio, aside) = stop(Real::ratio(6, 10), f64::from(i) * 0.4);
        println!("{i}: {ratio}, aside {aside}");
        // Tangents not aligned with the slip braked along a diagonal: 1.147 of the distance, with a fifth of it sideways. Measured now:
        // 1.0013 and 0.00005.
        assert!((ratio - 1.0).abs() < 0.01 && aside < 0.001, "{i}: {ratio}, {aside}");
    }
}
