//! Encoding of one player's tick: the input, then the length and bytes of its command pieces.

use super::{Input, InputCodec};
use isostep_core::internals::Reader;

/// Appends a tick. The input was round-tripped when it was fed, so encoding can't fail.
pub(crate) fn put_tick<I: Input>(
    codec: &InputCodec<I>,
    value: I,
    payload: &[u8],
    out: &mut Vec<u8>,
) {
    let _ = codec.append(value, out);
    put_pieces(payload, out);
}

/// Writes a tick whose input is encoded already; `out` is replaced.
pub(crate) fn put_record(input: &[u8], payload: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(input);
    put_pieces(payload, out);
}

fn put_pieces(payload: &[u8], out: &mut Vec<u8>) {
    // A varint: budgets are below 2¹⁴.
    let length = payload.len() as u16;
    if length < 0x80 {
        out.push(length as u8);
    } else {
        out.extend_from_slice(&[0x80 | (length >> 7) as u8, (length & 0x7f) as u8]);
    }
    out.extend_from_slice(payload);
}

/// Reads the bytes of an input of this width, and the pieces after it.
pub(crate) fn take_tick<'a>(width: usize, from: &mut Reader<'a>) -> Option<(&'a [u8], &'a [u8])> {
    let value = from.take(width)?;
    let high = from.u8()?;
    let length = if high < 0x80 {
        usize::from(high)
    } else {
        usize::from(high & 0x7f) << 7 | usize::from(from.u8()? & 0x7f)
    };
    Some((value, from.take(length)?))
}
