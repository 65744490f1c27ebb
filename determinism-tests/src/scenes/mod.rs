//! The shared scenes: worlds with exact parameters, used by goldens, tests, examples and benches.
#![allow(
    clippy::missing_panics_doc,
    reason = "scenes are constants: what they expect holds or a test fails"
)]

use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, Material, ShapeDef, World, WorldDef};
use isostep_core::{Real, Rng, Vec3, real};

/// A world and how it goes on.
#[derive(Debug)]
pub struct Scene {
    /// The world; step it with [`Scene::step`].
    pub world: World,
    /// Bodies that the script moves.
    players: Vec<BodyId>,
    seed: u64,
}

/// Names of all scenes.
pub const NAMES: [&str; 4] = ["pyramid", "stacks", "bin", "arena"];

/// Density of everything in the scenes, kg/m³.
const DENSITY: Real = real!(1);

/// A scene by its name and a seed for what is random in it.
pub fn build(name: &str, seed: u64) -> Option<Scene> {
    match name {
        "pyramid" => Some(pyramid(20)),
        "stacks" => Some(stacks(10, 5)),
        "bin" => Some(bin(10, seed)),
        "arena" => Some(arena(seed)),
        _ => None,
    }
}

impl Scene {
    fn new(world: World) -> Self {
        Self { world, players: Vec::new(), seed: 0 }
    }

    /// Does what the script says for this tick, then steps.
    pub fn step(&mut self) -> isostep_core::StepReport {
        self.act();
        self.world.step()
    }

    /// Does what the script says for this tick.
    pub fn act(&mut self) {
        const STEER: u64 = 2;
        let tick = self.world.tick();
        for (i, &player) in self.players.iter().enumerate() {
            let mut rng = Rng::keyed(self.seed, u64::from(tick / 30), i as u64, STEER);
            let mut axis = || rng.between(real!(-4), real!(4)).expect("not empty");
            let (x, z) = (axis(), axis());
            let y = self.world.body(player).map_or(Real::ZERO, |body| body.velocity().y);
            self.world.set_velocity(player, Vec3::new(x, y, z)).expect("players live and are slow");
        }
    }

    /// A digest of the state after the last step.
    pub fn digest(&self) -> blake3::Hash {
        let mut bytes = Vec::new();
        self.world.encode(&mut bytes);
        blake3::hash(&bytes)
    }
}

fn empty() -> World {
    World::new(WorldDef::default()).expect("the default is fine")
}

fn cuboid(x: Real, y: Real, z: Real) -> Shape {
    Shape::cuboid(Vec3::new(x, y, z)).expect("sizes within the limits")
}

fn put(world: &mut World, body: BodyDef) -> BodyId {
    world.spawn(body).expect("scenes are well-formed")
}

fn solid(shape: Shape) -> ShapeDef {
    ShapeDef::from(shape).density(DENSITY).material(Material::default())
}

/// A ground box of 200 m, its top at height 0.
fn ground(world: &mut World) {
    let shape = solid(cuboid(real!(100), real!(1), real!(100)));
    put(world, BodyDef::fixed().at(Vec3::from_ints(0, -1, 0)).shape(shape));
}

/// Four walls of 2 m around a square, this far from the middle.
fn walls(world: &mut World, distance: Real, half_height: Real) {
    let (middle, half_length) = (distance + real!(1), distance + real!(2));
    for (x, z, half_x, half_z) in [
        (middle, Real::ZERO, real!(1), half_length),
        (-middle, Real::ZERO, real!(1), half_length),
        (Real::ZERO, middle, half_length, real!(1)),
        (Real::ZERO, -middle, half_length, real!(1)),
    ] {
        let shape = solid(cuboid(half_x, half_height, half_z));
        put(world, BodyDef::fixed().at(Vec3::new(x, half_height, z)).shape(shape));
    }
}

fn unit_box() -> ShapeDef {
    solid(cuboid(Real::HALF, Real::HALF, Real::HALF))
}

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
    Scene { world, players, seed }
}
