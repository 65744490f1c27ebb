//! What an endpoint has to tell, and what it has counted.

use crate::address::Address;
use crate::crypto::{MachineId, TokenError};
use crate::wire::MatchParameters;
use core::fmt;
use core::time::Duration;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Keys that everybody knows are in use: this is no protection. Told once, before anything else.
    Insecure,
    /// A connection stands.
    Connected {
        /// With whom.
        machine: MachineId,
        /// Where it is.
        address: Address,
    },
    /// An attempt to connect has failed. Another one may be made.
    ConnectFailed {
        /// With whom.
        machine: MachineId,
        /// Why.
        reason: ConnectError,
    },
    /// A machine that wanted to connect was refused.
    Refused {
        /// Which, as far as it has proved that.
        machine: Option<MachineId>,
        /// From where.
        address: Address,
        /// Why.
        reason: ConnectError,
    },
    /// Nothing was heard for a second. The connection goes on until the idle timeout.
    Interrupted {
        /// From whom.
        machine: MachineId,
    },
    /// Something was heard again.
    Resumed {
        /// From whom.
        machine: MachineId,
    },
    /// A peer has another address, and has proved that it is there.
    Migrated {
        /// Who.
        machine: MachineId,
        /// From where.
        from: Address,
        /// To where.
        to: Address,
    },
    /// Longer packets get through.
    MtuRaised {
        /// To whom.
        machine: MachineId,
        /// How long.
        bytes: usize,
    },
    /// A connection has ended.
    Closed {
        /// With whom.
        machine: MachineId,
        /// Why.
        reason: CloseReason,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Insecure => f.write_str("INSECURE: keys that everybody knows"),
            Self::Connected { machine, address } => {
                write!(f, "connected with {machine} at {address}")
            }
            Self::ConnectFailed { machine, reason } => {
                write!(f, "no connection with {machine}: {reason}")
            }
            Self::Refused { machine: Some(machine), address, reason } => {
                write!(f, "refused {machine} at {address}: {reason}")
            }
            Self::Refused { machine: None, address, reason } => {
                write!(f, "refused {address}: {reason}")
            }
            Self::Interrupted { machine } => write!(f, "nothing of {machine} for a second"),
            Self::Resumed { machine } => write!(f, "{machine} is back"),
            Self::Migrated { machine, from, to } => {
                write!(f, "{machine} moved from {from} to {to}")
            }
            Self::MtuRaised { machine, bytes } => {
                write!(f, "packets of {bytes} bytes get through to {machine}")
            }
            Self::Closed { machine, reason } => {
                write!(f, "the connection with {machine} is over: {reason}")
            }
        }
    }
}

/// Why a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloseReason {
    /// This side said goodbye.
    LocallyClosed,
    /// The other side did.
    ClosedByPeer {
        /// Its code: [`close_code`], or the game's own from 256 on.
        code: u16,
        /// Its words. They are somebody else's: show them as such.
        text: String,
    },
    /// Nothing was heard for longer than the idle timeout: the machine, its program or the way to it is gone.
    IdleTimeout {
        /// For how long.
        after: Duration,
    },
    /// A newer connection of the same machine took its place.
    Replaced,
    /// The other side broke the protocol.
    ProtocolViolation,
}

/// Codes of goodbyes.
pub mod close_code {
    /// The game's choice.
    pub const GAME: u16 = 0;
    /// A newer connection took its place.
    pub const REPLACED: u16 = 1;
    /// The other side was silent.
    pub const IDLE_TIMEOUT: u16 = 2;
    /// The other side broke the protocol.
    pub const PROTOCOL_VIOLATION: u16 = 3;
    /// The program ends.
    pub const SHUTDOWN: u16 = 4;
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LocallyClosed => f.write_str("closed from here"),
            Self::ClosedByPeer { code: close_code::SHUTDOWN, .. } => {
                f.write_str("its program ended")
            }
            Self::ClosedByPeer { code: close_code::REPLACED, .. } => {
                f.write_str("another program with the same machine took its place there")
            }
            Self::ClosedByPeer { code, text } => {
                write!(f, "closed from there: {text:?} (code {code})")
            }
            Self::IdleTimeout { after } => {
                let (seconds, tenths) = (after.as_secs(), after.subsec_millis() / 100);
                write!(
                    f,
                    "not heard for {seconds}.{tenths} s; its program or the way to it is gone"
                )
            }
            Self::Replaced => f.write_str("replaced by a newer connection of the same machine"),
            Self::ProtocolViolation => f.write_str("it broke the protocol"),
        }
    }
}

