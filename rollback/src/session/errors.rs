//! Errors of starting and feeding a session.

use super::config::{
    MAX_DELAY, MAX_DIGEST_INTERVAL, MAX_LOG, MAX_PEERS, MAX_PLAYERS, MAX_PREDICTION,
};
use crate::Tick;
use crate::input::InputCodecError;
use crate::player::{PeerId, PlayerId};
use isostep_core::state::StateError;

/// Error when starting a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The number of seats is out of range.
    #[error("the match has {seats} seats; add 1 to {MAX_PLAYERS} with local, remote or bot")]
    Seats {
        /// Number of seats.
        seats: usize,
    },
    /// A peer's number is out of range.
    #[error("{peer} is out of range; number peers from 0, at most {MAX_PEERS} of them")]
    Peers {
        /// The peer.
        peer: PeerId,
    },
    /// The input delay is too long.
    #[error("the input delay is {ticks} ticks; use at most {MAX_DELAY}")]
    Delay {
        /// The delay.
        ticks: u32,
    },
    /// The prediction window is out of range.
    #[error(
        "the prediction window is {ticks} ticks; use 1 to {MAX_PREDICTION}, Lockstep for none, or Unbounded for more"
    )]
    Prediction {
        /// The window.
        ticks: u32,
    },
    /// There are too few steps for [`Mode::Unbounded`](super::Mode::Unbounded).
    #[error("steps is {steps}; use at least 2, since the current tick advances by one")]
    Steps {
        /// Number of steps.
        steps: u32,
    },
    /// The digest interval is too long.
    #[error(
        "the digest interval is {ticks} ticks; use at most {MAX_DIGEST_INTERVAL}, or 0 for none"
    )]
    DigestInterval {
        /// The interval.
        ticks: u32,
    },
    /// The input log is too long.
    #[error("the input log is {ticks} ticks; use at most {MAX_LOG}")]
    Log {
        /// The length.
        ticks: u32,
    },
    /// A spectator has a local player.
    #[error(
        "a spectator has a local player; remove the local seat, or `spectate` from the settings"
    )]
    LocalSpectator,
    /// The match that the session continues has another number of seats.
    #[error(
        "the match has {inputs} seats, but the settings have {seats}; add every seat of the match"
    )]
    StartInputs {
        /// Seats of the match.
        inputs: usize,
        /// Seats of the settings.
        seats: usize,
    },
    /// The input type can't be encoded.
    #[error(transparent)]
    Input(#[from] InputCodecError),
    /// The state can't be saved or digested.
    #[error("the state can't be saved: {0}")]
    State(#[from] StateError),
}

/// Error when feeding a session. The session is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FeedError {
    /// The match has no such seat.
    #[error("there is no {player}; the match has {seats} seats")]
    UnknownPlayer {
        /// The seat.
        player: PlayerId,
        /// Number of seats.
        seats: usize,
    },
    /// The session has no such peer.
    #[error("there is no {peer}; seat it, or add it with add_peer")]
    UnknownPeer {
        /// The peer.
        peer: PeerId,
    },
    /// No player at this machine holds the seat.
    #[error("{player} is not local; feed inputs of local players only")]
    NotLocal {
        /// The seat.
        player: PlayerId,
    },
    /// No player at another machine holds the seat.
    #[error("{player} is not remote on tick {tick}; feed inputs of remote players only")]
    NotRemote {
        /// The seat.
        player: PlayerId,
        /// The tick.
        tick: Tick,
    },
    /// The seat was never the peer's.
    #[error("{player} does not belong to {peer}; refuse its packet")]
    NotTheirs {
        /// The seat.
        player: PlayerId,
        /// The sender.
        peer: PeerId,
    },
    /// The tick is beyond the input log. No fault of the sender, which is ahead and repeats its inputs.
    #[error(
        "tick {tick} is beyond the input log, which ends before tick {limit}; feed it again later"
    )]
    FarFuture {
        /// The tick.
        tick: Tick,
        /// The first tick that is not accepted.
        limit: Tick,
    },
    /// Two different inputs are confirmed for one tick; the first one is kept.
    #[error(
        "the input of {player} for tick {tick} is confirmed with another value; the first one is kept"
    )]
    Conflict {
        /// The seat.
        player: PlayerId,
        /// The tick.
        tick: Tick,
    },
    /// The number of inputs in a bundle differs from the number of seats.
    #[error("the bundle has {inputs} inputs for {seats} seats; give one for each seat")]
    BundleSize {
        /// Number of inputs.
        inputs: usize,
        /// Number of seats.
        seats: usize,
    },
    /// A bundle was fed, but owners confirm inputs.
    #[error(
        "bundles are refused, because owners confirm inputs; spectators and players of a relay need Authority::Bundle"
    )]
    NoBundles,
    /// The commands of a tick are malformed.
    #[error("the commands of {player} for tick {tick} are malformed: {error}")]
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
        "tick {tick} is confirmed (all before {confirmed} are); choose a later tick for the change"
    )]
    TooLate {
        /// The tick.
        tick: Tick,
        /// The confirmed tick.
        confirmed: Tick,
    },
    /// The input delay is too long.
    #[error("the input delay is {ticks} ticks; use at most {MAX_DELAY}")]
    Delay {
        /// The delay.
        ticks: u32,
    },
    /// A desync message is malformed.
    #[error(
        "a desync message of {peer} is malformed: {reason}; check that it runs the same version"
    )]
    Message {
        /// The sender.
        peer: PeerId,
        /// The defect.
        reason: &'static str,
    },
}
