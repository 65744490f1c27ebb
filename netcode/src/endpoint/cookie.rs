//! Stateless address validation: a cookie proves that the initiator receives packets at its address. The responder
//! stores only one secret.

use crate::address::Address;
use crate::wire::{Attempt, COOKIE_BYTES};
use isostep_rollback::Time;

/// Lifetime of a cookie, in seconds.
const LIFETIME: u32 = 10;

/// Creates and validates cookies.
pub(super) struct Cookies([u8; 32]);

impl Cookies {
    pub(super) const fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    fn at(&self, seconds: u32, address: Address, attempt: Attempt) -> [u8; COOKIE_BYTES] {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(&seconds.to_le_bytes());
        hasher.update(&address.to_bytes());
        hasher.update(&attempt);
        let mut cookie = [0; COOKIE_BYTES];
        cookie[..4].copy_from_slice(&seconds.to_le_bytes());
        cookie[4..].copy_from_slice(&hasher.finalize().as_bytes()[..COOKIE_BYTES - 4]);
        cookie
    }

    pub(super) fn make(&self, now: Time, address: Address, attempt: Attempt) -> [u8; COOKIE_BYTES] {
        self.at(seconds(now), address, attempt)
    }

    pub(super) fn check(
        &self,
        now: Time,
        address: Address,
        attempt: Attempt,
        cookie: [u8; COOKIE_BYTES],
    ) -> bool {
        let [a, b, c, d, ..] = cookie;
        let made = u32::from_le_bytes([a, b, c, d]);
        let age = seconds(now).wrapping_sub(made);
        let right = self.at(made, address, attempt);
        // Constant-time comparison.
        let differences = right.iter().zip(&cookie).fold(0, |sum, (a, b)| sum | (a ^ b));
        age < LIFETIME && differences == 0
    }
}

const fn seconds(now: Time) -> u32 {
    (now.nanos() / 1_000_000_000) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_bound_to_address_attempt_and_ten_seconds() {
        let cookies = Cookies::new([7; 32]);
        let (here, attempt) = (Address::Node(1), [3; 8]);
        let cookie = cookies.make(Time::from_millis(5500), here, attempt);
        let check = |millis, address, attempt, cookie| {
            cookies.check(Time::from_millis(millis), address, attempt, cookie)
        };
        assert!(check(5500, here, attempt, cookie));
        assert!(check(14_900, here, attempt, cookie));
        assert!(!check(15_000, here, attempt, cookie));
        assert!(!check(4_000, here, attempt, cookie), "from the future");
        assert!(!check(5500, Address::Node(2), attempt, cookie));
        assert!(!check(5500, here, [4; 8], cookie));
        for bit in 0..COOKIE_BYTES * 8 {
            let mut other = cookie;
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!check(5500, here, attempt, other));
        }
        assert!(!Cookies::new([8; 32]).check(Time::from_millis(5500), here, attempt, cookie));
    }
}
