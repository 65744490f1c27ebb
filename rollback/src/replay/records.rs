//! What a reader hands out of a recording, besides states.

use super::format::SeatKind;
use crate::player::PlayerId;
use crate::tick::Tick;

/// Somebody takes or leaves a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatChange {
    /// From this tick on.
    pub tick: Tick,
    /// Which seat.
    pub player: PlayerId,
    /// SeatKind decides about it.
    pub kind: SeatKind,
}

/// The match stood still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Before the step of this tick.
    pub tick: Tick,
    /// For so long.
    pub milliseconds: u64,
}

/// What a human did in a tick, as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputBytes<'a> {
    /// The input: [`InputCodec`](crate::InputCodec) reads it.
    pub input: &'a [u8],
    /// Pieces of commands: [`CommandAssembler`](crate::CommandAssembler) puts them together.
    pub pieces: &'a [u8],
}

/// A stretch that was not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The last state before it. The inputs of this tick are the first that are missing.
    pub tick: Tick,
    /// The next state that can be reached, if there is one.
    pub next: Option<Tick>,
}
