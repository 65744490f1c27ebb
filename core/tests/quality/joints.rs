//! Rods against closed forms: the period of a pendulum, lengths under load, momentum and energy, rest; and the commands about joints.

use super::common::encoded;
use isostep_core::shape::Shape;
use isostep_core::world::{
    BodyDef, BodyId, BodyKind, Command, CommandError, Event, JointDef, JointId, World, WorldDef,
};
use isostep_core::{Quat, Real, Vec3, real};

fn ball(radius: Real, mass: i32) -> BodyDef {
    BodyDef::dynamic().shape(Shape::sphere(radius).unwrap()).mass(Real::from_int(mass))
}

fn def() -> WorldDef {
    WorldDef::default()
}

fn run(world: &mut World, ticks: u32) {
    for _ in 0..ticks {
        world.step();
    }
}

fn float(value: Real) -> f64 {
    value.to_bits() as f64 / 2f64.powi(32)
}

fn floats(v: Vec3) -> [f64; 3] {
    v.to_array().map(float)
}

/// A pendulum of one metre whose ball starts at an angle, in degrees.
fn pendulum(degrees: i32) -> (World, BodyId, JointId) {
    let mut world = World::new(WorldDef { sleep_threshold: Real::ZERO, ..def() }).unwrap();
    let angle = Real::PI * degrees / 180;
    let turn = Quat::from_axis_angle(Vec3::Z, angle).unwrap();
    let place = turn.rotate(-Vec3::Y);
    let bob = world.spawn(ball(Real::ratio(1, 10), 1).at(place)).unwrap();
    let rod = world.add_joint(JointDef::rod_to_world(bob, Vec3::ZERO, Real::ONE)).unwrap();
    world.commit();
    (world, bob, rod)
}

/// T = 2π·√(L/g)·(1 + θ²/16).
#[test]
fn a_pendulum_at_five_degrees_has_its_period() {
    let (mut world, bob, _) = pendulum(5);
    let (mut last, mut crossings) = (float(world.body(bob).unwrap().position().x), Vec::new());
    while crossings.len() < 21 {
        world.step();
        let x = float(world.body(bob).unwrap().position().x);
        if (x < 0.0) != (last < 0.0) {
            crossings.push(f64::from(world.tick().0) / 60.0 - x / (x - last) / 60.0);
        }
        last = x;
    }
    let period = (crossings[20] - crossings[0]) / 10.0;
    let theta = 5f64.to_radians();
    let expected = core::f64::consts::TAU / 9.81f64.sqrt() * (1.0 + theta * theta / 16.0);
    println!("period {period:.5} s, expected {expected:.5} s");
    assert!((period / expected - 1.0).abs() < 0.01, "{period} instead of {expected}");
}

/// At 90° the period is 1.18034 times that of small swings, and a swing must neither gain nor lose much height.
#[test]
fn a_wide_swing_keeps_its_energy_and_length() {
    let (mut world, bob, rod) = pendulum(90);
    let energy = |world: &World| {
        let body = world.body(bob).unwrap();
        let [u, v, w] = floats(body.velocity());
        0.5 * (u * u + v * v + w * w) + 9.81 * float(body.position().y)
    };
    let (mut worst, mut most, mut least) = (0f64, f64::MIN, f64::MAX);
    for _ in 0..600 {
        world.step();
        let joint = world.joint(rod).unwrap();
        worst = worst.max(float(joint.distance() - joint.length()).abs());
        most = most.max(energy(&world));
        least = least.min(energy(&world));
    }
    println!("length off by {worst:.6} m, energy {least:.4} to {most:.4} J of 9.81");
    assert!(worst < 0.002, "{worst}");
    assert!(most < 0.1, "it gains energy: {most}");
    assert!(least > -0.5, "it loses energy: {least}");
}

/// The impulse of a rod that bears a weight at rest is m·g·dt, and it pulls.
#[test]
fn a_rod_bears_the_weight_of_a_ball() {
    let mut world = World::new(def()).unwrap();
    let bob = world.spawn(ball(Real::ratio(1, 10), 12).at(-Vec3::Y)).unwrap();
    let rod = world.add_joint(JointDef::rod_to_world(bob, Vec3::ZERO, Real::ONE)).unwrap();
    run(&mut world, 20);
    let joint = world.joint(rod).unwrap();
    let (impulse, expected) = (float(joint.impulse()), -12.0 * 9.81 / 60.0);
    assert!((impulse / expected - 1.0).abs() < 0.01, "{impulse} instead of {expected}");
    assert!(float(joint.distance() - Real::ONE).abs() < 0.0002);
    // It falls asleep without a contact, because the world bears it.
    run(&mut world, 120);
    assert!(world.body(bob).unwrap().is_asleep());
}

