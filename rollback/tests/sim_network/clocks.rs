//! Clocks against the exact rational, over hours and through many changes of rate.

use isostep_rollback::Time;
use isostep_rollback::internals::{ClockError, VirtualClock};
use proptest::prelude::*;

const HOUR: u64 = 3_600_000_000_000;

#[test]
fn clocks_off_by_200_ppm_stay_within_a_nanosecond_over_an_hour() {
    for drift in [-200, -199, -1, 0, 1, 7, 200] {
        let clock = VirtualClock::new(12_345, drift).unwrap();
        // Sixtieths of a second, most of which are no whole nanoseconds.
        for frame in 0..=216_000_u64 {
            let at = frame * 1_000_000_000 / 60;
            let local = i128::from(clock.local_time(Time::from_nanos(at)).nanos());
            let exact = 12_345 * 1_000_000 + i128::from(at) * (1_000_000 + i128::from(drift));
            assert!((0..1_000_000).contains(&(exact - local * 1_000_000)), "drift {drift} at {at}");
        }
    }
}

#[test]
fn a_thousand_changes_of_rate_add_no_error() {
    let mut clock = VirtualClock::exact();
    let (mut exact, mut at) = (0_i128, 0_u64);
    for change in 0..1000_u64 {
        let drift = (change * 37 % 401) as i32 - 200;
        clock.set_drift(Time::from_nanos(at), drift).unwrap();
        let span = HOUR / 1000 + change * 13 + 1;
        exact += i128::from(span) * (1_000_000 + i128::from(drift));
        at += span;
    }
    assert_eq!(i128::from(clock.local_time(Time::from_nanos(at)).nanos()), exact / 1_000_000);
}

#[test]
fn a_clock_behind_shows_zero_until_it_is_caught_up() {
    let clock = VirtualClock::new(-1000, 0).unwrap();
    let shown = [0, 999, 1000, 1001].map(|at| clock.local_time(Time::from_nanos(at)).nanos());
    assert_eq!(shown, [0, 0, 0, 1]);
    assert_eq!(clock.true_time_of(Time::ZERO), Time::ZERO);
    assert_eq!(clock.true_time_of(Time::from_nanos(1)), Time::from_nanos(1001));
}

#[test]
fn clocks_stop_at_the_ends_of_time() {
    let end = Time::from_nanos(u64::MAX);
    let fast = VirtualClock::new(i64::MAX, 500_000).unwrap();
    assert_eq!((fast.local_time(end), fast.true_time_of(Time::ZERO)), (end, Time::ZERO));
    let slow = VirtualClock::new(i64::MIN, -500_000).unwrap();
    assert_eq!((slow.true_time_of(end), slow.local_time(Time::ZERO)), (end, Time::ZERO));
}

#[test]
fn impossible_rates_and_changes_in_the_past_are_refused() {
    assert_eq!(VirtualClock::new(0, 500_001), Err(ClockError::Drift(500_001)));
    assert_eq!(VirtualClock::new(0, i32::MIN), Err(ClockError::Drift(i32::MIN)));
    let mut clock = VirtualClock::default();
    clock.set_drift(Time::from_millis(5), 100).unwrap();
    let before = clock.clone();
    let (at, last) = (Time::from_millis(4), Time::from_millis(5));
    assert_eq!(clock.set_drift(at, 0), Err(ClockError::TimeWentBack { at, last }));
    assert_eq!(clock.set_drift(last, -600_000), Err(ClockError::Drift(-600_000)));
    assert_eq!(clock, before);
    clock.set_drift(last, -7).unwrap();
    assert_eq!(clock.drift_ppm(), -7);
}

proptest! {
    #[test]
    fn readings_never_go_back_and_the_inverse_is_the_first_moment(
        offset in -2_000_000_i64..2_000_000,
        changes in prop::collection::vec((0_u64..1_000_000, -500_000_i32..=500_000), 0..8),
        probes in prop::collection::vec(0_u64..6_000_000, 1..40),
    ) {
        let mut clock = VirtualClock::new(offset, 0).unwrap();
        let mut at = Time::ZERO;
        for (wait, drift) in changes {
            at = Time::from_nanos(at.nanos() + wait);
            let before = clock.local_time(at);
            clock.set_drift(at, drift).unwrap();
            prop_assert_eq!(clock.local_time(at), before);
        }
        for probe in probes {
            let local = Time::from_nanos(probe);
            let first = clock.true_time_of(local);
            prop_assert!(clock.local_time(first) >= local);
            if first > Time::ZERO {
                prop_assert!(clock.local_time(Time::from_nanos(first.nanos() - 1)) < local);
            }
            let next = clock.local_time(Time::from_nanos(probe + 1));
            prop_assert!(next >= clock.local_time(local));
        }
    }
}
