//! The socket under laminar, which lets through only what our side of laminar sends: five known bytes and a datagram. Its
//! other modes, and whatever is no packet at all, never get to its parser.

use crate::transport::trouble::{Trouble, trouble};
use laminar::DatagramSocket;
use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};

/// What laminar 0.5 writes in front of an unreliable packet: a checksum of its protocol's name, then the kind, the
/// delivery and the order, all of them 0.
pub(super) const HEADER: [u8; 5] = [0x54, 0x09, 0, 0, 0];

/// Datagrams that are read in one poll. laminar itself reads until there are none.
const MOST_IN_A_POLL: u32 = 1024;
/// Addresses that nothing was sent to and that get in, in one poll. Each may cost laminar 1.6 MB.
const MOST_STRANGERS_IN_A_POLL: usize = 8;
/// Addresses that are known. With more, all of them count as strangers until they are sent to again.
const MOST_KNOWN: usize = 1024;

#[derive(Debug)]
pub(super) struct Sieve {
    socket: UdpSocket,
    known: BTreeSet<SocketAddr>,
    /// What may still be read in this poll.
    left: u32,
    /// Who got in in this poll without being known.
    strangers: Vec<SocketAddr>,
    /// Sent, but lost before it left.
    pub(super) dropped: u64,
    /// Arrived, but kept from laminar.
    pub(super) refused: u64,
    /// What broke the socket. laminar would only write it to a log.
    pub(super) broken: Option<io::Error>,
}

impl Sieve {
    pub(super) fn new(socket: UdpSocket) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Self {
            socket,
            known: BTreeSet::new(),
            left: 0,
            strangers: Vec::with_capacity(MOST_STRANGERS_IN_A_POLL),
            dropped: 0,
            refused: 0,
            broken: None,
        })
    }

    /// Before each poll.
    pub(super) fn begin(&mut self) {
        self.left = MOST_IN_A_POLL;
        self.strangers.clear();
    }

    fn is_welcome(&mut self, packet: &[u8], from: &SocketAddr) -> bool {
        if !packet.starts_with(&HEADER) || packet.len() > super::THEIR_BUFFER_BYTES {
            return false;
        }
        if self.known.contains(from) || self.strangers.contains(from) {
            return true;
        }
        let has_room = self.strangers.len() < MOST_STRANGERS_IN_A_POLL;
        if has_room {
            self.strangers.push(*from);
        }
        has_room
    }
}

impl DatagramSocket for Sieve {
    fn send_packet(&mut self, address: &SocketAddr, packet: &[u8]) -> io::Result<usize> {
        if self.known.len() == MOST_KNOWN && !self.known.contains(address) {
            self.known.clear();
        }
        self.known.insert(*address);
        loop {
            let error = match self.socket.send_to(packet, address) {
                Ok(length) => return Ok(length),
                Err(error) => error,
            };
            match trouble(&error) {
                Trouble::Again => continue,
                Trouble::Broken => self.broken = Some(error),
                Trouble::Nothing | Trouble::Peer | Trouble::Full | Trouble::TooLong => {
                    self.dropped += 1;
                }
            }
            return Ok(0);
        }
    }

    fn receive_packet<'a>(&mut self, buffer: &'a mut [u8]) -> io::Result<(&'a [u8], SocketAddr)> {
        while let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            match self.socket.recv_from(buffer) {
                Ok((length, from)) if self.is_welcome(&buffer[..length], &from) => {
                    return Ok((&buffer[..length], from));
                }
                Ok(_) => self.refused += 1,
                Err(error) => match trouble(&error) {
                    Trouble::Nothing => return Err(error),
                    // Windows cuts a datagram with an error instead of silently.
                    Trouble::TooLong => self.refused += 1,
                    Trouble::Again | Trouble::Peer | Trouble::Full => (),
                    Trouble::Broken => {
                        self.broken = Some(error);
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
