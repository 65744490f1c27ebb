//! Invalid commands: each returns its error, and the world is unchanged.

use super::common::{crate_at, cube, encoded, ground, world};
use isostep_core::shape::Shape;
use isostep_core::world::{
    BodyDef, BodyKind, Command, CommandError, Filter, Locks, MAX_SPEED, Material, ShapeDef,
    WORLD_LIMIT,
};
use isostep_core::{Real, Transform, Vec3, real};

#[test]
fn a_stale_id_stays_invalid_when_its_index_is_reused() {
    let mut world = world();
    let old = world.spawn(crate_at(Vec3::ZERO)).unwrap();
    world.despawn(old).unwrap();
    let new = world.spawn(crate_at(Vec3::ZERO)).unwrap();
    assert_ne!(old, new);
    let commands = [
        Command::Despawn(old),
        Command::SetVelocity(old, Vec3::X),
        Command::SetAngularVelocity(old, Vec3::X),
        Command::Impulse(old, Vec3::X),
        Command::ImpulseAt(old, Vec3::X, Vec3::ZERO),
        Command::AngularImpulse(old, Vec3::X),
        Command::Teleport(old, Transform::IDENTITY),
        Command::MoveTo(old, Transform::IDENTITY),
        Command::SetKind(old, BodyKind::Fixed),
        Command::SetEnabled(old, false),
        Command::SetMaterial(old, 0, Material::default()),
        Command::SetSensor(old, 0, true),
        Command::SetFilter(old, 0, Filter::default()),
        Command::SetGravityScale(old, Real::ONE),
        Command::SetDamping(old, Real::ONE, Real::ONE),
        Command::SetUserData(old, 1),
        Command::Force(old, Vec3::X),
        Command::ForceAt(old, Vec3::X, Vec3::ZERO),
        Command::Torque(old, Vec3::X),
        Command::SetMass(old, Some(Real::ONE), None),
        Command::SetLocks(old, Locks::ALL),
        Command::SetSpeedCap(old, Real::ONE),
        Command::SetPersistEvents(old, true),
        Command::SetStayEvents(old, true),
        Command::Sleep(old),
        Command::SetShape(old, 0, cube(Real::HALF)),
        Command::SetShapePose(old, 0, Transform::IDENTITY),
        Command::AddShape(old, Box::new(ShapeDef::from(cube(Real::HALF)))),
        Command::RemoveShape(old, 0),
    ];
    for command in commands {
        let bytes = encoded(&world);
        let result = world.command(command.clone());
        assert!(matches!(result, Err(CommandError::NoSuchBody(_))), "{command:?}: {result:?}");
        assert!(encoded(&world) == bytes, "{command:?}");
    }
    assert!(world.body(old).is_none() && world.body(new).is_some());
}

