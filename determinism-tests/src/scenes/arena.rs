//! A game's room: players that a script steers among props.

use super::parts::{empty, ground, put, solid, walls};
use super::{Scene, Script};
use isostep_core::shape::Shape;
use isostep_core::world::BodyDef;
use isostep_core::{Real, Vec3, real};

/// Scene e: eight players that never turn, driven about among 56 props between walls.
pub fn arena(seed: u64) -> Scene {
    let mut world = empty();
    ground(&mut world);
    walls(&mut world, real!(12), real!(4));
    let mut players = Vec::new();
    for i in 0..64 {
        let (x, z) = (i % 8, i / 8);
        let place = Vec3::new(
            (Real::from_int(x) - real!(3.5)) * real!(2.5),
            real!(0.875),
            (Real::from_int(z) - real!(3.5)) * real!(2.5),
        );
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
