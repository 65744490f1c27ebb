//! The world beside Rapier: the same scenes stepped in turn, then where our time goes.
//!
//! `cargo bench -p isostep-benches --bench world`, or with the names of scenes after `--`.
//!
//! Worlds change while they are stepped, so a round can't repeat one piece of work. Instead a repetition builds both
//! worlds anew, takes both to tick 60 unmeasured, and steps them to tick 360 in turns of ten ticks; who goes first
//! changes every turn. A sample is the mean step of a turn, a ratio that of two samples taken side by side. Scripts
//! (the players of the arena) run outside the clock. Rapier has its defaults apart from what the scene says and
//! nothing sleeps in either.

use isostep_benches::{Table, quantile, wanted};
use isostep_core::Phase;
use isostep_core::world::Command;
use isostep_determinism_tests::scenes::{self, Scene};
use rapier3d::prelude::*;
use std::time::Instant;

/// Scenes that Rapier can be given too: nothing in them is spawned, led or asleep.
const SCENES: [&str; 4] = ["pyramid", "stacks", "bin", "arena"];
const FIRST: u32 = 60;
const LAST: u32 = 360;
const TURN: u32 = 10;
const REPETITIONS: usize = 5;
const SEED: u64 = 7;
const PHASES: usize = Phase::ALL.len();

fn main() {
    if !wanted("world") {
        return;
    }
    let mut beside = Table::new(["scene", "bodies", "contacts", "ours", "Rapier", "ours / Rapier"]);
    let mut phases = Table::new([
        "scene", "gather", "broad", "narrow", "wake", "clusters", "prepare", "solve", "sleep",
        "write", "record", "sensors", "events", "rest",
    ]);
    let mut ratios = Table::new(["scene", "broad phase", "narrow phase", "solver and rest"]);
    let mut kept = Table::new(["scene", "kept", "narrow", "narrow, none kept", "times"]);
    for name in SCENES {
        let script = Script::of(name);
        let mut samples = Samples::default();
        (0..REPETITIONS).for_each(|_| repetition(name, &script, &mut samples));
        beside.row(samples.beside(name));
        phases.row(samples.phases(name));
        ratios.row(samples.ratios(name));
        kept.row(samples.kept(name));
    }
    println!("Microseconds a step, median (90th percentile):\n\n{beside}");
    println!("Microseconds a step by phase (share of the step):\n\n{phases}");
    println!("Ours / Rapier by phase, from its own counters (microseconds):\n\n{ratios}");
    println!("Contacts kept from the last tick:\n\n{kept}");
}

/// What was measured on one scene; times are microseconds a step.
#[derive(Default)]
struct Samples {
    ours: Vec<f64>,
    rapier: Vec<f64>,
    ratio: Vec<f64>,
    phases: [f64; PHASES],
    total: f64,
    /// Rapier's broad phase, narrow phase and all the rest.
    rapier_phases: [f64; 3],
    narrow_anew: f64,
    ticks: f64,
    bodies: u32,
    contacts: f64,
    kept: f64,
}

fn repetition(name: &str, script: &Script, samples: &mut Samples) {
    let mut ours = sleepless(name);
    // The same with every contact made anew.
    let mut anew = sleepless(name);
    anew.world.keep_contacts(false);
    let mut rapier = Rapier::like(name, &ours);
    for tick in 0..FIRST {
        ours.step();
        anew.step();
        rapier.act(script, tick);
        rapier.world.step();
    }
    for (turn, start) in (FIRST..LAST).step_by(TURN as usize).enumerate() {
        let mut times = [0.0; 2];
        for who in [turn % 2, 1 - turn % 2] {
            times[who] = if who == 0 {
                (0..TURN).map(|_| step_ours(&mut ours, samples)).sum()
            } else {
                (start..start + TURN).map(|tick| rapier.step(script, tick, samples)).sum()
            };
        }
        let [mine, theirs] = times.map(|time| time / f64::from(TURN));
        samples.ours.push(mine);
        samples.rapier.push(theirs);
        samples.ratio.push(mine / theirs);
        for _ in 0..TURN {
            anew.act();
            let report = timed(&mut anew);
            samples.narrow_anew += report.nanoseconds[Phase::NarrowPhase as usize] as f64 / 1e3;
        }
    }
}

