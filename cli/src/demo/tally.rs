//! Counters of each machine over a match, and its result.

use super::{TICKS_A_SECOND, explains};
use crate::play::{Frame, Note, PeerFrame, Verdict};
use crate::settings::Settings;
use isostep_core::digest::Digest;
use isostep_rollback::Tick;
use serde_json::{Value, json};
use std::time::Duration;

/// Limit on notes kept and shown. A machine that stays wrong reports it four times a second.
const MAX_NOTES: usize = 24;

/// Counters of one machine.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) tick: u32,
    pub(super) confirmed: u32,
    pub(super) rollbacks: u32,
    pub(super) deepest: u32,
    depths: u64,
    /// Resimulated ticks, and the bodies in them.
    pub(super) again: u64,
    pub(super) redone: u64,
    pub(super) stalls: u64,
    pub(super) bytes: u64,
    pub(super) delay: u32,
    pub(super) millihertz: u32,
    /// Simulation time of each frame, microseconds.
    micros: Vec<u32>,
    pub(super) digest: String,
}

impl Row {
    fn add(&mut self, frame: &PeerFrame) {
        self.tick = frame.present;
        self.confirmed = frame.confirmed;
        self.rollbacks += u32::from(frame.depth > 0);
        self.deepest = self.deepest.max(frame.depth);
        self.depths += u64::from(frame.depth);
        self.again += frame.again;
        self.redone += u64::from(frame.redone);
        self.stalls += frame.stalls;
        self.bytes += frame.sent_bytes;
        self.delay = frame.delay;
        self.millihertz = frame.millihertz;
        self.micros.push(frame.micros);
        self.digest = frame.digest.map(|byte| format!("{byte:02x}")).concat();
    }

    /// Ticks played a second of true time.
    pub(super) fn speed(&self) -> f64 {
        f64::from(self.tick * TICKS_A_SECOND) / self.frames().max(1) as f64
    }

    pub(super) const fn frames(&self) -> u64 {
        self.micros.len() as u64
    }

    pub(super) fn mean_depth(&self) -> f64 {
        self.depths as f64 / f64::from(self.rollbacks.max(1))
    }

    /// Percentile of the time of a frame, milliseconds.
    pub(super) fn millis(&self, percent: usize) -> f64 {
        percentile(&self.micros, percent)
    }
}

fn percentile(micros: &[u32], percent: usize) -> f64 {
    let mut sorted = micros.to_vec();
    sorted.sort();
    let at = (sorted.len().saturating_sub(1)) * percent / 100;
    f64::from(sorted.get(at).copied().unwrap_or(0)) / 1000.0
}

/// Counters of all machines.
pub(super) struct Tally {
    pub(super) command: String,
    pub(super) rows: Vec<Row>,
    pub(super) frames: u32,
    pub(super) compared: u32,
    pub(super) verdict: Verdict,
    pub(super) score: Vec<i32>,
    pub(super) notes: Vec<Note>,
    pub(super) notes_left_out: u32,
    explained: bool,
    micros: Vec<u32>,
}

impl Tally {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            command: settings.command(),
            rows: (0..settings.players).map(|_| Row::default()).collect(),
            frames: 0,
            compared: 0,
            verdict: Verdict::Unknown,
            score: vec![0; settings.players.into()],
            notes: Vec::new(),
            notes_left_out: 0,
            explained: false,
            micros: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, frame: &Frame, took: Duration) {
        self.frames = frame.number;
        (self.compared, self.verdict) = (frame.compared, frame.verdict);
        self.score = frame.peers.first().map_or_else(Vec::new, |peer| peer.score.clone());
        self.rows.iter_mut().zip(&frame.peers).for_each(|(row, peer)| row.add(peer));
        self.micros.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
    }

    /// Stores a note. Returns true if it should be printed.
    pub(super) fn note(&mut self, note: &Note) -> bool {
        self.explained |= explains(note);
        // Both machines of each pair report the same desync; keep the first report.
        let same = |other: &Note| match (note, other) {
            (Note::Desync(a), Note::Desync(b)) => a.entity == b.entity && a.field == b.field,
            (Note::Differ { tick: a, .. }, Note::Differ { tick: b, .. })
            | (Note::Agreed { tick: a, .. }, Note::Agreed { tick: b, .. }) => a == b,
            (a, b) => a == b,
        };
        if self.notes.iter().any(same) {
            return false;
        }
        if self.notes.len() >= MAX_NOTES {
            self.notes_left_out += 1;
            return false;
        }
        self.notes.push(note.clone());
        true
    }

    /// Percentile of the time of a frame, summed over machines, milliseconds.
    pub(super) fn millis(&self, percent: usize) -> f64 {
        percentile(&self.micros, percent)
    }
}

/// Result of a match.
pub(super) struct Ending {
    pub(super) tally: Tally,
    /// Newest common tick and its digest, if the machines agree.
    pub(super) agreed: Option<(Tick, Digest)>,
    pub(super) recording: Vec<u8>,
}

impl Ending {
    /// Returns true unless a desync is unexplained.
    pub(super) const fn is_fine(&self) -> bool {
        self.agreed.is_some() || self.tally.explained
    }

    pub(super) fn json(&self) -> Value {
        let Tally { command, rows, frames, score, notes, explained, .. } = &self.tally;
        let machines: Vec<_> = rows
            .iter()
            .zip(1..)
            .map(|(row, machine)| {
                json!({
                    "machine": machine,
                    "ticks": row.tick,
                    "confirmed": row.confirmed,
                    "rollbacks": row.rollbacks,
                    "mean_depth": row.mean_depth(),
                    "deepest": row.deepest,
                    "resimulated_ticks": row.again,
                    "bodies_again": row.redone,
                    "stalls": row.stalls,
                    "delay": row.delay,
                    "ticks_per_second": row.speed(),
                    "clock_hz": f64::from(row.millihertz) / 1000.0,
                    "sent_bytes": row.bytes,
                    "frame_ms": { "p50": row.millis(50), "p99": row.millis(99) },
                })
            })
            .collect();
        let agreed = self
            .agreed
            .map(|(tick, digest)| json!({ "tick": tick.0, "digest": digest.to_string() }));
        json!({
            "command": command,
            "frames": frames,
            "machines": machines,
            "score": score,
            "all_machines_frame_ms": { "p50": self.tally.millis(50), "p99": self.tally.millis(99) },
            "agreed": agreed,
            "explained": explained,
            "notes": notes.iter().map(Note::json).collect::<Vec<_>>(),
        })
    }
}
