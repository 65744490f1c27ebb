//! Opening a recording of an arena.

use super::CommandError;
use isostep_determinism_tests::games::{ARENA_GAME, Arena, ArenaName};
use isostep_rollback::Tick;
use isostep_rollback::replay::{Playback, Player, Replay, ReplayError, Stream};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

pub(super) type Recording = Replay<Stream<BufReader<File>>>;
pub(super) type ArenaPlayer = Player<Arena, Stream<BufReader<File>>>;
pub(super) type ArenaPlayback = Playback<Arena, Stream<BufReader<File>>>;

/// Says which file an error is about.
pub(super) fn at(path: &Path) -> impl Fn(ReplayError) -> CommandError + '_ {
    |error| CommandError::Replay { path: path.to_path_buf(), error }
}

pub(super) fn open(path: &Path) -> Result<Recording, CommandError> {
    let file = File::open(path);
    let file = file.map_err(|error| CommandError::Open { path: path.to_path_buf(), error })?;
    Replay::open(Stream(BufReader::new(file))).map_err(at(path))
}

/// The arena that a recording is of, as it was before the kick-off.
pub(super) fn arena_of(replay: &Recording, path: &Path) -> Result<Arena, CommandError> {
    if replay.info().game != ARENA_GAME {
        return Err(at(path)(ReplayError::OtherGame));
    }
    let name = ArenaName::read(&replay.info().assets);
    Ok(name.ok_or_else(|| CommandError::NoArena(path.to_path_buf()))?.arena())
}

/// What is said of a recording that was cut off.
pub(super) fn unfinished(last: Tick, lost_bytes: u64) -> String {
    match lost_bytes {
        0 => format!("not finished: it ends after tick {last}"),
        bytes => format!("not finished: {bytes} bytes behind tick {last} can't be read"),
    }
}

/// A player at the first tick.
pub(super) fn player(path: &Path) -> Result<ArenaPlayer, CommandError> {
    let replay = open(path)?;
    let arena = arena_of(&replay, path)?;
    Player::new(replay, ARENA_GAME, arena).map_err(at(path))
}

/// A playback at the first tick.
pub(super) fn playback(path: &Path) -> Result<ArenaPlayback, CommandError> {
    let replay = open(path)?;
    let arenas = (arena_of(&replay, path)?, arena_of(&replay, path)?);
    Playback::new(replay, ARENA_GAME, arenas).map_err(at(path))
}
