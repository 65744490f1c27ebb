//! Contact events and events of the world's limits, one by one. `ledger.rs` tests that they balance.

use super::common::{
    asleep_world, ball_at, began, crate_at, cube, ended, ground, persisted, pose, run, sphere,
    spot, steps_to_sleep, weightless, world,
};
use isostep_core::world::{BodyDef, Command, Event, Material, Pair, ShapeDef, WORLD_LIMIT};
use isostep_core::{Real, Vec3, real};

#[test]
fn a_contact_begins_once_and_ends_once() {
    let mut world = world();
    let ground = world.spawn(ground()).unwrap();
    let id = world.spawn(crate_at(spot(0, 1000, 0))).unwrap();
    let pair = Pair { bodies: [ground, id], shapes: [0, 0] };
    let (mut begins, mut ends) = (vec![], vec![]);
    for tick in 0..120 {
        world.step();
        begins.extend(began(&world).into_iter().map(|pair| (tick, pair)));
        ends.extend(ended(&world));
        assert_eq!(persisted(&world), [], "not enabled");
    }
    let [(tick, reported)] = begins[..] else { panic!("{begins:?}") };
    assert_eq!(reported, pair);
    assert!((18u32..=21).contains(&tick), "it falls half a metre, and lands on tick {tick}");
    assert_eq!(ends, []);
    world.teleport(id, pose(spot(0, 3000, 0))).unwrap();
    world.step();
    assert_eq!(ended(&world), [pair]);
    assert_eq!(began(&world), []);
}

#[test]
fn being_near_is_not_touching() {
    let mut world = weightless();
    let a = world.spawn(crate_at(Vec3::ZERO).stay_awake()).unwrap();
    let b = world.spawn(crate_at(Vec3::X * Real::ratio(1010, 1000)).stay_awake()).unwrap();
    run(&mut world, 30);
    let contacts: Vec<_> = world.contacts().map(|c| (c.bodies(), c.is_touching())).collect();
    assert_eq!(contacts, [([a, b], false)], "a centimetre apart");
    assert_eq!(world.events().count(), 0);
    world.set_velocity(b, -Vec3::X * Real::ratio(1, 10)).unwrap();
    let tick = (0..30).find(|_| {
        world.step();
        !began(&world).is_empty()
    });
    // A tenth of a metre per second for one centimetre: six ticks.
    assert!(tick.is_some_and(|tick| (4..=7).contains(&tick)), "{tick:?}");
}

#[test]
fn persist_events_are_reported_for_awake_bodies_that_enable_them() {
    for which in 0..3 {
        let ask = |def: BodyDef, asks| if asks { def.persist_events() } else { def };
        let mut world = world();
        let ground = world.spawn(ask(ground(), which == 1)).unwrap();
        let id = world.spawn(ask(crate_at(spot(0, 500, 0)), which == 2)).unwrap();
        let other = world.spawn(crate_at(spot(5, 500, 0)).stay_awake()).unwrap();
        run(&mut world, 10);
        let (mine, its) = ([ground, id], [ground, other]);
        let reported: Vec<_> = persisted(&world).iter().map(|pair| pair.bodies).collect();
        match which {
            0 => assert_eq!(reported, [] as [[_; 2]; 0]),
            1 => assert_eq!(reported, [mine, its]),
            _ => assert_eq!(reported, [mine]),
        }
        run(&mut world, 50);
        assert!(world.body(id).unwrap().is_asleep());
        let reported: Vec<_> = persisted(&world).iter().map(|pair| pair.bodies).collect();
        match which {
            1 => assert_eq!(reported, [its], "the contact of the sleeping body is frozen"),
            _ => assert_eq!(reported, [] as [[_; 2]; 0]),
        }
    }
}

#[test]
fn contacts_neither_end_nor_begin_when_bodies_sleep_or_wake() {
    let mut world = world();
    world.spawn(ground()).unwrap();
    let id = world.spawn(crate_at(spot(0, 500, 0)).persist_events()).unwrap();
    world.spawn(crate_at(spot(0, 1500, 0))).unwrap();
    world.step();
    assert_eq!(began(&world).len(), 2);
    for round in 0..3 {
        let ticks = steps_to_sleep(&mut world, 90);
        assert!(ticks.is_some(), "round {round}");
        run(&mut world, 10);
        world.wake(id).unwrap();
        for _ in 0..5 {
            world.step();
            assert_eq!((began(&world), ended(&world)), (vec![], vec![]), "round {round}");
            assert_eq!(persisted(&world).len(), 2, "round {round}: awake again");
        }
    }
}

#[test]
fn contact_events_of_a_despawned_body_have_its_old_id() {
    let (mut world, ids) =
        asleep_world(&[ground(), crate_at(spot(0, 500, 0)), crate_at(spot(0, 1500, 0))]);
    world.despawn(ids[1]).unwrap();
    world.step();
    let pairs: Vec<_> = ended(&world).iter().map(|pair| pair.bodies).collect();
    assert_eq!(pairs, [[ids[0], ids[1]], [ids[1], ids[2]]]);
    assert!(world.body(ids[1]).is_none());
    world.step();
    assert_eq!(ended(&world), [], "reported once");
}

#[test]
fn despawning_the_ground_ends_the_contacts_of_sleeping_bodies() {
    let (mut world, ids) = asleep_world(&[ground(), crate_at(spot(0, 500, 0))]);
    world.despawn(ids[0]).unwrap();
    world.step();
    assert_eq!(ended(&world), [Pair { bodies: [ids[0], ids[1]], shapes: [0, 0] }]);
}

