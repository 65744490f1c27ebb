//! Sensor overlaps at the end of a tick against geometry in floats: after every step they are true of the poses that the world
//! then shows. Random scenes with all shapes, fast bodies, sleep, teleports, spawns and despawns; with mispredictions that are
//! rewound, restored snapshots and dropped caches.

use super::common::{ball_at, cube, entered, ground, left, sphere, spot, weightless};
use super::ledger::Ledger;
use super::solids::{Pose, Solid, separation};
use isostep_core::shape::Shape;
use isostep_core::world::{Body, BodyDef, BodyId, BodyKind, ShapeDef, World, WorldDef};
use isostep_core::{Quat, Real, Rng, Tick, Transform, Vec3, real};
use std::collections::{BTreeMap, BTreeSet};

/// Sensor and shape: body, ordinal, body, ordinal.
type Key = (BodyId, u8, BodyId, u8);

/// The definition with a number, which is also the body's `user_data`, so that the oracle knows the shapes of each body.
fn body(number: u64) -> BodyDef {
    let mut rng = Rng::keyed(number, 0, 0, 3);
    let mut within = |low: Real, high: Real| rng.between(low, high).unwrap();
    let size = within(real!(0.125), real!(0.5));
    let half = Vec3::new(size, within(real!(0.125), real!(0.5)), within(real!(0.125), real!(0.5)));
    let place = Vec3::new(
        within(real!(-3), real!(3)),
        within(real!(0.5), real!(4)),
        within(real!(-3), real!(3)),
    );
    let velocity = Vec3::new(
        within(real!(-4), real!(4)),
        within(real!(-4), real!(4)),
        within(real!(-4), real!(4)),
    );
    let turn = Vec3::new(
        within(real!(-1), real!(1)),
        within(real!(-1), real!(1)),
        within(real!(-1), real!(1)),
    );
    let spin = turn * within(Real::ZERO, real!(20));
    let solid = match number % 3 {
        0 => sphere(size),
        1 => Shape::capsule(size, half.y).unwrap(),
        _ => Shape::cuboid(half).unwrap(),
    };
    let def = match number % 8 {
        0 => BodyDef::fixed(),
        1 | 2 => BodyDef::kinematic().velocity(velocity * Real::HALF),
        3 => BodyDef::kinematic(),
        // The least ones are shot through the others.
        7 => BodyDef::dynamic().velocity(velocity * 15).speed_cap(real!(40)),
        _ => BodyDef::dynamic().velocity(velocity),
    };
    let def = if number.is_multiple_of(5) { def.stay_events() } else { def };
    let pose = Transform::new(place, Quat::from_rotation_vector(turn));
    let mut def = BodyDef { pose, user_data: number, ..def.mass(real!(2)) };
    if !number.is_multiple_of(8) {
        def.angular_velocity = spin;
    }
    let eye = match number / 8 % 3 {
        0 => sphere(real!(0.75)),
        1 => cube(real!(0.625)),
        _ => Shape::capsule(real!(0.375), real!(0.5)).unwrap(),
    };
    let eye = ShapeDef::from(eye).at(half).sensor();
    match number / 24 % 3 {
        0 => def.shape(solid),
        1 => def.shape(eye),
        _ => def.shape(solid).shape(eye),
    }
}

/// The ground, which is also what the sensors on moving bodies detect.
fn scene(seed: u64) -> World {
    let def = WorldDef { time_to_sleep: Real::ratio(1, 10), ..WorldDef::default() };
    let mut world = World::with_history(def, 24).unwrap();
    world.spawn(BodyDef { user_data: u64::MAX, ..ground() }).unwrap();
    for i in 0..30 {
        world.spawn(body(seed * 1000 + i * 7)).unwrap();
    }
    world.commit();
    world
}

fn solids(body: &Body<'_>) -> Vec<(Solid, bool)> {
    let number = body.user_data();
    let def = if number == u64::MAX { ground() } else { self::body(number) };
    let pose = Pose::new(&body.pose());
    let of_shape = |shape: &ShapeDef| {
        (Solid::new(&shape.shape, pose.then(&Pose::new(&shape.pose))), shape.sensor)
    };
    def.shapes.iter().map(of_shape).collect()
}

