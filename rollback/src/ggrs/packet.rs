//! A packet of ggrs 0.13 taken apart without trusting it: bincode with numbers of fixed width, inputs packed by
//! `bitfield-rle`. It reads and bounds; what a packet may say at this point of a match `guard` decides.

use crate::bytes::Reader;

/// Why a packet was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PacketError {
    /// It ends early.
    #[error("the packet ends in the middle of a field")]
    Truncated,
    /// It goes on behind its end.
    #[error("{bytes} bytes behind the end of the packet")]
    Trailing {
        /// How many.
        bytes: usize,
    },
    /// A kind that ggrs 0.13 does not have.
    #[error("a packet of kind {kind}")]
    Kind {
        /// It.
        kind: u32,
    },
    /// A value that its type does not have.
    #[error("a bool of {0}")]
    Bool(u8),
    /// Another number of connection states than players.
    #[error("connection states of {found} players in a match of {expected}")]
    Players {
        /// How many came.
        found: u64,
        /// How many there are.
        expected: usize,
    },
    /// Packed inputs that don't unpack, or to more than a packet can have.
    #[error("the inputs don't unpack to at most {limit} bytes of whole inputs")]
    Inputs {
        /// Most bytes that they may unpack to.
        limit: usize,
    },
    /// Further ahead than any honest peer can be.
    #[error("frame {frame}: no peer can be past {limit}")]
    TooFarAhead {
        /// It.
        frame: i64,
        /// The last one that is taken.
        limit: i64,
    },
    /// Further back than it can matter.
    #[error("frame {frame}: what lies before {limit} can't change any more")]
    TooFarBack {
        /// It.
        frame: i64,
        /// The first one that is taken.
        limit: i64,
    },
    /// An answer to a question that was not asked.
    #[error("an answer to a ping that was not sent")]
    UnknownPing,
    /// A checksum, though nobody compares them here.
    #[error("a checksum, though desync detection is off here; set all machines up alike")]
    NoChecksums,
    /// It can't be decoded though it was looked through.
    #[error("ggrs's encoding does not take it")]
    Encoding,
}

/// What a player's connection is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Connection {
    pub(super) gone: bool,
    pub(super) last_frame: i32,
}

/// What a packet says, as far as it matters to a guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Packet {
    Inputs {
        /// Of each player; none in a packet that says goodbye.
        connections: Vec<Connection>,
        start: i32,
        count: usize,
    },
    Ping(u128),
    Pong(u128),
    Checksum(i32),
    Other,
}

/// What packets of a match look like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) players: usize,
    /// Bytes of an input of one player.
    pub(super) width: usize,
}

/// Most inputs in a packet: ggrs keeps no more that are not acknowledged.
const MAX_INPUTS: usize = 129;

impl Form {
    /// Most bytes that the inputs of a packet unpack to: each has a length of two bytes.
    fn limit(&self) -> usize {
        MAX_INPUTS * (2 + self.players * self.width)
    }

    pub(super) fn read(&self, bytes: &[u8]) -> Result<Packet, PacketError> {
        let mut from = Reader::new(bytes);
        let _magic = from.u16().ok_or(PacketError::Truncated)?;
        let kind = from.u32().ok_or(PacketError::Truncated)?;
        let packet = match kind {
            0 | 1 => from.u32().map(|_| Packet::Other),
            2 => Some(self.read_inputs(&mut from)?),
            3 => from.i32().map(|_| Packet::Other),
            4 => from.u16().and_then(|_| u128_of(&mut from)).map(Packet::Ping),
            5 => u128_of(&mut from).map(Packet::Pong),
            6 => u128_of(&mut from).and_then(|_| from.i32()).map(Packet::Checksum),
            7 => Some(Packet::Other),
            _ => return Err(PacketError::Kind { kind }),
        };
        let packet = packet.ok_or(PacketError::Truncated)?;
        match from.rest().len() {
            0 => Ok(packet),
            bytes => Err(PacketError::Trailing { bytes }),
        }
    }

