//! Adaptive input delay: raised at once when a path gets worse, lowered slowly when it gets better.

use super::arrivals::ArrivalStats;
use core::time::Duration;

/// Bounds of the adaptive input delay.
///
/// ```
/// use isostep_rollback::AdaptiveDelay;
/// let delay = AdaptiveDelay::new(1, 6, 3).unwrap();
/// assert!(AdaptiveDelay::new(6, 1, 3).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdaptiveDelay {
    min: u8,
    max: u8,
    rollback: u8,
}

/// Invalid bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdaptiveDelayError {
    /// The minimum exceeds the maximum.
    #[error("the minimum delay of {min} ticks exceeds the maximum of {max}; swap them")]
    Order {
        /// Minimum.
        min: u8,
        /// Maximum.
        max: u8,
    },
    /// The maximum exceeds [`MAX_DELAY`](crate::MAX_DELAY).
    #[error("the maximum delay is {max} ticks; use at most {most}", most = crate::session::MAX_DELAY)]
    TooLong {
        /// Maximum.
        max: u8,
    },
}

impl AdaptiveDelay {
    /// Creates bounds of `min` to `max` ticks. The delay stays at `min` while rollbacks of at most `rollback` ticks
    /// suffice.
    ///
    /// # Errors
    /// If the bounds contradict each other.
    pub const fn new(min: u8, max: u8, rollback: u8) -> Result<Self, AdaptiveDelayError> {
        if min > max {
            return Err(AdaptiveDelayError::Order { min, max });
        }
        if max as u32 > crate::session::MAX_DELAY {
            return Err(AdaptiveDelayError::TooLong { max });
        }
        Ok(Self { min, max, rollback })
    }

    /// Minimum delay, in ticks.
    pub(crate) const fn min(self) -> u8 {
        self.min
    }

    /// Maximum delay, in ticks.
    pub(crate) const fn max(self) -> u8 {
        self.max
    }
}

/// Consecutive ticks that must need more delay before it is raised (0.1 s at 60 ticks a second), so that one spike does not count.
const RAISE_AFTER: u32 = 6;
/// Ticks between two lowerings (0.4 s at 60 ticks a second).
const LOWER_INTERVAL: u32 = 24;
/// Initial ticks after a raise in which the delay is not lowered (4 s at 60 ticks a second).
const HOLD: u32 = 240;
/// Maximum of [`HOLD`] in ticks (a minute at 60 ticks a second). It doubles whenever a lowered delay has to be raised again.
const MAX_HOLD: u32 = 3600;
/// Ticks after a lowering in which a raise shows that the lowering was wrong (15 s at 60 ticks a second).
const LOWERED_TOO_SOON: u32 = 900;
/// Margin required before the delay is lowered, in thousandths of a tick.
const HYSTERESIS: i64 = 500;

/// Controller of the input delay of one player.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DelayControl {
    bounds: AdaptiveDelay,
    delay: u32,
    /// Ticks since, in order: more delay has been needed without a break, the last raise, the last lowering.
    raise_pending: u32,
    since_raise: u32,
    since_lower: u32,
    hold: u32,
    /// Number of changes.
    pub(crate) changes: u32,
}

impl DelayControl {
    pub(crate) const fn new(bounds: AdaptiveDelay, delay: u32) -> Self {
        Self {
            bounds,
            delay,
            raise_pending: 0,
            since_raise: u32::MAX,
            since_lower: u32::MAX,
            hold: HOLD,
            changes: 0,
        }
    }

    /// Round-trip time to a peer in microseconds, 95th percentile.
    pub(crate) fn round_trip(ours: ArrivalStats, theirs: ArrivalStats) -> i64 {
        // The clock offsets cancel, and so does the wrapping.
        i64::from(ours.p95.wrapping_add(theirs.p95) as i32)
    }

    /// Advances one tick and returns the delay. `need_micros` is the worst latency of all peers, if known.
    pub(crate) fn tick(&mut self, need_micros: Option<i64>, tick_length: Duration) -> u32 {
        self.since_raise = self.since_raise.saturating_add(1);
        self.since_lower = self.since_lower.saturating_add(1);
        let AdaptiveDelay { min, max, rollback } = self.bounds;
        let Some(need) = need_micros else { return self.delay };
        let length = (tick_length.as_nanos() as i64).max(1);
        let needed = need.saturating_mul(1_000_000) / length - i64::from(rollback) * 1000;
        let clamp = |ticks: i64| ticks.clamp(i64::from(min), i64::from(max)) as u32;
        let up = clamp(needed.div_euclid(1000) + i64::from(needed.rem_euclid(1000) > 0));
        let eased = needed + HYSTERESIS;
        let down = clamp(eased.div_euclid(1000) + i64::from(eased.rem_euclid(1000) > 0));
        if up > self.delay {
            self.raise_pending += 1;
            if self.raise_pending >= RAISE_AFTER {
                self.raise(up);
            }
        } else {
            self.raise_pending = 0;
            let rested = self.since_raise >= self.hold && self.since_lower >= LOWER_INTERVAL;
            if down < self.delay && rested {
                self.delay -= 1;
                self.since_lower = 0;
                self.changes += 1;
            }
        }
        self.delay
    }

    fn raise(&mut self, to: u32) {
        if self.since_lower < LOWERED_TOO_SOON {
            self.hold = (self.hold * 2).min(MAX_HOLD);
        } else if self.since_raise > 2 * LOWERED_TOO_SOON {
            self.hold = (self.hold / 2).max(HOLD);
        }
        self.delay = to;
        self.raise_pending = 0;
        self.since_raise = 0;
        self.changes += 1;
    }
}
