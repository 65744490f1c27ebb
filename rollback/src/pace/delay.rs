//! How many ticks a local player's inputs wait: up at once when a path gets worse, down slowly when it stays better.

use super::arrivals::ArrivalStats;
use core::time::Duration;

/// Bounds within which the input delay follows the network.
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

/// Bounds that can't work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdaptiveDelayError {
    /// The least is more than the most.
    #[error("a delay of at least {min} and at most {max} ticks: swap them")]
    Order {
        /// The least.
        min: u8,
        /// The most.
        max: u8,
    },
    /// More than a session takes.
    #[error("a delay of up to {max} ticks: at most {most}", most = crate::session::MAX_DELAY)]
    TooLong {
        /// The most.
        max: u8,
    },
}

impl AdaptiveDelay {
    /// At least `min` and at most `max` ticks; none beyond `min` as long as rolling back by `rollback` ticks suffices.
    ///
    /// # Errors
    /// When the bounds contradict each other.
    pub const fn new(min: u8, max: u8, rollback: u8) -> Result<Self, AdaptiveDelayError> {
        if min > max {
            return Err(AdaptiveDelayError::Order { min, max });
        }
        if max as u32 > crate::session::MAX_DELAY {
            return Err(AdaptiveDelayError::TooLong { max });
        }
        Ok(Self { min, max, rollback })
    }

    /// The least delay.
    pub const fn min(&self) -> u8 {
        self.min
    }

    /// The greatest delay.
    pub const fn max(&self) -> u8 {
        self.max
    }

    /// How many ticks of rollback are fine.
    pub const fn rollback(&self) -> u8 {
        self.rollback
    }
}

/// Ticks for which more must be wanted before it is given: a tenth of a second, so that one bad moment does not count.
const RAISE_AFTER: u32 = 6;
/// Ticks between two steps down.
const LOWER_INTERVAL: u32 = 24;
/// Ticks after a raise in which nothing is lowered, at first.
const HOLD: u32 = 240;
/// The longest such time: a minute. It doubles each time a lowered delay turns out to have been needed.
const MAX_HOLD: u32 = 3600;
/// Ticks after a lowering in which a raise means that it was wrong.
const LOWERED_TOO_SOON: u32 = 900;
/// By how much less must be needed before the delay is lowered, in thousandths of a tick.
const HYSTERESIS: i64 = 500;

/// Decides on the delay of one player.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DelayControl {
    bounds: AdaptiveDelay,
    delay: u32,
    /// Ticks since each: more was wanted without a break, the last raise, the last lowering.
    raise_pending: u32,
    since_raise: u32,
    since_lower: u32,
    hold: u32,
    /// How often it was changed.
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

    /// How long a tick takes to a peer and back, in microseconds, for 95 of 100 of them.
    pub(crate) fn round_trip(ours: ArrivalStats, theirs: ArrivalStats) -> i64 {
        // Both clocks cancel, and so does the wrapping.
        i64::from(ours.p95.wrapping_add(theirs.p95) as i32)
    }

    /// One tick passes. `need` is the worst of all peers, if known. Returns the delay that is right now.
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
