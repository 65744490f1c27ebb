//! Our peers over any socket of ggrs: a datagram travels inside a message that looks like ggrs's own for inputs.
//! `ggrs_session` is the other way round.

use super::{Transport, TransportError};
use crate::address::Address;
use core::fmt;
use core::hash::Hash;
use ggrs::{Message, NonBlockingSocket};
use isostep_rollback::Time;
use isostep_rollback::bytes::Reader;
use std::collections::VecDeque;

/// Addresses that may be known. A match has fewer; the rest are strangers.
const MAX_NODES: usize = 64;
/// Messages that may wait. ggrs's sockets hand over all that they have at once.
const MAX_QUEUED: usize = 4096;

/// What is in front of a datagram, in the encoding of ggrs's own socket: bincode with numbers of fixed width.
///
/// A session of ggrs that gets such a message by mistake ignores it: it has the connection states of no players, and inputs
/// from a frame before the first.
const MESSAGE_HEADER: [u8; 23] = {
    let mut head = [0; 23];
    // The magic number, which sessions draw: here a name.
    (head[0], head[1]) = (b'i', b's');
    // The kind: inputs.
    head[2] = 2;
    // 6..14: connection states, none; 14: no goodbye; then the first frame and the acknowledged one, both -1.
    let mut at = 15;
    while at < 23 {
        head[at] = 0xff;
        at += 1;
    }
    head
};

/// What a datagram costs on top, in bytes: [`MESSAGE_HEADER`] and a length of eight.
const OVERHEAD_BYTES: usize = MESSAGE_HEADER.len() + 8;

/// Any socket of ggrs, used as a transport.
///
/// - make: [`new`](Self::new), then [`node_of`](Self::node_of) for everybody to be sent to
/// - use: [`send`](Transport::send), [`receive`](Transport::receive) until there is nothing
/// - observe: [`address_of`](Self::address_of), [`dropped`](Self::dropped)
///
/// The socket's addresses get numbers in the order in which they are first seen or asked for: [`Address::Node`]. There are
/// at most 64 of them; what comes from others is refused, as from node `u64::MAX`, and [`forget`](Self::forget) frees a
/// number.
///
/// Addresses have to be `Send` and `Sync` because ggrs's feature `sync-send` asks for it, and any crate may switch it on.
///
/// A datagram is 31 bytes longer inside ggrs's message, if the socket encodes it as ggrs's own does.
///
/// # What is checked
/// A message that reaches us is taken apart by length and value, and refused if it is not of the one form that `send` makes.
/// But sockets decode bytes to messages before that, and how they take wrong ones is their business: ggrs's own drops
/// them, that of matchbox panics (`expect` in its `deserialize_packet`). A socket that panics on bytes of strangers is no
/// better here.
pub struct GgrsSocketTransport<A, S> {
    socket: S,
    /// By number; a forgotten one is `None`.
    nodes: Vec<Option<A>>,
    queued: VecDeque<(A, Message)>,
    /// The encoding of the message at hand.
    encoded: Vec<u8>,
    dropped: u64,
}

