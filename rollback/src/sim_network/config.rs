//! `LinkConfig`: how one direction between two nodes behaves. Plain data: checked here before a link may use it, and
//! turned into the fate of a packet in `link`. Times in `Duration`, chances in parts per million of packets.

use super::jitter::Jitter;
use core::time::Duration;
use serde::{Deserialize, Serialize};

/// One, in parts per million.
pub(super) const MILLION: u32 = 1_000_000;

/// No delay of a link may be longer, so that sums of delays stay far from the end of `Time`.
pub(super) const LONGEST_DELAY: Duration = Duration::from_hours(1);

/// More flipped bits than this make noise, which says no more about a decoder than this many do.
const MOST_BIT_FLIPS: u32 = 64;

/// Keeps the sums of a busy queue far from overflow.
const MOST_BITS_PER_SECOND: u64 = 1_000_000_000_000;

/// What fits in an Ethernet frame after IPv4 and UDP headers, in bytes.
const ETHERNET_PAYLOAD: u32 = 1472;

/// How packets fare in one direction between two nodes.
///
/// Start from a profile and change what matters:
///
/// ```
/// use isostep_rollback::sim_network::LinkConfig;
/// let config = LinkConfig { loss_ppm: 30_000, ..LinkConfig::wifi() }; // 3 % instead of 1 %
/// assert!(config.validate().is_ok());
/// ```
///
/// A packet meets the parts in this order: size limit, partition, queue, loss, delay, duplication, corruption.
/// Sizes count payload bytes; headers are not added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkConfig {
    /// Delay of every packet, one way.
    pub latency: Duration,
    /// Random change of the delay, drawn for each packet on its own. It may let packets overtake one another.
    pub jitter: Jitter,
    /// Packets lost, each on its own.
    pub loss_ppm: u32,
    /// Packets lost in groups.
    pub bursts: Option<Bursts>,
    /// Packets held back by `reorder_delay`, so that later ones overtake them.
    pub reorder_ppm: u32,
    /// How much longer a held-back packet takes.
    pub reorder_delay: Duration,
    /// Packets that arrive twice. The copy has a jitter and a corruption of its own.
    pub duplicate_ppm: u32,
    /// Packets that arrive changed.
    pub corruption: Option<Corruption>,
    /// How fast the link takes packets; without it, at once.
    pub bandwidth: Option<Bandwidth>,
    /// The largest payload in bytes; bigger packets are dropped.
    pub mtu: Option<u32>,
    /// Packets arrive in the order of sending, as on a path with a single queue: one that is late makes those behind
    /// it late. A duplicate then arrives right behind its original.
    pub keep_order: bool,
}

/// Loss in groups, by the model of Gilbert and Elliott: the link is in a good or a bad state, and each has its own loss.
///
/// The state may change with each packet sent, before the packet's own fate. Bad spells last 1 000 000 / `leave_ppm`
/// packets on average, and `enter_ppm` / (`enter_ppm` + `leave_ppm`) of all packets meet one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bursts {
    /// Chance at each packet that a good link turns bad.
    pub enter_ppm: u32,
    /// Chance at each packet that a bad link turns good.
    pub leave_ppm: u32,
    /// Loss while the link is good.
    pub good_loss_ppm: u32,
    /// Loss while the link is bad.
    pub bad_loss_ppm: u32,
}

/// Packets that arrive changed: bits flipped, or the end cut off. They never grow. An empty packet stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Corruption {
    /// Packets changed.
    pub ppm: u32,
    /// A packet with flipped bits has 1 to this many, each number as likely as any other; at most 64.
    pub max_bit_flips: u32,
    /// Of the changed packets, those that are cut instead: to a length below their own, each as likely as any other.
    pub cut_ppm: u32,
}

/// How fast a link takes packets, and how many bytes may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bandwidth {
    /// A packet needs its bits divided by this to leave; the next one waits that long. 1 to 10¹².
    pub bits_per_second: u64,
    /// Bytes that may wait, those still leaving included. A packet that would exceed it is dropped; an idle link takes a
    /// packet of any size.
    pub queue_bytes: u32,
}

