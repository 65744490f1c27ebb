//! The playback shared by all connections, one query at a time. Every state is computed from the
//! keyframe before it, as `isostep replay seek` does, so a tick is the same on every path.

use super::FileSource;
use super::query::{FrameQuery, QueryError};
use crate::lines::{Switches, numbers};
use crate::scene::{Drawable, InputText, View, poses, things};
use isostep_core::state::Snapshot;
use isostep_rollback::replay::{Playback, ReplayError};
use isostep_rollback::{InputStatus, Inputs, Simulation, Stick, Tick};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Steps between two tests for a newer query. Larger than the default keyframe interval, so that
/// only recordings with few keyframes have seeks that can be superseded.
const STRIDE: u32 = 240;
/// Distance up to which stepping back through the history is likely to be cheaper than a keyframe,
/// ticks.
const NEAR: u32 = 64;

pub(super) struct SharedPlayback<S: Simulation + Snapshot, V> {
    playback: Mutex<Playback<S, FileSource>>,
    view: V,
    /// Drawables of the metadata. Frames with others have their own.
    known: Value,
    /// Number of the newest query.
    asked: AtomicU64,
}

/// Result of a query.
pub(super) enum Answer {
    /// A list of frames; the last may be an error instead.
    Frames(Value),
    /// A newer query arrived during the seek.
    Superseded,
}

/// Reasons for ending a seek early.
enum SeekError {
    Superseded,
    Replay(ReplayError),
}

impl From<ReplayError> for SeekError {
    fn from(error: ReplayError) -> Self {
        Self::Replay(error)
    }
}

impl<S: Simulation + Snapshot, V: View<S>> SharedPlayback<S, V> {
    pub(super) fn new(playback: Playback<S, FileSource>, view: V) -> Self {
        let known = things(&view.drawables(playback.game()));
        Self { playback: Mutex::new(playback), view, known, asked: AtomicU64::new(0) }
    }

    pub(super) fn show(&self, ask: &FrameQuery) -> Result<Answer, QueryError> {
        let mine = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        let superseded = || self.asked.load(Ordering::Relaxed) != mine;
        let playback = &mut *self.playback.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, last) = (playback.replay().first(), playback.replay().last());
        if let Some(&tick) = ask.ticks.iter().find(|&&tick| tick < first || tick > last) {
            let error = ReplayError::NoSuchTick { tick, first, last };
            return Err(QueryError::NotThere(error.to_string()));
        }
        let mut frames = Vec::with_capacity(ask.ticks.len());
        for &tick in &ask.ticks {
            let shown = go(playback, tick, &superseded);
            match shown.and_then(|()| Ok(self.frame(playback, &ask.lines)?)) {
                Ok(frame) => frames.push(frame),
                // Returns the frames computed so far.
                Err(SeekError::Superseded) if frames.is_empty() => return Ok(Answer::Superseded),
                Err(SeekError::Superseded) => break,
                // A gap or damage. Other ticks can still be shown.
                Err(SeekError::Replay(error)) => {
                    frames.push(json!({ "tick": tick.0, "error": error.to_string() }));
                    break;
                }
            }
        }
        Ok(Answer::Frames(frames.into()))
    }

    fn frame(
        &self,
        playback: &mut Playback<S, FileSource>,
        lines: &Switches,
    ) -> Result<Value, ReplayError> {
        let tick = playback.tick();
        let mut digest = playback.digest()?.to_string();
        digest.truncate(16);
        let recorded = playback.replay_mut().digest(tick)?;
        let recorded = recorded.map(|name| format!("{:016x}", u64::from_be_bytes(name)));
        let same = recorded.as_ref().is_none_or(|recorded| *recorded == digest);
        let drawables: Vec<Drawable> = self.view.drawables(playback.game());
        let mut frame = json!({
            "tick": tick.0,
            "digest": digest,
            "recorded": recorded,
            "same": same,
            "score": self.view.score(playback.game()),
            "bodies": poses(&drawables),
            "inputs": self.inputs(playback.inputs()),
        });
        let things = things(&drawables);
        if things != self.known {
            frame["things"] = things;
        }
        let lines = lines.lines(self.view.world(playback.game()));
        if !lines.is_empty() {
            frame["lines"] = numbers(&lines);
        }
        Ok(frame)
    }

    /// Inputs of the step that produced the tick.
    fn inputs(&self, inputs: &Inputs<S::Input>) -> Value {
        let seats = inputs.iter().map(|(player, input)| {
            let who = match input.status {
                InputStatus::Confirmed | InputStatus::Predicted => "human",
                InputStatus::Bot => "bot",
                InputStatus::Disconnected => "empty",
            };
            let InputText { stick, held, text } = self.view.input(input.value);
            json!({
                "who": who, "stick": stick.map(Stick::to_steps), "held": held, "text": text,
                "commands": inputs.commands(player).count(),
            })
        });
        seats.collect()
    }
}

/// Seeks to a tick: back through the held history, else from the keyframe before it.
fn go<S: Simulation + Snapshot>(
    playback: &mut Playback<S, FileSource>,
    tick: Tick,
    superseded: &dyn Fn() -> bool,
) -> Result<(), SeekError> {
    let now = playback.tick();
    if tick < now && now.since(tick) <= NEAR {
        while playback.tick() > tick && playback.step_back()? {}
        return Ok(());
    }
    let keyframe = playback.replay().keyframes().rfind(|&keyframe| keyframe <= tick);
    let keyframe = keyframe.unwrap_or_else(|| playback.replay().first());
    let mut from = if (keyframe..=tick).contains(&now) { now } else { keyframe };
    while tick.since(from) > STRIDE {
        if superseded() {
            return Err(SeekError::Superseded);
        }
        playback.seek(from)?;
        from += STRIDE;
    }
    Ok(playback.seek(tick)?)
}
