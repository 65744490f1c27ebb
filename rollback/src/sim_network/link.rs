//! `Link`: one direction between two nodes. It decides loss, delay and corruption of each packet; `SimNetwork` calls
//! `send` and puts arrivals into the receiver's inbox.
//!
//! The randomness of packet *n* is keyed by (seed, from, to, *n*, purpose), so packets are independent of other links,
//! and enabling one fault does not change the others.

use super::config::{Corruption, LinkConfig, MILLION};
use super::jitter::nanos;
use super::network::NodeId;
use super::stats::LinkStats;
use crate::Time;
use core::ops::Range;
use core::time::Duration;
use isostep_core::Rng;

/// Purposes of a draw. Delay and corruption have one purpose for the original and the next for the copy.
const OUTCOME: u64 = 1;
const DELAY: u64 = 2;
const DAMAGE: u64 = 4;

const NANOS_PER_SECOND: u128 = 1_000_000_000;

/// A packet, or a copy of one, that will arrive.
pub(super) struct Arrival {
    pub(super) at: Time,
    /// Number of the packet on this link.
    pub(super) number: u64,
    pub(super) is_copy: bool,
    /// Corruption to apply, with its generator.
    damage: Option<(Corruption, Rng)>,
}

#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) stats: LinkStats,
    config: LinkConfig,
    /// Both ends, as a part of the key.
    ends: u64,
    /// The burst model is in its bad state.
    bad: bool,
    /// The queue became busy at `busy_since`, took `busy_bits` since, and is empty at `free_at`. Times are computed
    /// from the sum, so that rounding does not accumulate.
    busy_since: Time,
    busy_bits: u128,
    free_at: Time,
    last_arrival: Time,
    partitions: Vec<Range<Time>>,
    /// Highest delivered number.
    newest: Option<u64>,
}

impl Link {
    pub(super) fn new(from: NodeId, to: NodeId, config: LinkConfig) -> Self {
        Self {
            stats: LinkStats::default(),
            config,
            ends: (u64::from(from.0) << 32) | u64::from(to.0),
            bad: false,
            busy_since: Time::ZERO,
            busy_bits: 0,
            free_at: Time::ZERO,
            last_arrival: Time::ZERO,
            partitions: Vec::new(),
            newest: None,
        }
    }

    pub(super) fn config(&self) -> &LinkConfig {
        &self.config
    }

    /// Sets the validated configuration for packets sent from now on.
    pub(super) fn set_config(&mut self, config: LinkConfig) {
        self.config = config;
        self.bad &= config.bursts.is_some();
        // Queued packets keep their times; the new rate applies after them.
        (self.busy_since, self.busy_bits) = (self.free_at, 0);
    }

    pub(super) fn add_partition(&mut self, window: Range<Time>) {
        self.partitions.push(window);
    }

    /// Decides the arrivals of a packet: none, one, or one and a copy.
    pub(super) fn send(&mut self, seed: u64, now: Time, size: usize) -> [Option<Arrival>; 2] {
        let number = self.stats.sent;
        self.stats.sent += 1;
        self.stats.sent_bytes += size as u64;
        // All values are drawn and the burst model advances for every packet, so that faults stay independent.
        let mut rng = self.rng(seed, number, OUTCOME);
        let [turn, in_burst, alone, reorder, duplicate] = core::array::from_fn(|_| rng.next_u64());
        let in_burst = self.lost_in_burst(turn, in_burst);
        let config = self.config;
        let lost = &mut self.stats.lost;
        if config.mtu.is_some_and(|mtu| size as u64 > u64::from(mtu)) {
            lost.too_big += 1;
            return [None, None];
        }
        self.partitions.retain(|window| window.end > now);
        if self.partitions.iter().any(|window| window.contains(&now)) {
            lost.partition += 1;
            return [None, None];
        }
        let Some(left) = self.leave_queue(now, size) else {
            self.stats.lost.queue += 1;
            return [None, None];
        };
        let lost = &mut self.stats.lost;
        if in_burst {
            lost.burst += 1;
            return [None, None];
        }
        if hits(alone, config.loss_ppm) {
            lost.random += 1;
            return [None, None];
        }
        let held =
            if hits(reorder, config.reorder_ppm) { config.reorder_delay } else { Duration::ZERO };
        let mut at = left + held + self.delay(seed, number, 0);
        if config.keep_order {
            at = at.max(self.last_arrival);
        }
        self.last_arrival = self.last_arrival.max(at);
        let original = self.arrival(seed, number, 0, at, size);
        let copy = hits(duplicate, config.duplicate_ppm).then(|| {
            self.stats.duplicated += 1;
            let at = if config.keep_order { at } else { left + self.delay(seed, number, 1) };
            self.arrival(seed, number, 1, at, size)
        });
        [Some(original), copy]
    }

