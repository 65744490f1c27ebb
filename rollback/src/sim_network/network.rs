//! `SimNetwork`: nodes, links, packets in flight, and their total order: by arrival time, then by order of sending.
//! `link` decides loss and delay; this file keeps the bytes.

use super::config::LinkConfig;
use super::errors::{LinkError, SendError, UnknownNode};
use super::inbox::{Inbox, Packet};
use super::link::Link;
use super::stats::LinkStats;
use crate::Time;
use core::ops::Range;
use std::collections::{BTreeMap, VecDeque};

/// A node of a [`SimNetwork`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Returns the number of nodes added before it.
    #[doc(hidden)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A delivered packet. Its bytes are in the buffer passed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Arrival time, which may be before the call.
    pub at: Time,
    /// Sender.
    pub from: NodeId,
    /// Receiver.
    pub to: NodeId,
}

/// A change of link settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Of one direction.
    OneWay {
        /// Sender.
        from: NodeId,
        /// Receiver.
        to: NodeId,
        /// New settings.
        config: LinkConfig,
    },
    /// Of both directions; their randomness stays independent.
    BothWays {
        /// One end.
        between: NodeId,
        /// The other.
        and: NodeId,
        /// New settings.
        config: LinkConfig,
    },
    /// Of every link, those of nodes added later included.
    All {
        /// New settings.
        config: LinkConfig,
    },
}

/// A simulated datagram network in virtual time.
///
/// [`SimMatch`](crate::SimMatch) and `isostep_netcode::transport::SimTransport` send over it. Configure its links with
/// [`set_all_links`](Self::set_all_links) and [`set_link`](Self::set_link), and cut them with [`partition`](Self::partition) and
/// [`partition_both`](Self::partition_both).
///
/// ```
/// use isostep_rollback::sim_network::{LinkConfig, SimNetwork};
/// let mut network = SimNetwork::new(42);
/// network.set_all_links(LinkConfig::severe())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Equal seeds and calls give equal packets at equal nanoseconds on every machine. Each packet's randomness depends
/// only on the seed, the two nodes and its number on that link: more nodes or more faults do not change the others.
/// Loss and delay are decided when a packet is sent, with the settings at that time. Nothing is allocated once buffers
/// have grown to the traffic. Packets that are not received are kept.
#[derive(Clone, Debug)]
pub struct SimNetwork {
    seed: u64,
    /// Packets in flight, by receiver.
    inboxes: Vec<Inbox>,
    /// Links that were used or configured; others have the default settings.
    links: BTreeMap<(NodeId, NodeId), Link>,
    default_config: LinkConfig,
    /// By time, then in order of planning.
    planned: VecDeque<(Time, Change)>,
    latest: Time,
    sequence: u64,
    /// Reusable buffers of delivered packets, with capacity for every buffer there is.
    pool: Vec<Vec<u8>>,
    buffers: usize,
}

