//! Simulated datagram network and clocks in virtual time, to test games and protocols: bad links, drifting clocks and
//! timers, determined by one seed and computed in integers, so that a failure reproduces on any machine.
//!
//! | file | owns |
//! | --- | --- |
//! | `network` | [`SimNetwork`]: nodes, links, when they change |
//! | `inbox` | what is on the way to a node, and its order of arrival |
//! | `errors` | what misuse answers |
//! | `config`, `jitter` | [`LinkConfig`]: what a link does to packets, and ready profiles |
//! | `link` | the fate of one packet |
//! | `stats` | [`LinkStats`]: what became of them |
//! | `clock` | [`VirtualClock`]: a peer's own time |
//! | `timers` | [`Timers`]: who is woken when |

mod clock;
mod config;
mod errors;
mod inbox;
mod jitter;
mod link;
mod network;
mod stats;
mod timers;

pub use clock::{ClockError, VirtualClock};
pub use config::{Bandwidth, Bursts, ConfigError, Corruption, LinkConfig};
pub use errors::{LinkError, SendError, UnknownNode};
pub use jitter::Jitter;
pub use network::{Change, Delivery, NodeId, SimNetwork};
pub use stats::{LinkStats, Losses};
pub use timers::{SimEvent, Timers};
