//! Pacing: input delay and clock synchronisation.
//!
//! Let *m(i→j)* be the margin of *i*'s inputs at *j*: the time between the arrival of an input and the tick that needs
//! it. With input delays *d*, one-way latencies *l* and the offset *o* between the two clocks,
//!
//! ```text
//! m(i→j) = d(i) − l(i→j) + o          m(j→i) = d(j) − l(j→i) − o
//! ```
//!
//! The sum has no *o*, so no clock can change it: `delay` acts on the sum alone. Half the difference contains *o*, and
//! equal delays cancel in it: `dilation` acts on the difference alone. So the two controllers never act on the same
//! signal, and a path with 10 ms one way and 200 ms the other is balanced for both players.
//!
//! - `arrivals`: measurements at the receiver.
//! - `delay`: adaptive input delay.
//! - `dilation`: the tick rate. The length of a tick in the simulation never changes.
//! - `clock`: frames into ticks.

mod arrivals;
mod clock;
mod delay;
mod dilation;

pub(crate) use arrivals::ArrivalMeter;
pub use arrivals::{ArrivalStats, MarginReport};
pub use clock::{FrameTicks, TickClock};
pub(crate) use delay::DelayControl;
pub use delay::{AdaptiveDelay, AdaptiveDelayError};
pub(crate) use dilation::{Dilation, PeerOffset};
