//! Records of a recording, besides states.

use super::format::SeatKind;
use crate::Tick;
use crate::player::PlayerId;

/// Change of a seat's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatChange {
    /// First tick of the change.
    pub tick: Tick,
    /// The seat.
    pub player: PlayerId,
    /// The new kind.
    pub kind: SeatKind,
}

/// Pause of the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Tick before whose step the match paused.
    pub tick: Tick,
    /// Length of the pause.
    pub milliseconds: u64,
}

/// A human's input on a tick, as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputBytes<'a> {
    /// Encoded input, for `InputCodec`.
    pub input: &'a [u8],
    /// Command pieces, for `CommandAssembler`.
    pub pieces: &'a [u8],
}

/// Range of ticks that were not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Last state before the gap. Inputs from this tick on are missing.
    pub tick: Tick,
    /// Next reachable state, if there is one.
    pub next: Option<Tick>,
}
