//! Ordinary bodies far from the origin, where insufficient precision would show.

use super::parts::{cuboid, empty, put, small_shape, solid, unit_box};
use super::{Scene, Size};
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, Material};
use isostep_core::{Quat, Real, Rng, Vec3, real};

/// Position of scene l, 1.07·10⁸ m from the origin: on no axis, no plane and no round number.
pub fn far_place() -> Vec3 {
    let component =
        |whole, billionths| Real::from_int(whole) + Real::ratio(billionths, 1_000_000_000);
    Vec3::new(
        component(-73_205_081, 192_430_767),
        component(61_803_398, 874_989_484),
        component(46_692_016, 91_029_907),
    )
}

/// Scene l: a pyramid, a heap and bodies on a ramp, all [far away](far_place).
pub fn far(size: Size, seed: u64) -> Scene {
    far_at(far_place(), size, seed)
}

/// Scene l at any position.
pub fn far_at(place: Vec3, size: Size, seed: u64) -> Scene {
    let (base, side, rollers) = match size {
        Size::Small => (5, 3, 10),
        Size::Full => (10, 4, 30),
    };
    let mut bodies = vec![BodyDef::fixed().at(Vec3::from_ints(0, -1, 0)).shape(solid(cuboid(
        real!(100),
        real!(1),
        real!(100),
    )))];
    bodies.extend(pyramid(base));
    bodies.extend(heap(side, seed));
    bodies.extend(ramp(rollers, seed));
    let mut world = empty();
    for mut body in bodies {
        body.pose.translation += place;
        put(&mut world, body);
    }
    Scene::new(world)
}

fn pyramid(base: i32) -> Vec<BodyDef> {
    let places = (0..base).flat_map(|row| (0..base - row).map(move |column| (row, column)));
    let place = |(row, column): (i32, i32)| {
        let x = Real::from_int(2 * column - (base - 1 - row)) * Real::ratio(55, 100);
        Vec3::new(x, Real::HALF + Real::from_int(row), real!(-10))
    };
    places.map(|at| BodyDef::dynamic().at(place(at)).shape(unit_box())).collect()
}

fn heap(side: i32, seed: u64) -> Vec<BodyDef> {
    const JITTER: u64 = 6;
    let thing = |i: i32| {
        let mut rng = Rng::keyed(seed, 0, i as u64, JITTER);
        let mut jitter =
            || rng.between(Real::ratio(-1, 10), Real::ratio(1, 10)).expect("not empty");
        let [x, y, z] = [i % side, i / (side * side), i / side % side].map(Real::from_int);
        let place = Vec3::new(x + jitter() + real!(10), y + real!(1), z + jitter());
        BodyDef::dynamic().at(place).shape(small_shape(i as u32))
    };
    (0..side * side * side).map(thing).collect()
}

/// Balls and capsules that start on a slope and roll until friction stops them.
fn ramp(count: i32, seed: u64) -> Vec<BodyDef> {
    const SPEED: u64 = 7;
    let tilt = Quat::from_axis_angle(Vec3::Z, Real::ratio(-2, 10)).expect("an axis");
    let board = solid(cuboid(real!(5), real!(0.25), real!(9)));
    let mut bodies =
        vec![BodyDef::fixed().at(Vec3::from_ints(-20, 1, 10)).rotated(tilt).shape(board)];
    let material = Material {
        rolling: Real::ratio(2, 100),
        spinning: Real::ratio(2, 100),
        ..Material::default()
    };
    // A capsule's axis is y; rotated, it rolls along x.
    let lying = Quat::from_axis_angle(Vec3::X, Real::FRAC_PI_2).expect("an axis");
    for i in 0..count {
        let mut rng = Rng::keyed(seed, 0, i as u64, SPEED);
        let mut within = |size: Real| rng.between(-size, size).expect("not empty");
        let (shape, turn) = match i % 2 {
            0 => (Shape::sphere(Real::ratio(35, 100)), Quat::IDENTITY),
            _ => (Shape::capsule(Real::ratio(4, 10), Real::ratio(25, 100)), lying),
        };
        let shape = solid(shape.expect("sizes within the limits")).material(material);
        let place =
            Vec3::from_ints(-22, 3 + i / 6, 0) + Vec3::Z * (real!(3.5) + Real::from_int(i % 6 * 2));
        let velocity = Vec3::new(real!(1) + within(real!(1)), Real::ZERO, within(Real::HALF));
        bodies.push(BodyDef::dynamic().at(place).rotated(turn).velocity(velocity).shape(shape));
    }
    bodies
}
