//! Sensors: which shapes they detect, when they report, and that they apply no forces.

use super::common::{
    asleep_world, awake, ball_at, bits, crate_at, cube, entered, ground, is_asleep, left, pose,
    run, sphere, spot, stayed, steps_to_sleep, weightless, woke, world,
};
use isostep_core::shape::Shape;
use isostep_core::world::{
    BodyDef, BodyId, BodyKind, Command, Event, Filter, Layers, Pair, ShapeDef, World, WorldDef,
};
use isostep_core::{Real, Vec3, real};

/// A 2 m cube as a sensor.
fn zone(def: BodyDef, place: Vec3) -> BodyDef {
    def.at(place).shape(ShapeDef::from(cube(real!(1))).sensor())
}

fn pair(sensor: BodyId, other: BodyId) -> Pair {
    Pair { bodies: [sensor, other], shapes: [0, 0] }
}

/// Sensor events of a number of ticks: each enter and leave with its tick.
#[derive(Debug, Default, PartialEq)]
struct SensorLog {
    entered: Vec<(u32, Pair)>,
    left: Vec<(u32, Pair)>,
    stayed: u32,
}

fn listen(world: &mut World, ticks: u32) -> SensorLog {
    let mut reported = SensorLog::default();
    for tick in 0..ticks {
        world.step();
        reported.entered.extend(entered(world).into_iter().map(|pair| (tick, pair)));
        reported.left.extend(left(world).into_iter().map(|pair| (tick, pair)));
        reported.stayed += stayed(world).len() as u32;
    }
    reported
}

#[test]
fn a_ball_falls_through_a_sensor_as_if_there_were_none() {
    let [mut with, mut without] = [world(), world()];
    // The same ids in both worlds: the other one has a distant body in place of the sensor.
    let sensor = with.spawn(zone(BodyDef::fixed(), spot(0, 5000, 0))).unwrap();
    without.spawn(zone(BodyDef::fixed(), spot(50, 5000, 0))).unwrap();
    let ball =
        [&mut with, &mut without].map(|world| world.spawn(ball_at(spot(0, 10_000, 0))).unwrap())[0];
    let mut reported = SensorLog::default();
    for tick in 0..150 {
        with.step();
        without.step();
        assert_eq!(
            bits(&with.body(ball).unwrap()),
            bits(&without.body(ball).unwrap()),
            "tick {tick}"
        );
        reported.entered.extend(entered(&with).into_iter().map(|pair| (tick, pair)));
        reported.left.extend(left(&with).into_iter().map(|pair| (tick, pair)));
        assert_eq!(stayed(&with), [], "not enabled");
        assert_eq!(with.contacts().count(), 0, "a sensor has no contacts");
    }
    let [(enter, first)] = reported.entered[..] else { panic!("{reported:?}") };
    let [(leave, last)] = reported.left[..] else { panic!("{reported:?}") };
    assert_eq!((first, last), (pair(sensor, ball), pair(sensor, ball)));
    // Free fall: 3.5 m to the upper face and 6.5 m to below the lower one.
    let ticks = |metres: f64| ((2.0 * metres / 9.81).sqrt() * 60.0) as u32;
    assert!(enter.abs_diff(ticks(3.5)) <= 2, "in at {enter}");
    assert!(leave.abs_diff(ticks(6.5)) <= 2, "out at {leave}");
}

#[test]
fn stay_events_can_be_enabled_by_either_body() {
    for (sensor_asks, ball_asks) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut world = world();
        let ask = |def: BodyDef, asks| if asks { def.stay_events() } else { def };
        world.spawn(ask(zone(BodyDef::fixed(), spot(0, 5000, 0)), sensor_asks)).unwrap();
        world.spawn(ask(ball_at(spot(0, 10_000, 0)), ball_asks)).unwrap();
        let reported = listen(&mut world, 150);
        let inside = reported.left[0].0 - reported.entered[0].0;
        let expected = if sensor_asks || ball_asks { inside - 1 } else { 0 };
        assert_eq!(reported.stayed, expected, "every tick between, once");
    }
}

