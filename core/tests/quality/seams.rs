//! Thin boxes and capsules over flush tiles. `rest.rs` has boxes of ordinary size and balls.

use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, Combine, Material, ShapeDef, World, WorldDef};
use isostep_core::{Quat, Real, Vec3, real};

/// A row of tiles along x with their tops at y = 0.
fn tiles(tick_rate: u32, edge: Real, material: Material) -> World {
    let mut world = World::new(WorldDef { tick_rate, ..WorldDef::default() }).unwrap();
    let half = Vec3::new(edge / 2, real!(0.125), edge / 2);
    for x in -2..20 {
        for z in -3..10 {
            let shape = ShapeDef::from(Shape::cuboid(half).unwrap()).material(material);
            let place = Vec3::new(edge * x, -half.y, edge * z);
            world.spawn(BodyDef::fixed().at(place).shape(shape)).unwrap();
        }
    }
    world
}

/// A sliding box sinks in by 0.09 mm at 60 ticks a second and by 0.35 mm at 30. Boxes thinner than 4 cm, or 13 cm at 30 ticks a second,
/// overlapped with the side of the next tile by more than the limit for grazing boxes, and stopped there.
#[test]
fn thin_boxes_slide_over_flush_tiles() {
    let smooth =
        Material { friction: Real::ZERO, friction_combine: Combine::Min, ..Material::default() };
    for (tick_rate, thickness) in [(60, 5), (60, 11), (60, 17), (120, 4), (30, 17), (30, 47)] {
        for speed in [300, 700, 1100, 2300, 4100, 7700] {
            let edge = Real::ratio(576, 1000);
            let mut world = tiles(tick_rate, edge, smooth);
            let half =
                Vec3::new(Real::ratio(15, 100), Real::ratio(thickness, 1000), Real::ratio(11, 100));
            let shape = ShapeDef::from(Shape::cuboid(half).unwrap()).material(smooth);
            let body =
                BodyDef::dynamic().at(Vec3::new(Real::ratio(4, 100), half.y, Real::ratio(2, 100)));
            let velocity = Vec3::X * Real::ratio(speed, 1000);
            let id = world.spawn(body.shape(shape).velocity(velocity)).unwrap();
            // At least over one seam, and at most to the 13th.
            let ticks = (tick_rate * 7000 / speed as u32).min(tick_rate * 3);
            for _ in 0..ticks {
                world.step();
            }
            let expected = f64::from(speed) / 1000.0 * f64::from(ticks) / f64::from(tick_rate);
            let position = world.body(id).unwrap().position();
            let (moved, height) = (position.x.to_f64() - 0.04, (position.y - half.y).to_f64());
            assert!(
                (moved - expected).abs() < 0.01 * expected && height.abs() < 0.001,
                "{thickness} mm at {speed} mm/s, {tick_rate} ticks/s: {moved} m of {expected}, {height} m up"
            );
        }
    }
}

/// A capsule that rolls came over the next tile with the edge first, as balls did: at 5.5 m/s it hopped by 89 mm.
#[test]
fn a_capsule_rolls_over_flush_tiles() {
    let (radius, half_length) = (Real::ratio(6, 100), Real::ratio(78, 1000));
    for (tick_rate, speed) in [(60, 3100), (60, 5500), (120, 5500)] {
        for heading in [0, 100, 300, 500] {
            let mut world = tiles(tick_rate, Real::ratio(31, 100), Material::default());
            let speed = Real::ratio(speed, 1000);
            let turn = Quat::from_rotation_vector(Vec3::Y * -Real::ratio(heading, 1000));
            let (along, axle) = (turn.rotate(Vec3::X), turn.rotate(Vec3::Z));
            let lying = turn * Quat::from_rotation_vector(Vec3::X * (Real::PI / 2));
            let body =
                BodyDef::dynamic().at(Vec3::Y * radius).rotated(lying).velocity(along * speed);
            let body = body.angular_velocity(-axle * (speed / radius));
            let id = world.spawn(body.shape(Shape::capsule(half_length, radius).unwrap())).unwrap();
            let mut highest = 0.0f64;
            for _ in 0..tick_rate / 2 {
                world.step();
                let height = world.body(id).unwrap().position().y - radius;
                highest = highest.max(height.to_f64());
            }
            assert!(highest < 0.002, "{heading} mrad, {speed} m/s, {tick_rate}: {highest} m");
        }
    }
}
