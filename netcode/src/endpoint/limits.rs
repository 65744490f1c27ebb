//! Rate limits on handshakes: bounds the work that unauthenticated packets can cause.

use crate::address::Address;
use core::time::Duration;
use isostep_rollback::Time;

/// Replies per second to unvalidated addresses. Each costs one hash.
const REPLIES_PER_SECOND: u64 = 2000;
/// Replies and handshakes per second reserved for expected peers. A flood from other addresses cannot consume them.
const EXPECTED_PER_SECOND: u64 = 50;
/// Validated addresses that are tracked; the oldest is evicted.
const MAX_ADDRESSES: usize = 64;
/// Handshakes that one address may start per [`ADDRESS_INTERVAL`]. Each costs curve arithmetic.
const HANDSHAKES_PER_ADDRESS: u32 = 8;
const ADDRESS_INTERVAL: Duration = Duration::from_secs(10);
/// Handshakes per second of all addresses together.
const HANDSHAKES_PER_SECOND: u64 = 64;

/// Token bucket with a burst of one second.
#[derive(Debug)]
struct TokenBucket {
    rate: u64,
    /// Credit in nanoseconds; one token costs a second divided by the rate.
    credit: u64,
    last: Time,
}

impl TokenBucket {
    const fn new(rate: u64) -> Self {
        Self { rate, credit: 1_000_000_000, last: Time::ZERO }
    }

    fn take(&mut self, now: Time) -> bool {
        let earned = now.since(self.last).as_nanos().min(1_000_000_000) as u64;
        self.last = self.last.max(now);
        self.credit = (self.credit + earned).min(1_000_000_000);
        let cost = 1_000_000_000 / self.rate;
        let enough = self.credit >= cost;
        self.credit -= if enough { cost } else { 0 };
        enough
    }
}

/// Rate limits of an endpoint.
#[derive(Debug)]
pub(super) struct Limits {
    replies: TokenBucket,
    handshakes: TokenBucket,
    expected_replies: TokenBucket,
    expected_handshakes: TokenBucket,
    /// Validated addresses: start of the interval and handshakes in it.
    addresses: Vec<(Address, Time, u32)>,
}

impl Limits {
    pub(super) const fn new() -> Self {
        Self {
            replies: TokenBucket::new(REPLIES_PER_SECOND),
            handshakes: TokenBucket::new(HANDSHAKES_PER_SECOND),
            expected_replies: TokenBucket::new(EXPECTED_PER_SECOND),
            expected_handshakes: TokenBucket::new(EXPECTED_PER_SECOND),
            addresses: Vec::new(),
        }
    }

    /// Returns true if a HELLO may be answered.
    pub(super) fn allow_reply(&mut self, now: Time, expected: bool) -> bool {
        (expected && self.expected_replies.take(now)) || self.replies.take(now)
    }

    /// Returns true if an INIT with a valid cookie may be processed.
    pub(super) fn allow_handshake(&mut self, now: Time, address: Address, expected: bool) -> bool {
        // An observer of a cookie can spoof the address of an expected peer, so expected peers have a separate limit.
        (expected && self.expected_handshakes.take(now))
            || (self.is_below_limit(now, address) && self.handshakes.take(now))
    }

    /// Counts a handshake of an address; returns true if it is within the limit.
    fn is_below_limit(&mut self, now: Time, address: Address) -> bool {
        if let Some(entry) = self.addresses.iter_mut().find(|entry| entry.0 == address) {
            if entry.1 + ADDRESS_INTERVAL <= now {
                (entry.1, entry.2) = (now, 0);
            }
            entry.2 += 1;
            return entry.2 <= HANDSHAKES_PER_ADDRESS;
        }
        if self.addresses.len() == MAX_ADDRESSES {
            let oldest =
                (0..MAX_ADDRESSES).min_by_key(|&place| self.addresses[place].1).unwrap_or(0);
            self.addresses.swap_remove(oldest);
        }
        self.addresses.push((address, now, 1));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_start_eight_handshakes_in_ten_seconds() {
        let mut limits = Limits::new();
        let mut taken =
            |at: u64| limits.allow_handshake(Time::from_millis(at), Address::Node(1), false);
        assert_eq!((0..20).filter(|step| taken(1000 + step * 100)).count(), 8);
        assert!(taken(12_000));
    }

    #[test]
    fn all_addresses_together_start_sixty_four_handshakes_per_second() {
        let mut limits = Limits::new();
        let mut taken = 0;
        for step in 0..10_000 {
            let address = Address::Node(step);
            let now = Time::from_millis(step / 10);
            taken += u32::from(limits.allow_handshake(now, address, false));
        }
        assert!((64..=130).contains(&taken), "{taken}");
        assert_eq!(limits.addresses.len(), MAX_ADDRESSES);
    }
}
