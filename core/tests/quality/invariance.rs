//! Invariance: the position of a scene and dropped scratch change no bit.

use super::common::{bits, crate_at, encoded, mixed_shape, pyramid, spawn_all, tumbling, world};
use isostep_core::world::{BodyDef, BodyKind, World};
use isostep_core::{Rng, Vec3, real};
use isostep_scenes::scenes::{self, Scene};

/// Steps a scene at the origin and far away, and compares every body on every tick.
fn assert_same_elsewhere(bodies: &[BodyDef], ticks: u32) {
    let far = 100_000_000;
    let places = [
        Vec3::from_ints(far, 0, 0),
        Vec3::from_ints(0, far, 0),
        Vec3::from_ints(0, 0, -far),
        Vec3::from_ints(-far, far, far),
    ];
    let mut home = world();
    let ids = spawn_all(&mut home, bodies);
    let mut away = places.map(|offset| {
        let mut moved = world();
        for body in bodies {
            let mut body = body.clone();
            body.pose.translation += offset;
            moved.spawn(body).unwrap();
        }
        moved
    });
    for tick in 0..ticks {
        home.step();
        for (moved, offset) in away.iter_mut().zip(places) {
            moved.step();
            for id in &ids {
                let [here, there] = [(&home, Vec3::ZERO), (&*moved, offset)]
                    .map(|(world, offset)| bits(&world.body(*id).unwrap(), offset));
                assert_eq!(here, there, "tick {tick}, body {id}, moved by {offset}");
            }
        }
    }
}

#[test]
fn a_pyramid_behaves_the_same_100_000_km_away() {
    assert_same_elsewhere(&pyramid(8), 300);
}

#[test]
fn a_tumbling_heap_behaves_the_same_100_000_km_away() {
    assert_same_elsewhere(&tumbling(3, 11), 300);
}

/// Drops the scratch of one of two equal scenes, `chance` in four per tick, and compares their states.
fn assert_scratch_is_no_state(
    build: impl Fn() -> Scene,
    chance: u32,
    ticks: u32,
    change: impl Fn(&mut World, u32),
) {
    let (mut kept, mut dropped) = (build(), build());
    let mut rng = Rng::new(5);
    for tick in 0..ticks {
        for scene in [&mut kept, &mut dropped] {
            scene.act();
            change(&mut scene.world, tick);
        }
        if rng.chance(chance, 4).unwrap() {
            dropped.world.drop_scratch();
        }
        kept.world.step();
        dropped.world.step();
        assert!(encoded(&kept.world) == encoded(&dropped.world), "tick {tick}");
    }
}

#[test]
fn dropping_scratch_changes_nothing_in_a_pyramid() {
    for chance in [1, 4] {
        assert_scratch_is_no_state(|| scenes::pyramid(12), chance, 300, |_, _| ());
    }
}

#[test]
fn dropping_scratch_changes_nothing_in_a_bin() {
    for chance in [1, 4] {
        assert_scratch_is_no_state(|| scenes::bin(4, 3), chance, 300, |_, _| ());
    }
}

/// Fault injection: contact arms that are reused without a check of their inputs are detected.
#[cfg(feature = "test-internals")]
#[test]
#[should_panic(expected = "tick")]
fn arms_of_another_tick_are_noticed() {
    let stale =
        |world: &mut World, _| world.inject_fault(isostep_core::test_internals::Fault::StaleArms);
    assert_scratch_is_no_state(|| scenes::bin(3, 3), 4, 120, stale);
}

/// Spawns a body from time to time and despawns an earlier one.
fn replace_some(world: &mut World, tick: u32) {
    let mut rng = Rng::keyed(9, u64::from(tick), 0, 0);
    // Marked by their user data, because the scene's script controls some of the others.
    let ours: Vec<_> = world
        .bodies()
        .filter(|(_, body)| body.kind() == BodyKind::Dynamic && body.user_data() == 1)
        .map(|(id, _)| id)
        .collect();
    if tick.is_multiple_of(3) && ours.len() > 20 {
        world.despawn(ours[rng.below(ours.len() as u32).unwrap() as usize]).unwrap();
    }
    if tick.is_multiple_of(2) {
        let mut aside = || rng.between(real!(-10), real!(10)).unwrap();
        let place = Vec3::new(aside(), real!(3), aside());
        let mut body = crate_at(place).user_data(1);
        body.shapes[0].shape = mixed_shape(tick);
        let stream = (tick % 3) as u8;
        world.spawn_in(stream, body).unwrap();
    }
}

#[test]
fn dropping_scratch_changes_nothing_while_bodies_come_and_go() {
    for chance in [1, 4] {
        assert_scratch_is_no_state(|| scenes::arena(4), chance, 300, replace_some);
    }
}
