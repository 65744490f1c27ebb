//! The socket under laminar, which lets through only what our side of laminar sends: five known bytes and a datagram. Its
//! other modes, and whatever is no packet at all, never get to its parser.

use crate::transport::socket_error::{SocketError, classify};
use laminar::DatagramSocket;
use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};

/// What laminar 0.5 writes in front of an unreliable packet: a checksum of its protocol's name, then the kind, the
/// delivery and the order, all of them 0.
pub(super) const HEADER: [u8; 5] = [0x54, 0x09, 0, 0, 0];

/// Datagrams that are read in one poll. laminar itself reads until there are none.
const MAX_READS_PER_POLL: u32 = 1024;
/// Addresses that nothing was sent to and that get in, in one poll. Each may cost laminar 1.6 MB.
const MAX_NEW_ADDRESSES_PER_POLL: usize = 8;
/// Addresses that are known. With more, all of them count as strangers until they are sent to again.
const MAX_KNOWN_ADDRESSES: usize = 1024;

#[derive(Debug)]
pub(super) struct FilterSocket {
    socket: UdpSocket,
    known: BTreeSet<SocketAddr>,
    /// What may still be read in this poll.
    reads_left: u32,
    /// Who got in in this poll without being known.
    new_addresses: Vec<SocketAddr>,
    /// Sent, but lost before it left.
    pub(super) dropped: u64,
    /// Arrived, but kept from laminar.
    pub(super) refused: u64,
    /// What broke the socket. laminar would only write it to a log.
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

    /// Before each poll.
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
                    // Windows cuts a datagram with an error instead of silently.
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
        // Which laminar takes for the end.
        Err(ErrorKind::WouldBlock.into())
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    fn is_blocking_mode(&self) -> bool {
        false
    }
}
