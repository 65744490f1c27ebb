//! `LinkStats`: packet statistics of one direction. Invariant: sent + duplicated = delivered + lost + in flight.

use core::fmt;
use core::ops::AddAssign;

/// Packet statistics of one direction between two nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStats {
    /// Packets sent.
    pub sent: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Packets delivered, copies included.
    pub delivered: u64,
    /// Bytes delivered.
    pub delivered_bytes: u64,
    /// Packets in flight, or arrived and not received.
    pub in_flight: u64,
    /// Lost packets, by cause.
    pub lost: Losses,
    /// Copies, without the originals.
    pub duplicated: u64,
    /// Corrupted packets and copies.
    pub corrupted: u64,
    /// Packets delivered after one that was sent later, without copies.
    pub reordered: u64,
}

/// Lost packets by cause. Each packet counts once, under its first cause in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Larger than the link's size limit.
    pub too_big: u64,
    /// Sent during a partition.
    pub partition: u64,
    /// Queue overflow.
    pub queue: u64,
    /// Loss of the burst model.
    pub burst: u64,
    /// Independent loss.
    pub random: u64,
}

impl Losses {
    /// Returns the sum.
    pub const fn total(&self) -> u64 {
        self.too_big + self.partition + self.queue + self.burst + self.random
    }
}

impl AddAssign for Losses {
    fn add_assign(&mut self, other: Self) {
        self.too_big += other.too_big;
        self.partition += other.partition;
        self.queue += other.queue;
        self.burst += other.burst;
        self.random += other.random;
    }
}

/// Adds up the links of a network.
impl AddAssign for LinkStats {
    fn add_assign(&mut self, other: Self) {
        self.sent += other.sent;
        self.sent_bytes += other.sent_bytes;
        self.delivered += other.delivered;
        self.delivered_bytes += other.delivered_bytes;
        self.in_flight += other.in_flight;
        self.lost += other.lost;
        self.duplicated += other.duplicated;
        self.corrupted += other.corrupted;
        self.reordered += other.reordered;
    }
}

impl fmt::Display for LinkStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sent, sent_bytes, delivered, delivered_bytes, in_flight, lost, .. } = self;
        write!(f, "sent {sent} ({sent_bytes} B), delivered {delivered} ({delivered_bytes} B), ")?;
        write!(f, "in flight {in_flight}, lost {}", lost.total())?;
        let causes = [
            ("too big", lost.too_big),
            ("partition", lost.partition),
            ("queue", lost.queue),
            ("burst", lost.burst),
            ("random", lost.random),
        ];
        let mut separator = " (";
        for (cause, count) in causes.into_iter().filter(|(_, count)| *count > 0) {
            write!(f, "{separator}{cause} {count}")?;
            separator = ", ";
        }
        if lost.total() > 0 {
            f.write_str(")")?;
        }
        write!(f, ", duplicated {}, ", self.duplicated)?;
        write!(f, "corrupted {}, reordered {}", self.corrupted, self.reordered)
    }
}
