//! Stamps and pace: in full now and then, and between them some bits of numbers that the receiver completes.

use super::{FULL_AT_FIRST, FULL_EVERY, Link, PACE_EVERY, SILENCE};
use crate::wire::{self, Stamp};
use isostep_rollback::pace::ArrivalStats;
use isostep_rollback::{MarginReport, Tick, Time};

/// Bits of a clock that a short stamp leaves out below; it has 8 of those above.
const SENT_SHIFT: u32 = 7;
/// Bits that it leaves out above.
const SENT_ABOVE: u32 = 32 - 8 - SENT_SHIFT;
/// By how many microseconds a stamp may be off what the last full one leads to and still be short: half of what its bits tell
/// apart, so that it is completed rightly from any of the stamps between.
const STEADY: i32 = 1 << (8 + SENT_SHIFT - 2);
/// Full stamps that follow one that was off: one of them will arrive.
const AFTER_UNSTEADY: u8 = 3;
/// Units of the rate.
const RATE_PPM: i32 = 10;
/// Units of the spread, in microseconds.
const SPREAD_MICROS: u32 = 64;
/// How far back a short stamp may lie.
const BACK: u32 = 64;

/// What the other side's stamps said.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heard {
    /// The newest tick, and when it was made.
    made: u32,
    sent: u32,
    /// What the newest pace said, and with which tick.
    paced: u32,
    pace: wire::Pace,
}

impl Heard {
    /// The whole stamp and pace; `None` if it is short and nothing was heard before.
    pub(crate) fn take(
        heard: &mut Option<Self>,
        stamp: Stamp,
        pace: Option<wire::Pace>,
        tick_micros: u32,
    ) -> Option<MarginReport> {
        let (made, sent) = match stamp {
            Stamp::Full { made, sent } => (made, sent),
            Stamp::Short { made, sent } => heard.as_ref()?.complete(made, sent, tick_micros)?,
        };
        if heard.is_none() {
            *heard = Some(Self { made, sent, paced: made, pace: pace? });
        }
        let known = heard.as_mut()?;
        // While the sender waits for others, it makes the same one again and again.
        if made >= known.made {
            (known.made, known.sent) = (made, sent);
        }
        // One that was overtaken says nothing of now.
        if let Some(pace) = pace.filter(|_| made >= known.paced) {
            (known.paced, known.pace) = (made, pace);
        }
        let measured = known.pace.measured.map(|measured| ArrivalStats {
            median: measured.middle,
            p95: measured.middle.wrapping_add(u32::from(measured.spread) * SPREAD_MICROS),
            tick_advantage: i32::from(measured.behind),
        });
        Some(MarginReport {
            sent,
            made: Tick(made),
            delay: known.pace.delay,
            rate_ppm: i32::from(known.pace.rate) * RATE_PPM,
            measured,
        })
    }

    /// What a short stamp leaves out.
    fn complete(&self, made: u8, sent: u8, tick_micros: u32) -> Option<(u32, u32)> {
        let low = self.made.saturating_sub(BACK);
        let made = low.checked_add(u32::from(made.wrapping_sub(low as u8)))?;
        let expected = expect((self.made, self.sent), made, tick_micros);
        // The middle of what the bits leave open, nearest to what is expected.
        let end = u32::from(sent) << SENT_SHIFT | 1 << (SENT_SHIFT - 1);
        let off = (end.wrapping_sub(expected) << SENT_ABOVE) as i32 >> SENT_ABOVE;
        Some((made, expected.wrapping_add_signed(off)))
    }
}

/// When a tick should have been made, if another was made then.
const fn expect((made, sent): (u32, u32), tick: u32, tick_micros: u32) -> u32 {
    sent.wrapping_add(tick.wrapping_sub(made).wrapping_mul(tick_micros))
}

impl Link {
    /// The stamp of the next frame, and the pace if it is due.
    pub(super) fn stamp(
        &mut self,
        now: Time,
        report: &MarginReport,
        tick_micros: u32,
    ) -> (Stamp, Option<wire::Pace>) {
        let silent = self.heard_at.is_none_or(|heard| heard + SILENCE <= now);
        let early = self.frames < FULL_AT_FIRST;
        let turn = |every: u32| early || silent || self.frames.is_multiple_of(every);
        let (full, pace) = (turn(FULL_EVERY), turn(PACE_EVERY) || self.told_delay != report.delay);
        self.frames = self.frames.checked_add(1).unwrap_or(FULL_AT_FIRST);
        let (made, sent) = (report.made.0, report.sent);
        let expected = expect(self.told_stamp, made, tick_micros);
        let steady = (sent.wrapping_sub(expected) as i32).abs() < STEADY;
        self.unsteady = if steady { self.unsteady.saturating_sub(1) } else { AFTER_UNSTEADY + 1 };
        let stamp = if full || self.unsteady > 0 {
            self.told_stamp = (made, sent);
            Stamp::Full { made, sent }
        } else {
            Stamp::Short { made: made as u8, sent: (sent >> SENT_SHIFT) as u8 }
        };
        (stamp, pace.then(|| self.pace(report)))
    }

    fn pace(&mut self, report: &MarginReport) -> wire::Pace {
        self.told_delay = report.delay;
        let rate = (report.rate_ppm / RATE_PPM).clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        let measured = report.measured.map(|measured| {
            let spread = measured.p95.wrapping_sub(measured.median) / SPREAD_MICROS;
            wire::Measured {
                middle: measured.median,
                spread: spread.min(u32::from(u16::MAX - 1)) as u16,
                behind: measured.tick_advantage.clamp(i16::MIN.into(), i16::MAX.into()) as i16,
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
        /// Clocks of any origin, frames that come early, late or not at all for a while, packets that are lost for up to a second.
        #[test]
        fn a_receiver_completes_what_short_stamps_leave_out(
            origin in any::<u32>(), first in 0u32..1 << 31,
            steps in proptest::collection::vec((0u32..20, -3000i32..3000, any::<bool>()), 40..400),
        ) {
            let mut link = Link::new(PeerId(1));
            let (mut heard, mut made, mut clock, mut lost) = (None, first, origin, 0);
            for (at, (hiccup, jitter, arrives)) in (0u64..).zip(steps) {
                let now = Time::from_millis(at * 16);
                // Never silent from the sender's point of view.
                link.heard_at = Some(now);
                made += 1;
                // Now and then a frame takes a third of a second.
                clock = clock.wrapping_add(if hiccup == 0 { 333_333 } else { 16_667 });
                let sent = clock.wrapping_add_signed(jitter);
                let report = MarginReport { sent, made: Tick(made), delay: 3, rate_ppm: 50, measured: None };
                let (stamp, pace) = link.stamp(now, &report, 16_667);
                if !arrives && lost < 60 && hiccup != 0 {
                    lost += 1;
                    continue;
                }
                lost = 0;
                let got = Heard::take(&mut heard, stamp, pace, 16_667);
                let got = got.expect("the first ones are full");
                prop_assert_eq!((got.made, got.delay, got.rate_ppm), (report.made, 3, 50));
                let off = got.sent.wrapping_sub(sent) as i32;
                prop_assert!(off.abs() <= 64, "{} for {}: {}", got.sent, sent, off);
            }
        }
    }

    #[test]
    fn a_change_of_delay_is_told_at_once() {
        let mut link = Link::new(PeerId(1));
        let (mut full, mut paced) = (Vec::new(), Vec::new());
        for frame in 0..100 {
            let now = Time::from_millis(frame * 16);
            link.heard_at = Some(now);
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
