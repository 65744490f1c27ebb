//! Islands, sleep, waking, sensors and events, through the public API: resting bodies fall asleep and keep every bit, every
//! disturbance wakes them, and events report all of it. One program, so that it links once.
#![allow(
    clippy::disallowed_types,
    reason = "floats report and judge what the world computed; none goes back into it"
)]

mod chain;
mod commit;
mod common;
mod events;
mod fuzz;
mod graph;
mod impacts;
mod ledger;
mod replay;
mod sensors;
mod sensors_brute;
mod sensors_final;
mod sleep;
mod solids;
mod supports;
mod wake;
mod wake_supports;
