//! The world beside Rapier: the same scenes in turns, then our time by phase.
//!
//! `cargo bench -p isostep-benches --bench world`, or with the names of scenes after `--`.
//!
//! Worlds change while they are stepped, so a round can't repeat one piece of work. Instead a
//! repetition builds both worlds, steps both to tick 60 unmeasured, and on to tick 360 in turns of
//! ten ticks, in alternating order. A sample is the mean step of a turn, a ratio that of two
//! neighbouring samples. Scripts (the players of the arena) are not measured. Rapier has its
//! defaults except for the scene's parameters, and sleeping is disabled in both.

use isostep_bench::engine::{Engine, Staging};
use isostep_bench::suite::{SCENES, sleepless, stage};
use isostep_benches::rapier::Rapier;
use isostep_benches::{RAPIER, Table, quantile, wanted};
use isostep_core::Phase;
use isostep_scenes::scenes::Scene;
use std::time::Instant;

const FIRST: u32 = 60;
const LAST: u32 = 360;
const TURN: u32 = 10;
const REPETITIONS: usize = 5;
const PHASES: usize = Phase::ALL.len();

fn main() {
    if !wanted("world") {
        return;
    }
    let mut beside = Table::new(["scene", "bodies", "contacts", "ours", "Rapier", "ours / Rapier"]);
    let mut phases = Table::new([
        "scene", "gather", "broad", "narrow", "wake", "islands", "prepare", "solve", "sleep",
        "write", "record", "sensors", "events", "rest",
    ]);
    let mut ratios = Table::new(["scene", "broad phase", "narrow phase", "solver and rest"]);
    let mut kept = Table::new(["scene", "kept", "narrow", "narrow, none kept", "times"]);
    for name in SCENES {
        let staging = stage(name).expect("a scene of the list");
        let mut samples = Samples::default();
        (0..REPETITIONS).for_each(|_| repetition(name, &staging, &mut samples));
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

/// Samples of one scene, microseconds a step.
#[derive(Default)]
struct Samples {
    ours: Vec<f64>,
    rapier: Vec<f64>,
    ratio: Vec<f64>,
    phases: [f64; PHASES],
    total: f64,
    /// Rapier's broad phase, narrow phase and everything else.
    rapier_phases: [f64; 3],
    narrow_anew: f64,
    ticks: f64,
    bodies: u32,
    contacts: f64,
    kept: f64,
}

fn repetition(name: &str, staging: &Staging, samples: &mut Samples) {
    let scene = || sleepless(name).expect("a scene of the list");
    let mut ours = scene();
    // The same without recycled contacts.
    let mut anew = scene();
    anew.world.keep_contacts(false);
    let mut rapier = Rapier::new(RAPIER);
    rapier.load(staging);
    rapier.world.physics_pipeline.counters.enable();
    for _ in 0..FIRST {
        ours.step();
        anew.step();
        rapier.act();
        rapier.world.step();
    }
    for turn in 0..((LAST - FIRST) / TURN) as usize {
        let mut times = [0.0; 2];
        for who in [turn % 2, 1 - turn % 2] {
            times[who] = if who == 0 {
                (0..TURN).map(|_| step_ours(&mut ours, samples)).sum()
            } else {
                (0..TURN).map(|_| step_rapier(&mut rapier, samples)).sum()
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
    samples.kept += f64::from(report.recycled);
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

/// Microseconds of one step of Rapier.
fn step_rapier(rapier: &mut Rapier, samples: &mut Samples) -> f64 {
    rapier.act();
    let start = Instant::now();
    rapier.world.step();
    let time = start.elapsed().as_secs_f64() * 1e6;
    let counters = &rapier.world.physics_pipeline.counters;
    let [broad, narrow] =
        [counters.broad_phase_time_ms(), counters.narrow_phase_time_ms()].map(|ms| ms * 1e3);
    let parts = [broad, narrow, time - broad - narrow];
    samples.rapier_phases.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
    time
}
