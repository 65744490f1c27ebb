//! What a peer has to tell.

use crate::crypto::MachineId;
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
        machine: MachineId,
    },
    /// All are there, and ticks begin.
    Started,
    /// A machine can't be reached, or does not want to. It is called again.
    ConnectFailed {
        /// Which.
        machine: MachineId,
        /// Why.
        reason: ConnectError,
    },
    /// A machine that wanted to join was refused.
    Refused {
        /// Which, as far as it has proved that.
        machine: Option<MachineId>,
        /// Why.
        reason: ConnectError,
    },
    /// Nothing was heard of a machine for a second.
    Interrupted {
        /// Which.
        machine: MachineId,
    },
    /// It was heard again.
    Resumed {
        /// Which.
        machine: MachineId,
    },
    /// A machine has left. The match can't go on past the inputs that it sent.
    Left {
        /// Which.
        machine: MachineId,
        /// Why.
        reason: CloseReason,
    },
    /// Something else about a connection.
    Connection(Event),
    /// Something about the session.
    Session(SessionEvent),
    /// A machine said what the session refuses. One that goes on so is broken.
    LinkError {
        /// Which.
        machine: MachineId,
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
            Self::Joined { machine } => write!(f, "{machine} is there"),
            Self::Started => f.write_str("all are there: go"),
            Self::ConnectFailed { machine, reason } => write!(f, "{machine}: {reason}"),
            Self::Refused { machine: Some(machine), reason } => write!(f, "{machine} was refused: {reason}"),
            Self::Refused { machine: None, reason } => write!(f, "somebody was refused: {reason}"),
            Self::Interrupted { machine } => write!(f, "nothing of {machine} for a second"),
            Self::Resumed { machine } => write!(f, "{machine} is back"),
            Self::Left { machine, reason: CloseReason::LocallyClosed } => {
                write!(f, "the connection with {machine} was closed from here")
            }
            Self::Left { machine, reason } => write!(f, "{machine} has left: {reason}"),
            Self::Connection(event) => event.fmt(f),
            Self::Session(event) => event.fmt(f),
            Self::LinkError { machine, error } => write!(f, "{machine} makes no sense: {error}"),
            Self::Transport { error } => f.write_str(error),
        }
    }
}
