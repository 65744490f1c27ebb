//! Metadata for the page, sent once: length of the recording, timeline marks, and drawables.

use super::{FileSource, unfinished};
use crate::scene::{View, scene};
use isostep_core::state::Snapshot;
use isostep_rollback::replay::{Gap, Pause, Playback, SeatChange, SeatKind};
use isostep_rollback::{Simulation, Tick};
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn of<S: Simulation + Snapshot>(
    playback: &Playback<S, FileSource>,
    view: &impl View<S>,
    path: &Path,
) -> Value {
    let replay = playback.replay();
    let info = replay.info();
    let gap = |Gap { tick, next }| json!([tick.0, next.map(|next| next.0)]);
    let pause = |pause: &Pause| json!({ "tick": pause.tick.0, "milliseconds": pause.milliseconds });
    let change = |change: &SeatChange| {
        let who = match change.kind {
            SeatKind::Empty => "empty",
            SeatKind::Human => "human",
            SeatKind::Bot => "bot",
        };
        json!({ "tick": change.tick.0, "player": change.player.0, "who": who })
    };
    let cut = (!replay.is_finished()).then(|| unfinished(replay.last(), replay.lost_bytes()));
    let mut facts = scene(view, playback.game());
    let recording = json!({
        "file": path.display().to_string(),
        "first": replay.first().0,
        "last": replay.last().0,
        "at": playback.tick().0,
        "tick_seconds": info.tick_length.as_secs_f64(),
        "assets": info.assets.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "seats": info.seats,
        "command": view.has_command(),
        "keyframes": replay.keyframes().map(|tick| tick.0).collect::<Vec<_>>(),
        "digests": runs(replay.digest_ticks()),
        "gaps": replay.gaps().map(gap).collect::<Vec<_>>(),
        "pauses": replay.pauses().iter().map(pause).collect::<Vec<_>>(),
        "seat_changes": replay.seat_changes().iter().map(change).collect::<Vec<_>>(),
        "unfinished": cut,
    });
    if let (Some(facts), Value::Object(recording)) = (facts.as_object_mut(), recording) {
        facts.extend(recording);
    }
    facts
}

/// Encodes ascending ticks as runs of first, step and count: an hour has 13,500 digests, which form
/// one run.
fn runs(ticks: impl Iterator<Item = Tick>) -> Vec<[u32; 3]> {
    let mut runs: Vec<[u32; 3]> = Vec::new();
    for Tick(tick) in ticks {
        match runs.last_mut() {
            Some([first, step, count @ 1]) => (*step, *count) = (tick - *first, 2),
            Some([first, step, count]) if tick - *first == *step * *count => *count += 1,
            _ => runs.push([tick, 0, 1]),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_encode_the_ticks() {
        let ticks = [0, 16, 32, 48, 50, 51, 90, 130, 170, 171];
        let runs = runs(ticks.map(Tick).into_iter());
        assert_eq!(runs, [[0, 16, 4], [50, 1, 2], [90, 40, 3], [171, 0, 1]]);
        let decoded =
            runs.iter().flat_map(|[first, step, count]| (0..*count).map(move |i| first + i * step));
        assert_eq!(decoded.collect::<Vec<_>>(), ticks);
        assert!(super::runs(std::iter::empty()).is_empty());
    }
}
