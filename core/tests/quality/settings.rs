//! Mass, inertia, locks, speed cap, gravity, sleep and events by command, beside closed forms.

use super::common::{
    box_of, crate_at, cube, encoded, floats, ground, weightless, world, world_with_substeps,
};
use isostep_core::internals::StateSection;
use isostep_core::shape::{MAX_SIZE, MIN_SIZE, Shape};
use isostep_core::world::{
    BodyDef, BodyId, Command, CommandError, Event, Locks, MAX_SPEED, ShapeDef, World, WorldDef,
};
use isostep_core::{Quat, Real, Tick, Vec3, real};

fn steps(world: &mut World, ticks: u32) {
    for _ in 0..ticks {
        world.step();
    }
}

/// Values that could be set and not read: where mass and inertia come from, gravity of an earlier tick, single axes of a lock.
#[test]
fn settings_can_be_read_and_taken_back() {
    let mut world = weightless();
    let body = crate_at(Vec3::ZERO).lock_rotation_axes([true, false, true]);
    let body = world.spawn(body.lock(Locks::TRANSLATION_Y)).unwrap();
    let upright = Locks::ROTATION_X | Locks::ROTATION_Z;
    assert_eq!(world.body(body).unwrap().locks(), upright | Locks::TRANSLATION_Y);
    let rest = world.body(body).unwrap().locks().without(Locks::ROTATION_X | Locks::ROTATION_Y);
    assert_eq!(rest, Locks::ROTATION_Z | Locks::TRANSLATION_Y);

    let set = |world: &World| {
        world.body(body).map(|body| (body.is_mass_set(), body.is_inertia_set())).unwrap()
    };
    assert_eq!(set(&world), (false, false));
    world.set_mass(body, Some(real!(2)), None).unwrap();
    assert_eq!(set(&world), (true, false));
    world.set_mass(body, None, Some(Vec3::splat(real!(100)))).unwrap();
    assert_eq!(set(&world), (false, true));

    world.step();
    world.set_gravity(Vec3::X).unwrap();
    world.step();
    assert_eq!(world.past(Tick(1)).unwrap().gravity(), Vec3::ZERO);
    assert_eq!(world.past(Tick(2)).unwrap().gravity(), Vec3::X);
}

/// Mass and inertia as they are read can be set. The inertia of a small and light body read as zero, and that of a rod could be one step
/// below the least that is accepted.
#[test]
fn mass_and_inertia_can_be_set_as_they_are_read() {
    let mut rng = isostep_core::Rng::keyed(5, 0, 0, 0);
    let mut world = weightless();
    let (mut least, mut most) = (0, 0);
    for case in 0..600 {
        let mut size = || {
            let size = 2f64.powf(f64::from(rng.below(22_000).unwrap()) / 1000.0 - 9.9);
            Real::from_f64(size.min(4096.0)).unwrap()
        };
        let shape = match case % 3 {
            0 => Shape::sphere(size()),
            1 => Shape::cuboid(Vec3::new(size(), size(), size())),
            _ => Shape::capsule(size(), size()),
        };
        let mass = 10f64.powf(f64::from(rng.below(14_900).unwrap()) / 1000.0 - 6.99);
        let def = BodyDef::dynamic().shape(shape.unwrap()).mass(Real::from_f64(mass).unwrap());
        let body = world.spawn(def).unwrap();
        let seen = world.body(body).unwrap();
        let (mass, inertia) = (seen.mass(), seen.inertia());
        least += u32::from(inertia.to_array().contains(&Real::EPSILON));
        most += u32::from(inertia.to_array().contains(&Real::MAX));
        let set = world.set_mass(body, Some(mass), Some(inertia));
        assert_eq!(set, Ok(()), "case {case}: {mass} kg, {inertia}");
        world.despawn(body).unwrap();
    }
    assert!(least > 0 && most > 0, "{least} and {most} at the limits");
}

