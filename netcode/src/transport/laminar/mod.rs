//! Transport over laminar 0.5 in its unreliable mode. Reliability, ordering and encryption are provided above it. For
//! games that already use laminar; otherwise use `udp`. `filter` is the socket below laminar.

mod filter;

use super::address_family::{for_socket, unmap};
use super::{Transport, TransportError};
use crate::address::Address;
use core::fmt;
use core::time::Duration;
use filter::{FilterSocket, HEADER};
use isostep_rollback::Time;
use laminar::{Config, ConnectionManager, Packet, SocketEvent, VirtualConnection};
use std::io;
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};

/// Default receive buffer of laminar, in bytes: the limit of peers that run plain laminar.
const LAMINAR_BUFFER_BYTES: usize = 1452;
/// Receive buffer of this transport: longer than any datagram sent, so that truncated ones are recognized by their
/// length.
const BUFFER_BYTES: usize = 2048;
/// Idle timeout of laminar's own connection state, which is not used here and takes 1.6 MB.
const IDLE_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum number of queued events if the caller only sends. laminar itself would store all of them.
const MAX_QUEUED: usize = 4096;

/// laminar without its thread.
///
/// **laminar is unmaintained since 2021.** Use this transport only to migrate a game whose servers, firewalls and tools
/// already use laminar. It adds five bytes to each datagram and has no advantage over `UdpTransport`.
///
/// - Create: [`bind`](Self::bind), or [`from_socket`](Self::from_socket) for custom socket options
/// - Use: [`send`](Transport::send), [`receive`](Transport::receive) until empty
/// - Observe: [`local_addr`](Self::local_addr), [`dropped`](Self::dropped), [`refused`](Self::refused)
///
/// Each call polls laminar once, with the given time. It uses laminar's connection manager, as laminar's `Socket` does, over
/// a filtering socket. The bytes on the wire are the same.
///
/// # Behaviour of laminar
/// - *Connections.* laminar keeps one per address, here for half a second of inactivity. Expiry has no effect: the next
///   datagram creates a new one, and connection events are ignored.
/// - *Heartbeats* are disabled. Heartbeats of peers are refused.
/// - *Length.* laminar claims to accept 1,452 bytes but does not count its own header; a receiver would silently lose the last
///   five. [`MAX_DATAGRAM_BYTES`](Self::MAX_DATAGRAM_BYTES) leaves room for it. The unreliable mode never fragments.
/// - *Clock.* laminar reads the system clock for round trips of its reliable mode, which is not used.
///
/// # Attack surface
/// Version 0.2 panicked on unknown packet types ([#202](https://github.com/TimonPost/laminar/issues/202)). No bytes are known
/// that make 0.5 panic: its parser was reviewed, and tests feed it mutated packets with and without the filter. But in 0.5
/// - each packet from an unknown address, even five random bytes, allocates and fills 1.6 MB in a quarter of a
///   millisecond ([#272](https://github.com/TimonPost/laminar/issues/272)); up to 50 unanswered addresses stay for 5 s,
///   answered ones have no limit;
/// - out-of-order packets of the ordered mode are stored, up to 32,768 in each of 256 streams per address;
/// - a poll reads until the socket is empty, so a fast sender blocks the caller.
///
/// The filter keeps packets of other modes and malformed packets from laminar. A poll reads at most 1,024 datagrams, and
/// admits at most eight unknown addresses. A flood of well-formed packets from spoofed addresses still costs 1.6 MB per
/// admitted address; use a rate limit in front of it.
pub struct LaminarTransport {
    manager: ConnectionManager<FilterSocket, VirtualConnection>,
    local: SocketAddr,
    /// `Time::ZERO` on laminar's clock.
    #[expect(clippy::disallowed_types, reason = "laminar takes nothing else; we only add to it")]
    origin: std::time::Instant,
    overrun: u64,
}

impl LaminarTransport {
    /// Maximum length of a datagram.
    pub const MAX_DATAGRAM_BYTES: usize = LAMINAR_BUFFER_BYTES - HEADER.len();

    /// Binds a socket; port 0 selects any free port.
    ///
    /// # Errors
    /// The operating system refused, most often because the port is in use.
    pub fn bind(address: impl ToSocketAddrs) -> Result<Self, TransportError> {
        Self::from_socket(UdpSocket::bind(address)?)
    }

    /// Uses a bound socket, and sets it to non-blocking mode.
    ///
    /// # Errors
    /// The operating system refused.
    pub fn from_socket(socket: UdpSocket) -> Result<Self, TransportError> {
        let local = socket.local_addr()?;
        let config = Config {
            heartbeat_interval: None,
            idle_connection_timeout: IDLE_TIMEOUT,
            receive_buffer_max_size: BUFFER_BYTES,
            ..Config::default()
        };
        let manager = ConnectionManager::new(FilterSocket::new(socket)?, config);
        #[expect(
            clippy::disallowed_methods,
            clippy::disallowed_types,
            reason = "laminar asks for a moment of this clock, and there is no other way to one; nothing depends on it"
        )]
        let origin = std::time::Instant::now();
        Ok(Self { manager, local, origin, overrun: 0 })
    }

    /// Local address.
    pub const fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Number of dropped datagrams: the send buffer was full or the destination unreachable, or more than 4,096
    /// received ones were queued.
    pub fn dropped(&self) -> u64 {
        self.manager.socket().dropped + self.overrun
    }

    /// Number of packets that were not passed to laminar: other modes, too long, malformed, or from too many unknown
    /// addresses.
    pub fn refused(&self) -> u64 {
        self.manager.socket().refused
    }

    fn poll(&mut self, now: Time) -> Result<(), TransportError> {
        let since = now.since(Time::ZERO);
        self.manager.socket_mut().begin_poll();
        self.manager.manual_poll(self.origin.checked_add(since).unwrap_or(self.origin));
        self.manager.socket_mut().fatal.take().map_or(Ok(()), |error| Err(error.into()))
    }
}

impl Transport for LaminarTransport {
    fn send(&mut self, now: Time, to: Address, bytes: &[u8]) -> Result<(), TransportError> {
        let target = to.socket().and_then(|target| for_socket(target, self.local.is_ipv6()));
        let target = target.ok_or(TransportError::Unreachable { to })?;
        if bytes.len() > Self::MAX_DATAGRAM_BYTES {
            return Err(TransportError::TooLong {
                bytes: bytes.len(),
                max: Self::MAX_DATAGRAM_BYTES,
            });
        }
        let packet = Packet::unreliable(target, bytes.to_vec());
        self.manager.event_sender().send(packet).map_err(io::Error::other)?;
        self.poll(now)?;
        let events = self.manager.event_receiver();
        while events.len() > MAX_QUEUED && events.try_recv().is_ok() {
            self.overrun += 1;
        }
        Ok(())
    }

    fn receive(
        &mut self,
        now: Time,
        into: &mut Vec<u8>,
    ) -> Result<Option<Address>, TransportError> {
        let mut polled = false;
        loop {
            match self.manager.event_receiver().try_recv() {
                Ok(SocketEvent::Packet(packet)) => {
                    into.clear();
                    into.extend_from_slice(packet.payload());
                    return Ok(Some(Address::Socket(unmap(packet.addr()))));
                }
                // laminar's connection events are not used.
                Ok(_) => (),
                Err(_) if polled => return Ok(None),
                Err(_) => {
                    polled = true;
                    self.poll(now)?;
                }
            }
        }
    }
}

impl fmt::Debug for LaminarTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaminarTransport").field("local", &self.local).finish_non_exhaustive()
    }
}
