//! `isostep replay info`: lists the content of a recording.

use super::CommandError;
use super::open::open;
use super::view::seconds;
use isostep_viewer::internals::unfinished;
use serde_json::json;
use std::io::Write;
use std::path::Path;

pub(super) fn run(path: &Path, as_json: bool, out: &mut impl Write) -> Result<bool, CommandError> {
    let replay = open(path)?;
    let info = replay.info();
    let (first, last) = (replay.first(), replay.last());
    let seconds = seconds(info.tick_length, last.since(first));
    let missing = last.since(first).saturating_sub(replay.ticks());
    let assets = || info.assets.iter().map(|(name, _)| name);
    if as_json {
        let report = json!({
            "file": path.display().to_string(),
            "first_tick": first.0,
            "last_tick": last.0,
            "seconds": seconds,
            "assets": assets().collect::<Vec<_>>(),
            "seats": info.seats,
            "seat_changes": replay.seat_changes().len(),
            "pauses": replay.pauses().len(),
            "keyframes": replay.keyframes().map(|tick| tick.0).collect::<Vec<_>>(),
            "digest_every": info.digest_every,
            "missing_ticks": missing,
            "finished": replay.is_finished(),
            "lost_bytes": replay.lost_bytes(),
        });
        writeln!(out, "{report}")?;
        return Ok(true);
    }
    writeln!(out, "{}: ticks {first} to {last}, {seconds:.1} s", path.display())?;
    assets().try_for_each(|name| writeln!(out, "  played with: {name}"))?;
    writeln!(out, "  seats: {}, {} changes", info.seats, replay.seat_changes().len())?;
    writeln!(out, "  keyframes: {}", replay.keyframes().count())?;
    writeln!(out, "  a digest every {} ticks", info.digest_every)?;
    if missing > 0 {
        writeln!(out, "  {missing} ticks are missing")?;
    }
    if !replay.is_finished() {
        writeln!(out, "  {}", unfinished(last, replay.lost_bytes()))?;
    }
    writeln!(out, "  its blocks were not checked: use `isostep replay verify`")?;
    Ok(true)
}
