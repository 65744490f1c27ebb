//! Parser of untrusted ggrs 0.13 packets: bincode with fixed-width numbers, inputs packed by `bitfield-rle`. It parses
//! and bounds; `guard` decides which packets are acceptable at this point of a match.

use isostep_core::internals::Reader;

/// Error of a refused packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PacketError {
    /// The packet is truncated.
    #[error("the packet is truncated within a field")]
    Truncated,
    /// The packet has trailing bytes.
    #[error("{bytes} trailing bytes after the packet")]
    Trailing {
        /// Number of trailing bytes.
        bytes: usize,
    },
    /// A kind unknown to ggrs 0.13.
    #[error("unknown packet kind {kind}")]
    Kind {
        /// The kind.
        kind: u32,
    },
    /// An invalid `bool`.
    #[error("invalid bool {0}")]
    Bool(u8),
    /// The number of connection states differs from the number of players.
    #[error("connection states of {found} players in a match of {expected}")]
    Players {
        /// Number of states.
        found: u64,
        /// Number of players.
        expected: usize,
    },
    /// Packed inputs are malformed, or unpack to more than a packet can hold.
    #[error("the packed inputs are malformed or exceed {limit} bytes")]
    Inputs {
        /// Maximum unpacked size, in bytes.
        limit: usize,
    },
    /// The frame is further ahead than a correct peer can be.
    #[error("frame {frame} is too far ahead: no peer can be past {limit}")]
    TooFarAhead {
        /// The frame.
        frame: i64,
        /// The last accepted frame.
        limit: i64,
    },
    /// The frame is too old.
    #[error("frame {frame} is too old: frames before {limit} are final")]
    TooFarBack {
        /// The frame.
        frame: i64,
        /// The first accepted frame.
        limit: i64,
    },
    /// A pong without a ping.
    #[error("a pong without a ping")]
    UnknownPing,
    /// A checksum, although desync detection is off.
    #[error("a checksum, but desync detection is off here; use the same setup on all machines")]
    NoChecksums,
    /// The packet passed validation but can't be decoded.
    #[error("ggrs can't decode the packet")]
    Encoding,
}

/// Connection state of a player, as reported by a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Connection {
    pub(super) gone: bool,
    pub(super) last_frame: i32,
}

/// Contents of a packet that matter to a guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Packet {
    Inputs {
        /// By player; empty in a disconnect request.
        connections: Vec<Connection>,
        start: i32,
        count: usize,
    },
    Ping(u128),
    Pong(u128),
    Checksum(i32),
    Other,
}

/// Parameters of the packets of a match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) players: usize,
    /// Bytes of one player's input.
    pub(super) width: usize,
}

/// Maximum number of inputs in a packet: ggrs keeps no more unacknowledged ones.
const MAX_INPUTS: usize = 129;

impl Form {
    /// Maximum unpacked size of the inputs of a packet: each has a length of two bytes.
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
        // ggrs reads one for each player unless it is a disconnect request.
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

    /// Returns the number of packed inputs; `None` if they are malformed.
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

/// Decodes `bitfield-rle`: runs of 0 or 255 and literal bytes, each behind a varint length. `None` if it is truncated
/// or exceeds `limit` bytes.
fn unpack(packed: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut from = Reader::new(packed);
    let mut bytes = Vec::new();
    while !from.is_empty() {
        let head = from.varint(64)?;
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
        // Three times 0, twice 255, then two literal bytes.
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
