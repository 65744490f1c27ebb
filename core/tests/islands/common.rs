//! Worlds and queries shared by several modules.

use isostep_core::shape::Shape;
use isostep_core::world::{
    Body, BodyDef, BodyId, BodyKind, Event, Material, Pair, ShapeDef, World, WorldDef,
};
use isostep_core::{Real, Transform, Vec3, real};

pub(crate) fn world() -> World {
    World::new(WorldDef::default()).unwrap()
}

pub(crate) fn weightless() -> World {
    World::new(WorldDef { gravity: Vec3::ZERO, ..WorldDef::default() }).unwrap()
}

/// The point at `x` and `z` metres and a height of `y_mm` millimetres.
pub(crate) fn spot(x: i32, y_mm: i32, z: i32) -> Vec3 {
    Vec3::new(Real::from_int(x), Real::ratio(y_mm, 1000), Real::from_int(z))
}

pub(crate) fn cube(half: Real) -> Shape {
    Shape::cuboid(Vec3::splat(half)).unwrap()
}

pub(crate) fn sphere(radius: Real) -> Shape {
    Shape::sphere(radius).unwrap()
}

/// A fixed box of 200 m, its top at height 0.
pub(crate) fn ground() -> BodyDef {
    let shape = Shape::cuboid(Vec3::new(real!(100), real!(1), real!(100))).unwrap();
    BodyDef::fixed().at(Vec3::from_ints(0, -1, 0)).shape(shape)
}

/// A flat box of 2 by 0.5 by 2 m as a support, of any kind.
pub(crate) fn slab(def: BodyDef, place: Vec3) -> BodyDef {
    def.at(place).shape(Shape::cuboid(Vec3::new(real!(1), real!(0.25), real!(1))).unwrap())
}

pub(crate) fn crate_at(place: Vec3) -> BodyDef {
    BodyDef::dynamic().at(place).shape(cube(Real::HALF))
}

/// A ball with rolling friction.
pub(crate) fn ball_at(place: Vec3) -> BodyDef {
    BodyDef::dynamic().at(place).shape(clingy(sphere(Real::HALF)))
}

/// The shape with rolling and spinning friction.
pub(crate) fn clingy(shape: Shape) -> ShapeDef {
    let (rolling, spinning) = (Real::ratio(5, 100), Real::ratio(5, 100));
    ShapeDef::from(shape).material(Material { rolling, spinning, ..Material::default() })
}

pub(crate) fn run(world: &mut World, ticks: u32) {
    for _ in 0..ticks {
        world.step();
    }
}

/// Dynamic bodies that are awake.
pub(crate) fn awake(world: &World) -> Vec<BodyId> {
    world
        .bodies()
        .filter(|(_, body)| body.kind() == BodyKind::Dynamic && !body.is_asleep())
        .map(|(id, _)| id)
        .collect()
}

pub(crate) fn is_asleep(world: &World, id: BodyId) -> bool {
    world.body(id).unwrap().is_asleep()
}

/// Steps until every dynamic body is asleep and returns the number of ticks; `None` if it exceeds `limit`.
pub(crate) fn steps_to_sleep(world: &mut World, limit: u32) -> Option<u32> {
    (1..=limit).find(|_| {
        world.step();
        awake(world).is_empty()
    })
}

/// A world with these bodies, stepped until all are asleep.
pub(crate) fn asleep_world(bodies: &[BodyDef]) -> (World, Vec<BodyId>) {
    let mut world = world();
    let ids = bodies.iter().map(|body| world.spawn(body.clone()).unwrap()).collect();
    let ticks = steps_to_sleep(&mut world, 900);
    assert!(ticks.is_some(), "awake after 15 s: {:?}", awake(&world));
    (world, ids)
}

pub(crate) fn fell_asleep(world: &World) -> Vec<BodyId> {
    world
        .events()
        .filter_map(|e| if let Event::FellAsleep(id) = e { Some(id) } else { None })
        .collect()
}

pub(crate) fn woke(world: &World) -> Vec<BodyId> {
    world.events().filter_map(|e| if let Event::Woke(id) = e { Some(id) } else { None }).collect()
}

pub(crate) fn began(world: &World) -> Vec<Pair> {
    world
        .events()
        .filter_map(|e| if let Event::ContactBegan(p) = e { Some(p) } else { None })
        .collect()
}

pub(crate) fn ended(world: &World) -> Vec<Pair> {
    world
        .events()
        .filter_map(|e| if let Event::ContactEnded(p) = e { Some(p) } else { None })
        .collect()
}

pub(crate) fn persisted(world: &World) -> Vec<Pair> {
    world
        .events()
        .filter_map(|e| if let Event::ContactPersisted(p) = e { Some(p) } else { None })
        .collect()
}

pub(crate) fn entered(world: &World) -> Vec<Pair> {
    world
        .events()
        .filter_map(|e| if let Event::SensorEntered(p) = e { Some(p) } else { None })
        .collect()
}

pub(crate) fn stayed(world: &World) -> Vec<Pair> {
    world
        .events()
        .filter_map(|e| if let Event::SensorStayed(p) = e { Some(p) } else { None })
        .collect()
}

pub(crate) fn left(world: &World) -> Vec<Pair> {
    world
        .events()
        .filter_map(|e| if let Event::SensorLeft(p) = e { Some(p) } else { None })
        .collect()
}

/// Returns whether the two bodies have a contact, touching or speculative.
pub(crate) fn meet(world: &World, a: BodyId, b: BodyId) -> bool {
    world.contacts().any(|contact| contact.bodies() == [a.min(b), a.max(b)])
}

/// Raw bits of a body's motion: centre of mass, rotation, velocity, angular velocity.
pub(crate) type Bits = ([i64; 3], [i32; 4], [i64; 3], [i64; 3]);

pub(crate) fn bits(body: &Body<'_>) -> Bits {
    (
        body.center_of_mass().to_bits(),
        body.rotation().to_bits(),
        body.velocity().to_bits(),
        body.angular_velocity().to_bits(),
    )
}

pub(crate) fn all_bits(world: &World) -> Vec<(BodyId, Bits)> {
    world.bodies().map(|(id, body)| (id, bits(&body))).collect()
}

pub(crate) fn encoded(world: &World) -> Vec<u8> {
    let mut bytes = Vec::new();
    world.encode(&mut bytes);
    bytes
}

pub(crate) fn height(world: &World, id: BodyId) -> f64 {
    world.body(id).unwrap().position().y.to_f64()
}

pub(crate) fn pose(place: Vec3) -> Transform {
    Transform::at(place)
}
