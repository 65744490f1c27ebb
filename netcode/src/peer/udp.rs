//! A peer over UDP: sockets for a host and for those who join, waiting, and leaving.

#![allow(
    clippy::disallowed_methods,
    reason = "the waits of the outermost driver, a program; nothing in this crate calls them"
)]

use super::{Peer, PeerConfig, PeerError};
use crate::clock::WallClock;
use crate::crypto::MachineId;
use crate::entropy::OsEntropy;
use crate::transport::{TransportError, UdpTransport};
use core::time::Duration;
use isostep_rollback::Simulation;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::thread::sleep;

/// Longest sleep of [`Peer::wait`]: packets that arrive before the next tick are answered soon.
const MAX_SLEEP: Duration = Duration::from_millis(2);
/// Time for which CLOSE frames are repeated.
const CLOSE_RESEND: Duration = Duration::from_millis(500);

/// Reasons why a peer over UDP cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UdpPeerError {
    /// The socket cannot be bound.
    #[error("{address}: {error}; choose another address or port")]
    Bind {
        /// Local address.
        address: SocketAddr,
        /// Error of the operating system.
        error: TransportError,
    },
    /// The settings are invalid.
    #[error(transparent)]
    Peer(#[from] PeerError),
}

impl<S: Simulation> Peer<S, UdpTransport> {
    /// Creates a peer at a local address. Further addresses are optional: machines that know this one's connect to it.
    ///
    /// # Errors
    /// The address is in use or not of this computer, or as for [`new`](Self::new).
    pub fn host(config: PeerConfig, game: &mut S, at: SocketAddr) -> Result<Self, UdpPeerError> {
        let transport =
            UdpTransport::bind(at).map_err(|error| UdpPeerError::Bind { address: at, error })?;
        Ok(Self::new(config, game, transport, Box::new(OsEntropy))?)
    }

    /// Creates a peer at any free port that connects to machine 0, the host. With more than two machines, the host
    /// introduces the others.
    ///
    /// # Errors
    /// As for [`host`](Self::host).
    pub fn join(config: PeerConfig, game: &mut S, host: SocketAddr) -> Result<Self, UdpPeerError> {
        let any: SocketAddr = match host {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        Self::host(config.address(MachineId(0), host), game, any)
    }

    /// Sleeps until the next tick or timer is due, at most two milliseconds: for programs without a frame rate.
    pub fn wait(&self, clock: &WallClock) {
        let now = clock.now();
        sleep(self.next_due(now).since(now).min(MAX_SLEEP));
    }

    /// [Leaves](Self::leave), and blocks for half a second, so that all machines are informed.
    pub fn leave_and_wait(&mut self, clock: &WallClock) {
        let until = clock.now() + CLOSE_RESEND;
        self.leave(clock.now());
        while clock.now() < until {
            self.begin_frame(clock.now());
            self.end_frame(clock.now());
            sleep(MAX_SLEEP);
        }
    }
}
