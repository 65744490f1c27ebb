//! Stacks and piles: they are stable, come to rest and lose no body.

use super::common::{
    GRAVITY, Rest, crate_at, ground, length, settle, stack, world, world_with_substeps,
};
use isostep_core::world::BodyKind;
use isostep_core::{Real, Vec3, real};
use isostep_scenes::scenes;

fn assert_at_rest(rest: &Rest) {
    assert!(rest.penetration <= 0.005, "{rest:#?}");
    assert!(rest.top_drift <= 0.010, "{rest:#?}");
    assert!(rest.mean_speed <= 0.001, "{rest:#?}");
}

#[test]
fn a_stack_of_twenty_boxes_stands() {
    let mut world = world();
    stack(&mut world, 20, Real::HALF, real!(1000));
    let rest = settle(&mut world, 600);
    println!("{rest:?}");
    assert_at_rest(&rest);
    // Measured: 6 mm, the sum over 20 contacts. It was 35 mm when contacts were not preloaded.
    assert!(rest.sag < 0.012, "{rest:#?}");
}

#[test]
fn a_pyramid_of_210_boxes_stands() {
    let mut scene = scenes::pyramid(20);
    let rest = settle(&mut scene.world, 600);
    println!("{rest:?}");
    assert_at_rest(&rest);
    assert!(rest.sag < 0.05, "{rest:#?}");
}

#[test]
fn a_bin_of_a_thousand_bodies_loses_none_and_none_exceeds_its_fall_speed() {
    let mut scene = scenes::bin(10, 7);
    // The highest centre starts at 1 + 9·1.2 + 0.05 m. A body that falls all that height has v² = 2·g·height; half a metre is added
    // for momentum from falling neighbours.
    let top = scene.world.bodies().filter(|(_, body)| body.kind() == BodyKind::Dynamic);
    let top = top.map(|(_, body)| body.position().y.to_f64()).fold(0.0, f64::max);
    let limit = 2.0 * GRAVITY * (top + 0.5);
    let mut fastest = 0.0f64;
    let mut deepest = 0.0f64;
    for _ in 0..600 {
        deepest = deepest.max(-scene.step().deepest.to_f64());
        let speeds = scene.world.bodies().map(|(_, body)| length(body.velocity()));
        fastest = speeds.fold(fastest, f64::max);
    }
    println!("fastest {fastest} m/s of {} m/s; deepest {deepest} m", limit.sqrt());
    assert!(fastest * fastest <= limit, "{fastest} m/s");
    let mut count = 0;
    for (id, body) in scene.world.bodies().filter(|(_, body)| body.kind() == BodyKind::Dynamic) {
        // The thinnest body is 0.7 m thick, and the walls are at 6.5 m.
        let place = body.position();
        let inside = place.x.abs() < real!(6.25) && place.z.abs() < real!(6.25);
        assert!(inside && place.y > real!(0.25), "{id} is at {place}");
        count += 1;
    }
    assert_eq!(count, 1000);
}

#[test]
fn overlaps_are_pushed_apart_without_a_jump() {
    let mut world = world();
    world.spawn(ground()).unwrap();
    // One box is 0.3 m in the ground, one 0.3 m in the first.
    let boxes = [Real::ratio(2, 10), Real::ratio(9, 10)]
        .map(|height| world.spawn(crate_at(Vec3::Y * height)).unwrap());
    let (mut highest, mut fastest) = ([0.0f64; 2], 0.0f64);
    for _ in 0..600 {
        world.step();
        for (most, id) in highest.iter_mut().zip(boxes) {
            let body = world.body(id).unwrap();
            *most = most.max(body.position().y.to_f64());
            fastest = fastest.max(length(body.velocity()));
        }
    }
    println!("highest {highest:?} m, fastest {fastest} m/s");
    // The push-out speed is at most the depth over a fifth of a second, and none of it remains afterwards.
    assert!(highest[0] < 0.51 && highest[1] < 1.52, "{highest:?}");
    assert!(fastest < 3.5, "{fastest} m/s");
}

/// The top box is a hundred or a thousand times as heavy as the others. With 8 substeps the second stack collapses (docs/solver.md, "Limits").
#[test]
fn a_heavy_top_needs_more_substeps() {
    for (substeps, times, most) in [(8, 100, 0.09), (32, 100, 0.006), (32, 1000, 0.055)] {
        let mut world = world_with_substeps(substeps);
        let boxes = stack(&mut world, 5, Real::HALF, Real::from_int(1000 * times));
        let asleep = (1..=300).find(|_| {
            world.step();
            boxes.iter().all(|id| world.body(*id).unwrap().is_asleep())
        });
        let sag = 4.5 - world.body(boxes[4]).unwrap().position().y.to_f64();
        println!("{substeps} substeps, top {times} times as heavy: {asleep:?}, {sag:.4} m");
        assert!(asleep.is_some() && sag < most, "{times} times, {substeps}: {asleep:?}, {sag} m");
    }
}
