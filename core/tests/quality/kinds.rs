//! Settings of a body: kind, locks, damping, speed cap, disabling, and kinematic targets.

use super::common::{
    at, bits, crate_at, cube, encoded, ground, length, spawn_all, weightless, world,
};
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyKind, Command, Locks, World};
use isostep_core::{Quat, Real, Rng, Transform, Vec3, real};

fn run(world: &mut World, ticks: u32) {
    for _ in 0..ticks {
        world.step();
    }
}

fn touching(world: &World) -> usize {
    world.contacts().count()
}

#[test]
fn contacts_of_a_despawned_body_vanish_at_once() {
    let mut world = world();
    let ids = spawn_all(
        &mut world,
        &[ground(), crate_at(Vec3::Y * Real::HALF), crate_at(Vec3::Y * real!(1.5))],
    );
    run(&mut world, 10);
    assert_eq!(touching(&world), 2);
    world.despawn(ids[1]).unwrap();
    assert_eq!(touching(&world), 0);
    run(&mut world, 120);
    let place = world.body(ids[2]).unwrap().position();
    assert!((place.y - Real::HALF).abs() < Real::ratio(5, 1000), "the upper one is at {place}");
}

#[test]
fn a_disabled_body_stays_in_place_without_contacts_until_it_is_enabled() {
    let mut world = world();
    let ids = spawn_all(
        &mut world,
        &[ground(), crate_at(Vec3::Y * Real::HALF), crate_at(Vec3::Y * real!(1.5))],
    );
    run(&mut world, 10);
    world.command(Command::SetEnabled(ids[1], false)).unwrap();
    let before = bits(&world.body(ids[1]).unwrap(), Vec3::ZERO);
    run(&mut world, 120);
    assert_eq!(bits(&world.body(ids[1]).unwrap(), Vec3::ZERO), before);
    let upper = world.body(ids[2]).unwrap().position();
    assert!((upper.y - Real::HALF).abs() < Real::ratio(5, 1000), "it fell through to {upper}");
    assert_eq!(touching(&world), 1);
    world.teleport(ids[2], at(Real::ZERO, real!(3), Real::ZERO)).unwrap();
    world.command(Command::SetEnabled(ids[1], true)).unwrap();
    run(&mut world, 180);
    let upper = world.body(ids[2]).unwrap().position();
    assert!((upper.y - real!(1.5)).abs() < Real::ratio(1, 100), "it rests on the lower: {upper}");
}

#[test]
fn bodies_fall_through_a_disabled_ground_and_a_new_kind_takes_effect() {
    let mut world = world();
    let ids = spawn_all(&mut world, &[ground(), crate_at(Vec3::Y * Real::HALF)]);
    run(&mut world, 10);
    world.command(Command::SetKind(ids[1], BodyKind::Fixed)).unwrap();
    world.command(Command::SetEnabled(ids[0], false)).unwrap();
    let held = world.body(ids[1]).unwrap().position();
    run(&mut world, 60);
    assert_eq!(world.body(ids[1]).unwrap().position(), held, "fixed bodies stay");
    world.command(Command::SetKind(ids[1], BodyKind::Dynamic)).unwrap();
    run(&mut world, 60);
    let fell = (held.y - world.body(ids[1]).unwrap().position().y).to_f64();
    // ½·g·t² over 480 substeps, each with the velocity at its end.
    assert!((fell - 4.905 * 481.0 / 480.0).abs() < 0.001, "{fell} m");
}

#[test]
fn locked_axes_never_move() {
    for locks in [0b000_001u8, 0b000_101, 0b000_111, 0b111_000, 0b101_010, 0b111_111] {
        let mut world = world();
        world.spawn(ground()).unwrap();
        let mut rng = Rng::new(u64::from(locks));
        let locked = crate_at(Vec3::Y * real!(0.75)).lock(Locks::try_from(locks).unwrap());
        let locked = world.spawn(locked).unwrap();
        let start = world.body(locked).unwrap().pose();
        for tick in 0..240 {
            if tick % 40 == 0 {
                // A heavy body arrives from the side and above.
                let from = Vec3::new(rng.unit() + real!(1.5), real!(2.5), rng.unit());
                let ball = Shape::sphere(Real::HALF).unwrap();
                let ball = BodyDef::dynamic().at(from).shape(ball);
                world.spawn(ball.velocity(-from * real!(3))).unwrap();
            }
            world.step();
            let body = world.body(locked).unwrap();
            let (displacement, from) =
                (body.center_of_mass().to_array(), start.translation.to_array());
            for axis in 0..3 {
                if locks >> axis & 1 == 1 {
                    assert_eq!(displacement[axis], from[axis], "locks {locks:b}, tick {tick}");
                    let speed = body.velocity().to_array()[axis];
                    assert_eq!(speed, Real::ZERO, "locks {locks:b}, tick {tick}: speed");
                }
                if locks >> (3 + axis) & 1 == 1 {
                    let spin = body.angular_velocity().to_array()[axis];
                    assert_eq!(spin, Real::ZERO, "locks {locks:b}, tick {tick}: spin");
                }
            }
            if locks >> 3 == 0b111 {
                assert_eq!(body.rotation(), start.rotation, "locks {locks:b}, tick {tick}");
            }
        }
    }
}

