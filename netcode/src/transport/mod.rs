//! Datagram transports: the trait [`Transport`] and its implementations.
//!
//! | file | owns | feature |
//! | --- | --- | --- |
//! | `udp` | `UdpTransport`: a UDP socket; not for WebAssembly | `udp` |
//! | `sim` | [`SimTransport`]: a node of a simulated network | |
//! | `laminar` | `LaminarTransport`: laminar, for existing deployments; not for WebAssembly | `laminar` |
//! | `ggrs_socket` | `GgrsSocketTransport`: any ggrs socket | `ggrs` |
//! | `ggrs_session` | `EncryptedSocket`: the reverse, ggrs sessions over encrypted connections | `ggrs` |
//! | `tunnel` | [`Tunnel`]: an endpoint with its transport, for other session types | |
//! | `address_family`, `socket_error` | dual-stack addresses; classification of socket errors | |

#[cfg(all(any(feature = "udp", feature = "laminar"), not(target_family = "wasm")))]
mod address_family;
#[cfg(feature = "ggrs")]
mod ggrs_session;
#[cfg(feature = "ggrs")]
mod ggrs_socket;
#[cfg(all(feature = "laminar", not(target_family = "wasm")))]
mod laminar;
mod sim;
#[cfg(all(any(feature = "udp", feature = "laminar"), not(target_family = "wasm")))]
mod socket_error;
mod tunnel;
#[cfg(all(feature = "udp", not(target_family = "wasm")))]
mod udp;

#[cfg(feature = "ggrs")]
pub use ggrs_session::{DatagramQueues, Datagrams, EncryptedSocket};
#[cfg(feature = "ggrs")]
pub use ggrs_socket::GgrsSocketTransport;
#[cfg(all(feature = "laminar", not(target_family = "wasm")))]
pub use laminar::LaminarTransport;
pub use sim::SimTransport;
pub use tunnel::Tunnel;
#[cfg(all(feature = "udp", not(target_family = "wasm")))]
pub use udp::UdpTransport;

use crate::address::Address;
use isostep_rollback::Time;

/// Carries datagrams between addresses. It may lose, duplicate, delay and reorder them. It never blocks.
#[doc(alias = "NonBlockingSocket")]
pub trait Transport {
    /// Sends a datagram. If the send buffer is full, the datagram counts as lost; that is not an error.
    ///
    /// # Errors
    /// The transport has failed, or cannot reach this kind of address.
    fn send(&mut self, now: Time, to: Address, bytes: &[u8]) -> Result<(), TransportError>;

    /// Returns the source of the next received datagram; `into` is replaced by its bytes.
    ///
    /// # Errors
    /// The transport has failed, or a datagram was refused. The next call continues after it.
    fn receive(&mut self, now: Time, into: &mut Vec<u8>)
    -> Result<Option<Address>, TransportError>;
}

/// Errors of a transport.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// Error of the operating system.
    #[error("the socket failed: {0}; bind it again, or check the network")]
    Socket(#[from] std::io::Error),
    /// The transport cannot reach this kind of address.
    #[error("this transport cannot send to {to}; use an address of its own kind")]
    Unreachable {
        /// Destination.
        to: Address,
    },
    /// The datagram is too long to send.
    #[error("a datagram of {bytes} bytes is too long; send at most {max}")]
    TooLong {
        /// Length of the datagram.
        bytes: usize,
        /// Maximum length.
        max: usize,
    },
    /// A received datagram does not have the format of this transport.
    #[error("a datagram from {from} was refused: {reason}; ignore it")]
    Refused {
        /// Source.
        from: Address,
        /// Reason.
        reason: String,
    },
}