/// Why two machines did not connect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// Nobody answered.
    #[error(
        "{address} does not answer; is the other program running, with a token of the same match, and is UDP let \
         through?"
    )]
    TimedOut {
        /// Where.
        address: Address,
    },
    /// The other side speaks other versions.
    #[error("protocol version {ours} here, {theirs:?} there; all must use the same release")]
    Protocol {
        /// Ours.
        ours: u16,
        /// Theirs.
        theirs: Vec<u16>,
    },
    /// Another game.
    #[error("another game: {theirs} there, {ours} here")]
    Game {
        /// Ours.
        ours: crate::crypto::GameId,
        /// Theirs.
        theirs: crate::crypto::GameId,
    },
    /// Inputs have another width.
    #[error(
        "inputs of {theirs} bytes there, {ours} here; both must run the same build of the game"
    )]
    InputWidth {
        /// Ours.
        ours: u16,
        /// Theirs.
        theirs: u16,
    },
    /// Inputs have other fields.
    #[error("the input type has other fields there; both must run the same build of the game")]
    InputSchema,
    /// Another set-up.
    #[error(
        "seats, digest interval, command limits or tick length differ there; set all machines up alike"
    )]
    Settings,
    /// The token was refused.
    #[error("the token was refused: {0}")]
    Token(TokenError),
    /// The other side refused our token.
    #[error(
        "the other side refused our token: it is for another match or holder, or from the future; ask the matchmaker for a new one, and look at the clocks"
    )]
    TokenRefused,
    /// The other side found our token too old.
    #[error(
        "our token has expired; ask the matchmaker for a new one, and look at this machine's clock"
    )]
    TokenExpired,
    /// The match is over there.
    #[error("the match is over there")]
    MatchOver,
    /// The handshake made no sense.
    #[error("the other side answered with what it could not have meant; is it the right program?")]
    InvalidHandshake,
}

impl ConnectError {
    /// What differs, seen from here.
    pub(super) fn from_mismatch(ours: &MatchParameters, theirs: &MatchParameters) -> Option<Self> {
        use crate::wire::Refusal;
        Some(match ours.first_mismatch(theirs)? {
            Refusal::Protocol => {
                Self::Protocol { ours: ours.protocol, theirs: vec![theirs.protocol] }
            }
            Refusal::Game => Self::Game { ours: ours.game, theirs: theirs.game },
            Refusal::InputWidth => {
                Self::InputWidth { ours: ours.input_width, theirs: theirs.input_width }
            }
            Refusal::InputSchema => Self::InputSchema,
            _ => Self::Settings,
        })
    }
}

/// What an endpoint has counted. What was dropped changed nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Packets that were sent.
    pub sent: u64,
    /// Their bytes, without those of IP and UDP.
    pub sent_bytes: u64,
    /// Packets that came.
    pub received: u64,
    /// Their bytes.
    pub received_bytes: u64,
    /// Dropped: not one of ours, by its first bytes or its length.
    pub unrecognized: u64,
    /// Dropped: for a connection that does not exist.
    pub unknown_connection: u64,
    /// Dropped: does not open with the connection's keys. Damaged, forged, or reflected.
    pub decrypt_failed: u64,
    /// Dropped: was opened before, or is too old to tell.
    pub replayed: u64,
    /// Opened, but with a frame that makes no sense.
    pub malformed: u64,
    /// Dropped: a cookie that is not ours, not for this address, or too old.
    pub invalid_cookies: u64,
    /// Dropped: handshakes whose first message does not open or whose holder is not in the match.
    pub invalid_handshakes: u64,
    /// Dropped: too many handshakes at once.
    pub rate_limited: u64,
    /// Dropped: nobody took them in time.
    pub overflowed: u64,
}
