//! What players feel: how late their own inputs take effect, and whose clock gives way.
//!
//! Let *m(i→j)* be the margin of *i*'s inputs at *j*: how long before it was needed an input arrived. With the delay *d* of
//! each, the time *l* that packets take and the offset *o* of the two clocks,
//!
//! ```text
//! m(i→j) = d(i) − l(i→j) + o          m(j→i) = d(j) − l(j→i) − o
//! ```
//!
//! The sum has no *o*, so no clock can change it: `delay` acts on the sum alone. Half the difference has what a clock can
//! change, and delays that are alike cancel in it: `dilation` acts on the difference alone. So the two never pull at one
//! signal, and on a path with 10 ms one way and 200 ms the other both players get the same.
//!
//! - `arrivals`: what a receiver measures.
//! - `delay`: how many ticks local inputs wait.
//! - `dilation`: how much faster or slower ticks follow each other. The length of a tick in the simulation never changes.
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
