//! What a session has to tell one peer and what that peer tells it, as frames: the session on one side, a connection on the
//! other. Everything that was not acknowledged is in each frame, so any of them may be lost, late, doubled or out of order.

mod pace;
mod read;
mod write;

#[cfg(test)]
pub(crate) use {pace::Heard as HeardStamps, read::digest_tick};

use core::time::Duration;
use isostep_rollback::{FeedError, PeerId, RecordError, Session, Simulation, Tick, Time};
use pace::Heard;

/// Frames with a full stamp and pace at the start of a connection; after that, one in so many has a full stamp, and one in so
/// many the pace.
const FULL_AT_FIRST: u32 = 32;
const FULL_EVERY: u32 = 32;
const PACE_EVERY: u32 = 16;
/// After this silence every stamp is full: the other side may have missed too much.
const SILENCE: Duration = Duration::from_secs(1);
/// Known ticks before a window that its coding learns from.
const KNOWN: u32 = crate::wire::window::KNOWN_TICKS as u32;
/// Most ticks in a window.
const MAX_TICKS: u32 = 255;
/// Bytes after which no more ticks are added. Eight ticks of the greatest budget of commands, so that they flow with a round
/// trip of 130 ms; with the longest tick more, 16 fragments carry it easily.
const FULL_FRAME: usize = 8000;
/// Orders of the numbers around windows.
const ORDER_OF_TICKS: u32 = 4;
const ORDER_OF_COUNTS: u32 = 4;

/// Why a frame was refused. What came before the part that is wrong was taken; it was said before and is checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// It makes no sense.
    #[error("a frame that makes no sense; its sender is broken")]
    Malformed,
    /// The session refused a tick.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The session refused something.
    #[error(transparent)]
    Feed(#[from] FeedError),
    /// The other end lacks inputs that we no longer have.
    #[error("{peer} lacks inputs since tick {tick}, which are no longer kept; it has to join anew")]
    LostTouch {
        /// Who.
        peer: PeerId,
        /// Since when.
        tick: Tick,
    },
}

/// One machine's side of the talk of two sessions.
///
/// *Send* [`write`](Self::write)s after each [`advance`](isostep_rollback::Session::advance); *receive* with
/// [`read`](Self::read). Messages of the session are not in here: they go through the connection's reliable channel.
#[derive(Debug)]
pub struct Link {
    peer: PeerId,
    /// For each seat: up to where the peer has our inputs.
    acknowledged: Vec<Tick>,
    /// The seat whose inputs the last frame began with: where not all fit, all get their turn.
    turn: usize,
    frames: u32,
    /// What the last pace said of our delay, and what the last full stamp said.
    told_delay: u8,
    told_stamp: (u32, u32),
    /// Full stamps that are still to come since one was off.
    unsteady: u8,
    /// The last digest that was told.
    told_digest: Option<Tick>,
    heard: Option<Heard>,
    heard_at: Option<Time>,
    /// Pieces of commands, and a tick with them, on their way.
    pieces: Vec<u8>,
}

impl Link {
    /// The talk with a machine that has players.
    pub const fn new(peer: PeerId) -> Self {
        Self {
            peer,
            acknowledged: Vec::new(),
            turn: 0,
            frames: 0,
            told_delay: 0,
            told_stamp: (0, 0),
            unsteady: 0,
            told_digest: None,
            heard: None,
            heard_at: None,
            pieces: Vec::new(),
        }
    }

    /// The peer.
    pub const fn peer(&self) -> PeerId {
        self.peer
    }
}

/// A signed number as an unsigned one: 0, -1, 1, -2, …
const fn fold(number: i32) -> u32 {
    ((number << 1) ^ (number >> 31)) as u32
}

const fn unfold(number: u32) -> i32 {
    (number >> 1) as i32 ^ -((number & 1) as i32)
}

/// By how much one tick lies after another.
const fn distance(tick: Tick, from: Tick) -> i32 {
    tick.0.wrapping_sub(from.0) as i32
}

/// The seats of a mask, of at most 32.
fn seats(mask: u32) -> impl Iterator<Item = isostep_rollback::PlayerId> {
    (0..32).filter(move |seat| mask >> seat & 1 == 1).map(isostep_rollback::PlayerId)
}

/// The length of a tick, as stamps are completed with it.
fn tick_micros<S: Simulation>(session: &Session<S>) -> u32 {
    session.config().duration_of(1).as_micros() as u32
}