    /// Counts a delivered packet.
    pub(super) fn deliver(&mut self, number: u64, is_copy: bool, size: usize) {
        self.stats.in_flight -= 1;
        self.stats.delivered += 1;
        self.stats.delivered_bytes += size as u64;
        if !is_copy && self.newest.is_some_and(|newest| newest > number) {
            self.stats.reordered += 1;
        }
        self.newest = self.newest.max(Some(number));
    }

    fn rng(&self, seed: u64, number: u64, purpose: u64) -> Rng {
        Rng::keyed(seed, self.ends, number, purpose)
    }

    fn lost_in_burst(&mut self, turn: u64, loss: u64) -> bool {
        let Some(bursts) = self.config.bursts else { return false };
        self.bad ^= hits(turn, if self.bad { bursts.leave_ppm } else { bursts.enter_ppm });
        hits(loss, if self.bad { bursts.bad_loss_ppm } else { bursts.good_loss_ppm })
    }

    /// Returns the time at which the last bit of a packet leaves the queue; `None` if the queue is full.
    fn leave_queue(&mut self, now: Time, size: usize) -> Option<Time> {
        let Some(bandwidth) = self.config.bandwidth else { return Some(now) };
        let rate = u128::from(bandwidth.bits_per_second);
        if self.free_at <= now {
            (self.busy_since, self.busy_bits) = (now, 0);
        } else {
            let waiting_bits = self.free_at.since(now).as_nanos() * rate / NANOS_PER_SECOND;
            if waiting_bits.div_ceil(8) + size as u128 > u128::from(bandwidth.queue_bytes) {
                return None;
            }
        }
        self.busy_bits += size as u128 * 8;
        let busy = (self.busy_bits * NANOS_PER_SECOND).div_ceil(rate);
        let busy = Duration::from_nanos(u64::try_from(busy).unwrap_or(u64::MAX));
        self.free_at = self.busy_since + busy;
        Some(self.free_at)
    }

    fn delay(&self, seed: u64, number: u64, copy: u64) -> Duration {
        let jitter = self.config.jitter.draw(&mut self.rng(seed, number, DELAY + copy));
        // Not negative: a validated jitter never exceeds the latency.
        Duration::from_nanos((nanos(self.config.latency) + jitter).unsigned_abs())
    }

    fn arrival(&mut self, seed: u64, number: u64, copy: u64, at: Time, size: usize) -> Arrival {
        self.stats.in_flight += 1;
        let damage = self.config.corruption.filter(|_| size > 0).and_then(|corruption| {
            let mut rng = self.rng(seed, number, DAMAGE + copy);
            hits(rng.next_u64(), corruption.ppm).then_some((corruption, rng))
        });
        self.stats.corrupted += u64::from(damage.is_some());
        Arrival { at, number, is_copy: copy > 0, damage }
    }
}

impl Arrival {
    /// Flips bits or truncates, if the packet is to be corrupted. The bytes always differ afterwards.
    pub(super) fn damage(&mut self, bytes: &mut Vec<u8>) {
        let Some((corruption, rng)) = &mut self.damage else { return };
        if hits(rng.next_u64(), corruption.cut_ppm) {
            bytes.truncate(scale(rng.next_u64(), bytes.len() as u64) as usize);
            return;
        }
        let bits = bytes.len() as u64 * 8;
        let flips = (1 + scale(rng.next_u64(), u64::from(corruption.max_bit_flips))).min(bits);
        // One in each of equal ranges, so that no bit is flipped twice.
        for stretch in 0..flips {
            let (start, end) = (bits * stretch / flips, bits * (stretch + 1) / flips);
            let bit = start + scale(rng.next_u64(), end - start);
            bytes[(bit / 8) as usize] ^= 1 << (bit % 8);
        }
    }
}

/// Returns true with a probability in parts per million. A higher probability hits a superset of the packets.
fn hits(draw: u64, ppm: u32) -> bool {
    scale(draw, u64::from(MILLION)) < u64::from(ppm)
}

/// Scales a draw to a number below `bound`. It uses one draw for any bound; the bias is below `bound` / 2⁶⁴.
fn scale(draw: u64, bound: u64) -> u64 {
    ((u128::from(draw) * u128::from(bound)) >> 64) as u64
}