#[test]
fn values_out_of_range_are_rejected_and_change_nothing() {
    let mut world = world();
    let body = world.spawn(crate_at(Vec3::ZERO)).unwrap();
    let fixed = world.spawn(ground()).unwrap();
    let far = WORLD_LIMIT + Real::EPSILON;
    let fast = MAX_SPEED + Real::EPSILON;
    let over_cap = real!(256) + Real::EPSILON;
    let beyond = Transform::at(Vec3::new(far, Real::ZERO, Real::ZERO));
    let rough = Material { friction: real!(2), ..Material::default() };
    let plane = world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).unwrap();
    let falling_plane = BodyDef::dynamic().shape(Shape::HALF_SPACE);
    let ghost = crate_at(Vec3::ZERO);
    let damped = BodyDef { linear_damping: -Real::EPSILON, ..ghost.clone() };
    let capped = BodyDef { speed_cap: over_cap, ..ghost.clone() };
    let odd = |shape: ShapeDef| Command::Spawn(0, Box::new(BodyDef::dynamic().shape(shape)));
    let whole = || ShapeDef::from(cube(Real::HALF));
    let refused = [
        Command::SetGravity(Vec3::Y * real!(-1000.5)),
        Command::SetMass(body, Some(Real::ZERO), None),
        Command::SetMass(body, Some(real!(100_000_001)), None),
        Command::SetMass(body, None, Some(Vec3::ZERO)),
        Command::SetMass(body, None, Some(Vec3::new(Real::ONE, -Real::ONE, Real::ONE))),
        Command::SetSpeedCap(body, over_cap),
        Command::Sleep(fixed),
        Command::SetShape(body, 0, Shape::HALF_SPACE),
        Command::SetShape(body, 1, cube(Real::HALF)),
        Command::SetShapePose(body, 0, Transform::at(Vec3::X * 5000)),
        Command::AddShape(body, Box::new(whole().layer(32))),
        Command::AddShape(body, Box::new(whole().density(Real::ZERO))),
        Command::AddShape(body, Box::new(ShapeDef::from(Shape::HALF_SPACE))),
        Command::RemoveShape(body, 0),
        Command::RemoveShape(fixed, 1),
        Command::SpawnWithId(body, Box::new(crate_at(Vec3::ZERO))),
        Command::Teleport(body, beyond),
        Command::Spawn(0, Box::new(crate_at(Vec3::new(Real::ZERO, -far, Real::ZERO)))),
        Command::SetVelocity(body, Vec3::new(Real::ZERO, Real::ZERO, fast)),
        Command::SetAngularVelocity(body, Vec3::new(real!(300), Real::ZERO, Real::ZERO)),
        Command::Impulse(body, Vec3::X * real!(257_000)),
        Command::AngularImpulse(body, Vec3::X * real!(1_000_000)),
        Command::SetGravityScale(body, real!(101)),
        Command::SetDamping(body, -Real::EPSILON, Real::ZERO),
        Command::SetDamping(body, Real::ZERO, real!(1001)),
        Command::SetMaterial(body, 0, rough),
        Command::SetMaterial(body, 1, Material::default()),
        Command::SetSensor(body, 1, true),
        Command::SetFilter(body, 0, Filter { layer: 32, group: 0 }),
        Command::SetFilter(body, 7, Filter::default()),
        Command::SetVelocity(fixed, Vec3::X),
        Command::Impulse(fixed, Vec3::X),
        Command::MoveTo(body, Transform::IDENTITY),
        Command::SetKind(plane, BodyKind::Dynamic),
        Command::Spawn(0, Box::new(falling_plane)),
        Command::Spawn(0, Box::new(BodyDef::dynamic())),
        Command::Spawn(0, Box::new(damped)),
        Command::Spawn(0, Box::new(capped)),
        Command::Spawn(0, Box::new(ghost.mass(Real::ZERO))),
        odd(whole().density(Real::ZERO)),
        odd(whole().density(Real::ZERO).sensor()),
        Command::Spawn(0, Box::new(BodyDef::fixed().shape(whole().density(Real::ZERO)))),
        Command::Spawn(0, Box::new(BodyDef::kinematic().shape(whole().density(-Real::ONE)))),
        Command::AddShape(fixed, Box::new(whole().density(Real::ZERO))),
        odd(whole().layer(32)),
        odd(whole().material(rough)),
        odd(whole().at(Vec3::X * real!(5000))),
    ];
    for command in refused {
        let (bytes, count) = (encoded(&world), world.commands().len());
        let result = world.command(command.clone());
        assert!(result.is_err(), "{command:?} was accepted");
        assert!(encoded(&world) == bytes, "{command:?} was refused and changed something");
        assert_eq!(world.commands().len(), count, "{command:?} was refused and recorded");
    }
}

