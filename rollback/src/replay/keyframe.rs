//! Keyframe: everything that the next step depends on. The state, and beside it the seat kinds, the inputs of the step
//! before, and partial commands.

use super::format::{SeatKind, put_varint, take_varint};
use isostep_core::internals::Reader;

/// Data of a seat that is not in the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeatFrame {
    pub(super) kind: SeatKind,
    /// Input of the step before.
    pub(super) previous: Vec<u8>,
    /// Bytes of a partial command.
    pub(super) pending: Option<Vec<u8>>,
}

/// Everything that the next step depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Keyframe {
    pub(super) seats: Vec<SeatFrame>,
    /// First bytes of the state's digest.
    pub(super) digest: [u8; 8],
    pub(super) state: Vec<u8>,
}

impl Keyframe {
    /// Encodes the payload.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for seat in &self.seats {
            out.push(seat.kind.to_byte());
            out.extend_from_slice(&seat.previous);
            let pending = seat.pending.as_deref();
            put_varint(pending.map_or(0, |pending| pending.len() as u64 + 1), &mut out);
            out.extend_from_slice(pending.unwrap_or_default());
        }
        out.extend_from_slice(&self.digest);
        out.extend_from_slice(&self.state);
        out
    }

    /// Decodes a payload; `None` if it is malformed.
    pub(super) fn decode(payload: &[u8], seats: usize, width: usize) -> Option<Self> {
        let mut from = Reader::new(payload);
        let mut frames = Vec::with_capacity(seats);
        for _ in 0..seats {
            let kind = SeatKind::from_byte(from.u8()?)?;
            let previous = from.take(width)?.to_vec();
            let pending = match take_varint(&mut from)? {
                0 => None,
                more => Some(from.take(usize::try_from(more - 1).ok()?)?.to_vec()),
            };
            frames.push(SeatFrame { kind, previous, pending });
        }
        let digest = from.array()?;
        Some(Self { seats: frames, digest, state: from.rest().to_vec() })
    }
}
