//! Recordings of a game in a browser: the bodies of its world at any tick, inputs, digests, and a timeline to drag.
//!
//! [`serve`] is all that a game needs. The page is served on this computer only; nothing is downloaded.
//!
//! - `scene`: things to draw, and how a game is shown. `world_view`: that of any game with a world.
//! - `lines`: debug lines of its world.
//! - `recording/`: the page of a recording and its routes. `web/`: requests and connections.
#![forbid(unsafe_code)]

mod lines;
mod recording;
mod scene;
#[allow(
    missing_docs,
    clippy::missing_errors_doc,
    reason = "names say it, and the items are not part of the interface"
)]
mod web;
mod world_view;

#[doc(hidden)]
pub mod internals {
    //! Parts for the other crates of this repository.
    //!
    //! Not covered by semver: anything here may change in any release.
    pub use crate::lines::{NoSuchSwitch, Switches};
    pub use crate::recording::{OpenRecording, mismatch, unfinished};
    pub use crate::scene::{Drawable, InputText, Kind, View, scene};

    pub mod web {
        //! Web server of the pages.
        pub use crate::web::{
            CSS, File, HTML, Method, Permit, PortError, Refusal, Request, SCRIPT, SHARED, TEXT,
            head, open, refuse, respond, send_file, send_refusal, serve,
        };
    }
}

use isostep_core::state::Snapshot;
use isostep_core::world::World;
use isostep_rollback::replay::ReplayError;
use isostep_rollback::{GameId, Simulation};
use recording::OpenRecording;
use std::io;
use std::path::{Path, PathBuf};
use world_view::WorldView;

/// Port of the page, if it is free.
const PORT: u16 = 7879;

/// Reasons why a recording is not shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The file can't be opened.
    #[error("{}: {error}; check the path and its permissions", path.display())]
    Open {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// The recording is damaged, of another game, or of other settings.
    #[error("{}: {error}", path.display())]
    Replay {
        /// Path of the file.
        path: PathBuf,
        /// The error.
        error: ReplayError,
    },
    /// No port can be opened.
    #[error("no port for the page can be opened ({0}); check the settings of the network")]
    Port(io::Error),
}

/// Serves a recording to a browser on this computer, and prints the address. Returns only if that is not possible.
///
/// `game` is the id that was recorded, `make` creates the game before its first tick with the settings of the match, and
/// `world` returns its world. Bodies have the shapes of the world; inputs are shown by their `Debug` text.
///
/// ```no_run
/// # use isostep_rollback::{GameId, Inputs, NewestWins, Simulation, Tick};
/// # use isostep_core::world::{World, WorldDef};
/// use isostep_viewer::serve;
///
/// # fn run<Game>(make: impl Fn() -> Game + Send + Sync + 'static, world: fn(&Game) -> &World)
/// # where Game: Simulation<Input: Send, Slots: Send> + isostep_core::state::Snapshot + Send + 'static {
/// // serve("match.isoreplay", GameId::named("marbles-1"), Game::new, |game| &game.world)
/// let error = serve("match.isoreplay", GameId::named("marbles-1"), make, world);
/// eprintln!("{error}");
/// # }
/// ```
pub fn serve<S>(
    path: impl AsRef<Path>,
    game: GameId,
    make: impl Fn() -> S + Send + Sync + 'static,
    world: fn(&S) -> &World,
) -> ServeError
where
    S: Simulation<Input: Send, Slots: Send> + Snapshot + Send + 'static,
{
    let path = path.as_ref();
    let recording = match OpenRecording::new(path, game, make, WorldView(world)) {
        Ok(recording) => recording,
        Err(error) => return error,
    };
    let listener = web::open(PORT).or_else(|_| web::open(0));
    let listener = match listener {
        Ok(listener) => listener,
        Err(error) => return ServeError::Port(io::Error::other(error)),
    };
    match recording.serve(&listener, "", &mut io::stdout()) {
        Ok(never) => match never {},
        Err(error) => ServeError::Port(error),
    }
}