#[test]
fn an_impulse_acts_on_the_mass_and_the_inertia_that_are_set() {
    let mut world = weightless();
    let body = world.spawn(crate_at(Vec3::ZERO)).unwrap();
    let before = world.body(body).map(|body| (body.mass(), body.inertia())).unwrap();
    assert_eq!(before.0, real!(1000));
    // A cube of 1 m: m/6.
    assert!(floats(before.1).iter().all(|i| (i - 1000.0 / 6.0).abs() < 1e-4), "{}", before.1);

    world.set_mass(body, Some(real!(4)), None).unwrap();
    let moments = floats(world.body(body).unwrap().inertia());
    assert!(moments.iter().all(|i| (i - 4.0 / 6.0).abs() < 1e-5), "{moments:?}");
    world.apply_impulse(body, Vec3::X * 2).unwrap();
    assert_eq!(world.body(body).unwrap().velocity(), Vec3::X * Real::HALF);

    world.set_mass(body, Some(real!(4)), Some(Vec3::new(real!(1), real!(2), real!(8)))).unwrap();
    assert_eq!(world.body(body).unwrap().inertia(), Vec3::from_ints(1, 2, 8));
    world.apply_angular_impulse(body, Vec3::splat(real!(4))).unwrap();
    assert_eq!(
        world.body(body).unwrap().angular_velocity(),
        Vec3::new(real!(4), real!(2), real!(0.5))
    );

    world.set_mass(body, None, None).unwrap();
    let after = world.body(body).map(|body| (body.mass(), body.inertia())).unwrap();
    assert_eq!(after, before);
}

#[test]
fn the_inertia_of_a_definition_replaces_that_of_the_shapes() {
    let mut world = weightless();
    let def = crate_at(Vec3::ZERO).mass(real!(10)).inertia(Vec3::new(real!(5), real!(1), real!(2)));
    let body = world.spawn(def).unwrap();
    world.apply_torque(body, Vec3::Y * 60).unwrap();
    world.step();
    // 60 N·m for 1/60 s on 1 kg·m².
    let spin = floats(world.body(body).unwrap().angular_velocity());
    assert!((spin[1] - 1.0).abs() < 1e-4, "{spin:?}");
}

#[test]
fn stated_limits_of_mass_are_accepted_with_every_size() {
    let least: Real = "0.0000001".parse().unwrap();
    let sizes = [
        Shape::sphere(MIN_SIZE).unwrap(),
        Shape::cuboid(Vec3::splat(MIN_SIZE)).unwrap(),
        Shape::cuboid(Vec3::new(MIN_SIZE, MAX_SIZE, MIN_SIZE)).unwrap(),
        Shape::sphere(MAX_SIZE).unwrap(),
        Shape::cuboid(Vec3::splat(MAX_SIZE)).unwrap(),
        Shape::capsule(MAX_SIZE, MAX_SIZE).unwrap(),
    ];
    for shape in sizes {
        for mass in [least, Real::ONE, real!(100_000_000)] {
            for density in [Real::EPSILON, real!(1000), Real::MAX] {
                let mut world = world();
                let part = ShapeDef::from(shape).density(density);
                let pair = part.clone().at(Vec3::X * real!(4000));
                let body = BodyDef::dynamic().mass(mass).shape(part).shape(pair);
                let body = world.spawn(body).unwrap();
                for _ in 0..10 {
                    world.step();
                }
                let seen = world.body(body).unwrap();
                // Two equal shapes: the centre is between them.
                assert!(
                    (seen.local_center_of_mass().x - real!(2000)).abs() < Real::ONE,
                    "{shape:?}"
                );
                assert_eq!(seen.mass(), mass);
                let fallen = floats(seen.velocity())[1];
                assert!((fallen + 9.81 / 6.0).abs() < 1e-3, "{shape:?}, {mass} kg: {fallen}");
            }
        }
    }
    for mass in [least - Real::EPSILON, real!(100_000_000) + Real::EPSILON] {
        let refused = world().spawn(crate_at(Vec3::ZERO).mass(mass)).unwrap_err();
        assert!(matches!(refused, CommandError::Mass(_)), "{refused}");
    }
}

#[test]
fn a_mass_that_is_set_keeps_the_ratios_of_shapes_that_are_too_heavy() {
    let mut world = world();
    // Volumes of 8:1, beyond the limit of 10⁸ kg.
    let large = ShapeDef::from(cube(real!(200)));
    let small = ShapeDef::from(cube(real!(100))).at(Vec3::X * 900);
    let body = BodyDef::dynamic().shape(large).shape(small).mass(real!(50));
    let body = world.spawn(body).unwrap();
    let center = world.body(body).unwrap().local_center_of_mass();
    assert!((center.x - real!(100)).abs() < Real::ratio(1, 1000), "{center}");
}

