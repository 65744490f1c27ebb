//! Events as a ledger: the events alone give the touching pairs, the sensor overlaps and the sleeping bodies. In every scene, after
//! every tick.

use super::common::{ground, sphere, spot};
use isostep_core::shape::Shape;
use isostep_core::world::{
    BodyDef, BodyId, BodyKind, ContactView, Event, Pair, ShapeDef, World, WorldDef,
};
use isostep_core::{Real, Rng, Vec3, real};
use isostep_scenes::scenes::{self, Scene};
use std::collections::{BTreeMap, BTreeSet};

/// A pair of shapes in the order of keys.
type Key = (BodyId, u8, BodyId, u8);

fn key(pair: &Pair) -> Key {
    (pair.bodies[0], pair.shapes[0], pair.bodies[1], pair.shapes[1])
}

/// Sort key of an event: rank of its kind, and its pair or body.
fn rank(event: &Event) -> (u32, Key) {
    let body = |id: &BodyId| (*id, 0, *id, 0);
    match event {
        Event::ContactEnded(pair) => (0, key(pair)),
        Event::ContactBegan(pair) => (1, key(pair)),
        Event::ContactPersisted(pair) => (2, key(pair)),
        Event::Impact(impact) => (3, key(&impact.pair)),
        Event::SensorLeft(pair) => (4, key(pair)),
        Event::SensorEntered(pair) => (5, key(pair)),
        Event::SensorStayed(pair) => (6, key(pair)),
        Event::FellAsleep(id) => (7, body(id)),
        Event::Woke(id) => (8, body(id)),
        Event::LeftWorld(id) => (9, body(id)),
        Event::Saturated(id) => (10, body(id)),
        other => panic!("unknown event: {other:?}"),
    }
}

/// State derived from the events so far.
#[derive(Clone, Default)]
pub(crate) struct Ledger {
    touching: BTreeSet<Key>,
    pub(crate) sensed: BTreeSet<Key>,
    asleep: BTreeSet<BodyId>,
    /// Number of events of each kind.
    pub(crate) counts: [u32; 11],
}

impl Ledger {
    /// Applies the events of the last step and compares the result with the world.
    pub(crate) fn listen(&mut self, world: &World, what: &str) {
        let events: Vec<_> = world.events().collect();
        for pair in events.windows(2) {
            assert!(rank(&pair[0]) < rank(&pair[1]), "{what}: out of order or twice: {pair:?}");
        }
        let gone = |id: &BodyId| world.body(*id).is_none();
        // In order: a pair that a command separated and the step joined again has an end and then a begin.
        for event in &events {
            self.counts[rank(event).0 as usize] += 1;
            match event {
                Event::ContactEnded(pair) => {
                    assert!(self.touching.remove(&key(pair)), "{what}: {event:?} never began");
                }
                Event::SensorLeft(pair) => {
                    assert!(self.sensed.remove(&key(pair)), "{what}: {event:?} never entered");
                }
                Event::ContactBegan(pair) => {
                    assert!(self.touching.insert(key(pair)), "{what}: {event:?} began twice");
                    assert!(
                        !pair.bodies.iter().any(gone),
                        "{what}: {event:?} of a body that is gone"
                    );
                }
                Event::SensorEntered(pair) => {
                    assert!(self.sensed.insert(key(pair)), "{what}: {event:?} entered twice");
                    assert!(
                        !pair.bodies.iter().any(gone),
                        "{what}: {event:?} of a body that is gone"
                    );
                }
                Event::ContactPersisted(pair) => {
                    assert!(self.touching.contains(&key(pair)), "{what}: {event:?} never began");
                }
                Event::SensorStayed(pair) => {
                    assert!(self.sensed.contains(&key(pair)), "{what}: {event:?} never entered");
                }
                Event::Woke(id) => {
                    assert!(self.asleep.remove(id), "{what}: {event:?} did not sleep");
                    assert!(!gone(id), "{what}: {event:?} is gone");
                }
                _ => (),
            }
        }
        // After all that woke: a body that a command woke may fall asleep in the step.
        for event in &events {
            if let Event::FellAsleep(id) = event {
                assert!(self.asleep.insert(*id), "{what}: {event:?} slept already");
            }
        }
        self.asleep.retain(|id| !gone(id));
        let asleep: BTreeSet<_> =
            world.bodies().filter(|(_, body)| body.is_asleep()).map(|(id, _)| id).collect();
        assert_eq!(self.asleep, asleep, "{what}: who sleeps");
        assert_awake_beside_the_moving(world, what);
        // Contacts do not name the shapes of the bodies, so only the number of pairs is compared.
        let mut reported: BTreeMap<[BodyId; 2], u32> = BTreeMap::new();
        self.touching.iter().for_each(|k| *reported.entry([k.0, k.2]).or_default() += 1);
        let mut are: BTreeMap<[BodyId; 2], u32> = BTreeMap::new();
        let touching = world.contacts().filter(ContactView::is_touching);
        touching.for_each(|contact| *are.entry(contact.bodies()).or_default() += 1);
        if reported != are {
            let missing: Vec<_> = are.iter().filter(|(k, n)| reported.get(*k) != Some(n)).collect();
            let extra: Vec<_> = reported.iter().filter(|(k, n)| are.get(*k) != Some(n)).collect();
            panic!(
                "{what}: touching but not reported {missing:?}, reported but not touching {extra:?}"
            );
        }
    }
}

