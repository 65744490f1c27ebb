//! History of a world: held ticks, exact rewinds, and memory.

use isostep_core::Tick;
use isostep_core::shape::Shape;
use isostep_core::state::State;
use isostep_core::world::{
    BodyDef, Command, DEFAULT_HISTORY, Event, Material, ResimMode, World, WorldDef,
};
use isostep_core::{HistoryError, Real, Transform, Vec3, real};

fn brick() -> Shape {
    Shape::cuboid(Vec3::splat(Real::HALF)).unwrap()
}

/// A ground, and bricks that fall on it one by one.
fn world(bricks: i32) -> World {
    let mut world = World::new(WorldDef::default()).unwrap();
    world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).unwrap();
    for i in 0..bricks {
        let place = Vec3::new(Real::from_int(2 * i), real!(1), Real::ZERO);
        world.spawn(BodyDef::dynamic().at(place).shape(brick())).unwrap();
    }
    world.commit();
    world
}

fn bytes(world: &World) -> Vec<u8> {
    let mut bytes = Vec::new();
    world.encode(&mut bytes);
    bytes
}

#[test]
fn errors_name_the_ticks_that_are_not_held() {
    let mut world = world(1);
    for _ in 0..100 {
        world.step();
    }
    let oldest = Tick(101 - DEFAULT_HISTORY as u32);
    assert_eq!(world.history(), oldest..=Tick(100));
    let before = bytes(&world);
    assert_eq!(world.rewind(oldest - 1), Err(HistoryError::TooOld { oldest }));
    assert_eq!(world.rewind(Tick(101)), Err(HistoryError::NotYet { newest: Tick(100) }));
    // Ticks after the current one belong to the old future.
    world.rewind(Tick(90)).unwrap();
    assert_eq!(world.history(), oldest..=Tick(90));
    assert_eq!(world.rewind(Tick(95)), Err(HistoryError::NotYet { newest: Tick(90) }));
    while world.tick().0 < 100 {
        world.step();
    }
    assert_eq!(bytes(&world), before, "a refused rewind changes nothing");
    world.rewind(oldest).unwrap();
    assert_eq!(world.tick(), oldest);
}

#[test]
fn rewinding_restores_every_held_tick() {
    let mut world = world(4);
    let mut states = vec![bytes(&world)];
    for _ in 0..60 {
        world.step();
        states.push(bytes(&world));
    }
    for tick in [60, 59, 45, 40, 33, 29] {
        world.rewind(Tick(tick)).unwrap();
        assert_eq!(bytes(&world), states[tick as usize], "tick {tick}");
    }
}

#[test]
fn a_rewound_spawn_is_undone_and_repeated_with_the_same_id() {
    let mut world = world(2);
    world.step();
    let late = BodyDef::dynamic().at(Vec3::from_ints(0, 5, 0)).shape(brick());
    let first = world.spawn(late.clone()).unwrap();
    let mut states = Vec::new();
    for _ in 0..20 {
        world.step();
        states.push(bytes(&world));
    }
    world.rewind(Tick(1)).unwrap();
    assert!(world.body(first).is_none());
    assert_eq!(world.bodies().count(), 3);
    assert_eq!(world.spawn(late).unwrap(), first);
    for state in states {
        world.step();
        assert_eq!(bytes(&world), state);
    }
}

#[test]
fn a_mispredicted_spawn_leaves_no_body() {
    // The first body of a page: the rewind removes the page. It reappeared on the second tick once.
    for before in [0, 1, 31] {
        let mut world = world(before);
        let mut straight = world.clone();
        world.spawn(BodyDef::dynamic().at(Vec3::from_ints(0, 9, 0)).shape(brick())).unwrap();
        for _ in 0..4 {
            world.step();
        }
        world.rewind(Tick(0)).unwrap();
        for tick in 1..6 {
            world.step();
            straight.step();
            assert_eq!(bytes(&world), bytes(&straight), "{before} bodies, tick {tick}");
        }
    }
}

#[test]
fn a_body_of_the_old_future_leaves_no_generation() {
    let mut world = world(2);
    let mut straight = world.clone();
    let guess =
        world.spawn(BodyDef::dynamic().at(Vec3::from_ints(0, 9, 0)).shape(brick())).unwrap();
    world.step();
    world.despawn(guess).unwrap();
    for _ in 0..6 {
        world.step();
    }
    world.rewind(Tick(0)).unwrap();
    for tick in 1..8 {
        world.step();
        straight.step();
        assert_eq!(bytes(&world), bytes(&straight), "tick {tick}");
    }
}

#[test]
fn a_despawn_and_a_changed_material_are_rewound() {
    let mut world = world(2);
    for _ in 0..30 {
        world.step();
    }
    let victim = world.bodies().nth(1).unwrap().0;
    let other = world.bodies().nth(2).unwrap().0;
    let before = bytes(&world);
    world.despawn(victim).unwrap();
    let ice = Material { friction: Real::ZERO, ..Material::default() };
    world.command(Command::SetMaterial(other, 0, ice)).unwrap();
    world.step();
    assert!(world.body(victim).is_none());
    world.rewind(Tick(30)).unwrap();
    assert_eq!(bytes(&world), before);
    assert!(world.body(victim).is_some());
}

