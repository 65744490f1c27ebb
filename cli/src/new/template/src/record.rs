//! Recordings of matches. The format and the calls: the guide's page on replays.

use game::{Game, NAME};
use isostep::rollback::replay::{Recorder, RecorderConfig};
use isostep::{GameId, Session};
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// A recording in a file, or none. A real game gives the blocks to a thread, so that no tick waits for
/// the disk.
pub struct Recording(Option<(Recorder<Game>, File)>);

impl Recording {
    /// Starts a recording, before the first tick.
    pub fn start(
        path: Option<&Path>,
        session: &Session<Game>,
        game: &Game,
    ) -> Result<Self, Box<dyn Error>> {
        let Some(path) = path else { return Ok(Self(None)) };
        let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let config = RecorderConfig::new(GameId::named(NAME));
        Ok(Self(Some((Recorder::start(config, session, game)?, file))))
    }

    /// Writes what has become final. Call it after each tick.
    pub fn record(&mut self, session: &Session<Game>, game: &Game) -> std::io::Result<()> {
        let Some((recorder, file)) = &mut self.0 else { return Ok(()) };
        recorder.record(session, game);
        std::iter::from_fn(|| recorder.poll_bytes()).try_for_each(|bytes| file.write_all(&bytes))
    }

    /// Writes the end.
    pub fn finish(mut self, session: &Session<Game>, game: &Game) -> std::io::Result<()> {
        let Some((recorder, file)) = &mut self.0 else { return Ok(()) };
        recorder.finish(session, game);
        std::iter::from_fn(|| recorder.poll_bytes()).try_for_each(|bytes| file.write_all(&bytes))
    }
}

/// Shows a recording in a browser, with a timeline to drag. Serves until the program ends.
#[cfg(feature = "viewer")]
pub fn show(path: &Path) -> Result<ExitCode, Box<dyn Error>> {
    use isostep::rollback::replay::{Replay, Stream};
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let players = usize::from(Replay::open(Stream(file))?.info().seats);
    let new = move || Game::new(players);
    Err(isostep_viewer::serve(path, GameId::named(NAME), new, |game| &game.world).into())
}

#[cfg(not(feature = "viewer"))]
pub fn show(_: &Path) -> Result<ExitCode, Box<dyn Error>> {
    Err("this build has no viewer: cargo run --features viewer -- replay FILE".into())
}
