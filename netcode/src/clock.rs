//! The machine's clocks, for drivers that have no better ones.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the outermost driver reads clocks; nothing in this crate calls this"
)]

use isostep_rollback::Time;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The machine's clock since this was made, and the time of day then. Programs make one and pass on what it says.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    zero: Instant,
    unix_at_zero: u64,
}

impl WallClock {
    /// Begins at zero.
    pub fn start() -> Self {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH);
        // A clock before 1970 makes every token one from the future.
        Self { zero: Instant::now(), unix_at_zero: unix.map_or(0, |since| since.as_secs()) }
    }

    /// The time since then. It never goes back.
    pub fn now(&self) -> Time {
        Time::ZERO + self.zero.elapsed()
    }

    /// The time of day at zero, in seconds since 1970 UTC.
    pub const fn unix_at_zero(&self) -> u64 {
        self.unix_at_zero
    }
}