impl<A, S> GgrsSocketTransport<A, S>
where
    A: Clone + Eq + Hash + Send + Sync,
    S: NonBlockingSocket<A>,
{
    /// The longest datagram that is sent or taken, in bytes: with what is added it fits the buffer that
    /// `UdpTransport` has, and half of that of ggrs's own socket.
    pub const MAX_DATAGRAM_BYTES: usize = 2047 - OVERHEAD_BYTES;

    /// Over a socket.
    pub const fn new(socket: S) -> Self {
        Self { socket, nodes: Vec::new(), queued: VecDeque::new(), encoded: Vec::new(), dropped: 0 }
    }

    /// The number of an address: the one it has, or the next that is free. `None` if there are 64.
    pub fn node_of(&mut self, address: &A) -> Option<Address> {
        let known = self.nodes.iter().position(|node| node.as_ref() == Some(address));
        let node = known.or_else(|| self.nodes.iter().position(Option::is_none));
        let node = node.unwrap_or(self.nodes.len());
        if node == self.nodes.len() {
            if node == MAX_NODES {
                return None;
            }
            self.nodes.push(None);
        }
        self.nodes[node].get_or_insert_with(|| address.clone());
        Some(Address::Node(node as u64))
    }

    /// The address that has a number.
    pub fn address_of(&self, node: Address) -> Option<&A> {
        let index = usize::try_from(node.node()?).ok()?;
        self.nodes.get(index)?.as_ref()
    }

    /// Frees the number of an address, for somebody else. Who is still sent to by it would then be another.
    pub fn forget(&mut self, node: Address) {
        let index = node.node().and_then(|index| usize::try_from(index).ok());
        if let Some(known) = index.and_then(|index| self.nodes.get_mut(index)) {
            *known = None;
        }
    }

    /// The socket.
    pub const fn socket(&self) -> &S {
        &self.socket
    }

    /// Messages that were lost because the socket handed over more than 4,096 at once.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    fn open(&mut self, message: &Message, into: &mut Vec<u8>) -> Result<(), &'static str> {
        const MAX_MESSAGE_BYTES: u64 = 2047;
        let fits = bincode::serialized_size(message).is_ok_and(|bytes| bytes <= MAX_MESSAGE_BYTES);
        if !fits {
            return Err("a message of ggrs longer than any of ours");
        }
        self.encoded.clear();
        let encoding = bincode::serialize_into(&mut self.encoded, message);
        encoding.map_err(|_| "a message that ggrs's encoding does not take")?;
        let mut from = Reader::new(&self.encoded);
        if from.array() != Some(MESSAGE_HEADER) {
            return Err("a message of ggrs, not one of our datagrams; is there a session of ggrs?");
        }
        let length = from.array().map(u64::from_le_bytes);
        let datagram = from.rest();
        if length != Some(datagram.len() as u64) {
            return Err("a datagram of another length than it says");
        }
        into.clear();
        into.extend_from_slice(datagram);
        Ok(())
    }
}

impl<A, S> Transport for GgrsSocketTransport<A, S>
where
    A: Clone + Eq + Hash + Send + Sync,
    S: NonBlockingSocket<A>,
{
    fn send(&mut self, _now: Time, to: Address, bytes: &[u8]) -> Result<(), TransportError> {
        let Some(address) = self.address_of(to).cloned() else {
            return Err(TransportError::Unreachable { to });
        };
        if bytes.len() > Self::MAX_DATAGRAM_BYTES {
            return Err(TransportError::TooLong {
                bytes: bytes.len(),
                max: Self::MAX_DATAGRAM_BYTES,
            });
        }
        self.encoded.clear();
        self.encoded.extend_from_slice(&MESSAGE_HEADER);
        self.encoded.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.encoded.extend_from_slice(bytes);
        let message = bincode::deserialize(&self.encoded).map_err(std::io::Error::other)?;
        self.socket.send_to(&message, &address);
        Ok(())
    }

    fn receive(
        &mut self,
        _now: Time,
        into: &mut Vec<u8>,
    ) -> Result<Option<Address>, TransportError> {
        if self.queued.is_empty() {
            self.queued.extend(self.socket.receive_all_messages());
            let most = self.queued.len().min(MAX_QUEUED);
            self.dropped += (self.queued.len() - most) as u64;
            self.queued.truncate(most);
        }
        let Some((address, message)) = self.queued.pop_front() else { return Ok(None) };
        let opened = self.open(&message, into);
        // Only who sends what we take gets a number.
        let known = opened.is_ok() || self.nodes.iter().flatten().any(|node| *node == address);
        let from = if known { self.node_of(&address) } else { None };
        let refused = |reason: &str| TransportError::Refused {
            from: from.unwrap_or(Address::Node(u64::MAX)),
            reason: reason.to_owned(),
        };
        opened.map_err(refused)?;
        from.map_or_else(
            || Err(refused("64 addresses are known already; forget one")),
            |from| Ok(Some(from)),
        )
    }
}

impl<A: fmt::Debug, S> fmt::Debug for GgrsSocketTransport<A, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GgrsSocketTransport").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}
