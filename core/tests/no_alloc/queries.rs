//! Queries allocate nothing, with and without a tree.

use crate::allocations;
use isostep_core::world::{QueryFilter, World};
use isostep_core::{Real, Tick, Vec3, real};
use isostep_scenes::scenes;

/// Casts rays at the current tick and at all held ones.
fn look(world: &World) -> u32 {
    let mut hits = 0;
    let (oldest, now) = world.history().into_inner();
    for i in -20..20 {
        let origin = Vec3::new(Real::from_int(i), real!(0.25), real!(-40));
        let (along, filter) = (Vec3::Z * real!(80), QueryFilter::default());
        hits += u32::from(world.cast_ray(origin, along, &filter).is_some());
        for tick in oldest.0..=now.0 {
            let past = world.past(Tick(tick)).expect("held");
            hits += u32::from(past.cast_ray(origin, along, &filter).is_some());
        }
    }
    hits
}

#[test]
fn rays_allocate_nothing() {
    let mut world = scenes::arena(3).world;
    let mut hits = 0;
    assert_eq!(allocations(|| hits += look(&world)), 0, "all shapes");
    for _ in 0..40 {
        world.step();
    }
    assert_eq!(allocations(|| hits += look(&world)), 0, "the tree");
    world.rewind(world.tick() - 9).expect("held");
    assert_eq!(allocations(|| hits += look(&world)), 0, "the tree and lists beside it");
    world.drop_scratch();
    assert_eq!(allocations(|| hits += look(&world)), 0, "all shapes");
    assert!(hits > 0);
}
