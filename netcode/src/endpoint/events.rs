//! Events, close reasons, connect errors and counters of an endpoint.

use crate::address::Address;
use crate::crypto::{MachineId, TokenError};
use crate::wire::MatchParameters;
use core::fmt;
use core::time::Duration;

/// Event of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Development keys are in use, which give no protection. Reported once, as the first event.
    Insecure,
    /// A connection is established.
    Connected {
        /// Peer.
        machine: MachineId,
        /// Address of the peer.
        address: Address,
    },
    /// An attempt to connect failed. It may be repeated.
    ConnectFailed {
        /// Peer.
        machine: MachineId,
        /// Reason.
        reason: ConnectError,
    },
    /// An incoming handshake was refused.
    Refused {
        /// Machine of the initiator, if its key is in the roster.
        machine: Option<MachineId>,
        /// Address of the initiator.
        address: Address,
        /// Reason.
        reason: ConnectError,
    },
    /// No packet was received for one second. The connection stays open until the idle timeout.
    Interrupted {
        /// Peer.
        machine: MachineId,
    },
    /// Packets are received again.
    Resumed {
        /// Peer.
        machine: MachineId,
    },
    /// The connection migrated: the peer's new address passed path validation.
    Migrated {
        /// Peer.
        machine: MachineId,
        /// Old address.
        from: Address,
        /// New address.
        to: Address,
    },
    /// MTU probing found a longer packet size.
    MtuRaised {
        /// Peer.
        machine: MachineId,
        /// MTU, in bytes of UDP payload.
        bytes: usize,
    },
    /// A connection has closed.
    Closed {
        /// Peer.
        machine: MachineId,
        /// Reason.
        reason: CloseReason,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Insecure => f.write_str("INSECURE: development keys give no protection"),
            Self::Connected { machine, address } => {
                write!(f, "connected to {machine} at {address}")
            }
            Self::ConnectFailed { machine, reason } => {
                write!(f, "cannot connect to {machine}: {reason}")
            }
            Self::Refused { machine: Some(machine), address, reason } => {
                write!(f, "refused {machine} at {address}: {reason}")
            }
            Self::Refused { machine: None, address, reason } => {
                write!(f, "refused {address}: {reason}")
            }
            Self::Interrupted { machine } => write!(f, "no packet from {machine} for one second"),
            Self::Resumed { machine } => write!(f, "{machine} resumed"),
            Self::Migrated { machine, from, to } => {
                write!(f, "{machine} migrated from {from} to {to}")
            }
            Self::MtuRaised { machine, bytes } => {
                write!(f, "MTU to {machine} is {bytes} bytes")
            }
            Self::Closed { machine, reason } => {
                write!(f, "the connection to {machine} closed: {reason}")
            }
        }
    }
}

/// Reasons why a connection closed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloseReason {
    /// This endpoint closed it.
    LocallyClosed,
    /// The peer closed it.
    ClosedByPeer {
        /// Code of the peer: see [`close_code`]; from 256 on defined by the game.
        code: u16,
        /// Text of the peer. It is untrusted: display it as a quotation.
        text: String,
    },
    /// No packet was received for the idle timeout. The machine, its program or its network has failed.
    IdleTimeout {
        /// Time since the last packet.
        after: Duration,
    },
    /// A newer connection of the same machine replaced it.
    Replaced,
    /// The peer violated the protocol.
    ProtocolViolation,
}

