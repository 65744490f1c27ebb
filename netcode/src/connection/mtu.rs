//! How long packets may be on this path: found out by trying (`WIRE.md`, section 5, PROBE).

use crate::wire::{MAX_MTU, MIN_MTU};
use core::time::Duration;
use isostep_rollback::Time;

/// Lengths that are tried, one after the other: paths through tunnels, DSL, and plain Ethernet.
const SIZES: [usize; 4] = [1280, 1372, 1420, MAX_MTU];
/// How often each.
const TRIES: u8 = 3;
/// How long each.
const WAIT: Duration = Duration::from_millis(400);
/// Long packets in use are probed again after this time.
const DOUBT_AFTER: Duration = Duration::from_secs(5);

/// What is known of a path.
#[derive(Debug)]
pub(super) struct Mtu {
    known: usize,
    /// The longest that the other side takes.
    most: usize,
    /// Which of the sizes is tried, and how often it was.
    size: usize,
    tries: u8,
    next: Time,
    /// Probes of the known length that are unanswered, and when the next one is due; none while only short packets go.
    doubts: u8,
    doubt: Option<Time>,
}

impl Mtu {
    pub(super) fn new(now: Time, most: usize) -> Self {
        Self { known: MIN_MTU, most, size: 0, tries: 0, next: now + WAIT, doubts: 0, doubt: None }
    }

    /// A packet of this length goes out: what the path has carried it may carry no longer.
    pub(super) fn using(&mut self, now: Time, bytes: usize) {
        if bytes > MIN_MTU && bytes <= self.known {
            self.doubt.get_or_insert(now + DOUBT_AFTER);
        }
    }

    /// Bytes of the longest packet that is known to get through.
    pub(super) const fn known(&self) -> usize {
        self.known
    }

    /// Begins anew: the path has changed.
    pub(super) fn reset(&mut self, now: Time) {
        *self = Self::new(now, self.most);
    }

    /// When the next probe is due.
    pub(super) fn due(&self) -> Option<Time> {
        let longer = self.wants_longer().then_some(self.next);
        [longer, self.doubt].into_iter().flatten().min()
    }

    fn wants_longer(&self) -> bool {
        let size = SIZES.get(self.size);
        size.is_some_and(|size| *size <= self.most) && self.tries < TRIES
    }

    /// The length of a probe that goes out now.
    pub(super) fn probe(&mut self, now: Time) -> Option<usize> {
        if self.doubt.is_some_and(|doubt| doubt <= now) {
            if self.doubts == TRIES {
                self.reset(now);
                return None;
            }
            self.doubts += 1;
            self.doubt = Some(now + WAIT);
            return Some(self.known);
        }
        if !self.wants_longer() || self.next > now {
            return None;
        }
        self.tries += 1;
        self.next = now + WAIT;
        SIZES.get(self.size).copied()
    }

    /// A probe has arrived; whether longer packets may be used from now on.
    pub(super) fn arrived(&mut self, now: Time, size: usize) -> bool {
        if size == self.known && self.doubts > 0 {
            (self.doubts, self.doubt) = (0, None);
            return false;
        }
        if SIZES.get(self.size) != Some(&size) || self.tries == 0 {
            return false;
        }
        self.known = size;
        self.size += 1;
        self.tries = 0;
        self.next = now;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probing_goes_up_to_what_the_path_carries_and_then_stops() {
        let mut mtu = Mtu::new(Time::ZERO, MAX_MTU);
        let mut sent = Vec::new();
        for millis in 0..20_000 {
            let now = Time::from_millis(millis);
            if let Some(size) = mtu.probe(now) {
                sent.push(size);
                if size <= 1400 {
                    assert!(mtu.arrived(now, size));
                }
            }
        }
        assert_eq!((mtu.known(), sent), (1372, vec![1280, 1372, 1420, 1420, 1420]));
        assert_eq!(mtu.due(), None);
        assert!(!mtu.arrived(Time::ZERO, 9000), "nobody raises it by an answer to nothing");
    }

    #[test]
    fn a_path_that_carries_less_than_before_is_noticed_while_long_packets_go() {
        let mut mtu = Mtu::new(Time::ZERO, MAX_MTU);
        let mut lengths = Vec::new();
        for millis in 0..60_000 {
            let now = Time::from_millis(millis);
            // The path shrinks after 20 s; long packets go from 10 s on.
            let carries = if millis < 20_000 { 9000 } else { 1300 };
            if millis > 10_000 {
                mtu.using(now, mtu.known());
            }
            if let Some(size) = mtu.probe(now)
                && size <= carries
            {
                mtu.arrived(now, size);
            }
            if lengths.last() != Some(&mtu.known()) {
                lengths.push(mtu.known());
            }
        }
        assert_eq!(lengths, [MIN_MTU, 1280, 1372, 1420, MAX_MTU, MIN_MTU, 1280]);
    }
}