#[test]
fn disabling_ends_contacts_and_enabling_begins_them() {
    let (mut world, ids) = asleep_world(&[ground(), crate_at(spot(0, 500, 0))]);
    let pair = Pair { bodies: [ids[0], ids[1]], shapes: [0, 0] };
    world.command(Command::SetEnabled(ids[1], false)).unwrap();
    world.step();
    assert_eq!(ended(&world), [pair]);
    run(&mut world, 10);
    world.command(Command::SetEnabled(ids[1], true)).unwrap();
    run(&mut world, 1);
    assert_eq!(began(&world), [pair]);
}

#[test]
fn a_contact_persists_when_its_material_changes() {
    let (mut world, ids) = asleep_world(&[ground(), crate_at(spot(0, 500, 0))]);
    let smooth = Material { friction: Real::ratio(1, 10), ..Material::default() };
    world.command(Command::SetMaterial(ids[1], 0, smooth)).unwrap();
    world.step();
    // Either the contact persists, or it ends and begins in the same tick: never only one of the two.
    assert_eq!(began(&world), ended(&world));
    assert!(world.contacts().all(|contact| contact.is_touching()));
}

#[test]
fn events_contain_the_shape_indices() {
    let mut world = world();
    let ground = world.spawn(ground()).unwrap();
    let foot =
        |x: Real| ShapeDef::from(cube(Real::ratio(2, 10))).at(Vec3::new(x, Real::ZERO, Real::ZERO));
    let table =
        BodyDef::dynamic().at(spot(0, 200, 0)).shape(foot(-Real::ONE)).shape(foot(Real::ONE));
    let table = world.spawn(table).unwrap();
    world.step();
    let expected: Vec<_> =
        [[0, 0], [0, 1]].map(|shapes| Pair { bodies: [ground, table], shapes }).to_vec();
    assert_eq!(began(&world), expected);
}

#[test]
fn events_of_all_streams_are_sorted() {
    let mut world = world();
    let ground = world.spawn_in(9, ground()).unwrap();
    let ids: Vec<_> = [3, 0, 9, 5, 0, 200]
        .iter()
        .enumerate()
        .map(|(i, stream)| world.spawn_in(*stream, crate_at(spot(3 * i as i32, 500, 0))).unwrap())
        .collect();
    world.step();
    let reported = began(&world);
    assert_eq!(reported.len(), ids.len());
    for pair in &reported {
        assert!(pair.bodies[0] < pair.bodies[1], "the lower first: {pair:?}");
        assert!(pair.bodies.contains(&ground));
    }
    assert!(reported.windows(2).all(|two| two[0].bodies < two[1].bodies), "{reported:?}");
}

#[test]
fn leaving_the_world_is_reported() {
    let mut world = weightless();
    let edge = WORLD_LIMIT - real!(5);
    let id = world.spawn(ball_at(Vec3::X * edge).velocity(Vec3::X * 10)).unwrap();
    let inside = world.spawn(ball_at(Vec3::ZERO).velocity(Vec3::X * 10)).unwrap();
    let mut reported = Vec::new();
    for tick in 0..120 {
        world.step();
        reported.extend(world.events().map(|event| (tick, event)));
    }
    assert!(!reported.is_empty(), "it was there after half a second");
    assert!((28..=32).contains(&reported[0].0), "{:?}", reported[0]);
    assert!(
        reported.iter().all(|(_, event)| *event == Event::LeftWorld(id)),
        "{inside} stays: {reported:?}"
    );
    assert!(world.body(id).unwrap().position().x <= WORLD_LIMIT);
}

#[test]
fn velocity_saturation_is_reported() {
    let mut world = world();
    let id = world.spawn(ball_at(Vec3::ZERO).gravity_scale(real!(100))).unwrap();
    let calm = world.spawn(ball_at(Vec3::X * 9)).unwrap();
    run(&mut world, 10);
    assert_eq!(world.events().count(), 0, "160 m/s are fine");
    run(&mut world, 10);
    assert_eq!(
        world.events().collect::<Vec<_>>(),
        [Event::Saturated(id)],
        "but not 327; {calm} is slow"
    );
}

/// A shape that is removed and added again on one tick has the same number. Code that follows pairs by their events, in order, took the
/// pair for apart while it touched.
#[test]
fn ends_precede_begins_of_the_same_pair() {
    let mut world = weightless();
    let cube = || ShapeDef::from(cube(Real::HALF));
    let zone = BodyDef::fixed().shape(cube()).shape(cube().sensor());
    world.spawn(zone).unwrap();
    let mass = ShapeDef::from(sphere(Real::HALF)).at(Vec3::X);
    let body = BodyDef::dynamic().at(Vec3::X * Real::ratio(99, 100)).shape(cube()).shape(mass);
    let body = world.spawn(body).unwrap();
    world.step();
    let (mut touching, mut inside) = (true, true);
    world.remove_shape(body, 0).unwrap();
    world.add_shape(body, cube()).unwrap();
    world.step();
    let mut seen = 0;
    for event in world.events() {
        seen += 1;
        match event {
            Event::ContactBegan(_) => touching = true,
            Event::ContactEnded(_) => touching = false,
            Event::SensorEntered(_) => inside = true,
            Event::SensorLeft(_) => inside = false,
            _ => seen -= 1,
        }
    }
    assert_eq!((seen, touching, inside), (4, true, true));
}
