//! Path validation: a peer with a new source address must prove that it receives packets there (`WIRE.md`, section 4).

use crate::address::Address;
use core::time::Duration;
use isostep_rollback::Time;

/// Minimum interval between challenges.
const CHALLENGE_INTERVAL: Duration = Duration::from_millis(100);

/// Maximum number of addresses under validation. More than one, so that a spoofed copy does not evict the genuine
/// address.
const MAX_CANDIDATES: usize = 4;

/// Path validation of one connection.
#[derive(Debug, Default)]
pub(super) struct PathValidator {
    /// Addresses and their challenge data, oldest first.
    candidates: Vec<(Address, [u8; 8])>,
    last_challenge: Option<Time>,
}

impl PathValidator {
    /// Returns true if a challenge may be sent now.
    pub(super) fn may_challenge(&self, now: Time) -> bool {
        self.last_challenge.is_none_or(|last_challenge| last_challenge + CHALLENGE_INTERVAL <= now)
    }

    /// Returns the challenge data for an address. A pending challenge keeps its data, since its response may be
    /// delayed.
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

    /// Handles a response; returns true if it validates the address.
    pub(super) fn validate(&mut self, from: Address, bytes: [u8; 8]) -> bool {
        let valid = self.candidates.contains(&(from, bytes));
        if valid {
            self.candidates.clear();
        }
        valid
    }
}
