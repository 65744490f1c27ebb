//! Events of a peer.

use super::Finish;
use crate::address::Address;
use crate::crypto::MachineId;
use crate::endpoint::{CloseReason, ConnectError, Event};
use crate::link::LinkError;
use core::fmt;
use isostep_rollback::{Audience, SessionEvent};

/// Event of a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PeerEvent {
    /// Development keys are in use, which give no protection.
    Insecure,
    /// The match waits for these machines, with their addresses if they are known. Reported when they change; never
    /// empty.
    Waiting {
        /// Machines.
        machines: Vec<(MachineId, Option<Address>)>,
    },
    /// A machine is connected.
    Connected {
        /// Machine id.
        machine: MachineId,
    },
    /// All machines are connected; ticks start.
    Started,
    /// An attempt to connect failed. It is repeated.
    ConnectFailed {
        /// Machine id.
        machine: MachineId,
        /// Reason.
        reason: ConnectError,
    },
    /// An incoming handshake was refused.
    Refused {
        /// Machine of the initiator, if its key is in the roster.
        machine: Option<MachineId>,
        /// Reason.
        reason: ConnectError,
    },
    /// No packet was received from a machine for one second.
    Interrupted {
        /// Machine id.
        machine: MachineId,
    },
    /// Packets are received again after [`Interrupted`](Self::Interrupted).
    Resumed {
        /// Machine id.
        machine: MachineId,
    },
    /// A machine has left. The match cannot advance past its last inputs; [`Peer::finish_at`](super::Peer::finish_at) ends
    /// it for the others. Before [`Started`](Self::Started), the others wait for it to return.
    Left {
        /// Machine id.
        machine: MachineId,
        /// Reason.
        reason: CloseReason,
    },
    /// The match has ended; see [`Peer::finish_at`](super::Peer::finish_at). Call [`Peer::leave`](super::Peer::leave).
    Finished(Finish),
    /// Other event of a connection.
    Connection(Event),
    /// Event of the session.
    Session(SessionEvent),
    /// A frame or message of a machine was rejected: it is malformed, names a seat that does not exist, or contradicts a
    /// confirmed input. What was valid before the error is applied. A healthy machine of the same build causes none,
    /// however late or far ahead it is; repeated errors indicate a defective peer. With
    /// [`LinkError::InputsDiscarded`] this machine has closed the connection.
    LinkError {
        /// Machine id.
        machine: MachineId,
        /// Reason.
        error: LinkError,
    },
    /// The transport failed. It is used again in the next frame.
    Transport {
        /// Description of the error.
        error: String,
    },
}

impl PeerEvent {
    /// Returns whether the event is for players or for developers.
    pub const fn audience(&self) -> Audience {
        match self {
            Self::Session(event) => event.audience(),
            Self::Connection(_) | Self::LinkError { .. } | Self::Transport { .. } => {
                Audience::Developers
            }
            Self::Insecure
            | Self::Waiting { .. }
            | Self::Connected { .. }
            | Self::Started
            | Self::ConnectFailed { .. }
            | Self::Refused { .. }
            | Self::Interrupted { .. }
            | Self::Resumed { .. }
            | Self::Left { .. }
            | Self::Finished(_) => Audience::Players,
        }
    }
}

impl fmt::Display for PeerEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Insecure => f.write_str(
                "INSECURE: development keys give no protection; get tokens with `isostep match new`",
            ),
            Self::Waiting { machines } => {
                f.write_str("waiting for ")?;
                for (index, (machine, address)) in machines.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    write!(f, "{machine}")?;
                    address.map_or(Ok(()), |address| write!(f, " at {address}"))?;
                }
                Ok(())
            }
            Self::Finished(finish) => finish.fmt(f),
            Self::Connected { machine } => write!(f, "{machine} connected"),
            Self::Started => f.write_str("all machines connected; the match starts"),
            Self::ConnectFailed { machine, reason } => write!(f, "{machine}: {reason}"),
            Self::Refused { machine: Some(machine), reason } => write!(f, "{machine} was refused: {reason}"),
            Self::Refused { machine: None, reason } => write!(f, "a handshake was refused: {reason}"),
            Self::Interrupted { machine } => write!(f, "no packet from {machine} for one second"),
            Self::Resumed { machine } => write!(f, "{machine} resumed"),
            Self::Left { machine, reason: CloseReason::LocallyClosed } => {
                write!(f, "the connection to {machine} was closed by this machine")
            }
            Self::Left { machine, reason } => write!(f, "{machine} left: {reason}"),
            Self::Connection(event) => event.fmt(f),
            Self::Session(event) => event.fmt(f),
            Self::LinkError { machine, error } => write!(f, "invalid data from {machine}: {error}"),
            Self::Transport { error } => f.write_str(error),
        }
    }
}
