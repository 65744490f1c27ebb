//! Monotonic clock and wall-clock origin for programs that drive a peer.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the outermost driver reads clocks; nothing in this crate calls this"
)]

use isostep_rollback::Time;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Monotonic clock with the Unix time of its origin. A program creates one and passes its readings to the peer.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    zero: Instant,
    unix_at_zero: u64,
}

impl WallClock {
    /// Starts the clock at zero.
    pub fn start() -> Self {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH);
        // A system clock before 1970 counts as 0, so every token is rejected as issued in the future.
        Self { zero: Instant::now(), unix_at_zero: unix.map_or(0, |since| since.as_secs()) }
    }

    /// Returns the time since [`start`](Self::start). Monotonic.
    pub fn now(&self) -> Time {
        Time::ZERO + self.zero.elapsed()
    }

    /// Unix time at zero, in seconds.
    pub const fn unix_at_zero(&self) -> u64 {
        self.unix_at_zero
    }
}
