//! Transport over any ggrs socket: each datagram is embedded in a ggrs input message. `ggrs_session` is the reverse
//! adapter.

use super::{Transport, TransportError};
use crate::address::Address;
use core::fmt;
use core::hash::Hash;
use ggrs::{Message, NonBlockingSocket};
use isostep_core::internals::Reader;
use isostep_rollback::Time;
use std::collections::VecDeque;

/// Maximum number of known addresses, more than a match has machines.
const MAX_NODES: usize = 64;
/// Maximum number of queued messages. A ggrs socket returns all received messages at once.
const MAX_QUEUED: usize = 4096;

/// Header of an embedded datagram, in the encoding of ggrs's own socket: bincode with fixed-width integers.
///
/// A ggrs session that receives such a message ignores it: it has no connection states, and its inputs start before the
/// first frame.
const MESSAGE_HEADER: [u8; 23] = {
    let mut head = [0; 23];
    // Magic number. ggrs sessions draw it at random.
    (head[0], head[1]) = (b'i', b's');
    // Message type: input.
    head[2] = 2;
    // 6..14: no connection states; 14: no disconnect request; then start frame and acknowledged frame, both -1.
    let mut at = 15;
    while at < 23 {
        head[at] = 0xff;
        at += 1;
    }
    head
};

/// Overhead of a datagram, in bytes: [`MESSAGE_HEADER`] and an 8-byte length.
const OVERHEAD_BYTES: usize = MESSAGE_HEADER.len() + 8;

/// Transport over any ggrs socket.
///
/// - Create: [`new`](Self::new), then [`node_of`](Self::node_of) for each destination
/// - Use: [`send`](Transport::send), [`receive`](Transport::receive) until empty
/// - Observe: [`address_of`](Self::address_of), [`dropped`](Self::dropped)
///
/// Socket addresses are numbered in the order of first use: [`Address::Node`]. At most 64 are known. Datagrams from further
/// ones are refused, as from node `u64::MAX`. [`remove`](Self::remove) frees a number.
///
/// Addresses must be `Send` and `Sync`, since the ggrs feature `sync-send` requires it and any crate may enable it.
///
/// The overhead is 31 bytes per datagram, if the socket uses the encoding of ggrs's own socket.
///
/// # Validation
/// A received message is refused unless it has exactly the form that `send` produces. Sockets decode bytes to messages
/// before that, outside of this transport's control: ggrs's own drops malformed bytes, that of matchbox panics (`expect` in
/// its `deserialize_packet`). This transport does not protect such a socket.
pub struct GgrsSocketTransport<A, S> {
    socket: S,
    /// Addresses by node number; `None` if removed.
    nodes: Vec<Option<A>>,
    queued: VecDeque<(A, Message)>,
    /// Encoding of the current message.
    encoded: Vec<u8>,
    dropped: u64,
}

impl<A, S> GgrsSocketTransport<A, S>
where
    A: Clone + Eq + Hash + Send + Sync,
    S: NonBlockingSocket<A>,
{
    /// Maximum length of a datagram. With its overhead it fits the buffer of `UdpTransport`, and half of the buffer of
    /// ggrs's own socket.
    pub const MAX_DATAGRAM_BYTES: usize = 2047 - OVERHEAD_BYTES;

    /// Creates a transport over a socket.
    pub const fn new(socket: S) -> Self {
        Self { socket, nodes: Vec::new(), queued: VecDeque::new(), encoded: Vec::new(), dropped: 0 }
    }

    /// Returns the node number of an address, assigning a free one if needed; `None` if all 64 are used.
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

    /// Returns the address of a node number.
    pub fn address_of(&self, node: Address) -> Option<&A> {
        let index = usize::try_from(node.node()?).ok()?;
        self.nodes.get(index)?.as_ref()
    }

    /// Frees the node number of an address. Afterwards the number may denote another address.
    pub fn remove(&mut self, node: Address) {
        let index = node.node().and_then(|index| usize::try_from(index).ok());
        if let Some(known) = index.and_then(|index| self.nodes.get_mut(index)) {
            *known = None;
        }
    }

    /// The socket.
    pub const fn socket(&self) -> &S {
        &self.socket
    }

    /// Number of messages dropped because the socket returned more than 4,096 at once.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    fn open(&mut self, message: &Message, into: &mut Vec<u8>) -> Result<(), &'static str> {
        const MAX_MESSAGE_BYTES: u64 = 2047;
        let fits = bincode::serialized_size(message).is_ok_and(|bytes| bytes <= MAX_MESSAGE_BYTES);
        if !fits {
            return Err("the ggrs message is longer than any datagram of this transport");
        }
        self.encoded.clear();
        let encoding = bincode::serialize_into(&mut self.encoded, message);
        encoding.map_err(|_| "the ggrs message cannot be encoded")?;
        let mut from = Reader::new(&self.encoded);
        if from.array() != Some(MESSAGE_HEADER) {
            return Err(
                "a ggrs message without an embedded datagram; check whether the peer runs a ggrs session",
            );
        }
        let length = from.array().map(u64::from_le_bytes);
        let datagram = from.rest();
        if length != Some(datagram.len() as u64) {
            return Err("the length of the embedded datagram is wrong");
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
        // Only senders of valid datagrams are assigned a number.
        let known = opened.is_ok() || self.nodes.iter().flatten().any(|node| *node == address);
        let from = if known { self.node_of(&address) } else { None };
        let refused = |reason: &str| TransportError::Refused {
            from: from.unwrap_or(Address::Node(u64::MAX)),
            reason: reason.to_owned(),
        };
        opened.map_err(refused)?;
        from.map_or_else(
            || Err(refused("all 64 node numbers are used; remove one with `remove`")),
            |from| Ok(Some(from)),
        )
    }
}

impl<A: fmt::Debug, S> fmt::Debug for GgrsSocketTransport<A, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GgrsSocketTransport").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}