/// Why a link can't be configured like this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A chance above one.
    #[error("{field} is {ppm}, more than every packet: give parts per million, at most 1 000 000")]
    AboveMillion {
        /// The field.
        field: &'static str,
        /// Its value.
        ppm: u32,
    },
    /// A delay beyond all use.
    #[error("{field} is {delay:?}: give at most an hour; to lose packets use loss or a partition")]
    DelayTooLong {
        /// The field.
        field: &'static str,
        /// Its value.
        delay: Duration,
    },
    /// Some packets would arrive before they were sent.
    #[error(
        "jitter of ±{spread:?} exceeds the latency of {latency:?}: lower the one or raise the other"
    )]
    JitterAboveLatency {
        /// The spread of the jitter.
        spread: Duration,
        /// The latency.
        latency: Duration,
    },
    /// Packets are to be held back by nothing.
    #[error("reorder_ppm is set but reorder_delay is zero: say how long a packet is held back")]
    NoReorderDelay,
    /// A burst that never ends.
    #[error("a link that turns bad never recovers: set leave_ppm above 0, or use a partition")]
    EndlessBursts,
    /// Flipping no bits, or too many.
    #[error("max_bit_flips is {0}: give 1 to 64")]
    BitFlips(u32),
    /// A link that never sends, or faster than any.
    #[error(
        "bits_per_second is {0}: give 1 to 10¹², None for no limit; a partition stops all packets"
    )]
    BitsPerSecond(u64),
    /// A size limit that lets nothing through.
    #[error("mtu is 0: give a size in bytes, None for no limit, or use a partition")]
    ZeroMtu,
}

impl LinkConfig {
    /// Every packet arrives, at once, in order. The default.
    pub const fn perfect() -> Self {
        Self {
            latency: Duration::ZERO,
            jitter: Jitter::None,
            loss_ppm: 0,
            bursts: None,
            reorder_ppm: 0,
            reorder_delay: Duration::ZERO,
            duplicate_ppm: 0,
            corruption: None,
            bandwidth: None,
            mtu: None,
            keep_order: false,
        }
    }

    /// A cable in one building: 0.5 ms ± 0.2 ms one way, nothing lost, 1 Gbit/s.
    pub const fn lan() -> Self {
        Self {
            latency: Duration::from_micros(500),
            jitter: Jitter::Normal { spread: Duration::from_micros(200) },
            bandwidth: Some(Bandwidth { bits_per_second: 1_000_000_000, queue_bytes: 1 << 20 }),
            mtu: Some(ETHERNET_PAYLOAD),
            ..Self::perfect()
        }
    }

    /// A house with wireless: 50 ms ± 20 ms one way, 1 % lost, 0.1 % twice, 20 Mbit/s.
    pub const fn wifi() -> Self {
        Self {
            latency: Duration::from_millis(50),
            jitter: Jitter::Normal { spread: Duration::from_millis(20) },
            loss_ppm: 10_000,
            duplicate_ppm: 1_000,
            bandwidth: Some(Bandwidth { bits_per_second: 20_000_000, queue_bytes: 1 << 18 }),
            mtu: Some(ETHERNET_PAYLOAD),
            ..Self::perfect()
        }
    }

    /// A phone on the move: 100 ms one way and 15 ms more on average, up to 250 ms more (heavy tail); 5 % lost, three of
    /// the five in bursts of about four packets of which every other is lost; 5 Mbit/s.
    pub const fn mobile() -> Self {
        Self {
            latency: Duration::from_millis(100),
            jitter: Jitter::Pareto {
                scale: Duration::from_millis(15),
                most: Duration::from_millis(250),
            },
            // 1 − (1 − 0.020 619)(1 − 0.06 × 0.5) = 5 %
            loss_ppm: 20_619,
            bursts: Some(Bursts {
                enter_ppm: 15_000,
                leave_ppm: 235_000,
                good_loss_ppm: 0,
                bad_loss_ppm: 500_000,
            }),
            duplicate_ppm: 2_000,
            bandwidth: Some(Bandwidth { bits_per_second: 5_000_000, queue_bytes: 1 << 17 }),
            mtu: Some(1200),
            ..Self::perfect()
        }
    }

