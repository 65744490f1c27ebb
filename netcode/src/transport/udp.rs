//! Transport over a non-blocking UDP socket. Errors of one datagram or one peer are counted and do not stop the
//! transport.

use super::address_family::{for_socket, unmap};
use super::socket_error::{SocketError, classify};
use super::{Transport, TransportError};
use crate::address::Address;
use isostep_rollback::Time;
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};

/// Receive buffer, longer than any datagram that crosses the internet unfragmented. A datagram that fills it may be
/// truncated, and is dropped.
const BUFFER_BYTES: usize = 2048;

/// Maximum number of datagrams and errors that one call of `receive` skips, so that a flood does not block the caller.
const MAX_SKIPPED: usize = 64;

/// Non-blocking UDP socket.
///
/// - Create: [`bind`](Self::bind), or [`from_socket`](Self::from_socket) for custom socket options
/// - Use: [`send`](Transport::send), [`receive`](Transport::receive) until empty
/// - Observe: [`local_addr`](Self::local_addr), [`dropped`](Self::dropped), [`too_long`](Self::too_long),
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
/// **Dual stack.** Bound to an IPv6 address (`[::]:0`), it also reaches IPv4 where sockets are dual-stack by default: on
/// Linux and macOS. On Windows, set the option on your own socket; the standard library cannot. Returned addresses are
/// unmapped.
///
/// **IP fragmentation.** The standard library cannot set the don't-fragment bit (`IP_DONTFRAG`, `IP_MTU_DISCOVER`). An MTU
/// probe may therefore arrive fragmented, and the measured MTU may exceed the path MTU. If that matters, set the option on
/// your own socket and use [`from_socket`](Self::from_socket).
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
    /// Maximum length of a datagram.
    #[doc(hidden)]
    pub const MAX_DATAGRAM_BYTES: usize = BUFFER_BYTES - 1;

    /// Binds a socket; port 0 selects any free port.
    ///
    /// # Errors
    /// The operating system refused, most often because the port is in use.
    pub fn bind(address: impl ToSocketAddrs) -> Result<Self, TransportError> {
        Self::from_socket(UdpSocket::bind(address)?)
    }

    /// Uses a bound socket, and sets it to non-blocking mode. It must not be connected, or it cannot send to other
    /// addresses.
    ///
    /// # Errors
    /// The operating system refused.
    pub fn from_socket(socket: UdpSocket) -> Result<Self, TransportError> {
        socket.set_nonblocking(true)?;
        let local = socket.local_addr()?;
        let buffer = Box::new([0; BUFFER_BYTES]);
        Ok(Self { socket, local, buffer, dropped: 0, too_long: 0, oversized: 0 })
    }

    /// Local address. If unspecified (`0.0.0.0`, `[::]`), it means all interfaces and is not a destination.
    pub const fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Number of datagrams not sent: the send buffer was full, or the destination unreachable.
    #[doc(hidden)]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Number of datagrams not sent because they exceed the interface's MTU. MTU probes cause this.
    #[doc(hidden)]
    pub const fn too_long(&self) -> u64 {
        self.too_long
    }

    /// Number of received datagrams longer than [`MAX_DATAGRAM_BYTES`](Self::MAX_DATAGRAM_BYTES), which are dropped.
    #[doc(hidden)]
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
                    // Windows reports truncation as an error.
                    SocketError::TooLong => self.oversized += 1,
                    // Delayed result of an earlier send.
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
