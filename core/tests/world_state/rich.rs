//! A world with rows of every kind, and its script.

use isostep_core::internals::StateSection;
use isostep_core::shape::Shape;
use isostep_core::world::{
    BodyDef, BodyId, Command, Filter, JointDef, Material, ShapeDef, World, WorldDef,
};
use isostep_core::{Real, Vec3, real};

fn brick(x: Real, y: Real, z: Real) -> Shape {
    Shape::cuboid(Vec3::new(x, y, z)).unwrap()
}

/// Several streams, all shapes, sensors, sleeping bodies, a platform, a material table, freed ids.
pub(crate) fn world() -> World {
    let mut def = WorldDef { time_to_sleep: Real::ratio(1, 5), ..WorldDef::default() };
    let slick = Material { friction: Real::ratio(1, 10), ..Material::default() };
    def.materials.set(1, 2, slick).unwrap();
    def.materials.set(3, 3, Material::default()).unwrap();
    def.layers.set(3, 4, false).unwrap();
    let mut world = World::with_history(def, 16).unwrap();
    world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).unwrap();
    let mut made = Vec::new();
    for i in 0..40 {
        let place = Vec3::new(
            Real::from_int(i % 6) * Real::ratio(11, 10),
            Real::HALF + Real::from_int(i / 6),
            Real::from_int(i % 3) * Real::ratio(5, 4),
        );
        let shape = match i % 4 {
            0 | 3 => brick(Real::HALF, Real::HALF, Real::HALF),
            1 => Shape::sphere(Real::HALF).unwrap(),
            _ => Shape::capsule(Real::ratio(3, 10), Real::ratio(35, 100)).unwrap(),
        };
        let rough = Material {
            rolling: Real::ratio(1, 20),
            spinning: Real::ratio(1, 20),
            restitution: Real::ratio(1, 5),
            tag: (i % 3) as u16,
            ..Material::default()
        };
        let mut body = BodyDef::dynamic()
            .at(place)
            .shape(ShapeDef::from(shape).material(rough).layer((i % 5) as u8))
            .user_data(i as u64);
        if i % 5 == 0 {
            body = body.shape(ShapeDef::from(shape).at(Vec3::X)).persist_events();
        }
        if i % 7 == 0 {
            let eye = Shape::sphere(real!(2)).unwrap();
            body = body.shape(ShapeDef::from(eye).sensor()).stay_events();
        }
        made.push(world.spawn_in((i % 3) as u8, body).unwrap());
    }
    let lone = BodyDef::dynamic().at(Vec3::new(real!(30), Real::HALF, real!(30)));
    world.spawn_in(4, lone.shape(brick(Real::HALF, Real::HALF, Real::HALF))).unwrap();
    let zone = ShapeDef::from(brick(real!(3), real!(3), real!(3))).sensor();
    world.spawn(BodyDef::fixed().at(Vec3::from_ints(3, 1, 1)).shape(zone)).unwrap();
    let slab = BodyDef::kinematic().at(Vec3::new(real!(3), real!(3), real!(5)));
    let slab = slab.shape(brick(real!(2), real!(0.25), real!(2)));
    let slab = world.spawn(slab).unwrap();
    world.set_velocity(slab, Vec3::new(real!(0.5), Real::ZERO, Real::ZERO)).unwrap();
    let resting = BodyDef::kinematic().at(Vec3::from_ints(40, 1, 40));
    world.spawn(resting.shape(brick(Real::HALF, Real::HALF, Real::HALF))).unwrap();
    for id in [made[4], made[11]] {
        world.despawn(id).unwrap();
    }
    let alone = Filter { layer: 2, group: 7 };
    world.command(Command::SetFilter(made[2], 0, alone)).unwrap();
    for (i, pair) in made[12..20].windows(2).enumerate() {
        let length = Real::ONE + Real::ratio(i as i32, 8);
        let def = match i % 3 {
            0 => JointDef::rod(pair[0], pair[1], length),
            1 => JointDef::rod_to_world(pair[0], Vec3::from_ints(2, 9, 1), length * 3),
            _ => JointDef::rod(slab, pair[1], length * 2).anchors(Vec3::X, Vec3::Y).collide(),
        };
        world.add_joint(if i == 4 { def.disabled() } else { def }).unwrap();
    }
    if cfg!(feature = "test-internals") {
        for (id, seed) in made[20..30].iter().zip(5..) {
            world.set_user_data(*id, mark(seed)).unwrap();
        }
    }
    world.commit();
    world
}

/// Issues commands from time to time, so that the state keeps changing.
pub(crate) fn act(world: &mut World) {
    let tick = world.tick().0;
    let ids: Vec<BodyId> = world.bodies().map(|(id, _)| id).collect();
    let chosen = ids[1 + (tick as usize * 13) % (ids.len() - 1)];
    match tick % 11 {
        3 => _ = world.apply_impulse(chosen, Vec3::from_ints(200, 300, -100)),
        5 if ids.len() > 20 => _ = world.despawn(chosen),
        7 => {
            let ball = BodyDef::dynamic()
                .at(Vec3::new(real!(2), real!(9), real!(1)))
                .shape(Shape::sphere(Real::ratio(3, 10)).unwrap());
            _ = world.spawn_in((tick % 3) as u8, ball);
        }
        6 => {
            let other = ids[1 + (tick as usize * 7) % (ids.len() - 1)];
            _ = world.add_joint(JointDef::rod(chosen, other, real!(2)));
        }
        10 => {
            let joint = world.joints().nth(tick as usize % 5).map(|joint| joint.id());
            _ = joint.map(|joint| world.remove_joint(joint));
        }
        9 => _ = world.command(Command::SetEnabled(chosen, tick.is_multiple_of(2))),
        1 | 2 | 8 if cfg!(feature = "test-internals") => {
            _ = world.set_user_data(chosen, mark(tick % 4));
        }
        _ => {}
    }
}

/// Steps some ticks.
pub(crate) fn play(world: &mut World, ticks: u32) {
    for _ in 0..ticks {
        act(world);
        world.step();
    }
}

/// The existing pages.
pub(crate) fn pages(world: &World) -> Vec<(StateSection, u32)> {
    let tree = world.digest_tree();
    let pages = |section: StateSection| {
        let pages = tree.get(section.name()).map_or_else(Vec::new, |pages| pages.pages().to_vec());
        pages.into_iter().map(move |(page, _)| (section, page))
    };
    StateSection::ALL.into_iter().flat_map(pages).collect()
}

/// User data that gives a body a row of the list `marks`, or takes it away if the seed is 0. Without that list it is only a number.
pub(crate) const fn mark(seed: u32) -> u64 {
    (u32::from_be_bytes(*b"mark") as u64) << 32 | seed as u64
}
