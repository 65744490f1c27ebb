//! Random commands in a world with a time to sleep of four ticks, so that bodies sleep and wake often. After every tick events
//! balance, islands match the contacts, no body sleeps in contact with an awake one, and a twin whose scratch was dropped, or
//! whose commands were discarded and given again, has the same state.

use super::common::{cube, encoded, ground, pose, sphere};
use super::graph::assert_islands_are_those_of_the_contacts;
use super::ledger::Ledger;
use isostep_core::shape::Shape;
use isostep_core::world::{
    BodyDef, BodyId, BodyKind, Command, Filter, Layers, Material, ShapeDef, World, WorldDef,
};
use isostep_core::{Real, Vec3, real};
use proptest::prelude::*;

/// An action, most often on the body with a number.
#[derive(Clone, Debug)]
enum Act {
    Spawn { stream: u8, kind: u8, shape: u8, place: Vec3, sensor: bool },
    Despawn,
    Velocity(Vec3),
    Spin(Vec3),
    Teleport(Vec3),
    Kind(BodyKind),
    Enabled(bool),
    Material { slippery: bool },
    Sensor(bool),
    Filter(u8, u32),
    GravityScale(bool),
    CanSleep(bool),
    Wake,
    Step(u8),
}

/// Positions close enough for contacts, on a grid that gives exact touches and near misses.
fn place() -> impl Strategy<Value = Vec3> {
    (-3i32..=3, 0i32..=4, -1i32..=1, 0i32..=3).prop_map(|(x, y, z, gap)| {
        let apart = Real::ONE + Real::ratio(gap, 100);
        Vec3::new(apart * x, Real::HALF + apart * y, apart * z)
    })
}

