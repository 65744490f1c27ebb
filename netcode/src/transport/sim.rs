//! Transport over a simulated network in virtual time, shared by several peers on one thread. Runs are reproducible
//! from the network's seed.

use super::{Transport, TransportError};
use crate::address::Address;
use isostep_rollback::internals::SendError;
use isostep_rollback::{LinkConfig, NodeId, SimNetwork, Time};
use std::cell::{RefCell, RefMut};
use std::io;
use std::rc::Rc;

/// One node of a [`SimNetwork`]: its address is [`Address::Node`] with the index of the node.
///
/// - Create: [`nodes`](Self::nodes) for a new network, [`join`](Self::join) for one more
/// - Use: [`send`](Transport::send) and [`receive`](Transport::receive), with monotonic time
/// - Change: [`network`](Self::network) for its links, [`rebind`](Self::rebind) for a new address
///
/// ```
/// use isostep_netcode::transport::{SimTransport, Transport};
/// use isostep_rollback::{SimNetwork, Time};
/// let mut peers = SimTransport::nodes(SimNetwork::new(42), 2);
/// let (ann, bob) = (peers[0].address(), peers[1].address());
/// peers[0].send(Time::ZERO, bob, b"hello")?;
/// let mut bytes = Vec::new();
/// assert_eq!(peers[1].receive(Time::ZERO, &mut bytes)?, Some(ann));
/// assert_eq!(bytes, b"hello");
/// # Ok::<(), isostep_netcode::TransportError>(())
/// ```
#[derive(Debug)]
pub struct SimTransport {
    network: Rc<RefCell<SimNetwork>>,
    node: NodeId,
}

impl SimTransport {
    /// Maximum length of a datagram: that of UDP over IPv4. Links can set a smaller `mtu`.
    #[doc(hidden)]
    pub const MAX_DATAGRAM_BYTES: usize = 65_507;

    /// Creates a transport for each of the first `count` nodes of a network; missing nodes are added.
    pub fn nodes(mut network: SimNetwork, count: usize) -> Vec<Self> {
        while network.nodes().len() < count {
            network.add_node();
        }
        let nodes = network.nodes().take(count);
        let network = Rc::new(RefCell::new(network));
        nodes.map(|node| Self { network: Rc::clone(&network), node }).collect()
    }

    /// Creates a transport for a new node of the same network.
    ///
    /// # Errors
    /// The network is borrowed.
    pub fn join(&self) -> Result<Self, TransportError> {
        let node = self.borrow()?.add_node();
        Ok(Self { network: Rc::clone(&self.network), node })
    }

    /// The network that all its transports share. Do not hold a borrow while a transport is used: the transport would
    /// return an error.
    pub const fn network(&self) -> &Rc<RefCell<SimNetwork>> {
        &self.network
    }

    /// Node of this transport, for link settings.
    #[doc(hidden)]
    pub const fn node(&self) -> NodeId {
        self.node
    }

    /// Address of this transport.
    pub const fn address(&self) -> Address {
        Address::Node(self.node.index() as u64)
    }

    /// Moves to a new node, as after a NAT rebinding, and returns the new address. Datagrams are sent from the new address
    /// from now on. Datagrams to the old address, including those in flight, are lost.
    ///
    /// The links of the new node copy the current settings of the old one. Partitions and scheduled changes stay with the old
    /// node.
    ///
    /// # Errors
    /// The network is borrowed.
    #[doc(hidden)]
    pub fn rebind(&mut self) -> Result<Address, TransportError> {
        let old = self.node;
        let mut network = self.borrow()?;
        let others = network.nodes();
        let new = network.add_node();
        for other in others {
            let peer = if other == old { new } else { other };
            let out = *network.link(old, other).map_err(io::Error::other)?;
            network.set_link(new, peer, out).map_err(io::Error::other)?;
            let back = *network.link(other, old).map_err(io::Error::other)?;
            network.set_link(peer, new, back).map_err(io::Error::other)?;
            // Otherwise the network would store undeliverable datagrams.
            let lost = LinkConfig { loss_ppm: 1_000_000, ..back };
            network.set_link(other, old, lost).map_err(io::Error::other)?;
            network.set_link(new, old, lost).map_err(io::Error::other)?;
        }
        drop(network);
        self.node = new;
        Ok(self.address())
    }

