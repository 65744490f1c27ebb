//! Commit: what the step after it finds. A commit dropped the list of changed bodies, so the next step did not look at those that rest: a
//! sensor around a resting kinematic body reported nothing, and a body that was teleported into a sleeping one stayed inside it.

use super::common::pose;
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, BodyKind, Event, ShapeDef, World, WorldDef};
use isostep_core::{Real, Tick, Vec3};

fn cube(half: Real) -> ShapeDef {
    ShapeDef::from(Shape::cuboid(Vec3::splat(half)).unwrap())
}

fn ball(radius: Real) -> ShapeDef {
    ShapeDef::from(Shape::sphere(radius).unwrap())
}

fn body(kind: BodyKind) -> BodyDef {
    match kind {
        BodyKind::Fixed => BodyDef::fixed(),
        BodyKind::Kinematic => BodyDef::kinematic(),
        BodyKind::Dynamic => BodyDef::dynamic(),
    }
}

fn weightless() -> World {
    World::new(WorldDef { gravity: Vec3::ZERO, ..WorldDef::default() }).unwrap()
}

/// The world as it is, and as its snapshot restores it.
fn with_restored(world: World) -> [World; 2] {
    let bytes = world.snapshot(world.tick(), None).unwrap();
    let mut other = weightless();
    other.restore(&bytes).unwrap();
    [world, other]
}

fn enters(world: &World) -> usize {
    world.events().filter(|event| matches!(event, Event::SensorEntered(_))).count()
}

#[test]
fn sensors_find_resting_bodies_after_a_commit() {
    use BodyKind::{Fixed, Kinematic};
    for [sensor, other] in [[Fixed, Kinematic], [Kinematic, Fixed], [Kinematic, Kinematic]] {
        for order in [false, true] {
            let mut world = weightless();
            let mut both = [
                body(sensor).shape(cube(Real::HALF).sensor()),
                body(other).shape(ball(Real::ratio(3, 10))),
            ];
            if order {
                both.reverse();
            }
            for def in both {
                world.spawn(def).unwrap();
                // Twice, so that the second commit meets a body of the first one.
                world.commit();
            }
            for mut world in with_restored(world) {
                for count in [1, 0, 0] {
                    world.step();
                    assert_eq!(enters(&world), count, "{sensor:?} {other:?} {order}");
                }
                // The committed tick again.
                world.rewind(Tick(0)).unwrap();
                world.step();
                assert_eq!(enters(&world), 1);
            }
        }
    }
}

/// A sleeping cube, and a resting kinematic one half a metre away.
fn sleeper() -> (World, BodyId, BodyId) {
    let mut world = weightless();
    let sleeper = world.spawn(BodyDef::dynamic().shape(cube(Real::ratio(3, 10)))).unwrap();
    let pusher = BodyDef::kinematic().at(Vec3::X * 2).shape(cube(Real::ratio(3, 10)));
    let pusher = world.spawn(pusher).unwrap();
    world.step();
    world.put_to_sleep(sleeper).unwrap();
    world.step();
    assert!(world.body(sleeper).unwrap().is_asleep());
    (world, sleeper, pusher)
}

#[test]
fn a_body_moved_into_a_sleeping_one_wakes_it_after_a_commit() {
    let (mut world, sleeper, pusher) = sleeper();
    world.teleport(pusher, pose(Vec3::X * Real::ratio(4, 10))).unwrap();
    world.commit();
    for mut world in with_restored(world) {
        (0..120).for_each(|_| _ = world.step());
        let place = world.body(sleeper).unwrap().pose().translation;
        assert!(place.x < -Real::ratio(19, 100), "{place}");
    }
}

#[test]
fn a_fixed_sensor_finds_a_sleeping_body_after_a_commit() {
    let (mut world, sleeper, _) = sleeper();
    world.spawn(BodyDef::fixed().shape(ball(Real::ratio(2, 10)).sensor())).unwrap();
    world.commit();
    for mut world in with_restored(world) {
        world.step();
        assert_eq!(enters(&world), 1);
        assert!(world.body(sleeper).unwrap().is_asleep(), "sensors wake nothing");
    }
}

/// The step after a commit is that of the commands without one.
#[test]
fn a_commit_before_a_step_changes_no_bit_of_it() {
    let play = |commit: bool| {
        let (mut world, _, pusher) = sleeper();
        world.spawn(BodyDef::fixed().shape(ball(Real::ratio(2, 10)).sensor())).unwrap();
        world.teleport(pusher, pose(Vec3::X * Real::HALF)).unwrap();
        if commit {
            world.commit();
        }
        (0..30)
            .map(|_| {
                world.step();
                world.digest()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(play(false), play(true));
}

/// The setup of a game has no rows for it: nothing rests but fixed bodies.
#[test]
fn a_setup_without_resting_bodies_lists_none() {
    let mut world = weightless();
    world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).unwrap();
    world.spawn(BodyDef::dynamic().at(Vec3::Y).shape(ball(Real::HALF))).unwrap();
    world.commit();
    assert!(world.digest_tree().get("placed").is_none());
    world.spawn(BodyDef::kinematic().shape(ball(Real::HALF))).unwrap();
    world.commit();
    assert!(world.digest_tree().get("placed").is_some());
    world.step();
    assert!(world.digest_tree().get("placed").is_none());
}
