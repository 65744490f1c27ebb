//! Cost of sleeping bodies: a hundred steered balls in a yard, alone and beside a field of 20,000
//! sleeping bodies; and the time until a bin falls asleep.
//!
//! `cargo bench -p isostep-benches --bench sleep`.
//!
//! The yard is bit-identical in both worlds, so both do the same work, tick by tick. They take
//! turns of ten ticks in alternating order, and a ratio is that of two neighbouring turns.

use isostep_benches::{Table, quantile, wanted};
use isostep_core::Real;
use isostep_core::world::{BodyKind, Command, Material};
use isostep_scenes::scenes::{self, Scene};
use std::time::Instant;

const SLEEPERS: u32 = 20_000;
const VISITORS: u32 = 100;
const TURN: u32 = 10;
const TURNS: usize = 201;
const SEED: u64 = 7;
/// Ticks after which a bin that is still awake counts as restless: two minutes.
const TIMEOUT: u32 = 7200;

fn main() {
    if !wanted("sleep") {
        return;
    }
    beside_sleepers();
    bins();
}

fn beside_sleepers() {
    let mut worlds = [0, SLEEPERS].map(|count| scenes::sleepers_apart(count, VISITORS, SEED));
    // The field falls asleep after half a second of rest; a few more ticks warm up the rest.
    for scene in &mut worlds {
        for _ in 0..120 {
            scene.step();
        }
        assert_eq!(awake(scene), VISITORS as usize, "only the visitors are awake");
    }
    let mut samples = [Vec::new(), Vec::new()];
    let mut ratios = Vec::new();
    for turn in 0..TURNS {
        let mut times = [0.0; 2];
        for who in [turn % 2, 1 - turn % 2] {
            times[who] = (0..TURN).map(|_| step(&mut worlds[who])).sum::<f64>() / f64::from(TURN);
            samples[who].push(times[who]);
        }
        ratios.push(times[1] / times[0]);
    }
    let mut table = Table::new(["asleep", "awake", "median", "90th percentile", "times"]);
    let cell = |samples: &[f64], q: f64| format!("{:.0}", quantile(samples.to_vec(), q));
    for (count, samples, ratio) in
        [(0, &samples[0], 1.0), (SLEEPERS, &samples[1], quantile(ratios.clone(), 0.5))]
    {
        table.row([
            count.to_string(),
            VISITORS.to_string(),
            cell(samples, 0.5),
            cell(samples, 0.9),
            format!("{ratio:.2}"),
        ]);
    }
    println!("Microseconds a step, and the median of ratios of turns taken side by side");
    println!("(90th percentile of those: {:.2}):\n\n{table}", quantile(ratios, 0.9));
}

/// Microseconds of one step, without the script.
fn step(scene: &mut Scene) -> f64 {
    scene.act();
    let start = Instant::now();
    scene.world.step();
    start.elapsed().as_secs_f64() * 1e6
}

fn bins() {
    let mut table = Table::new(["seed", "as it is", "with friction against rolling"]);
    for seed in 1..=3 {
        table.row([seed.to_string(), bin(seed, Real::ZERO), bin(seed, Real::ratio(2, 100))]);
    }
    println!("Ticks until a bin of 1,000 sleeps:\n\n{table}");
}

fn bin(seed: u64, rolling: Real) -> String {
    let mut scene = scenes::bin(10, seed);
    let ids: Vec<_> = scene.world.bodies().map(|(id, _)| id).collect();
    if rolling > Real::ZERO {
        let material = Material { rolling, spinning: rolling, ..Material::default() };
        for id in ids {
            scene.world.command(Command::SetMaterial(id, 0, material)).expect("they have a shape");
        }
    }
    let ticks = (1..=TIMEOUT).find(|_| {
        scene.step();
        awake(&scene) == 0
    });
    ticks.map_or_else(|| format!("{} awake after {TIMEOUT}", awake(&scene)), |t| t.to_string())
}

/// Awake dynamic bodies.
fn awake(scene: &Scene) -> usize {
    let bodies = scene.world.bodies().map(|(_, body)| body);
    bodies.filter(|body| body.kind() == BodyKind::Dynamic && !body.is_asleep()).count()
}