/// A fixed or kinematic body could have a shape without a density. With a mass it could become dynamic, with the inertia of a point, and
/// refused every later change of its shapes.
#[test]
fn a_body_that_becomes_dynamic_has_the_inertia_of_its_shapes() {
    for def in [BodyDef::fixed(), BodyDef::kinematic()] {
        let mut world = world();
        let shape = |density: Real| ShapeDef::from(cube(Real::HALF)).density(density);
        let empty = def.clone().shape(shape(Real::ONE)).shape(shape(Real::ZERO)).mass(real!(6));
        let refused = world.spawn(empty).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "a shape has a density of 0 kg/m³; give it a density above zero"
        );
        let body = world.spawn(def.shape(shape(Real::EPSILON)).mass(real!(6))).unwrap();
        world.set_kind(body, BodyKind::Dynamic).unwrap();
        // A cube of 1 m: m/6.
        let inertia = world.body(body).unwrap().inertia();
        assert!((inertia - Vec3::splat(Real::ONE)).length() < Real::ratio(1, 1000), "{inertia}");
        world.add_shape(body, shape(Real::ONE)).unwrap();
    }
}

/// Only the origin of a body was checked. With shapes far from it the centre of mass could be outside the world, and the first step
/// moved the body by kilometres.
#[test]
fn a_centre_of_mass_outside_the_world_is_refused() {
    let mut world = world();
    let edge = Vec3::X * WORLD_LIMIT;
    let far = || ShapeDef::from(cube(Real::HALF)).at(Vec3::X * 4000);
    for def in [BodyDef::fixed(), BodyDef::kinematic(), BodyDef::dynamic()] {
        let near = crate_at(edge);
        let body = world.spawn(BodyDef { kind: def.kind, ..near }).unwrap();
        let bytes = encoded(&world);
        let refused = world.spawn(def.clone().at(edge).shape(far())).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the centre of mass would be at (1073745824, 0, 0), outside the world; each coordinate must lie within ±1073741824 m: move the body or its shapes"
        );
        for command in [
            Command::AddShape(body, Box::new(far())),
            Command::SetShapePose(body, 0, Transform::at(Vec3::X)),
        ] {
            let refused = world.command(command).unwrap_err();
            assert!(matches!(refused, CommandError::CenterOutOfWorld(_)), "{refused}");
        }
        assert!(encoded(&world) == bytes);
        let body = world.spawn(def.shape(far())).unwrap();
        let inside = Vec3::X * (WORLD_LIMIT - Real::from_int(4000));
        world.teleport(body, Transform::at(inside)).unwrap();
        let refused = world.teleport(body, Transform::at(inside + Vec3::X)).unwrap_err();
        assert!(matches!(refused, CommandError::CenterOutOfWorld(_)), "{refused}");
        world.step();
        // Other bodies at the edge may push it.
        let moved = world.body(body).unwrap().position().x - inside.x;
        assert!(moved.abs() < Real::ONE, "{moved}");
    }
}

