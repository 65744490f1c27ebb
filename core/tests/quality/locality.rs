//! Locality: two distant scenes in one world evolve as each does alone, whatever their ids.

use super::common::{Bits, bits, pyramid, spawn_all, tumbling, world};
use isostep_core::world::{BodyDef, BodyId, World};
use isostep_core::{Rng, Vec3};

const TICKS: usize = 200;

fn moved(mut bodies: Vec<BodyDef>, x: i32) -> Vec<BodyDef> {
    for body in &mut bodies {
        body.pose.translation += Vec3::from_ints(x, 0, 0);
    }
    bodies
}

/// Two scenes: a pyramid, and a heap one kilometre away.
fn scenes() -> [Vec<BodyDef>; 2] {
    [pyramid(6), moved(tumbling(3, 2), 1000)]
}

fn states(world: &World, ids: &[BodyId]) -> Vec<Bits> {
    ids.iter().map(|id| bits(&world.body(*id).unwrap(), Vec3::ZERO)).collect()
}

/// States of a scene alone, tick by tick.
fn alone(bodies: &[BodyDef]) -> Vec<Vec<Bits>> {
    let mut world = world();
    let ids = spawn_all(&mut world, bodies);
    (0..TICKS)
        .map(|_| {
            world.step();
            states(&world, &ids)
        })
        .collect()
}

/// Steps a world with both scenes and compares each with its run alone.
fn assert_same_ways(
    world: &mut World,
    ids: &[Vec<BodyId>; 2],
    expected: &[Vec<Vec<Bits>>; 2],
    case: &str,
) {
    for (tick, (near, far)) in expected[0].iter().zip(&expected[1]).enumerate() {
        world.step();
        for (ids, alone) in ids.iter().zip([near, far]) {
            assert!(states(world, ids) == *alone, "{case}, tick {tick}: a scene differs");
        }
    }
}

/// Runs both scenes in one world and compares. `spawn` may interleave them but keeps the order within each.
fn assert_as_alone(
    seeds: u64,
    mut spawn: impl FnMut(&mut World, &mut Rng, usize, BodyDef) -> BodyId,
) {
    let scenes = scenes();
    let expected = scenes.each_ref().map(|scene| alone(scene));
    for seed in 0..seeds {
        let mut rng = Rng::new(seed);
        let mut world = world();
        let mut waiting = scenes.each_ref().map(|scene| scene.iter());
        let mut ids = [Vec::new(), Vec::new()];
        while waiting.iter().any(|scene| scene.len() > 0) {
            let which = rng.below(2).unwrap() as usize;
            if let Some(body) = waiting[which].next() {
                ids[which].push(spawn(&mut world, &mut rng, which, body.clone()));
            }
        }
        assert_same_ways(&mut world, &ids, &expected, &format!("seed {seed}"));
    }
}

#[test]
fn interleaved_ids_change_nothing() {
    assert_as_alone(4, |world, _, _, body| world.spawn(body).unwrap());
}

#[test]
fn ids_with_gaps_and_generations_change_nothing() {
    assert_as_alone(3, |world, rng, _, body| {
        // Despawned bodies leave gaps, and their indices are reused with a later generation.
        let passing: Vec<_> = (0..rng.below(4).unwrap())
            .map(|_| world.spawn(super::common::crate_at(Vec3::ZERO)).unwrap())
            .collect();
        for id in passing {
            world.despawn(id).unwrap();
        }
        world.spawn(body).unwrap()
    });
}

#[test]
fn a_stream_of_its_own_changes_nothing() {
    assert_as_alone(2, |world, _, scene, body| world.spawn_in([0, 3][scene], body).unwrap());
    assert_as_alone(2, |world, _, scene, body| world.spawn_in([2, 1][scene], body).unwrap());
}

#[test]
fn a_shared_ground_couples_nothing() {
    // The same two scenes on one half space: fixed bodies do not connect islands.
    let plane = || BodyDef::fixed().shape(isostep_core::shape::Shape::HALF_SPACE);
    let [mut near, mut far] = scenes();
    (near[0], far[0]) = (plane(), plane());
    let expected = [alone(&near), alone(&far)];
    let mut world = world();
    let ground = world.spawn(plane()).unwrap();
    let mut ids = [vec![ground], vec![ground]];
    let mut scenes = [near.into_iter().skip(1), far.into_iter().skip(1)];
    // Alternate while both scenes have bodies left.
    while scenes.iter_mut().zip(&mut ids).any(|(scene, ids)| {
        let body = scene.next();
        body.map(|body| ids.push(world.spawn(body).unwrap())).is_some()
    }) {}
    assert_same_ways(&mut world, &ids, &expected, "a shared ground");
}