    fn borrow(&self) -> Result<RefMut<'_, SimNetwork>, TransportError> {
        let borrowed = |_| io::Error::other("the simulated network is borrowed; drop the borrow");
        Ok(self.network.try_borrow_mut().map_err(borrowed)?)
    }
}

impl Transport for SimTransport {
    fn send(&mut self, now: Time, to: Address, bytes: &[u8]) -> Result<(), TransportError> {
        if bytes.len() > Self::MAX_DATAGRAM_BYTES {
            return Err(TransportError::TooLong {
                bytes: bytes.len(),
                max: Self::MAX_DATAGRAM_BYTES,
            });
        }
        let unreachable = TransportError::Unreachable { to };
        let mut network = self.borrow()?;
        let index = to.node().and_then(|index| usize::try_from(index).ok());
        let Some(target) = index.and_then(|index| network.nodes().nth(index)) else {
            return Err(unreachable);
        };
        match network.send(now, self.node, target, bytes) {
            Ok(()) => Ok(()),
            Err(SendError::UnknownNode(_)) => Err(unreachable),
            Err(error) => Err(io::Error::other(error).into()),
        }
    }

    fn receive(
        &mut self,
        now: Time,
        into: &mut Vec<u8>,
    ) -> Result<Option<Address>, TransportError> {
        let delivery = self.borrow()?.receive(now, self.node, into).map_err(io::Error::other)?;
        Ok(delivery.map(|delivery| Address::Node(delivery.from.index() as u64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::time::Duration;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn a_rebound_node_is_reachable_only_at_its_new_address() -> Outcome {
        let mut peers = SimTransport::nodes(SimNetwork::new(1), 2);
        let (mut bytes, old, other) = (Vec::new(), peers[0].address(), peers[1].address());
        peers[1].send(Time::ZERO, old, b"on its way")?;
        let new = peers[0].rebind()?;
        assert_ne!(new, old);
        peers[1].send(Time::ZERO, old, b"to the old one")?;
        assert_eq!(peers[0].receive(Time::ZERO, &mut bytes)?, None);
        peers[1].send(Time::ZERO, new, b"to the new one")?;
        assert_eq!(peers[0].receive(Time::ZERO, &mut bytes)?, Some(other));
        assert_eq!(bytes, b"to the new one");
        peers[0].send(Time::ZERO, other, b"from there")?;
        assert_eq!(peers[1].receive(Time::ZERO, &mut bytes)?, Some(new));
        Ok(())
    }

    #[test]
    fn link_settings_follow_a_rebind() -> Outcome {
        let mut peers = SimTransport::nodes(SimNetwork::new(1), 2);
        let slow = LinkConfig { latency: Duration::from_millis(30), ..LinkConfig::perfect() };
        let slower = LinkConfig { latency: Duration::from_millis(70), ..LinkConfig::perfect() };
        let (first, second) = (peers[0].node(), peers[1].node());
        peers[0].network().borrow_mut().set_link(first, second, slow)?;
        peers[0].network().borrow_mut().set_link(second, first, slower)?;
        peers[0].rebind()?;
        peers[0].rebind()?;
        let network = peers[0].network().borrow();
        let moved = peers[0].node();
        assert_eq!(network.link(moved, second)?, &slow);
        assert_eq!(network.link(second, moved)?, &slower);
        Ok(())
    }

    #[test]
    fn a_borrowed_network_returns_an_error() -> Outcome {
        let mut peers = SimTransport::nodes(SimNetwork::new(1), 1);
        let network = Rc::clone(peers[0].network());
        let borrowed = network.try_borrow()?;
        let found = peers[0].send(Time::ZERO, Address::Node(0), b"");
        assert!(matches!(found, Err(TransportError::Socket(_))), "{found:?}");
        drop(borrowed);
        Ok(())
    }
}
