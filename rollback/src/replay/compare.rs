//! Two recordings of one match, from different machines: where they part, and in what. It takes no side, and reads each block
//! a few times at most, whatever is in the files.

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
use crate::tick::Tick;
use Side::{Left, Right};
use core::fmt;
use isostep_core::state::{Snapshot, StateDifference};

/// Most fields that a difference names.
const MAX_FIELDS: usize = 16;

/// How far two recordings were compared, and where they part if they do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Ticks whose inputs both have, and which are the same.
    pub ticks: u32,
    /// States of which both have a digest, and which are the same.
    pub digests: u32,
    /// Where they part; `None` if all that both have is the same, and there is something.
    pub divergence: Option<Divergence>,
}

/// Where two recordings part. *Left* is the first that was given, *right* the second.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Divergence {
    /// They are not of one match: a setting differs.
    Settings {
        /// Which.
        what: &'static str,
    },
    /// They have no tick in common: nothing could be compared. Each is given by the ticks of its first and last state.
    NothingInCommon {
        /// The left one.
        left: (Tick, Tick),
        /// The right one.
        right: (Tick, Tick),
    },
    /// Somebody else decides about a seat.
    Seat {
        /// On this tick.
        tick: Tick,
        /// The seat.
        player: PlayerId,
        /// SeatKind in the left one.
        left: SeatKind,
        /// SeatKind in the right one.
        right: SeatKind,
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

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings { what } => write!(f, "not of one match: {what} differs"),
            Self::NothingInCommon { left, right } => write!(
                f,
                "they have no tick in common, so nothing was compared: left has {} to {}, right has {} to {}",
                left.0, left.1, right.0, right.1
            ),
            Self::Seat { tick, player, left, right } => {
                write!(
                    f,
                    "tick {tick}: they differ in who holds the seat of {player}: left has {left:?}, right has {right:?}"
                )
            }
            Self::Input { tick, player, left, right } => {
                write!(
                    f,
                    "tick {tick}: they differ in the input of {player}: left has {left}, right has {right}"
                )
            }
            Self::State { agreed, tick, explained, fields } => {
                write!(f, "tick {tick}: they differ in the state, all inputs before are the same")?;
                if let Some(agreed) = agreed {
                    write!(f, " (the state of tick {agreed} is, too)")?;
                }
                let Some(at) = explained else {
                    return write!(
                        f,
                        "; no later tick has a keyframe in both that would tell what"
                    );
                };
                if fields.is_empty() {
                    return write!(f, "; the keyframes of tick {at} are the same again");
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

/// Why two recordings can't be compared any further, and which of them is at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// The first one.
    #[error("the left one: {error} ({})", before(*.ticks))]
    Left {
        /// What is wrong with it.
        error: ReplayError,
        /// Ticks before that, which both have and which are the same.
        ticks: u32,
    },
    /// The second one.
    #[error("the right one: {error} ({})", before(*.ticks))]
    Right {
        /// What is wrong with it.
        error: ReplayError,
        /// Ticks before that, which both have and which are the same.
        ticks: u32,
    },
}

fn before(ticks: u32) -> String {
    match ticks {
        0 => "nothing was compared before".to_owned(),
        ticks => format!("{ticks} ticks were compared before, and are the same"),
    }
}

/// Whose error it is.
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

/// Compares two recordings over the ticks that both have. Which of two machines computed wrongly is not told by this: verify both.
///
/// # Errors
/// When one of them is damaged, or of another game than the caller's; the error says which.
pub fn compare<S: Simulation + Snapshot, A: Source, B: Source>(
    left: Replay<A>,
    right: Replay<B>,
    game_id: [u8; 16],
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

/// Goes over the ticks that both have, up to where they part.
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

/// The digest of a tick, or that of its keyframe.
fn digest<R: Source>(replay: &mut Replay<R>, tick: Tick) -> Result<Option<[u8; 8]>, ReplayError> {
    match replay.digest(tick)? {
        None => replay.keyframe_digest(tick),
        found => Ok(found),
    }
}

/// What a tick's inputs are.
enum Found {
    Same,
    /// One of the recordings does not have them, and goes on from there.
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

/// What differs in the next states that both have; nothing if these can't be read, since that they differ is known.
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
        let pages = Pages::of(&right.cursor.game, &right.cursor.slots, at.0)?;
        left.restore(at)?;
        let fields = pages.explain(&left.cursor.game, &left.cursor.slots, at.0, MAX_FIELDS)?;
        Ok::<_, ReplayError>(fields)
    };
    match fields() {
        Ok(fields) => (Some(at), fields),
        Err(_) => (None, Vec::new()),
    }
}
