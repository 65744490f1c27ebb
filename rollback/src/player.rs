//! Players, peers and seats. Seats are independent of connections.

use core::fmt;
use serde::{Deserialize, Serialize};

/// A seat in the match. Every machine numbers the seats alike, from 0.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct PlayerId(pub u8);

impl PlayerId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "player {}", self.0)
    }
}

/// A machine at the other end of a connection. With `isostep_netcode::Peer` the number is its machine id, in a
/// [`SimMatch`](crate::SimMatch) its index; a driver of its own may number its peers in any way. A peer may hold several
/// seats, or none and spectate.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct PeerId(pub u8);

impl PeerId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for PeerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "machine {}", self.0)
    }
}

/// Occupant of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Occupant {
    /// A player at this machine.
    Local,
    /// A player at another machine.
    Remote(PeerId),
    /// A bot: [`Simulation::bot`](crate::Simulation::bot) decides, the same on every machine.
    Bot,
    /// No occupant. The seat's input is the default.
    Empty,
}

impl Occupant {
    /// Returns true if inputs for the seat come from outside the simulation.
    pub const fn is_human(self) -> bool {
        matches!(self, Self::Local | Self::Remote(_))
    }
}
