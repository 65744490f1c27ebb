//! Pendulums, chains and a bridge of rods, some of them asleep.

use super::parts::{cuboid, empty, ground, put, solid, unit_box};
use super::{Scene, Script};
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, JointDef, World};
use isostep_core::{Real, Vec3, real};

/// Scene m: `count` groups of a pendulum that swings, a chain that hangs still and falls asleep, a chain between two boxes on the ground, and a
/// bridge of rods and planks between fixed posts. Two balls are steered at random among them.
pub fn rods(count: i32, seed: u64) -> Scene {
    let mut world = empty();
    ground(&mut world);
    for i in 0..count {
        group(&mut world, Vec3::X * (6 * i));
    }
    let middle = Real::from_int(3 * (count - 1));
    let players = [real!(-4), real!(4)].map(|z| {
        let ball = solid(Shape::sphere(Real::HALF).expect("within the limits"));
        put(&mut world, BodyDef::dynamic().at(Vec3::new(middle, Real::HALF, z)).shape(ball))
    });
    Scene { world, script: Script::Steer { players: players.to_vec(), seed } }
}

fn group(world: &mut World, place: Vec3) {
    pendulum(world, place + Vec3::from_ints(0, 4, 0));
    hanging(world, place + Vec3::from_ints(2, 4, 2), 3);
    // Two boxes that a loose chain joins.
    let boxes = [-1, 1].map(|side| {
        let at = place + Vec3::new(Real::from_int(side), Real::HALF, real!(-2));
        put(world, BodyDef::dynamic().at(at).shape(unit_box()))
    });
    join(world, JointDef::rod(boxes[0], boxes[1], real!(2)).collide());
    bridge(world, place + Vec3::from_ints(0, 1, 3));
}

fn small(world: &mut World, at: Vec3) -> BodyId {
    let ball = solid(Shape::sphere(real!(0.25)).expect("within the limits"));
    put(world, BodyDef::dynamic().at(at).shape(ball))
}

fn join(world: &mut World, def: JointDef) {
    world.add_joint(def).expect("scenes are well-formed");
}

/// A pendulum of two links that starts level.
fn pendulum(world: &mut World, place: Vec3) {
    let near = small(world, place + Vec3::X);
    let far = small(world, place + Vec3::X * 2);
    join(world, JointDef::rod_to_world(near, place, Real::ONE));
    join(world, JointDef::rod(near, far, Real::ONE));
}

/// A chain of links that hangs from the world.
fn hanging(world: &mut World, place: Vec3, links: i32) {
    let mut last = None;
    for i in 1..=links {
        let link = small(world, place - Vec3::Y * (Real::from_int(i) * real!(0.75)));
        join(
            world,
            match last {
                None => JointDef::rod_to_world(link, place, real!(0.75)),
                Some(last) => JointDef::rod(link, last, real!(0.75)),
            },
        );
        last = Some(link);
    }
}

/// Planks that hang by their corners between two posts.
fn bridge(world: &mut World, place: Vec3) {
    let post = solid(cuboid(real!(0.25), Real::ONE, real!(0.5)));
    let mut ends = [-1, 1].map(|side| {
        let at = place + Vec3::X * (Real::from_int(side) * real!(2.5));
        put(world, BodyDef::fixed().at(at).shape(post.clone()))
    });
    ends.reverse();
    let plank = solid(cuboid(real!(0.5), real!(0.0625), real!(0.5)));
    let mut last = (ends[1], Vec3::new(real!(0.25), Real::ONE, Real::ZERO));
    for i in -1..=1 {
        let at = place + Vec3::new(Real::from_int(i) * real!(1.25), Real::ONE, Real::ZERO);
        let plank =
            put(world, BodyDef::dynamic().at(at).shape(plank.clone()).damping(real!(1), real!(1)));
        connect(world, last, (plank, Vec3::X * real!(-0.5)));
        last = (plank, Vec3::X * real!(0.5));
    }
    connect(world, (ends[0], Vec3::new(real!(-0.25), Real::ONE, Real::ZERO)), last);
}

/// Joins the near corners of two edges.
fn connect(world: &mut World, (a, at): (BodyId, Vec3), (b, on): (BodyId, Vec3)) {
    for side in [real!(-0.5), real!(0.5)] {
        let aside = Vec3::Z * side;
        join(world, JointDef::rod(b, a, real!(0.375)).anchors(on + aside, at + aside));
    }
}
