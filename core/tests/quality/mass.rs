//! Mass properties of shapes against closed formulas in floats.

use super::common::floats;
use isostep_core::internals::MassProperties;
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, ShapeDef};
use isostep_core::{Quat, Real, Transform, Vec3, real};
use std::f64::consts::PI;

/// Sizes from 1 mm to 100 m, three per decade.
fn sizes() -> impl Iterator<Item = f64> {
    (0..=15).map(|i| 10f64.powf(f64::from(i) / 3.0 - 3.0))
}

/// Resolution of Q32.32.
const STEP: f64 = 1.0 / 4_294_967_296.0;

/// Compares mass and inertia per mass with formulas.
///
/// Volumes and inertias are Q32.32: beyond a relative error of 10⁻⁹ they may be off by a few ulps. At 1 mm an ulp is 5 % of a
/// ball's volume.
fn compare(what: &str, size: f64, shape: &Shape, volume: f64, inertia: [f64; 3]) {
    // Large enough for a valid mass at 1 mm, small enough at 100 m.
    let density = if size < 1.0 { 1000.0 } else { 1.0 };
    let real_density = Real::from_f64(density).unwrap();
    let properties = MassProperties::of_shape(shape, &Transform::IDENTITY, real_density).unwrap();
    let off_volume = (properties.mass.to_f64() / density - volume).abs();
    let off_inertia = floats(properties.inertia_per_mass.diagonal)
        .into_iter()
        .zip(inertia)
        .map(|(value, expected)| ((value - expected).abs(), expected))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .unwrap();
    println!(
        "{what} of {size:.4} m: mass {:.1e} ({:.1} steps), inertia {:.1e} ({:.1} steps)",
        off_volume / volume,
        off_volume / STEP,
        off_inertia.0 / off_inertia.1,
        off_inertia.0 / STEP,
    );
    // Measured: up to 5.1 ulps for volumes up to a few cubic metres; relative errors below 3·10⁻¹⁰ above.
    assert!(off_volume <= 8.0 * STEP + 1e-9 * volume, "volume of {what} of {size} m");
    // A capsule's inertia is weighted by the volumes of its parts and has their error: 1.8 % at 2 mm.
    let share = 1e-9 + 4.0 * STEP / volume;
    assert!(off_inertia.0 <= 2.0 * STEP + share * off_inertia.1, "inertia of {what} of {size} m");
    assert_eq!(properties.inertia_per_mass.off, Vec3::ZERO);
    assert_eq!(properties.center, Vec3::ZERO);
}

/// The number rounded to Q32.32, so that formulas start from the same size.
fn on_grid(size: f64) -> (Real, f64) {
    let real = Real::from_f64(size).unwrap();
    (real, real.to_f64())
}

#[test]
fn mass_properties_of_spheres_match_formulas() {
    for size in sizes() {
        let (radius, r) = on_grid(size);
        let volume = 4.0 / 3.0 * PI * r.powi(3);
        let shape = Shape::sphere(radius).unwrap();
        compare("a sphere", size, &shape, volume, [0.4 * r * r; 3]);
    }
}

#[test]
fn mass_properties_of_boxes_match_formulas() {
    for size in sizes() {
        let (x, a) = on_grid(size);
        let (y, b) = on_grid(size * 0.7);
        let (z, c) = on_grid(size * 0.4);
        // The smallest sizes have an edge below the limit.
        let Ok(shape) = Shape::cuboid(Vec3::new(x, y, z)) else { continue };
        let inertia = [b * b + c * c, a * a + c * c, a * a + b * b].map(|sum| sum / 3.0);
        compare("a box", size, &shape, 8.0 * a * b * c, inertia);
    }
}

#[test]
fn mass_properties_of_capsules_match_formulas() {
    for size in sizes() {
        let (half_length, l) = on_grid(size);
        let (radius, r) = on_grid(size * 0.5);
        let Ok(shape) = Shape::capsule(half_length, radius) else { continue };
        let (cylinder, ball) = (PI * r * r * 2.0 * l, 4.0 / 3.0 * PI * r.powi(3));
        let volume = cylinder + ball;
        let along = (cylinder * r * r / 2.0 + ball * 0.4 * r * r) / volume;
        // The centre of a half ball is 3/8 r above its face: 2/5 r² + l² + 3/4 l·r about the middle.
        let across = (cylinder * (r * r / 4.0 + l * l / 3.0)
            + ball * (0.4 * r * r + l * l + 0.75 * l * r))
            / volume;
        compare("a capsule", size, &shape, volume, [across, along, across]);
    }
}

#[test]
fn the_centre_of_mass_of_a_dumbbell_is_that_of_its_parts() {
    // A ball of 0.5 m at −1 m and one of twice its density at 2 m: the centre of mass is at (−1 + 2·2) / 3 = 1 m.
    let ball = Shape::sphere(Real::HALF).unwrap();
    let part = |x: i32, density: i32| {
        ShapeDef::from(ball).at(Vec3::from_ints(x, 0, 0)).density(Real::from_int(density))
    };
    let mut world = super::common::weightless();
    let turn = Quat::from_axis_angle(Vec3::Y, Real::FRAC_PI_2).unwrap();
    let place = Vec3::from_ints(10, 20, 30);
    let body =
        BodyDef::dynamic().at(place).rotated(turn).shape(part(-1, 1000)).shape(part(2, 2000));
    let id = world.spawn(body).unwrap();
    let body = world.body(id).unwrap();
    let mass = 3000.0 * 4.0 / 3.0 * PI / 8.0;
    assert!((body.mass().to_f64() / mass - 1.0).abs() < 1e-6, "{}", body.mass());
    // The rotation maps x to −z.
    let off = body.center_of_mass() - Vec3::from_ints(10, 20, 29);
    assert!(off.length() < Real::ratio(1, 100_000_000), "{off}");
    assert!((body.position() - place).length() < Real::ratio(1, 100_000_000));
    // About a perpendicular axis, per kilogram: 2/5 r² for each ball, and 1/3·2² + 2/3·1² for their distances.
    let spin = 2.0;
    let torque = mass * (0.1 + 2.0) * spin;
    let impulse = Vec3::new(Real::ZERO, Real::from_f64(torque).unwrap(), Real::ZERO);
    world.command(isostep_core::world::Command::AngularImpulse(id, impulse)).unwrap();
    let measured = world.body(id).unwrap().angular_velocity();
    assert!((measured.y.to_f64() - spin).abs() < 1e-4 * spin, "{measured}");
    assert!(measured.x.abs() < real!(0.0001220703125) && measured.z.abs() < real!(0.0001220703125));
}

#[test]
fn a_given_mass_replaces_the_mass_of_the_shapes() {
    let mut world = super::common::world();
    let body = BodyDef::dynamic().shape(super::common::cube(Real::HALF)).mass(real!(7));
    let id = world.spawn(body).unwrap();
    assert_eq!(world.body(id).unwrap().mass(), real!(7));
}
