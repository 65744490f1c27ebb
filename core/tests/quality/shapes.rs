//! Shapes that change by command: numbers, mass, velocity, contacts, events.

use super::common::{crate_at, cube, encoded, floats, ground, length, weightless, world};
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, CommandError, Event, ShapeDef, World, WorldDef};
use isostep_core::{Quat, Real, Tick, Transform, Vec3, real};

fn ball(x: i32) -> ShapeDef {
    ShapeDef::from(Shape::sphere(Real::HALF).unwrap()).at(Vec3::X * x)
}

fn steps(world: &mut World, ticks: u32) {
    for _ in 0..ticks {
        world.step();
    }
}

fn numbers(world: &World, body: BodyId) -> Vec<u8> {
    world.body(body).unwrap().shapes().map(|shape| shape.0).collect()
}

#[test]
fn a_body_whose_shapes_changed_is_one_that_was_spawned_with_them() {
    let box_ = |at: Vec3| ShapeDef::from(cube(Real::ratio(1, 4))).at(at).density(real!(300));
    let (mut one, mut two) = (weightless(), weightless());
    let wanted =
        BodyDef::dynamic().at(Vec3::from_ints(3, 4, 5)).shape(ball(2)).shape(box_(Vec3::Y));
    one.spawn(wanted).unwrap();
    let start = BodyDef::dynamic().at(Vec3::from_ints(3, 4, 5)).shape(box_(Vec3::Z));
    let body = two.spawn(start).unwrap();
    assert_eq!(two.add_shape(body, box_(Vec3::Y)).unwrap(), 1);
    two.set_shape_pose(body, 0, Transform::at(Vec3::X * 2)).unwrap();
    two.set_shape(body, 0, Shape::sphere(Real::HALF).unwrap()).unwrap();
    two.remove_shape(body, 0).unwrap();
    assert_eq!(two.add_shape(body, ball(2)).unwrap(), 0);
    assert!(encoded(&one) == encoded(&two));
    steps(&mut one, 5);
    steps(&mut two, 5);
    assert_eq!(one.digest(), two.digest());
}

#[test]
fn numbers_of_removed_shapes_are_reused_from_the_lowest() {
    let mut world = world();
    let body = BodyDef::fixed().shape(ball(0)).shape(ball(1)).shape(ball(2)).shape(ball(3));
    let body = world.spawn(body).unwrap();
    world.remove_shape(body, 2).unwrap();
    world.remove_shape(body, 0).unwrap();
    assert_eq!(numbers(&world, body), [1, 3]);
    let refused = CommandError::NoSuchShape { body, shape: 2 };
    assert_eq!(world.remove_shape(body, 2), Err(refused));
    assert!(refused.to_string().starts_with(&format!("body {body} has no shape 2; ")), "{refused}");
    assert_eq!(world.add_shape(body, ball(9)).unwrap(), 0);
    assert_eq!(world.add_shape(body, ball(9)).unwrap(), 2);
    assert_eq!(world.add_shape(body, ball(9)).unwrap(), 4);
    for _ in 5..255 {
        world.add_shape(body, ball(9)).unwrap();
    }
    assert_eq!(world.add_shape(body, ball(9)), Err(CommandError::TooManyShapes));
    world.step();
    world.remove_shape(body, 17).unwrap();
    assert_eq!(world.add_shape(body, ball(9)).unwrap(), 17);
}

#[test]
fn the_velocity_of_every_point_survives_a_new_centre_of_mass() {
    let mut world = weightless();
    let turn = Quat::from_rotation_vector(Vec3::new(real!(0.25), real!(-1), real!(2)));
    let body = BodyDef::dynamic().at(Vec3::from_ints(1, 2, 3)).rotated(turn).shape(ball(0));
    let body = body.velocity(Vec3::from_ints(4, -5, 6)).angular_velocity(Vec3::from_ints(1, 2, -3));
    let body = world.spawn(body).unwrap();
    let point = Vec3::from_ints(-7, 8, 9);
    let velocity_at = |world: &World| {
        let body = world.body(body).unwrap();
        body.velocity() + body.angular_velocity().cross(point - body.center_of_mass())
    };
    let (before, origin) = (velocity_at(&world), world.body(body).unwrap().position());
    world.add_shape(body, ball(2)).unwrap();
    let seen = world.body(body).unwrap();
    // Equal masses: the centre is between the two, 1 m along the body's x.
    let expected = origin + turn.rotate(Vec3::X);
    assert!(length(seen.center_of_mass() - expected) < 1e-8);
    assert!(length(seen.position() - origin) < 1e-8);
    assert!(length(velocity_at(&world) - before) < 1e-4, "{} {before}", velocity_at(&world));
    assert!(length(seen.angular_velocity() - Vec3::from_ints(1, 2, -3)) < 1e-5);
}

