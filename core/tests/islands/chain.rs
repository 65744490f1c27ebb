//! Waking as a fixpoint: a woken body may reach further sleeping bodies, and all of them wake on the same tick.

use super::common::{
    all_bits, awake, crate_at, encoded, fell_asleep, is_asleep, meet, run, steps_to_sleep,
    weightless, woke,
};
use isostep_core::world::{BodyId, World};
use isostep_core::{Real, Vec3, real};

/// Largest distance of two shapes with a contact.
const REACH: Real = Real::ratio(2, 100);
/// Speed difference between neighbouring boxes of a chain, m/s.
const SLOWER: Real = Real::ratio(2, 1000);

/// Weightless unit boxes in a row that drift towards each other below the sleep threshold, with these initial gaps.
fn drifting(count: i32, gap: Real) -> (World, Vec<BodyId>) {
    let mut world = weightless();
    let ids = (0..count)
        .map(|i| {
            let x = (Real::ONE + gap) * i;
            let speed = SLOWER * (count - 1 - 2 * i) * Real::HALF;
            world.spawn(crate_at(Vec3::X * x).velocity(Vec3::X * speed)).unwrap()
        })
        .collect();
    (world, ids)
}

/// A row of boxes that sleep within reach of each other without a contact: they come within reach in the step in which they fall
/// asleep.
fn separate_sleepers(count: i32) -> (World, Vec<BodyId>) {
    let ticks = steps_to_sleep(&mut drifting(count, Real::ONE).0, 60).expect("all are slow");
    // In the middle of the last step they are exactly at the reach.
    let closing = SLOWER * (2 * ticks as i32 - 1) / 120;
    let (mut world, ids) = drifting(count, REACH + closing);
    run(&mut world, ticks);
    assert_eq!(fell_asleep(&world), ids);
    assert_eq!(world.contacts().count(), 0, "they fell asleep apart");
    assert_eq!(world.islands().len(), ids.len());
    for pair in ids.windows(2) {
        let [a, b] = [pair[0], pair[1]].map(|id| world.body(id).unwrap().position().x);
        assert!(b - a - Real::ONE < REACH, "they are within reach: {}", b - a - Real::ONE);
    }
    run(&mut world, 30);
    assert_eq!(awake(&world), [], "sleepers don't wake each other");
    (world, ids)
}

/// Sends a box to one end of a chain and checks that all bodies wake when it arrives.
fn visit(end: usize, side: Vec3) {
    let (mut world, ids) = separate_sleepers(20);
    let place = world.body(ids[end]).unwrap().position();
    let visitor = crate_at(place + side * real!(1.5)).velocity(-side);
    let visitor = world.spawn(visitor).unwrap();
    for _ in 0..60 {
        world.step();
        if meet(&world, visitor, ids[end]) {
            assert_eq!(woke(&world), ids);
            assert_eq!(world.islands().len(), 1);
            return;
        }
        assert_eq!(woke(&world), []);
    }
    panic!("they never met");
}

#[test]
fn a_visitor_at_one_end_wakes_a_chain_of_islands_in_one_tick() {
    visit(0, -Vec3::X);
    visit(19, Vec3::X);
}

#[test]
fn a_command_at_one_end_wakes_the_chain_in_the_next_step() {
    let (mut world, ids) = separate_sleepers(7);
    world.wake(ids[3]).unwrap();
    assert_eq!(awake(&world), [ids[3]], "they did not fall asleep together");
    world.step();
    assert_eq!(woke(&world), ids);
}

#[test]
fn a_chain_with_a_hole_wakes_up_to_the_hole() {
    let (mut world, ids) = separate_sleepers(9);
    world.despawn(ids[4]).unwrap();
    world.step();
    assert_eq!(awake(&world), [], "nobody rested on it");
    world.wake(ids[0]).unwrap();
    world.step();
    assert_eq!(woke(&world), ids[..4]);
    assert!(ids[5..].iter().all(|id| is_asleep(&world, *id)));
}

#[test]
fn a_chain_wakes_the_same_without_scratch() {
    let worlds = [false, true].map(|drop| {
        let (mut world, ids) = separate_sleepers(12);
        world.wake(ids[5]).unwrap();
        for _ in 0..40 {
            if drop {
                world.drop_scratch();
            }
            world.step();
        }
        world
    });
    let [a, b] = &worlds;
    assert_eq!(all_bits(a), all_bits(b));
    assert!(encoded(a) == encoded(b));
}