#[test]
fn locks_hold_a_body_in_a_plane_and_can_be_released() {
    let mut world = world();
    world.spawn(ground()).unwrap();
    let body = world
        .spawn(crate_at(Vec3::Y * 3).lock(Locks::PLANE_XY).velocity(Vec3::from_ints(2, 0, 5)))
        .unwrap();
    world.set_angular_velocity(body, Vec3::from_ints(3, 3, 3)).unwrap();
    for _ in 0..90 {
        world.apply_impulse(body, Vec3::new(Real::ZERO, Real::ZERO, real!(50))).unwrap();
        world.step();
        let seen = world.body(body).unwrap();
        assert_eq!(seen.position().z, Real::ZERO);
        let spin = seen.angular_velocity();
        assert_eq!((spin.x, spin.y), (Real::ZERO, Real::ZERO));
    }
    assert!(world.body(body).unwrap().position().x > Real::ONE);
    assert_eq!(world.body(body).unwrap().locks(), Locks::PLANE_XY);
    world.set_locks(body, Locks::NONE).unwrap();
    world.set_velocity(body, Vec3::Z).unwrap();
    world.step();
    assert!(world.body(body).unwrap().position().z > Real::ZERO);
    world.set_locks(body, Locks::ALL).unwrap();
    world.step();
    assert!(world.body(body).unwrap().velocity().is_zero());
}

#[test]
fn a_lock_of_one_rotation_axis_leaves_the_others_free() {
    let mut world = weightless();
    let body = world.spawn(crate_at(Vec3::ZERO).lock(Locks::ROTATION_Z)).unwrap();
    world.apply_torque(body, Vec3::splat(real!(1000))).unwrap();
    world.step();
    let spin = world.body(body).unwrap().angular_velocity();
    assert!(spin.x > Real::ZERO && spin.y > Real::ZERO && spin.z == Real::ZERO, "{spin}");
}

/// A torque or angular impulse about a locked axis rotated a body about the free one if its inertia couples the two, though a contact with
/// the same impulse did not.
#[test]
fn an_impulse_about_a_locked_axis_has_no_effect() {
    let upright = Locks::ROTATION_X | Locks::ROTATION_Z;
    let turn = Quat::from_axis_angle(Vec3::Z, Real::PI / 4).unwrap();
    let bar = BodyDef::dynamic().shape(box_of(real!(4), real!(0.5), real!(0.5))).rotated(turn);
    let spin_by = |command: &dyn Fn(BodyId) -> Command| {
        let mut world = weightless();
        let body = world.spawn(bar.clone().mass(real!(12)).lock(upright)).unwrap();
        world.command(command(body)).unwrap();
        world.step();
        world.body(body).unwrap().angular_velocity()
    };
    // An arm along z: an angular impulse about x.
    let (push, arm) = (Vec3::Y * -9, Vec3::Z);
    assert_eq!(spin_by(&|body| Command::AngularImpulse(body, Vec3::X * 9)), Vec3::ZERO);
    assert_eq!(spin_by(&|body| Command::Torque(body, Vec3::X * 540)), Vec3::ZERO);
    assert_eq!(spin_by(&|body| Command::ImpulseAt(body, push, arm)), Vec3::ZERO);
    assert_eq!(spin_by(&|body| Command::ForceAt(body, push * 60, arm)), Vec3::ZERO);
    // About y the response is the entry of the inverse inertia: of 12 kg across and along the bar at 45°.
    let entry = f64::midpoint(1.0 / (4.0 * 4.0 + 0.5 * 0.5), 1.0 / (2.0 * 0.5 * 0.5));
    let all_axes = Vec3::new(real!(7), Real::ONE, real!(-3));
    let spin = spin_by(&|body| Command::AngularImpulse(body, all_axes));
    assert_eq!((spin.x, spin.z), (Real::ZERO, Real::ZERO));
    assert!((spin.y.to_f64() - entry).abs() < 1e-4, "{spin}, not {entry}");
}

#[test]
fn a_speed_cap_keeps_the_direction() {
    let mut world = weightless();
    let body = world.spawn(crate_at(Vec3::ZERO).velocity(Vec3::from_ints(30, 40, 0))).unwrap();
    world.set_speed_cap(body, real!(5)).unwrap();
    world.step();
    let [x, y, _] = floats(world.body(body).unwrap().velocity());
    assert!((x - 3.0).abs() < 1e-5 && (y - 4.0).abs() < 1e-5, "{x} {y}");
}

