//! Sleeping bodies are supported: random bodies are removed from random heaps, and every sleeping body must have a support
//! afterwards.

use super::common::{awake, cube, pose, run, slab, spot, steps_to_sleep};
use super::graph::assert_islands_are_those_of_the_contacts;
use isostep_core::shape::Shape;
use isostep_core::world::{
    BodyDef, BodyId, BodyKind, Combine, Command, Filter, Layers, Material, ShapeDef, World,
    WorldDef,
};
use isostep_core::{Quat, Real, Rng, Vec3, real};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The shape with enough rolling friction for stable heaps.
fn clingy(shape: Shape) -> ShapeDef {
    let (rolling, spinning) = (Real::ratio(3, 10), Real::ratio(3, 10));
    let clings = Material { rolling, spinning, ..Material::default() };
    ShapeDef::from(shape).material(clings.friction_combine(Combine::Max))
}

/// A ground, shelves of all kinds, and a heap on each.
fn heap(seed: u64, count: u32) -> World {
    let mut layers = Layers::default();
    layers.set(0, 1, false).unwrap();
    let mut world = World::new(WorldDef { layers, ..WorldDef::default() }).unwrap();
    world.spawn(super::common::ground()).unwrap();
    world.spawn(slab(BodyDef::fixed(), spot(0, 1500, 0))).unwrap();
    world.spawn(slab(BodyDef::kinematic(), spot(3, 1500, 0))).unwrap();
    world.spawn(slab(BodyDef::dynamic(), spot(-3, 250, 0))).unwrap();
    let mut rng = Rng::new(seed);
    for i in 0..count {
        let mut within = |size: Real| rng.between(-size, size).unwrap();
        let aside = Real::from_int(3 * (i as i32 % 3 - 1)) + within(Real::ratio(5, 10));
        let place =
            Vec3::new(aside, Real::ratio(2400 + 350 * i as i32, 1000), within(Real::ratio(5, 10)));
        let turn = Vec3::Y * within(real!(3));
        let shape = match rng.below(4).unwrap() {
            0 => clingy(Shape::sphere(Real::ratio(4, 10)).unwrap()),
            1 => clingy(Shape::capsule(Real::ratio(3, 10), Real::ratio(3, 10)).unwrap()),
            2 => clingy(cube(Real::ratio(4, 10))),
            _ => clingy(
                Shape::cuboid(Vec3::new(Real::ratio(6, 10), Real::ratio(2, 10), Real::HALF))
                    .unwrap(),
            ),
        };
        let body =
            BodyDef::dynamic().at(place).rotated(Quat::from_rotation_vector(turn)).shape(shape);
        world.spawn_in((i % 3) as u8, body).unwrap();
    }
    world
}

/// Removes, moves or changes a body that others may rest on.
fn undermine(world: &mut World, rng: &mut Rng) -> String {
    // All except the ground.
    let ids: Vec<_> = world.bodies().skip(1).map(|(id, _)| id).collect();
    let id = ids[rng.below(ids.len() as u32).unwrap() as usize];
    let body = world.body(id).unwrap();
    let (kind, place) = (body.kind(), body.position());
    let far = pose(Vec3::new(real!(40) + rng.unit(), real!(3), rng.unit() * 20));
    let command = match rng.below(9).unwrap() {
        0 | 1 => Command::Despawn(id),
        2 => Command::Teleport(id, far),
        3 => Command::Teleport(id, pose(place - Vec3::Y * (rng.unit() * Real::HALF))),
        4 => Command::SetEnabled(id, false),
        5 if kind != BodyKind::Dynamic => Command::SetKind(id, BodyKind::Dynamic),
        6 => Command::SetFilter(id, 0, Filter { layer: 1, group: 0 }),
        7 => Command::SetSensor(id, 0, true),
        _ => Command::SetMaterial(id, 0, Material { friction: Real::ZERO, ..Material::default() }),
    };
    world.command(command.clone()).unwrap();
    format!("{command:?} of a {kind:?} body")
}

/// Sleeping bodies without a path of contacts to a fixed or kinematic body.
fn floating(world: &World) -> BTreeSet<BodyId> {
    let dynamic = |id: BodyId| world.body(id).unwrap().kind() == BodyKind::Dynamic;
    let contacts: Vec<_> = world.contacts().map(|contact| contact.bodies()).collect();
    let mut held: BTreeSet<BodyId> = BTreeSet::new();
    loop {
        let before = held.len();
        for [a, b] in &contacts {
            for (up, down) in [(*a, *b), (*b, *a)] {
                if !dynamic(down) || held.contains(&down) {
                    held.insert(up);
                }
            }
        }
        if held.len() == before {
            break;
        }
    }
    let asleep = world.bodies().filter(|(_, body)| body.is_asleep()).map(|(id, _)| id);
    asleep.filter(|id| !held.contains(id)).collect()
}

/// Wakes all bodies and returns those that fall: 20 ticks of free fall are 0.54 m. A toppling body is slower.
fn fall_when_woken(world: &mut World) -> Vec<(BodyId, f64)> {
    let asleep: Vec<_> = world
        .bodies()
        .filter(|(_, body)| body.is_asleep())
        .map(|(id, body)| (id, body.position().y))
        .collect();
    for (id, _) in &asleep {
        world.wake(*id).unwrap();
    }
    run(world, 20);
    asleep
        .into_iter()
        .map(|(id, y)| (id, (y - world.body(id).unwrap().position().y).to_f64()))
        .filter(|(_, fall)| *fall > 0.15)
        .collect()
}

fn check(seed: u64, count: u32, rounds: u32) {
    let mut world = heap(seed, count);
    run(&mut world, 240);
    let mut rng = Rng::keyed(seed, 0, 0, 9);
    for round in 0..rounds {
        let slept = awake(&world).is_empty();
        let deed = undermine(&mut world, &mut rng);
        let what = format!("seed {seed}, round {round}, {deed}, all asleep before: {slept}");
        for _ in 0..200 {
            world.step();
            // Disabled bodies are not simulated and do not sleep.
            assert_eq!(floating(&world), BTreeSet::new(), "{what}, tick {}", world.tick());
        }
        assert_islands_are_those_of_the_contacts(&world, &what);
        let falling = fall_when_woken(&mut world);
        assert!(falling.is_empty(), "{what}: floated until woken: {falling:?}");
        steps_to_sleep(&mut world, 120);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 100, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn no_sleeping_body_floats_after_supports_are_removed(seed in any::<u64>(), count in 4u32..16) {
        check(seed, count, 3);
    }
}

#[test]
fn heaps_mostly_sleep_before_they_are_undermined() {
    // Otherwise the property above would only test awake bodies.
    let asleep = (0..10).filter(|seed| {
        let mut world = heap(*seed, 12);
        run(&mut world, 240);
        awake(&world).len() <= 3
    });
    let asleep = asleep.count();
    assert!(asleep >= 7, "{asleep} of 10");
}
