//! Bodies that come to rest: a pyramid, stacks, a bin.

use super::Scene;
use super::parts::{empty, ground, put, solid, unit_box, walls};
use isostep_core::shape::Shape;
use isostep_core::world::BodyDef;
use isostep_core::{Real, Rng, Vec3, real};

/// Scene a: a pyramid of unit boxes, 1.1 m apart in x.
pub fn pyramid(base: i32) -> Scene {
    let mut world = empty();
    ground(&mut world);
    for row in 0..base {
        for column in 0..base - row {
            let x = (Real::from_int(column) - Real::from_int(base - 1 - row) * Real::HALF)
                * Real::ratio(11, 10);
            let place = Vec3::new(x, Real::HALF + Real::from_int(row), Real::ZERO);
            put(&mut world, BodyDef::dynamic().at(place).shape(unit_box()));
        }
    }
    Scene::new(world)
}

/// Scene b: stacks of unit boxes in a square, 3 m apart.
pub fn stacks(side: i32, height: i32) -> Scene {
    let mut world = empty();
    ground(&mut world);
    for (x, z) in (0..side).flat_map(|x| (0..side).map(move |z| (x, z))) {
        for y in 0..height {
            let place = Vec3::new(
                Real::from_int(3 * x),
                Real::HALF + Real::from_int(y),
                Real::from_int(3 * z),
            );
            put(&mut world, BodyDef::dynamic().at(place).shape(unit_box()));
        }
    }
    Scene::new(world)
}

/// Scene c: balls, boxes and capsules dropped into a walled bin, `side`³ of them.
pub fn bin(side: i32, seed: u64) -> Scene {
    const JITTER: u64 = 1;
    let mut world = empty();
    ground(&mut world);
    walls(&mut world, real!(6.5), real!(20));
    let spacing = Real::ratio(12, 10);
    let middle = Real::from_int(side - 1) * Real::HALF;
    for i in 0..side * side * side {
        let (x, y, z) = (i % side, i / (side * side), i / side % side);
        let mut rng = Rng::keyed(seed, 0, i as u64, JITTER);
        let mut jitter =
            || rng.between(Real::ratio(-5, 100), Real::ratio(5, 100)).expect("not empty");
        let place = Vec3::new(
            (Real::from_int(x) - middle) * spacing + jitter(),
            real!(1) + Real::from_int(y) * spacing + jitter(),
            (Real::from_int(z) - middle) * spacing + jitter(),
        );
        let shape = match i % 3 {
            0 => Shape::sphere(Real::HALF),
            1 => Shape::cuboid(Vec3::splat(Real::ratio(4, 10))),
            _ => Shape::capsule(Real::ratio(3, 10), Real::ratio(35, 100)),
        };
        let shape = solid(shape.expect("sizes within the limits"));
        put(&mut world, BodyDef::dynamic().at(place).shape(shape));
    }
    Scene::new(world)
}
