//! Datagrams over laminar 0.5, in its unreliable mode: reliability, order and encryption are ours. For games that have
//! laminar already; everybody else wants `udp`. `filter` is the socket below it.

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

/// What laminar reads a datagram into by default, in bytes: a peer that is not ours has no more room.
const LAMINAR_BUFFER_BYTES: usize = 1452;
/// What we read it into: more than anybody sends, so that one that lost its end is too long and does not look whole.
const BUFFER_BYTES: usize = 2048;
/// How long laminar keeps what it knows of an address that is silent. We need none of it, and it is 1.6 MB.
const IDLE_TIMEOUT: Duration = Duration::from_millis(500);
/// Events that may wait for a caller who only sends. laminar itself would keep all of them.
const MAX_QUEUED: usize = 4096;

/// laminar, without its thread.
///
/// **laminar is unmaintained since 2021.** What this is good for: a game whose servers, firewalls and tools speak laminar
/// today, and that moves over in steps. Nothing new should start with it: it adds five bytes to each datagram and gives
/// nothing that `UdpTransport` does not.
///
/// - make: [`bind`](Self::bind), or [`from_socket`](Self::from_socket) for a socket with options of your own
/// - use: [`send`](Transport::send), [`receive`](Transport::receive) until there is nothing
/// - observe: [`local_addr`](Self::local_addr), [`dropped`](Self::dropped), [`refused`](Self::refused)
///
/// Each call polls laminar once, with the time given. It is laminar's connection manager, of which its `Socket` is made
/// too, with a socket below that we can look through; on the wire it is the same.
///
/// # What laminar does by itself
/// - *Connections.* It keeps one for each address that sent or was sent something, here for half a second of silence. That
///   changes nothing: the next datagram makes a new one, and events about them are ignored.
/// - *Heartbeats* are off, so that only our datagrams are sent. Those of others are refused.
/// - *Length.* It says that it takes 1,452 bytes and forgets its own header; a receiver would lose the last five without a
///   word. [`MAX_DATAGRAM_BYTES`](Self::MAX_DATAGRAM_BYTES) leaves room. In the unreliable mode it never splits datagrams.
/// - *Clock.* It reads the machine's to measure round trips of its reliable mode, which are not used.
///
/// # What strangers can do to it
/// Version 0.2 panicked on unknown kinds of packets ([#202](https://github.com/TimonPost/laminar/issues/202)). We know of
/// no bytes that make 0.5 panic: we read its parser, and tests throw changed packets at it, with and without the socket
/// below. But in 0.5
/// - each packet of an unknown address, even five bytes of noise, costs 1.6 MB that are filled at once, a quarter of a
///   millisecond ([#272](https://github.com/TimonPost/laminar/issues/272)); 50 addresses that were not answered may stay
///   for 5 s, those that were answered have no limit;
/// - packets of its ordered mode that are ahead of their turn are kept, up to 32,768 in each of 256 streams of an address;
/// - a poll reads until the socket is empty: whoever sends faster than it reads holds the caller.
///
/// Here, packets of other modes and whatever is no packet never reach laminar; a poll reads at most 1,024, and those
/// of at most eight addresses that nothing was sent to. A flood of well-formed packets from forged addresses still costs
/// that much for each that gets in; have something in front that limits the rate.
pub struct LaminarTransport {
    manager: ConnectionManager<FilterSocket, VirtualConnection>,
    local: SocketAddr,
    /// What `Time::ZERO` is to laminar.
    #[expect(clippy::disallowed_types, reason = "laminar takes nothing else; we only add to it")]
    origin: std::time::Instant,
    overrun: u64,
}

impl LaminarTransport {
    /// The longest datagram that is sent or taken, in bytes.
    pub const MAX_DATAGRAM_BYTES: usize = LAMINAR_BUFFER_BYTES - HEADER.len();

    /// Binds a socket; port 0 takes any that is free.
    ///
    /// # Errors
    /// When the operating system refuses, most often because the port is taken.
    pub fn bind(address: impl ToSocketAddrs) -> Result<Self, TransportError> {
        Self::from_socket(UdpSocket::bind(address)?)
    }

    /// Takes a bound socket that was made elsewhere, and makes it one that does not wait.
    ///
    /// # Errors
    /// When the operating system refuses.
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

    /// Where it is bound.
    pub const fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Datagrams that were lost in here: sent, but the system's buffer was full or it knew no way; or arrived, while the
    /// caller only sent and some 4,000 were waiting.
    pub fn dropped(&self) -> u64 {
        self.manager.socket().dropped + self.overrun
    }

    /// Packets that were kept from laminar: of its other modes, too long, no packets at all, or of too many strangers.
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
                // Connections come and go as laminar likes; ours are our own.
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
