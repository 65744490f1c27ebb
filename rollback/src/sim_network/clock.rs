//! `VirtualClock`: a peer's own clock as a function of true time, off by an offset and running at a rate of its own.
//! Readings are exact rationals rounded once: whatever the number of rate changes, no error adds up.

use crate::Time;

/// A nanosecond in the unit of the sums here. A drift in parts per million moves a clock by whole units.
const UNITS_PER_NANO: i128 = 1_000_000;

/// A clock off by a half is no clock; the limit also keeps every rate above zero, so that readings have an inverse.
const MOST_DRIFT_PPM: i32 = 500_000;

/// Why a clock can't run like this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockError {
    /// The rate is out of range.
    #[error("a drift of {0} ppm is no clock: give -500 000 to 500 000")]
    Drift(i32),
    /// The past is not rewritten.
    #[error("the drift last changed at {last}: a change at {at} must not come before it")]
    TimeWentBack {
        /// When the drift was to change.
        at: Time,
        /// When it last changed.
        last: Time,
    },
}

/// From `start` in true time the clock shows `local` and gains `rate` units a nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    start: Time,
    /// In units; may be negative before the offset is caught up.
    local: i128,
    rate: i128,
}

impl Span {
    fn local_units(&self, at: Time) -> i128 {
        let passed = i128::from(at.nanos()) - i128::from(self.start.nanos());
        self.local + passed * self.rate
    }
}

/// A peer's clock: local time as a function of true time.
///
/// The clock is read with [`local_time`](Self::local_time) and planned with [`true_time_of`](Self::true_time_of), which
/// says when a network or [`Timers`](super::Timers), both in true time, have to wake the peer:
///
/// ```
/// use isostep_rollback::{sim_network::VirtualClock, Time};
/// // 5 ms ahead at the start, and 100 ppm too fast.
/// let mut clock = VirtualClock::new(5_000_000, 100)?;
/// assert_eq!(clock.local_time(Time::from_millis(10_000)), Time::from_millis(10_006));
/// assert_eq!(clock.true_time_of(Time::from_millis(10_006)), Time::from_millis(10_000));
/// // From then on too slow; the reading doesn't jump.
/// clock.set_drift(Time::from_millis(10_000), -100)?;
/// assert_eq!(clock.local_time(Time::from_millis(20_000)), Time::from_millis(20_005));
/// # Ok::<(), isostep_rollback::sim_network::ClockError>(())
/// ```
///
/// Local time never goes back. A clock with a negative offset shows [`Time::ZERO`] until it is caught up, and one that
/// reaches the end of `Time` stays there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VirtualClock {
    /// By start; never empty.
    spans: Vec<Span>,
}

impl VirtualClock {
    /// A clock that is ahead by so many nanoseconds at true time zero and gains so many millionths.
    ///
    /// # Errors
    /// When the drift is not within ±500 000 ppm.
    pub fn new(offset_nanos: i64, drift_ppm: i32) -> Result<Self, ClockError> {
        let local = i128::from(offset_nanos) * UNITS_PER_NANO;
        Ok(Self { spans: vec![Span { start: Time::ZERO, local, rate: rate(drift_ppm)? }] })
    }

    /// The true clock.
    pub fn exact() -> Self {
        Self { spans: vec![Span { start: Time::ZERO, local: 0, rate: UNITS_PER_NANO }] }
    }

    /// What the clock shows, rounded down to the nanosecond.
    pub fn local_time(&self, at: Time) -> Time {
        let index = self.spans.partition_point(|span| span.start <= at).saturating_sub(1);
        time(self.spans[index].local_units(at).div_euclid(UNITS_PER_NANO))
    }

    /// The first true time at which the clock shows this or more.
    pub fn true_time_of(&self, local: Time) -> Time {
        if local == Time::ZERO {
            return Time::ZERO;
        }
        let units = i128::from(local.nanos()) * UNITS_PER_NANO;
        let index = self.spans.partition_point(|span| span.local <= units).saturating_sub(1);
        let span = &self.spans[index];
        let ahead = units - span.local;
        // Rounded up: a nanosecond earlier the clock shows less. Never past the next span, which starts with more.
        let found = i128::from(span.start.nanos()) + (ahead + span.rate - 1).div_euclid(span.rate);
        time(found)
    }

    /// Millionths that it gains from the last change on.
    pub fn drift_ppm(&self) -> i32 {
        let last = self.spans[self.spans.len() - 1];
        (last.rate - UNITS_PER_NANO) as i32
    }

    /// Changes the rate from a moment on. The reading at that moment stays what it was.
    ///
    /// # Errors
    /// When the drift is not within ±500 000 ppm, or the moment lies before the last change.
    pub fn set_drift(&mut self, at: Time, drift_ppm: i32) -> Result<(), ClockError> {
        let rate = rate(drift_ppm)?;
        let last = self.spans[self.spans.len() - 1];
        if at < last.start {
            return Err(ClockError::TimeWentBack { at, last: last.start });
        }
        if at == last.start {
            self.spans.pop();
        }
        self.spans.push(Span { start: at, local: last.local_units(at), rate });
        Ok(())
    }
}

impl Default for VirtualClock {
    fn default() -> Self {
        Self::exact()
    }
}

fn rate(drift_ppm: i32) -> Result<i128, ClockError> {
    if drift_ppm.unsigned_abs() > MOST_DRIFT_PPM.unsigned_abs() {
        return Err(ClockError::Drift(drift_ppm));
    }
    Ok(UNITS_PER_NANO + i128::from(drift_ppm))
}

/// Clipped to what `Time` holds.
fn time(nanos: i128) -> Time {
    Time::from_nanos(nanos.clamp(0, i128::from(u64::MAX)) as u64)
}
