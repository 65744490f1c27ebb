//! Cost of history: saving a tick beside Rapier's clone of the same scene, rewinding, and
//! resimulation.
//!
//! `cargo bench -p isostep-benches --bench history`.
//!
//! Saving is part of the step's own writes, so it is measured as the excess of the writing phases
//! over the same world without history (`isostep_bench::suite::Ours::saves`), minimum of five
//! ticks. Contenders interleave; a ratio is that of two neighbouring samples, for saves that of
//! medians.

use isostep_bench::engine::Engine;
use isostep_bench::suite::{Ours, SAVES, stage};
use isostep_benches::rapier::Rapier;
use isostep_benches::{RAPIER, Table, quantile, wanted};
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, ResimMode, World, WorldDef};
use isostep_core::{Real, Vec3, real};
use std::time::Instant;

const DEPTH: u32 = 8;
const TURNS: usize = 41;

fn main() {
    if !wanted("history") {
        return;
    }
    let mut saves = Table::new([
        "scene",
        "step",
        "save (p90)",
        "all that is written (p90)",
        "Rapier's clone (p90)",
        "clone / save",
    ]);
    for name in ["pyramid", "stacks", "bin", "arena"] {
        saves.row(save(name));
    }
    println!("Saving a tick, microseconds:\n\n{saves}");
    let mut again = Table::new(["measure", "microseconds (p90)", "beside (p90)", "ratio"]);
    again.row(first_step());
    again.row(everything_dirty());
    for stack in [1, 5, 10] {
        again.row(one_input_wrong(stack));
    }
    again.row(digest());
    println!("Going back, 1,000 bodies awake:\n\n{again}");
}

/// A digest after each eighth step, beside the step; its cost is spread over the eight.
fn digest() -> [String; 4] {
    let (mut world, _) = field(5, ResimMode::Full);
    let (mut digests, mut steps) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        for _ in 0..8 {
            steps.push(micros(|| _ = world.step()));
        }
        digests.push(micros(|| _ = std::hint::black_box(world.digest())));
    }
    let share = at(&digests, 0.5) / 8.0 / at(&steps, 0.5);
    let name = "a digest every 8 ticks, beside a step; its share of the time".to_owned();
    [name, both(&digests), both(&steps), format!("{:.1} %", share * 100.0)]
}

fn micros(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e6
}

fn at(samples: &[f64], share: f64) -> f64 {
    quantile(samples.to_vec(), share)
}

/// Median and 90th percentile as text.
fn both(samples: &[f64]) -> String {
    format!("{:.1} ({:.1})", at(samples, 0.5), at(samples, 0.9))
}

fn save(name: &str) -> [String; 6] {
    let staging = stage(name).expect("a scene of the list");
    let mut ours = Ours::new(name).expect("a scene of the list");
    let mut rapier = Rapier::new(RAPIER);
    rapier.load(&staging);
    ours.step(60);
    rapier.step(60);
    let step = ours.step(60) / 60.0;
    let (mut saves, mut writes, mut clones) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let kept = ours.saves().expect("this build sees what writes");
        saves.push(kept.more);
        writes.push(kept.all);
        rapier.step(SAVES);
        clones.push((0..SAVES).map(|_| rapier.save()).fold(f64::INFINITY, f64::min));
    }
    let ratio = at(&clones, 0.5) / at(&saves, 0.5).max(0.1);
    [
        name.to_owned(),
        format!("{step:.1}"),
        both(&saves),
        both(&writes),
        both(&clones),
        format!("{ratio:.0}"),
    ]
}

