//! `isostep replay play --web`: a recording in a browser. The page is that of `isostep-viewer`.

use super::CommandError;
use super::open::{KnownGame, at, game_of, known, open};
use crate::drawable::{DrawableGame, Known};
use crate::web;
use isostep_rollback::Tick;
use isostep_scenes::games::Arena;
use isostep_scenes::games::tumble::rules::Tumble;
use isostep_viewer::internals::OpenRecording;
use std::io::Write;
use std::path::Path;

/// Next to the lab's port, so that both can be open.
pub(super) const PORT: u16 = 7879;

/// Serves until the process ends.
pub(super) fn run(
    path: &Path,
    from: Option<Tick>,
    port: u16,
    out: &mut impl Write,
) -> Result<bool, CommandError> {
    match known(path)? {
        KnownGame::Arena => show::<Arena>(path, from, port, out),
        KnownGame::Tumble => show::<Tumble>(path, from, port, out),
    }
}

fn show<G>(
    path: &Path,
    from: Option<Tick>,
    port: u16,
    out: &mut impl Write,
) -> Result<bool, CommandError>
where
    G: DrawableGame<Input: Send, Slots: Send> + Send + 'static,
{
    let replay = open(path)?;
    // Reports unknown settings.
    game_of::<G>(&replay, path)?;
    let make = || G::read(&replay.info().assets).expect("the settings were read before");
    let mut recording = OpenRecording::new(path, G::GAME, make, Known)?;
    let fragment = match from {
        Some(tick) => {
            recording.seek(tick).map_err(at(path))?;
            format!("#tick={tick}")
        }
        None => String::new(),
    };
    let listener = web::open(port)?;
    match recording.serve(&listener, &fragment, out)? {}
}
