//! Converts frames into ticks: the ticks due in a frame, and the fraction of the next tick.

use crate::time::Time;
use core::time::Duration;
use isostep_core::Real;

/// Ticks due in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameTicks {
    /// Ticks to advance.
    pub ticks: u32,
    /// Fraction of the next tick that has passed, 0 to 1: the interpolation factor between the last two states.
    pub alpha: Real,
    /// Time that was dropped because the frame was very late (a suspended laptop, a breakpoint).
    pub skipped: Duration,
}

/// Converts frames of any length into ticks of a fixed length.
///
/// Call [`frame`](Self::frame) once for each rendered frame, and advance that many ticks. The rate follows
/// [`Session::rate_ppm`](crate::Session::rate_ppm); the length of a tick in the simulation never changes.
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
    /// Time not yet used by a tick, in nanoseconds times a million.
    unused: u128,
}

/// Denominator of rates.
const MILLION: u128 = 1_000_000;

impl TickClock {
    /// Creates a clock for ticks of this length, with at most four ticks in a frame.
    pub const fn new(length: Duration) -> Self {
        Self { length, most: 4, rate_ppm: 0, last: None, unused: 0 }
    }

    /// Sets the maximum number of ticks in a frame, at least one. Time beyond that is dropped.
    #[must_use]
    pub const fn max_ticks(mut self, ticks: u32) -> Self {
        self.most = if ticks == 0 { 1 } else { ticks };
        self
    }

    /// Sets the clock correction in parts per million; positive is faster than real time.
    pub const fn set_rate_ppm(&mut self, rate_ppm: i32) {
        self.rate_ppm = rate_ppm;
    }

    /// Returns the ticks that are due at `now`. The first frame has none.
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
        // Less than a tick is left, so `alpha` is below one and fits the 32 fractional bits of a `Real`.
        let alpha = Real::from_bits(((self.unused << 32) / tick) as i64);
        FrameTicks { ticks, alpha, skipped: Duration::from_nanos(skipped) }
    }

    /// Returns the time until the next tick is due.
    pub fn until_next(&self) -> Duration {
        let rate = (MILLION as i128 + i128::from(self.rate_ppm)).max(1) as u128;
        let tick = self.length.as_nanos().max(1) * MILLION;
        let nanos = (tick - self.unused).div_ceil(rate);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}
