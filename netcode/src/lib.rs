//! Encrypted peer-to-peer netcode: sans-IO connections, transports, and a [`Peer`] that plays a match.
//!
//! `WIRE.md` specifies every byte. Time and randomness are arguments. Only `WallClock`, `OsEntropy` and the transports
//! with sockets use the operating system.
//!
//! # WebAssembly
//! Everything compiles for `wasm32-unknown-unknown` with default features, except for what needs sockets or a system clock:
//! `UdpTransport` and `WallClock` do not exist there, and packets are protected by Rust code instead of ring's assembly. `OsEntropy`
//! asks the browser by way of `wasm-bindgen`. A page provides its own [`Transport`] and the time.
#![forbid(unsafe_code)]

mod address;
#[cfg(test)]
mod capture;
#[cfg(all(feature = "udp", not(target_family = "wasm")))]
mod clock;
mod connection;
pub mod crypto;
mod endpoint;
mod entropy;
mod link;
mod peer;
pub mod transport;
mod wire;

#[doc(hidden)]
pub mod internals {
    //! Parts for the other crates of this repository and its tests.
    //!
    //! Not covered by semver: anything here may change in any release. The same holds for methods that the documentation hides.
    pub use crate::crypto::internals::{TokenExpectation, save_secret};
    pub use crate::link::{Link, LinkError};
    pub use crate::wire::{MAX_MTU, MIN_MTU, MatchParameters};
}

pub use address::Address;
#[cfg(all(feature = "udp", not(target_family = "wasm")))]
pub use clock::WallClock;
pub use connection::{MAX_MESSAGE_BYTES, MessageError};
pub use endpoint::{
    CloseReason, ConnectError, Counters, Endpoint, EndpointConfig, EndpointError, Event, Message,
    close_code,
};
#[cfg(feature = "udp")]
pub use entropy::OsEntropy;
pub use entropy::{Entropy, SeededEntropy};
pub use isostep_rollback::Audience;
#[cfg(all(feature = "udp", not(target_family = "wasm")))]
pub use peer::UdpPeerError;
pub use peer::{Finish, Peer, PeerConfig, PeerError, PeerEvent, Seat};
pub use transport::{Transport, TransportError};
pub use wire::PROTOCOL_VERSION;
