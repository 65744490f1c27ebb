//! Verifies the whole recording in chunks, so that the page can show progress. It has its own game
//! and file, so the playback does not wait for it.

use super::super::CommandError;
use super::super::open::{at, player};
use super::super::verify::mismatch;
use crate::drawable::DrawableGame;
use isostep_rollback::replay::{Stream, Verifier};
use serde_json::{Value, json};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Ticks of one chunk: some ten milliseconds of work.
const CHUNK: u32 = 300;

pub(super) struct SharedVerifier<G: DrawableGame>(Mutex<Progress<G>>);

struct Progress<G: DrawableGame> {
    verifier: Verifier<G, Stream<BufReader<File>>>,
    done: bool,
    /// Error that ended the verification.
    error: Option<String>,
}

impl<G: DrawableGame> SharedVerifier<G> {
    pub(super) fn open(path: &Path) -> Result<Self, CommandError> {
        let verifier = Verifier::new(player(path)?).map_err(at(path))?;
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