/// Checks that no sleeping body has a contact with an awake dynamic body or a moving kinematic one.
fn assert_awake_beside_the_moving(world: &World, what: &str) {
    for pair in world.contacts().map(|contact| contact.bodies()) {
        let [a, b] = pair.map(|id| world.body(id).unwrap());
        for (one, other) in [(a, b), (b, a)] {
            let moves = !other.velocity().is_zero() || !other.angular_velocity().is_zero();
            let stirs = match other.kind() {
                BodyKind::Fixed => false,
                BodyKind::Kinematic => moves,
                BodyKind::Dynamic => !other.is_asleep(),
            };
            assert!(!(one.is_asleep() && stirs), "{what}: one of {pair:?} sleeps, one stirs");
            assert!(!one.is_asleep() || one.kind() == BodyKind::Dynamic, "{what}: {pair:?}");
        }
    }
}

fn check(name: &str, mut scene: Scene, ticks: u32) -> [u32; 11] {
    let mut ledger = Ledger::default();
    for tick in 1..=ticks {
        scene.step();
        ledger.listen(&scene.world, &format!("{name}, tick {tick}"));
    }
    println!("{name}: {ticks} ticks, events by kind {:?}", ledger.counts);
    ledger.counts
}

#[test]
fn events_give_contacts_and_sleep_in_every_scene() {
    for (name, scene, ticks) in vec![
        ("pyramid", scenes::pyramid(8), 400),
        ("stacks", scenes::stacks(3, 5), 300),
        ("bin", scenes::bin(5, 2), 500),
        ("arena", scenes::arena(2), 400),
        ("cradle", scenes::cradle(&[1, 2, 3]), 300),
        ("rack", scenes::rack(real!(6)), 500),
        ("dominoes", scenes::dominoes(60), 700),
        ("tumbler", scenes::tumbler(2), 400),
        ("sleepers", scenes::sleepers(100, 2), 500),
    ] {
        let counts = check(name, scene, ticks);
        assert!(counts[1] > 0, "{name}: something touches");
    }
}

#[test]
fn events_give_contacts_and_sleep_in_a_storm() {
    for seed in 0..4 {
        let counts = check(&format!("storm {seed}"), scenes::storm(seed), 900);
        for kind in [0, 1, 7, 8] {
            assert!(counts[kind] > 20, "seed {seed}: kind {kind} is rare");
        }
    }
}

