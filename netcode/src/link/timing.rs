//! Stamps and pacing reports. Full ones are sent periodically; short stamps between them carry low bits, which the
//! receiver completes.

use super::{FULL_STAMP_INTERVAL, INITIAL_FULL_STAMPS, Link, PACING_INTERVAL, RESYNC_AFTER};
use crate::wire::{self, Stamp};
use isostep_rollback::internals::ArrivalStats;
use isostep_rollback::internals::MarginReport;
use isostep_rollback::{Tick, Time};

/// Low bits of the clock that a short stamp omits. It carries the 8 bits above them.
const SENT_LOW_BITS: u32 = 7;
/// High bits of the clock that a short stamp omits.
const SENT_HIGH_BITS: u32 = 32 - 8 - SENT_LOW_BITS;
/// Largest deviation, in microseconds, from the time predicted by the last full stamp for which a short stamp is sent.
/// It is half of the unambiguous range, so any stamp in between completes correctly.
const MAX_DRIFT_MICROS: i32 = 1 << (8 + SENT_LOW_BITS - 2);
/// Full stamps after a clock jump, so that one of them arrives despite loss.
const FULL_STAMPS_AFTER_DRIFT: u8 = 3;
/// Unit of the rate, in ppm.
const RATE_UNIT_PPM: i32 = 10;
/// Unit of the spread, in microseconds.
const SPREAD_UNIT_MICROS: u32 = 64;
/// Largest number of ticks that a short stamp may lie behind the newest one.
const MAX_TICKS_BACK: u32 = 64;

/// Newest stamp and pacing report of the peer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeerStamps {
    /// Newest tick of the peer, and its send time.
    made: u32,
    sent: u32,
    /// Newest pacing report, and the tick it was sent with.
    paced: u32,
    pace: wire::Pace,
}

impl PeerStamps {
    /// Completes a stamp and pacing report; `None` for a short stamp before the first full one.
    pub(crate) fn take(
        known: &mut Option<Self>,
        stamp: Stamp,
        pace: Option<wire::Pace>,
        tick_micros: u32,
    ) -> Option<MarginReport> {
        let (made, sent) = match stamp {
            Stamp::Full { made, sent } => (made, sent),
            Stamp::Short { made, sent } => known.as_ref()?.complete(made, sent, tick_micros)?,
        };
        if known.is_none() {
            *known = Some(Self { made, sent, paced: made, pace: pace? });
        }
        let known = known.as_mut()?;
        // A stalled sender repeats its newest tick.
        if made >= known.made {
            (known.made, known.sent) = (made, sent);
        }
        // Ignore reordered, older reports.
        if let Some(pace) = pace.filter(|_| made >= known.paced) {
            (known.paced, known.pace) = (made, pace);
        }
        let measured = known.pace.measured.map(|measured| ArrivalStats {
            median: measured.median,
            p95: measured.median.wrapping_add(u32::from(measured.spread) * SPREAD_UNIT_MICROS),
            tick_advantage: i32::from(measured.tick_advantage),
        });
        Some(MarginReport {
            sent,
            made: Tick(made),
            delay: known.pace.delay,
            rate_ppm: i32::from(known.pace.rate) * RATE_UNIT_PPM,
            measured,
        })
    }

    /// Completes a short stamp.
    fn complete(&self, made: u8, sent: u8, tick_micros: u32) -> Option<(u32, u32)> {
        let low = self.made.saturating_sub(MAX_TICKS_BACK);
        let made = low.checked_add(u32::from(made.wrapping_sub(low as u8)))?;
        let expected = expected_sent((self.made, self.sent), made, tick_micros);
        // Centre of the interval that the omitted low bits leave open, nearest to the expected time.
        let end = u32::from(sent) << SENT_LOW_BITS | 1 << (SENT_LOW_BITS - 1);
        let off = (end.wrapping_sub(expected) << SENT_HIGH_BITS) as i32 >> SENT_HIGH_BITS;
        Some((made, expected.wrapping_add_signed(off)))
    }
}

/// Expected send time of a tick, extrapolated from another one.
const fn expected_sent((made, sent): (u32, u32), tick: u32, tick_micros: u32) -> u32 {
    sent.wrapping_add(tick.wrapping_sub(made).wrapping_mul(tick_micros))
}

