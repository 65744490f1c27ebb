//! Two recordings of one match, from different machines: where they part, and in what.

use super::error::ReplayError;
use super::format::Who;
use super::player::Player;
use super::reader::Replay;
use super::records::InputBytes;
use super::source::Source;
use crate::input::InputCodec;
use crate::pages::Pages;
use crate::player::PlayerId;
use crate::simulation::Simulation;
use crate::tick::Tick;
use core::fmt;
use isostep_core::state::{Snapshot, StateDifference};

/// Most fields that a difference names.
const MAX_FIELDS: usize = 16;

/// Where two recordings part. *Left* is the first that was given, *right* the second.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Parting {
    /// They are not of one match: a setting differs.
    Settings {
        /// Which.
        what: &'static str,
    },
    /// Somebody else decides about a seat.
    Seat {
        /// On this tick.
        tick: Tick,
        /// The seat.
        player: PlayerId,
        /// Who in the left one.
        left: Who,
        /// Who in the right one.
        right: Who,
    },
    /// An input differs, or the commands with it.
    Input {
        /// Of this tick.
        tick: Tick,
        /// Whose.
        player: PlayerId,
        /// The left one.
        left: String,
        /// The right one.
        right: String,
    },
    /// All inputs up to there are the same, and the states are not.
    State {
        /// The newest tick on which the states are known to be the same.
        agreed: Option<Tick>,
        /// The first on which they are not.
        tick: Tick,
        /// The tick of the states whose fields could be compared: that one, or the next of which both have a keyframe.
        explained: Option<Tick>,
        /// What differs there: `local` in the left one, `remote` in the right one.
        fields: Vec<StateDifference>,
    },
}

impl fmt::Display for Parting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings { what } => write!(f, "not of one match: {what} differs"),
            Self::Seat { tick, player, left, right } => {
                write!(f, "tick {tick}: the seat of {player} is {left:?} and {right:?}")
            }
            Self::Input { tick, player, left, right } => {
                write!(f, "tick {tick}: the input of {player} is {left} and {right}")
            }
            Self::State { agreed, tick, explained, fields } => {
                write!(f, "tick {tick}: the states differ, all inputs before are the same")?;
                if let Some(agreed) = agreed {
                    write!(f, " (tick {agreed} is the same)")?;
                }
                for StateDifference { entity, field, local, remote } in fields {
                    let at = explained.unwrap_or(*tick);
                    write!(f, "\n  on tick {at}: {entity}, {field}: {local} and {remote}")?;
                }
                Ok(())
            }
        }
    }
}

/// Compares two recordings over the ticks that both have; `None` if they are the same there. To see which of two machines
/// computed wrongly, verify both.
///
/// # Errors
/// When one of them is damaged, or they are of another game.
pub fn compare<S: Simulation + Snapshot, A: Source, B: Source>(
    left: Replay<A>,
    right: Replay<B>,
    game_id: [u8; 16],
    games: (S, S),
) -> Result<Option<Parting>, ReplayError> {
    if let Some(what) = other_setting(&left, &right) {
        return Ok(Some(Parting::Settings { what }));
    }
    let mut left = Player::new(left, game_id, games.0)?;
    let mut right = Player::new(right, game_id, games.1)?;
    let from = left.replay.first().max(right.replay.first());
    let to = left.replay.last().min(right.replay.last());
    let mut agreed = None;
    let mut tick = from;
    while tick <= to {
        let digests = |replay: Option<[u8; 8]>, keyframe| replay.or(keyframe);
        let a = digests(left.replay.digest(tick)?, left.replay.keyframe_digest(tick)?);
        let b = digests(right.replay.digest(tick)?, right.replay.keyframe_digest(tick)?);
        match (a, b) {
            (Some(a), Some(b)) if a != b => {
                let (explained, fields) = explain(&mut left, &mut right, tick)?;
                return Ok(Some(Parting::State { agreed, tick, explained, fields }));
            }
            (Some(_), Some(_)) => agreed = Some(tick),
            _ => (),
        }
        let changes = left.replay.changes_on(tick) || right.replay.changes_on(tick);
        if (tick == from || changes)
            && let Some(parting) = compare_seats(&mut left.replay, &mut right.replay, tick)?
        {
            return Ok(Some(parting));
        }
        if tick == to {
            break;
        }
        tick = match compare_inputs::<S, A, B>(&mut left, &mut right, tick)? {
            Found::Same => tick.next(),
            Found::Missing(Some(next)) => next,
            Found::Missing(None) => break,
            Found::Parting(parting) => return Ok(Some(parting)),
        };
    }
    Ok(None)
}

