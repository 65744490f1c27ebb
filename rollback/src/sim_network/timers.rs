//! `Timers`: wake-ups in a deterministic order, and the event loop over wake-ups and deliveries.

use super::network::{Delivery, NodeId, SimNetwork};
use crate::Time;
use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// Wake-ups in virtual time: by time, then by key, then in the order of setting.
///
/// The key identifies the wake-up: a [`NodeId`], or any small ordered type. Peers that tick by drifting clocks, with
/// packets in between:
///
/// ```
/// use isostep_rollback::Time;
/// use isostep_rollback::internals::{Timers, VirtualClock};
/// use isostep_rollback::sim_network::{LinkConfig, SimNetwork};
/// let mut network = SimNetwork::new(7);
/// network.set_all_links(LinkConfig::wifi())?;
/// let nodes = [network.add_node(), network.add_node()];
/// let clocks = [VirtualClock::new(0, 150)?, VirtualClock::new(3_000_000, -150)?];
/// let (mut timers, mut ticks, mut bytes) = (Timers::new(), [0_u64; 2], Vec::new());
/// nodes.iter().for_each(|node| timers.set(Time::ZERO, *node));
/// while let Some((now, node)) = timers.pop(Time::from_millis(10_000)) {
///     let me = node.index();
///     while let Some(_packet) = network.receive(now, node, &mut bytes)? { /* read it */ }
///     network.send(now, node, nodes[1 - me], &ticks[me].to_le_bytes())?;
///     ticks[me] += 1;
///     timers.set(clocks[me].true_time_of(Time::from_nanos(ticks[me] * 1_000_000_000 / 60)), node);
/// }
/// assert!(ticks.iter().all(|ticks| (599..=602).contains(ticks)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A peer that acts when a packet arrives, such as a relay, uses [`next_event`](Self::next_event) instead.
#[derive(Clone, Debug)]
pub struct Timers<K = NodeId> {
    heap: BinaryHeap<Reverse<(Time, K, u64)>>,
    set: u64,
}

/// An event of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimEvent<K = NodeId> {
    /// A packet arrives.
    Packet(Delivery),
    /// A timer expires.
    Wake {
        /// Time of the wake-up.
        at: Time,
        /// Its key.
        key: K,
    },
}

impl<K: Ord + Copy> Timers<K> {
    /// Creates an empty queue.
    pub fn new() -> Self {
        Self { heap: BinaryHeap::new(), set: 0 }
    }

    /// Adds a wake-up. A key may have several.
    pub fn set(&mut self, at: Time, key: K) {
        self.heap.push(Reverse((at, key, self.set)));
        self.set += 1;
    }

    /// Removes all wake-ups of a key. Linear in their number.
    pub fn cancel(&mut self, key: K) {
        self.heap.retain(|Reverse((_, other, _))| *other != key);
    }

    /// Returns the time of the next wake-up.
    pub fn next_wake(&self) -> Option<Time> {
        self.heap.peek().map(|Reverse((at, ..))| *at)
    }

    /// Takes the next wake-up at or before `until`.
    pub fn pop(&mut self, until: Time) -> Option<(Time, K)> {
        if self.next_wake()? > until {
            return None;
        }
        self.heap.pop().map(|Reverse((at, key, _))| (at, key))
    }

    /// Takes the next delivery or wake-up at or before `until`. At equal times packets come first, so that a woken peer
    /// has all that has arrived.
    pub fn next_event(
        &mut self,
        network: &mut SimNetwork,
        until: Time,
        bytes: &mut Vec<u8>,
    ) -> Option<SimEvent<K>> {
        let packets_until = self.next_wake().map_or(until, |wake| wake.min(until));
        // Polled at the arrival, not at the next wake-up: the receiver may answer at once.
        if let Some(at) = network.next_delivery().filter(|at| *at <= packets_until) {
            return network.poll(at, bytes).map(SimEvent::Packet);
        }
        self.pop(until).map(|(at, key)| SimEvent::Wake { at, key })
    }
}

impl<K: Ord + Copy> Default for Timers<K> {
    fn default() -> Self {
        Self::new()
    }
}