/// The documented limit of 256 m/s was refused, since the largest representable speed is 2⁻²⁰ m/s lower.
#[test]
fn a_speed_cap_of_256_is_the_largest_speed() {
    let mut world = weightless();
    let slow = crate_at(Vec3::ZERO).speed_cap(real!(5));
    let [slow, free] = [slow, crate_at(Vec3::X * 9).speed_cap(real!(256))];
    let [slow, free] = [slow, free].map(|def| world.spawn(def).unwrap());
    world.set_speed_cap(slow, real!(256)).unwrap();
    for body in [slow, free] {
        assert_eq!(world.body(body).unwrap().speed_cap(), MAX_SPEED);
        world.set_velocity(body, Vec3::Y * 200).unwrap();
    }
    world.step();
    for body in [slow, free] {
        assert_eq!(world.body(body).unwrap().velocity(), Vec3::Y * 200);
    }
    let snapshot = world.snapshot(world.tick(), None).unwrap();
    World::new(WorldDef::default()).unwrap().restore(&snapshot).unwrap();
}

/// Height after some seconds of free fall in substeps: h·a·n·(n + 1)/2.
fn fallen(acceleration: f64, ticks: u32, start: f64) -> f64 {
    let (n, h) = (f64::from(ticks * 8), 1.0 / 480.0);
    start * n * h + acceleration * h * h * n * (n + 1.0) / 2.0
}

#[test]
fn gravity_that_is_set_acts_on_all_bodies_from_that_tick_on() {
    let mut world = world();
    let bodies = [0, 50].map(|x| world.spawn(crate_at(Vec3::X * x)).unwrap());
    steps(&mut world, 60);
    world.set_gravity(Vec3::from_ints(0, 4, -2)).unwrap();
    assert_eq!(world.gravity(), Vec3::from_ints(0, 4, -2));
    steps(&mut world, 60);
    for body in bodies {
        let [_, y, z] = floats(world.body(body).unwrap().position());
        let theory = fallen(-9.81, 60, 0.0) + fallen(4.0, 60, -9.81);
        assert!((y - theory).abs() < 1e-3, "{y}, not {theory}");
        assert!((z - fallen(-2.0, 60, 0.0)).abs() < 1e-3, "{z}");
    }
}

fn asleep() -> (World, BodyId) {
    let mut world = world();
    world.spawn(ground()).unwrap();
    let body = world.spawn(crate_at(Vec3::Y * Real::HALF)).unwrap();
    steps(&mut world, 120);
    assert!(world.body(body).unwrap().is_asleep());
    (world, body)
}

#[test]
fn gravity_wakes_sleepers_only_if_it_changes() {
    let (mut world, body) = asleep();
    world.set_gravity(WorldDef::default().gravity).unwrap();
    assert!(world.body(body).unwrap().is_asleep());
    world.set_gravity(Vec3::Y * 3).unwrap();
    assert!(!world.body(body).unwrap().is_asleep());
    let report = world.step();
    assert_eq!(report.woken, 1);
    steps(&mut world, 60);
    assert!(world.body(body).unwrap().position().y > Real::ONE);
}

#[test]
fn gravity_is_saved_restored_rolled_back_and_explained() {
    let mut world = world();
    world.spawn(crate_at(Vec3::ZERO)).unwrap();
    steps(&mut world, 4);
    let mut other = world.clone();
    let moon = Vec3::Y * real!(-1.625);
    world.set_gravity(moon).unwrap();
    world.step();
    other.step();
    assert_ne!(world.digest(), other.digest());
    let theirs = other.page_bytes(Tick(5), StateSection::World, 0).unwrap();
    let found = world.explain(Tick(5), StateSection::World, 0, &theirs).unwrap();
    assert!(found[0].to_string().starts_with("world, gravity.y: -1.625 m/s² here"), "{}", found[0]);

    let mut restored = World::new(WorldDef::default()).unwrap();
    restored.restore(&world.snapshot(Tick(5), None).unwrap()).unwrap();
    assert_eq!(restored.gravity(), moon);
    steps(&mut world, 5);
    steps(&mut restored, 5);
    assert_eq!(world.digest(), restored.digest());

    world.rewind(Tick(4)).unwrap();
    assert_eq!(world.gravity(), WorldDef::default().gravity);
    world.step();
    assert_eq!(world.digest(), other.digest());
    world.set_gravity(moon).unwrap();
    world.discard_commands();
    assert_eq!(world.gravity(), WorldDef::default().gravity);
}

