//! What carries datagrams: one small trait, and what implements it.
//!
//! | file | owns | feature |
//! | --- | --- | --- |
//! | `udp` | `UdpTransport`: a socket of the operating system | `udp` |
//! | `sim` | [`SimTransport`]: a node of a simulated network | |
//! | `laminar` | `LaminarTransport`: a socket of laminar, for those who have it | `laminar` |
//! | `ggrs_socket` | `GgrsSocketTransport`: any socket of ggrs | `ggrs` |
//! | `ggrs_session` | `EncryptedSocket`: the other way, sessions of ggrs over what we protect | `ggrs` |
//! | `tunnel` | [`Tunnel`]: an endpoint and its transport, for sessions that are not ours | |
//! | `address_family`, `socket_error` | IPv4 and IPv6 on one socket; which errors of a socket matter | |

#[cfg(any(feature = "udp", feature = "laminar"))]
mod address_family;
#[cfg(feature = "ggrs")]
mod ggrs_session;
#[cfg(feature = "ggrs")]
mod ggrs_socket;
#[cfg(feature = "laminar")]
mod laminar;
mod sim;
#[cfg(any(feature = "udp", feature = "laminar"))]
mod socket_error;
mod tunnel;
#[cfg(feature = "udp")]
mod udp;

#[cfg(feature = "ggrs")]
pub use ggrs_session::{DatagramQueues, Datagrams, EncryptedSocket};
#[cfg(feature = "ggrs")]
pub use ggrs_socket::GgrsSocketTransport;
#[cfg(feature = "laminar")]
pub use laminar::LaminarTransport;
pub use sim::SimTransport;
pub use tunnel::Tunnel;
#[cfg(feature = "udp")]
pub use udp::UdpTransport;

use crate::address::Address;
use isostep_rollback::Time;

/// Carries datagrams to addresses and from them. It may lose, double, delay and reorder them; it never waits.
pub trait Transport {
    /// Sends a datagram. One that can't be sent just now (a full buffer) counts as lost, not as an error.
    ///
    /// # Errors
    /// When the transport is broken, or can't reach such an address.
    fn send(&mut self, now: Time, to: Address, bytes: &[u8]) -> Result<(), TransportError>;

    /// The next datagram that has arrived, if any; `into` is replaced by its bytes.
    ///
    /// # Errors
    /// When the transport is broken, or a datagram was refused; the next call goes on behind it.
    fn receive(&mut self, now: Time, into: &mut Vec<u8>)
    -> Result<Option<Address>, TransportError>;
}

/// Why a transport refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// The operating system said so.
    #[error("the socket failed: {0}; bind it again, or look whether the network is up")]
    Socket(#[from] std::io::Error),
    /// This transport has no such addresses.
    #[error("this transport can't send to {to}; it has addresses of another kind")]
    Unreachable {
        /// Where to.
        to: Address,
    },
    /// A datagram that is too long to send.
    #[error("a datagram of {bytes} bytes; the transport takes at most {max}")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The longest.
        max: usize,
    },
    /// What arrived is not what this transport carries.
    #[error("a datagram from {from} was refused: {reason}")]
    Refused {
        /// From where.
        from: Address,
        /// Why.
        reason: String,
    },
}
