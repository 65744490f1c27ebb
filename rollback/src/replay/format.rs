//! Block format and varints. `REPLAY.md` is the specification.
//!
//! ```text
//! kind u8 | length u32 | tick u32 | span u16 | payload | check: 8 bytes of BLAKE3 over all before it
//! ```

use crate::Tick;
use crate::player::Occupant;
use isostep_core::digest::Digest;
use isostep_core::internals::Reader;
pub(super) use isostep_core::internals::put_varint;

pub(super) const MAGIC: [u8; 8] = *b"ISOREPLY";
/// Last bytes of a finished file.
pub(super) const END_MAGIC: [u8; 8] = *b"ISOR-END";
pub(super) const VERSION: u16 = 1;
/// Bytes before a payload.
pub(super) const HEAD: usize = 11;
/// Bytes of the checksum after a payload.
pub(super) const CHECK: usize = 8;
/// Bytes after the last block of a finished file: its length, and [`END_MAGIC`].
pub(super) const TRAILER: usize = 12;
/// Maximum number of ticks in a block of inputs: a few hostile bytes make a reader allocate at most 2 MB for 32 seats.
pub(super) const MAX_BLOCK_TICKS: u32 = 1024;

/// Kinds of blocks.
pub(super) mod kind {
    pub(crate) const KEYFRAME: u8 = 1;
    pub(crate) const INPUTS: u8 = 2;
    pub(crate) const ROSTER: u8 = 3;
    pub(crate) const DIGESTS: u8 = 4;
    pub(crate) const PAUSE: u8 = 5;
    pub(crate) const REPAIR: u8 = 6;
    pub(crate) const END: u8 = 7;
}

/// Seat kind: the source of a seat's inputs, as all machines of a match agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatKind {
    /// Empty: the input is the default.
    Empty,
    /// A player at any machine.
    Human,
    /// The simulation itself.
    Bot,
}

impl From<Occupant> for SeatKind {
    fn from(occupant: Occupant) -> Self {
        match occupant {
            Occupant::Local | Occupant::Remote(_) => Self::Human,
            Occupant::Bot => Self::Bot,
            Occupant::Empty => Self::Empty,
        }
    }
}

impl SeatKind {
    pub(super) const fn to_byte(self) -> u8 {
        match self {
            Self::Empty => 0,
            Self::Human => 1,
            Self::Bot => 2,
        }
    }

    pub(super) const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Empty),
            1 => Some(Self::Human),
            2 => Some(Self::Bot),
            _ => None,
        }
    }
}

/// Header of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) kind: u8,
    /// Length of the payload.
    pub(super) length: u32,
    pub(super) tick: Tick,
    pub(super) span: u16,
}

impl Head {
    pub(super) fn read(bytes: &[u8; HEAD]) -> Self {
        let [kind, a, b, c, d, e, f, g, h, i, j] = *bytes;
        Self {
            kind,
            length: u32::from_le_bytes([a, b, c, d]),
            tick: Tick(u32::from_le_bytes([e, f, g, h])),
            span: u16::from_le_bytes([i, j]),
        }
    }

    /// Returns the bytes of the whole block.
    pub(super) const fn total(&self) -> u64 {
        self.length as u64 + (HEAD + CHECK) as u64
    }
}

/// First eight bytes of a digest, as stored in a file.
pub(super) fn name(digest: Digest) -> [u8; 8] {
    let [a, b, c, d, e, f, g, h, ..] = digest.to_bytes();
    [a, b, c, d, e, f, g, h]
}

/// Appends the checksum of all bytes so far.
pub(super) fn seal(bytes: &mut Vec<u8>) {
    let check = name(Digest::of(bytes));
    bytes.extend_from_slice(&check);
}

/// Returns the bytes before the checksum; `None` if it does not match.
pub(super) fn unseal(bytes: &[u8]) -> Option<&[u8]> {
    let (sealed, check) = bytes.split_last_chunk::<CHECK>()?;
    (name(Digest::of(sealed)) == *check).then_some(sealed)
}

/// Creates a block.
pub(super) fn block(kind: u8, tick: Tick, span: u16, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(payload.len() + HEAD + CHECK);
    bytes.push(kind);
    bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&tick.0.to_le_bytes());
    bytes.extend_from_slice(&span.to_le_bytes());
    bytes.extend_from_slice(payload);
    seal(&mut bytes);
    bytes
}

/// Reads a varint of at most 63 bits.
pub(super) fn take_varint(from: &mut Reader<'_>) -> Option<u64> {
    from.varint(63)
}