#[test]
fn a_body_sleeps_by_command_in_mid_air_until_it_is_woken() {
    let mut world = world();
    let body = world.spawn(crate_at(Vec3::Y * 9).velocity(Vec3::X)).unwrap();
    world.step();
    let place = world.body(body).unwrap().position();
    world.put_to_sleep(body).unwrap();
    let report = world.step();
    assert_eq!((report.slept, report.woken), (1, 0));
    assert!(world.events().eq([Event::FellAsleep(body)]));
    steps(&mut world, 60);
    let seen = world.body(body).unwrap();
    assert_eq!((seen.position(), seen.velocity()), (place, Vec3::ZERO));
    world.wake(body).unwrap();
    assert_eq!(world.step().woken, 1);
    assert!(world.body(body).unwrap().velocity().y < Real::ZERO);
}

#[test]
fn a_command_puts_the_whole_island_to_sleep_and_nothing_else() {
    let mut world = world();
    world.spawn(ground()).unwrap();
    let mut at = |x: i32, y: f64| {
        let y = Real::from_f64(y).unwrap();
        world.spawn(crate_at(Vec3::new(Real::from_int(x), y, Real::ZERO))).unwrap()
    };
    let (stack, beside) = ([at(0, 0.5), at(0, 1.5), at(0, 2.5)], at(5, 0.5));
    world.step();
    world.put_to_sleep(stack[1]).unwrap();
    assert!(stack.iter().all(|body| world.body(*body).unwrap().is_asleep()));
    assert!(!world.body(beside).unwrap().is_asleep());
    assert_eq!(world.step().slept, 3);
    // One wakes them all, and a change of the support does too.
    world.wake(stack[2]).unwrap();
    assert!(stack.iter().all(|body| !world.body(*body).unwrap().is_asleep()));
}

#[test]
fn bodies_that_sleep_by_command_wake_when_they_are_hit_or_lose_their_support() {
    for dropped in [false, true] {
        let mut world = world();
        let ground = world.spawn(ground()).unwrap();
        let body = world.spawn(crate_at(Vec3::Y * Real::HALF)).unwrap();
        steps(&mut world, 5);
        world.put_to_sleep(body).unwrap();
        world.step();
        assert!(world.body(body).unwrap().is_asleep());
        if dropped {
            world.despawn(ground).unwrap();
        } else {
            world.spawn(crate_at(Vec3::Y * real!(1.5)).velocity(Vec3::Y * -4)).unwrap();
        }
        world.step();
        assert!(!world.body(body).unwrap().is_asleep());
    }
}

#[test]
fn sleep_is_refused_for_bodies_that_may_not_sleep() {
    let mut world = world_with_substeps(4);
    let ground = world.spawn(ground()).unwrap();
    let lower = world.spawn(crate_at(Vec3::Y * Real::HALF)).unwrap();
    let upper = world.spawn(crate_at(Vec3::Y * real!(1.5)).stay_awake()).unwrap();
    world.step();
    let bytes = encoded(&world);
    for (body, named) in [(ground, ground), (lower, upper), (upper, upper)] {
        assert_eq!(world.put_to_sleep(body), Err(CommandError::CannotSleep(named)));
    }
    assert_eq!(encoded(&world), bytes);
    world.set_can_sleep(upper, true).unwrap();
    // A body that was changed on this tick, or one beside it, has unknown contacts until the step.
    world.set_damping(ground, Real::ZERO, Real::ZERO).unwrap();
    assert_eq!(world.put_to_sleep(lower), Err(CommandError::ChangedThisTick(ground)));
    world.step();
    world.put_to_sleep(lower).unwrap();
    assert!(world.body(upper).unwrap().is_asleep());
}