/// 1,000 bricks in stacks of this height, with sleeping disabled.
fn field(height: i32, mode: ResimMode) -> (World, Vec<BodyId>) {
    let mut world = World::new(WorldDef::default()).expect("the default is fine");
    world.set_resim_mode(mode);
    world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).expect("a floor");
    let brick = Shape::cuboid(Vec3::splat(Real::HALF)).expect("a brick");
    let mut ids = Vec::new();
    for i in 0..1000 {
        let (stack, y) = (i / height, i % height);
        let place = Vec3::new(
            Real::from_int(stack % 32 * 4),
            Real::HALF + Real::from_int(y),
            Real::from_int(stack / 32 * 4),
        );
        let body = BodyDef::dynamic().at(place).shape(brick).stay_awake();
        ids.push(world.spawn(body).expect("a brick"));
    }
    world.commit();
    for _ in 0..60 {
        world.step();
    }
    (world, ids)
}

fn push(world: &mut World, body: BodyId, x: Real) {
    world.set_velocity(body, Vec3::new(x, Real::ZERO, Real::ZERO)).expect("it is alive");
}

fn row(name: &str, ours: &[f64], others: &[f64]) -> [String; 4] {
    let ratios: Vec<_> = ours.iter().zip(others).map(|(a, b)| a / b).collect();
    let ratio = at(&ratios, 0.5);
    let ratio = if ratio < 0.5 { format!("1 / {:.1}", 1.0 / ratio) } else { format!("{ratio:.2}") };
    [name.to_owned(), both(ours), both(others), ratio]
}

/// Rewinding and the first full step, beside a plain step.
fn first_step() -> [String; 4] {
    let (mut world, ids) = field(5, ResimMode::Full);
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        for _ in 0..DEPTH {
            push(&mut world, ids[turn], real!(0.5));
            world.step();
        }
        let now = world.tick();
        ours.push(micros(|| {
            world.rewind(now - DEPTH).expect("held");
            push(&mut world, ids[turn], real!(-0.5));
            world.step();
        }));
        plain.push(micros(|| {
            push(&mut world, ids[turn], real!(-0.5));
            world.step();
        }));
    }
    row("rewind by 8 and step, beside a step", &ours, &plain)
}

/// A rollback with every body mispredicted, beside as many plain steps.
fn everything_dirty() -> [String; 4] {
    let (mut world, ids) = field(5, ResimMode::Incremental);
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    let all = |world: &mut World, x: Real| ids.iter().for_each(|id| push(world, *id, x));
    for _ in 0..TURNS / 2 {
        let now = world.tick() + DEPTH;
        plain.push(micros(|| {
            for _ in 0..DEPTH {
                all(&mut world, real!(0.0625));
                world.step();
            }
        }));
        ours.push(micros(|| {
            world.rewind(now - DEPTH).expect("held");
            for _ in 0..DEPTH {
                all(&mut world, real!(-0.0625));
                world.step();
            }
        }));
    }
    row("rollback by 8, everything dirty, beside 8 steps", &ours, &plain)
}

/// A rollback with one body mispredicted, incremental beside full.
fn one_input_wrong(height: i32) -> [String; 4] {
    let mut worlds = [ResimMode::Incremental, ResimMode::Full].map(|mode| field(height, mode));
    let mut times = [Vec::new(), Vec::new()];
    let mut islands = 0;
    for turn in 0..TURNS {
        for ((world, ids), times) in worlds.iter_mut().zip(&mut times) {
            let body = ids[turn * 23 % ids.len()];
            for _ in 0..DEPTH {
                push(world, body, real!(0.5));
                islands = world.step().islands;
            }
            let now = world.tick();
            times.push(micros(|| {
                world.rewind(now - DEPTH).expect("held");
                for _ in 0..DEPTH {
                    push(world, body, real!(-0.5));
                    world.step();
                }
            }));
        }
    }
    let [(fast, _), (full, _)] = &worlds;
    let bytes = [fast, full].map(|world| {
        let mut bytes = Vec::new();
        world.encode(&mut bytes);
        bytes
    });
    assert!(bytes[0] == bytes[1], "incremental and full resimulation differ");
    let name =
        format!("rollback by 8, one input wrong, {islands} islands, beside full resimulation");
    row(&name, &times[0], &times[1])
}