/// Ten light links with a weight of a hundred times their mass. With 8 substeps at 60 ticks a second each stretches by at most 3 %, once
/// the load has stopped bouncing.
#[test]
fn a_chain_under_a_hundred_times_its_mass_keeps_its_lengths() {
    let mut world = World::new(def()).unwrap();
    let length = Real::ratio(8, 10);
    let mut last = world.spawn(BodyDef::fixed()).unwrap();
    let mut rods = Vec::new();
    for i in 1..=10 {
        let link =
            ball(Real::ratio(1, 10), if i == 10 { 100 } else { 1 }).at(Vec3::Y * length * -i);
        let link = world.spawn(link.damping(Real::ratio(2, 10), Real::ratio(2, 10))).unwrap();
        rods.push(world.add_joint(JointDef::rod(link, last, length)).unwrap());
        last = link;
    }
    let mut worst = 0f64;
    for tick in 0..1200 {
        world.step();
        if tick > 300 {
            for rod in &rods {
                worst = worst.max(float(world.joint(*rod).unwrap().distance() / length) - 1.0);
            }
        }
    }
    println!("stretch {:.3} %", worst * 100.0);
    assert!(worst < 0.03, "{worst}");
}

#[test]
fn a_swinging_chain_comes_to_rest_and_sleeps() {
    let mut world = World::new(def()).unwrap();
    let mut last = world.spawn(BodyDef::fixed()).unwrap();
    let mut links = Vec::new();
    for i in 1..=6 {
        let link =
            ball(Real::ratio(1, 10), 1)
                .at(Vec3::new(real!(0.5), Real::ZERO, Real::ratio(1, 10)) * i);
        let link = world.spawn(link.damping(Real::ratio(8, 10), Real::ratio(8, 10))).unwrap();
        let near = Vec3::new(real!(0.5), Real::ZERO, Real::ratio(1, 10)).length();
        world.add_joint(JointDef::rod(link, last, near)).unwrap();
        links.push(link);
        last = link;
    }
    let slept = (0..3600).find(|_| {
        world.step();
        links.iter().all(|link| world.body(*link).unwrap().is_asleep())
    });
    println!("asleep on tick {slept:?}");
    assert!(slept.is_some());
    for (i, link) in links.iter().enumerate() {
        let y = float(world.body(*link).unwrap().position().y);
        assert!((y + 0.51 * (i as f64 + 1.0)).abs() < 0.05, "link {i} at {y}");
    }
    // A push at the end wakes all of them through the rods.
    world.apply_impulse(links[5], Vec3::X).unwrap();
    let report = world.step();
    assert_eq!(report.woken, 6, "{report:?}");
    assert_eq!(report.islands, 1);
}

/// Two bodies of 1 and 5 kg with anchors outside of their centres, spinning without weight.
#[test]
fn a_rod_between_free_bodies_conserves_momentum() {
    let mut world =
        World::new(WorldDef { gravity: Vec3::ZERO, sleep_threshold: Real::ZERO, ..def() }).unwrap();
    let half = Vec3::new(Real::ratio(2, 10), Real::ratio(3, 10), Real::ratio(1, 10));
    let brick = |mass: i32| {
        let brick = BodyDef::dynamic().shape(Shape::cuboid(half).unwrap());
        brick.mass(Real::from_int(mass))
    };
    let a = world.spawn(brick(1).velocity(Vec3::from_ints(1, 2, 0))).unwrap();
    let b = world.spawn(brick(5).at(Vec3::X * 2).velocity(Vec3::from_ints(0, -1, 1))).unwrap();
    world.set_angular_velocity(a, Vec3::from_ints(0, 1, 3)).unwrap();
    let def = JointDef::rod(a, b, real!(1.5)).anchors(half, Vec3::Y * real!(0.5));
    let rod = world.add_joint(def).unwrap();
    let state = |world: &World| {
        let mut linear = [0f64; 3];
        let mut angular = [0f64; 3];
        for (id, mass) in [(a, 1.0), (b, 5.0)] {
            let body = world.body(id).unwrap();
            let (x, v) = (floats(body.center_of_mass()), floats(body.velocity()));
            // A cuboid's inertia, in its own axes.
            let sizes = floats(half).map(|h| 4.0 * h * h);
            let turn = body.rotation();
            let spin = floats(turn.rotate_inverse(body.angular_velocity()));
            let own: [f64; 3] = core::array::from_fn(|i| {
                mass / 12.0 * (sizes[(i + 1) % 3] + sizes[(i + 2) % 3]) * spin[i]
            });
            let own = own.map(|l| Real::from_bits((l * 2f64.powi(32)) as i64));
            let own = floats(turn.rotate(Vec3::new(own[0], own[1], own[2])));
            for i in 0..3 {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                linear[i] += mass * v[i];
                angular[i] += mass * (x[j] * v[k] - x[k] * v[j]) + own[i];
            }
        }
        (linear, angular)
    };
    let (linear, angular) = state(&world);
    let mut worst = 0f64;
    for _ in 0..600 {
        world.step();
        let joint = world.joint(rod).unwrap();
        worst = worst.max(float(joint.distance() - joint.length()).abs());
    }
    let (later, turning) = state(&world);
    println!("p {linear:?} to {later:?}, L {angular:?} to {turning:?}; length off by {worst}");
    for i in 0..3 {
        assert!((linear[i] - later[i]).abs() < 0.005, "{linear:?} became {later:?}");
        assert!((angular[i] - turning[i]).abs() < 0.2, "{angular:?} became {turning:?}");
    }
}

