//! `Inbox`: packets in flight to one node, by arrival time, then by order of sending. `SimNetwork` has one for each
//! node and reuses the buffers of delivered packets.

use super::network::NodeId;
use crate::Time;
use core::cmp::Ordering;
use std::collections::BinaryHeap;

pub(super) type Inbox = BinaryHeap<Packet>;

/// A packet in flight.
#[derive(Clone, Debug)]
pub(super) struct Packet {
    pub(super) at: Time,
    /// Order of sending over the whole network; a copy follows its original.
    pub(super) sequence: u64,
    pub(super) from: NodeId,
    /// Number on its link.
    pub(super) number: u64,
    pub(super) is_copy: bool,
    pub(super) bytes: Vec<u8>,
}

impl Packet {
    pub(super) fn order(&self) -> (Time, u64) {
        (self.at, self.sequence)
    }
}

/// Reversed: the maximum of the heap is the first to arrive.
impl Ord for Packet {
    fn cmp(&self, other: &Self) -> Ordering {
        other.order().cmp(&self.order())
    }
}

impl PartialOrd for Packet {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Packet {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Packet {}
