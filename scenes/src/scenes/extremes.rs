//! Limits of a world in one scene: least and greatest masses, sizes, speeds and positions.

use super::parts::{cuboid, empty, put, solid, unit_box};
use super::{Scene, Size};
use isostep_core::shape::{MAX_SIZE, MIN_SIZE, Shape};
use isostep_core::world::{BodyDef, MAX_SPEED, Material, ShapeDef, WORLD_LIMIT, World};
use isostep_core::{Quat, Real, Rng, Vec3, real};

/// Least and greatest mass of a body, kg.
const LIGHTEST: Real = Real::from_bits(430);
const HEAVIEST: Real = Real::from_int(100_000_000);

/// Scene m: groups side by side on the largest possible box. Light bodies on the heaviest box, the
/// heaviest box on pebbles, heavy balls on light boxes, the longest and thinnest boxes, bodies with
/// restitution 1, the fastest shots at the thinnest walls, and a ball that leaves the world.
pub fn extremes(size: Size, seed: u64) -> Scene {
    let count = match size {
        Size::Small => 4,
        Size::Full => 16,
    };
    let mut world = empty();
    let ground = solid(cuboid(MAX_SIZE, MAX_SIZE, MAX_SIZE));
    put(&mut world, BodyDef::fixed().at(Vec3::Y * -MAX_SIZE).shape(ground));
    let yards: [fn(&mut Yard<'_>, i32); 7] = [dust, press, heavy, sticks, bouncers, shots, leaver];
    for (number, yard) in yards.into_iter().enumerate() {
        let middle = Vec3::from_ints(400 * (number as i32 - 3), 0, 7);
        yard(
            &mut Yard { world: &mut world, middle, rng: Rng::keyed(seed, 0, number as u64, YARD) },
            count,
        );
    }
    Scene::new(world)
}

/// Purpose of the random numbers.
const YARD: u64 = 8;

/// Area of one group.
struct Yard<'a> {
    world: &'a mut World,
    middle: Vec3,
    rng: Rng,
}

impl Yard<'_> {
    fn put(&mut self, mut body: BodyDef) {
        body.pose.translation += self.middle;
        put(self.world, body);
    }

    fn within(&mut self, size: Real) -> Real {
        self.rng.between(-size, size).expect("not empty")
    }
}

fn ball(radius: Real) -> ShapeDef {
    solid(Shape::sphere(radius).expect("within the limits"))
}

/// The lightest balls and boxes, from the least size to 16 times that, fall on the heaviest box.
fn dust(yard: &mut Yard<'_>, count: i32) {
    let half = real!(20);
    yard.put(
        BodyDef::dynamic().at(Vec3::Y * half).shape(solid(cuboid(half, half, half))).mass(HEAVIEST),
    );
    for i in 0..count {
        let size = MIN_SIZE * (1 + i % 16);
        let shape = if i % 2 == 0 { ball(size) } else { solid(cuboid(size, size, size)) };
        // The mass of the shapes must be within the limits even if the body's mass is set.
        let shape = shape.density(real!(1000));
        let (x, z) = (yard.within(Real::ratio(2, 100)), yard.within(Real::ratio(2, 100)));
        let place = Vec3::new(x, half + half + Real::ratio(5 + 3 * i, 100), z);
        yard.put(BodyDef::dynamic().at(place).shape(shape).mass(LIGHTEST));
    }
}

/// The heaviest box on four pebbles, and pebbles around it.
fn press(yard: &mut Yard<'_>, count: i32) {
    let (half, pebble) = (real!(4), Real::ratio(5, 100));
    for i in 0..count.max(4) {
        let out = Real::from_int(1 + i / 4);
        let (x, z) = (out * (i % 2 * 2 - 1) * 3, out * (i / 2 % 2 * 2 - 1) * 3);
        let shape = solid(cuboid(pebble, pebble, pebble));
        yard.put(
            BodyDef::dynamic().at(Vec3::new(x, pebble, z)).shape(shape).mass(Real::ratio(1, 1000)),
        );
    }
    let above = pebble + pebble + Real::ratio(1, 100);
    yard.put(
        BodyDef::dynamic()
            .at(Vec3::Y * (half + above))
            .shape(solid(cuboid(half, half, half)))
            .mass(HEAVIEST),
    );
}