/// Overlaps by geometry: those that surely exist, and those that may, within rounding.
fn overlaps(world: &World) -> [BTreeSet<Key>; 2] {
    let all: Vec<_> = world.bodies().map(|(id, body)| (id, body.kind(), solids(&body))).collect();
    let (mut surely, mut perhaps) = (BTreeSet::new(), BTreeSet::new());
    for (a, kind_a, sensors) in &all {
        for (i, (sensor, _)) in sensors.iter().enumerate().filter(|(_, (_, senses))| *senses) {
            for (b, kind_b, others) in &all {
                if a == b || [kind_a, kind_b].iter().all(|kind| **kind == BodyKind::Fixed) {
                    continue;
                }
                for (j, (other, _)) in others.iter().enumerate().filter(|(_, (_, s))| !*s) {
                    let slack = if sensor.is_cuboid() && other.is_cuboid() { 6e-3 } else { 1e-4 };
                    let apart = separation(sensor, other);
                    let key = (*a, i as u8, *b, j as u8);
                    if apart < slack {
                        perhaps.insert(key);
                    }
                    if apart < -slack {
                        surely.insert(key);
                    }
                }
            }
        }
    }
    [surely, perhaps]
}

fn check(world: &World, ledger: &mut Ledger, what: &str) {
    ledger.listen(world, what);
    let [surely, perhaps] = overlaps(world);
    let missing: Vec<_> = surely.difference(&ledger.sensed).collect();
    let extra: Vec<_> = ledger.sensed.difference(&perhaps).collect();
    assert!(missing.is_empty() && extra.is_empty(), "{what}: missing {missing:?}, extra {extra:?}");
}

/// Commands of a tick. `guess` is another set of commands: a misprediction.
fn act(world: &mut World, seed: u64, guess: u64) {
    let tick = u64::from(world.tick().0);
    let mut rng = Rng::keyed(seed, tick, guess, 9);
    let ids: Vec<_> = world.bodies().map(|(id, _)| id).skip(1).collect();
    let any = ids[rng.below(ids.len() as u32).unwrap() as usize];
    let place = Vec3::new(
        rng.between(real!(-3), real!(3)).unwrap(),
        rng.between(real!(0.5), real!(3)).unwrap(),
        rng.between(real!(-3), real!(3)).unwrap(),
    );
    // Guesses are wrong often. True commands are rare, so that bodies come to rest.
    match rng.below(if guess == 0 { 30 } else { 9 }).unwrap() {
        0 => world.teleport(any, Transform::at(place)).unwrap(),
        1 if ids.len() > 20 => world.despawn(any).unwrap(),
        2 if ids.len() < 40 => {
            world.spawn(body(seed * 777 + tick * 11 + guess)).unwrap();
        }
        3 | 4 if world.body(any).unwrap().kind() != BodyKind::Fixed => {
            world.set_velocity(any, (place - Vec3::Y) * 6).unwrap();
        }
        5 if world.body(any).unwrap().kind() != BodyKind::Fixed => {
            world.set_velocity(any, Vec3::ZERO).unwrap();
        }
        _ => (),
    }
}

#[test]
fn overlaps_are_true_of_the_final_poses_of_every_tick() {
    let mut slept = 0;
    for seed in 0..6 {
        let mut world = scene(seed);
        let mut ledgers = BTreeMap::from([(Tick(0), Ledger::default())]);
        let (mut most, mut asleep, mut incremental) = (0, 0, 0);
        // Steps to a tick, with true commands or with guessed ones.
        let mut advance = |world: &mut World, to: Tick, guess: u64| {
            while world.tick() < to {
                let mut ledger = ledgers[&world.tick()].clone();
                act(world, seed, guess);
                let report = world.step();
                let what = format!("seed {seed}, tick {}, guess {guess}", world.tick());
                check(world, &mut ledger, &what);
                most = most.max(ledger.sensed.len());
                asleep = asleep.max(world.bodies().filter(|(_, body)| body.is_asleep()).count());
                incremental += u32::from(report.incremental);
                ledgers.insert(world.tick(), ledger);
            }
        };
        let mut rng = Rng::keyed(seed, 0, 0, 4);
        while world.tick() < Tick(260) {
            let from = world.tick();
            let to = from + 1 + rng.below(8).unwrap();
            advance(&mut world, to, 1);
            match rng.below(6).unwrap() {
                0 => world.drop_scratch(),
                1 => world.drop_step_records(),
                _ => (),
            }
            world.rewind(from).unwrap();
            // Sometimes the next guess stops earlier, so that its old future belongs to two timelines.
            if rng.below(3).unwrap() == 0 {
                advance(&mut world, from.next(), 2);
                world.rewind(from).unwrap();
            }
            advance(&mut world, to, 0);
            if rng.below(6).unwrap() == 0 {
                let snapshot = world.snapshot(to, None).unwrap();
                world.restore(&snapshot).unwrap();
            }
        }
        println!("seed {seed}: {most} overlaps, {asleep} asleep, {incremental} incremental steps");
        assert!(most > 9 && incremental > 100, "{most} {incremental}");
        slept += asleep;
    }
    assert!(slept > 5, "{slept} asleep");
}