fn other_setting<A: Source, B: Source>(
    left: &Replay<A>,
    right: &Replay<B>,
) -> Option<&'static str> {
    let (a, b) = (left.info(), right.info());
    let same = [
        ("the game", a.game == b.game),
        ("the input type", a.input_schema == b.input_schema && a.input_width == b.input_width),
        ("the number of seats", a.seats == b.seats),
        ("the length of a tick", a.tick_length == b.tick_length),
        ("an asset", a.assets == b.assets),
        ("the budget of commands", a.command_budget == b.command_budget),
        ("the longest command", a.command_max == b.command_max),
    ];
    same.into_iter().find(|(_, same)| !same).map(|(what, _)| what)
}

fn compare_seats<A: Source, B: Source>(
    left: &mut Replay<A>,
    right: &mut Replay<B>,
    tick: Tick,
) -> Result<Option<Parting>, ReplayError> {
    for player in (0..left.info().seats).map(PlayerId) {
        if let (Some(left), Some(right)) = (left.who(player, tick)?, right.who(player, tick)?)
            && left != right
        {
            return Ok(Some(Parting::Seat { tick, player, left, right }));
        }
    }
    Ok(None)
}

/// What a tick's inputs are.
enum Found {
    Same,
    /// One of the recordings does not have them, and goes on from there.
    Missing(Option<Tick>),
    Parting(Parting),
}

fn compare_inputs<S: Simulation + Snapshot, A: Source, B: Source>(
    left: &mut Player<S, A>,
    right: &mut Player<S, B>,
    tick: Tick,
) -> Result<Found, ReplayError> {
    for loaded in [left.replay.load_inputs(tick), right.replay.load_inputs(tick)] {
        match loaded {
            Err(ReplayError::Gap { next, .. }) => return Ok(Found::Missing(next)),
            loaded => loaded?,
        }
    }
    let codec = InputCodec::<S::Input>::new()?;
    let text = |input: Option<InputBytes<'_>>| match input {
        None => "none".to_owned(),
        Some(InputBytes { input, pieces }) => {
            let value =
                codec.read(input).map_or_else(|error| error.to_string(), |it| format!("{it:?}"));
            if pieces.is_empty() { value } else { format!("{value} with commands {pieces:02x?}") }
        }
    };
    for player in (0..left.replay.info().seats).map(PlayerId) {
        let (a, b) = (left.replay.input(player, tick)?, right.replay.input(player, tick)?);
        if a != b {
            let parting = Parting::Input { tick, player, left: text(a), right: text(b) };
            return Ok(Found::Parting(parting));
        }
    }
    Ok(Found::Same)
}

type Explained = (Option<Tick>, Vec<StateDifference>);

/// What differs in the next states that both have.
fn explain<S: Simulation + Snapshot, A: Source, B: Source>(
    left: &mut Player<S, A>,
    right: &mut Player<S, B>,
    tick: Tick,
) -> Result<Explained, ReplayError> {
    let theirs: Vec<Tick> = right.replay.keyframes().collect();
    let mut common = left.replay.keyframes().filter(|at| theirs.binary_search(at).is_ok());
    let Some(at) = common.find(|&at| at >= tick) else { return Ok((None, Vec::new())) };
    drop(common);
    right.restore(at)?;
    let pages = Pages::of(&right.game, &right.slots, at.0)?;
    left.restore(at)?;
    let fields = pages.explain(&left.game, &left.slots, at.0, MAX_FIELDS)?;
    Ok((Some(at), fields))
}