fn small() -> impl Strategy<Value = Vec3> {
    let number = || (-2i64 << 32..=2i64 << 32).prop_map(Real::from_bits);
    (number(), number(), number()).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn act() -> impl Strategy<Value = Act> {
    let kind =
        prop_oneof![Just(BodyKind::Fixed), Just(BodyKind::Kinematic), Just(BodyKind::Dynamic)];
    prop_oneof![
        6 => (0u8..3, 0u8..6, 0u8..4, place(), 0u8..5).prop_map(|(stream, kind, shape, place, sensor)| {
            Act::Spawn { stream, kind, shape, place, sensor: sensor == 0 }
        }),
        2 => Just(Act::Despawn),
        2 => prop_oneof![small(), Just(Vec3::ZERO)].prop_map(Act::Velocity),
        1 => prop_oneof![small(), Just(Vec3::ZERO)].prop_map(Act::Spin),
        2 => place().prop_map(Act::Teleport),
        1 => kind.prop_map(Act::Kind),
        2 => any::<bool>().prop_map(Act::Enabled),
        1 => any::<bool>().prop_map(|slippery| Act::Material { slippery }),
        1 => any::<bool>().prop_map(Act::Sensor),
        1 => (0u8..3, 0u32..3).prop_map(|(layer, group)| Act::Filter(layer, group)),
        1 => any::<bool>().prop_map(Act::GravityScale),
        1 => any::<bool>().prop_map(Act::CanSleep),
        1 => Just(Act::Wake),
        12 => (1u8..12).prop_map(Act::Step),
    ]
}

fn body(kind: u8, shape: u8, place: Vec3, sensor: bool) -> BodyDef {
    let solid = match shape {
        0 => sphere(Real::HALF),
        1 => Shape::capsule(Real::ratio(2, 10), Real::ratio(3, 10)).unwrap(),
        _ => cube(Real::HALF),
    };
    let mut part = ShapeDef::from(solid);
    part.material.rolling = Real::ratio(1, 10);
    part.sensor = sensor;
    let def = match kind {
        0 => BodyDef::fixed(),
        1 => BodyDef::kinematic(),
        _ => BodyDef::dynamic(),
    };
    let def = if kind == 3 { def.persist_events().stay_events() } else { def };
    // Some have a second shape that is a sensor.
    let halo = ShapeDef::from(sphere(real!(0.75))).density(real!(1)).sensor();
    let def = def.at(place).shape(part);
    if kind == 4 { def.shape(halo) } else { def }
}

fn command(act: &Act, id: BodyId) -> Option<Command> {
    Some(match *act {
        Act::Spawn { stream, kind, shape, place, sensor } => {
            Command::Spawn(stream, Box::new(body(kind, shape, place, sensor)))
        }
        Act::Despawn => Command::Despawn(id),
        Act::Velocity(v) => Command::SetVelocity(id, v),
        Act::Spin(v) => Command::SetAngularVelocity(id, v),
        Act::Teleport(place) => Command::Teleport(id, pose(place)),
        Act::Kind(kind) => Command::SetKind(id, kind),
        Act::Enabled(enabled) => Command::SetEnabled(id, enabled),
        Act::Material { slippery } => {
            let friction = if slippery { Real::ZERO } else { Real::ratio(6, 10) };
            Command::SetMaterial(id, 0, Material { friction, ..Material::default() })
        }
        Act::Sensor(sensor) => Command::SetSensor(id, 0, sensor),
        Act::Filter(layer, group) => Command::SetFilter(id, 0, Filter { layer, group }),
        Act::GravityScale(on) => {
            Command::SetGravityScale(id, if on { Real::ONE } else { Real::ZERO })
        }
        Act::CanSleep(may) => Command::SetCanSleep(id, may),
        Act::Wake => Command::Wake(id),
        Act::Step(_) => return None,
    })
}

fn sleepy_world() -> World {
    let mut layers = Layers::default();
    layers.set(1, 2, false).unwrap();
    World::new(WorldDef {
        layers,
        sleep_threshold: Real::ratio(2, 10),
        time_to_sleep: Real::ratio(4, 60),
        ..WorldDef::default()
    })
    .unwrap()
}

/// Operation on the twin before a step. It must not change the result.
#[derive(Clone, Copy, Debug)]
enum Twin {
    DropsScratch,
    TakesBack,
}

fn check(acts: &[(Act, usize)], twin: Twin) {
    let mut worlds = [sleepy_world(), sleepy_world()];
    let mut ids = worlds.each_mut().map(|world| {
        let ground = world.spawn(ground()).unwrap();
        // Pages have 32 rows. With 28 bodies in the first page, the spawned ones lie on both sides of its end.
        for i in 0..28 {
            let far = BodyDef::fixed().at(Vec3::from_ints(50 + 2 * i, 0, 50));
            world.spawn_in(0, far.shape(cube(Real::HALF))).unwrap();
        }
        ground
    })[..1]
        .to_vec();
    let mut ledger = Ledger::default();
    for (number, (act, which)) in acts.iter().enumerate() {
        let id = ids[which % ids.len()];
        if let Some(command) = command(act, id) {
            let [left, right] = worlds.each_mut().map(|world| world.command(command.clone()));
            assert_eq!(left, right, "act {number}");
            ids.extend(left.ok().flatten());
            continue;
        }
        let Act::Step(count) = act else { unreachable!("all others are commands") };
        for _ in 0..*count {
            let [plain, disturbed] = &mut worlds;
            match twin {
                Twin::DropsScratch => disturbed.drop_scratch(),
                Twin::TakesBack => {
                    let commands = disturbed.commands().to_vec();
                    disturbed.discard_commands();
                    for command in commands {
                        disturbed.command(command).unwrap();
                    }
                }
            }
            plain.step();
            disturbed.step();
            let what = format!("act {number}, tick {}", plain.tick());
            assert!(encoded(plain) == encoded(disturbed), "{what}: {twin:?} matters");
            assert!(plain.events().eq(disturbed.events()), "{what}: {twin:?} matters to events");
            ledger.listen(plain, &what);
            assert_islands_are_those_of_the_contacts(plain, &what);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn dropping_scratch_between_commands_and_step_changes_nothing(
        acts in proptest::collection::vec((act(), any::<usize>()), 1..80)
    ) {
        check(&acts, Twin::DropsScratch);
    }

    #[test]
    fn discarded_and_repeated_commands_have_the_same_effect(
        acts in proptest::collection::vec((act(), any::<usize>()), 1..80)
    ) {
        check(&acts, Twin::TakesBack);
    }
}
