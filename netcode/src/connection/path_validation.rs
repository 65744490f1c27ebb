//! A peer that seems to have moved has to show that it is there (`WIRE.md`, section 4).

use crate::address::Address;
use core::time::Duration;
use isostep_rollback::Time;

/// Between two challenges.
const CHALLENGE_INTERVAL: Duration = Duration::from_millis(100);

/// Addresses whose answer is awaited at once: a copy that somebody sends from elsewhere must not push the true one out.
const MAX_CANDIDATES: usize = 4;

/// Where a peer may have moved to.
#[derive(Debug, Default)]
pub(super) struct PathValidator {
    /// The oldest first.
    candidates: Vec<(Address, [u8; 8])>,
    last_challenge: Option<Time>,
}

impl PathValidator {
    /// A packet that opens came from another address. Whether to challenge that now.
    pub(super) fn may_challenge(&self, now: Time) -> bool {
        self.last_challenge.is_none_or(|last_challenge| last_challenge + CHALLENGE_INTERVAL <= now)
    }

    /// What to send there: `fresh` bytes, or those that are on their way, whose answer may take longer than the next challenge.
    pub(super) fn challenge(&mut self, now: Time, address: Address, fresh: [u8; 8]) -> [u8; 8] {
        self.last_challenge = Some(now);
        if let Some(known) = self.candidates.iter().find(|candidate| candidate.0 == address) {
            return known.1;
        }
        if self.candidates.len() == MAX_CANDIDATES {
            self.candidates.remove(0);
        }
        self.candidates.push((address, fresh));
        fresh
    }

    /// An answer; whether it proves that the peer is there.
    pub(super) fn validate(&mut self, from: Address, bytes: [u8; 8]) -> bool {
        let valid = self.candidates.contains(&(from, bytes));
        if valid {
            self.candidates.clear();
        }
        valid
    }
}
