//! Opens recordings of known games.

use super::CommandError;
use crate::drawable::DrawableGame;
use isostep_rollback::replay::{Playback, Player, Replay, ReplayError, Stream};
use isostep_scenes::games::Arena;
use isostep_scenes::games::tumble::rules::Tumble;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

pub(super) type Recording = Replay<Stream<BufReader<File>>>;
pub(super) type PlayerOf<G> = Player<G, Stream<BufReader<File>>>;
pub(super) type PlaybackOf<G> = Playback<G, Stream<BufReader<File>>>;

/// Games that the command knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KnownGame {
    Arena,
    Tumble,
}

impl KnownGame {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Arena => "the arena",
            Self::Tumble => "Tumble",
        }
    }
}

/// Returns the game of a recording.
pub(super) fn known(path: &Path) -> Result<KnownGame, CommandError> {
    match open(path)?.info().game {
        Arena::GAME => Ok(KnownGame::Arena),
        Tumble::GAME => Ok(KnownGame::Tumble),
        _ => Err(at(path)(ReplayError::OtherGame)),
    }
}

/// Adds the file's path to an error.
pub(super) fn at(path: &Path) -> impl Fn(ReplayError) -> CommandError + '_ {
    |error| CommandError::Replay { path: path.to_path_buf(), error }
}

pub(super) fn open(path: &Path) -> Result<Recording, CommandError> {
    if path.is_dir() {
        return Err(CommandError::Folder(path.to_path_buf()));
    }
    let file = File::open(path);
    let file = file.map_err(|error| CommandError::Open { path: path.to_path_buf(), error })?;
    Replay::open(Stream(BufReader::new(file))).map_err(at(path))
}

/// Builds a recording's game before its first tick.
pub(super) fn game_of<G: DrawableGame>(replay: &Recording, path: &Path) -> Result<G, CommandError> {
    if replay.info().game != G::GAME {
        return Err(at(path)(ReplayError::OtherGame));
    }
    G::read(&replay.info().assets).ok_or_else(|| CommandError::NoSettings(path.to_path_buf()))
}

/// Opens a player at the first tick.
pub(super) fn player<G: DrawableGame>(path: &Path) -> Result<PlayerOf<G>, CommandError> {
    let replay = open(path)?;
    let game = game_of(&replay, path)?;
    Player::new(replay, G::GAME, game).map_err(at(path))
}

/// Opens a playback at the first tick.
pub(super) fn playback<G: DrawableGame>(path: &Path) -> Result<PlaybackOf<G>, CommandError> {
    let replay = open(path)?;
    let games = (game_of(&replay, path)?, game_of(&replay, path)?);
    Playback::new(replay, G::GAME, games).map_err(at(path))
}
