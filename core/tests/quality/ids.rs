//! Spawning with a given id: streams, generations, free indices.

use super::common::{crate_at, encoded, world};
use isostep_core::world::{BodyId, Command, CommandError, Locks, ShapeDef, World, WorldDef};
use isostep_core::{Real, Tick, Transform, Vec3, real};

/// The id with an index and a use count, from 1.
fn id(index: u64, use_count: u64) -> BodyId {
    BodyId::from_bits((2 * use_count - 1) << 32 | index).unwrap()
}

fn spawn(world: &mut World) -> BodyId {
    world.spawn(crate_at(Vec3::ZERO)).unwrap()
}

#[test]
fn bits_of_an_id_give_it_back() {
    assert_eq!(BodyId::from_bits(id(7, 3).to_bits()), Some(id(7, 3)));
    assert_eq!(id(7, 3).to_string(), "7v3");
    assert_eq!(BodyId::from_bits(2 << 32), None);
    assert_eq!(BodyId::from_bits(7), None);
    // No stream has this index.
    assert_eq!(BodyId::from_bits((1 << 32) | (256 * 65_536)), None);
    assert!(serde_json::from_str::<BodyId>(&((1u64 << 32) | (256 * 65_536)).to_string()).is_err());
    let text = serde_json::to_string(&id(7, 3)).unwrap();
    assert_eq!(serde_json::from_str::<BodyId>(&text).unwrap(), id(7, 3));
}

/// `spawn_with_id` asks for an index in a stream and a generation, and an id could be made of bits only, whose layout was not documented.
#[test]
fn an_id_is_made_of_stream_index_and_generation() {
    let most = (1 << 31) - 1;
    for (stream, index, generation) in [(0, 0, 1), (2, 9, 4), (255, u16::MAX, most), (7, 1, 2)] {
        let made = BodyId::new(stream, index, generation).unwrap();
        assert_eq!(made.stream(), stream);
        assert_eq!(made.index_in_stream(), index);
        assert_eq!(made.generation(), generation);
        let mut world = world();
        world.spawn_with_id(made, crate_at(Vec3::ZERO)).unwrap();
        assert_eq!(world.bodies().next().unwrap().0, made);
        let index = u32::from(stream) * 65_536 + u32::from(index);
        assert_eq!(made.to_string(), format!("{index}v{generation}"));
    }
    for never in [0, most + 1, most + 2, u32::MAX] {
        assert_eq!(BodyId::new(0, 0, never), None, "{never}");
    }
}

#[test]
fn lower_indices_stay_free_and_are_taken_first() {
    let mut world = world();
    world.spawn_with_id(id(3, 2), crate_at(Vec3::ZERO)).unwrap();
    let ids: Vec<_> = (0..4).map(|_| spawn(&mut world)).collect();
    assert_eq!(ids, [id(0, 1), id(1, 1), id(2, 1), id(4, 1)]);
    // Despawned, the index returns with the next generation.
    world.despawn(id(3, 2)).unwrap();
    assert_eq!(spawn(&mut world), id(3, 3));
    // Other streams are not affected.
    world.spawn_with_id(id(2 * 65_536 + 1, 1), crate_at(Vec3::ZERO)).unwrap();
    assert_eq!(world.spawn_in(2, crate_at(Vec3::ZERO)).unwrap(), id(2 * 65_536, 1));
    assert_eq!(world.spawn_in(1, crate_at(Vec3::ZERO)).unwrap(), id(65_536, 1));
    world.step();
    assert_eq!(world.bodies().count(), 8);
}