impl SimNetwork {
    /// Creates a network without nodes, with perfect links. The seed determines all randomness.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            inboxes: Vec::new(),
            links: BTreeMap::new(),
            default_config: LinkConfig::perfect(),
            planned: VecDeque::new(),
            latest: Time::ZERO,
            sequence: 0,
            pool: Vec::new(),
            buffers: 0,
        }
    }

    /// Adds a node, with links to and from every other node and itself.
    #[expect(clippy::missing_panics_doc, reason = "2³² inboxes take 128 GiB")]
    pub fn add_node(&mut self) -> NodeId {
        let index = u32::try_from(self.inboxes.len()).expect("memory ends before 2³² nodes");
        self.inboxes.push(Inbox::new());
        NodeId(index)
    }

    /// Returns all nodes, in order of adding.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..self.inboxes.len() as u32).map(NodeId)
    }

    /// Returns the settings of one direction.
    ///
    /// # Errors
    /// If a node belongs to another network.
    #[doc(hidden)]
    pub fn link(&self, from: NodeId, to: NodeId) -> Result<&LinkConfig, UnknownNode> {
        self.check(&[from, to])?;
        Ok(self.links.get(&(from, to)).map_or(&self.default_config, Link::config))
    }

    /// Sets one direction from now on.
    ///
    /// # Errors
    /// If a node belongs to another network or a setting is out of range; nothing changes then.
    pub fn set_link(
        &mut self,
        from: NodeId,
        to: NodeId,
        config: LinkConfig,
    ) -> Result<(), LinkError> {
        self.at(Time::ZERO, Change::OneWay { from, to, config })
    }

    /// Sets both directions from now on.
    ///
    /// # Errors
    /// As [`set_link`](Self::set_link).
    #[doc(hidden)]
    pub fn set_both_ways(
        &mut self,
        between: NodeId,
        and: NodeId,
        config: LinkConfig,
    ) -> Result<(), LinkError> {
        self.at(Time::ZERO, Change::BothWays { between, and, config })
    }

    /// Sets every link from now on, those of nodes added later included.
    ///
    /// # Errors
    /// If a setting is out of range; nothing changes then.
    pub fn set_all_links(&mut self, config: LinkConfig) -> Result<(), LinkError> {
        self.at(Time::ZERO, Change::All { config })
    }

    /// Plans a change for packets sent at that time or later, or at once if that time has passed.
    ///
    /// # Errors
    /// If a node belongs to another network or a setting is out of range; nothing is planned then.
    #[doc(hidden)]
    pub fn at(&mut self, time: Time, change: Change) -> Result<(), LinkError> {
        match change {
            Change::OneWay { from, to, config } => {
                self.check(&[from, to])?;
                config.validate()?;
            }
            Change::BothWays { between, and, config } => {
                self.check(&[between, and])?;
                config.validate()?;
            }
            Change::All { config } => config.validate()?,
        }
        if time <= self.latest {
            self.apply(change);
        } else {
            let place = self.planned.partition_point(|(planned, _)| *planned <= time);
            self.planned.insert(place, (time, change));
        }
        Ok(())
    }

    /// Drops all packets sent in one direction within a half-open window. Packets in flight arrive.
    ///
    /// # Errors
    /// If a node belongs to another network or the window is empty.
    pub fn partition(
        &mut self,
        from: NodeId,
        to: NodeId,
        window: Range<Time>,
    ) -> Result<(), LinkError> {
        self.check(&[from, to])?;
        if window.is_empty() {
            return Err(LinkError::EmptyWindow { start: window.start, end: window.end });
        }
        self.link_mut(from, to).add_partition(window);
        Ok(())
    }

    /// Drops all packets sent between two nodes within the window, in both directions.
    ///
    /// # Errors
    /// As [`partition`](Self::partition).
    pub fn partition_both(
        &mut self,
        between: NodeId,
        and: NodeId,
        window: Range<Time>,
    ) -> Result<(), LinkError> {
        self.partition(between, and, window.clone())?;
        self.partition(and, between, window)
    }

    /// Sends a packet. Its result shows only in deliveries and [`stats`](Self::stats), as with real datagrams.
    ///
    /// # Errors
    /// If a node belongs to another network, or a later time was given to any method.
    #[doc(hidden)]
    pub fn send(
        &mut self,
        now: Time,
        from: NodeId,
        to: NodeId,
        bytes: &[u8],
    ) -> Result<(), SendError> {
        self.check(&[from, to])?;
        if now < self.latest {
            return Err(SendError::TimeWentBack { now, latest: self.latest });
        }
        self.advance(now);
        let seed = self.seed;
        let arrivals = self.link_mut(from, to).send(seed, now, bytes.len());
        for mut arrival in arrivals.into_iter().flatten() {
            let mut buffer = self.pool.pop().unwrap_or_else(|| {
                self.buffers += 1;
                self.pool.reserve(self.buffers);
                Vec::new()
            });
            buffer.extend_from_slice(bytes);
            arrival.damage(&mut buffer);
            let (sequence, number) = (self.sequence, arrival.number);
            self.sequence += 1;
            let (at, is_copy) = (arrival.at, arrival.is_copy);
            let packet = Packet { at, sequence, from, number, is_copy, bytes: buffer };
            self.inboxes[to.index()].push(packet);
        }
        Ok(())
    }

    /// Returns the packets in flight, each with its number in order of sending.
    #[doc(hidden)]
    pub fn in_flight(&self) -> impl Iterator<Item = (u64, Delivery)> + '_ {
        let nodes = (0..).map(NodeId).zip(&self.inboxes);
        nodes.flat_map(|(to, inbox)| {
            inbox.iter().map(move |packet| {
                (packet.sequence, Delivery { at: packet.at, from: packet.from, to })
            })
        })
    }

    /// Takes the first packet for a node that has arrived by now. Its bytes replace those of the buffer.
    ///
    /// # Errors
    /// If the node belongs to another network.
    #[doc(hidden)]
    pub fn receive(
        &mut self,
        now: Time,
        node: NodeId,
        bytes: &mut Vec<u8>,
    ) -> Result<Option<Delivery>, UnknownNode> {
        self.check(&[node])?;
        self.advance(now);
        Ok(self.deliver(now, node, bytes))
    }

    /// Takes the first packet for any node that has arrived by now, as [`receive`](Self::receive) does. Linear in the
    /// number of nodes.
    #[doc(hidden)]
    pub fn poll(&mut self, now: Time, bytes: &mut Vec<u8>) -> Option<Delivery> {
        self.advance(now);
        let (_, node) = self.first()?;
        self.deliver(now, node, bytes)
    }

    /// Returns the arrival time of the next packet, which may have passed.
    #[doc(hidden)]
    pub fn next_delivery(&self) -> Option<Time> {
        self.first().map(|((at, _), _)| at)
    }

    /// Returns the arrival time of the next packet for a node, which may have passed.
    ///
    /// # Errors
    /// If the node belongs to another network.
    #[doc(hidden)]
    pub fn next_delivery_to(&self, node: NodeId) -> Result<Option<Time>, UnknownNode> {
        self.check(&[node])?;
        Ok(self.inboxes[node.index()].peek().map(|packet| packet.at))
    }

    /// Returns the statistics of one direction.
    ///
    /// # Errors
    /// If a node belongs to another network.
    #[doc(hidden)]
    pub fn stats(&self, from: NodeId, to: NodeId) -> Result<LinkStats, UnknownNode> {
        self.check(&[from, to])?;
        Ok(self.links.get(&(from, to)).map_or_else(LinkStats::default, |link| link.stats))
    }

    /// Returns the statistics of all links.
    #[doc(hidden)]
    pub fn total_stats(&self) -> LinkStats {
        let mut total = LinkStats::default();
        self.links.values().for_each(|link| total += link.stats);
        total
    }

    fn check(&self, nodes: &[NodeId]) -> Result<(), UnknownNode> {
        let unknown = nodes.iter().find(|node| node.index() >= self.inboxes.len());
        unknown.map_or(Ok(()), |node| Err(UnknownNode(*node)))
    }

    /// Applies the changes planned up to now.
    fn advance(&mut self, now: Time) {
        self.latest = self.latest.max(now);
        while let Some((_, change)) = self.planned.pop_front_if(|(time, _)| *time <= now) {
            self.apply(change);
        }
    }

    fn apply(&mut self, change: Change) {
        match change {
            Change::OneWay { from, to, config } => self.link_mut(from, to).set_config(config),
            Change::BothWays { between, and, config } => {
                self.link_mut(between, and).set_config(config);
                self.link_mut(and, between).set_config(config);
            }
            Change::All { config } => {
                self.default_config = config;
                self.links.values_mut().for_each(|link| link.set_config(config));
            }
        }
    }

    fn link_mut(&mut self, from: NodeId, to: NodeId) -> &mut Link {
        let config = self.default_config;
        self.links.entry((from, to)).or_insert_with(|| Link::new(from, to, config))
    }

    fn first(&self) -> Option<((Time, u64), NodeId)> {
        let first = |node: NodeId| Some((self.inboxes[node.index()].peek()?.order(), node));
        self.nodes().filter_map(first).min()
    }

    fn deliver(&mut self, now: Time, to: NodeId, bytes: &mut Vec<u8>) -> Option<Delivery> {
        let inbox = &mut self.inboxes[to.index()];
        if inbox.peek()?.at > now {
            return None;
        }
        let Packet { at, from, number, is_copy, bytes: mut buffer, .. } = inbox.pop()?;
        bytes.clear();
        bytes.extend_from_slice(&buffer);
        self.link_mut(from, to).deliver(number, is_copy, bytes.len());
        buffer.clear();
        self.pool.push(buffer);
        Some(Delivery { at, from, to })
    }
}
