//! How much faster or slower ticks follow each other, so that everybody's inputs arrive with the same margin.
//!
//! A proportional controller on the mean distance to all peers. What it measures is old by the time it arrives, so what
//! both sides have done about it since is counted in; without that it would do everything twice and swing.

use crate::time::Time;
use core::time::Duration;

/// How long after the start the rate may differ much.
const STARTUP: Duration = Duration::from_secs(5);
/// Within that time, by this much: 12 %, which players accept before anything happens.
const STARTUP_PPM: i64 = 120_000;
/// Later, faster by at most this much.
const FASTER_PPM: i64 = 20_000;
/// And slower by at most this much: slowing down is what players notice.
const SLOWER_PPM: i64 = 10_000;
/// In how many ticks a distance would be closed by one side alone; the other side does as much.
const CORRECT_OVER: i64 = 90;
/// Ticks of which corrections are remembered: a second.
const HISTORY: usize = 64;

/// What a peer's distance asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeerOffset {
    /// By how many thousandths of a tick we are ahead.
    pub(crate) ahead: i64,
    /// How old that is.
    pub(crate) age: Duration,
    /// The peer's own correction.
    pub(crate) rate_ppm: i32,
}

/// Decides on the rate of ticks.
#[derive(Debug)]
pub(crate) struct Dilation {
    started: Option<Time>,
    /// Corrections of the last ticks; a ring.
    applied: [i32; HISTORY],
    at: usize,
    rate: i32,
}

impl Default for Dilation {
    fn default() -> Self {
        Self { started: None, applied: [0; HISTORY], at: 0, rate: 0 }
    }
}

impl Dilation {
    /// How much faster than the clock ticks should follow each other, in parts per million.
    pub(crate) const fn rate_ppm(&self) -> i32 {
        self.rate
    }

    /// One tick passes. `share`: whether the peers correct themselves likewise.
    pub(crate) fn tick(
        &mut self,
        now: Time,
        tick_length: Duration,
        offsets: impl Iterator<Item = PeerOffset>,
        share: bool,
    ) {
        let started = *self.started.get_or_insert(now);
        let length = (tick_length.as_nanos() as u64).max(1);
        let (mut ahead, mut rates, mut peers) = (0, 0, 0);
        for offset in offsets {
            let age = (offset.age.as_nanos() as u64 / length) as usize;
            let theirs = i64::from(offset.rate_ppm) * age as i64;
            // A millionth part of a tick is a thousandth of a thousandth.
            ahead += offset.ahead + (self.applied_within(age) - theirs) / 1000;
            rates += i64::from(offset.rate_ppm);
            peers += 1;
        }
        self.rate = if peers == 0 {
            0
        } else {
            let startup = now.since(started) < STARTUP;
            let wanted = -(ahead / peers) * 1000 / CORRECT_OVER;
            let wanted = if startup {
                wanted.clamp(-STARTUP_PPM, STARTUP_PPM)
            } else {
                wanted.clamp(-SLOWER_PPM, FASTER_PPM)
            };
            // What all do together is no correction: it would carry the match away from the clocks. A relay's clock is
            // nobody's to carry away.
            let common = if share { (rates + wanted) / (peers + 1) } else { 0 };
            (wanted - common).clamp(-STARTUP_PPM, STARTUP_PPM) as i32
        };
        self.applied[self.at] = self.rate;
        self.at = (self.at + 1) % HISTORY;
    }

    /// By how much the corrections of the last ticks have moved us ahead, in millionths of a tick.
    fn applied_within(&self, ticks: usize) -> i64 {
        let ticks = ticks.min(HISTORY);
        let back = (1..=ticks).map(|back| (self.at + HISTORY - back) % HISTORY);
        back.map(|at| i64::from(self.applied[at])).sum()
    }
}