#[test]
fn a_rewound_tick_shows_its_own_events() {
    let mut world = world(1);
    let began = |world: &World| {
        world.events().filter(|event| matches!(event, Event::ContactBegan(_))).count()
    };
    let landed = (1..40)
        .find(|_| {
            world.step();
            began(&world) == 1
        })
        .unwrap();
    world.step();
    assert_eq!(began(&world), 0);
    world.rewind(Tick(landed)).unwrap();
    assert_eq!(began(&world), 1);
    world.rewind(Tick(landed - 1)).unwrap();
    assert_eq!(began(&world), 0);
}

#[test]
fn a_pinned_tick_stays_until_it_is_unpinned() {
    let mut world = world(3);
    for _ in 0..10 {
        world.step();
    }
    let pinned = bytes(&world);
    world.pin(Tick(10)).unwrap();
    for _ in 0..100 {
        world.step();
    }
    assert_eq!(
        world.rewind(Tick(11)),
        Err(HistoryError::NotHeld { before: Tick(10), after: Tick(79) })
    );
    world.rewind(Tick(10)).unwrap();
    assert_eq!(bytes(&world), pinned);
    let next = {
        world.step();
        bytes(&world)
    };
    for _ in 0..50 {
        world.step();
    }
    world.rewind(Tick(10)).unwrap();
    world.step();
    assert_eq!(bytes(&world), next);
    assert!(world.unpin(Tick(10)));
    assert!(!world.unpin(Tick(10)));
    assert_eq!(world.pin(Tick(9)), Err(HistoryError::TooOld { oldest: Tick(10) }));
}

#[test]
fn sleeping_bodies_take_no_memory_in_the_history() {
    let mut world = world(200);
    for _ in 0..200 {
        world.step();
    }
    assert!(world.bodies().skip(1).all(|(_, body)| body.is_asleep()));
    let report = world.history_report();
    assert_eq!((report.ticks, report.newest_bytes), (DEFAULT_HISTORY as u32, 0));
    // One body moves: only its pages change.
    let one = world.bodies().nth(7).unwrap().0;
    world.set_velocity(one, Vec3::Y).unwrap();
    let report = world.step();
    assert_eq!(report.pages - report.pages_shared, 2);
    assert!(world.history_report().newest_bytes < 20_000);
}

#[test]
fn right_predictions_cost_nothing_and_wrong_ones_only_their_islands() {
    let mut world = world(50);
    let guessed = world.bodies().nth(9).unwrap().0;
    for _ in 0..20 {
        world.step();
    }
    world.rewind(Tick(12)).unwrap();
    for _ in 12..20 {
        let report = world.step();
        assert!(report.incremental);
        assert_eq!((report.bodies, report.islands), (0, 0));
    }
    world.rewind(Tick(12)).unwrap();
    world.set_velocity(guessed, Vec3::X).unwrap();
    for _ in 12..20 {
        let report = world.step();
        assert!(report.incremental);
        assert_eq!((report.bodies, report.islands), (1, 1), "only the one that was pushed");
        assert!(report.pages_shared > 0);
    }
    assert!(!world.step().incremental);
}

#[test]
fn a_difference_that_dies_out_stops_the_resimulation() {
    let mut world = world(40);
    for _ in 0..16 {
        world.step();
    }
    let state = bytes(&world);
    let pushed = world.bodies().nth(9).unwrap().0;
    // A misprediction that is corrected after one tick: the frames from 11 on never contained it.
    world.rewind(Tick(9)).unwrap();
    world.teleport(pushed, Transform::at(Vec3::from_ints(0, 90, 0))).unwrap();
    world.step();
    world.rewind(Tick(9)).unwrap();
    let counts: Vec<_> = (9..16)
        .map(|_| {
            let report = world.step();
            (report.bodies, report.reconverged)
        })
        .collect();
    assert_eq!(counts, [(1, 0), (1, 1), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0)]);
    assert_eq!(bytes(&world), state);
}

#[test]
fn verifying_compares_both_ways() {
    let mut world = world(30);
    world.set_resim_mode(ResimMode::Verify);
    let pushed = world.bodies().nth(5).unwrap().0;
    for _ in 0..20 {
        world.step();
    }
    world.rewind(Tick(10)).unwrap();
    for _ in 0..10 {
        world.set_velocity(pushed, Vec3::X * real!(4)).unwrap();
        world.step();
    }
    assert_eq!(world.resim_difference(), None);
}

/// A session that resynchronises rewinds to a pinned tick before its ring and drops the old future. The world still kept the
/// ring's ticks, now in the future, and the next step overflowed.
#[test]
fn a_world_continues_from_a_pin_before_the_ring() {
    let mut world = World::new(WorldDef::default()).unwrap();
    world.commit();
    let mut slots = world.slots(4);
    world.save(&mut slots, Tick(0)).unwrap();
    State::pin(&mut world, &mut slots, Tick(0)).unwrap();
    for tick in 1..60 {
        world.step();
        world.save(&mut slots, Tick(tick)).unwrap();
    }
    world.load(&mut slots, Tick(0)).unwrap();
    world.drop_caches(&mut slots);
    for tick in 1..60 {
        world.step();
        world.save(&mut slots, Tick(tick)).unwrap();
    }
    assert_eq!(world.tick(), Tick(59));
}
