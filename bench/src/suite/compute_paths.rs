//! Scenes on every compute path of this machine: each lane width, and two threads. All paths
//! interleave with each other and the peers, and end in the same bits.

use super::staging::{SCENES, stage};
use super::{Named, Options, Ours, row};
use crate::engine::{Engine, Staging};
use crate::paths::{ComputePath, compute_paths};
use crate::report::{Bar, Bars, Report, Row, Section, Unit};

/// Unmeasured first ticks, in which bodies fall.
const FIRST: u32 = 60;
/// Ticks of a scene.
const LAST: u32 = 600;
/// Ticks of a scene in a short run.
const LAST_OF_SHORT: u32 = 180;
/// Ticks of one sample.
const TURN: u32 = 10;

pub(super) fn measure(
    options: &Options,
    peers: &mut [Box<dyn Engine>],
    report: &mut Report,
    progress: &mut dyn FnMut(&str),
) {
    let paths = compute_paths();
    let mut parts: Vec<String> = paths.iter().map(|path| path.key().replace('-', " ")).collect();
    parts.extend(peers.iter().map(|peer| peer.name()));
    let mut bars = Bars {
        title: "A step by instructions and threads".to_owned(),
        note: "Median microseconds; each scene has its own scale.".to_owned(),
        unit: Unit::Microseconds,
        stacked: false,
        parts,
        bars: Vec::new(),
    };
    let mut rows = Vec::new();
    for name in SCENES.into_iter().filter(|name| options.wants(name)) {
        let Some(staging) = stage(name) else { continue };
        let mut worlds: Vec<Ours> =
            paths.iter().filter_map(|path| Ours::by_path(name, *path)).collect();
        if worlds.len() < paths.len() {
            report.notes.push(format!("{name}: this machine has no second thread to give"));
            continue;
        }
        let samples = in_turns(options, &staging, &mut worlds, peers, progress);
        if worlds.iter().any(|ours| ours.world().digest() != worlds[0].world().digest()) {
            report.notes.push(format!(
                "{name}: THE COMPUTE PATHS GIVE DIFFERENT BITS, which is a bug; please report it"
            ));
        }
        let (ours, theirs) = samples.split_at(paths.len());
        let new: Vec<Row> =
            paths.iter().zip(ours).filter_map(|(path, own)| of(name, *path, own, theirs)).collect();
        let beside = |(peer, _): &Named| {
            let beside = new.first()?.beside.iter().find(|beside| &beside.name == peer)?;
            Some(beside.theirs.median)
        };
        let values = new.iter().map(|row| row.ours.median);
        let values = values.chain(theirs.iter().map(|peer| beside(peer).unwrap_or(0.0))).collect();
        bars.bars.push(Bar { name: name.to_owned(), values });
        rows.extend(new);
    }
    report.bars.push(bars);
    let note = "The default is the widest lanes on one thread. Turns of ten ticks as above, each variant \
                in turn. Two threads share what can be cut: pairs, preparing and batches of islands.";
    let section = Section {
        title: "Step by instructions and threads".to_owned(),
        note: note.to_owned(),
        rows,
    };
    // After the steps.
    report.sections.insert(report.sections.len().min(1), section);
}

/// Row of one compute path, beside the peers.
fn of(scene: &str, path: ComputePath, own: &Named, peers: &[Named]) -> Option<Row> {
    let samples: Vec<Named> = [own].into_iter().chain(peers).cloned().collect();
    let key = format!("step/{scene}/{}", path.key());
    row(&key, &format!("{scene}, {path}"), Unit::Microseconds, &samples)
}

/// Microseconds a step of all contenders, ours first.
fn in_turns(
    options: &Options,
    staging: &Staging,
    worlds: &mut [Ours],
    peers: &mut [Box<dyn Engine>],
    progress: &mut dyn FnMut(&str),
) -> Vec<Named> {
    let ours = worlds.iter_mut().map(|ours| ours as &mut dyn Engine);
    let mut all: Vec<&mut dyn Engine> =
        ours.chain(peers.iter_mut().map(|peer| &mut **peer as &mut dyn Engine)).collect();
    let mut samples: Vec<Named> = all.iter().map(|engine| (engine.name(), Vec::new())).collect();
    let last = if options.quick { LAST_OF_SHORT } else { LAST };
    for repetition in 0..options.rounds(2, 1) {
        progress(&format!("{}: lanes and threads, run {}", staging.name, repetition + 1));
        for engine in &mut all {
            engine.load(staging);
            engine.step(FIRST);
        }
        let count = all.len();
        for round in 0..((last - FIRST) / TURN) as usize {
            for who in (0..count).map(|place| (place + round) % count) {
                samples[who].1.push(all[who].step(TURN) / f64::from(TURN));
            }
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_compute_path_has_a_row_and_a_bar_and_the_same_bits() {
        let options = Options { quick: true, scenes: vec!["arena".to_owned()], targets: false };
        let mut report = Report::default();
        measure(&options, &mut [], &mut report, &mut |_| ());
        let keys: Vec<&str> = report.sections[0].rows.iter().map(|row| &*row.key).collect();
        let wanted: Vec<String> =
            compute_paths().iter().map(|path| format!("step/arena/{}", path.key())).collect();
        assert_eq!(keys, wanted);
        assert_eq!(report.bars[0].bars[0].values.len(), report.bars[0].parts.len());
        assert!(report.notes.is_empty(), "{:?}", report.notes);
    }
}
