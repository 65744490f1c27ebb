//! `isostep replay compare`: finds the first difference between two recordings of one match.

use super::CommandError;
use super::open::{KnownGame, at, game_of, known, open};
use crate::drawable::DrawableGame;
use isostep_core::state::StateDifference;
use isostep_rollback::replay::{CompareError, Comparison, Divergence, ReplayError, compare};
use isostep_scenes::games::Arena;
use isostep_scenes::games::tumble::rules::Tumble;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

pub(super) fn run(
    paths: [&Path; 2],
    as_json: bool,
    out: &mut impl Write,
) -> Result<bool, CommandError> {
    let games = [known(paths[0])?, known(paths[1])?];
    if games[0] != games[1] {
        return of_two_games(paths, games, as_json, out);
    }
    match games[0] {
        KnownGame::Arena => run_as::<Arena>(paths, as_json, out),
        KnownGame::Tumble => run_as::<Tumble>(paths, as_json, out),
    }
}

/// Reports that nothing can be compared.
fn of_two_games(
    [left, right]: [&Path; 2],
    games: [KnownGame; 2],
    as_json: bool,
    out: &mut impl Write,
) -> Result<bool, CommandError> {
    let divergence = Divergence::Settings { what: "the game" };
    if as_json {
        let paths = [left, right].map(|path| path.display().to_string());
        let report = json!({
            "left": paths[0], "right": paths[1], "same": false, "to": 0, "ticks": 0, "digests": 0,
            "divergence": describe(&divergence),
        });
        writeln!(out, "{report}")?;
    } else {
        let [a, b] = games.map(KnownGame::name);
        writeln!(out, "left: {} ({a}), right: {} ({b})", left.display(), right.display())?;
        writeln!(out, "{divergence}")?;
    }
    Ok(false)
}

fn run_as<G: DrawableGame>(
    [left, right]: [&Path; 2],
    as_json: bool,
    out: &mut impl Write,
) -> Result<bool, CommandError> {
    let (a, b) = (open(left)?, open(right)?);
    let games = (game_of::<G>(&a, left)?, game_of::<G>(&b, right)?);
    let (to, end_together) = (a.last().min(b.last()), a.last() == b.last());
    let found = compare(a, b, G::GAME, games).map_err(|error| match error {
        CompareError::Left { error, ticks } => broken(left, error, ticks),
        CompareError::Right { error, ticks } => broken(right, error, ticks),
    })?;
    let Comparison { ticks, digests, divergence } = found;
    match &divergence {
        _ if as_json => {
            let divergence = divergence.as_ref().map(describe);
            let [left, right] = [left, right].map(|path| path.display().to_string());
            let same = divergence.is_none();
            let report = json!({
                "left": left,
                "right": right,
                "same": same,
                "to": to.0,
                "ticks": ticks,
                "digests": digests,
                "divergence": divergence,
            });
            writeln!(out, "{report}")?;
        }
        None => {
            let end = if end_together { "both end" } else { "the shorter one ends" };
            writeln!(out, "equal up to tick {to}, where {end}")?;
            writeln!(out, "  {ticks} ticks, and the digests of {digests} of them, were compared")?;
        }
        Some(divergence) => {
            writeln!(out, "left: {}, right: {}", left.display(), right.display())?;
            writeln!(out, "{divergence}")?;
        }
    }
    Ok(divergence.is_none())
}

fn broken(path: &Path, error: ReplayError, ticks: u32) -> CommandError {
    if ticks == 0 {
        return at(path)(error);
    }
    let before = format!("{ticks} ticks before it are equal");
    CommandError::After { path: path.to_path_buf(), error, before }
}

fn describe(divergence: &Divergence) -> Value {
    let text = divergence.to_string();
    match divergence {
        Divergence::Settings { what } => json!({ "kind": "settings", "what": what, "text": text }),
        Divergence::NothingInCommon { left, right } => json!({
            "kind": "nothing in common",
            "left": [left.0.0, left.1.0],
            "right": [right.0.0, right.1.0],
            "text": text,
        }),
        Divergence::Seat { tick, player, left, right } => json!({
            "kind": "seat",
            "tick": tick.0,
            "player": player.0,
            "left": format!("{left:?}"),
            "right": format!("{right:?}"),
            "text": text,
        }),
        Divergence::Input { tick, player, left, right } => json!({
            "kind": "input", "tick": tick.0, "player": player.0, "left": left, "right": right, "text": text,
        }),
        Divergence::State { agreed, tick, explained, fields } => {
            let field = |difference: &StateDifference| {
                let StateDifference { entity, field, local, remote } = difference;
                json!({ "entity": entity, "field": field, "left": local, "right": remote })
            };
            json!({
                "kind": "state",
                "agreed": agreed.map(|tick| tick.0),
                "tick": tick.0,
                "explained": explained.map(|tick| tick.0),
                "fields": fields.iter().map(field).collect::<Vec<_>>(),
                "text": text,
            })
        }
        // Kinds added later print their own text.
        _ => json!({ "kind": "other", "text": text }),
    }
}