/// A box that sleeps inside a fixed sensor with `stay_events`.
fn sleeping_box_in_sensor() -> (World, BodyId, BodyId) {
    let zone = zone(BodyDef::fixed().stay_events(), spot(0, 500, 0));
    let (world, ids) = asleep_world(&[ground(), zone, crate_at(spot(0, 500, 0))]);
    (world, ids[1], ids[2])
}

#[test]
fn a_static_sensor_keeps_its_overlap_with_a_sleeping_body() {
    let (mut world, sensor, sleeper) = sleeping_box_in_sensor();
    let reported = listen(&mut world, 120);
    assert_eq!(reported, SensorLog::default(), "nothing is reported while it sleeps");
    world.wake(sleeper).unwrap();
    let reported = listen(&mut world, 10);
    assert_eq!(
        (reported.entered.len(), reported.left.len(), reported.stayed),
        (0, 0, 10),
        "it is still inside"
    );
    world.set_velocity(sleeper, Vec3::X * 10).unwrap();
    let reported = listen(&mut world, 60);
    assert_eq!(reported.left.len(), 1);
    assert_eq!(reported.left[0].1, pair(sensor, sleeper));
}

#[test]
fn despawning_disabling_or_moving_either_body_reports_a_leave() {
    for what in 0..6 {
        let (mut world, sensor, sleeper) = sleeping_box_in_sensor();
        match what {
            0 => world.despawn(sleeper).unwrap(),
            1 => world.despawn(sensor).unwrap(),
            2 => world.teleport(sleeper, pose(spot(30, 500, 0))).unwrap(),
            3 => world.teleport(sensor, pose(spot(30, 500, 0))).unwrap(),
            4 => drop(world.command(Command::SetEnabled(sleeper, false)).unwrap()),
            _ => drop(world.command(Command::SetEnabled(sensor, false)).unwrap()),
        }
        world.step();
        assert_eq!(left(&world), [pair(sensor, sleeper)], "case {what}");
        assert_eq!((entered(&world), stayed(&world)), (vec![], vec![]), "case {what}");
        assert_eq!(listen(&mut world, 60), SensorLog::default(), "case {what}: reported once");
    }
}

#[test]
fn sensors_wake_no_body() {
    let (mut world, ids) = asleep_world(&[ground(), crate_at(spot(0, 500, 0))]);
    let sleeper = ids[1];
    let sensor = world.spawn(zone(BodyDef::fixed(), spot(0, 1000, 0))).unwrap();
    world.step();
    assert_eq!(entered(&world), [pair(sensor, sleeper)], "a new sensor detects a sleeping body");
    assert_eq!(awake(&world), []);
    world.teleport(sensor, pose(spot(20, 1000, 0))).unwrap();
    world.step();
    assert_eq!(left(&world), [pair(sensor, sleeper)]);
    assert_eq!(awake(&world), []);
    world.teleport(sensor, pose(spot(0, 1000, 0))).unwrap();
    world.step();
    world.despawn(sensor).unwrap();
    world.step();
    assert_eq!(left(&world), [pair(sensor, sleeper)]);
    assert_eq!(awake(&world), []);
}

