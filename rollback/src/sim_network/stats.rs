//! `LinkStats`: what became of the packets of one direction. Kept by `link` and the deliveries of the network; at every
//! moment sent + duplicated = delivered + lost + in flight.

use core::fmt;
use core::ops::AddAssign;

/// What became of the packets sent in one direction between two nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStats {
    /// Packets given to `send`.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Packets handed out, copies included.
    pub delivered: u64,
    /// Their bytes.
    pub delivered_bytes: u64,
    /// Packets on the way, or arrived and not yet asked for.
    pub in_flight: u64,
    /// Packets that never arrive, by cause.
    pub lost: Losses,
    /// Copies made on the way, beside the originals.
    pub duplicated: u64,
    /// Packets and copies changed on the way.
    pub corrupted: u64,
    /// Packets handed out after one that was sent later. Copies don't count.
    pub reordered: u64,
}

/// Why packets never arrived. Each packet counts once, under the first cause it met, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Larger than the link's size limit.
    pub too_big: u64,
    /// Sent during a partition.
    pub partition: u64,
    /// No room left in the queue.
    pub queue: u64,
    /// By the loss of the burst model's states.
    pub burst: u64,
    /// On its own.
    pub random: u64,
}

impl Losses {
    /// All of them.
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
