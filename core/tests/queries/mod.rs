//! Queries against brute force: after every kind of call, at the current tick and at every held one.

mod game;
mod oracle;

use game::Game;
use isostep_core::shape::Shape;
use isostep_core::world::{
    BodyDef, BodyKind, Filter, Layers, NoSuchLayer, QueryFilter, RayHit, ShapeDef, World, WorldDef,
};
use isostep_core::{Quat, Real, Transform, Vec3, real};

/// Random calls, with rays after each of them; see `game.rs`.
#[test]
fn rays_hit_what_brute_force_finds_after_any_calls() {
    let mut hits = 0;
    for seed in 0..24 {
        let mut game = Game::new(seed);
        for _ in 0..60 {
            game.call();
            game.look();
        }
        hits += game.hits;
    }
    // The rays must not miss everything.
    assert!(hits > 12_000, "{hits} hits");
}

fn ball(radius: Real) -> Shape {
    Shape::sphere(radius).unwrap()
}

fn cast(world: &World, origin: Vec3, displacement: Vec3) -> Option<RayHit> {
    world.cast_ray(origin, displacement, &QueryFilter::default())
}

#[test]
fn equal_fractions_are_ordered_by_body_and_shape() {
    let mut world = World::new(WorldDef::default()).unwrap();
    let twin = BodyDef::fixed().shape(ball(real!(1))).shape(ball(real!(1)));
    let ids: Vec<_> = (0..3).map(|_| world.spawn(twin.clone()).unwrap()).collect();
    let found = |world: &World| {
        let hit = cast(world, Vec3::X * real!(4), Vec3::X * real!(-6)).unwrap();
        (hit.body, hit.shape)
    };
    for _ in 0..2 {
        assert_eq!(found(&world), (ids[0], 0));
        world.step();
    }
    world.remove_shape(ids[0], 0).unwrap();
    assert_eq!(found(&world), (ids[0], 1));
    world.despawn(ids[0]).unwrap();
    assert_eq!(found(&world), (ids[1], 0));
    // A body at the index of another one is as early as that was.
    let again = world.spawn(twin).unwrap();
    assert_eq!(found(&world), (again, 0));
}

#[test]
fn a_filter_admits_what_it_says() {
    let mut layers = Layers::default();
    layers.set(2, 3, false).unwrap();
    let mut world = World::new(WorldDef { layers, ..WorldDef::default() }).unwrap();
    let shape = |layer: u8, group: u32| {
        let mut def = ShapeDef::from(ball(real!(1))).layer(layer);
        def.filter.group = group;
        def
    };
    // In the order of the ray.
    let at = |x: i32| Vec3::from_ints(x, 0, 0);
    let sensor = world.spawn(BodyDef::fixed().at(at(4)).shape(shape(0, 0).sensor())).unwrap();
    let off = world.spawn(BodyDef::fixed().at(at(8)).shape(shape(0, 0))).unwrap();
    let moving = world.spawn(BodyDef::kinematic().at(at(12)).shape(shape(2, 0))).unwrap();
    let third = world.spawn(BodyDef::fixed().at(at(16)).shape(shape(3, 7))).unwrap();
    let dynamic = world.spawn(BodyDef::dynamic().at(at(20)).shape(shape(4, 0))).unwrap();
    world.set_enabled(off, false).unwrap();
    world.set_gravity(Vec3::ZERO).unwrap();
    let all = QueryFilter::default();
    let with = |layer, group| all.colliding_with(Filter { layer, group }).unwrap();
    for _ in 0..2 {
        let first =
            |filter: QueryFilter| world.cast_ray(Vec3::ZERO, at(40), &filter).map(|hit| hit.body);
        assert_eq!(first(all.sensors()), Some(sensor));
        assert_eq!(first(all), Some(moving));
        assert_eq!(first(all.exclude(moving)), Some(third));
        assert_eq!(first(all.kinds([BodyKind::Fixed])), Some(third));
        assert_eq!(first(all.kinds([BodyKind::Fixed, BodyKind::Kinematic])), Some(moving));
        assert_eq!(first(all.layers(1 << 4 | 1 << 3)), Some(third));
        assert_eq!(first(all.layers(1 << 4)), Some(dynamic));
        assert_eq!(first(all.layers(0)), None);
        assert_eq!(first(with(3, 0)), Some(third), "layers 2 and 3 do not collide");
        assert_eq!(first(with(3, 7)), Some(dynamic), "the group does not collide with itself");
        world.step();
    }
    let error = all.colliding_with(Filter { layer: 32, group: 0 });
    assert_eq!(error, Err(NoSuchLayer(32)));
}

#[test]
fn rays_of_any_length_and_place_are_answered() {
    let mut world = World::new(WorldDef::default()).unwrap();
    let near = world.spawn(BodyDef::fixed().shape(ball(real!(1)))).unwrap();
    let far = Vec3::new(real!(1073741820), real!(5), real!(-7));
    let edge = world.spawn(BodyDef::fixed().at(far).shape(ball(real!(1)))).unwrap();
    for _ in 0..2 {
        let hit = |origin, displacement| cast(&world, origin, displacement);
        // Nothing but the start: inside, touching, outside.
        let inside = hit(Vec3::ZERO, Vec3::ZERO).unwrap();
        assert_eq!((inside.body, inside.fraction, inside.normal), (near, real!(0), Vec3::ZERO));
        assert_eq!(hit(Vec3::X, Vec3::ZERO).map(|hit| hit.body), Some(near));
        assert_eq!(hit(Vec3::X + Vec3::X * Real::EPSILON, Vec3::ZERO), None);
        // From one end of the range to the other, and beyond it.
        let across = hit(Vec3::X * real!(-2147483648), Vec3::X * real!(2147483647.5)).unwrap();
        assert_eq!((across.body, across.normal), (near, -Vec3::X));
        assert!((across.point.x + real!(1)).abs() <= real!(0.5), "{across:?}");
        let edge_hit = hit(far - Vec3::X * real!(1000), Vec3::X * real!(2147483647.5)).unwrap();
        assert_eq!(edge_hit.body, edge);
        for corner in [Real::MIN, Real::MAX] {
            for way in [Real::MIN, Real::MAX] {
                let _ = hit(Vec3::splat(corner), Vec3::splat(way));
                let _ = hit(Vec3::splat(corner), Vec3::new(way, Real::ZERO, -way));
            }
        }
        world.step();
    }
}

/// The bound on `World::cast_ray`.
#[test]
fn the_point_is_exact_to_a_micrometre_at_a_kilometre() {
    let mut world = World::new(WorldDef::default()).unwrap();
    let tilt = Quat::from_axis_angle(Vec3::Z, real!(0.25)).unwrap();
    let wall = Shape::cuboid(Vec3::new(real!(1), real!(50), real!(50))).unwrap();
    let pose = Transform::new(Vec3::X * real!(1000), tilt);
    world.spawn(BodyDef::fixed().at(pose.translation).rotated(tilt).shape(wall)).unwrap();
    world.step();
    for i in -40..40 {
        let displacement = Vec3::new(real!(1100), Real::from_int(i), Real::ratio(i, 3));
        let hit = cast(&world, Vec3::ZERO, displacement).unwrap();
        let local = pose.point_inverse(hit.point);
        assert!((local.x + real!(1)).abs() < Real::ratio(1, 1_000_000), "{hit:?} is at {local:?}");
    }
}