#[test]
fn wake_and_sleep_on_one_tick_report_what_changed() {
    let (mut world, body) = asleep();
    world.wake(body).unwrap();
    world.put_to_sleep(body).unwrap();
    let report = world.step();
    assert_eq!((report.woken, report.slept), (0, 0));
    assert_eq!(world.events().count(), 0);
    world.wake(body).unwrap();
    world.put_to_sleep(body).unwrap();
    world.apply_impulse(body, Vec3::Y * 100).unwrap();
    let report = world.step();
    assert_eq!((report.woken, report.slept), (1, 0));
    assert!(world.events().any(|event| event == Event::Woke(body)));
}

#[test]
fn events_of_every_tick_are_switched_by_command() {
    let mut world = world();
    let ground = world.spawn(ground()).unwrap();
    let body = world.spawn(crate_at(Vec3::Y * Real::HALF).stay_awake()).unwrap();
    let persisted = |world: &mut World| {
        world.step();
        world.events().any(|event| matches!(event, Event::ContactPersisted(_)))
    };
    steps(&mut world, 5);
    assert!(!persisted(&mut world));
    world.set_persist_events(body, true).unwrap();
    assert!(persisted(&mut world) && persisted(&mut world));
    world.set_persist_events(body, false).unwrap();
    assert!(!persisted(&mut world));
    world.set_persist_events(ground, true).unwrap();
    assert!(persisted(&mut world));
    assert!(world.body(ground).unwrap().persist_events());
}

#[test]
fn every_setting_can_be_read_back() {
    let mut world = world();
    let def =
        crate_at(Vec3::ZERO).damping(Real::HALF, Real::ONE).gravity_scale(real!(2)).stay_awake();
    let body = world.spawn(def.speed_cap(real!(7)).lock(Locks::ROTATION).stay_events()).unwrap();
    let seen = world.body(body).unwrap();
    assert_eq!((seen.linear_damping(), seen.angular_damping()), (Real::HALF, Real::ONE));
    assert_eq!((seen.gravity_scale(), seen.speed_cap()), (real!(2), real!(7)));
    assert!(!seen.can_sleep() && seen.is_enabled() && seen.stay_events() && !seen.persist_events());
    assert_eq!(seen.locks(), Locks::ROTATION);
    world.set_enabled(body, false).unwrap();
    world.set_user_data(body, 9).unwrap();
    world.set_damping(body, Real::ZERO, Real::ZERO).unwrap();
    world.set_gravity_scale(body, -Real::ONE).unwrap();
    world.set_kind(body, isostep_core::world::BodyKind::Kinematic).unwrap();
    let seen = world.body(body).unwrap();
    assert!(!seen.is_enabled() && seen.user_data() == 9 && seen.gravity_scale() == -Real::ONE);
    assert_eq!(seen.linear_damping(), Real::ZERO);
}

#[test]
fn refused_masses_name_the_limits() {
    let mut world = world();
    let body = world.spawn(BodyDef::dynamic().shape(box_of(real!(1), real!(1), real!(1)))).unwrap();
    let error =
        world.set_mass(body, Some(Real::ONE), Some(Vec3::splat(real!(500_000)))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a moment of inertia (kg·m²) of a body of this mass and size is 500000; it must lie between 0.000003815 and 65536"
    );
    let error = world.set_mass(body, Some(Real::ZERO), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a mass of 0 kg is out of range; it must lie between 0.0000001 and 100000000 kg: set the mass of the body, or change \
         density or size"
    );
}

/// An impulse along a locked axis left a velocity until the next step, which a command that unlocked the axis on the same tick kept.
#[test]
fn impulses_along_locked_axes_have_no_effect() {
    let mut world = World::new(WorldDef { gravity: Vec3::ZERO, ..WorldDef::default() }).unwrap();
    let shape = box_of(real!(0.5), real!(0.5), real!(0.5));
    let def = BodyDef::dynamic().shape(shape).lock(Locks::TRANSLATION_X | Locks::TRANSLATION_Z);
    let body = world.spawn(def).unwrap();
    // Beyond the largest speed along x.
    world.apply_impulse(body, Vec3::from_ints(1_000_000, 3 * 125, -5)).unwrap();
    let velocity = world.body(body).unwrap().velocity();
    assert!((velocity - Vec3::Y * 3).length() < Real::ratio(1, 10_000), "{velocity}");
    world.set_locks(body, Locks::NONE).unwrap();
    world.step();
    let place = world.body(body).unwrap().pose().translation;
    assert_eq!((place.x, place.z), (Real::ZERO, Real::ZERO));
}
