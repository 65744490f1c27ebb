//! Errors of a `SimNetwork`: one type per operation. Errors of settings are in `config`.

use super::config::ConfigError;
use super::network::NodeId;
use crate::Time;

/// The node belongs to another network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("node {} belongs to another network; use an id from this network's add_node", .0.0)]
pub struct UnknownNode(pub NodeId);

/// Error of changing a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The node belongs to another network.
    #[error(transparent)]
    UnknownNode(#[from] UnknownNode),
    /// A setting is out of range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The window of a partition is empty.
    #[error("the partition ends at {end}, not after its start at {start}: give a later end")]
    EmptyWindow {
        /// Start of the window.
        start: Time,
        /// End of the window.
        end: Time,
    },
}

/// Error of sending a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The node belongs to another network.
    #[error(transparent)]
    UnknownNode(#[from] UnknownNode),
    /// The time is before the latest time given to the network.
    #[error(
        "the network is at {latest}: a packet can't be sent at {now}; process nodes in order of time"
    )]
    TimeWentBack {
        /// Time of sending.
        now: Time,
        /// Latest time.
        latest: Time,
    },
}
