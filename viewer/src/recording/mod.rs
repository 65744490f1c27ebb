//! The page of a recording.
//!
//! ```text
//! browser ──GET /recording──▶ metadata: length, marks and drawables, once
//!         ──GET /frames?ticks=450,451,452──▶ query, then shared_playback: seeks to each tick and returns its frame,
//!                                             with debug lines if asked: &lines=contacts,bounds
//!         ──POST /verify──▶ verifier: verifies another chunk of the recording
//! ```
//!
//! - `routes`: the requests of the page. `query`: ticks that it requests, checked.
//! - `shared_playback`: the playback of all connections; a newer query supersedes a long seek.
//! - `verifier`: verifies the recording independently of the playback.
//! - `metadata`: timeline marks and drawables.
//! - `page/`: the embedded page; `crate::web` has the files that all pages share. It has one query in flight, for the
//!   newest tick that it needs, so no queue builds up here.

mod metadata;
mod query;
mod routes;
mod shared_playback;
mod verifier;

use crate::ServeError;
use crate::scene::View;
use crate::web;
use isostep_core::state::Snapshot;
use isostep_rollback::replay::{Playback, Player, Replay, ReplayError, Stream};
use isostep_rollback::{GameId, Simulation, Tick};
use routes::Routes;
use shared_playback::SharedPlayback;
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use verifier::SharedVerifier;
pub use verifier::mismatch;

pub(crate) type FileSource = Stream<BufReader<File>>;

/// An open recording, and the way to show it.
pub struct OpenRecording<S: Simulation + Snapshot, V> {
    path: PathBuf,
    playback: Playback<S, FileSource>,
    verifier: SharedVerifier<S>,
    view: V,
}

/// Notice about a truncated recording.
pub fn unfinished(last: Tick, lost_bytes: u64) -> String {
    match lost_bytes {
        0 => format!("not finished: it ends after tick {last}"),
        bytes => format!("not finished: {bytes} bytes after tick {last} can't be read"),
    }
}

fn at(path: &Path) -> impl Fn(ReplayError) -> ServeError + '_ {
    |error| ServeError::Replay { path: path.to_owned(), error }
}

impl<S, V> OpenRecording<S, V>
where
    S: Simulation<Input: Send, Slots: Send> + Snapshot + Send + 'static,
    V: View<S>,
{
    /// Opens a recording at its first tick. `make` creates the game.
    ///
    /// # Errors
    /// The file can't be read, or is of another game.
    pub fn new(
        path: &Path,
        game: GameId,
        make: impl Fn() -> S,
        view: V,
    ) -> Result<Self, ServeError> {
        let open = || {
            let file = File::open(path);
            let file = file.map_err(|error| ServeError::Open { path: path.to_owned(), error })?;
            Replay::open(Stream(BufReader::new(file))).map_err(at(path))
        };
        let playback = Playback::new(open()?, game, (make(), make())).map_err(at(path))?;
        let player = Player::new(open()?, game, make()).map_err(at(path))?;
        let verifier = SharedVerifier::new(player).map_err(at(path))?;
        Ok(Self { path: path.to_owned(), playback, verifier, view })
    }

    /// Shows this tick first.
    ///
    /// # Errors
    /// The tick is not recorded.
    pub fn seek(&mut self, tick: Tick) -> Result<(), ReplayError> {
        self.playback.seek(tick)
    }

    /// Prints the address, followed by `fragment`, and serves the page.
    ///
    /// # Errors
    /// The listener is closed.
    pub fn serve(
        self,
        listener: &TcpListener,
        fragment: &str,
        out: &mut impl Write,
    ) -> io::Result<Infallible> {
        let Self { path, playback, verifier, view } = self;
        let replay = playback.replay();
        let cut = (!replay.is_finished()).then(|| unfinished(replay.last(), replay.lost_bytes()));
        let facts = metadata::of(&playback, &view, &path).to_string();
        let address = listener.local_addr()?;
        // The parent may read the address from a pipe and close it.
        let _ = writeln!(out, "The viewer is open: http://{address}/{fragment}");
        if let Some(cut) = cut {
            let _ = writeln!(out, "  {}: {cut}", path.display());
        }
        let _ = writeln!(out, "Press Ctrl+C to close it.");
        let _ = out.flush();
        let routes = Routes { facts, playback: SharedPlayback::new(playback, view), verifier };
        web::serve(listener, move |stream, request| routes.answer(stream, request))
    }
}

#[cfg(test)]
mod tests;
