//! Invalid commands: each returns its error, and the world is unchanged.

use super::common::{crate_at, cube, encoded, ground, world};
use isostep_core::shape::Shape;
use isostep_core::world::{
    BodyDef, BodyKind, Command, CommandError, Filter, MAX_SPEED, Material, ShapeDef, WORLD_LIMIT,
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
        Command::SetKind(old, BodyKind::Static),
        Command::SetEnabled(old, false),
        Command::SetMaterial(old, 0, Material::default()),
        Command::SetFilter(old, 0, Filter::default()),
        Command::SetGravityScale(old, Real::ONE),
        Command::SetDamping(old, Real::ONE, Real::ONE),
        Command::SetUserData(old, 1),
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
    let beyond = Transform::at(Vec3::new(far, Real::ZERO, Real::ZERO));
    let rough = Material { friction: real!(2), ..Material::default() };
    let plane = world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).unwrap();
    let falling_plane = BodyDef::dynamic().shape(Shape::HALF_SPACE);
    let ghost = crate_at(Vec3::ZERO);
    let damped = BodyDef { linear_damping: -Real::EPSILON, ..ghost.clone() };
    let capped = BodyDef { speed_cap: fast, ..ghost.clone() };
    let odd = |shape: ShapeDef| Command::Spawn(0, Box::new(BodyDef::dynamic().shape(shape)));
    let whole = || ShapeDef::from(cube(Real::HALF));
    let refused = [
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
