//! Supports of sleeping bodies: every change of a support wakes them, and unsupported ones fall.

use super::common::{
    asleep_world, awake, crate_at, ground, height, is_asleep, pose, run, slab, spot,
    steps_to_sleep, woke,
};
use isostep_core::shape::Shape;
use isostep_core::world::{
    BodyDef, BodyId, BodyKind, Command, Filter, Layers, Material, World, WorldDef,
};
use isostep_core::{Quat, Real, Transform, Vec3, real};

/// A world in which layers 0 and 1 do not collide.
fn layered() -> World {
    let mut layers = Layers::default();
    layers.set(0, 1, false).unwrap();
    World::new(WorldDef { layers, ..WorldDef::default() }).unwrap()
}

/// A shelf of some kind 4 m above a ground, with a stack of two on it, and a distant box, all asleep. A dynamic shelf rests on a
/// fixed post.
fn shelved(kind: BodyKind) -> (World, [BodyId; 4]) {
    let mut world = layered();
    world.spawn(ground()).unwrap();
    let def = match kind {
        BodyKind::Fixed => BodyDef::fixed(),
        BodyKind::Kinematic => BodyDef::kinematic(),
        BodyKind::Dynamic => {
            let post = Shape::cuboid(Vec3::new(real!(1), real!(2), real!(1))).unwrap();
            world.spawn(BodyDef::fixed().at(spot(0, 2000, 0)).shape(post)).unwrap();
            BodyDef::dynamic()
        }
    };
    let shelf = world.spawn(slab(def, spot(0, 4250, 0))).unwrap();
    let lower = world.spawn(crate_at(spot(0, 5000, 0))).unwrap();
    let upper = world.spawn(crate_at(spot(0, 6000, 0))).unwrap();
    let distant = world.spawn(crate_at(spot(9, 500, 0))).unwrap();
    assert!(steps_to_sleep(&mut world, 300).is_some());
    (world, [shelf, lower, upper, distant])
}

const KINDS: [BodyKind; 3] = [BodyKind::Fixed, BodyKind::Kinematic, BodyKind::Dynamic];

/// Changes the shelf, checks that only the stack wakes, and returns the distance that its lower box falls in two seconds.
fn drop_after(kind: BodyKind, what: &str, change: impl FnOnce(&mut World, BodyId)) -> f64 {
    let (mut world, [shelf, lower, upper, distant]) = shelved(kind);
    let before = height(&world, lower);
    change(&mut world, shelf);
    world.step();
    let reported = woke(&world);
    for id in [lower, upper] {
        assert!(
            reported.contains(&id),
            "{what} of a {kind:?} shelf: {id} is not among {reported:?}"
        );
        assert!(!is_asleep(&world, id), "{what} of a {kind:?} shelf");
    }
    assert!(!reported.contains(&distant), "{what} of a {kind:?} shelf woke the distant box");
    run(&mut world, 120);
    before - height(&world, lower)
}

#[test]
fn bodies_on_a_despawned_body_fall() {
    for kind in KINDS {
        let displacement =
            drop_after(kind, "despawning", |world, shelf| world.despawn(shelf).unwrap());
        // The post is half a metre below.
        let expected = if kind == BodyKind::Dynamic { 0.4 } else { 4.0 };
        assert!(displacement > expected, "{kind:?}: fell by {displacement} m");
    }
}

#[test]
fn bodies_on_a_disabled_body_fall() {
    for kind in KINDS {
        let displacement = drop_after(kind, "disabling", |world, shelf| {
            world.command(Command::SetEnabled(shelf, false)).unwrap();
        });
        let expected = if kind == BodyKind::Dynamic { 0.4 } else { 4.0 };
        assert!(displacement > expected, "{kind:?}: fell by {displacement} m");
    }
}

#[test]
fn bodies_on_a_teleported_body_fall() {
    for kind in KINDS {
        let displacement = drop_after(kind, "teleporting", |world, shelf| {
            world.teleport(shelf, pose(spot(30, 4250, 0))).unwrap();
        });
        let expected = if kind == BodyKind::Dynamic { 0.4 } else { 4.0 };
        assert!(displacement > expected, "{kind:?}: fell by {displacement} m");
    }
}

#[test]
fn bodies_follow_a_support_that_is_lowered_slightly() {
    for kind in [BodyKind::Fixed, BodyKind::Kinematic] {
        let displacement = drop_after(kind, "lowering", |world, shelf| {
            world.teleport(shelf, pose(spot(0, 4200, 0))).unwrap();
        });
        assert!((displacement - 0.05).abs() < 0.01, "{kind:?}: it came down by {displacement} m");
    }
}

#[test]
fn bodies_wake_when_their_support_changes_kind() {
    let to = |kind: BodyKind| {
        move |world: &mut World, shelf| {
            world.command(Command::SetKind(shelf, kind)).unwrap();
        }
    };
    let displacement = drop_after(BodyKind::Fixed, "becoming dynamic", to(BodyKind::Dynamic));
    assert!(displacement > 3.0, "the shelf falls with it, by {displacement} m");
    let displacement = drop_after(BodyKind::Kinematic, "becoming dynamic", to(BodyKind::Dynamic));
    assert!(displacement > 3.0, "the shelf falls with it, by {displacement} m");
    let displacement = drop_after(BodyKind::Fixed, "becoming kinematic", to(BodyKind::Kinematic));
    assert!(displacement.abs() < 0.01, "it stays, {displacement} m");
    let displacement = drop_after(BodyKind::Dynamic, "becoming fixed", to(BodyKind::Fixed));
    assert!(displacement.abs() < 0.01, "it stays, {displacement} m");
}

