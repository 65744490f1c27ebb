//! `isostep replay verify`: resimulates a recording and compares every digest.

use super::CommandError;
use super::open::{KnownGame, at, known, player};
use crate::drawable::DrawableGame;
use crate::progress::Meter;
use isostep_core::state::Snapshot;
use isostep_rollback::replay::{ReplayError, Source, Verifier};
use isostep_rollback::{Simulation, Tick};
use isostep_scenes::games::Arena;
use isostep_scenes::games::tumble::rules::Tumble;
use isostep_viewer::internals::{mismatch, unfinished};
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// Ticks between two progress updates.
const CHUNK: u32 = 60;

pub(super) fn run(path: &Path, as_json: bool, out: &mut impl Write) -> Result<bool, CommandError> {
    match known(path)? {
        KnownGame::Arena => verify::<Arena>(path, as_json, out),
        KnownGame::Tumble => verify::<Tumble>(path, as_json, out),
    }
}

fn verify<G: DrawableGame>(
    path: &Path,
    as_json: bool,
    out: &mut impl Write,
) -> Result<bool, CommandError> {
    let player = player::<G>(path)?;
    let replay = player.replay();
    let (first, last) = (replay.first(), replay.last());
    let tick_length = replay.info().tick_length;
    let (finished, lost_bytes) = (replay.is_finished(), replay.lost_bytes());
    let mut verifier = Verifier::new(player).map_err(at(path))?;
    let mut meter = Meter::start(last.since(first));
    loop {
        match verifier.advance(CHUNK) {
            Ok(true) => break,
            Ok(false) => meter.at(verifier.tick().since(first)),
            Err(error) => return Err(broken(path, error, first, &verifier)),
        }
    }
    let found = verifier.found();
    let (ticks, digests, gaps) = (found.ticks, found.digests, found.gaps);
    let rate = meter.end(ticks);
    let times = rate * tick_length.as_secs_f64();
    let name = path.display();
    if as_json {
        let report = json!({
            "file": name.to_string(),
            "same": found.mismatch.is_none(),
            "ticks": ticks,
            "digests": digests,
            "gaps": gaps,
            "finished": finished,
            "lost_bytes": lost_bytes,
            "mismatch": found.mismatch.as_ref().map(mismatch),
            "ticks_per_second": rate,
            "times_as_fast_as_played": times,
        });
        writeln!(out, "{report}")?;
        return Ok(found.mismatch.is_none());
    }
    if let Some(mismatch) = &found.mismatch {
        writeln!(out, "{name}: {mismatch}")?;
    } else {
        writeln!(out, "{name}: {ticks} ticks are correct, by {digests} digests")?;
        writeln!(out, "  {rate:.0} ticks a second, {times:.0} times the original speed")?;
    }
    if gaps > 0 {
        writeln!(out, "  {gaps} ranges were not recorded")?;
    }
    if !finished {
        writeln!(out, "  {}", unfinished(last, lost_bytes))?;
    }
    Ok(found.mismatch.is_none())
}

/// Reports damage and how far the recording is correct.
fn broken<S: Simulation + Snapshot, R: Source>(
    path: &Path,
    error: ReplayError,
    first: Tick,
    verifier: &Verifier<S, R>,
) -> CommandError {
    let (agreed, tick) = (verifier.agreed(), verifier.tick());
    let before = format!(
        "ticks {first} to {agreed} are right by their digests, nothing from tick {tick} on was checked"
    );
    CommandError::After { path: path.to_path_buf(), error, before }
}