#[test]
fn jointed_bodies_collide_only_if_asked() {
    for (collides, length, apart) in
        [(false, Real::ratio(1, 10), 0.1), (true, Real::ratio(98, 100), 1.0)]
    {
        let mut world = World::new(WorldDef { gravity: Vec3::ZERO, ..def() }).unwrap();
        let a = world.spawn(ball(Real::HALF, 1)).unwrap();
        let b = world.spawn(ball(Real::HALF, 1).at(Vec3::X * Real::ratio(12, 10))).unwrap();
        let rod = JointDef::rod(a, b, length);
        world.add_joint(if collides { rod.collide() } else { rod }).unwrap();
        run(&mut world, 120);
        let distance = world.body(b).unwrap().position().x - world.body(a).unwrap().position().x;
        assert!((float(distance) - apart).abs() < 0.02, "{distance}");
        assert_eq!(world.contacts().count(), usize::from(collides));
        // Also after the joint has gone.
        let id = world.joints().next().unwrap().id();
        world.remove_joint(id).unwrap();
        world.step();
        assert_eq!(world.joints().count(), 0);
        assert_eq!(world.contacts().count(), 1);
    }
}

#[test]
fn joints_end_with_their_bodies_and_ids_never_return() {
    let mut world = World::new(def()).unwrap();
    let spawn = |world: &mut World, x: i32| {
        world.spawn(ball(Real::ratio(1, 10), 1).at(Vec3::X * x)).unwrap()
    };
    let (a, b, c) = (spawn(&mut world, 0), spawn(&mut world, 1), spawn(&mut world, 2));
    let first = world.add_joint(JointDef::rod(a, b, Real::ONE)).unwrap();
    let second = world.add_joint(JointDef::rod(b, c, Real::ONE)).unwrap();
    let nail = world.add_joint(JointDef::rod_to_world(b, Vec3::Y, Real::ONE)).unwrap();
    assert_eq!([first, second, nail].map(JointId::number), [0, 0, 1]);
    assert_eq!(first.to_string(), format!("{a}/0"));
    world.step();
    world.remove_joint(first).unwrap();
    let third = world.add_joint(JointDef::rod(a, b, Real::ONE)).unwrap();
    assert_ne!(first, third);
    assert_eq!(world.remove_joint(first), Err(CommandError::NoSuchJoint(first)));
    assert!(world.joint(first).is_none());
    world.despawn(b).unwrap();
    assert_eq!(world.joints().count(), 0);
    world.step();
    let lost: Vec<_> = world.events().collect();
    for id in [second, third, nail] {
        assert!(lost.contains(&Event::JointRemoved(id)), "{id}: {lost:?}");
    }
    assert_eq!(lost.len(), 3, "{lost:?}");
    world.step();
    assert_eq!(world.events().count(), 0);
    // Another body with the index of the second.
    let again = spawn(&mut world, 1);
    let fourth = world.add_joint(JointDef::rod(again, c, Real::ONE)).unwrap();
    assert_eq!((again.index_in_stream(), fourth.number()), (b.index_in_stream(), 0));
    assert!(world.joint(second).is_none() && world.joint(fourth).is_some());
}