#[test]
fn mass_and_inertia_follow_from_the_shapes_unless_they_are_set() {
    let mut world = weightless();
    let body = world.spawn(crate_at(Vec3::ZERO)).unwrap();
    world.set_shape(body, 0, cube(real!(1))).unwrap();
    // A cube of 2 m: 8000 kg and m·2²/6.
    let seen = world.body(body).unwrap();
    assert_eq!(seen.mass(), real!(8000));
    assert!(floats(seen.inertia()).iter().all(|i| (i - 8000.0 * 4.0 / 6.0).abs() < 1e-3));

    world.set_mass(body, Some(real!(5)), Some(Vec3::new(real!(2), real!(3), real!(4)))).unwrap();
    world.add_shape(body, ShapeDef::from(cube(real!(1))).at(Vec3::X * 6)).unwrap();
    let seen = world.body(body).unwrap();
    assert_eq!((seen.mass(), seen.local_center_of_mass()), (real!(5), Vec3::X * 3));
    let moments = floats(seen.inertia());
    let expected = [2.0, 3.0, 4.0];
    assert!(moments.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{moments:?}");
    world.apply_angular_impulse(body, Vec3::Y * 6).unwrap();
    let spin = floats(world.body(body).unwrap().angular_velocity());
    assert!((spin[1] - 2.0).abs() < 1e-4, "{spin:?}");
}

#[test]
fn a_larger_shape_is_refused_where_its_surface_would_be_too_fast() {
    let mut world = weightless();
    let body = world.spawn(crate_at(Vec3::ZERO).angular_velocity(Vec3::Y * 200)).unwrap();
    let bytes = encoded(&world);
    let refused = world.set_shape(body, 0, cube(real!(3))).unwrap_err();
    assert!(matches!(refused, CommandError::SpinsTooFast { .. }), "{refused}");
    assert!(encoded(&world) == bytes);
}

#[test]
fn a_dynamic_body_needs_a_mass_and_no_half_space() {
    let mut world = weightless();
    let body = world.spawn(crate_at(Vec3::ZERO)).unwrap();
    assert_eq!(world.remove_shape(body, 0), Err(CommandError::NoMass));
    assert!(world.set_shape(body, 0, Shape::HALF_SPACE).is_err());
    assert!(world.add_shape(body, ShapeDef::from(Shape::HALF_SPACE)).is_err());
    world.set_mass(body, Some(Real::ONE), None).unwrap();
    world.remove_shape(body, 0).unwrap();
    world.step();
    assert_eq!(world.body(body).unwrap().shapes().len(), 0);
    // A fixed body may have one, and can't become dynamic then.
    let plane = world.spawn(BodyDef::fixed().shape(ball(0)).mass(Real::ONE)).unwrap();
    world.set_shape(plane, 0, Shape::HALF_SPACE).unwrap();
    assert!(world.set_kind(plane, isostep_core::world::BodyKind::Dynamic).is_err());
}

/// A crate asleep on a fixed box, and the box.
fn asleep_on_a_table() -> (World, BodyId, BodyId) {
    let mut world = world();
    world.spawn(ground()).unwrap();
    let table = BodyDef::fixed().at(Vec3::Y * real!(0.5)).shape(cube(Real::HALF));
    let table = world.spawn(table).unwrap();
    let body = world.spawn(crate_at(Vec3::Y * real!(1.5))).unwrap();
    steps(&mut world, 150);
    assert!(world.body(body).unwrap().is_asleep());
    (world, table, body)
}

#[test]
fn a_body_that_rests_on_a_changed_shape_wakes_and_falls() {
    for change in 0..3 {
        let (mut world, table, body) = asleep_on_a_table();
        match change {
            0 => world.set_shape(table, 0, cube(Real::ratio(1, 4))),
            1 => world.set_shape_pose(table, 0, Transform::at(Vec3::X * 5)),
            _ => world.remove_shape(table, 0),
        }
        .unwrap();
        assert!(!world.body(body).unwrap().is_asleep());
        let report = world.step();
        assert!(report.woken >= 1);
        steps(&mut world, 120);
        let fallen = 1.5 - floats(world.body(body).unwrap().position())[1];
        let expected = if change == 0 { 0.25 } else { 1.0 };
        assert!((fallen - expected).abs() < 0.02, "{change}: {fallen} m");
    }
}

#[test]
fn a_shape_that_grows_into_a_sleeping_body_wakes_it() {
    let (mut world, _, body) = asleep_on_a_table();
    let wall = BodyDef::fixed().at(Vec3::new(real!(2), real!(1.5), Real::ZERO));
    let wall = world.spawn(wall.shape(cube(Real::ratio(1, 4)))).unwrap();
    steps(&mut world, 5);
    assert!(world.body(body).unwrap().is_asleep());
    world.set_shape(wall, 0, cube(real!(1.75))).unwrap();
    world.step();
    assert!(!world.body(body).unwrap().is_asleep());
}

fn events(world: &World, shape: u8) -> Vec<&'static str> {
    let found = world.events().filter_map(|event| match event {
        Event::ContactBegan(pair) if pair.shapes[1] == shape => Some("began"),
        Event::ContactEnded(pair) if pair.shapes[1] == shape => Some("ended"),
        Event::ContactPersisted(pair) if pair.shapes[1] == shape => Some("persisted"),
        Event::SensorEntered(_) => Some("entered"),
        Event::SensorLeft(_) => Some("left"),
        _ => None,
    });
    found.collect()
}

