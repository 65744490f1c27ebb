//! A sleeping field and a few awake bodies.

use super::parts::{cuboid, empty, put, solid, unit_box};
use super::{Scene, Script};
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, World};
use isostep_core::{Real, Vec3, real};

/// Heights of the stacks, in turn.
const HEIGHTS: [i32; 4] = [1, 2, 1, 3];

/// Scene j: `count` unit boxes, single and in stacks of two and three, 3 m apart in a square. Four
/// balls are steered at random among them.
pub fn sleepers(count: u32, seed: u64) -> Scene {
    let mut world = empty();
    floor(&mut world);
    let half_side = field(&mut world, count);
    // Between the outermost rows, where there are no boxes.
    let rim = half_side - real!(1.5);
    let places = [(rim, rim), (-rim, rim), (rim, -rim), (-rim, -rim)];
    let players = places.map(|(x, z)| put(&mut world, ball(x, z)));
    Scene { world, script: Script::Steer { players: players.to_vec(), seed } }
}

/// Scene j with `visitors` balls that never approach the field: they are steered in a yard 20 m
/// beside it. The yard is bit-identical without the field.
pub fn sleepers_apart(count: u32, visitors: u32, seed: u64) -> Scene {
    let mut world = empty();
    floor(&mut world);
    let players = yard(&mut world, visitors as i32);
    let _ = field(&mut world, count);
    Scene { world, script: Script::Steer { players, seed } }
}

/// Centre of the yard, metres: beside a field of 20,000 boxes, which ends at 161.
const YARD: Real = real!(220);

/// A ground of 1 km, its top at height 0.
fn floor(world: &mut World) {
    let shape = solid(cuboid(real!(512), real!(1), real!(512)));
    put(world, BodyDef::fixed().at(Vec3::from_ints(0, -1, 0)).shape(shape));
}

fn ball(x: Real, z: Real) -> BodyDef {
    let shape = solid(Shape::sphere(Real::HALF).expect("within the limits"));
    BodyDef::dynamic().at(Vec3::new(x, Real::HALF, z)).shape(shape)
}

/// Boxes around the origin. Returns the distance of the outermost.
fn field(world: &mut World, count: u32) -> Real {
    let count = count as i32;
    // Seven boxes on four places.
    let places = (count * 4 + 6) / 7;
    let side = square_side(places);
    let middle = Real::from_int(side - 1) * real!(1.5);
    let mut left = count;
    for place in 0.. {
        if left == 0 {
            break;
        }
        let (x, z) = (Real::from_int(3 * (place % side)), Real::from_int(3 * (place / side)));
        let height = HEIGHTS[place as usize % 4].min(left);
        for y in 0..height {
            let at = Vec3::new(x - middle, Real::HALF + Real::from_int(y), z - middle);
            put(world, BodyDef::dynamic().at(at).shape(unit_box()));
        }
        left -= height;
    }
    middle
}

/// Balls between walls, initially 2.5 m apart.
fn yard(world: &mut World, visitors: i32) -> Vec<BodyId> {
    let side = square_side(visitors);
    let half = Real::from_int(side) * real!(1.25);
    let wall = half + real!(1);
    for (x, z, half_x, half_z) in [
        (wall, Real::ZERO, real!(1), wall + real!(1)),
        (-wall, Real::ZERO, real!(1), wall + real!(1)),
        (Real::ZERO, wall, wall + real!(1), real!(1)),
        (Real::ZERO, -wall, wall + real!(1), real!(1)),
    ] {
        let shape = solid(cuboid(half_x, real!(2), half_z));
        put(world, BodyDef::fixed().at(Vec3::new(YARD + x, real!(2), z)).shape(shape));
    }
    let start = real!(1.25) - half;
    (0..visitors)
        .map(|i| {
            let [x, z] = [i % side, i / side].map(|c| start + Real::from_int(c) * real!(2.5));
            put(world, ball(YARD + x, z))
        })
        .collect()
}

/// Side of the smallest square with this many places.
fn square_side(places: i32) -> i32 {
    (places - 1).max(0).isqrt() + 1
}