#[test]
fn commands_refuse_what_makes_no_joint() {
    let mut world = World::new(def()).unwrap();
    let a = world.spawn(ball(Real::ratio(1, 10), 1)).unwrap();
    let b = world.spawn(ball(Real::ratio(1, 10), 1).at(Vec3::X)).unwrap();
    let gone = world.spawn(ball(Real::ratio(1, 10), 1)).unwrap();
    world.despawn(gone).unwrap();
    let digest = encoded(&world);
    let add = |world: &mut World, def| world.add_joint(def).unwrap_err();
    assert_eq!(add(&mut world, JointDef::rod(a, a, Real::ONE)), CommandError::JoinedToItself(a));
    for bodies in [(a, gone), (gone, a)] {
        let def = JointDef::rod(bodies.0, bodies.1, Real::ONE);
        assert_eq!(add(&mut world, def), CommandError::NoSuchBody(gone));
    }
    let far = Vec3::X * 5000;
    for def in [
        JointDef::rod(a, b, Real::ZERO),
        JointDef::rod(a, b, real!(4097)),
        JointDef::rod(a, b, Real::ONE).anchors(far, Vec3::ZERO),
        JointDef::rod(a, b, Real::ONE).anchors(Vec3::ZERO, far),
    ] {
        assert!(matches!(add(&mut world, def), CommandError::OutOfRange { .. }));
    }
    let beyond = JointDef::rod_to_world(a, Vec3::X * Real::MAX, Real::ONE);
    assert!(matches!(add(&mut world, beyond), CommandError::OutOfWorld(_)));
    assert_eq!(encoded(&world), digest);
    let rod = world.add_joint(JointDef::rod(a, b, Real::ONE)).unwrap();
    assert!(world.set_joint_length(rod, Real::ZERO).is_err());
    assert_eq!(world.joint(rod).unwrap().length(), Real::ONE);
    assert_eq!(world.joint(rod).unwrap().def(), JointDef::rod(a, b, Real::ONE));
}

/// A joint wakes its bodies whenever it changes, and a body that one of them hangs on does.
#[test]
fn joints_wake_what_they_move() {
    let hang = |kind: BodyKind| {
        let mut world = World::new(def()).unwrap();
        let hook = BodyDef::fixed().shape(Shape::sphere(Real::ratio(1, 10)).unwrap());
        let hook = world.spawn(hook).unwrap();
        world.command(Command::SetKind(hook, kind)).unwrap();
        let bob = world.spawn(ball(Real::ratio(1, 10), 1).at(-Vec3::Y)).unwrap();
        let rod = world.add_joint(JointDef::rod(bob, hook, Real::ONE)).unwrap();
        run(&mut world, 200);
        assert!(world.body(bob).unwrap().is_asleep());
        (world, hook, bob, rod)
    };
    let awake = |mut world: World, bob: BodyId| {
        world.step();
        !world.body(bob).unwrap().is_asleep()
    };
    let changes: [fn(&mut World, BodyId, JointId); 6] = [
        |world, _, rod| world.remove_joint(rod).unwrap(),
        |world, _, rod| world.set_joint_length(rod, real!(0.5)).unwrap(),
        |world, _, rod| world.set_joint_enabled(rod, false).unwrap(),
        |world, hook, _| world.despawn(hook).unwrap(),
        |world, hook, _| _ = world.command(Command::SetEnabled(hook, false)).unwrap(),
        |world, hook, _| world.teleport(hook, isostep_core::Transform::at(Vec3::X)).unwrap(),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let (mut world, hook, bob, rod) = hang(BodyKind::Fixed);
        change(&mut world, hook, rod);
        assert!(awake(world, bob), "change {number}");
    }
    let (mut world, hook, bob, _) = hang(BodyKind::Kinematic);
    world.set_velocity(hook, Vec3::X).unwrap();
    world.step();
    assert!(!world.body(bob).unwrap().is_asleep());
    // It follows the hook, and stays awake while the hook moves.
    run(&mut world, 600);
    let behind = world.body(hook).unwrap().position() - world.body(bob).unwrap().position();
    assert!(!world.body(bob).unwrap().is_asleep());
    assert!(behind.x.abs() < Real::ratio(8, 10), "{behind}");
    // A command that changes nothing wakes no body.
    let (mut world, _, bob, rod) = hang(BodyKind::Fixed);
    world.set_joint_length(rod, Real::ONE).unwrap();
    assert!(!awake(world, bob));
}