/// Codes of CLOSE frames.
pub mod close_code {
    /// Closed by the game.
    pub const GAME: u16 = 0;
    /// Replaced by a newer connection.
    pub const REPLACED: u16 = 1;
    /// Idle timeout.
    pub const IDLE_TIMEOUT: u16 = 2;
    /// Protocol violation of the receiver of the code.
    pub const PROTOCOL_VIOLATION: u16 = 3;
    /// The program shuts down.
    pub const SHUTDOWN: u16 = 4;
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LocallyClosed => f.write_str("closed by this machine"),
            Self::ClosedByPeer { code: close_code::SHUTDOWN, .. } => {
                f.write_str("its program shut down")
            }
            Self::ClosedByPeer { code: close_code::REPLACED, .. } => {
                f.write_str("another program with the same machine id replaced this one")
            }
            Self::ClosedByPeer { code, text } => {
                write!(f, "closed by the peer: {text:?} (code {code})")
            }
            Self::IdleTimeout { after } => {
                let (seconds, tenths) = (after.as_secs(), after.subsec_millis() / 100);
                write!(f, "no packet for {seconds}.{tenths} s; its program or network has failed")
            }
            Self::Replaced => f.write_str("replaced by a newer connection of the same machine"),
            Self::ProtocolViolation => f.write_str("it violated the protocol"),
        }
    }
}

/// Reasons why two machines do not connect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// No reply arrived within the handshake timeout.
    #[error(
        "{address} does not reply; check that the other program runs with a token of the same match, and that \
         firewalls pass UDP"
    )]
    TimedOut {
        /// Address of the peer.
        address: Address,
    },
    /// The protocol versions differ.
    #[error(
        "protocol version is {ours}, the peer's is {theirs:?}; run the same release on all machines"
    )]
    Protocol {
        /// Version of this machine.
        ours: u16,
        /// Versions of the peer.
        theirs: Vec<u16>,
    },
    /// The games differ.
    #[error("the game is {ours}, the peer's is {theirs}; run the same game on all machines")]
    Game {
        /// Game of this machine.
        ours: crate::crypto::GameId,
        /// Game of the peer.
        theirs: crate::crypto::GameId,
    },
    /// The input widths differ.
    #[error(
        "inputs have {ours} bytes, the peer's have {theirs}; run the same build on all machines"
    )]
    InputWidth {
        /// Width of this machine.
        ours: u16,
        /// Width of the peer.
        theirs: u16,
    },
    /// The input schemas differ.
    #[error("the peer's input type has other fields; run the same build on all machines")]
    InputSchema,
    /// The session settings differ.
    #[error(
        "the peer's seats, digest interval, command limits or tick length differ; configure all machines alike"
    )]
    Settings,
    /// The peer's token is invalid.
    #[error("the peer's token is invalid: {0}")]
    Token(TokenError),
    /// The peer refused this machine's token.
    #[error(
        "the peer refused this machine's token: wrong match or holder, or issued in the future; request a new token, and check the clocks"
    )]
    TokenRefused,
    /// The peer reported this machine's token as expired.
    #[error(
        "this machine's token has expired; request a new token, and check this machine's clock"
    )]
    TokenExpired,
    /// The peer's match is over.
    #[error("the match is over on the peer; start a new match")]
    MatchOver,
    /// The peer completed the handshake with an invalid payload.
    #[error("the peer sent an invalid handshake; check that it runs the same program")]
    InvalidHandshake,
}

impl ConnectError {
    /// Returns the first mismatch, from this machine's side.
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

/// Packet counters of an endpoint. Dropped packets have no effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Packets sent.
    pub sent: u64,
    /// Bytes sent, without IP and UDP headers.
    pub sent_bytes: u64,
    /// Packets received.
    pub received: u64,
    /// Bytes received.
    pub received_bytes: u64,
    /// Dropped: not a packet of this protocol, by first byte or length.
    pub unrecognized: u64,
    /// Dropped: unknown connection id or handshake attempt.
    pub unknown_connection: u64,
    /// Dropped: packet protection could not be removed. The packet is corrupted, forged or reflected.
    pub decrypt_failed: u64,
    /// Dropped by replay protection: a duplicate, or older than the replay window.
    pub replayed: u64,
    /// Packets with a malformed frame. Earlier frames of the packet were processed.
    pub malformed: u64,
    /// Dropped: the cookie is forged, expired, or for another address.
    pub invalid_cookies: u64,
    /// Dropped: message 1 fails authentication, or the initiator is not admitted.
    pub invalid_handshakes: u64,
    /// Dropped by rate limits of the handshake.
    pub rate_limited: u64,
    /// Dropped because a queue was full.
    pub overflowed: u64,
}
