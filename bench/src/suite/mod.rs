//! All rows of `isostep bench`: our scenes and sessions, and the peers.
//!
//! - `game.rs`: a game, by the call that games use; the report starts with it.
//! - `staging.rs`, `ours.rs`: the scenes as numbers, and our engine.
//! - `scenes.rs`, `quality.rs`: step by phase, save, restore, rollback, bytes; and solver quality.
//! - `rest.rs`, `overlap.rs`: scenes that must come to rest; overlaps from poses.
//! - `compute_paths.rs`: steps by lanes and threads.
//! - `field.rs`: rollbacks by depth and extent of the misprediction, digests.
//! - `growth.rs`, `memory.rs`: scaling, sleeping bodies, bytes.
//! - `session.rs`, `wire.rs`: matches without and with a network.

mod compute_paths;
mod field;
mod game;
mod growth;
mod memory;
mod ours;
mod overlap;
mod quality;
mod rest;
mod scenes;
pub mod session;
mod staging;
pub mod wire;

use crate::engine::Engine;
use crate::machine::About;
use crate::report::{Comparison, Report, Row, Unit};
use crate::stats::{Ratio, Spread};
use crate::targets::project_targets;
use std::time::{Duration, Instant};
use wire::Trace;

pub use ours::{Ours, SAVES, Saves};
pub use rest::REST;
pub use staging::{SCENES, SEED, sleepless, stage};

/// Limit of a quiet machine: 90th percentile of equal steps divided by the 10th.
const MAX_NOISE: f64 = 1.6;

/// Options of a run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Short run: fewer rounds, smaller worlds.
    pub quick: bool,
    /// Compares the results with the project's targets.
    pub targets: bool,
    /// Restricts the run to these scenes, or to [`REST`]; empty for everything.
    pub scenes: Vec<String>,
}

impl Options {
    /// Number of rounds for this kind of run.
    pub(crate) const fn rounds(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }

    /// Returns true if a scene is to be measured.
    pub(crate) fn wants(&self, scene: &str) -> bool {
        self.scenes.is_empty() || self.scenes.iter().any(|wanted| wanted == scene)
    }
}

/// A running match, in memory.
pub trait Match {
    /// Name of the implementation.
    fn name(&self) -> String;
    /// Advances every machine by one tick.
    fn tick(&mut self);
    /// Traffic of all machines so far.
    fn sent(&self) -> Sent;
}

/// Traffic without IP and UDP headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Datagrams.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Peers to compare with.
pub trait Peers {
    /// Other engines.
    fn engines(&mut self) -> Vec<Box<dyn Engine>>;
    /// Other sessions, with this number of players and digest interval.
    fn sessions(&mut self, players: usize, digest_every: u32) -> Vec<Box<dyn Match>>;
    /// Other netcodes, over links of this latency.
    fn wires(&mut self, players: usize, one_way: Duration, trace: Trace) -> Vec<Box<dyn Match>>;
    /// Missing peers and reasons.
    fn notes(&self) -> Vec<String>;
}

/// No peers.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPeers;

impl Peers for NoPeers {
    fn engines(&mut self) -> Vec<Box<dyn Engine>> {
        Vec::new()
    }
    fn sessions(&mut self, _: usize, _: u32) -> Vec<Box<dyn Match>> {
        Vec::new()
    }
    fn wires(&mut self, _: usize, _: Duration, _: Trace) -> Vec<Box<dyn Match>> {
        Vec::new()
    }
    fn notes(&self) -> Vec<String> {
        let note = "no other engines; in a clone, `cargo run --release -p isostep-benches` builds Rapier and ggrs and measures them in \
                    the same run";
        vec![note.to_owned()]
    }
}

/// Measures everything. `progress` receives the name of each part.
pub fn run(options: &Options, peers: &mut dyn Peers, progress: &mut dyn FnMut(&str)) -> Report {
    let start = Instant::now();
    let mut report = Report { about: About::here(options.quick), ..Report::default() };
    if options.scenes.is_empty() {
        game::measure(options, &mut report, progress);
    }
    let mut engines = peers.engines();
    report.about.peers = engines.iter().map(|engine| engine.name()).collect();
    scenes::measure(options, &mut engines, &mut report, progress);
    compute_paths::measure(options, &mut engines, &mut report, progress);
    rest::measure(options, &mut engines, &mut report, progress);
    drop(engines);
    if options.scenes.is_empty() {
        field::measure(options, &mut report, progress);
        growth::measure(options, &mut report, progress);
        memory::measure(&mut report, progress);
        session::measure(options, peers, &mut report, progress);
        wire::measure(options, peers, &mut report, progress);
    }
    report.notes.extend(peers.notes());
    if !cfg!(feature = "internals") {
        report.notes.push("save is not measured: it is part of a step, and only a build with the feature `internals` measures it apart".to_owned());
    }
    report.notes.extend(noise(&report));
    if options.targets {
        report.targets = project_targets(&report);
    }
    report.about.seconds = start.elapsed().as_secs();
    report
}

/// Note about a noisy machine: steps of a resting scene should take about the same time.
fn noise(report: &Report) -> Option<String> {
    let resting = ["step/pyramid", "step/stacks"].iter().filter_map(|key| report.row(key));
    let times = resting.map(|row| row.ours.p90 / row.ours.p10).fold(0.0, f64::max);
    (times > MAX_NOISE).then(|| {
        format!(
            "this machine was busy: of the same steps one in ten took {times:.1} times as long as another one in ten. \
             The ratios are then imprecise and the times meaningless; measure again when no other program runs"
        )
    })
}

/// Samples of one contender, with its name.
type Named = (String, Vec<f64>);

/// Row of interleaved samples, ours first.
fn row(key: &str, name: &str, unit: Unit, samples: &[Named]) -> Option<Row> {
    let ((_, ours), others) = samples.split_first()?;
    let mut row = Row::new(key, name, unit, Spread::of(ours)?);
    for (name, theirs) in others {
        // A failed engine has infinite times.
        let Some(spread) = Spread::of(theirs).filter(|spread| spread.p90.is_finite()) else {
            continue;
        };
        row.beside.push(Comparison {
            name: name.clone(),
            theirs: spread,
            ratio: Ratio::of(ours, theirs),
        });
    }
    Some(row)
}

/// Formats a number with thousands separators.
fn count(number: usize) -> String {
    crate::report::digits(number as f64).trim_end_matches(".00").trim_end_matches(".0").to_owned()
}
