//! Scenes nudged by two players, on every path to a tick and with every lane width and thread
//! count.

use super::{Cell, Progress};
use crate::golden::{Golden, Line};
use crate::scenes::{NAMES, Scene, Size, Spec, nudge};
use isostep_core::internals::Lanes;
use isostep_core::parallel::Threads;
use isostep_rollback::check::{Check, Digests, Outcome, Report, Row, TickPath};
use isostep_rollback::{Inputs, PlayerId, Tick};

/// Committed digests of the last ticks.
const GOLDEN: &str = include_str!("../../goldens/played.txt");

/// Ticks with a committed digest.
const LASTS: [u32; 3] = [40, 120, 600];
const SEED: u64 = 1;
const PLAYERS: usize = 2;

/// Paths for lane and thread variants. The other paths do not depend on them.
const FEW: [TickPath; 2] = [TickPath::Straight, TickPath::RolledBack];

fn script(tick: Tick, inputs: &mut Inputs<crate::scenes::Nudge>) {
    inputs.set_next(&[0, 1].map(|player| nudge(SEED, PlayerId(player), tick)));
}

/// Check of a scene without its paths.
fn check<'a>(spec: Spec, ticks: u32) -> Check<'a, Scene> {
    Check::new(PLAYERS, move || spec.play())
        .game(&spec.to_string())
        .script_name("nudges")
        .script(script)
        .seed(SEED)
        .ticks(ticks)
        .first_variant("default")
}

/// Variants of the machine: each lane width, and threads.
fn variants() -> Vec<(String, Lanes, Threads)> {
    let lanes = Lanes::available().map(|lanes| (lanes.name().to_owned(), lanes, Threads::ONE));
    let threads = [2, 3, 8].into_iter().filter_map(|count| {
        // A target without threads has one.
        let threads = Threads::new(count).ok()?;
        Some((format!("{count} threads"), Lanes::widest(), threads.eager()))
    });
    lanes.chain(threads).collect()
}

pub(super) fn run(name: &str, ticks: u32, progress: &mut Progress<'_>) -> Result<(), String> {
    let spec = Spec::named(name, Size::Small, SEED).ok_or("a name of the list")?;
    let golden: Golden = GOLDEN.parse().map_err(|error| format!("goldens/played.txt: {error}"))?;
    let expected =
        golden.lines.into_iter().find(|line| line.name == name && line.count == u64::from(ticks));
    (progress.status)(&format!("{name}, on every path"));
    let report = check(spec, ticks).clock(&mut *progress.clock).run_with_snapshots();
    report_progress(&report, spec, expected.as_ref(), progress);
    (progress.status)(&format!("{name}, with other lanes and threads"));
    let mut check = check(spec, ticks).paths(&FEW).clock(&mut *progress.clock);
    for (name, lanes, threads) in variants() {
        check = check.variant(&name, move || {
            let mut scene = spec.play();
            scene.world.set_lanes(lanes);
            scene.world.set_threads(threads.clone());
            scene
        });
    }
    let mut report = check.run();
    // The first report has those rows.
    report.rows.retain(|row| row.variant != "default");
    report_progress(&report, spec, expected.as_ref(), progress);
    Ok(())
}

fn report_progress(
    report: &Report,
    spec: Spec,
    expected: Option<&Line>,
    progress: &mut Progress<'_>,
) {
    for row in &report.rows {
        (progress.cell)(Cell {
            target: String::new(),
            variant: row.variant.clone(),
            path: row.path.name().to_owned(),
            scene: spec.to_string(),
            ticks: row.ticks.0,
            digest: row.digest.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string),
            nanos: row.nanos,
            difference: difference(row, expected),
        });
    }
}

/// Difference of a row: from the straight run, or of that run from the golden.
fn difference(row: &Row, expected: Option<&Line>) -> Option<String> {
    if row.outcome != Outcome::Equal {
        return Some(row.to_string());
    }
    let Some(expected) = expected else {
        return Some(format!("no golden for tick {}; mint it anew", row.ticks));
    };
    let digest = row.digest.as_ref()?.to_string();
    let (is, was) = (&digest, &expected.digest);
    (is != was).then(|| format!("tick {} has the digest {is}, and {was} in the golden", row.ticks))
}

/// Computes the golden: each scene straight, to each of the last ticks.
///
/// # Errors
/// A scene can't be computed.
pub fn mint() -> Result<Golden, String> {
    let mut lines = Vec::new();
    for name in NAMES {
        for ticks in LASTS {
            let digests = digests_of(name, ticks)?;
            let last = digests.ticks.last().ok_or("a run has ticks")?;
            let (name, digest) = (name.to_owned(), last.digest.to_string());
            lines.push(Line { name, count: ticks.into(), digest });
        }
    }
    Ok(Golden { lines })
}

/// Digests of a small scene, played straight for some ticks, for comparing machines through a file.
///
/// # Errors
/// The scene does not exist, or it has no digest.
pub fn digests_of(name: &str, ticks: u32) -> Result<Digests, String> {
    let spec = Spec::named(name, Size::Small, SEED).ok_or_else(|| format!("no scene {name:?}"))?;
    let report = check(spec, ticks).paths(&[]).run();
    match report.rows.first() {
        Some(row) if row.outcome == Outcome::Equal => Ok(report.digests().clone()),
        row => Err(row.map_or_else(|| spec.to_string(), ToString::to_string)),
    }
}
