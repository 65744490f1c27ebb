//! Compares two recordings of one match from different machines, and finds the first divergence. Neither is the
//! reference. Each block is read a few times at most, whatever the files contain.

use super::error::ReplayError;
use super::format::SeatKind;
use super::player::Player;
use super::reader::Replay;
use super::records::InputBytes;
use super::seats::Seats;
use super::source::Source;
use crate::input::InputCodec;
use crate::pages::Pages;
use crate::player::PlayerId;
use crate::simulation::Simulation;
use crate::{GameId, Tick};
use Side::{Left, Right};
use core::fmt;
use isostep_core::state::{Snapshot, StateDifference};

/// Maximum number of fields in a divergence.
const MAX_FIELDS: usize = 16;

/// Result of comparing two recordings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Common ticks with equal inputs.
    pub ticks: u32,
    /// Common ticks whose digests are equal. A tick counts once, also if it has a keyframe, whose digest
    /// [`Verified::digests`](super::Verified::digests) counts as well.
    pub digests: u32,
    /// First divergence; `None` if everything in common is equal, and there is something in common.
    pub divergence: Option<Divergence>,
}

/// First divergence of two recordings. *Left* is the first argument, *right* the second.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Divergence {
    /// The recordings are not of one match: a setting differs.
    Settings {
        /// The setting.
        what: &'static str,
    },
    /// The recordings have no common tick, so nothing could be compared. Each is given by the ticks of its first and
    /// last state.
    NothingInCommon {
        /// Ticks of the left one.
        left: (Tick, Tick),
        /// Ticks of the right one.
        right: (Tick, Tick),
    },
    /// The kind of a seat differs.
    Seat {
        /// The tick.
        tick: Tick,
        /// The seat.
        player: PlayerId,
        /// Seat kind in the left one.
        left: SeatKind,
        /// Seat kind in the right one.
        right: SeatKind,
    },
    /// An input or its commands differ.
    Input {
        /// The tick.
        tick: Tick,
        /// The seat.
        player: PlayerId,
        /// Input in the left one.
        left: String,
        /// Input in the right one.
        right: String,
    },
    /// All inputs before are equal, and the states differ.
    State {
        /// Newest tick with equal states.
        agreed: Option<Tick>,
        /// First tick with differing states.
        tick: Tick,
        /// Tick of the compared states: that one, or the next common keyframe.
        explained: Option<Tick>,
        /// Differing fields: `local` in the left one, `remote` in the right one.
        fields: Vec<StateDifference>,
    },
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings { what } => write!(f, "not of one match: {what} differs"),
            Self::NothingInCommon { left, right } => write!(
                f,
                "the recordings have no common tick: left has {} to {}, right has {} to {}",
                left.0, left.1, right.0, right.1
            ),
            Self::Seat { tick, player, left, right } => {
                write!(
                    f,
                    "tick {tick}: the seat of {player} differs: left has {left:?}, right has {right:?}"
                )
            }
            Self::Input { tick, player, left, right } => {
                write!(
                    f,
                    "tick {tick}: the input of {player} differs: left has {left}, right has {right}"
                )
            }
            Self::State { agreed, tick, explained, fields } => {
                write!(f, "tick {tick}: the states differ, and all inputs before are equal")?;
                if let Some(agreed) = agreed {
                    write!(f, " (the state of tick {agreed} is equal)")?;
                }
                let Some(at) = explained else {
                    return write!(
                        f,
                        "; no later tick has a keyframe in both to compare fields with"
                    );
                };
                if fields.is_empty() {
                    return write!(f, "; the keyframes of tick {at} are equal again");
                }
                for StateDifference { entity, field, local, remote } in fields {
                    write!(f, "\n  first seen in the keyframes of tick {at}: ")?;
                    write!(f, "{entity}, {field}: left has {local}, right has {remote}")?;
                }
                Ok(())
            }
        }
    }
}

/// Error of comparing two recordings, with the recording at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// The left recording.
    #[error("left: {error} ({})", before(*.ticks))]
    Left {
        /// The error.
        error: ReplayError,
        /// Common ticks before it that are equal.
        ticks: u32,
    },
    /// The right recording.
    #[error("right: {error} ({})", before(*.ticks))]
    Right {
        /// The error.
        error: ReplayError,
        /// Common ticks before it that are equal.
        ticks: u32,
    },
}

fn before(ticks: u32) -> String {
    match ticks {
        0 => "nothing was compared before".to_owned(),
        ticks => format!("{ticks} ticks before it are equal"),
    }
}

/// Recording at fault.
enum Side {
    Left(ReplayError),
    Right(ReplayError),
}

impl Side {
    fn after(self, ticks: u32) -> CompareError {
        match self {
            Left(error) => CompareError::Left { error, ticks },
            Right(error) => CompareError::Right { error, ticks },
        }
    }
}

/// Compares two recordings over their common ticks. To find the machine at fault, verify both.
///
/// # Errors
/// If one of them is damaged, or of another game; the error names it.
pub fn compare<S: Simulation + Snapshot, A: Source, B: Source>(
    left: Replay<A>,
    right: Replay<B>,
    game_id: GameId,
    games: (S, S),
) -> Result<Comparison, CompareError> {
    let mut found = Comparison::default();
    if let Some(what) = other_setting(&left, &right) {
        found.divergence = Some(Divergence::Settings { what });
        return Ok(found);
    }
    let left = Player::new(left, game_id, games.0).map_err(|error| Left(error).after(0));
    let right = Player::new(right, game_id, games.1).map_err(|error| Right(error).after(0));
    let (mut left, mut right) = (left?, right?);
    let divergence = walk(&mut left, &mut right, &mut found);
    found.divergence = divergence.map_err(|side| side.after(found.ticks))?;
    if found == Comparison::default() {
        let [left, right] = [
            (left.replay.first(), left.replay.last()),
            (right.replay.first(), right.replay.last()),
        ];
        found.divergence = Some(Divergence::NothingInCommon { left, right });
    }
    Ok(found)
}

