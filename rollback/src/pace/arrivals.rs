//! Arrival statistics of a peer: latency of its ticks, and the distance between the two clocks.
//!
//! The clocks are not synchronised. Times are differences of two clocks and contain an unknown constant, which cancels
//! in the sum of both directions. They wrap at 2³² µs, which differences allow.

use crate::Tick;
use crate::time::Time;

/// Samples in the window, one for each tick: 6 s at 60 ticks a second. A path that becomes worse changes the 95th percentile after a twentieth of the
/// window; one that becomes better changes it after the rest.
const MAX_SAMPLES: usize = 360;
/// Samples needed before statistics are reported.
const MIN_SAMPLES: usize = 20;
/// Packets over which the median tick advantage is taken.
const PACKETS: usize = 15;
/// A silence of this many ticks is an outage, not jitter. Delaying every input by it would be worse than one rollback.
const SILENCE: u64 = 8;
/// Percentile of the reported latency.
const PERCENTILE: usize = 95;

/// Timing report sent with each datagram: the sender's clock, and its measurements of the receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarginReport {
    /// The sender's clock when it wrote this, in microseconds, wrapping.
    pub sent: u32,
    /// Newest tick that the sender has advanced to.
    pub made: Tick,
    /// Input delay of the sender, in ticks.
    pub delay: u8,
    /// Clock correction of the sender, in parts per million; positive is faster.
    pub rate_ppm: i32,
    /// Arrival statistics of the receiver's packets; `None` while there are too few samples.
    pub measured: Option<ArrivalStats>,
}

/// Arrival statistics of a peer's packets. The times wrap, and contain the offset between the two clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrivalStats {
    /// 95th percentile of the latency, in microseconds.
    pub p95: u32,
    /// Median latency, in microseconds.
    pub median: u32,
    /// Local tick minus the peer's tick at the arrival of its packet, in thousandths of a tick. GGPO calls it frame
    /// advantage.
    pub tick_advantage: i32,
}

/// Measures the packets of one peer.
#[derive(Debug)]
pub(crate) struct ArrivalMeter {
    /// Latency of ticks in microseconds, relative to `base`; a ring.
    samples: Vec<i32>,
    next: usize,
    /// First sample; it contains the clock offset.
    base: Option<u32>,
    made: Option<Tick>,
    last: Option<Time>,
    tick_advantage: [i32; PACKETS],
    packets: usize,
    /// Statistics of the samples, refreshed every [`REFRESH`] packets.
    measured: Option<ArrivalStats>,
    stale: u32,
}

/// Packets between refreshes: percentiles cost more than a packet does.
const REFRESH: u32 = 6;

impl Default for ArrivalMeter {
    fn default() -> Self {
        Self {
            samples: Vec::with_capacity(MAX_SAMPLES),
            next: 0,
            base: None,
            made: None,
            last: None,
            tick_advantage: [0; PACKETS],
            packets: 0,
            measured: None,
            stale: 0,
        }
    }
}

impl ArrivalMeter {
    /// Records a packet that arrived at `now`. `own_millitick` is the local tick, in
    /// thousandths of a tick.
    pub(crate) fn packet(
        &mut self,
        now: Time,
        report: &MarginReport,
        own_millitick: i64,
        tick_micros: u32,
    ) {
        let silence = self.last.map(|last| now.since(last).as_micros() as u64);
        let silent = silence.is_some_and(|gap| gap > SILENCE * u64::from(tick_micros));
        self.last = Some(now);
        if self.made.is_some_and(|made| report.made <= made) {
            return;
        }
        let fresh = self.made.map_or(1, |made| report.made.since(made));
        self.made = Some(report.made);
        let arrived = (now.nanos() / 1000) as u32;
        let newest = arrived.wrapping_sub(report.sent);
        let base = *self.base.get_or_insert(newest);
        let newest = newest.wrapping_sub(base) as i32;
        if !silent {
            // A tick whose own packet was lost arrives with the next packet, one tick later for each lost packet.
            for waited in (0..fresh.min(SILENCE as u32)).rev() {
                let waited = waited.saturating_mul(tick_micros);
                self.sample(newest.saturating_add(i32::try_from(waited).unwrap_or(i32::MAX)));
            }
        }
        let tick_advantage = own_millitick - i64::from(report.made.0) * 1000;
        self.tick_advantage[self.packets % PACKETS] =
            tick_advantage.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
        self.packets += 1;
        self.stale += 1;
        if self.stale >= REFRESH || self.measured.is_none() {
            self.stale = 0;
            self.measured = self.measure();
        } else if let Some(tick_advantage) = self.median_advantage()
            && let Some(measured) = &mut self.measured
        {
            measured.tick_advantage = tick_advantage;
        }
    }

    fn sample(&mut self, micros: i32) {
        if self.samples.len() < MAX_SAMPLES {
            self.samples.push(micros);
        } else {
            self.samples[self.next] = micros;
        }
        self.next = (self.next + 1) % MAX_SAMPLES;
    }

    /// Arrival time of the last packet.
    pub(crate) const fn last(&self) -> Option<Time> {
        self.last
    }

    pub(crate) const fn measured(&self) -> Option<ArrivalStats> {
        self.measured
    }

    /// Median tick advantage over the last packets.
    fn median_advantage(&self) -> Option<i32> {
        let mut tick_advantage = self.tick_advantage;
        let some = &mut tick_advantage[..self.packets.min(PACKETS)];
        let middle = some.len() / 2;
        (!some.is_empty()).then(|| *some.select_nth_unstable(middle).1)
    }

    fn measure(&self) -> Option<ArrivalStats> {
        if self.samples.len() < MIN_SAMPLES {
            return None;
        }
        let base = self.base?;
        let mut sorted = [0; MAX_SAMPLES];
        let sorted = &mut sorted[..self.samples.len()];
        sorted.copy_from_slice(&self.samples);
        // Unstable selection is deterministic: equal samples are indistinguishable.
        let at = |list: &mut [i32], percent: usize| {
            let place = (list.len() - 1) * percent / 100;
            base.wrapping_add(*list.select_nth_unstable(place).1 as u32)
        };
        Some(ArrivalStats {
            p95: at(sorted, PERCENTILE),
            median: at(sorted, 50),
            tick_advantage: self.median_advantage()?,
        })
    }
}