#[test]
fn a_body_that_enters_within_a_tick_is_reported_by_that_tick() {
    // The ball moves half a metre a tick toward a sensor 1.2 m away, with radii of 0.5 and 0.25 m: it overlaps after the first tick.
    let mut world = weightless();
    let zone = ShapeDef::from(sphere(real!(0.25))).sensor();
    let sensor = world.spawn(BodyDef::fixed().at(spot(0, 1200, 0)).shape(zone)).unwrap();
    let ball = world.spawn(ball_at(Vec3::ZERO).velocity(Vec3::Y * 30)).unwrap();
    world.step();
    assert_eq!(entered(&world)[0].bodies, [sensor, ball]);
    world.rewind(Tick(0)).unwrap();
    assert_eq!(entered(&world), [], "no step yet");
    // A ball at rest is hit by another within the tick. Nothing in its own velocity says that it reaches the sensor.
    let mut world = weightless();
    let zone = ShapeDef::from(sphere(real!(0.25))).sensor();
    let sensor = world.spawn(BodyDef::fixed().at(spot(0, 900, 0)).shape(zone)).unwrap();
    let ball = world.spawn(ball_at(Vec3::ZERO)).unwrap();
    world.step();
    assert_eq!(entered(&world), [], "15 cm are between them");
    let heavy = ball_at(spot(0, -1050, 0)).velocity(Vec3::Y * 30).mass(real!(5000));
    world.spawn(heavy).unwrap();
    world.step();
    assert!(world.body(ball).unwrap().position().y > real!(0.1875), "it was hit");
    assert_eq!(entered(&world)[0].bodies, [sensor, ball]);
}

#[test]
fn a_body_that_leaves_within_a_tick_is_gone_after_it() {
    let mut world = weightless();
    let zone = ShapeDef::from(sphere(real!(0.25))).sensor();
    let sensor = world.spawn(BodyDef::fixed().shape(zone)).unwrap();
    let ball = world.spawn(ball_at(spot(0, 700, 0))).unwrap();
    world.step();
    assert_eq!(entered(&world)[0].bodies, [sensor, ball]);
    world.set_velocity(ball, Vec3::Y * 30).unwrap();
    world.step();
    assert_eq!(left(&world)[0].bodies, [sensor, ball]);
}

/// A ball that another hits in the newest tick, with a sensor that only the resimulation of this tick moves to where the ball ends
/// up. The ball is not simulated again, and its bounds at the start of the tick are far from the sensor.
fn late_sensor(prepare: impl Fn(&mut World)) -> (Vec<[BodyId; 2]>, [BodyId; 2]) {
    let mut world = weightless();
    prepare(&mut world);
    let zone = ShapeDef::from(sphere(real!(0.25))).sensor();
    let sensor = world.spawn(BodyDef::fixed().at(spot(50, 0, 0)).shape(zone)).unwrap();
    let ball = world.spawn(ball_at(Vec3::ZERO)).unwrap();
    world.step();
    let heavy = ball_at(spot(0, -1550, 0)).velocity(Vec3::Y * 30).mass(real!(5000));
    world.spawn(heavy).unwrap();
    world.step();
    assert_eq!(world.body(ball).unwrap().velocity(), Vec3::ZERO, "not hit yet");
    let before = world.tick();
    world.step();
    assert!(world.body(ball).unwrap().position().y > real!(0.1875), "it was hit");
    world.rewind(before).unwrap();
    world.teleport(sensor, Transform::at(spot(0, 900, 0))).unwrap();
    let report = world.step();
    assert!(report.incremental && report.bodies == 0, "the balls are not simulated: {report:?}");
    (entered(&world).iter().map(|pair| pair.bodies).collect(), [sensor, ball])
}

#[test]
fn a_sensor_of_a_resimulation_detects_bodies_where_they_end_the_tick() {
    let (found, pair) = late_sensor(|_| ());
    assert_eq!(found, [pair]);
}

/// The same with the rules of final poses switched off: the scene needs them.
#[cfg(feature = "test-internals")]
#[test]
fn final_poses_and_final_bounds_are_needed() {
    use isostep_core::test_internals::Rule;
    for rule in [Rule::FinalPoses, Rule::FinalBounds] {
        let (found, _) = late_sensor(|world| world.switch_off(rule));
        assert!(found.is_empty(), "{rule:?}: {found:?}");
    }
}