/// Compares common ticks up to the first divergence.
fn walk<S: Simulation + Snapshot, A: Source, B: Source>(
    left: &mut Player<S, A>,
    right: &mut Player<S, B>,
    found: &mut Comparison,
) -> Result<Option<Divergence>, Side> {
    let mut seats = (
        Seats::new(&mut left.replay).map_err(Left)?,
        Seats::new(&mut right.replay).map_err(Right)?,
    );
    let from = left.replay.first().max(right.replay.first());
    let to = left.replay.last().min(right.replay.last());
    let mut agreed = None;
    let (mut tick, mut jumped) = (from, true);
    while tick <= to {
        let a = digest(&mut left.replay, tick).map_err(Left)?;
        let b = digest(&mut right.replay, tick).map_err(Right)?;
        match (a, b) {
            (Some(a), Some(b)) if a != b => {
                let (explained, fields) = explain(left, right, tick);
                return Ok(Some(Divergence::State { agreed, tick, explained, fields }));
            }
            (Some(_), Some(_)) => {
                agreed = Some(tick);
                found.digests += 1;
            }
            _ => (),
        }
        seats.0.follow(&mut left.replay, tick, jumped).map_err(Left)?;
        seats.1.follow(&mut right.replay, tick, jumped).map_err(Right)?;
        if let Some((player, left, right)) = seats.0.divergence(&seats.1) {
            return Ok(Some(Divergence::Seat { tick, player, left, right }));
        }
        if tick == to {
            break;
        }
        (tick, jumped) = match compare_inputs::<S, A, B>(left, right, tick)? {
            Found::Same => {
                found.ticks += 1;
                (tick.next(), false)
            }
            Found::Missing(Some(next)) => (next, true),
            Found::Missing(None) => break,
            Found::Divergence(divergence) => return Ok(Some(divergence)),
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

/// Returns the digest of a tick, or that of its keyframe.
fn digest<R: Source>(replay: &mut Replay<R>, tick: Tick) -> Result<Option<[u8; 8]>, ReplayError> {
    match replay.digest(tick)? {
        None => replay.keyframe_digest(tick),
        found => Ok(found),
    }
}

/// Comparison of a tick's inputs.
enum Found {
    Same,
    /// One of the recordings does not have them, and continues from there.
    Missing(Option<Tick>),
    Divergence(Divergence),
}

fn compare_inputs<S: Simulation + Snapshot, A: Source, B: Source>(
    left: &mut Player<S, A>,
    right: &mut Player<S, B>,
    tick: Tick,
) -> Result<Found, Side> {
    for loaded in
        [left.replay.load_inputs(tick).map_err(Left), right.replay.load_inputs(tick).map_err(Right)]
    {
        match loaded {
            Err(Left(ReplayError::Gap { next, .. }) | Right(ReplayError::Gap { next, .. })) => {
                return Ok(Found::Missing(next));
            }
            loaded => loaded?,
        }
    }
    let codec = InputCodec::<S::Input>::new().map_err(|error| Left(error.into()))?;
    let text = |input: Option<InputBytes<'_>>| match input {
        None => "none".to_owned(),
        Some(InputBytes { input, pieces }) => {
            let value =
                codec.read(input).map_or_else(|error| error.to_string(), |it| format!("{it:?}"));
            if pieces.is_empty() { value } else { format!("{value} with commands {pieces:02x?}") }
        }
    };
    for player in (0..left.replay.info().seats).map(PlayerId) {
        let a = left.replay.input(player, tick).map_err(Left)?;
        let b = right.replay.input(player, tick).map_err(Right)?;
        if a != b {
            let divergence = Divergence::Input { tick, player, left: text(a), right: text(b) };
            return Ok(Found::Divergence(divergence));
        }
    }
    Ok(Found::Same)
}

type Explained = (Option<Tick>, Vec<StateDifference>);

/// Returns the differing fields of the next common states; none if these can't be read, since the divergence itself is
/// known.
fn explain<S: Simulation + Snapshot, A: Source, B: Source>(
    left: &mut Player<S, A>,
    right: &mut Player<S, B>,
    tick: Tick,
) -> Explained {
    let theirs: Vec<Tick> = right.replay.keyframes().collect();
    let common = left.replay.keyframes().filter(|at| theirs.binary_search(at).is_ok());
    let Some(at) = common.into_iter().find(|&at| at >= tick) else { return (None, Vec::new()) };
    let mut fields = || {
        right.restore(at)?;
        let pages = Pages::of(&right.cursor.game, &right.cursor.slots, at)?;
        left.restore(at)?;
        let fields = pages.explain(&left.cursor.game, &left.cursor.slots, at, MAX_FIELDS)?;
        Ok::<_, ReplayError>(fields)
    };
    match fields() {
        Ok(fields) => (Some(at), fields),
        Err(_) => (None, Vec::new()),
    }
}