#[test]
fn a_moving_sensor_enters_and_leaves_a_sleeping_body() {
    let (mut world, ids) = asleep_world(&[ground(), crate_at(spot(0, 500, 0))]);
    let sensor = zone(BodyDef::kinematic(), spot(-5, 1100, 0)).velocity(Vec3::X * 4).stay_events();
    let sensor = world.spawn(sensor).unwrap();
    let mut reported = SensorLog::default();
    for tick in 0..180 {
        world.step();
        reported.entered.extend(entered(&world).into_iter().map(|pair| (tick, pair)));
        reported.left.extend(left(&world).into_iter().map(|pair| (tick, pair)));
        reported.stayed += stayed(&world).len() as u32;
        assert!(is_asleep(&world, ids[1]), "tick {tick}");
        assert_eq!(woke(&world), [], "tick {tick}");
    }
    // The sensor moves, so it also detects the fixed ground.
    let of_sleeper = |list: &[(u32, Pair)]| -> Vec<u32> {
        list.iter().filter(|(_, p)| *p == pair(sensor, ids[1])).map(|(tick, _)| *tick).collect()
    };
    let ([enter], [leave]) = (&of_sleeper(&reported.entered)[..], &of_sleeper(&reported.left)[..])
    else {
        panic!("{reported:?}")
    };
    // 3.5 m and 6.5 m at 4 m/s.
    assert!(enter.abs_diff(52) <= 2 && leave.abs_diff(97) <= 2, "in at {enter}, out at {leave}");
}

#[test]
fn a_sensor_that_stops_over_a_sleeping_body_keeps_its_overlap() {
    let (mut world, ids) = asleep_world(&[ground(), crate_at(spot(0, 500, 0))]);
    let sensor = zone(BodyDef::kinematic(), spot(-3, 1200, 0)).velocity(Vec3::X * 3);
    let sensor = world.spawn(sensor.stay_events()).unwrap();
    run(&mut world, 60);
    world.set_velocity(sensor, Vec3::ZERO).unwrap();
    run(&mut world, 2);
    let reported = listen(&mut world, 60);
    assert_eq!(reported, SensorLog::default(), "both rest");
    world.set_velocity(sensor, Vec3::X * 3).unwrap();
    let reported = listen(&mut world, 60);
    assert_eq!(reported.entered, []);
    assert_eq!(
        reported.left.iter().map(|(_, pair)| *pair).collect::<Vec<_>>(),
        [pair(sensor, ids[1])]
    );
}

/// A ball with a sensor below it as its second shape.
fn jumper(place: Vec3) -> BodyDef {
    let foot = ShapeDef::from(sphere(Real::ratio(1, 10))).density(real!(1)).sensor();
    ball_at(place).shape(foot.at(Vec3::Y * -Real::HALF)).lock_rotation()
}

#[test]
fn a_foot_sensor_reports_landing_and_jumping() {
    let mut world = world();
    let ground = world.spawn(ground()).unwrap();
    let jumper = world.spawn(jumper(spot(0, 1000, 0))).unwrap();
    let foot = Pair { bodies: [jumper, ground], shapes: [1, 0] };
    let reported = listen(&mut world, 60);
    assert_eq!(
        reported.entered.iter().map(|(_, pair)| *pair).collect::<Vec<_>>(),
        [foot],
        "landed, and sees not itself"
    );
    assert_eq!(reported.left, []);
    let y = world.body(jumper).unwrap().position().y.to_f64();
    assert!((y - 0.5).abs() < 0.01, "the ball carries it, not the foot: {y}");
    world.set_velocity(jumper, Vec3::Y * 5).unwrap();
    let reported = listen(&mut world, 20);
    assert_eq!(reported.left.iter().map(|(_, pair)| *pair).collect::<Vec<_>>(), [foot], "jumped");
    let reported = listen(&mut world, 120);
    assert_eq!(
        reported.entered.iter().map(|(_, pair)| *pair).collect::<Vec<_>>(),
        [foot],
        "landed again"
    );
    // A sleeping body keeps its overlap.
    assert!(steps_to_sleep(&mut world, 120).is_some());
    assert_eq!(listen(&mut world, 60), SensorLog::default());
    world.despawn(ground).unwrap();
    world.step();
    assert_eq!(left(&world), [foot]);
}