    fn read_inputs(&self, from: &mut Reader<'_>) -> Result<Packet, PacketError> {
        let found = u64_of(from).ok_or(PacketError::Truncated)?;
        let expected = self.players;
        if found != expected as u64 && found != 0 {
            return Err(PacketError::Players { found, expected });
        }
        let mut connections = Vec::with_capacity(found as usize);
        for _ in 0..found {
            let gone = bool_of(from)?;
            let last_frame = from.i32().ok_or(PacketError::Truncated)?;
            connections.push(Connection { gone, last_frame });
        }
        let goodbye = bool_of(from)?;
        // ggrs reads as many as there are players unless it is a goodbye.
        if connections.is_empty() && !goodbye {
            return Err(PacketError::Players { found, expected });
        }
        let start = from.i32().ok_or(PacketError::Truncated)?;
        let _acknowledged = from.i32().ok_or(PacketError::Truncated)?;
        let length = u64_of(from).ok_or(PacketError::Truncated)?;
        let length = usize::try_from(length).map_err(|_| PacketError::Truncated)?;
        let packed = from.take(length).ok_or(PacketError::Truncated)?;
        let limit = self.limit();
        let count = self.count(packed).ok_or(PacketError::Inputs { limit })?;
        Ok(Packet::Inputs { connections, start, count })
    }

    /// How many inputs packed bytes hold; `None` if they don't unpack.
    fn count(&self, packed: &[u8]) -> Option<usize> {
        let bytes = unpack(packed, self.limit())?;
        let mut from = Reader::new(&bytes);
        let mut count = 0;
        while !from.is_empty() {
            let length = usize::from(from.u16()?);
            let whole = self.width == 0 || length > 0 && length % self.width == 0;
            if !whole || length > self.players * self.width {
                return None;
            }
            from.take(length)?;
            count += 1;
        }
        Some(count)
    }
}

/// Undoes `bitfield-rle`: runs of 0 or 255 and stretches as they are, each behind a length of seven bits a byte. `None` if it
/// is cut off or would take more than `limit` bytes.
fn unpack(packed: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut from = Reader::new(packed);
    let mut bytes = Vec::new();
    while !from.is_empty() {
        let mut head = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = from.u8()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return None;
            }
            head |= bits << shift;
            if byte & 0x80 == 0 {
                break;
            }
            if shift == 63 {
                return None;
            }
        }
        let is_run = head & 1 == 1;
        let length = usize::try_from(if is_run { head >> 2 } else { head >> 1 }).ok()?;
        if length > limit - bytes.len() {
            return None;
        }
        if is_run {
            let fill = if head & 2 == 2 { 255 } else { 0 };
            bytes.resize(bytes.len() + length, fill);
        } else {
            bytes.extend_from_slice(from.take(length)?);
        }
    }
    Some(bytes)
}

fn u64_of(from: &mut Reader<'_>) -> Option<u64> {
    from.array().map(u64::from_le_bytes)
}

fn u128_of(from: &mut Reader<'_>) -> Option<u128> {
    from.array().map(u128::from_le_bytes)
}

fn bool_of(from: &mut Reader<'_>) -> Result<bool, PacketError> {
    match from.u8().ok_or(PacketError::Truncated)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(PacketError::Bool(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_stretches_unpack() {
        // Three times 0, twice 255, then two bytes as they are.
        assert_eq!(unpack(&[13, 11, 4, 7, 8], 10), Some(vec![0, 0, 0, 255, 255, 7, 8]));
    }

    #[test]
    fn what_is_cut_off_or_too_long_is_refused() {
        let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        let longer_than_64_bits = [0x80; 12];
        for packed in [&[0x80][..], &[4, 7], &huge, &longer_than_64_bits, &[13, 13, 13, 13]] {
            assert_eq!(unpack(packed, 10), None, "{packed:?}");
        }
    }
}