#[test]
fn gravity_scales() {
    let mut world = world();
    let scales = [real!(0), Real::HALF, real!(1), real!(-2)];
    let ids = [0, 3, 6, 9].map(|x| world.spawn(crate_at(Vec3::from_ints(x, 0, 0))).unwrap());
    for (id, scale) in ids.into_iter().zip(scales) {
        world.command(Command::SetGravityScale(id, scale)).unwrap();
    }
    run(&mut world, 60);
    for (id, scale) in ids.into_iter().zip(scales) {
        let speed = world.body(id).unwrap().velocity().y.to_f64();
        let expected = -9.81 * scale.to_f64();
        // Each of the 480 substeps rounds to a multiple of 2⁻²⁰ m/s.
        assert!((speed - expected).abs() <= 480.0 * 0.5f64.powi(21) + 1e-9, "{scale}: {speed}");
    }
}

#[test]
fn damping_reduces_speed_and_spin_by_its_fraction() {
    let mut world = weightless();
    let body = crate_at(Vec3::ZERO).velocity(Vec3::X * 10).angular_velocity(Vec3::Y * 4);
    let id = world.spawn(body).unwrap();
    world.command(Command::SetDamping(id, Real::HALF, real!(2))).unwrap();
    run(&mut world, 60);
    let body = world.body(id).unwrap();
    let expected = |damping: f64| (1.0 / (1.0 + damping / 60.0)).powi(60);
    let (speed, spin) = (body.velocity().x.to_f64(), body.angular_velocity().y.to_f64());
    assert!((speed / (10.0 * expected(0.5)) - 1.0).abs() < 1e-4, "{speed}");
    assert!((spin / (4.0 * expected(2.0)) - 1.0).abs() < 1e-4, "{spin}");
}

#[test]
fn the_speed_cap_holds() {
    let mut world = world();
    let capped = BodyDef { speed_cap: real!(5), ..crate_at(Vec3::ZERO) };
    let id = world.spawn(capped).unwrap();
    for tick in 0..240 {
        world.step();
        let speed = world.body(id).unwrap().velocity().y.abs();
        assert!(speed <= real!(5), "tick {tick}: {speed}");
    }
}

#[test]
fn nothing_gets_faster_than_the_world_allows() {
    let mut world = world();
    let id = world.spawn(crate_at(Vec3::ZERO)).unwrap();
    world.command(Command::SetGravityScale(id, real!(100))).unwrap();
    run(&mut world, 120);
    let speed = world.body(id).unwrap().velocity().y;
    assert!(speed >= -isostep_core::world::MAX_SPEED, "{speed}");
}

#[test]
fn move_to_arrives_within_ten_micrometres() {
    let mut rng = Rng::new(3);
    let mut world = world();
    let id = world.spawn(BodyDef::kinematic().shape(cube(Real::HALF))).unwrap();
    let mut worst = 0.0f64;
    for _ in 0..300 {
        let mut some = || rng.between(real!(-1), real!(1)).unwrap();
        let goal = Vec3::new(some(), some(), some());
        let turn = Quat::from_rotation_vector(Vec3::new(some(), some(), some()));
        world.move_to(id, Transform::new(goal, turn)).unwrap();
        world.step();
        let body = world.body(id).unwrap();
        let corner = Vec3::splat(Real::HALF);
        let reached = body.pose().point(corner) - Transform::new(goal, turn).point(corner);
        worst = worst.max(length(body.position() - goal)).max(length(reached));
    }
    println!("worst {worst:e} m");
    assert!(worst < 10e-6, "{worst:e} m");
}

#[test]
fn move_to_carries_the_bodies_on_top() {
    let mut world = world();
    let slab = Shape::cuboid(Vec3::new(real!(2), real!(0.25), real!(2))).unwrap();
    let lift = world.spawn(BodyDef::kinematic().shape(slab)).unwrap();
    let rider = world.spawn(crate_at(Vec3::Y * real!(0.75))).unwrap();
    // 2 m/s sideways and 1 m/s up, reached within a second: 2 m/s² is less than μ·g.
    let mut place = Vec3::ZERO;
    for tick in 0..300 {
        let speed = Real::from_int(tick.min(60)) / 60;
        place += Vec3::new(speed * 2, speed, Real::ZERO) / 60;
        world.move_to(lift, Transform::at(place)).unwrap();
        world.step();
    }
    let [lift, rider] = [lift, rider].map(|id| world.body(id).unwrap());
    let slip = rider.position() - lift.position() - Vec3::Y * real!(0.75);
    println!("slip {slip}");
    assert!(length(slip) < 0.02, "{slip}");
    assert!(length(rider.velocity() - lift.velocity()) < 0.01, "{}", rider.velocity());
}

#[test]
fn a_kinematic_body_is_moved_by_nothing() {
    let mut world = world();
    let body = BodyDef::kinematic().shape(cube(Real::HALF)).velocity(Vec3::X);
    let id = world.spawn(body).unwrap();
    let heavy = BodyDef::dynamic().shape(cube(Real::ONE)).velocity(Vec3::from_ints(0, -20, 0));
    world.spawn(heavy.at(Vec3::Y * 3)).unwrap();
    run(&mut world, 60);
    let body = world.body(id).unwrap();
    assert_eq!(body.velocity(), Vec3::X);
    let displacement = body.position() - Vec3::X;
    assert!(length(displacement) < 1e-6, "{displacement}");
}

#[test]
fn the_same_commands_make_the_same_world() {
    let build = || {
        let mut world = world();
        let ids = spawn_all(&mut world, &super::common::tumbling(2, 4));
        for tick in 0..100u32 {
            let mut rng = Rng::keyed(4, u64::from(tick), 0, 0);
            let id = ids[1 + rng.below(8).unwrap() as usize];
            world.apply_impulse(id, rng.direction() * real!(500)).unwrap();
            world.step();
        }
        encoded(&world)
    };
    assert!(build() == build());
}