#[test]
fn a_sensor_ignores_shapes_of_its_own_body() {
    let mut world = weightless();
    let halo = ShapeDef::from(sphere(real!(2))).sensor();
    world.spawn(crate_at(Vec3::ZERO).shape(halo).velocity(Vec3::X)).unwrap();
    assert_eq!(listen(&mut world, 30), SensorLog::default());
}

#[test]
fn sensors_ignore_sensors_and_static_sensors_ignore_static_bodies() {
    let mut world = weightless();
    world.spawn(zone(BodyDef::fixed(), Vec3::ZERO)).unwrap();
    world.spawn(zone(BodyDef::fixed(), Vec3::X * Real::HALF)).unwrap();
    world.spawn(BodyDef::fixed().shape(cube(Real::HALF))).unwrap();
    world.spawn(zone(BodyDef::dynamic().mass(real!(1)), Vec3::Y * Real::HALF)).unwrap();
    let reported = listen(&mut world, 10);
    // The dynamic sensor detects the fixed box and nothing else.
    assert_eq!(reported.entered.len(), 1, "{reported:?}");
    world
        .spawn(
            zone(BodyDef::kinematic(), Vec3::Z * Real::HALF)
                .velocity(Vec3::Z * Real::ratio(1, 100)),
        )
        .unwrap();
    let reported = listen(&mut world, 10);
    assert_eq!(
        reported.entered.len(),
        1,
        "the kinematic one detects the fixed box only: {reported:?}"
    );
}

#[test]
fn filters_apply_to_sensors() {
    let mut layers = Layers::default();
    layers.set(1, 2, false).unwrap();
    let mut world =
        World::new(WorldDef { layers, gravity: Vec3::ZERO, ..WorldDef::default() }).unwrap();
    let filtered = |filter| ShapeDef { filter, ..ShapeDef::from(sphere(Real::HALF)) };
    let eye = |filter| {
        BodyDef::fixed().shape(ShapeDef { filter, ..ShapeDef::from(cube(real!(1))) }.sensor())
    };
    let sensor = world.spawn(eye(Filter { layer: 1, group: 7 })).unwrap();
    let moving =
        |filter| BodyDef::dynamic().velocity(Vec3::Y * Real::ratio(1, 10)).shape(filtered(filter));
    let other_layer = world.spawn(moving(Filter { layer: 2, group: 0 })).unwrap();
    // Overlapping balls must not push each other.
    let same_group = world.spawn(moving(Filter { layer: 2, group: 7 })).unwrap();
    let reported = listen(&mut world, 3);
    assert_eq!(reported, SensorLog::default());
    world.command(Command::SetFilter(other_layer, 0, Filter { layer: 1, group: 0 })).unwrap();
    world.step();
    assert_eq!(entered(&world), [pair(sensor, other_layer)]);
    world.command(Command::SetFilter(same_group, 0, Filter { layer: 1, group: 0 })).unwrap();
    world.command(Command::SetFilter(other_layer, 0, Filter { layer: 2, group: 0 })).unwrap();
    world.step();
    assert_eq!(entered(&world), [pair(sensor, same_group)]);
    assert_eq!(left(&world), [pair(sensor, other_layer)]);
}

#[test]
fn sensor_events_are_reported_for_each_shape() {
    let mut world = weightless();
    let sensor = world
        .spawn(
            zone(BodyDef::fixed(), Vec3::ZERO)
                .shape(ShapeDef::from(cube(real!(1))).sensor().at(Vec3::X * 4)),
        )
        .unwrap();
    let knob = |x: Real| ShapeDef::from(sphere(Real::ratio(2, 10))).at(Vec3::X * x);
    let barbell = BodyDef::dynamic().shape(knob(-Real::ONE)).shape(knob(Real::ONE));
    let barbell = world.spawn(barbell.at(spot(-3, 0, 0)).velocity(Vec3::X * 2)).unwrap();
    let reported = listen(&mut world, 300);
    let pairs = |list: &[(u32, Pair)]| list.iter().map(|(_, pair)| pair.shapes).collect::<Vec<_>>();
    // The body flies through both cubes, front shape first. The second shape enters the first cube before the first leaves it.
    assert_eq!(
        reported.entered.iter().map(|(_, pair)| pair.bodies).collect::<Vec<_>>(),
        [[sensor, barbell]; 4]
    );
    assert_eq!(pairs(&reported.entered), [[0, 1], [0, 0], [1, 1], [1, 0]]);
    assert_eq!(pairs(&reported.left), [[0, 1], [0, 0], [1, 1], [1, 0]]);
}