/// Weightless balls among fixed ones, and sensors of all kinds, all spawned and despawned at random.
fn sensor_soup(seed: u64, ticks: u32) -> [u32; 11] {
    let mut world =
        World::new(WorldDef { gravity: Vec3::Y * real!(-2), ..WorldDef::default() }).unwrap();
    world.spawn(ground()).unwrap();
    let mut ledger = Ledger::default();
    let mut ids: Vec<BodyId> = Vec::new();
    for tick in 0..ticks {
        let mut rng = Rng::keyed(seed, u64::from(tick), 0, 5);
        if ids.len() > 30 && rng.chance(1, 3).unwrap() {
            let at = rng.below(ids.len() as u32).unwrap() as usize;
            world.despawn(ids.swap_remove(at)).unwrap();
        }
        if rng.chance(1, 3).unwrap() {
            let body = soup_body(&mut rng);
            let stream = rng.below(3).unwrap() as u8;
            ids.push(world.spawn_in(stream, body).unwrap());
        }
        world.step();
        ledger.listen(&world, &format!("soup {seed}, tick {tick}"));
    }
    println!("soup {seed}: {ticks} ticks, events by kind {:?}", ledger.counts);
    ledger.counts
}

fn soup_body(rng: &mut Rng) -> BodyDef {
    let mut within = |size: Real| rng.between(-size, size).unwrap();
    let place = Vec3::new(within(real!(4)), real!(2) + within(real!(2)), within(real!(4)));
    let velocity = Vec3::new(within(real!(3)), within(real!(3)), within(real!(3)));
    let zone: ShapeDef = Shape::cuboid(Vec3::splat(real!(1))).unwrap().into();
    let body = match rng.below(8).unwrap() {
        0 => BodyDef::fixed().shape(zone.sensor()),
        1 => BodyDef::kinematic().velocity(velocity * Real::HALF).shape(zone.sensor()),
        2 => BodyDef::kinematic().shape(zone.sensor()),
        // A ball with a larger sensor around it.
        3 => BodyDef::dynamic()
            .velocity(velocity)
            .shape(sphere(Real::HALF))
            .shape(ShapeDef::from(sphere(real!(1))).sensor()),
        4 => BodyDef::fixed().shape(sphere(Real::HALF)),
        5 => BodyDef::dynamic().shape(Shape::cuboid(Vec3::splat(Real::ratio(4, 10))).unwrap()),
        _ => BodyDef::dynamic().velocity(velocity).shape(sphere(Real::HALF)),
    };
    let body = if rng.chance(1, 2).unwrap() { body.stay_events() } else { body };
    let body = if rng.chance(1, 2).unwrap() { body.persist_events() } else { body };
    body.at(place)
}

#[test]
fn events_balance_with_spawned_and_despawned_sensors() {
    for seed in 0..4 {
        let counts = sensor_soup(seed, 700);
        for kind in [0, 1, 2, 4, 5, 6, 7, 8] {
            assert!(counts[kind] > 0, "seed {seed}: kind {kind} never happened");
        }
    }
}

/// A heap in which bodies are changed by every kind of command.
#[test]
fn events_balance_under_every_command() {
    for seed in 0..6 {
        let mut scene = scenes::bin(3, seed);
        let mut ledger = Ledger::default();
        for tick in 1..=500 {
            let mut rng = Rng::keyed(seed, tick, 0, 6);
            if rng.chance(1, 6).unwrap() {
                let ids: Vec<_> = scene.world.bodies().map(|(id, _)| id).collect();
                let id = ids[rng.below(ids.len() as u32).unwrap() as usize];
                super::replay::meddle(&mut scene.world, id, &mut rng);
            }
            scene.world.step();
            ledger.listen(&scene.world, &format!("seed {seed}, tick {tick}"));
        }
    }
}

#[test]
fn a_new_world_has_no_events() {
    let mut world = World::new(WorldDef::default()).unwrap();
    assert_eq!(world.events().count(), 0);
    world.spawn(ground()).unwrap();
    world.spawn(BodyDef::dynamic().at(spot(0, 5000, 0)).shape(sphere(Real::HALF))).unwrap();
    world.step();
    assert_eq!(world.events().count(), 0);
}