    /// As bad as a game should still bear: 200 ms ± 80 ms one way, 15 % lost (a third of it in bursts), 2 % held back by
    /// another 50 ms, 1 % twice, 0.1 % changed on the way, 1 Mbit/s.
    pub const fn severe() -> Self {
        Self {
            latency: Duration::from_millis(200),
            jitter: Jitter::Normal { spread: Duration::from_millis(80) },
            // 1 − (1 − 0.1)(1 − 1⁄9 × 0.5) = 15 %
            loss_ppm: 100_000,
            bursts: Some(Bursts {
                enter_ppm: 25_000,
                leave_ppm: 200_000,
                good_loss_ppm: 0,
                bad_loss_ppm: 500_000,
            }),
            reorder_ppm: 20_000,
            reorder_delay: Duration::from_millis(50),
            duplicate_ppm: 10_000,
            corruption: Some(Corruption { ppm: 1_000, max_bit_flips: 8, cut_ppm: 250_000 }),
            bandwidth: Some(Bandwidth { bits_per_second: 1_000_000, queue_bytes: 1 << 16 }),
            mtu: Some(1200),
            ..Self::perfect()
        }
    }

    /// The shortest time on the way.
    pub fn min_delay(&self) -> Duration {
        self.latency.saturating_sub(self.jitter.max_early())
    }

    /// The longest time on the way, apart from waiting in the queue of `bandwidth` or behind others of `keep_order`.
    pub fn max_delay(&self) -> Duration {
        let held = if self.reorder_ppm > 0 { self.reorder_delay } else { Duration::ZERO };
        self.latency.saturating_add(self.jitter.max_late()).saturating_add(held)
    }

    /// Whether a link can have it.
    ///
    /// # Errors
    /// When a value is out of range; it says which and what to do.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let chances = [
            ("loss_ppm", self.loss_ppm),
            ("reorder_ppm", self.reorder_ppm),
            ("duplicate_ppm", self.duplicate_ppm),
        ];
        let bursts = self.bursts.iter().flat_map(|bursts| {
            [
                ("bursts.enter_ppm", bursts.enter_ppm),
                ("bursts.leave_ppm", bursts.leave_ppm),
                ("bursts.good_loss_ppm", bursts.good_loss_ppm),
                ("bursts.bad_loss_ppm", bursts.bad_loss_ppm),
            ]
        });
        let corruption = self.corruption.iter().flat_map(|corruption| {
            [("corruption.ppm", corruption.ppm), ("corruption.cut_ppm", corruption.cut_ppm)]
        });
        for (field, ppm) in chances.into_iter().chain(bursts).chain(corruption) {
            if ppm > MILLION {
                return Err(ConfigError::AboveMillion { field, ppm });
            }
        }
        let delays = [
            ("latency", self.latency),
            ("jitter", self.jitter.max_early().max(self.jitter.max_late())),
            ("jitter.scale", self.jitter.scale()),
            ("reorder_delay", self.reorder_delay),
        ];
        for (field, delay) in delays {
            if delay > LONGEST_DELAY {
                return Err(ConfigError::DelayTooLong { field, delay });
            }
        }
        let (spread, latency) = (self.jitter.max_early(), self.latency);
        if spread > latency {
            return Err(ConfigError::JitterAboveLatency { spread, latency });
        }
        if self.reorder_ppm > 0 && self.reorder_delay.is_zero() {
            return Err(ConfigError::NoReorderDelay);
        }
        if self.bursts.is_some_and(|bursts| bursts.enter_ppm > 0 && bursts.leave_ppm == 0) {
            return Err(ConfigError::EndlessBursts);
        }
        match self.corruption {
            Some(Corruption { max_bit_flips, .. })
                if !(1..=MOST_BIT_FLIPS).contains(&max_bit_flips) =>
            {
                return Err(ConfigError::BitFlips(max_bit_flips));
            }
            _ => {}
        }
        match self.bandwidth {
            Some(Bandwidth { bits_per_second, .. })
                if !(1..=MOST_BITS_PER_SECOND).contains(&bits_per_second) =>
            {
                return Err(ConfigError::BitsPerSecond(bits_per_second));
            }
            _ => {}
        }
        if self.mtu == Some(0) {
            return Err(ConfigError::ZeroMtu);
        }
        Ok(())
    }
}
