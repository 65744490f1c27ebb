//! A rotating drum: one kinematic body of many shapes, with bodies inside.

use super::Scene;
use super::parts::{cuboid, empty, put, small_shape, solid};
use isostep_core::world::BodyDef;
use isostep_core::{Quat, Real, Rng, Vec3, real};

/// Distance of the inner faces of the eight walls from the axis, metres.
const RADIUS: Real = real!(3);
/// Half the thickness of walls, metres.
const WALL: Real = real!(0.25);
/// Half the depth of the inside, metres.
const DEPTH: Real = real!(1.75);

/// Scene i: an eight-sided drum of ten shapes that rotates about z at 1 rad/s, with 60 balls, boxes
/// and capsules in it.
pub fn tumbler(seed: u64) -> Scene {
    tumbler_of(60, seed)
}

/// Scene i with any number of bodies, at most 60.
pub fn tumbler_of(count: i32, seed: u64) -> Scene {
    const JITTER: u64 = 1;
    let mut world = empty();
    // tan 22.5° is 0.4142…; the walls overlap slightly at the edges.
    let half_wall = (RADIUS + WALL * 2) * Real::ratio(4143, 10_000);
    let wall = solid(cuboid(WALL, half_wall, DEPTH));
    let cap = solid(cuboid(RADIUS + WALL * 2, RADIUS + WALL * 2, WALL));
    let mut drum = BodyDef::kinematic().angular_velocity(Vec3::Z);
    for i in 0..8 {
        let turn =
            Quat::from_axis_angle(Vec3::Z, Real::FRAC_PI_2 * i * Real::HALF).expect("an axis");
        let place = turn.rotate(Vec3::X) * (RADIUS + WALL);
        drum = drum.shape(wall.clone().at(place).rotated(turn));
    }
    for side in [DEPTH + WALL, -DEPTH - WALL] {
        drum = drum.shape(cap.clone().at(Vec3::Z * side));
    }
    put(&mut world, drum);
    let spacing = Real::ratio(9, 10);
    for i in 0..count.min(60) {
        let [x, y, z] = [i % 5 * 2 - 4, i / 5 % 4 * 2 - 3, i / 20 * 2 - 2]
            .map(|c| Real::from_int(c) * Real::HALF * spacing);
        let mut rng = Rng::keyed(seed, 0, i as u64, JITTER);
        let mut jitter =
            || rng.between(Real::ratio(-4, 100), Real::ratio(4, 100)).expect("not empty");
        let place = Vec3::new(x + jitter(), y + jitter(), z + jitter());
        put(&mut world, BodyDef::dynamic().at(place).shape(small_shape(i as u32)));
    }
    Scene::new(world)
}
