//! Memory of worlds whose bodies have scattered ids. A body with the last index of its stream used to cost 20 MB of rows for the
//! indices before it: a few commands, or a snapshot of 100 kB, took gigabytes.

use crate::counting;
use isostep_core::Tick;
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, World, WorldDef};
use isostep_core::{Real, Vec3};

/// Streams with one body each, at its last index.
const STREAMS: u64 = 8;

fn allocated(work: impl FnOnce()) -> u64 {
    let before = counting::bytes();
    work();
    counting::bytes() - before
}

fn scattered() -> World {
    let mut world = World::with_history(WorldDef::default(), 4).unwrap();
    for stream in 0..STREAMS {
        let id = BodyId::from_bits(1 << 32 | (65_536 * stream + 65_535)).unwrap();
        let ball = Shape::sphere(Real::HALF).unwrap();
        let place = Vec3::X * Real::from_int(10 * stream as i32);
        world.spawn_with_id(id, BodyDef::dynamic().at(place).shape(ball)).unwrap();
    }
    world
}

#[test]
fn an_unused_index_costs_a_few_bytes() {
    let spawns = allocated(|| drop(scattered()));
    assert!(spawns < STREAMS * 1_500_000, "spawning allocates {spawns} bytes");
    let mut world = scattered();
    let clone = allocated(|| drop(world.clone()));
    assert!(clone < STREAMS * 1_000_000, "a clone allocates {clone} bytes");

    world.step();
    let snapshot = world.snapshot(Tick(1), None).unwrap();
    let mut other = World::with_history(WorldDef::default(), 4).unwrap();
    // The unpacked rows have eight bytes for each index.
    let restore = allocated(|| other.restore(&snapshot).unwrap());
    assert!(
        restore < STREAMS * 6_000_000,
        "restoring {} bytes allocates {restore}",
        snapshot.len()
    );
    assert_eq!(other.digest(), world.digest());
    for _ in 0..10 {
        world.step();
        other.step();
    }
    assert_eq!(other.digest(), world.digest());
}
