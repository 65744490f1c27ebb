//! Random scripts of calls to a [`World`](isostep_core::world::World), judged by a fresh world that replays the commands
//! that took effect.
//!
//! - `script/`: calls with small numbers as arguments; every sequence of bytes is a script.
//! - `log.rs`: the commands that took effect, as a tree of timelines, with the digest that was seen on each tick.
//! - `driver/`: makes the calls of a script and keeps the log.
//! - `oracle.rs`: replays the log in a fresh world and compares every tick.
//! - `rays.rs`: rays that every state is asked for, at the present and at every held tick.
//! - `report.rs`: a difference as text: tick, section, entity, field, and the script; `shrink.rs` makes the script small.
//!
//! The oracle shares no history, scratch or step records with the world under test: it holds as few ticks as possible, drops
//! everything that can be rebuilt before every call and step, and uses one thread and scalar lanes.

mod driver;
mod log;
mod oracle;
mod random;
mod rays;
mod report;
pub mod script;
mod shrink;

pub use driver::{Machine, Stats};
pub use oracle::straight;
pub use random::random;
pub use report::{Failure, check, check_with, differences};
pub use script::{Op, Script};
pub use shrink::shrink;
