//! How long packets may be on this path: found out by trying (`WIRE.md`, section 5, PROBE).

use crate::wire::{MAX_MTU, MIN_MTU};
use core::time::Duration;
use isostep_rollback::Time;

/// Lengths that are tried, one after the other: paths through tunnels, DSL, and plain Ethernet.
const PROBE_SIZES: [usize; 4] = [1280, 1372, 1420, MAX_MTU];
/// How often each.
const MAX_PROBES: u8 = 3;
/// How long each.
const PROBE_TIMER: Duration = Duration::from_millis(400);
/// Long packets in use are probed again after this time.
const CONFIRMATION_TIMER: Duration = Duration::from_secs(5);

/// What is known of a path.
#[derive(Debug)]
pub(super) struct Mtu {
    current: usize,
    /// The longest that the other side takes.
    max: usize,
    /// Which of the sizes is tried, and how often it was.
    probe_index: usize,
    probes: u8,
    next: Time,
    /// Probes of the known length that are unanswered, and when the next one is due; none while only short packets go.
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

    /// A packet of this length goes out: what the path has carried it may carry no longer.
    pub(super) fn on_sent(&mut self, now: Time, bytes: usize) {
        if bytes > MIN_MTU && bytes <= self.current {
            self.confirm_at.get_or_insert(now + CONFIRMATION_TIMER);
        }
    }

    /// Bytes of the longest packet that is known to get through.
    pub(super) const fn current(&self) -> usize {
        self.current
    }

    /// Begins anew: the path has changed.
    pub(super) fn reset(&mut self, now: Time) {
        *self = Self::new(now, self.max);
    }

    /// When the next probe is due.
    pub(super) fn next_timeout(&self) -> Option<Time> {
        let longer = self.is_searching().then_some(self.next);
        [longer, self.confirm_at].into_iter().flatten().min()
    }

    fn is_searching(&self) -> bool {
        let size = PROBE_SIZES.get(self.probe_index);
        size.is_some_and(|size| *size <= self.max) && self.probes < MAX_PROBES
    }

    /// The length of a probe that goes out now.
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

    /// A probe has arrived; whether longer packets may be used from now on.
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
        assert!(!mtu.on_probe_acked(Time::ZERO, 9000), "nobody raises it by an answer to nothing");
    }

    #[test]
    fn a_shrinking_path_mtu_is_detected_while_large_packets_are_sent() {
        let mut mtu = Mtu::new(Time::ZERO, MAX_MTU);
        let mut lengths = Vec::new();
        for millis in 0..60_000 {
            let now = Time::from_millis(millis);
            // The path shrinks after 20 s; long packets go from 10 s on.
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
