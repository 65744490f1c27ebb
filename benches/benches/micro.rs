//! Single operations under criterion, alone and warm: `cargo bench -p isostep-benches --bench
//! micro`, followed by `-- NAME` for some of them. Meant for work on one operation; `isostep bench`
//! measures whole ticks, beside the peers.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use isostep_bench::suite::sleepless;
use isostep_core::internals::sort_by_key;
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, Command, World, WorldDef};
use isostep_core::{Quat, Real, Rng, Vec3, real};
use std::hint::black_box;

/// Ticks until bodies rest or move steadily.
const SETTLE: u32 = 60;

fn numbers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("numbers");
    let (a, b) = (Real::ratio(355, 113), Real::ratio(-1618, 1000));
    let (v, w) = (Vec3::new(a, b, a + b), Vec3::new(b, b, a));
    let q = Quat::from_rotation_vector(v);
    group.bench_function("mul", |bencher| bencher.iter(|| black_box(a) * black_box(b)));
    group.bench_function("div", |bencher| bencher.iter(|| black_box(a) / black_box(b)));
    group.bench_function("sqrt", |bencher| bencher.iter(|| black_box(a).sqrt()));
    group.bench_function("sin_cos", |bencher| bencher.iter(|| black_box(a).sin_cos()));
    group.bench_function("dot", |bencher| bencher.iter(|| black_box(v).dot(black_box(w))));
    group.bench_function("length", |bencher| bencher.iter(|| black_box(v).length()));
    group.bench_function("rotate", |bencher| bencher.iter(|| black_box(q).rotate(black_box(v))));
    group.finish();
}

/// One contact of each kind in a world of its own: the base cost of a step, and the cost of the
/// kind.
fn pairs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pair");
    let half = real!(0.5);
    let shapes = [
        ("ball", Shape::sphere(half)),
        ("box", Shape::cuboid(Vec3::splat(half))),
        ("capsule", Shape::capsule(half, half)),
    ]
    .map(|(name, shape)| (name, shape.expect("a size within limits")));
    for (name, shape) in &shapes {
        for (below, ground) in [("plane", &Shape::HALF_SPACE), ("same", shape)] {
            let mut world =
                World::new(WorldDef::default()).expect("the defaults are within limits");
            world.spawn(BodyDef::fixed().shape(*ground)).expect("room");
            let height = if below == "plane" { Real::ZERO } else { half };
            let above = BodyDef::dynamic().at(Vec3::Y * (height + half)).shape(*shape);
            let above = world.spawn(above).expect("room");
            world.command(Command::SetCanSleep(above, false)).expect("it lives");
            world.commit();
            for _ in 0..SETTLE {
                world.step();
            }
            let id = BenchmarkId::new(*name, below);
            group.bench_function(id, |bencher| bencher.iter(|| world.step()));
        }
    }
    group.finish();
}

/// Operations on a state besides stepping: stacks of 500 bricks.
fn states(criterion: &mut Criterion) {
    let mut scene = sleepless("stacks").expect("a scene of the list");
    for _ in 0..SETTLE {
        scene.step();
    }
    let world = &mut scene.world;
    let now = world.tick();
    let whole = world.snapshot(now, None).expect("held");
    let mut group = criterion.benchmark_group("state");
    group.bench_function("a tick again, nothing changed", |bencher| {
        bencher.iter(|| {
            world.rewind(now - 1).expect("held");
            world.step()
        });
    });
    group.bench_function("digest of a new tick", |bencher| {
        let stepped = || {
            let mut world = world.clone();
            world.step();
            world
        };
        bencher.iter_batched_ref(stepped, |world| world.digest(), BatchSize::LargeInput);
    });
    group.throughput(Throughput::Bytes(whole.len() as u64));
    group.bench_function("snapshot", |bencher| {
        bencher.iter(|| world.snapshot(now, None).expect("held"));
    });
    group.bench_function("snapshot since the tick before", |bencher| {
        bencher.iter(|| world.snapshot(now, Some(now - 1)).expect("held"));
    });
    let mut other = world.clone();
    group.bench_function("restore", |bencher| {
        bencher.iter(|| other.restore(&whole).expect("its own bytes"));
    });
    group.finish();
}

fn data(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("data");
    let mut rng = Rng::new(1);
    let mut scratch = Vec::new();
    for count in [100, 10_000] {
        let keys: Vec<u64> = (0..count).map(|_| rng.next_u64()).collect();
        group.throughput(Throughput::Elements(count));
        group.bench_function(BenchmarkId::new("sort", count), |bencher| {
            bencher.iter_batched_ref(
                || keys.clone(),
                |keys| sort_by_key(keys, &mut scratch, |key| *key),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

criterion_group!(micro, numbers, pairs, states, data);
criterion_main!(micro);
