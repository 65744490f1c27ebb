//! What a peer has to tell.

use crate::crypto::Slot;
use crate::endpoint::{CloseReason, ConnectError, Event};
use crate::link::LinkError;
use core::fmt;
use isostep_rollback::SessionEvent;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PeerEvent {
    /// Keys that everybody knows are in use: this is no protection.
    Insecure,
    /// A machine is there.
    Joined {
        /// Which.
        slot: Slot,
    },
    /// All are there, and ticks begin.
    Started,
    /// A machine can't be reached, or does not want to. It is called again.
    NotReached {
        /// Which.
        slot: Slot,
        /// Why.
        reason: ConnectError,
    },
    /// A machine that wanted to join was refused.
    Refused {
        /// Which, as far as it has proved that.
        slot: Option<Slot>,
        /// Why.
        reason: ConnectError,
    },
    /// Nothing was heard of a machine for a second.
    Quiet {
        /// Which.
        slot: Slot,
    },
    /// It was heard again.
    Back {
        /// Which.
        slot: Slot,
    },
    /// A machine has left. The match can't go on past the inputs that it sent.
    Left {
        /// Which.
        slot: Slot,
        /// Why.
        reason: CloseReason,
    },
    /// Something else about a connection.
    Connection(Event),
    /// Something about the session.
    Session(SessionEvent),
    /// A machine said what the session refuses. One that goes on so is broken.
    Broken {
        /// Which.
        slot: Slot,
        /// What.
        error: LinkError,
    },
    /// The transport failed. It is tried again.
    Transport {
        /// How.
        error: String,
    },
}

impl fmt::Display for PeerEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Insecure => f.write_str(
                "INSECURE: development keys, which everybody knows; get tokens with `isostep match new`",
            ),
            Self::Joined { slot } => write!(f, "{slot} is there"),
            Self::Started => f.write_str("all are there: go"),
            Self::NotReached { slot, reason } => write!(f, "{slot}: {reason}"),
            Self::Refused { slot: Some(slot), reason } => write!(f, "{slot} was refused: {reason}"),
            Self::Refused { slot: None, reason } => write!(f, "somebody was refused: {reason}"),
            Self::Quiet { slot } => write!(f, "nothing of {slot} for a second"),
            Self::Back { slot } => write!(f, "{slot} is back"),
            Self::Left { slot, reason: CloseReason::Said } => {
                write!(f, "the connection with {slot} was closed from here")
            }
            Self::Left { slot, reason } => write!(f, "{slot} has left: {reason}"),
            Self::Connection(event) => event.fmt(f),
            Self::Session(event) => event.fmt(f),
            Self::Broken { slot, error } => write!(f, "{slot} makes no sense: {error}"),
            Self::Transport { error } => f.write_str(error),
        }
    }
}
