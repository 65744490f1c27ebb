//! Frames into ticks: how many ticks a frame makes, and how far the next one has come.

use crate::time::Time;
use core::time::Duration;
use isostep_core::Real;

/// What a frame has to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameTicks {
    /// How many ticks to make.
    pub ticks: u32,
    /// How far the next tick has come, from 0 to 1: where to draw between the last two states.
    pub alpha: Real,
    /// Time that was given up because the frame came much too late: a laptop that was closed, a breakpoint. The match went
    /// on without it.
    pub skipped: Duration,
}

/// Turns frames of any length into ticks of one length.
///
/// Call [`frame`](Self::frame) once for each frame that is drawn, and make as many ticks as it says. The rate follows
/// [`Session::rate_ppm`](crate::Session::rate_ppm); the length of a tick in the simulation is always the same.
///
/// ```
/// use core::time::Duration;
/// use isostep_rollback::{TickClock, Time};
/// let mut clock = TickClock::new(Duration::from_nanos(1_000_000_000 / 60));
/// clock.frame(Time::ZERO);
/// assert_eq!(clock.frame(Time::from_millis(25)).ticks, 1);
/// let frame = clock.frame(Time::from_millis(30)); // 13.3 of 16.7 ms
/// assert_eq!((frame.ticks, frame.alpha > isostep_core::Real::HALF), (0, true));
/// let frozen = clock.frame(Time::from_millis(60_000));
/// assert_eq!((frozen.ticks, frozen.skipped.as_secs()), (4, 59));
/// ```
#[derive(Clone, Debug)]
pub struct TickClock {
    length: Duration,
    most: u32,
    rate_ppm: i32,
    last: Option<Time>,
    /// Time that no tick has used yet, in nanoseconds times a million.
    unused: u128,
}

/// Parts of one in which rates are given.
const MILLION: u128 = 1_000_000;

impl TickClock {
    /// A clock for ticks of this length, of which at most four follow in one frame.
    pub const fn new(length: Duration) -> Self {
        Self { length, most: 4, rate_ppm: 0, last: None, unused: 0 }
    }

    /// Makes at most this many ticks in a frame, at least one; what is left is given up.
    #[must_use]
    pub const fn max_ticks(mut self, ticks: u32) -> Self {
        self.most = if ticks == 0 { 1 } else { ticks };
        self
    }

    /// Runs this much faster than real time from now on.
    pub const fn set_rate_ppm(&mut self, rate_ppm: i32) {
        self.rate_ppm = rate_ppm;
    }

    /// A frame at this time. The first one makes no tick.
    pub fn frame(&mut self, now: Time) -> FrameTicks {
        let elapsed = self.last.map_or(Duration::ZERO, |last| now.since(last));
        self.last = Some(self.last.map_or(now, |last| last.max(now)));
        let rate = (MILLION as i128 + i128::from(self.rate_ppm)).max(0) as u128;
        let tick = self.length.as_nanos().max(1) * MILLION;
        self.unused += elapsed.as_nanos() * rate;
        let due = self.unused / tick;
        let ticks = due.min(u128::from(self.most)) as u32;
        self.unused -= u128::from(ticks) * tick;
        let given_up = self.unused - self.unused % tick;
        self.unused %= tick;
        let skipped = u64::try_from(given_up / MILLION).unwrap_or(u64::MAX);
        // Below one, since less than a tick is left; 32 bits are as many as `Real` has below one.
        let alpha = Real::from_bits(((self.unused << 32) / tick) as i64);
        FrameTicks { ticks, alpha, skipped: Duration::from_nanos(skipped) }
    }

    /// How long it is until the next tick is due, if no frame comes before.
    pub fn until_next(&self) -> Duration {
        let rate = (MILLION as i128 + i128::from(self.rate_ppm)).max(1) as u128;
        let tick = self.length.as_nanos().max(1) * MILLION;
        let nanos = (tick - self.unused).div_ceil(rate);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}
