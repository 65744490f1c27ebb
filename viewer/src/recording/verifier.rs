//! Verifies the whole recording in chunks, so that the page can show progress. It has its own game
//! and file, so the playback does not wait for it.

use super::FileSource;
use isostep_core::state::{Snapshot, StateDifference};
use isostep_rollback::Simulation;
use isostep_rollback::replay::{Mismatch, Player, ReplayError, Verifier};
use serde_json::{Value, json};
use std::sync::{Mutex, PoisonError};

/// Ticks of one chunk: some ten milliseconds of work.
const CHUNK: u32 = 300;

pub(super) struct SharedVerifier<S: Simulation + Snapshot>(Mutex<Progress<S>>);

struct Progress<S: Simulation + Snapshot> {
    verifier: Verifier<S, FileSource>,
    done: bool,
    /// Error that ended the verification.
    error: Option<String>,
}

impl<S: Simulation + Snapshot> SharedVerifier<S> {
    pub(super) fn new(player: Player<S, FileSource>) -> Result<Self, ReplayError> {
        let verifier = Verifier::new(player)?;
        Ok(Self(Mutex::new(Progress { verifier, done: false, error: None })))
    }

    /// Verifies another chunk and returns the results so far.
    pub(super) fn advance(&self) -> Value {
        let progress = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !progress.done {
            match progress.verifier.advance(CHUNK) {
                Ok(done) => progress.done = done,
                Err(error) => (progress.done, progress.error) = (true, Some(error.to_string())),
            }
        }
        let Progress { verifier, done, error } = progress;
        let found = verifier.found();
        json!({
            "done": done,
            "tick": verifier.tick().0,
            "agreed": verifier.agreed().0,
            "ticks": found.ticks,
            "digests": found.digests,
            "gaps": found.gaps,
            "mismatch": found.mismatch.as_ref().map(mismatch),
            "error": error,
        })
    }
}

/// A mismatch as JSON.
pub fn mismatch(mismatch: &Mismatch) -> Value {
    let Mismatch { agreed, tick, explained, fields } = mismatch;
    let field = |difference: &StateDifference| {
        let StateDifference { entity, field, local, remote } = difference;
        json!({ "entity": entity, "field": field, "recorded": local, "computed": remote })
    };
    let fields: Vec<_> = fields.iter().map(field).collect();
    let explained = explained.map(|tick| tick.0);
    json!({ "agreed": agreed.0, "tick": tick.0, "explained": explained, "fields": fields })
}