#[test]
fn a_ground_that_becomes_a_sensor_reports_and_no_longer_supports() {
    let (mut world, ids) = asleep_world(&[ground(), crate_at(spot(0, 500, 0))]);
    world.command(Command::SetSensor(ids[0], 0, true)).unwrap();
    world.step();
    assert_eq!(woke(&world), [ids[1]]);
    let ends: Vec<_> =
        world.events().filter(|event| matches!(event, Event::ContactEnded(_))).collect();
    assert_eq!(ends, [Event::ContactEnded(pair(ids[0], ids[1]))]);
    let mut seen = entered(&world);
    for _ in 0..120 {
        world.step();
        seen.extend(entered(&world));
    }
    assert_eq!(seen, [pair(ids[0], ids[1])]);
    assert!(world.body(ids[1]).unwrap().position().y < real!(-5), "it fell through");
    assert_eq!(world.body(ids[1]).unwrap().kind(), BodyKind::Dynamic);
}

#[test]
fn a_plane_can_be_a_sensor() {
    let mut world = world();
    let water = BodyDef::fixed().shape(ShapeDef::from(Shape::HALF_SPACE).sensor());
    let water = world.spawn(water).unwrap();
    let ball = world.spawn(ball_at(spot(0, 3000, 0))).unwrap();
    let reported = listen(&mut world, 90);
    assert_eq!(
        reported.entered.iter().map(|(_, pair)| *pair).collect::<Vec<_>>(),
        [pair(water, ball)]
    );
    let expected = ((2.0 * 2.5 / 9.81f64).sqrt() * 60.0) as u32;
    assert!(reported.entered[0].0.abs_diff(expected) <= 2, "at {}", reported.entered[0].0);
    assert_eq!(reported.left, []);
}

#[test]
fn a_body_inside_an_awake_sensor_may_sleep() {
    // A sensor on an awake body connects no islands.
    let (mut world, ids) = asleep_world(&[ground(), crate_at(spot(0, 500, 0))]);
    let halo = ShapeDef::from(sphere(real!(3))).density(real!(1)).sensor();
    let carrier = crate_at(spot(2, 500, 0)).shape(halo).stay_awake().stay_events();
    let carrier = world.spawn(carrier).unwrap();
    for tick in 0..60 {
        world.step();
        assert!(is_asleep(&world, ids[1]), "tick {tick}");
        assert_ne!(world.islands().of(carrier), world.islands().of(ids[1]));
        if tick > 0 {
            let seen = Pair { bodies: [carrier, ids[1]], shapes: [1, 0] };
            assert!(
                stayed(&world).contains(&seen),
                "tick {tick}: an awake sensor detects sleeping bodies"
            );
        }
    }
}

#[test]
fn sensors_add_no_mass() {
    let mut world = weightless();
    let aura = ShapeDef::from(sphere(real!(5))).sensor();
    let plain = world.spawn(crate_at(Vec3::ZERO)).unwrap();
    let seeing = world.spawn(crate_at(Vec3::from_ints(9, 0, 0)).shape(aura.clone())).unwrap();
    let mass = |id| world.body(id).unwrap().mass();
    assert_eq!(mass(plain), mass(seeing));
    let alone = world.spawn(BodyDef::dynamic().shape(aura));
    assert_eq!(alone, Err(isostep_core::world::CommandError::NoMass));
}
