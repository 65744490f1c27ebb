//! What a receiver measures of a peer: how long its ticks take to get here, and how far apart the two clocks are.
//!
//! Nobody knows the other's clock. Times are differences of two clocks, with an unknown constant in them that cancels where
//! both directions are added. They wrap at 2³² µs, which is fine for differences.

use crate::tick::Tick;
use crate::time::Time;

/// Ticks that are remembered: 6 s at 60 Hz. A path that has become worse is believed after a twentieth of it, one that has
/// become better after the rest.
const MAX_SAMPLES: usize = 360;
/// Least number of ticks before anything is said.
const MIN_SAMPLES: usize = 20;
/// Packets over which the distance of clocks is taken.
const PACKETS: usize = 15;
/// A silence this long, in ticks, is not jitter: waiting for it with every input would be worse than rolling back once.
const SILENCE: u64 = 8;
/// Which share of ticks arrives within the time that is reported, in per cent.
const PERCENTILE: usize = 95;

/// What one machine tells another, with each datagram: its own clock, and what it has measured of the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarginReport {
    /// The sender's clock when it wrote this, in microseconds, wrapping.
    pub sent: u32,
    /// The tick that the sender made last.
    pub made: Tick,
    /// How many ticks its inputs wait.
    pub delay: u8,
    /// How much faster than its clock it runs, in parts per million.
    pub rate_ppm: i32,
    /// What it has measured of the receiver; `None` while that is too little.
    pub measured: Option<ArrivalStats>,
}

/// What was measured of a peer's packets. The times wrap, and have the difference of both clocks in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrivalStats {
    /// 95 of 100 ticks arrive within this time, in microseconds.
    pub p95: u32,
    /// Half of them do.
    pub median: u32,
    /// How many thousandths of a tick the peer's last tick lay behind ours when it arrived.
    pub tick_advantage: i32,
}

/// What we measure of one peer.
#[derive(Debug)]
pub(crate) struct ArrivalMeter {
    /// Microseconds from a tick's making to its arrival, relative to `base`; a ring.
    samples: Vec<i32>,
    next: usize,
    /// The first sample, whatever clocks show.
    base: Option<u32>,
    made: Option<Tick>,
    last: Option<Time>,
    tick_advantage: [i32; PACKETS],
    packets: usize,
    /// What follows from the samples, taken now and then.
    measured: Option<ArrivalStats>,
    stale: u32,
}

/// Packets after which quantiles are taken anew: they cost more than a packet does.
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
    /// Takes a packet: when it came, what it says of its sending, and where our own ticks are (in thousandths).
    pub(crate) fn packet(
        &mut self,
        now: Time,
        report: &MarginReport,
        own_millis: i64,
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
            // Ticks whose own packet was lost have waited longer, by one tick each.
            for waited in (0..fresh.min(SILENCE as u32)).rev() {
                let waited = waited.saturating_mul(tick_micros);
                self.sample(newest.saturating_add(i32::try_from(waited).unwrap_or(i32::MAX)));
            }
        }
        let tick_advantage = own_millis - i64::from(report.made.0) * 1000;
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

    /// When the last packet came.
    pub(crate) const fn last(&self) -> Option<Time> {
        self.last
    }

    pub(crate) const fn measured(&self) -> Option<ArrivalStats> {
        self.measured
    }

    /// How far apart the clocks are: the middle of the last packets.
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
        // Equal numbers have no order that could show.
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
