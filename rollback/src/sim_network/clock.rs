//! `VirtualClock`: a peer's clock as a function of true time, with an offset and a drift. Readings are exact rationals
//! rounded once, so errors do not accumulate over rate changes.

use crate::Time;

/// A nanosecond in the unit of the sums. A drift in parts per million is a whole number of units.
const UNITS_PER_NANO: i128 = 1_000_000;

/// Maximum drift. It keeps every rate above zero, so that readings have an inverse.
const MOST_DRIFT_PPM: i32 = 500_000;

/// Error of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockError {
    /// The drift is out of range.
    #[error("a drift of {0} ppm is out of range; give -500 000 to 500 000")]
    Drift(i32),
    /// The change is before the last one.
    #[error("the drift last changed at {last}; a change at {at} must not be earlier")]
    TimeWentBack {
        /// Time of the change.
        at: Time,
        /// Time of the last change.
        last: Time,
    },
}

/// From `start` in true time the clock reads `local` and gains `rate` units a nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    start: Time,
    /// In units; negative before a negative offset has passed.
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
/// Read the clock with [`local_time`](Self::local_time). Plan with [`true_time_of`](Self::true_time_of), which gives
/// the true time at which a network or `Timers` has to wake the peer:
///
/// ```
/// use isostep_rollback::Time;
/// use isostep_rollback::internals::VirtualClock;
/// // 5 ms ahead at the start, and 100 ppm too fast.
/// let mut clock = VirtualClock::new(5_000_000, 100)?;
/// assert_eq!(clock.local_time(Time::from_millis(10_000)), Time::from_millis(10_006));
/// assert_eq!(clock.true_time_of(Time::from_millis(10_006)), Time::from_millis(10_000));
/// // From then on too slow; the reading doesn't jump.
/// clock.set_drift(Time::from_millis(10_000), -100)?;
/// assert_eq!(clock.local_time(Time::from_millis(20_000)), Time::from_millis(20_005));
/// # Ok::<(), isostep_rollback::internals::ClockError>(())
/// ```
///
/// Local time is monotonic. A clock with a negative offset reads [`Time::ZERO`] until the offset has passed, and one
/// that reaches the end of `Time` stays there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VirtualClock {
    /// Sorted by start; never empty.
    spans: Vec<Span>,
}

impl VirtualClock {
    /// Creates a clock with an offset at true time zero, and a drift.
    ///
    /// # Errors
    /// If the drift is not within ±500 000 ppm.
    pub fn new(offset_nanos: i64, drift_ppm: i32) -> Result<Self, ClockError> {
        let local = i128::from(offset_nanos) * UNITS_PER_NANO;
        Ok(Self { spans: vec![Span { start: Time::ZERO, local, rate: rate(drift_ppm)? }] })
    }

    /// Creates a clock that shows true time.
    pub fn exact() -> Self {
        Self { spans: vec![Span { start: Time::ZERO, local: 0, rate: UNITS_PER_NANO }] }
    }

    /// Returns the reading, rounded down to the nanosecond.
    pub fn local_time(&self, at: Time) -> Time {
        let index = self.spans.partition_point(|span| span.start <= at).saturating_sub(1);
        time(self.spans[index].local_units(at).div_euclid(UNITS_PER_NANO))
    }

    /// Returns the first true time at which the clock reads this or more.
    pub fn true_time_of(&self, local: Time) -> Time {
        if local == Time::ZERO {
            return Time::ZERO;
        }
        let units = i128::from(local.nanos()) * UNITS_PER_NANO;
        let index = self.spans.partition_point(|span| span.local <= units).saturating_sub(1);
        let span = &self.spans[index];
        let ahead = units - span.local;
        // Rounded up: a nanosecond earlier the clock reads less. Never past the next span, whose reading starts higher.
        let found = i128::from(span.start.nanos()) + (ahead + span.rate - 1).div_euclid(span.rate);
        time(found)
    }

    /// Returns the drift since the last change, in parts per million.
    pub fn drift_ppm(&self) -> i32 {
        let last = self.spans[self.spans.len() - 1];
        (last.rate - UNITS_PER_NANO) as i32
    }

    /// Changes the drift from a time on. The reading at that time is continuous.
    ///
    /// # Errors
    /// If the drift is not within ±500 000 ppm, or the time is before the last change.
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

/// Clamps to the range of `Time`.
fn time(nanos: i128) -> Time {
    Time::from_nanos(nanos.clamp(0, i128::from(u64::MAX)) as u64)
}
