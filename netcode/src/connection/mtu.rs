//! Path MTU discovery by probing, after RFC 8899 (`WIRE.md`, section 5, PROBE). Sizes are bytes of UDP payload.

use crate::wire::{MAX_MTU, MIN_MTU};
use core::time::Duration;
use isostep_rollback::Time;

/// Probed sizes in ascending order: tunnels, DSL, Ethernet.
const PROBE_SIZES: [usize; 4] = [1280, 1372, 1420, MAX_MTU];
/// Probes per size before the search ends.
const MAX_PROBES: u8 = 3;
/// Interval between probes of a size.
const PROBE_TIMER: Duration = Duration::from_millis(400);
/// A size in use is confirmed by a new probe after this time.
const CONFIRMATION_TIMER: Duration = Duration::from_secs(5);

/// Path MTU discovery of one path.
#[derive(Debug)]
pub(super) struct Mtu {
    current: usize,
    /// Maximum that both sides accept.
    max: usize,
    /// Index of the size that is probed, and number of probes sent for it.
    probe_index: usize,
    probes: u8,
    next: Time,
    /// Unacknowledged confirmation probes, and the time of the next one; `None` while only short packets are sent.
    unconfirmed: u8,
    confirm_at: Option<Time>,
}

impl Mtu {
    pub(super) fn new(now: Time, max: usize) -> Self {
        Self {
            current: MIN_MTU,
            max,
            probe_index: 0,
            probes: 0,
            next: now + PROBE_TIMER,
            unconfirmed: 0,
            confirm_at: None,
        }
    }

    /// Schedules a confirmation probe when a long packet is sent: the path MTU may have decreased.
    pub(super) fn on_sent(&mut self, now: Time, bytes: usize) {
        if bytes > MIN_MTU && bytes <= self.current {
            self.confirm_at.get_or_insert(now + CONFIRMATION_TIMER);
        }
    }

    /// Current MTU: the largest acknowledged size.
    pub(super) const fn current(&self) -> usize {
        self.current
    }

    /// Restarts discovery after the path has changed.
    pub(super) fn reset(&mut self, now: Time) {
        *self = Self::new(now, self.max);
    }

    /// Time of the next probe.
    pub(super) fn next_timeout(&self) -> Option<Time> {
        let longer = self.is_searching().then_some(self.next);
        [longer, self.confirm_at].into_iter().flatten().min()
    }

    fn is_searching(&self) -> bool {
        let size = PROBE_SIZES.get(self.probe_index);
        size.is_some_and(|size| *size <= self.max) && self.probes < MAX_PROBES
    }

    /// Returns the size of a probe to send now.
    pub(super) fn poll_probe(&mut self, now: Time) -> Option<usize> {
        if self.confirm_at.is_some_and(|at| at <= now) {
            if self.unconfirmed == MAX_PROBES {
                self.reset(now);
                return None;
            }
            self.unconfirmed += 1;
            self.confirm_at = Some(now + PROBE_TIMER);
            return Some(self.current);
        }
        if !self.is_searching() || self.next > now {
            return None;
        }
        self.probes += 1;
        self.next = now + PROBE_TIMER;
        PROBE_SIZES.get(self.probe_index).copied()
    }

    /// Handles an acknowledged probe; returns true if the MTU increased.
    pub(super) fn on_probe_acked(&mut self, now: Time, size: usize) -> bool {
        if size == self.current && self.unconfirmed > 0 {
            (self.unconfirmed, self.confirm_at) = (0, None);
            return false;
        }
        if PROBE_SIZES.get(self.probe_index) != Some(&size) || self.probes == 0 {
            return false;
        }
        self.current = size;
        self.probe_index += 1;
        self.probes = 0;
        self.next = now;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probing_stops_at_the_path_mtu() {
        let mut mtu = Mtu::new(Time::ZERO, MAX_MTU);
        let mut sent = Vec::new();
        for millis in 0..20_000 {
            let now = Time::from_millis(millis);
            if let Some(size) = mtu.poll_probe(now) {
                sent.push(size);
                if size <= 1400 {
                    assert!(mtu.on_probe_acked(now, size));
                }
            }
        }
        assert_eq!((mtu.current(), sent), (1372, vec![1280, 1372, 1420, 1420, 1420]));
        assert_eq!(mtu.next_timeout(), None);
        assert!(
            !mtu.on_probe_acked(Time::ZERO, 9000),
            "an unsolicited PROBE_OK does not raise the MTU"
        );
    }

    #[test]
    fn a_shrinking_path_mtu_is_detected_while_large_packets_are_sent() {
        let mut mtu = Mtu::new(Time::ZERO, MAX_MTU);
        let mut lengths = Vec::new();
        for millis in 0..60_000 {
            let now = Time::from_millis(millis);
            // The path MTU decreases at 20 s; long packets are sent from 10 s on.
            let carries = if millis < 20_000 { 9000 } else { 1300 };
            if millis > 10_000 {
                mtu.on_sent(now, mtu.current());
            }
            if let Some(size) = mtu.poll_probe(now)
                && size <= carries
            {
                mtu.on_probe_acked(now, size);
            }
            if lengths.last() != Some(&mtu.current()) {
                lengths.push(mtu.current());
            }
        }
        assert_eq!(lengths, [MIN_MTU, 1280, 1372, 1420, MAX_MTU, MIN_MTU, 1280]);
    }
}