fn sleepless(name: &str) -> Scene {
    let mut scene = scenes::build(name, SEED).expect("a scene of the list");
    let ids: Vec<_> = scene.world.bodies().map(|(id, _)| id).collect();
    for id in ids {
        scene.world.command(Command::SetMaySleep(id, false)).expect("it is alive");
    }
    scene
}

fn step_ours(scene: &mut Scene, samples: &mut Samples) -> f64 {
    scene.act();
    let start = Instant::now();
    let report = timed(scene);
    let time = start.elapsed().as_secs_f64() * 1e6;
    for (sum, nanoseconds) in samples.phases.iter_mut().zip(report.nanoseconds) {
        *sum += nanoseconds as f64 / 1e3;
    }
    samples.total += time;
    samples.ticks += 1.0;
    samples.bodies = report.bodies;
    samples.contacts += f64::from(report.contacts);
    samples.kept += f64::from(report.kept);
    time
}

fn timed(scene: &mut Scene) -> isostep_core::StepReport {
    let epoch = Instant::now();
    scene.world.step_timed(Some(&mut || epoch.elapsed().as_nanos() as u64))
}

impl Samples {
    fn beside(&self, name: &str) -> [String; 6] {
        let time = |samples: &[f64]| {
            let [median, p90] = [0.5, 0.9].map(|q| quantile(samples.to_vec(), q));
            format!("{median:.0} ({p90:.0})")
        };
        [
            name.to_owned(),
            self.bodies.to_string(),
            format!("{:.0}", self.contacts / self.ticks),
            time(&self.ours),
            time(&self.rapier),
            format!("{:.2}", quantile(self.ratio.clone(), 0.5)),
        ]
    }

    fn phases(&self, name: &str) -> Vec<String> {
        let cell =
            |time: f64| format!("{:.0} ({:.0} %)", time / self.ticks, 100.0 * time / self.total);
        let rest = self.total - self.phases.iter().sum::<f64>();
        let times = self.phases.iter().copied().chain([rest]).map(cell);
        [name.to_owned()].into_iter().chain(times).collect()
    }

    /// Phases that both engines have; gathering rows counts for the broad phase, which reads them.
    fn ratios(&self, name: &str) -> [String; 4] {
        let [gather, broad, narrow, ..] = self.phases;
        let ours = [gather + broad, narrow, self.total - gather - broad - narrow];
        let cell = |i: usize| {
            let (mine, theirs) = (ours[i] / self.ticks, self.rapier_phases[i] / self.ticks);
            format!("{:.2} ({mine:.0} / {theirs:.0})", mine / theirs)
        };
        [name.to_owned(), cell(0), cell(1), cell(2)]
    }

    fn kept(&self, name: &str) -> [String; 5] {
        let narrow = self.phases[Phase::NarrowPhase as usize];
        [
            name.to_owned(),
            format!("{:.0} %", 100.0 * self.kept / self.contacts.max(1.0)),
            format!("{:.0}", narrow / self.ticks),
            format!("{:.0}", self.narrow_anew / self.ticks),
            format!("{:.2}", self.narrow_anew / narrow),
        ]
    }
}

/// The velocities (x and z) that a scene's script gives its players, by tick; they don't depend on the bodies.
struct Script(Vec<Vec<[f32; 2]>>);

