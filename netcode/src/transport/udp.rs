//! Datagrams over a UDP socket of the operating system. It never waits, and what goes wrong with one datagram or one
//! peer is a number to look at, never an error that stops the rest.

use super::address_family::{for_socket, unmap};
use super::socket_error::{SocketError, classify};
use super::{Transport, TransportError};
use crate::address::Address;
use isostep_rollback::Time;
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};

/// Room for a datagram, in bytes: more than any path of the internet carries in one piece. One that fills it may have lost
/// its end, and is not taken.
const BUFFER_BYTES: usize = 2048;

/// Datagrams and errors that one call of `receive` may skip; a flood of them must not hold the caller.
const MAX_SKIPPED: usize = 64;

/// A UDP socket, without waiting.
///
/// - make: [`bind`](Self::bind), or [`from_socket`](Self::from_socket) for one with options of your own
/// - use: [`send`](Transport::send), [`receive`](Transport::receive) until there is nothing
/// - observe: [`local_addr`](Self::local_addr), [`dropped`](Self::dropped), [`too_long`](Self::too_long),
///   [`oversized`](Self::oversized)
///
/// ```
/// use isostep_netcode::transport::{Transport, UdpTransport};
/// use isostep_rollback::Time;
/// let (mut ann, mut bob) = (UdpTransport::bind("127.0.0.1:0")?, UdpTransport::bind("127.0.0.1:0")?);
/// ann.send(Time::ZERO, bob.local_addr().into(), b"hello")?;
/// let mut bytes = Vec::new();
/// while let Some(from) = bob.receive(Time::ZERO, &mut bytes)? {
///     println!("{from}: {bytes:?}");
/// }
/// # Ok::<(), isostep_netcode::TransportError>(())
/// ```
///
/// **Both families.** Bound to an address of IPv6 (`[::]:0`), it reaches IPv4 too where the system's sockets do that by
/// default (Linux and macOS; Windows does not, and the standard library can't ask for it: hand in a socket of your own).
/// Addresses that it returns are IPv4 wherever they can be.
///
/// **Fragments.** The standard library can't forbid the network to fragment datagrams (`IP_DONTFRAG`, `IP_MTU_DISCOVER`).
/// A probe that is too long for the path may therefore arrive in pieces, and a path looks wider than it is; where that
/// matters, set the option on a socket of your own and use [`from_socket`](Self::from_socket).
#[derive(Debug)]
pub struct UdpTransport {
    socket: UdpSocket,
    local: SocketAddr,
    buffer: Box<[u8; BUFFER_BYTES]>,
    dropped: u64,
    too_long: u64,
    oversized: u64,
}

impl UdpTransport {
    /// The longest datagram that is sent or taken, in bytes.
    pub const MAX_DATAGRAM_BYTES: usize = BUFFER_BYTES - 1;

    /// Binds a socket; port 0 takes any that is free.
    ///
    /// # Errors
    /// When the operating system refuses, most often because the port is taken.
    pub fn bind(address: impl ToSocketAddrs) -> Result<Self, TransportError> {
        Self::from_socket(UdpSocket::bind(address)?)
    }

    /// Takes a bound socket that was made elsewhere, and makes it one that does not wait. It must not be connected: it
    /// would not send to others.
    ///
    /// # Errors
    /// When the operating system refuses.
    pub fn from_socket(socket: UdpSocket) -> Result<Self, TransportError> {
        socket.set_nonblocking(true)?;
        let local = socket.local_addr()?;
        let buffer = Box::new([0; BUFFER_BYTES]);
        Ok(Self { socket, local, buffer, dropped: 0, too_long: 0, oversized: 0 })
    }

    /// Where it is bound. An unspecified address (`0.0.0.0`, `[::]`) is all of the machine's, and nothing to send to.
    pub const fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Datagrams that were lost before they left: the system's buffer was full, or it knew no way to the target.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Datagrams that were lost because the network interface takes none that long, which probes have to expect.
    pub const fn too_long(&self) -> u64 {
        self.too_long
    }

    /// Datagrams that came and were longer than [`MAX_DATAGRAM_BYTES`](Self::MAX_DATAGRAM_BYTES); nobody gets to see them.
    pub const fn oversized(&self) -> u64 {
        self.oversized
    }
}

impl Transport for UdpTransport {
    fn send(&mut self, _now: Time, to: Address, bytes: &[u8]) -> Result<(), TransportError> {
        let target = to.socket().and_then(|target| for_socket(target, self.local.is_ipv6()));
        let target = target.ok_or(TransportError::Unreachable { to })?;
        if bytes.len() > Self::MAX_DATAGRAM_BYTES {
            return Err(TransportError::TooLong {
                bytes: bytes.len(),
                max: Self::MAX_DATAGRAM_BYTES,
            });
        }
        loop {
            let Err(error) = self.socket.send_to(bytes, target) else { return Ok(()) };
            match classify(&error) {
                SocketError::Interrupted => (),
                SocketError::TooLong => break self.too_long += 1,
                SocketError::WouldBlock | SocketError::Unreachable | SocketError::NoBuffers => {
                    break self.dropped += 1;
                }
                SocketError::Fatal => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn receive(
        &mut self,
        _now: Time,
        into: &mut Vec<u8>,
    ) -> Result<Option<Address>, TransportError> {
        for _ in 0..MAX_SKIPPED {
            match self.socket.recv_from(&mut self.buffer[..]) {
                Ok((length, from)) if length <= Self::MAX_DATAGRAM_BYTES => {
                    into.clear();
                    into.extend_from_slice(&self.buffer[..length]);
                    return Ok(Some(Address::Socket(unmap(from))));
                }
                Ok(_) => self.oversized += 1,
                Err(error) => match classify(&error) {
                    SocketError::WouldBlock => return Ok(None),
                    // Windows cuts a datagram with an error instead of silently.
                    SocketError::TooLong => self.oversized += 1,
                    // What became of something that was sent earlier.
                    SocketError::Interrupted
                    | SocketError::Unreachable
                    | SocketError::NoBuffers => (),
                    SocketError::Fatal => return Err(error.into()),
                },
            }
        }
        Ok(None)
    }
}
