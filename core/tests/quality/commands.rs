//! Random command sequences. A rejected command changes nothing, an accepted one can be read back at once, and scratch is not
//! state.

use super::common::{encoded, ground, mixed_shape, world};
use isostep_core::world::{
    BodyDef, BodyId, BodyKind, Command, CommandError, Filter, Locks, Material, ShapeDef, World,
};
use isostep_core::{Quat, Real, Transform, Vec3, real};
use proptest::prelude::*;

fn number(limit: i32) -> impl Strategy<Value = Real> {
    let bits = i64::from(limit) << 32;
    (-bits..=bits).prop_map(Real::from_bits)
}

fn vector(limit: i32) -> impl Strategy<Value = Vec3> {
    (number(limit), number(limit), number(limit)).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn rotation() -> impl Strategy<Value = Quat> {
    vector(3).prop_map(Quat::from_rotation_vector)
}

/// An action on the body with a number, if it exists.
#[derive(Clone, Debug)]
enum Act {
    Spawn(u8, u32, Vec3),
    Despawn,
    Velocity(Vec3),
    Spin(Vec3),
    Impulse(Vec3),
    ImpulseAt(Vec3, Vec3),
    Force(Vec3),
    ForceAt(Vec3, Vec3),
    Torque(Vec3),
    Teleport(Vec3, Quat),
    MoveTo(Vec3),
    Kind(BodyKind),
    Enabled(bool),
    Friction(Real),
    Layer(u8),
    GravityScale(Real),
    Damping(Real, Real),
    UserData(u64),
    Mass(Option<Real>, Option<Vec3>),
    Locks(u8),
    SpeedCap(Real),
    Sleep,
    Gravity(Vec3),
    Shape(u8, u32),
    AddShape(u32, Vec3),
    RemoveShape(u8),
    ShapePose(u8, Vec3),
    Step,
}

fn act() -> impl Strategy<Value = Act> {
    let kind =
        prop_oneof![Just(BodyKind::Fixed), Just(BodyKind::Kinematic), Just(BodyKind::Dynamic)];
    // Ranges exceed the limits, so that some commands are rejected.
    prop_oneof![
        3 => (0u8..4, 0u32..3, vector(4)).prop_map(|(s, i, at)| Act::Spawn(s, i, at)),
        1 => Just(Act::Despawn),
        1 => vector(300).prop_map(Act::Velocity),
        1 => vector(400).prop_map(Act::Spin),
        1 => vector(1_000_000).prop_map(Act::Impulse),
        1 => (vector(100_000), vector(5)).prop_map(|(push, at)| Act::ImpulseAt(push, at)),
        1 => vector(30_000_000).prop_map(Act::Force),
        1 => (vector(3_000_000), vector(5)).prop_map(|(push, at)| Act::ForceAt(push, at)),
        1 => vector(3_000_000).prop_map(Act::Torque),
        1 => (vector(1_200_000_000), rotation()).prop_map(|(at, turn)| Act::Teleport(at, turn)),
        1 => vector(6).prop_map(Act::MoveTo),
        1 => kind.prop_map(Act::Kind),
        1 => any::<bool>().prop_map(Act::Enabled),
        1 => number(3).prop_map(Act::Friction),
        1 => (0u8..40).prop_map(Act::Layer),
        1 => number(120).prop_map(Act::GravityScale),
        1 => (number(1200), number(1200)).prop_map(|(linear, angular)| Act::Damping(linear, angular)),
        1 => any::<u64>().prop_map(Act::UserData),
        1 => (proptest::option::of(number(5000)), proptest::option::of(vector(900))).prop_map(|(m, i)| Act::Mass(m, i)),
        1 => any::<u8>().prop_map(Act::Locks),
        1 => number(300).prop_map(Act::SpeedCap),
        1 => Just(Act::Sleep),
        1 => vector(1100).prop_map(Act::Gravity),
        1 => (0u8..3, any::<u32>()).prop_map(|(ordinal, which)| Act::Shape(ordinal, which)),
        1 => (any::<u32>(), vector(2)).prop_map(|(which, at)| Act::AddShape(which, at)),
        1 => (0u8..3).prop_map(Act::RemoveShape),
        1 => (0u8..3, vector(2)).prop_map(|(ordinal, at)| Act::ShapePose(ordinal, at)),
        3 => Just(Act::Step),
    ]
}

fn command(act: &Act, id: BodyId) -> Option<Command> {
    Some(match *act {
        Act::Spawn(stream, shape, place) => {
            let shape = mixed_shape(shape);
            Command::Spawn(stream, Box::new(BodyDef::dynamic().at(place).shape(shape)))
        }
        Act::Despawn => Command::Despawn(id),
        Act::Velocity(v) => Command::SetVelocity(id, v),
        Act::Spin(v) => Command::SetAngularVelocity(id, v),
        Act::Impulse(v) => Command::Impulse(id, v),
        Act::ImpulseAt(v, at) => Command::ImpulseAt(id, v, at),
        Act::Force(v) => Command::Force(id, v),
        Act::ForceAt(v, at) => Command::ForceAt(id, v, at),
        Act::Torque(v) => Command::Torque(id, v),
        Act::Teleport(at, turn) => Command::Teleport(id, Transform::new(at, turn)),
        Act::MoveTo(at) => Command::MoveTo(id, Transform::at(at)),
        Act::Kind(kind) => Command::SetKind(id, kind),
        Act::Enabled(enabled) => Command::SetEnabled(id, enabled),
        Act::Friction(friction) => {
            Command::SetMaterial(id, 0, Material { friction, ..Material::default() })
        }
        Act::Layer(layer) => Command::SetFilter(id, 0, Filter { layer, group: 0 }),
        Act::GravityScale(scale) => Command::SetGravityScale(id, scale),
        Act::Damping(linear, angular) => Command::SetDamping(id, linear, angular),
        Act::UserData(data) => Command::SetUserData(id, data),
        Act::Mass(mass, inertia) => {
            let positive = |v: Vec3| v.abs() + Vec3::splat(real!(10));
            Command::SetMass(id, mass, inertia.map(positive))
        }
        Act::Locks(which) => {
            let all = [Locks::NONE, Locks::PLANE_XY, Locks::ROTATION_Y, Locks::TRANSLATION];
            Command::SetLocks(id, all[usize::from(which % 4)])
        }
        Act::SpeedCap(cap) => Command::SetSpeedCap(id, cap),
        Act::Sleep => Command::Sleep(id),
        Act::Gravity(gravity) => Command::SetGravity(gravity),
        Act::Shape(ordinal, which) => Command::SetShape(id, ordinal, mixed_shape(which)),
        Act::AddShape(which, at) => {
            Command::AddShape(id, Box::new(ShapeDef::from(mixed_shape(which)).at(at)))
        }
        Act::RemoveShape(ordinal) => Command::RemoveShape(id, ordinal),
        Act::ShapePose(ordinal, at) => Command::SetShapePose(id, ordinal, Transform::at(at)),
        Act::Step => return None,
    })
}

fn near(a: Vec3, b: Vec3, ulps: i64) -> bool {
    a.to_bits().iter().zip(b.to_bits()).all(|(a, b)| (a - b).abs() <= ulps)
}

/// Resolution of velocities, 2⁻²⁰ m/s, in ulps.
const SPEED_STEP: i64 = 1 << 12;

/// Checks the effect of an accepted command on its body.
fn assert_read_back(world: &World, act: &Act, id: BodyId, mass: Real, before: Vec3) {
    let Some(body) = world.body(id) else {
        assert!(matches!(act, Act::Despawn | Act::Gravity(_)), "{act:?}");
        return;
    };
    match *act {
        Act::Velocity(v) => assert!(near(body.velocity(), v, SPEED_STEP), "{act:?}"),
        // Spin is stored as the speed of a point at least half a metre away.
        Act::Spin(v) => assert!(near(body.angular_velocity(), v, 2 * SPEED_STEP), "{act:?}"),
        Act::Impulse(push) => {
            let free =
                |lock: Locks, c: Real| if body.locks().contains(lock) { Real::ZERO } else { c };
            let push = Vec3::new(
                free(Locks::TRANSLATION_X, push.x),
                free(Locks::TRANSLATION_Y, push.y),
                free(Locks::TRANSLATION_Z, push.z),
            );
            let expected = before + push / mass;
            assert!(near(body.velocity(), expected, SPEED_STEP), "{act:?}: {}", body.velocity());
        }
        Act::Teleport(at, turn) => {
            assert!(near(body.position(), at, 4), "{act:?}: {}", body.position());
            assert_eq!(body.rotation(), turn);
        }
        Act::Kind(kind) => assert_eq!(body.kind(), kind),
        Act::UserData(data) => assert_eq!(body.user_data(), data),
        Act::Mass(Some(mass), _) => assert_eq!(body.mass(), mass),
        Act::SpeedCap(cap) => assert_eq!(body.speed_cap(), cap),
        Act::Sleep => assert!(body.is_asleep() && body.velocity().is_zero()),
        Act::Gravity(gravity) => assert_eq!(world.gravity(), gravity),
        Act::GravityScale(scale) => assert_eq!(body.gravity_scale(), scale),
        Act::Damping(linear, angular) => {
            assert_eq!((body.linear_damping(), body.angular_damping()), (linear, angular));
        }
        Act::Enabled(enabled) => assert_eq!(body.is_enabled(), enabled),
        Act::Shape(ordinal, which) => {
            let shape = body.shapes().find(|(number, _)| *number == ordinal);
            assert_eq!(shape.unwrap().1.shape, mixed_shape(which));
        }
        Act::RemoveShape(ordinal) => assert!(body.shapes().all(|(number, _)| number != ordinal)),
        _ => (),
    }
}

fn check_sequence(acts: &[(Act, usize)]) {
    let mut world = world();
    let ground = world.spawn(ground()).unwrap();
    let mut ids = vec![ground];
    let mut gone: Vec<BodyId> = Vec::new();
    let mut recorded = 1;
    let mut stepped = None;
    for (act, which) in acts {
        let id = ids[which % ids.len()];
        let Some(command) = command(act, id) else {
            world.step();
            recorded = 0;
            stepped = Some(encoded(&world));
            assert!(world.commands().is_empty());
            continue;
        };
        let (mass, before) =
            world.body(id).map_or((Real::ONE, Vec3::ZERO), |body| (body.mass(), body.velocity()));
        let bytes = encoded(&world);
        let result = world.command(command);
        if gone.contains(&id) && !matches!(act, Act::Spawn(..) | Act::Gravity(_)) {
            let refused = matches!(
                result,
                Err(CommandError::NoSuchBody(_)
                    | CommandError::Material(_)
                    | CommandError::Layer(_)
                    | CommandError::TooFast(_)
                    | CommandError::OutOfWorld(_)
                    | CommandError::OutOfRange { .. })
            );
            assert!(refused, "{act:?}: {result:?}");
            assert!(world.body(id).is_none());
        }
        match result {
            Err(_) => {
                assert!(encoded(&world) == bytes, "{act:?} was refused and changed something");
            }
            Ok(spawned) => {
                recorded += 1;
                if let Some(new) = spawned {
                    assert!(world.body(new).is_some());
                    ids.push(new);
                } else {
                    assert_read_back(&world, act, id, mass, before);
                }
                if matches!(act, Act::Despawn) {
                    gone.push(id);
                }
            }
        }
        assert_eq!(world.commands().len(), recorded);
        let live = ids.iter().filter(|id| world.body(**id).is_some()).count();
        assert_eq!(world.bodies().count(), live);
        assert_eq!(live + gone.len(), ids.len());
    }
    // Contacts name live bodies only. Reading a stale one would panic.
    assert!(
        world.contacts().flat_map(|contact| contact.bodies()).all(|id| world.body(id).is_some())
    );
    world.discard_commands();
    if let Some(stepped) = stepped {
        assert!(
            encoded(&world) == stepped,
            "discarding commands does not bring the last tick back"
        );
    }
}

/// Runs the same actions with and without scratch between ticks.
fn check_scratch(acts: &[(Act, usize)]) {
    let mut worlds = [world(), world()];
    let mut ids = worlds.each_mut().map(|world| world.spawn(ground()).unwrap())[..1].to_vec();
    for (act, which) in acts {
        let id = ids[which % ids.len()];
        let Some(command) = command(act, id) else {
            worlds[1].drop_scratch();
            for world in &mut worlds {
                world.step();
            }
            assert!(encoded(&worlds[0]) == encoded(&worlds[1]), "tick {}", worlds[0].tick());
            continue;
        };
        let [kept, dropped] = worlds.each_mut().map(|world| world.command(command.clone()));
        assert_eq!(kept, dropped);
        ids.extend(kept.ok().flatten());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn dropping_scratch_changes_nothing_under_random_commands(
        acts in proptest::collection::vec((act(), any::<usize>()), 1..80)
    ) {
        check_scratch(&acts);
    }

    #[test]
    fn random_commands_have_their_documented_effect(
        acts in proptest::collection::vec((act(), any::<usize>()), 1..80)
    ) {
        check_sequence(&acts);
    }
}
