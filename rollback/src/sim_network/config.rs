//! `LinkConfig`: behaviour of one direction between two nodes. Plain data: validated here, applied to packets in
//! `link`. Times are `Duration`s, probabilities are in parts per million of packets.

use super::jitter::Jitter;
use core::time::Duration;
use serde::{Deserialize, Serialize};

/// One, in parts per million.
pub(super) const MILLION: u32 = 1_000_000;

/// Maximum delay of a link, so that sums of delays stay far from the end of `Time`.
pub(super) const LONGEST_DELAY: Duration = Duration::from_hours(1);

/// Maximum number of flipped bits. More give random noise, which tests a decoder no further.
const MOST_BIT_FLIPS: u32 = 64;

/// Maximum bandwidth; keeps the sums of a busy queue far from overflow.
const MOST_BITS_PER_SECOND: u64 = 1_000_000_000_000;

/// Payload of an Ethernet frame after IPv4 and UDP headers, in bytes.
const ETHERNET_PAYLOAD: u32 = 1472;

/// Behaviour of one direction between two nodes.
///
/// Start from a profile and change fields:
///
/// ```
/// use isostep_rollback::sim_network::LinkConfig;
/// let config = LinkConfig { loss_ppm: 30_000, ..LinkConfig::wifi() }; // 3 % instead of 1 %
/// assert!(config.validate().is_ok());
/// ```
///
/// Faults apply in this order: size limit, partition, queue, loss, delay, duplication, corruption. Sizes count payload
/// bytes; headers are not added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkConfig {
    /// One-way latency.
    pub latency: Duration,
    /// Random change of the latency, drawn for each packet. It may reorder packets.
    pub jitter: Jitter,
    /// Independent packet loss.
    pub loss_ppm: u32,
    /// Burst loss.
    pub bursts: Option<Bursts>,
    /// Packets delayed by `reorder_delay`, so that later ones overtake them.
    pub reorder_ppm: u32,
    /// Additional delay of reordered packets.
    pub reorder_delay: Duration,
    /// Duplicated packets. The copy has its own jitter and corruption.
    pub duplicate_ppm: u32,
    /// Corrupted packets.
    pub corruption: Option<Corruption>,
    /// Bandwidth; unlimited without it.
    pub bandwidth: Option<Bandwidth>,
    /// Maximum payload in bytes; larger packets are dropped.
    pub mtu: Option<u32>,
    /// Keeps the order of sending, as on a path with a single queue: a late packet delays those behind it. A duplicate
    /// arrives right after its original.
    pub keep_order: bool,
}

/// Burst loss by the Gilbert–Elliott model: the link is in a good or a bad state, each with its own loss.
///
/// The state may change with each packet sent, before the packet's own loss. Bad states last 1 000 000 / `leave_ppm`
/// packets on average, and affect `enter_ppm` / (`enter_ppm` + `leave_ppm`) of all packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bursts {
    /// Probability at each packet that a good link turns bad.
    pub enter_ppm: u32,
    /// Probability at each packet that a bad link turns good.
    pub leave_ppm: u32,
    /// Loss in the good state.
    pub good_loss_ppm: u32,
    /// Loss in the bad state.
    pub bad_loss_ppm: u32,
}

/// Corruption: bits flipped, or the end truncated. Packets never grow. An empty packet is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Corruption {
    /// Corrupted packets.
    pub ppm: u32,
    /// Maximum number of flipped bits, uniformly drawn from 1; at most 64.
    pub max_bit_flips: u32,
    /// Share of corrupted packets that are truncated instead, to a uniformly drawn shorter length.
    pub cut_ppm: u32,
}

/// Bandwidth of a link and its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bandwidth {
    /// Transmission rate; the next packet waits until the last one has left. 1 to 10¹².
    pub bits_per_second: u64,
    /// Queue size in bytes, the packet being sent included. A packet that exceeds it is dropped; an idle link takes a
    /// packet of any size.
    pub queue_bytes: u32,
}

/// Error of a link's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A probability above one.
    #[error("{field} is {ppm}, more than one; give parts per million, at most 1 000 000")]
    AboveMillion {
        /// The field.
        field: &'static str,
        /// Its value.
        ppm: u32,
    },
    /// A delay is too long.
    #[error("{field} is {delay:?}: give at most an hour; to lose packets use loss or a partition")]
    DelayTooLong {
        /// The field.
        field: &'static str,
        /// Its value.
        delay: Duration,
    },
    /// The jitter exceeds the latency: packets would arrive before they are sent.
    #[error(
        "jitter of ±{spread:?} exceeds the latency of {latency:?}: lower the jitter or raise the latency"
    )]
    JitterAboveLatency {
        /// Spread of the jitter.
        spread: Duration,
        /// The latency.
        latency: Duration,
    },
    /// The reorder delay is zero.
    #[error("reorder_ppm is set but reorder_delay is zero; set the additional delay")]
    NoReorderDelay,
    /// Bursts never end.
    #[error("leave_ppm is 0, so a bad link never recovers; set it above 0, or use a partition")]
    EndlessBursts,
    /// The number of flipped bits is out of range.
    #[error("max_bit_flips is {0}: give 1 to 64")]
    BitFlips(u32),
    /// The bandwidth is out of range.
    #[error(
        "bits_per_second is {0}: give 1 to 10¹², None for no limit; a partition stops all packets"
    )]
    BitsPerSecond(u64),
    /// The size limit is zero.
    #[error("mtu is 0: give a size in bytes, None for no limit, or use a partition")]
    ZeroMtu,
}

impl LinkConfig {
    /// Perfect link: no delay, no loss. The default.
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

    /// Wired LAN: 0.5 ms ± 0.2 ms one way, no loss, 1 Gbit/s.
    pub const fn lan() -> Self {
        Self {
            latency: Duration::from_micros(500),
            jitter: Jitter::Normal { spread: Duration::from_micros(200) },
            bandwidth: Some(Bandwidth { bits_per_second: 1_000_000_000, queue_bytes: 1 << 20 }),
            mtu: Some(ETHERNET_PAYLOAD),
            ..Self::perfect()
        }
    }

    /// Home Wi-Fi: 50 ms ± 20 ms one way, 1 % loss, 0.1 % duplicates, 20 Mbit/s.
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

    /// Mobile phone in motion: 100 ms one way and 15 ms more on average, up to 250 ms more (heavy tail); 5 % loss,
    /// three of the five in bursts of about four packets of which every other is lost; 5 Mbit/s.
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

    /// Worst link that a game should tolerate: 200 ms ± 80 ms one way, 15 % loss (a third of it in bursts), 2 %
    /// reordered by another 50 ms, 1 % duplicates, 0.1 % corrupted, 1 Mbit/s.
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

    /// Returns the minimum delay.
    #[doc(hidden)]
    pub fn min_delay(&self) -> Duration {
        self.latency.saturating_sub(self.jitter.max_early())
    }

    /// Returns the maximum delay, without waiting in the queue of `bandwidth` or behind others with `keep_order`.
    #[doc(hidden)]
    pub fn max_delay(&self) -> Duration {
        let held = if self.reorder_ppm > 0 { self.reorder_delay } else { Duration::ZERO };
        self.latency.saturating_add(self.jitter.max_late()).saturating_add(held)
    }

    /// Validates the settings.
    ///
    /// # Errors
    /// If a value is out of range; the error names it and says what to do.
    #[doc(hidden)]
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
