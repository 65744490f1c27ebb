//! Simulated datagram network and clocks in virtual time, to test games and protocols: bad links, drifting clocks and
//! timers, determined by one seed and computed in integers, so that a failure reproduces on any machine.
//!
//! | file | owns |
//! | --- | --- |
//! | `network` | [`SimNetwork`]: nodes, links, scheduled changes |
//! | `inbox` | packets in flight to a node, in order of arrival |
//! | `errors` | errors |
//! | `config`, `jitter` | [`LinkConfig`]: settings of a link, with profiles |
//! | `link` | loss, delay and corruption of one packet |
//! | `stats` | `LinkStats`: counts of datagrams by outcome |
//! | `clock` | `VirtualClock`: the clock of a machine, with drift |
//! | `timers` | `Timers`: wake times by machine |

mod clock;
mod config;
mod errors;
mod inbox;
mod jitter;
mod link;
mod network;
mod stats;
mod timers;

pub use config::{Bandwidth, Bursts, ConfigError, Corruption, LinkConfig};
pub use errors::LinkError;
pub use jitter::Jitter;
pub use network::{NodeId, SimNetwork};

/// Parts of the crate's `internals`.
pub(crate) mod internals {
    pub use super::clock::{ClockError, VirtualClock};
    pub use super::errors::{SendError, UnknownNode};
    pub use super::network::{Change, Delivery};
    pub use super::stats::{LinkStats, Losses};
    pub use super::timers::{SimEvent, Timers};
}