#[test]
fn a_taken_used_or_impossible_id_is_refused() {
    let mut world = world();
    let first = spawn(&mut world);
    world.despawn(first).unwrap();
    let second = spawn(&mut world);
    let bytes = encoded(&world);
    let mut refused =
        |wanted: BodyId| world.spawn_with_id(wanted, crate_at(Vec3::ZERO)).unwrap_err();
    assert_eq!(refused(first), CommandError::IdTaken(second));
    assert_eq!(refused(id(0, 9)), CommandError::IdTaken(second));
    let never = id(1, 1 << 31);
    assert_eq!(refused(never), CommandError::IdOutOfRange(never));
    assert_eq!(
        refused(never).to_string(),
        "the id 1v2147483648 is out of range: its generation must be below 2147483648"
    );
    // A refused id creates no stream.
    let empty = id(9 * 65_536, 1 << 31);
    assert_eq!(refused(empty), CommandError::IdOutOfRange(empty));
    assert!(encoded(&world) == bytes);
    world.despawn(second).unwrap();
    let used = world.spawn_with_id(second, crate_at(Vec3::ZERO)).unwrap_err();
    assert_eq!(used, CommandError::IdUsed(second));
    world.spawn_with_id(id(0, 3), crate_at(Vec3::ZERO)).unwrap();
}

#[test]
fn given_ids_survive_snapshots_and_rewinds() {
    let mut world = world();
    spawn(&mut world);
    world.step();
    world.spawn_with_id(id(70, 5), crate_at(Vec3::X * 3)).unwrap();
    world.step();
    let mut other = World::new(WorldDef::default()).unwrap();
    other.restore(&world.snapshot(Tick(2), None).unwrap()).unwrap();
    let (mine, theirs) = (spawn(&mut world), spawn(&mut other));
    assert_eq!((mine, theirs), (id(1, 1), id(1, 1)));
    world.step();
    other.step();
    assert_eq!(world.digest(), other.digest());

    // Without the command, the id does not exist; with it, the same state comes out.
    let digest = world.digest_at(Tick(2)).unwrap();
    world.rewind(Tick(1)).unwrap();
    assert!(world.body(id(70, 5)).is_none());
    world.step();
    assert!(world.body(id(70, 5)).is_none());
    world.rewind(Tick(1)).unwrap();
    world.spawn_with_id(id(70, 5), crate_at(Vec3::X * 3)).unwrap();
    world.step();
    assert_eq!(world.digest(), digest);
}

/// Every command, as a recording has it, has the same effect in another world.
#[test]
fn recorded_commands_replay_to_the_same_state() {
    let mut world = world();
    let body = spawn(&mut world);
    let given = id(40, 7);
    let ball = ShapeDef::from(isostep_core::shape::Shape::sphere(Real::HALF).unwrap());
    let commands = [
        Command::SpawnWithId(given, Box::new(crate_at(Vec3::X * 5))),
        Command::Force(body, Vec3::X * 100),
        Command::ForceAt(given, Vec3::Y * 50, Vec3::X * 6),
        Command::Torque(body, Vec3::Z * 9),
        Command::SetMass(body, Some(real!(12)), Some(Vec3::from_ints(1, 2, 3))),
        Command::SetLocks(given, Locks::PLANE_XZ),
        Command::SetSpeedCap(given, real!(3)),
        Command::SetPersistEvents(given, true),
        Command::SetStayEvents(given, true),
        Command::AddShape(body, Box::new(ball.at(Vec3::Y))),
        Command::SetShapePose(body, 1, Transform::at(Vec3::Y * 2)),
        Command::SetShape(
            body,
            0,
            isostep_core::shape::Shape::capsule(Real::ONE, Real::HALF).unwrap(),
        ),
        Command::RemoveShape(body, 1),
        Command::SetGravity(Vec3::X),
    ];
    let mut other = world.clone();
    for command in commands {
        let text = serde_json::to_string(&command).unwrap();
        let read: Command = serde_json::from_str(&text).unwrap();
        assert_eq!(read, command);
        world.command(command).unwrap();
        other.command(read).unwrap();
    }
    assert!(encoded(&world) == encoded(&other));
    world.step();
    other.step();
    assert_eq!(world.digest(), other.digest());
    assert!(serde_json::from_str::<Locks>("64").is_err());
}
