//! Scenes beside other engines: steps in turns of ten ticks, then saves, restores, rollbacks and
//! bytes.

use super::quality::{self, EVERY, QualityProbe};
use super::staging::{SCENES, stage};
use super::{Named, Options, Ours, SAVES, row};
use crate::engine::Engine;
use crate::interleave::{Contender, in_turn};
use crate::report::{Bar, Bars, Report, Row, Section, Unit};
use crate::stats::{Ratio, Spread};
use isostep_core::Phase;

/// Unmeasured first ticks, in which bodies fall.
const FIRST: u32 = 60;
/// Ticks of a scene.
const LAST: u32 = 600;
/// Depth of a rollback, ticks.
const DEPTH: u32 = 8;

pub(super) fn measure(
    options: &Options,
    peers: &mut [Box<dyn Engine>],
    report: &mut Report,
    progress: &mut dyn FnMut(&str),
) {
    let mut all = Sections::new();
    for name in SCENES.into_iter().filter(|name| options.wants(name)) {
        scene(name, options, peers, &mut all, progress);
    }
    report.bars.push(all.phases);
    report.sections.extend(all.sections);
}

struct Sections {
    /// Step, state, bytes, quality.
    sections: [Section; 4],
    phases: Bars,
}

impl Sections {
    fn new() -> Self {
        let section = |title: &str, note: &str| Section {
            title: title.to_owned(),
            note: note.to_owned(),
            rows: Vec::new(),
        };
        let mut phases = Bars {
            title: "A step by phase".to_owned(),
            note: "Mean microseconds of our steps, the first second included.".to_owned(),
            unit: Unit::Microseconds,
            stacked: true,
            parts: Phase::ALL.iter().map(|phase| words(&format!("{phase:?}"))).collect(),
            bars: Vec::new(),
        };
        phases.parts.push("the rest".to_owned());
        let step = "Ticks 60 to 600 in turns of ten; nothing sleeps; one thread. Rapier has its defaults (4 iterations; we \
                    take 8 substeps).";
        let state = "Saving is part of our step. \"Save\" is what its phases write and record take more than in the same world with no \
                     history (bodies written in place, contacts over those of two ticks ago): the difference of the least of 5 \
                     ticks of each, median of rounds, and zero where it is below the noise; beside Rapier's clone, the least of 5. \"All that a step writes\" is the \
                     whole of these two phases, which no save can exceed. Restoring is choosing a slot, beside cloning back. A rollback counts going back, 8 steps and 8 saves; \
                     every body differs.";
        let bytes = "A whole tick written out and read back, and ours since the tick before; Rapier's through bincode.";
        let quality = "After 600 ticks. An engine that solves less accurately is faster: compare times only at equal quality.";
        Self {
            sections: [
                section("Step", step),
                section("Save, restore, roll back", state),
                section("As bytes", bytes),
                section("Quality", quality),
            ],
            phases,
        }
    }
}

/// `BroadPhase` as `broad phase`.
fn words(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !text.is_empty() {
            text.push(' ');
        }
        text.extend(c.to_lowercase());
    }
    text
}

fn scene(
    name: &str,
    options: &Options,
    peers: &mut [Box<dyn Engine>],
    all: &mut Sections,
    progress: &mut dyn FnMut(&str),
) {
    let (Some(staging), Some(mut ours)) = (stage(name), Ours::new(name)) else { return };
    let names: Vec<String> =
        [ours.name()].into_iter().chain(peers.iter().map(|peer| peer.name())).collect();
    let mut samples: Vec<Named> = names.iter().map(|name| (name.clone(), Vec::new())).collect();
    for repetition in 0..options.rounds(3, 1) {
        progress(&format!("{name}: steps, run {}", repetition + 1));
        let mut probes = Vec::new();
        for engine in all_engines(&mut ours, peers) {
            engine.load(&staging);
            probes.push((engine.name(), QualityProbe::begin(engine.observe())));
        }
        for _ in 0..FIRST / EVERY {
            for (engine, (_, probe)) in all_engines(&mut ours, peers).zip(&mut probes) {
                engine.step(EVERY);
                probe.observe(engine.observe());
            }
        }
        for round in 0..((LAST - FIRST) / EVERY) as usize {
            let mut engines: Vec<_> = all_engines(&mut ours, peers).collect();
            let count = engines.len();
            for who in (0..count).map(|place| (place + round) % count) {
                samples[who].1.push(engines[who].step(EVERY) / f64::from(EVERY));
                probes[who].1.observe(engines[who].observe());
            }
        }
        if repetition == 0 {
            all.sections[3].rows.extend(quality::rows(name, &probes));
        }
    }
    let title = format!("{name}, {} bodies, {} contacts", ours.last().bodies, ours.last().contacts);
    all.sections[0].rows.extend(row(&format!("step/{name}"), &title, Unit::Microseconds, &samples));
    let mut values = ours.phases().to_vec();
    values.push((ours.mean_step() - values.iter().sum::<f64>()).max(0.0));
    all.phases.bars.push(Bar { name: name.to_owned(), values });
    progress(&format!("{name}: save, restore, roll back"));
    all.sections[1].rows.extend(state(name, options, &mut ours, peers));
    progress(&format!("{name}: as bytes"));
    all.sections[2].rows.extend(bytes(name, options, &mut ours, peers));
}

fn all_engines<'a>(
    ours: &'a mut Ours,
    peers: &'a mut [Box<dyn Engine>],
) -> impl Iterator<Item = &'a mut dyn Engine> {
    let peers = peers.iter_mut().map(|peer| &mut **peer as &mut dyn Engine);
    [ours as &mut dyn Engine].into_iter().chain(peers)
}

