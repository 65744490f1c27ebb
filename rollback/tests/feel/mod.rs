//! Pacing in virtual time: adaptive input delay, synchronised clocks, presses that are never lost.

mod clocks;
mod delays;
mod oracle;
mod play;
mod presses;
mod relay;

/// Seeds for each scenario.
const SEEDS: u64 = 20;
/// Ticks in a second.
const SECOND: usize = 60;
