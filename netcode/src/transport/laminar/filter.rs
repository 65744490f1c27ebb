//! Socket under laminar that passes only datagrams in the form that this transport sends: five known header bytes and a
//! payload. Other laminar modes and malformed packets never reach laminar's parser.

use crate::transport::socket_error::{SocketError, classify};
use laminar::DatagramSocket;
use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};

/// Header of an unreliable packet in laminar 0.5: checksum of the protocol version, then packet type, delivery and
/// ordering, all 0.
pub(super) const HEADER: [u8; 5] = [0x54, 0x09, 0, 0, 0];

/// Maximum number of datagrams read per poll. laminar itself reads until the socket is empty.
const MAX_READS_PER_POLL: u32 = 1024;
/// Maximum number of unknown addresses admitted per poll. Each may cost laminar 1.6 MB.
const MAX_NEW_ADDRESSES_PER_POLL: usize = 8;
/// Maximum number of known addresses. Beyond it, the set is cleared, and refilled by sending.
const MAX_KNOWN_ADDRESSES: usize = 1024;

#[derive(Debug)]
pub(super) struct FilterSocket {
    socket: UdpSocket,
    known: BTreeSet<SocketAddr>,
    /// Remaining reads of this poll.
    reads_left: u32,
    /// Unknown addresses admitted in this poll.
    new_addresses: Vec<SocketAddr>,
    /// Datagrams that could not be sent.
    pub(super) dropped: u64,
    /// Received datagrams that were not passed to laminar.
    pub(super) refused: u64,
    /// Fatal socket error. laminar would only log it.
    pub(super) fatal: Option<io::Error>,
}

impl FilterSocket {
    pub(super) fn new(socket: UdpSocket) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Self {
            socket,
            known: BTreeSet::new(),
            reads_left: 0,
            new_addresses: Vec::with_capacity(MAX_NEW_ADDRESSES_PER_POLL),
            dropped: 0,
            refused: 0,
            fatal: None,
        })
    }

    /// Resets the limits before a poll.
    pub(super) fn begin_poll(&mut self) {
        self.reads_left = MAX_READS_PER_POLL;
        self.new_addresses.clear();
    }

    fn is_allowed(&mut self, packet: &[u8], from: &SocketAddr) -> bool {
        if !packet.starts_with(&HEADER) || packet.len() > super::LAMINAR_BUFFER_BYTES {
            return false;
        }
        if self.known.contains(from) || self.new_addresses.contains(from) {
            return true;
        }
        let has_room = self.new_addresses.len() < MAX_NEW_ADDRESSES_PER_POLL;
        if has_room {
            self.new_addresses.push(*from);
        }
        has_room
    }
}

impl DatagramSocket for FilterSocket {
    fn send_packet(&mut self, address: &SocketAddr, packet: &[u8]) -> io::Result<usize> {
        if self.known.len() == MAX_KNOWN_ADDRESSES && !self.known.contains(address) {
            self.known.clear();
        }
        self.known.insert(*address);
        loop {
            let error = match self.socket.send_to(packet, address) {
                Ok(length) => return Ok(length),
                Err(error) => error,
            };
            match classify(&error) {
                SocketError::Interrupted => continue,
                SocketError::Fatal => self.fatal = Some(error),
                SocketError::WouldBlock
                | SocketError::Unreachable
                | SocketError::NoBuffers
                | SocketError::TooLong => {
                    self.dropped += 1;
                }
            }
            return Ok(0);
        }
    }

    fn receive_packet<'a>(&mut self, buffer: &'a mut [u8]) -> io::Result<(&'a [u8], SocketAddr)> {
        while let Some(left) = self.reads_left.checked_sub(1) {
            self.reads_left = left;
            match self.socket.recv_from(buffer) {
                Ok((length, from)) if self.is_allowed(&buffer[..length], &from) => {
                    return Ok((&buffer[..length], from));
                }
                Ok(_) => self.refused += 1,
                Err(error) => match classify(&error) {
                    SocketError::WouldBlock => return Err(error),
                    // Windows reports truncation as an error.
                    SocketError::TooLong => self.refused += 1,
                    SocketError::Interrupted
                    | SocketError::Unreachable
                    | SocketError::NoBuffers => (),
                    SocketError::Fatal => {
                        self.fatal = Some(error);
                        break;
                    }
                },
            }
        }
        // laminar treats this as the end of input.
        Err(ErrorKind::WouldBlock.into())
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    fn is_blocking_mode(&self) -> bool {
        false
    }
}
