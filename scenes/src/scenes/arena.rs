//! A walled field with scripted players among props.

use super::parts::{empty, ground, put, solid, walls};
use super::{Scene, Script};
use isostep_core::shape::Shape;
use isostep_core::world::BodyDef;
use isostep_core::{Real, Vec3, real};

/// Scene e: eight players without rotation, steered among 56 props between walls.
pub fn arena(seed: u64) -> Scene {
    arena_of(8, seed)
}

/// Scene e with `side`² bodies, every ninth of them a player.
pub fn arena_of(side: i32, seed: u64) -> Scene {
    let mut world = empty();
    ground(&mut world);
    let half_side = Real::from_int(side) * real!(1.25);
    walls(&mut world, half_side + real!(2), real!(4));
    let mut players = Vec::new();
    for i in 0..side * side {
        let start = real!(1.25) - half_side;
        let [x, z] = [i % side, i / side].map(|c| start + Real::from_int(c) * real!(2.5));
        let place = Vec3::new(x, real!(0.875), z);
        let player = i % 9 == 0 && players.len() < 8;
        let shape = match (player, i % 3) {
            (true, _) => {
                Shape::cuboid(Vec3::new(Real::ratio(4, 10), real!(0.875), Real::ratio(4, 10)))
            }
            (_, 0) => Shape::sphere(Real::HALF),
            (_, 1) => Shape::cuboid(Vec3::splat(Real::HALF)),
            _ => Shape::capsule(Real::ratio(3, 10), Real::ratio(35, 100)),
        };
        let body =
            BodyDef::dynamic().at(place).shape(solid(shape.expect("sizes within the limits")));
        if player {
            players.push(put(&mut world, body.lock_rotation()));
        } else {
            put(&mut world, body);
        }
    }
    Scene { world, script: Script::Steer { players, seed } }
}
