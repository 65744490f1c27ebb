//! Forces and torques of one tick, beside closed forms.

use super::common::{box_of, crate_at, cube, encoded, floats, ground, length, weightless, world};
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, Command, CommandError, Event, World, WorldDef};
use isostep_core::{Real, StepReport, Vec3, real};

/// A world without gravity and with 512 substeps a second, so that products with the time of a substep are exact.
fn exact_world() -> World {
    let def = WorldDef { gravity: Vec3::ZERO, tick_rate: 64, ..WorldDef::default() };
    World::new(def).unwrap()
}

fn step_with(world: &mut World, command: &Command) -> StepReport {
    world.command(command.clone()).unwrap();
    world.step()
}

#[test]
fn a_constant_force_gives_the_trajectory_of_the_substeps() {
    let mut world = exact_world();
    let body = world.spawn(crate_at(Vec3::ZERO).mass(real!(3))).unwrap();
    for tick in 1..=128 {
        // 2 m/s² along x and −½ m/s² along z.
        let force = Vec3::new(real!(6), Real::ZERO, real!(-1.5));
        step_with(&mut world, &Command::Force(body, force));
        // v = a·n·h and x = a·h²·n·(n + 1)/2 after n substeps of h = 1/512 s.
        let n = tick * 8;
        let (v, x) =
            (Real::ratio(n, 512), Real::from_bits((i64::from(n) * i64::from(n + 1)) << 13));
        let seen = world.body(body).unwrap();
        let along = |one: Real| Vec3::new(one * 2, Real::ZERO, one * real!(-0.5));
        assert_eq!(seen.velocity(), along(v), "tick {tick}");
        assert_eq!(seen.position(), along(x), "tick {tick}");
    }
    // The forces ended with their tick.
    let (place, velocity) = {
        let seen = world.body(body).unwrap();
        (seen.position(), seen.velocity())
    };
    world.step();
    assert_eq!(world.body(body).unwrap().velocity(), velocity);
    assert_eq!(world.body(body).unwrap().position(), place + velocity * Real::ratio(1, 64));
}

#[test]
fn a_force_opposite_to_gravity_hovers_exactly() {
    for mass in [Real::ratio(1, 1000), real!(3), Real::ratio(7, 3), real!(100_000)] {
        for scale in [Real::ONE, real!(2.5), real!(-1)] {
            let mut world = world();
            let body = BodyDef::dynamic().shape(cube(Real::HALF)).mass(mass).gravity_scale(scale);
            let body = world.spawn(body.at(Vec3::Y * 7)).unwrap();
            let lift = -WorldDef::default().gravity * scale * mass;
            for _ in 0..120 {
                step_with(&mut world, &Command::Force(body, lift));
            }
            let seen = world.body(body).unwrap();
            assert_eq!((seen.position(), seen.velocity()), (Vec3::Y * 7, Vec3::ZERO), "{mass} kg");
            assert!(!seen.is_asleep(), "a body does not sleep while a force acts");
        }
    }
}

#[test]
fn a_torque_gives_the_spin_and_the_angle_of_the_closed_form() {
    let mut world = exact_world();
    // 2/5·m·r² = 1 kg·m².
    let ball = BodyDef::dynamic().shape(Shape::sphere(Real::HALF).unwrap()).mass(real!(10));
    let body = world.spawn(ball).unwrap();
    for _ in 0..64 {
        step_with(&mut world, &Command::Torque(body, Vec3::Y * Real::HALF));
    }
    let seen = world.body(body).unwrap();
    let [x, y, z] = floats(seen.angular_velocity());
    assert!((y - 0.5).abs() < 1e-5 && x == 0.0 && z == 0.0, "{x} {y} {z}");
    // α·h²·n·(n + 1)/2.
    let angle = 0.5 * 512.0 * 513.0 / 2.0 / (512.0 * 512.0);
    let turned = floats(seen.rotation().to_rotation_vector());
    assert!((turned[1] - angle).abs() < 1e-4, "{turned:?}, not {angle}");
    assert_eq!(seen.velocity(), Vec3::ZERO);
}

#[test]
fn a_force_at_a_point_turns_as_its_torque_about_the_centre_of_mass() {
    let mut world = exact_world();
    // A box of 1 × 2 × 3 m and 12 kg: the inertia about z is 12/12·(1² + 2²) = 5 kg·m².
    let shape = box_of(real!(1), real!(2), real!(3));
    let body = BodyDef::dynamic().at(Vec3::from_ints(5, 6, 7)).shape(shape).mass(real!(12));
    let body = world.spawn(body).unwrap();
    let point = Vec3::from_ints(5, 6, 7) + Vec3::X * Real::HALF;
    step_with(&mut world, &Command::ForceAt(body, Vec3::Y * 96, point));
    // 48 N·m for 1/64 s, and 96 N.
    let seen = world.body(body).unwrap();
    let [x, y, z] = floats(seen.angular_velocity());
    assert!((z - 48.0 / 5.0 / 64.0).abs() < 1e-4 && x.abs() + y.abs() < 1e-5, "{x} {y} {z}");
    assert_eq!(seen.velocity(), Vec3::Y * Real::ratio(1, 8));
}

