//! What misuse of a `SimNetwork` answers: one type per operation, each saying what to do instead. Values of a
//! configuration have theirs in `config`.

use super::config::ConfigError;
use super::network::NodeId;
use crate::Time;

/// A node of some other network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("node {} is not of this network: use what its add_node gave", .0.0)]
pub struct UnknownNode(pub NodeId);

/// Why a link can't be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// A node of some other network.
    #[error(transparent)]
    UnknownNode(#[from] UnknownNode),
    /// A value out of range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A partition that never holds.
    #[error("the partition ends at {end}, not after its start at {start}: give a later end")]
    EmptyWindow {
        /// Its start.
        start: Time,
        /// Its end.
        end: Time,
    },
}

/// Why a packet can't be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// A node of some other network.
    #[error(transparent)]
    UnknownNode(#[from] UnknownNode),
    /// The network has already seen a later moment.
    #[error(
        "it is already {latest}: a packet can't be sent at {now}; walk the nodes in order of time"
    )]
    TimeWentBack {
        /// The moment given.
        now: Time,
        /// The latest seen.
        latest: Time,
    },
}
