//! Counted work: small, repeatable, and covering every per-tick cost of a game.

use isostep_bench::suite::wire::{self, Trace};
use isostep_bench::suite::{Match, session, sleepless};
use isostep_core::world::{BodyId, BodyKind, QueryFilter, World};
use isostep_core::{Real, Rng, Vec3, real};
use isostep_scenes::scenes::{self, Scene};
use std::hint::black_box;
use std::time::Duration;

/// Names of all cases.
pub(crate) const NAMES: [&str; 8] =
    ["pyramid", "bin", "rollback", "digest", "snapshot", "session", "wire", "rays"];

const SEED: u64 = 7;

/// Region that is counted; callgrind finds it by this name.
#[inline(never)]
fn measured(work: &mut dyn FnMut()) {
    work();
    black_box(());
}

/// Repeats some work, a tenth more often with an injected slowdown.
fn repeat(times: u32, slowdown: bool, mut work: impl FnMut()) {
    let times = if slowdown { times + times / 10 } else { times };
    measured(&mut || (0..times).for_each(|_| work()));
}

/// Instruction sets of the processor as callgrind reports them.
pub(crate) fn instructions() -> String {
    #[cfg(target_arch = "x86_64")]
    let lanes = if std::is_x86_feature_detected!("avx2") { " with AVX2" } else { "" };
    #[cfg(not(target_arch = "x86_64"))]
    let lanes = "";
    format!("{}{lanes}", std::env::consts::ARCH)
}

/// Runs a case. Returns false if the name is unknown.
pub(crate) fn run(case: &str, slowdown: bool) -> bool {
    match case {
        "pyramid" => steps(settled(sleepless("pyramid"), 60), slowdown),
        "bin" => steps(settled(Some(scenes::bin(6, SEED)), 120), slowdown),
        "rollback" => rollback(slowdown),
        "digest" => digest(slowdown),
        "snapshot" => snapshot(slowdown),
        "session" => play(session::Ours::new(4, 1, 16), 200, slowdown),
        "wire" => play(wire::Ours::new(2, 16, Duration::ZERO, Trace::Pad), 100, slowdown),
        "rays" => rays(slowdown),
        _ => return false,
    }
    true
}

fn settled(scene: Option<Scene>, ticks: u32) -> Scene {
    let mut scene = scene.expect("a scene of the list");
    for _ in 0..ticks {
        scene.step();
    }
    scene
}

fn steps(mut scene: Scene, slowdown: bool) {
    repeat(30, slowdown, || {
        scene.step();
    });
}

/// 500 bricks in stacks of five, with sleeping disabled.
fn stacks() -> World {
    settled(sleepless("stacks"), 40).world
}

fn bricks(world: &World) -> Vec<BodyId> {
    let bricks = world.bodies().filter(|(_, body)| body.kind() == BodyKind::Dynamic);
    bricks.map(|(id, _)| id).collect()
}

/// Rolls back 8 ticks with one brick mispredicted.
fn rollback(slowdown: bool) {
    let mut world = stacks();
    let brick = bricks(&world)[17];
    let play = |world: &mut World, speed| {
        for _ in 0..8 {
            world.set_velocity(brick, Vec3::X * speed).expect("it lives");
            world.step();
        }
    };
    repeat(10, slowdown, || {
        let now = world.tick();
        play(&mut world, real!(0.25));
        world.rewind(now).expect("held");
        play(&mut world, real!(-0.25));
    });
}

/// Digests of ticks in which every body moved.
fn digest(slowdown: bool) {
    let mut world = stacks();
    let ids = bricks(&world);
    repeat(10, slowdown, || {
        for id in &ids {
            world.set_velocity(*id, Vec3::ZERO).expect("they live");
        }
        world.step();
        black_box(world.digest());
    });
}

/// Encodes a tick as keyframe and delta, and decodes it.
fn snapshot(slowdown: bool) {
    let mut world = stacks();
    let mut other = world.clone();
    repeat(10, slowdown, || {
        world.step();
        let now = world.tick();
        let whole = world.snapshot(now, None).expect("held");
        black_box(world.snapshot(now, Some(now - 1)).expect("held"));
        other.restore(&whole).expect("its own bytes");
    });
}

/// Casts rays through a heap, at the current tick and eight ticks ago.
fn rays(slowdown: bool) {
    let world = settled(Some(scenes::bin(6, SEED)), 120).world;
    let past = world.past(world.tick() - 8).expect("held");
    let filter = QueryFilter::default();
    let mut rng = Rng::new(SEED);
    repeat(1000, slowdown, || {
        let [from, to] = [0, 1].map(|_| {
            Vec3::new(rng.unit() - Real::HALF, rng.unit(), rng.unit() - Real::HALF) * real!(8)
        });
        black_box(world.cast_ray(from, to - from, &filter));
        black_box(past.cast_ray(from, to - from, &filter));
    });
}

fn play(mut one: impl Match, ticks: u32, slowdown: bool) {
    (0..100).for_each(|_| one.tick());
    repeat(ticks, slowdown, || one.tick());
}