#[test]
fn forces_of_a_tick_add_up() {
    let (mut one, mut two) = (world(), world());
    let spawn = |world: &mut World| world.spawn(crate_at(Vec3::Y * 9)).unwrap();
    let bodies = [spawn(&mut one), spawn(&mut two)];
    let (a, b) = (Vec3::from_ints(800, 20, -300), Vec3::from_ints(-50, 9, 1));
    one.apply_force(bodies[0], a).unwrap();
    one.apply_torque(bodies[0], b).unwrap();
    one.apply_force(bodies[0], b).unwrap();
    one.apply_torque(bodies[0], a).unwrap();
    two.apply_torque(bodies[1], a + b).unwrap();
    two.apply_force(bodies[1], a + b).unwrap();
    assert_eq!(encoded(&one), encoded(&two));
    one.step();
    two.step();
    assert_eq!(one.digest(), two.digest());
}

#[test]
fn a_pushed_box_stays_below_the_friction_limit_and_slides_above_it() {
    // Coefficient 0.6 on both surfaces.
    for (part, expected) in [(0.5, 0.0), (1.0, 0.4), (1.6, 1.0)] {
        let mut world = world();
        world.spawn(ground()).unwrap();
        let body = world.spawn(crate_at(Vec3::Y * Real::HALF).mass(real!(10))).unwrap();
        let push = Real::from_f64(part * 98.1).unwrap();
        for _ in 0..60 {
            // At the height of the ground, so that the box does not tip over.
            let mut foot = world.body(body).unwrap().position();
            foot.y = Real::ratio(1, 100);
            step_with(&mut world, &Command::ForceAt(body, Vec3::X * push, foot));
        }
        let speed = floats(world.body(body).unwrap().velocity())[0];
        let theory = expected * 9.81;
        assert!((speed - theory).abs() < 0.02 * theory + 0.02, "{part}: {speed}, not {theory}");
    }
}

fn asleep_on_the_ground() -> (World, BodyId) {
    let mut world = world();
    world.spawn(ground()).unwrap();
    let body = world.spawn(crate_at(Vec3::Y * Real::HALF)).unwrap();
    for _ in 0..120 {
        world.step();
    }
    assert!(world.body(body).unwrap().is_asleep());
    (world, body)
}

#[test]
fn a_force_wakes_and_a_zero_force_does_not() {
    let (mut world, body) = asleep_on_the_ground();
    world.apply_force(body, Vec3::ZERO).unwrap();
    world.apply_torque(body, Vec3::ZERO).unwrap();
    world.step();
    assert!(world.body(body).unwrap().is_asleep());
    world.apply_force(body, Vec3::X).unwrap();
    assert!(!world.body(body).unwrap().is_asleep());
    world.step();
    assert!(world.events().any(|event| event == Event::Woke(body)));
}

#[test]
fn a_body_that_is_pushed_on_every_tick_does_not_fall_asleep_by_turns() {
    let (mut world, body) = asleep_on_the_ground();
    for tick in 0..120 {
        step_with(&mut world, &Command::Force(body, Vec3::X));
        let slept = world.events().any(|event| matches!(event, Event::FellAsleep(_)));
        assert!(!slept, "tick {tick}");
    }
}

#[test]
fn a_force_survives_clones_and_dropped_caches_and_ends_with_its_body() {
    let mut world = weightless();
    let body = world.spawn(crate_at(Vec3::ZERO)).unwrap();
    world.step();
    world.apply_force(body, Vec3::X * 1000).unwrap();
    let mut copy = world.clone();
    copy.drop_scratch();
    assert_eq!(encoded(&world), encoded(&copy));
    world.step();
    copy.step();
    assert_eq!(world.digest(), copy.digest());
    assert!(length(world.body(body).unwrap().velocity()) > 0.01);

    // Another body with the same index has no force.
    world.apply_force(body, Vec3::X * 1000).unwrap();
    world.despawn(body).unwrap();
    let other = world.spawn(crate_at(Vec3::ZERO)).unwrap();
    world.step();
    assert_eq!(world.body(other).unwrap().velocity(), Vec3::ZERO);
    // Discarded commands leave no force.
    world.apply_force(other, Vec3::X * 1000).unwrap();
    world.discard_commands();
    world.step();
    assert_eq!(world.body(other).unwrap().velocity(), Vec3::ZERO);
}

#[test]
fn refused_forces_name_the_limit_and_change_nothing() {
    let mut world = world();
    let body = world.spawn(crate_at(Vec3::ZERO)).unwrap();
    let wall = world.spawn(BodyDef::kinematic().at(Vec3::X * 9).shape(cube(Real::HALF))).unwrap();
    let before = encoded(&world);
    let force = |force: i32| Command::Force(body, Vec3::Y * Real::from_int(force));
    // 1000 kg at 60 ticks per second: 15.36 MN is 256 m/s a tick.
    for (command, message) in [
        (
            force(16_000_000),
            "the forces of this tick would change the velocity by (0, 266.6666666667, 0) m/s; each component must lie within \
             ±255.99: apply a smaller force",
        ),
        (
            Command::Torque(body, Vec3::Y * 3_000_000),
            "the torques of this tick would change the angular velocity by (0, 300.0000002794, 0) rad/s; each component must lie \
             within ±255.99 for a body of this size: apply a smaller torque",
        ),
        (
            Command::ForceAt(body, Vec3::Y * 1_000_000, Vec3::X * 10_000),
            "a force of (0, 1000000, 0) N at (10000, 0, 0) m from the centre of mass has a torque beyond ±2147483648 N·m; \
             apply a smaller force, or apply it nearer to the body",
        ),
    ] {
        assert_eq!(world.command(command).unwrap_err().to_string(), message);
    }
    let refused = world.apply_force(wall, Vec3::X).unwrap_err();
    assert_eq!(refused, CommandError::NotDynamic(wall));
    assert_eq!(encoded(&world), before);
    // Two forces that are too large together.
    world.command(force(8_000_000)).unwrap();
    assert!(world.command(force(8_000_000)).is_err());
}
