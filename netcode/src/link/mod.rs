//! Link: encodes a session's inputs, acknowledgements, digests and timing for one peer as GAME frames, and decodes the
//! peer's. Each frame repeats all unacknowledged inputs, so frames may be lost, delayed, duplicated or reordered.

mod read;
mod timing;
mod write;

#[cfg(test)]
pub(crate) use read::digest_tick;

use core::time::Duration;
use isostep_rollback::internals::{FeedError, RecordError};
use isostep_rollback::{PeerId, Session, Simulation, Tick, Time};
pub(crate) use timing::PeerStamps;

/// Number of frames with a full stamp and pacing at the start of a connection. After that, intervals between full
/// stamps and between pacing reports, in frames.
const INITIAL_FULL_STAMPS: u32 = 32;
const FULL_STAMP_INTERVAL: u32 = 32;
const PACING_INTERVAL: u32 = 16;
/// All stamps are full while nothing was received for this time: the peer may have lost the reference of short stamps.
const RESYNC_AFTER: Duration = Duration::from_secs(1);
/// Known ticks before a window that train its model.
const KNOWN_TICKS: u32 = crate::wire::window::KNOWN_TICKS as u32;
/// Maximum number of ticks in a window.
const MAX_TICKS: u32 = 255;
/// A frame takes no further ticks beyond this size. It holds eight ticks at the largest command budget, enough for a
/// round trip of 130 ms, and fits into 16 fragments even with one more tick.
const TARGET_FRAME_BYTES: usize = 8000;
/// Exp-Golomb orders of tick distances and counts.
const TICK_ORDER: u32 = 4;
const COUNT_ORDER: u32 = 4;

/// Reasons why a frame is rejected. The valid parts before the error were applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// The frame is malformed.
    #[error("a GAME frame is malformed; check that the peer runs the same build")]
    Malformed,
    /// The session rejected a tick record.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The session rejected other contents.
    #[error(transparent)]
    Feed(#[from] FeedError),
    /// The peer lacks inputs that are no longer stored.
    #[error(
        "{peer} lacks inputs from tick {tick} on, which are no longer stored; it must rejoin the match"
    )]
    InputsDiscarded {
        /// Peer.
        peer: PeerId,
        /// First missing tick.
        tick: Tick,
    },
}

/// Exchange between the local session and one peer's session.
///
/// Call [`write`](Self::write) after each [`advance`](isostep_rollback::Session::advance), and [`read`](Self::read) for each
/// received frame. Messages of the session use the reliable channel of the connection instead.
#[derive(Debug)]
pub struct Link {
    peer: PeerId,
    /// Per seat: first tick that the peer has not acknowledged.
    acknowledged: Vec<Tick>,
    /// Seat that the last frame started with. Rotates, so that all seats are served when not all fit.
    first_seat: usize,
    frames: u32,
    /// Delay in the last pacing report, and the last full stamp.
    sent_delay: u8,
    sent_stamp: (u32, u32),
    /// Number of further full stamps to send after a clock jump.
    full_stamps_left: u8,
    /// Tick of the last digest sent.
    sent_digest: Option<Tick>,
    peer_stamps: Option<PeerStamps>,
    last_received: Option<Time>,
    /// Scratch buffer for pieces of commands.
    pieces: Vec<u8>,
}

impl Link {
    /// Creates the link to a peer.
    pub const fn new(peer: PeerId) -> Self {
        Self {
            peer,
            acknowledged: Vec::new(),
            first_seat: 0,
            frames: 0,
            sent_delay: 0,
            sent_stamp: (0, 0),
            full_stamps_left: 0,
            sent_digest: None,
            peer_stamps: None,
            last_received: None,
            pieces: Vec::new(),
        }
    }

    /// Peer of this link.
    pub const fn peer(&self) -> PeerId {
        self.peer
    }
}

/// Zigzag encoding of a difference of ticks.
const fn zigzag(number: i32) -> u32 {
    isostep_core::internals::zigzag(number as i64) as u32
}

const fn unzigzag(number: u32) -> i32 {
    isostep_core::internals::unzigzag(number as u64) as i32
}

/// Signed distance of a tick from another.
const fn distance(tick: Tick, from: Tick) -> i32 {
    tick.0.wrapping_sub(from.0) as i32
}

/// Seats of a bit mask.
fn seats(mask: u32) -> impl Iterator<Item = isostep_rollback::PlayerId> {
    (0..32).filter(move |seat| mask >> seat & 1 == 1).map(isostep_rollback::PlayerId)
}

/// Length of a tick in microseconds, for the completion of stamps.
fn tick_micros<S: Simulation>(session: &Session<S>) -> u32 {
    session.config().duration_of(1).as_micros() as u32
}
