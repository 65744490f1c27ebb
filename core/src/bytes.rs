//! Numbers in bytes: a reader of untrusted bytes, variable-length integers, and zigzag encoding. Every read returns `None` past
//! the end.

/// Unread bytes.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Reader of all these bytes.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// True if every byte has been read.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads that many bytes.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// Returns the bytes between this reader and a later copy of it.
    pub fn until(&self, later: &Reader<'a>) -> &'a [u8] {
        &self.0[..self.0.len() - later.0.len()]
    }

    /// Reads all remaining bytes.
    pub fn rest(&mut self) -> &'a [u8] {
        core::mem::take(&mut self.0)
    }

    /// Reads a fixed number of bytes.
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    /// Reads a byte.
    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    /// Reads a little-endian `u16`.
    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// Reads a little-endian `u32`.
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Reads a little-endian `i32`.
    pub fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_le_bytes)
    }

    /// Number of unread bytes.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Reads a varint of at most `bits` bits; see [`put_varint`]. Returns `None` if it is longer.
    pub fn varint(&mut self, bits: u32) -> Option<u64> {
        let mut value = 0;
        for shift in (0..bits).step_by(7) {
            let byte = self.u8()?;
            let part = u64::from(byte & 0x7f);
            if bits - shift < 7 && part >> (bits - shift) > 0 {
                return None;
            }
            value |= part << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

/// Appends a varint: seven bits a byte, low ones first; the high bit marks continuation.
pub fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Zigzag encoding: 0, -1, 1, -2, … become 0, 1, 2, 3, …
#[inline]
pub const fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

/// Inverse of [`zigzag`].
#[inline]
pub const fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_of_every_width_come_back() {
        for bits in [32, 63, 64] {
            let max = u64::MAX >> (64 - bits);
            for value in (0..bits).flat_map(|at| [1 << at, (1 << at) - 1, max >> at]) {
                let mut bytes = Vec::new();
                put_varint(value, &mut bytes);
                let mut reader = Reader::new(&bytes);
                assert_eq!((reader.varint(bits), reader.len()), (Some(value), 0), "{value}");
                assert_eq!(Reader::new(&bytes[..bytes.len() - 1]).varint(bits), None);
            }
        }
    }

    #[test]
    fn varints_beyond_their_width_are_refused() {
        for bits in [32, 63] {
            let mut bytes = Vec::new();
            put_varint(1 << bits, &mut bytes);
            assert_eq!(Reader::new(&bytes).varint(bits), None);
        }
        assert_eq!(Reader::new(&[0x80; 12]).varint(64), None);
        assert_eq!(Reader::new(&[0x80, 0x80, 0x80, 0x80, 0x80, 0]).varint(32), None, "six bytes");
    }

    #[test]
    fn zigzag_numbers_come_back() {
        assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
        for number in [0, 1, -1, i64::from(i32::MIN), i64::MAX, i64::MIN] {
            assert_eq!(unzigzag(zigzag(number)), number);
        }
    }
}
