//! `isostep replay seek`: shows a recording at one tick.

use super::CommandError;
use super::open::{KnownGame, at, known, player};
use super::view::View;
use crate::drawable::{DrawableGame, score_text};
use crate::progress::Meter;
use isostep_rollback::Tick;
use isostep_rollback::replay::ReplayError;
use isostep_scenes::games::Arena;
use isostep_scenes::games::tumble::rules::Tumble;
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// Ticks between two progress updates.
const CHUNK: u32 = 60;
/// Limit on table rows; further bodies are counted.
const ROWS: usize = 16;

/// Prints the tick. Returns true if its digest matches the recorded one, or none is recorded.
pub(super) fn run(
    path: &Path,
    tick: Tick,
    as_json: bool,
    out: &mut impl Write,
) -> Result<bool, CommandError> {
    match known(path)? {
        KnownGame::Arena => show::<Arena>(path, tick, as_json, out),
        KnownGame::Tumble => show::<Tumble>(path, tick, as_json, out),
    }
}

fn show<G: DrawableGame>(
    path: &Path,
    tick: Tick,
    as_json: bool,
    out: &mut impl Write,
) -> Result<bool, CommandError> {
    let mut player = player::<G>(path)?;
    let (first, last) = (player.replay().first(), player.replay().last());
    if tick < first || tick > last {
        return Err(at(path)(ReplayError::NoSuchTick { tick, first, last }));
    }
    // Restores the keyframe before the tick and resimulates from it: slow for recordings without
    // keyframes.
    let keyframe = player.replay().keyframes().rfind(|&keyframe| keyframe <= tick);
    let from = keyframe.unwrap_or(first);
    player.seek(from).map_err(at(path))?;
    let mut meter = Meter::start(tick.since(from));
    while player.tick() != tick {
        let next = player.tick().0.saturating_add(CHUNK).min(tick.0);
        player.seek(Tick(next)).map_err(at(path))?;
        meter.at(player.tick().since(from));
    }
    meter.end(tick.since(from));
    let look = View::at(&mut player).map_err(at(path))?;
    let (mut replay, _) = player.into_parts();
    let recorded = replay.digest(tick).map_err(at(path))?;
    let recorded = recorded.map(|name| format!("{:016x}", u64::from_be_bytes(name)));
    let same = recorded.as_ref().is_none_or(|recorded| *recorded == look.digest);
    if as_json {
        let mut report = look.json();
        report["file"] = json!(path.display().to_string());
        report["recorded_digest"] = json!(recorded);
        report["same"] = json!(same);
        writeln!(out, "{report}")?;
        return Ok(same);
    }
    let View { seconds, digest, score, bodies, .. } = &look;
    let score = score_text(score);
    writeln!(out, "{}: tick {tick}, {seconds:.2} s, {score}", path.display())?;
    let beside = match &recorded {
        None => "none is recorded for this tick".to_owned(),
        Some(_) if same => "as recorded".to_owned(),
        Some(recorded) => format!("but {recorded} is recorded: use `isostep replay verify`"),
    };
    writeln!(out, "  digest {digest}, {beside}")?;
    let rows = View::table(bodies.iter().take(ROWS));
    rows.iter().try_for_each(|row| writeln!(out, "{row}"))?;
    if let Some(more) = bodies.len().checked_sub(ROWS + 1) {
        writeln!(out, "  and {} more; --json has all", more + 1)?;
    }
    Ok(same)
}