#[test]
fn bodies_wake_when_the_material_of_their_support_changes() {
    let ice = Material { friction: Real::ZERO, ..Material::default() };
    for kind in KINDS {
        let displacement = drop_after(kind, "icing", |world, shelf| {
            world.command(Command::SetMaterial(shelf, 0, ice)).unwrap();
        });
        assert!(displacement.abs() < 0.01, "{kind:?}: ice holds up too, {displacement} m");
    }
}

#[test]
fn bodies_on_a_body_that_becomes_a_sensor_fall() {
    for kind in [BodyKind::Fixed, BodyKind::Kinematic] {
        let displacement = drop_after(kind, "making a sensor", |world, shelf| {
            world.command(Command::SetSensor(shelf, 0, true)).unwrap();
        });
        assert!(displacement > 4.0, "{kind:?}: fell by {displacement} m");
    }
}

#[test]
fn bodies_on_a_body_that_is_filtered_out_fall() {
    for kind in KINDS {
        let displacement = drop_after(kind, "another layer", |world, shelf| {
            world.command(Command::SetFilter(shelf, 0, Filter { layer: 1, group: 0 })).unwrap();
        });
        // The dynamic shelf falls through its post and the ground, then the boxes fall on the post.
        let expected = if kind == BodyKind::Dynamic { 0.4 } else { 4.0 };
        assert!(displacement > expected, "{kind:?}: fell by {displacement} m");
    }
}

#[test]
fn bodies_wake_when_their_kinematic_support_moves() {
    let displacement = drop_after(BodyKind::Kinematic, "leading", |world, shelf| {
        world.move_to(shelf, pose(spot(0, 4240, 0))).unwrap();
    });
    // It keeps the velocity of the last target: 1 cm per tick, 0.6 m/s.
    assert!((displacement - 1.2).abs() < 0.1, "it rides down by {displacement} m");
}

#[test]
fn a_box_slides_when_its_slope_loses_friction() {
    let tilt = Quat::from_axis_angle(Vec3::Z, Real::ratio(2, 10)).unwrap();
    let slope = Shape::cuboid(Vec3::new(real!(20), real!(0.5), real!(5))).unwrap();
    let place = tilt.rotate(Vec3::Y);
    let (mut world, ids) =
        asleep_world(&[BodyDef::fixed().rotated(tilt).shape(slope), crate_at(place).rotated(tilt)]);
    let ice = Material { friction: Real::ZERO, ..Material::default() };
    for id in &ids {
        world.command(Command::SetMaterial(*id, 0, ice)).unwrap();
    }
    run(&mut world, 60);
    let speed = world.body(ids[1]).unwrap().velocity().length().to_f64();
    let expected = 9.81 * 0.2f64.sin();
    assert!(
        (speed - expected).abs() < 0.05 * expected,
        "{speed} m/s after a second, not {expected}"
    );
}

#[test]
fn a_leaning_box_falls_when_its_wall_is_removed() {
    // A thin plank leans on a wall with its foot on the ground.
    let plank = Shape::cuboid(Vec3::new(Real::ratio(5, 100), real!(1), Real::HALF)).unwrap();
    let lean = Quat::from_axis_angle(Vec3::Z, Real::ratio(3, 10)).unwrap();
    let wall = Shape::cuboid(Vec3::new(Real::HALF, real!(2), real!(2))).unwrap();
    let (mut world, ids) = asleep_world(&[
        ground(),
        BodyDef::fixed().at(Vec3::new(Real::ratio(-84, 100), real!(2), Real::ZERO)).shape(wall),
        BodyDef::dynamic().at(spot(0, 975, 0)).rotated(lean).shape(plank),
    ]);
    let leaning = height(&world, ids[2]);
    assert!(leaning > 0.8, "it leans, with its middle at {leaning}");
    world.despawn(ids[1]).unwrap();
    world.step();
    assert_eq!(woke(&world), [ids[2]]);
    run(&mut world, 180);
    assert!(height(&world, ids[2]) < 0.2, "its height is {}", height(&world, ids[2]));
}

#[test]
fn pulling_the_lowest_box_away_drops_the_whole_tower() {
    let tower: Vec<_> = (0..6).map(|i| crate_at(spot(0, 500 + 1000 * i, 0))).collect();
    let (mut world, ids) = asleep_world(&[&[ground()], &tower[..]].concat());
    let before: Vec<_> = ids.iter().map(|id| height(&world, *id)).collect();
    world.teleport(ids[1], Transform::at(spot(20, 500, 0))).unwrap();
    assert_eq!(awake(&world), ids[1..], "at once");
    assert!(steps_to_sleep(&mut world, 600).is_some());
    for (id, before) in ids.iter().zip(before).skip(2) {
        let displacement = before - height(&world, *id);
        assert!((0.9..5.9).contains(&displacement), "{id} is down by {displacement} m");
    }
}
