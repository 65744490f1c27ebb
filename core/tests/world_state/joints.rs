//! Rows of joints in snapshots: each hostile value has its refusal.

use super::snapshots::restored;
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, JointDef, SnapshotError, World, WorldDef};
use isostep_core::{Real, Vec3};

/// Length of the rows of a joint and of an end, bytes.
const JOINT: usize = 75;
const END: usize = 12;

/// Three balls; a rod from the first to the second, and one from the first to the world.
fn world() -> (World, [BodyId; 3]) {
    let mut world = World::new(WorldDef::default()).unwrap();
    let ball = BodyDef::dynamic().shape(Shape::sphere(Real::HALF).unwrap());
    let ids = [0, 2, 4].map(|x| world.spawn(ball.clone().at(Vec3::X * x)).unwrap());
    world.add_joint(JointDef::rod(ids[0], ids[1], Real::from_int(2))).unwrap();
    world.add_joint(JointDef::rod_to_world(ids[0], Vec3::Y, Real::ONE)).unwrap();
    world.commit();
    (world, ids)
}

#[test]
fn hostile_rows_of_joints_are_refused() {
    let (world, ids) = world();
    let tables = world.snapshot_tables(world.tick(), None).unwrap();
    let first = tables.bytes.len() - END - 2 * JOINT;
    let refusal = |at: usize, byte: u8| {
        let mut tables = tables.clone();
        tables.bytes[first + at] = byte;
        restored(&world.snapshot(world.tick(), None).unwrap()).restore_tables(&tables, None)
    };
    let row = |table, row, what| Err(SnapshotError::Row { table, row, what });
    // Fields that are no key are residues: the sign is the lowest bit.
    let third = 2 * ids[2].index_in_stream() as u8;
    let end = 2 * JOINT;
    for (at, byte, expected) in [
        (JOINT + 4, 7, row("joints", 1, "its number was never used")),
        (8, 198, row("joints", 0, "its second body does not exist")),
        (12, 2, row("joints", 0, "kind")),
        (15 + 7, 0x7f, row("joints", 0, "its anchors")),
        (63 + 7, 0x7f, row("joints", 0, "its length")),
        (71 + 3, 0x7f, row("joints", 0, "its impulse")),
        // The end is at the second body.
        (8, third, row("joint ends", 0, "it is no end of a joint")),
        (end + 8, 1, row("joint ends", 0, "it is no end of a joint")),
        (end, 0, row("joint ends", 0, "it is no end of a joint")),
        // A joint of two bodies that the second one does not know.
        (JOINT + 8, third, Err(SnapshotError::Table { table: "joint ends" })),
    ] {
        assert_eq!(refusal(at, byte), expected, "byte {at}");
    }
    assert_eq!(refusal(71, 2), Ok(()));
}

#[test]
fn a_snapshot_has_joints_with_their_impulses() {
    let (mut world, _) = world();
    for _ in 0..40 {
        world.step();
    }
    let snapshot = world.snapshot(world.tick(), None).unwrap();
    let mut other = restored(&snapshot);
    assert!(world.joints().all(|joint| joint.impulse() != Real::ZERO));
    for _ in 0..40 {
        let both = [&mut world, &mut other].map(|world| {
            world.step();
            (world.digest(), world.joints().map(|joint| joint.impulse()).collect::<Vec<_>>())
        });
        assert_eq!(both[0], both[1]);
    }
}