/// Runs an operation on all engines in turn, this many times.
fn turns(
    rounds: usize,
    ours: &mut Ours,
    peers: &mut [Box<dyn Engine>],
    work: impl Fn(&mut dyn Engine) -> f64,
) -> Vec<Named> {
    let work = &work;
    let names: Vec<String> = all_engines(ours, peers).map(|engine| engine.name()).collect();
    let mut contenders: Vec<Contender<'_>> = all_engines(ours, peers)
        .map(|engine| Box::new(move || work(engine)) as Contender<'_>)
        .collect();
    names.into_iter().zip(in_turn(rounds, &mut contenders)).collect()
}

fn state(
    name: &str,
    options: &Options,
    ours: &mut Ours,
    peers: &mut [Box<dyn Engine>],
) -> Vec<Row> {
    let mut rows = Vec::new();
    rows.extend(save_rows(name, options, ours, peers));
    // Makes sure that every engine has a saved state.
    turns(1, ours, peers, |engine| engine.save());
    let samples = turns(options.rounds(41, 11), ours, peers, |engine| engine.restore());
    rows.extend(row(
        &format!("restore/{name}"),
        &format!("{name}: restore"),
        Unit::Microseconds,
        &samples,
    ));
    let rounds = options.rounds(25, 5);
    let samples = turns(rounds, ours, peers, |engine| engine.rollback(DEPTH));
    let title = format!("{name}: rollback by {DEPTH}, all dirty");
    rows.extend(row(&format!("rollback-{DEPTH}/{name}"), &title, Unit::Microseconds, &samples));
    rows
}

/// Cost of a save in our step, and of all writing, beside the peers' copies; the minimum of a few.
/// None in a build without phase times.
fn save_rows(
    name: &str,
    options: &Options,
    ours: &mut Ours,
    peers: &mut [Box<dyn Engine>],
) -> Vec<Row> {
    let names: Vec<String> = all_engines(ours, peers).map(|engine| engine.name()).collect();
    let mut more: Vec<Named> = names.into_iter().map(|name| (name, Vec::new())).collect();
    let mut all = Vec::new();
    let count = more.len();
    for round in 0..options.rounds(61, 15) {
        for who in (0..count).map(|place| (place + round) % count) {
            let time = match who.checked_sub(1) {
                None => {
                    let Some(saves) = ours.saves() else { return Vec::new() };
                    all.push(saves.all);
                    saves.more
                }
                Some(peer) => {
                    let copies = (0..SAVES).map(|_| peers[peer].save());
                    copies.fold(f64::INFINITY, f64::min)
                }
            };
            more[who].1.push(time);
        }
    }
    let mut whole = more.clone();
    whole[0].1 = all;
    let row = |key: &str, what: &str, samples: &[Named]| {
        row(&format!("{key}/{name}"), &format!("{name}: {what}"), Unit::Microseconds, samples)
    };
    more[0].1.iter_mut().for_each(|time| *time = time.max(0.0));
    let save = row("save", "save", &more).map(of_medians);
    save.into_iter().chain(row("write", "all that a step writes", &whole)).collect()
}

/// A save is a small difference of two times, zero where that is below the noise: its ratio is that of medians, and absent if
/// even the median is zero.
fn of_medians(mut row: Row) -> Row {
    let ours = row.ours;
    for beside in &mut row.beside {
        let theirs = beside.theirs;
        beside.ratio = (ours.median > 0.0).then(|| Ratio {
            median: ours.median / theirs.median,
            p10: ours.p10 / theirs.median,
            p90: ours.p90 / theirs.median,
            quiet: ours.median / theirs.least,
        });
    }
    row
}

fn bytes(
    name: &str,
    options: &Options,
    ours: &mut Ours,
    peers: &mut [Box<dyn Engine>],
) -> Vec<Row> {
    let rounds = options.rounds(11, 3);
    let mut sizes: Vec<Named> = Vec::new();
    for engine in all_engines(ours, peers) {
        engine.step(1);
        let size = engine.encode().map_or(f64::INFINITY, |(_, size)| size as f64);
        sizes.push((engine.name(), vec![size]));
    }
    let forever = f64::INFINITY;
    let encode =
        turns(rounds, ours, peers, |engine| engine.encode().map_or(forever, |(time, _)| time));
    let decode = turns(rounds, ours, peers, |engine| engine.decode().unwrap_or(forever));
    let mut rows = Vec::new();
    rows.extend(row(&format!("bytes/{name}"), &format!("{name}: size"), Unit::Bytes, &sizes));
    rows.extend(row(
        &format!("encode/{name}"),
        &format!("{name}: encode"),
        Unit::Microseconds,
        &encode,
    ));
    rows.extend(row(
        &format!("decode/{name}"),
        &format!("{name}: decode"),
        Unit::Microseconds,
        &decode,
    ));
    let deltas: Vec<_> = (0..rounds)
        .filter_map(|_| {
            ours.step(1);
            ours.delta()
        })
        .collect();
    let column =
        |pick: fn(&(f64, usize)) -> f64| Spread::of(&deltas.iter().map(pick).collect::<Vec<_>>());
    if let Some((times, sizes)) = column(|d| d.0).zip(column(|d| d.1 as f64)) {
        let title = |what: &str| format!("{name}: {what} since the tick before");
        rows.push(Row::new(format!("bytes-delta/{name}"), title("size"), Unit::Bytes, sizes));
        rows.push(Row::new(
            format!("encode-delta/{name}"),
            title("encode"),
            Unit::Microseconds,
            times,
        ));
    }
    rows
}

#[cfg(test)]
mod tests {
    #[test]
    fn phases_read_as_words() {
        assert_eq!(super::words("BroadPhase"), "broad phase");
    }
}
