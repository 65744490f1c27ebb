//! Errors of starting and feeding a session.

use super::config::{
    MAX_DELAY, MAX_DIGEST_INTERVAL, MAX_LOG, MAX_PEERS, MAX_PLAYERS, MAX_PREDICTION,
};
use crate::input::InputCodecError;
use crate::player::{PeerId, PlayerId};
use crate::tick::Tick;
use isostep_core::state::StateError;

/// Error when starting a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The number of seats is out of range.
    #[error("{seats} seats: a match has 1 to {MAX_PLAYERS}; add them with local, remote or bot")]
    Seats {
        /// Number of seats.
        seats: usize,
    },
    /// A peer's number is out of range.
    #[error("{peer}: number peers from 0, at most {MAX_PEERS} of them")]
    Peers {
        /// The peer.
        peer: PeerId,
    },
    /// The input delay is too long.
    #[error("an input delay of {ticks} ticks: at most {MAX_DELAY}")]
    Delay {
        /// The delay.
        ticks: u32,
    },
    /// The prediction window is out of range.
    #[error(
        "predicting {ticks} ticks ahead: 1 to {MAX_PREDICTION}; for none choose Lockstep, for more Unbounded"
    )]
    Prediction {
        /// The window.
        ticks: u32,
    },
    /// There are too few steps for [`Mode::Unbounded`](super::Mode::Unbounded).
    #[error("{steps} steps in one advance: at least 2, or the present is never reached")]
    Steps {
        /// Number of steps.
        steps: u32,
    },
    /// The digest interval is too long.
    #[error("a digest every {ticks} ticks: at most {MAX_DIGEST_INTERVAL}, or 0 for none")]
    DigestInterval {
        /// The interval.
        ticks: u32,
    },
    /// The input log is too long.
    #[error("a log of {ticks} ticks: at most {MAX_LOG}")]
    Log {
        /// The length.
        ticks: u32,
    },
    /// A spectator has a local player.
    #[error("a session that spectates has no local player; take the seat or the buffer away")]
    LocalSpectator,
    /// The input type can't be encoded.
    #[error(transparent)]
    Input(#[from] InputCodecError),
    /// The state can't be saved or digested.
    #[error("the state can't be kept: {0}")]
    State(#[from] StateError),
}

/// Error when feeding a session. The session is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FeedError {
    /// The match has no such seat.
    #[error("there is no {player}: the match has {seats} seats")]
    UnknownPlayer {
        /// The seat.
        player: PlayerId,
        /// Number of seats.
        seats: usize,
    },
    /// The session has no such peer.
    #[error("there is no {peer}: a session knows those that hold a seat or were added as watchers")]
    UnknownPeer {
        /// The peer.
        peer: PeerId,
    },
    /// No player at this machine holds the seat.
    #[error("{player} does not sit at this machine")]
    NotLocal {
        /// The seat.
        player: PlayerId,
    },
    /// No player at another machine holds the seat.
    #[error("{player} does not sit at another machine on tick {tick}")]
    NotRemote {
        /// The seat.
        player: PlayerId,
        /// The tick.
        tick: Tick,
    },
    /// The seat was never the peer's.
    #[error("{player} is not {peer}'s")]
    NotTheirs {
        /// The seat.
        player: PlayerId,
        /// The sender.
        peer: PeerId,
    },
    /// The tick is beyond the input log.
    #[error(
        "tick {tick} lies too far ahead: inputs are taken up to tick {limit}; they may come again later"
    )]
    FarFuture {
        /// The tick.
        tick: Tick,
        /// The first tick that is not accepted.
        limit: Tick,
    },
    /// Two different inputs are confirmed for one tick; the first one is kept.
    #[error(
        "{player} was confirmed for tick {tick} already, with another input; the first one stays"
    )]
    Conflict {
        /// The seat.
        player: PlayerId,
        /// The tick.
        tick: Tick,
    },
    /// The number of inputs in a bundle differs from the number of seats.
    #[error("a bundle of {inputs} inputs for {seats} seats")]
    BundleSize {
        /// Number of inputs.
        inputs: usize,
        /// Number of seats.
        seats: usize,
    },
    /// A bundle was fed, but owners confirm inputs.
    #[error("in a mesh the owner's word confirms; choose Authority::Bundle for a relay")]
    NoBundles,
    /// The commands of a tick are malformed.
    #[error("the commands of {player} for tick {tick} can't be taken: {error}")]
    Payload {
        /// The seat.
        player: PlayerId,
        /// The tick.
        tick: Tick,
        /// The error.
        error: crate::input::PayloadError,
    },
    /// A seat change for a tick that is confirmed already.
    #[error(
        "tick {tick} is confirmed already (up to {confirmed}); let the change take place later"
    )]
    TooLate {
        /// The tick.
        tick: Tick,
        /// The confirmed tick.
        confirmed: Tick,
    },
    /// The input delay is too long.
    #[error("an input delay of {ticks} ticks: at most {MAX_DELAY}")]
    Delay {
        /// The delay.
        ticks: u32,
    },
    /// A desync message is malformed.
    #[error("a message of {peer} can't be read: {reason}")]
    Message {
        /// The sender.
        peer: PeerId,
        /// The defect.
        reason: &'static str,
    },
}
