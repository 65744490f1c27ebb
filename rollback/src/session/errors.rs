//! Why a session can't start, and why what was fed to it was refused.

use super::config::{
    MAX_DELAY, MAX_DIGEST_INTERVAL, MAX_LOG, MAX_PEERS, MAX_PLAYERS, MAX_PREDICTION,
};
use crate::input::InputCodecError;
use crate::player::{PeerId, PlayerId};
use crate::tick::Tick;
use isostep_core::state::StateError;

/// Why a session can't start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// None, or too many.
    #[error("{seats} seats: a match has 1 to {MAX_PLAYERS}; add them with local, remote or bot")]
    Seats {
        /// How many there are.
        seats: usize,
    },
    /// A peer's number is too great.
    #[error("{peer}: number peers from 0, at most {MAX_PEERS} of them")]
    Peers {
        /// It.
        peer: PeerId,
    },
    /// Too long.
    #[error("an input delay of {ticks} ticks: at most {MAX_DELAY}")]
    Delay {
        /// It.
        ticks: u32,
    },
    /// None, or too far.
    #[error(
        "predicting {ticks} ticks ahead: 1 to {MAX_PREDICTION}; for none choose Lockstep, for more Unbounded"
    )]
    Prediction {
        /// It.
        ticks: u32,
    },
    /// Too few.
    #[error("{steps} steps in one advance: at least 2, or the present is never reached")]
    Steps {
        /// How many.
        steps: u32,
    },
    /// Too long.
    #[error("a digest every {ticks} ticks: at most {MAX_DIGEST_INTERVAL}, or 0 for none")]
    DigestInterval {
        /// It.
        ticks: u32,
    },
    /// Too long.
    #[error("a log of {ticks} ticks: at most {MAX_LOG}")]
    Log {
        /// It.
        ticks: u32,
    },
    /// A spectator plays.
    #[error("a session that spectates has no local player; take the seat or the buffer away")]
    LocalSpectator,
    /// The input type can't be sent.
    #[error(transparent)]
    Input(#[from] InputCodecError),
    /// The state can't be saved or digested.
    #[error("the state can't be kept: {0}")]
    State(#[from] StateError),
}

/// Why what was fed to a session was refused. Nothing changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FeedError {
    /// There is no such seat.
    #[error("there is no {player}: the match has {seats} seats")]
    UnknownPlayer {
        /// It.
        player: PlayerId,
        /// How many there are.
        seats: usize,
    },
    /// There is no such peer.
    #[error("there is no {peer}: a session knows those that hold a seat or were added as watchers")]
    UnknownPeer {
        /// It.
        peer: PeerId,
    },
    /// The seat is not held by a player at this machine.
    #[error("{player} does not sit at this machine")]
    NotLocal {
        /// It.
        player: PlayerId,
    },
    /// The seat is not held by a player elsewhere.
    #[error("{player} does not sit at another machine on tick {tick}")]
    NotRemote {
        /// It.
        player: PlayerId,
        /// The tick.
        tick: Tick,
    },
    /// Someone else sits there.
    #[error("{player} is not {peer}'s")]
    NotTheirs {
        /// The seat.
        player: PlayerId,
        /// Who spoke.
        peer: PeerId,
    },
    /// Further ahead than the log reaches.
    #[error(
        "tick {tick} lies too far ahead: inputs are taken up to tick {limit}; they may come again later"
    )]
    FarFuture {
        /// It.
        tick: Tick,
        /// The first tick that is not taken.
        limit: Tick,
    },
    /// Two confirmed values for one tick; the first one stays.
    #[error(
        "{player} was confirmed for tick {tick} already, with another input; the first one stays"
    )]
    Conflict {
        /// Whose.
        player: PlayerId,
        /// When.
        tick: Tick,
    },
    /// A bundle has not as many inputs as the match has seats.
    #[error("a bundle of {inputs} inputs for {seats} seats")]
    BundleSize {
        /// How many there are.
        inputs: usize,
        /// How many there should be.
        seats: usize,
    },
    /// A bundle, but owners confirm.
    #[error("in a mesh the owner's word confirms; choose Authority::Bundle for a relay")]
    NoBundles,
    /// The commands of a tick can't be read.
    #[error("the commands of {player} for tick {tick} can't be taken: {error}")]
    Payload {
        /// Whose.
        player: PlayerId,
        /// When.
        tick: Tick,
        /// Why.
        error: crate::input::PayloadError,
    },
    /// A change of the roster for a tick that is confirmed.
    #[error(
        "tick {tick} is confirmed already (up to {confirmed}); let the change take place later"
    )]
    TooLate {
        /// The tick.
        tick: Tick,
        /// What is confirmed.
        confirmed: Tick,
    },
    /// Too long.
    #[error("an input delay of {ticks} ticks: at most {MAX_DELAY}")]
    Delay {
        /// It.
        ticks: u32,
    },
    /// A message of another session can't be read.
    #[error("a message of {peer} can't be read: {reason}")]
    Message {
        /// Whose.
        peer: PeerId,
        /// What is wrong with it.
        reason: &'static str,
    },
}