impl Script {
    fn of(name: &str) -> Self {
        let mut scene = sleepless(name);
        let players = players(name);
        Self(
            (0..LAST)
                .map(|_| {
                    scene.act();
                    let bodies: Vec<_> = scene.world.bodies().map(|(_, body)| body).collect();
                    let steer = players.iter().map(|player| {
                        let v = bodies[*player].velocity();
                        [v.x.to_f32(), v.z.to_f32()]
                    });
                    let steer = steer.collect();
                    scene.world.step();
                    steer
                })
                .collect(),
        )
    }
}

/// How many of a scene's first bodies are fixed: the ground, and walls if it has some.
fn fixed_bodies(name: &str) -> usize {
    if matches!(name, "bin" | "arena") { 5 } else { 1 }
}

/// Places of the players among a scene's bodies.
fn players(name: &str) -> Vec<usize> {
    let moving = (0..64).filter(|i| name == "arena" && i % 9 == 0).take(8);
    moving.map(|i| i + fixed_bodies(name)).collect()
}

/// A scene in Rapier.
struct Rapier {
    world: PhysicsWorld,
    players: Vec<RigidBodyHandle>,
}

impl Rapier {
    /// The bodies of our scene, shape by shape as the scene library has them, at the very places.
    fn like(name: &str, scene: &Scene) -> Self {
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::new(0.0, -9.81, 0.0);
        world.integration_parameters.dt = 1.0 / 60.0;
        world.physics_pipeline.counters.enable();
        let steered = players(name);
        let mut players = Vec::new();
        for (i, (_, body)) in scene.world.bodies().enumerate() {
            let [x, y, z] = body.position().to_array().map(isostep_core::Real::to_f32);
            let fixed = i < fixed_bodies(name);
            let player = steered.contains(&i);
            let collider = if fixed {
                fixed_shape(name, i)
            } else {
                moving_shape(name, i - fixed_bodies(name), player)
            };
            let builder =
                if fixed { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
            let mut builder = builder.translation(Vector::new(x, y, z)).can_sleep(false);
            if player {
                builder = builder.lock_rotations();
            }
            let (handle, _) = world.insert(builder, collider.friction(0.6).density(1.0));
            if player {
                players.push(handle);
            }
        }
        Self { world, players }
    }

    fn act(&mut self, script: &Script, tick: u32) {
        for (player, [x, z]) in self.players.iter().zip(&script.0[tick as usize]) {
            let body = &mut self.world.bodies[*player];
            let y = body.linvel().y;
            body.set_linvel(Vector::new(*x, y, *z), true);
        }
    }

    /// Microseconds that one step takes.
    fn step(&mut self, script: &Script, tick: u32, samples: &mut Samples) -> f64 {
        self.act(script, tick);
        let start = Instant::now();
        self.world.step();
        let time = start.elapsed().as_secs_f64() * 1e6;
        let counters = &self.world.physics_pipeline.counters;
        let [broad, narrow] =
            [counters.broad_phase_time_ms(), counters.narrow_phase_time_ms()].map(|ms| ms * 1e3);
        let parts = [broad, narrow, time - broad - narrow];
        samples.rapier_phases.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        time
    }
}

fn fixed_shape(name: &str, i: usize) -> ColliderBuilder {
    let (wall, half_height) = if name == "bin" { (6.5, 20.0) } else { (12.0, 4.0) };
    match i {
        0 => ColliderBuilder::cuboid(100.0, 1.0, 100.0),
        1 | 2 => ColliderBuilder::cuboid(1.0, half_height, wall + 2.0),
        _ => ColliderBuilder::cuboid(wall + 2.0, half_height, 1.0),
    }
}

fn moving_shape(name: &str, i: usize, player: bool) -> ColliderBuilder {
    let half = if name == "bin" { 0.4 } else { 0.5 };
    match (name, i % 3) {
        _ if player => ColliderBuilder::cuboid(0.4, 0.875, 0.4),
        ("pyramid" | "stacks", _) | (_, 1) => ColliderBuilder::cuboid(half, half, half),
        (_, 0) => ColliderBuilder::ball(0.5),
        _ => ColliderBuilder::capsule_y(0.3, 0.35),
    }
}
