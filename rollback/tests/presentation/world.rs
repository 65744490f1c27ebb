//! The ready path for a world's bodies: poses before as computed now, teleports by the commands.

use super::common::{FRAME, STEP, TICK, rollback};
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, World, WorldDef};
use isostep_core::{Real, Transform, Vec3, real};
use isostep_rollback::Tick;
use isostep_rollback::presentation::{Poses, Sample, WorldReader};

fn ball(x: i32) -> BodyDef {
    let sphere = Shape::sphere(real!(0.5)).unwrap();
    BodyDef::dynamic().at(Vec3::from_ints(x, 2, 0)).shape(sphere)
}

/// A floor and two balls that fall.
fn setup() -> (World, [BodyId; 2]) {
    let mut world = World::new(WorldDef::default()).unwrap();
    world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).unwrap();
    let balls = [0, 3].map(|x| world.spawn(ball(x)).unwrap());
    world.commit();
    (world, balls)
}

fn samples(
    reader: &mut WorldReader,
    world: &World,
    ran: isostep_rollback::RunReport,
) -> Vec<Sample<BodyId>> {
    reader.read(world.tick(), ran, world).collect()
}

#[test]
fn the_pose_before_is_the_one_that_a_rollback_computed() {
    let (mut world, [kicked, other]) = setup();
    for _ in 0..20 {
        world.step();
    }
    world.rewind(Tick(12)).unwrap();
    world.set_velocity(kicked, Vec3::from_ints(4, 1, 0)).unwrap();
    for _ in 12..20 {
        world.step();
    }
    let before = [kicked, other].map(|ball| world.body(ball).unwrap().pose());
    world.step();
    let mut reader = WorldReader::new();
    let samples = samples(&mut reader, &world, rollback(8));
    for (ball, before) in [kicked, other].into_iter().zip(before) {
        let sample = samples.iter().find(|sample| sample.key == ball).unwrap();
        assert_eq!(sample.before, Some(before));
        assert_eq!(sample.now, world.body(ball).unwrap().pose());
        // A free body moves by its motion to within what the step's substeps do.
        let projected = sample.motion.project(sample.before.unwrap(), Real::ratio(1, 60));
        assert!(projected.translation.distance(sample.now.translation) < real!(0.001953125));
    }
}

#[test]
fn a_new_body_has_no_pose_before() {
    let (mut world, _) = setup();
    world.step();
    let late = world.spawn(ball(9)).unwrap();
    world.step();
    let mut reader = WorldReader::new();
    let found = samples(&mut reader, &world, STEP);
    assert!(found.iter().all(|sample| sample.before.is_none() == (sample.key == late)));
}

#[test]
fn a_teleport_is_found_in_whichever_computed_tick_it_was() {
    let (mut world, [stays, jumps]) = setup();
    for _ in 0..10 {
        world.step();
    }
    let mut reader = WorldReader::new();
    let mut poses = Poses::new(TICK);
    poses.tick(Tick(10), STEP, samples(&mut reader, &world, STEP));
    poses.frame(Real::ONE, FRAME);
    world.rewind(Tick(6)).unwrap();
    // Less than the limit of smoothing, so that only the command shows it.
    let elsewhere = Transform::at(Vec3::from_ints(4, 2, 0));
    for tick in 6..11 {
        if tick == 7 {
            world.teleport(jumps, elsewhere).unwrap();
        }
        world.step();
    }
    let found = samples(&mut reader, &world, rollback(4));
    let jumped = |id| found.iter().find(|sample| sample.key == id).unwrap().jumped;
    assert_eq!((jumped(stays), jumped(jumps)), (None, Some(Tick(7))));
    poses.tick(Tick(11), rollback(4), found.iter().copied());
    poses.frame(Real::ZERO, FRAME);
    let drawn = poses.get(jumps).unwrap();
    assert!(drawn.cut && drawn.pose.translation.x == real!(4));
    assert!(!poses.get(stays).unwrap().cut);
}

#[test]
fn looking_changes_nothing() {
    let (mut world, [ball, _]) = setup();
    world.set_velocity(ball, Vec3::X).unwrap();
    for _ in 0..5 {
        world.step();
    }
    let digest = world.digest();
    let mut reader = WorldReader::new();
    samples(&mut reader, &world, rollback(3));
    assert_eq!(world.digest(), digest);
}