#[test]
fn contacts_and_overlaps_of_a_removed_shape_end_and_those_of_another_go_on() {
    let mut world = world();
    world.spawn(ground()).unwrap();
    let zone = ShapeDef::from(cube(real!(4))).sensor();
    world.spawn(BodyDef::fixed().shape(zone)).unwrap();
    let foot = |x: i32| ShapeDef::from(cube(Real::HALF)).at(Vec3::X * x);
    let body = BodyDef::dynamic().at(Vec3::Y * Real::HALF).shape(foot(0)).shape(foot(2));
    let body = world.spawn(body.persist_events().stay_awake()).unwrap();
    steps(&mut world, 20);
    world.remove_shape(body, 1).unwrap();
    // Readers see no contact of a shape that is gone.
    assert_eq!(world.contacts().count(), 0);
    world.step();
    assert_eq!(events(&world, 0), ["persisted", "left"]);
    assert_eq!(events(&world, 1), ["ended", "left"]);

    // Another shape with the same number on the same tick is another shape.
    world.add_shape(body, foot(2)).unwrap();
    steps(&mut world, 20);
    world.remove_shape(body, 1).unwrap();
    assert_eq!(world.add_shape(body, foot(2)).unwrap(), 1);
    world.step();
    assert_eq!(events(&world, 1), ["ended", "began", "left", "entered"]);
    // Another size of the same shape is the same contact.
    world.set_shape(body, 1, cube(real!(0.5625))).unwrap();
    world.step();
    assert_eq!(events(&world, 1), ["persisted"]);
}

#[test]
fn a_body_with_gaps_between_its_numbers_collides_and_is_restored() {
    let mut world = World::new(WorldDef::default()).unwrap();
    world.spawn(ground()).unwrap();
    let body = BodyDef::dynamic().at(Vec3::Y * 2).shape(ball(0)).shape(ball(2)).shape(ball(4));
    let bodies: Vec<_> = (0..5)
        .map(|i| {
            let mut def = body.clone();
            def.pose.translation += Vec3::new(Real::ZERO, Real::from_int(i), Real::ratio(i, 5));
            world.spawn(def).unwrap()
        })
        .collect();
    for (i, &body) in bodies.iter().enumerate() {
        world.remove_shape(body, (i % 2) as u8).unwrap();
    }
    steps(&mut world, 40);
    let mut other = World::new(WorldDef::default()).unwrap();
    other.restore(&world.snapshot(Tick(40), None).unwrap()).unwrap();
    let delta = world.snapshot(Tick(40), Some(Tick(30))).unwrap();
    assert!(!delta.is_empty());
    assert!(world.contacts().any(|contact| contact.is_touching()));
    for _ in 0..40 {
        world.step();
        other.step();
        assert_eq!(world.digest(), other.digest(), "tick {}", world.tick());
    }
    assert_eq!(numbers(&other, bodies[1]), [0, 2]);
    // No body fell through the ground.
    assert!(bodies.iter().all(|body| world.body(*body).unwrap().center_of_mass().y > Real::ZERO));
}

#[test]
fn a_command_that_changes_no_shape_wakes_no_body() {
    let (mut world, table, body) = asleep_on_a_table();
    world.set_shape(table, 0, cube(Real::HALF)).unwrap();
    world.set_shape_pose(table, 0, Transform::IDENTITY).unwrap();
    world.step();
    assert!(world.body(body).unwrap().is_asleep());
}