impl Link {
    /// Returns the stamp of the next frame, and the pacing report if it is due.
    pub(super) fn stamp(
        &mut self,
        now: Time,
        report: &MarginReport,
        tick_micros: u32,
    ) -> (Stamp, Option<wire::Pace>) {
        let silent = self.last_received.is_none_or(|received| received + RESYNC_AFTER <= now);
        let early = self.frames < INITIAL_FULL_STAMPS;
        let turn = |every: u32| early || silent || self.frames.is_multiple_of(every);
        let (full, pace) =
            (turn(FULL_STAMP_INTERVAL), turn(PACING_INTERVAL) || self.sent_delay != report.delay);
        self.frames = self.frames.checked_add(1).unwrap_or(INITIAL_FULL_STAMPS);
        let (made, sent) = (report.made.0, report.sent);
        let expected = expected_sent(self.sent_stamp, made, tick_micros);
        let steady = (sent.wrapping_sub(expected) as i32).abs() < MAX_DRIFT_MICROS;
        self.full_stamps_left = if steady {
            self.full_stamps_left.saturating_sub(1)
        } else {
            FULL_STAMPS_AFTER_DRIFT + 1
        };
        let stamp = if full || self.full_stamps_left > 0 {
            self.sent_stamp = (made, sent);
            Stamp::Full { made, sent }
        } else {
            Stamp::Short { made: made as u8, sent: (sent >> SENT_LOW_BITS) as u8 }
        };
        (stamp, pace.then(|| self.pace(report)))
    }

    fn pace(&mut self, report: &MarginReport) -> wire::Pace {
        self.sent_delay = report.delay;
        let rate = (report.rate_ppm / RATE_UNIT_PPM).clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        let measured = report.measured.map(|measured| {
            let spread = measured.p95.wrapping_sub(measured.median) / SPREAD_UNIT_MICROS;
            wire::ArrivalStats {
                median: measured.median,
                spread: spread.min(u32::from(u16::MAX - 1)) as u16,
                tick_advantage: measured.tick_advantage.clamp(i16::MIN.into(), i16::MAX.into())
                    as i16,
            }
        });
        wire::Pace { delay: report.delay, rate, measured }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isostep_rollback::PeerId;
    use proptest::prelude::*;

    proptest! {
        /// Clocks of any origin, jitter, frame gaps, and packet loss of up to a second.
        #[test]
        fn short_stamps_are_completed_under_loss_and_jitter(
            origin in any::<u32>(), first in 0u32..1 << 31,
            steps in proptest::collection::vec((0u32..20, -3000i32..3000, any::<bool>()), 40..400),
        ) {
            let mut link = Link::new(PeerId(1));
            let (mut heard, mut made, mut clock, mut lost) = (None, first, origin, 0);
            for (at, (hiccup, jitter, arrives)) in (0u64..).zip(steps) {
                let now = Time::from_millis(at * 16);
                // The sender receives frames all the time.
                link.last_received = Some(now);
                made += 1;
                // Some frames take a third of a second.
                clock = clock.wrapping_add(if hiccup == 0 { 333_333 } else { 16_667 });
                let sent = clock.wrapping_add_signed(jitter);
                let report = MarginReport { sent, made: Tick(made), delay: 3, rate_ppm: 50, measured: None };
                let (stamp, pace) = link.stamp(now, &report, 16_667);
                if !arrives && lost < 60 && hiccup != 0 {
                    lost += 1;
                    continue;
                }
                lost = 0;
                let got = PeerStamps::take(&mut heard, stamp, pace, 16_667);
                let got = got.expect("the first ones are full");
                prop_assert_eq!((got.made, got.delay, got.rate_ppm), (report.made, 3, 50));
                let off = got.sent.wrapping_sub(sent) as i32;
                prop_assert!(off.abs() <= 64, "{} for {}: {}", got.sent, sent, off);
            }
        }
    }

    #[test]
    fn a_delay_change_is_sent_at_once() {
        let mut link = Link::new(PeerId(1));
        let (mut full, mut paced) = (Vec::new(), Vec::new());
        for frame in 0..100 {
            let now = Time::from_millis(frame * 16);
            link.last_received = Some(now);
            let delay = if frame < 50 { 2 } else { 3 };
            let (made, sent) = (Tick(frame as u32), frame as u32 * 16_667);
            let report = MarginReport { made, sent, delay, ..MarginReport::default() };
            let (stamp, pace) = link.stamp(now, &report, 16_667);
            full.extend(matches!(stamp, Stamp::Full { .. }).then_some(frame));
            paced.extend(pace.map(|_| frame));
        }
        assert_eq!(full[32..], [32, 64, 96]);
        assert_eq!(paced[32..], [32, 48, 50, 64, 80, 96]);
    }
}