/// Boxes of 100 g, each under a ball of one to a thousand tons.
fn heavy(yard: &mut Yard<'_>, count: i32) {
    for i in 0..count {
        let place = Vec3::new(Real::from_int(i * 3), Real::HALF, yard.within(Real::HALF));
        yard.put(BodyDef::dynamic().at(place).shape(unit_box()).mass(Real::ratio(1, 10)));
        let mass = Real::from_int([1_000, 10_000, 100_000, 1_000_000][i as usize % 4]);
        yard.put(BodyDef::dynamic().at(place + Vec3::Y).shape(ball(Real::HALF)).mass(mass));
    }
}

/// Boxes 60 m long and 2 mm to 2 cm thick fall across each other, and one of the greatest length.
fn sticks(yard: &mut Yard<'_>, count: i32) {
    for i in 0..count {
        let thin = MIN_SIZE * if i % 2 == 0 { 1 } else { 10 };
        let turn = Vec3::new(yard.within(Real::ratio(5, 100)), yard.within(real!(3)), Real::ZERO);
        let place = Vec3::new(
            yard.within(real!(5)),
            Real::HALF + Real::from_int(i) * Real::HALF,
            yard.within(real!(5)),
        );
        let shape = solid(cuboid(real!(30), thin, thin)).density(real!(600));
        yard.put(
            BodyDef::dynamic().at(place).rotated(Quat::from_rotation_vector(turn)).shape(shape),
        );
    }
    // Along z, away from the other groups.
    let shape = solid(cuboid(MIN_SIZE * 64, MIN_SIZE * 64, MAX_SIZE / 2)).density(real!(600));
    yard.put(BodyDef::dynamic().at(Vec3::new(real!(60), real!(2), Real::ZERO)).shape(shape));
}

/// Balls and boxes with restitution 1, light ones close above heavy ones.
fn bouncers(yard: &mut Yard<'_>, count: i32) {
    let lively = Material { restitution: Real::ONE, ..Material::default() };
    for i in 0..count {
        let size = Real::ratio(2 + i % 3, 10);
        let shape = if i % 3 == 2 { solid(cuboid(size, size, size)) } else { ball(size) };
        let place = Vec3::new(
            Real::from_int(i / 2 * 3),
            Real::from_int(5 + i % 2),
            yard.within(Real::ratio(1, 10)),
        );
        let mass = Real::from_int(if i % 2 == 0 { 1000 } else { 1 });
        yard.put(BodyDef::dynamic().at(place).shape(shape.material(lively)).mass(mass));
    }
}

/// Shots at a wall of the least thickness, at a stack, and at each other. Contacts cover half a
/// metre ahead, so many shots pass the wall before they could touch it.
fn shots(yard: &mut Yard<'_>, count: i32) {
    let wall = solid(cuboid(MIN_SIZE, real!(5), real!(50)));
    yard.put(BodyDef::fixed().at(Vec3::from_ints(20, 5, 0)).shape(wall));
    (0..4).for_each(|i| {
        let place = Vec3::new(real!(10), Real::HALF + Real::from_int(i), Real::ZERO);
        yard.put(BodyDef::dynamic().at(place).shape(unit_box()));
    });
    for i in 0..count {
        let back = i % 3 == 2;
        let speed = MAX_SPEED - Real::ratio(i, 10);
        let radius = Real::ratio(1 + i % 4 * 5, 100);
        let place = Vec3::new(
            Real::from_int(if back { 18 } else { -80 }),
            real!(1.5),
            Real::from_int(i / 3 * 2),
        );
        let velocity =
            Vec3::new(if back { -speed } else { speed }, yard.within(real!(2)), Real::ZERO);
        yard.put(BodyDef::dynamic().at(place).velocity(velocity).shape(ball(radius)));
    }
}

/// A ball that leaves the world, and one that falls from its top.
fn leaver(yard: &mut Yard<'_>, _: i32) {
    let shape = ball(Real::HALF);
    let edge = Vec3::new(WORLD_LIMIT - real!(100), WORLD_LIMIT - real!(50), Real::ZERO);
    let leaving = BodyDef::dynamic().velocity(Vec3::X * 100).gravity_scale(Real::ZERO);
    put(yard.world, leaving.at(edge).shape(shape.clone()));
    put(yard.world, BodyDef::dynamic().at(Vec3::Y * WORLD_LIMIT).shape(shape));
}
