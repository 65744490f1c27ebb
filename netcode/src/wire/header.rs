//! Header of data packets: key phase, view, connection id and truncated packet number (`WIRE.md`, section 4).

/// Exclusive upper bound of packet numbers: the nonce holds the view above them.
pub(crate) const PACKET_NUMBER_LIMIT: u64 = 1 << 48;

const LONG: u8 = 0x40;
const PHASE: u8 = 0x20;
const VIEW: u8 = 0x1f;
/// Largest distance from the largest acknowledged packet number for which 8 bits are sent.
const MAX_SHORT_DISTANCE: u64 = 100;

/// Connection id of 1 to 4 bytes, chosen by the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConnectionId {
    length: u8,
    bytes: [u8; 4],
}

impl ConnectionId {
    pub(crate) const fn of_byte(byte: u8) -> Self {
        Self { length: 1, bytes: [byte, 0, 0, 0] }
    }

    /// Decodes length and padded id; `None` if the length is invalid or the padding is not zero.
    pub(crate) fn from_bytes([length, bytes @ ..]: [u8; 5]) -> Option<Self> {
        let unused = bytes.get(usize::from(length)..)?;
        let whole = (1..=4).contains(&length) && unused.iter().all(|&byte| byte == 0);
        whole.then_some(Self { length, bytes })
    }

    pub(crate) const fn to_bytes(self) -> [u8; 5] {
        let [a, b, c, d] = self.bytes;
        [self.length, a, b, c, d]
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// Header of a received data packet. This implementation chooses ids of one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) id: u8,
    pub(crate) phase: bool,
    /// Low five bits of the view.
    pub(crate) view: u8,
    /// Truncated packet number, and its length in bits.
    pub(crate) truncated: u16,
    pub(crate) truncated_bits: u32,
}

impl Header {
    /// Splits a packet into header and sealed payload.
    pub(crate) fn read(packet: &[u8]) -> Option<(Self, &[u8])> {
        let (&[flags, id, low], rest) = packet.split_first_chunk()?;
        let (truncated, truncated_bits, sealed) = if flags & LONG == 0 {
            (u16::from(low), 8, rest)
        } else {
            let (&high, rest) = rest.split_first()?;
            (u16::from_le_bytes([low, high]), 16, rest)
        };
        let data = flags < 0x80 && sealed.len() > super::TAG_BYTES;
        let header =
            Self { id, phase: flags & PHASE != 0, view: flags & VIEW, truncated, truncated_bits };
        data.then_some((header, sealed))
    }

    /// Length of the header in bytes.
    pub(crate) fn length(id: ConnectionId, number: u64, largest_acked: Option<u64>) -> usize {
        2 + usize::from(id.length) + usize::from(is_long(number, largest_acked))
    }

    /// Writes the header. `largest_acked` is the largest packet number that the receiver is known to have.
    pub(crate) fn write(
        id: ConnectionId,
        phase: bool,
        view: u16,
        number: u64,
        largest_acked: Option<u64>,
        out: &mut Vec<u8>,
    ) {
        let long = is_long(number, largest_acked);
        let flags = if long { LONG } else { 0 } | if phase { PHASE } else { 0 };
        out.push(flags | (view as u8 & VIEW));
        out.extend_from_slice(id.as_slice());
        out.push(number as u8);
        if long {
            out.push((number >> 8) as u8);
        }
    }
}

/// Returns true if 8 bits do not suffice.
fn is_long(number: u64, largest_acked: Option<u64>) -> bool {
    number.saturating_sub(largest_acked.unwrap_or(0)) > MAX_SHORT_DISTANCE
}

/// Decodes a truncated packet number: the candidate closest to `expected`, of two the lower (as RFC 9000, A.3).
pub(crate) fn decode_packet_number(expected: u64, truncated: u16, bits: u32) -> u64 {
    let span = 1 << bits;
    let near = (expected & !(span - 1)) | u64::from(truncated);
    // The candidates one span lower and higher.
    let candidates = [near.checked_sub(span), Some(near), near.checked_add(span)];
    let closest = candidates.into_iter().flatten().min_by_key(|&number| number.abs_diff(expected));
    closest.unwrap_or(near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn truncated_packet_numbers_are_decoded(
            largest_acked in 0u64..PACKET_NUMBER_LIMIT - 70_000, ahead in 0u64..30_000, more in 0u64..100,
        ) {
            let number = largest_acked + ahead;
            // The receiver has this packet, and possibly later ones.
            let greatest = (largest_acked + more).min(number.max(largest_acked));
            let mut packet = Vec::new();
            Header::write(ConnectionId::of_byte(7), true, 3, number, Some(largest_acked), &mut packet);
            packet.extend_from_slice(&[0; 17]);
            let (header, sealed) = Header::read(&packet).expect("a header");
            prop_assert_eq!((header.id, header.phase, header.view), (7, true, 3));
            prop_assert_eq!(sealed.len(), 17);
            prop_assert_eq!(decode_packet_number(greatest + 1, header.truncated, header.truncated_bits), number);
        }

        #[test]
        fn any_bytes_are_decoded_or_rejected(packet in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Some((header, sealed)) = Header::read(&packet) {
                prop_assert!(sealed.len() > 16);
                prop_assert!(decode_packet_number(u64::MAX / 2, header.truncated, header.truncated_bits) > 0);
            }
        }
    }

    #[test]
    fn a_tie_decodes_to_the_lower_packet_number() {
        assert_eq!(decode_packet_number(256 + 128, 0, 8), 256);
        assert_eq!(decode_packet_number(0, 255, 8), 255);
        assert_eq!(decode_packet_number(256 + 129, 0, 8), 512);
    }

    #[test]
    fn a_connection_id_has_one_to_four_bytes_and_zero_padding() {
        assert!(ConnectionId::from_bytes([0, 0, 0, 0, 0]).is_none());
        assert!(ConnectionId::from_bytes([5, 1, 1, 1, 1]).is_none());
        assert!(ConnectionId::from_bytes([2, 1, 1, 1, 0]).is_none());
        let id = ConnectionId::from_bytes([2, 1, 9, 0, 0]).expect("whole");
        assert_eq!((id.as_slice(), id.to_bytes()), (&[1, 9][..], [2, 1, 9, 0, 0]));
    }
}
