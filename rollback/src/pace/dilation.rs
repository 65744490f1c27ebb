//! Time dilation: adjusts the tick rate so that the inputs of all players arrive with the same margin.
//!
//! A proportional controller on the mean offset to all peers. A measurement is old when it arrives, so the corrections
//! that both sides have applied since are added; without them the controller would correct twice and oscillate.

use crate::time::Time;
use core::time::Duration;

/// Time after the start in which the rate may differ by [`STARTUP_PPM`].
const STARTUP: Duration = Duration::from_secs(5);
/// Maximum correction during startup: 12 %, acceptable before play begins.
const STARTUP_PPM: i64 = 120_000;
/// Maximum speed-up after startup.
const FASTER_PPM: i64 = 20_000;
/// Maximum slow-down after startup; players notice slowing down more.
const SLOWER_PPM: i64 = 10_000;
/// Ticks in which one side alone would remove an offset; the other side corrects as much.
const CORRECT_OVER: i64 = 90;
/// Ticks of corrections that are kept: about a second at 60 ticks a second, and half of one at 128.
const HISTORY: usize = 64;

/// Offset to one peer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeerOffset {
    /// Local tick advantage, in thousandths of a tick.
    pub(crate) ahead: i64,
    /// Age of the measurement.
    pub(crate) age: Duration,
    /// Correction of the peer.
    pub(crate) rate_ppm: i32,
}

/// Controller of the tick rate.
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
    /// Clock correction in parts per million; positive is faster.
    pub(crate) const fn rate_ppm(&self) -> i32 {
        self.rate
    }

    /// Advances one tick. `share` is true if the peers run the same controller.
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
            // The correction is in millionths of a tick, the offset in thousandths.
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
            // A correction that all peers share is removed, since it would drift the match away from real time. A relay
            // does not dilate its clock, so nothing is removed.
            let common = if share { (rates + wanted) / (peers + 1) } else { 0 };
            (wanted - common).clamp(-STARTUP_PPM, STARTUP_PPM) as i32
        };
        self.applied[self.at] = self.rate;
        self.at = (self.at + 1) % HISTORY;
    }

    /// Sum of the corrections of the last ticks, in millionths of a tick.
    fn applied_within(&self, ticks: usize) -> i64 {
        let ticks = ticks.min(HISTORY);
        let back = (1..=ticks).map(|back| (self.at + HISTORY - back) % HISTORY);
        back.map(|at| i64::from(self.applied[at])).sum()
    }
}