/// Messages of refused commands, as a user reads them.
///
/// An angular velocity that was too high used to be reported as a "surface velocity" in m/s: the scaled value of the storage. A gravity
/// scale of -101 was reported as 101, with 0 as the lower limit, and an angular impulse out of range as a velocity.
#[test]
fn messages_say_what_was_set_and_what_is_allowed() {
    let mut world = world();
    let crate_of_1_m = world.spawn(crate_at(Vec3::ZERO)).unwrap();
    let pin = Shape::capsule(Real::ratio(2, 1000), Real::ratio(3, 1000)).unwrap();
    let pin = world.spawn(BodyDef::dynamic().at(Vec3::Y * 9).shape(pin).mass(Real::ONE)).unwrap();
    let wall = BodyDef::kinematic().at(Vec3::Z * 5000);
    let wall = wall.shape(Shape::cuboid(Vec3::new(real!(1000), Real::ONE, Real::ONE)).unwrap());
    let wall = world.spawn(wall).unwrap();
    let plane = world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).unwrap();
    let planet = Shape::sphere(real!(4096)).unwrap();
    let y = |y: i32| Vec3::Y * Real::from_int(y);
    let quarter_turn = isostep_core::Quat::from_rotation_vector(Vec3::Y * real!(1.5));
    let spinning = crate_at(Vec3::Y * 30).angular_velocity(y(-257));
    let far_shape = ShapeDef::from(cube(Real::HALF)).at(Vec3::X * real!(5000));
    for (command, message) in [
        (
            Command::SetAngularVelocity(pin, y(-40_000)),
            "the angular velocity would be (0, -40000, 0) rad/s; each component must lie within ±32767.99 for a body of this \
             size: give a lower angular velocity or a smaller impulse, or make the body smaller",
        ),
        (
            Command::Spawn(0, Box::new(spinning)),
            "the angular velocity would be (0, -257, 0) rad/s; each component must lie within ±255.99 for a body of this \
             size: give a lower angular velocity or a smaller impulse, or make the body smaller",
        ),
        (
            // An inertia of 1/6 kg·m² per kg, 1000 kg.
            Command::AngularImpulse(crate_of_1_m, y(60_000)),
            "the angular velocity would be (0, 360.0000003353, 0) rad/s; each component must lie within ±255.99 for a body of this \
             size: give a lower angular velocity or a smaller impulse, or make the body smaller",
        ),
        (
            Command::MoveTo(wall, Transform::new(Vec3::Z * 5000, quarter_turn)),
            "the angular velocity would be (0, 89.9999999302, 0) rad/s; each component must lie within ±0.249999999 for a body of \
             this size: give a lower angular velocity or a smaller impulse, or make the body smaller",
        ),
        (
            Command::SetVelocity(pin, y(256)),
            "the velocity would be (0, 256, 0) m/s; each component must lie within ±255.99: give a lower velocity or a \
             smaller impulse",
        ),
        (
            Command::Impulse(crate_of_1_m, y(-300_000)),
            "the velocity would be (0, -300, 0) m/s; each component must lie within ±255.99: give a lower velocity or a \
             smaller impulse",
        ),
        (
            Command::ImpulseAt(crate_of_1_m, y(1_000_000), Vec3::X * 10_000),
            "an impulse of (0, 1000000, 0) N·s at (10000, 0, 0) m from the centre of mass has an angular impulse beyond \
             ±2147483648 N·m·s; apply a smaller impulse, or apply it nearer to the body",
        ),
        (
            Command::SetGravityScale(pin, real!(-101)),
            "the gravity scale is -101; it must lie between -100 and 100",
        ),
        (
            Command::SetDamping(pin, -Real::ONE, Real::ZERO),
            "the linear damping (1/s) is -1; it must lie between 0 and 1000",
        ),
        (
            Command::SetDamping(pin, Real::ZERO, real!(1001)),
            "the angular damping (1/s) is 1001; it must lie between 0 and 1000",
        ),
        (
            Command::Spawn(0, Box::new(BodyDef::dynamic().shape(far_shape))),
            "the distance of a shape from the body's origin (m) is 5000; it must lie between 0 and 4096",
        ),
        (
            // The floor has no mass either, but with one it could not become dynamic.
            Command::SetKind(plane, BodyKind::Dynamic),
            "a half space has no mass; put it on a fixed or kinematic body",
        ),
        (
            Command::Impulse(plane, Vec3::X),
            "body 3v1 can't be moved this way: impulses and forces need a dynamic body, velocities a dynamic or kinematic one; set its \
             kind with `World::set_kind` first",
        ),
        (
            Command::MoveTo(pin, Transform::IDENTITY),
            "body 1v1 is not kinematic; set its kind with `World::set_kind` first, or teleport it",
        ),
        (
            Command::Spawn(0, Box::new(BodyDef::dynamic().shape(planet))),
            "a mass of more than 2147483647 kg is out of range; it must lie between 0.0000001 and 100000000 kg: set the mass of the \
             body, or change density or size",
        ),
        (
            Command::Teleport(pin, Transform::at(Vec3::X * Real::from_int(i32::MAX))),
            "position (2147483647, 0, 0) is outside the world; each coordinate must lie within ±1073741824 m",
        ),
    ] {
        assert_eq!(world.command(command).unwrap_err().to_string(), message);
    }
    // The printed limits are accepted.
    let printed = |limit: &str| Vec3::Y * limit.parse::<Real>().unwrap();
    world.set_angular_velocity(pin, printed("32767.99")).unwrap();
    world.set_velocity(pin, printed("255.99")).unwrap();
    world.set_angular_velocity(wall, printed("0.249999999")).unwrap();
}
