//! Encrypted peer-to-peer netcode: sans-IO connections, transports, and a [`Peer`] that plays a match.
//!
//! `WIRE.md` specifies every byte. Time and randomness are arguments. Only `WallClock`, `OsEntropy` and the transports
//! with sockets use the operating system.
#![forbid(unsafe_code)]

mod address;
#[cfg(test)]
mod capture;
#[cfg(feature = "udp")]
mod clock;
mod connection;
pub mod crypto;
mod endpoint;
mod entropy;
mod link;
mod peer;
pub mod transport;
pub mod wire;

pub use address::Address;
#[cfg(feature = "udp")]
pub use clock::WallClock;
pub use connection::{MAX_MESSAGE_BYTES, MessageError};
pub use endpoint::{
    CloseReason, ConnectError, Counters, Endpoint, EndpointConfig, EndpointError, Event, Message,
    close_code,
};
#[cfg(feature = "udp")]
pub use entropy::OsEntropy;
pub use entropy::{Entropy, SeededEntropy};
pub use link::{Link, LinkError};
pub use peer::{Peer, PeerConfig, PeerError, PeerEvent, Seat};
pub use transport::{Transport, TransportError};
