//! Variable-length integers of at most 32 bits.

use crate::bytes::{Reader, put_varint};

pub(super) fn put(value: u32, out: &mut Vec<u8>) {
    put_varint(u64::from(value), out);
}

/// Reads an integer from the front; `None` if it is missing or does not fit.
pub(super) fn take(bytes: &mut &[u8]) -> Option<u32> {
    let mut reader = Reader::new(bytes);
    let value = reader.varint(32)?;
    *bytes = reader.rest();
    Some(value as u32)
}
