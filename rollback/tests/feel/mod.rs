//! What players feel, in virtual time: delays that follow the network, clocks that agree, presses that are never lost.

mod clocks;
mod delays;
mod oracle;
mod play;
mod presses;
mod relay;

/// How many seeds each scenario is played with.
const SEEDS: u64 = 20;
/// Ticks in a second.
const SECOND: usize = 60;
