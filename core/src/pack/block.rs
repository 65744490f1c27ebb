//! Blocks: a range of the byte planes, encoded with the codec that gives the fewest bytes, with a
//! digest of the stored bytes.

use super::error::UnpackError;
use super::segments::Group;
use super::{Effort, lz, model};
use crate::digest::{Digest, ShortDigest};
use core::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Codec {
    Zero = 0,
    Stored = 1,
    Lz = 2,
    Modelled = 3,
}

impl Codec {
    pub(super) const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Zero),
            1 => Some(Self::Stored),
            2 => Some(Self::Lz),
            3 => Some(Self::Modelled),
            _ => None,
        }
    }
}

/// Header entry of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) codec: Codec,
    pub(super) length: u32,
    pub(super) digest: ShortDigest,
}

/// Digest of a stored block. It includes the block number, so that two blocks cannot be swapped.
fn digest(number: usize, bytes: &[u8]) -> ShortDigest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(number as u32).to_le_bytes());
    hasher.update(bytes);
    Digest::from(hasher.finalize()).short()
}

/// Transposes rows to columns, the last column first. In little-endian numbers that is the high
/// byte, which predicts the next one best.
pub(super) fn transpose(rows: &[u8], group: Group, planes: &mut Vec<u8>) {
    planes.clear();
    if rows.is_empty() {
        return;
    }
    planes.reserve(rows.len());
    for column in (0..group.row).rev() {
        planes.extend(rows[column..].iter().step_by(group.row));
    }
}

/// Transposes columns back to rows.
pub(super) fn untranspose(planes: &[u8], group: Group, rows: &mut [u8]) {
    if group.rows == 0 {
        return;
    }
    for (column, plane) in (0..group.row).rev().zip(planes.chunks_exact(group.rows)) {
        let places = rows[column..].iter_mut().step_by(group.row);
        places.zip(plane).for_each(|(place, byte)| *place = *byte);
    }
}

/// Appends a block of the planes. Returns its header entry.
pub(super) fn write(
    planes: &[u8],
    range: Range<usize>,
    rows: usize,
    effort: Effort,
    number: usize,
    bodies: &mut Vec<u8>,
) -> Entry {
    let bytes = &planes[range.clone()];
    if bytes.iter().all(|byte| *byte == 0) {
        return Entry { codec: Codec::Zero, length: 0, digest: ShortDigest::default() };
    }
    let packed = lz::compress(bytes);
    let mut best = (Codec::Stored, bytes);
    if packed.len() < best.1.len() {
        best = (Codec::Lz, &packed);
    }
    let modelled =
        if effort == Effort::Small { model::encode(planes, range, rows) } else { Vec::new() };
    if !modelled.is_empty() && modelled.len() < best.1.len() {
        best = (Codec::Modelled, &modelled);
    }
    bodies.extend_from_slice(best.1);
    Entry { codec: best.0, length: best.1.len() as u32, digest: digest(number, best.1) }
}

/// Reads blocks in order.
pub(super) struct Reader<'a> {
    table: &'a [Entry],
    bodies: &'a [u8],
    number: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(table: &'a [Entry], bodies: &'a [u8]) -> Self {
        Self { table, bodies, number: 0 }
    }

    /// Fills the next block's range of the planes, which must be zero from there on.
    pub(super) fn read(
        &mut self,
        planes: &mut [u8],
        range: Range<usize>,
        rows: usize,
    ) -> Result<(), UnpackError> {
        let entry = self.table.get(self.number).ok_or(UnpackError::Plan)?;
        let damaged = UnpackError::Block { block: self.number as u32 };
        let length = entry.length as usize;
        let Some((packed, rest)) = self.bodies.split_at_checked(length) else {
            let missing = (length - self.bodies.len()) as u64;
            return Err(UnpackError::Truncated { missing });
        };
        if entry.codec != Codec::Zero && digest(self.number, packed) != entry.digest {
            return Err(damaged);
        }
        match entry.codec {
            Codec::Zero => {}
            Codec::Stored if packed.len() == range.len() => planes[range].copy_from_slice(packed),
            Codec::Stored => return Err(damaged),
            Codec::Lz => lz::decompress(packed, &mut planes[range]).ok_or(damaged)?,
            Codec::Modelled => model::decode(packed, planes, range, rows).ok_or(damaged)?,
        }
        self.bodies = rest;
        self.number += 1;
        Ok(())
    }

    /// Checks that no bytes are left.
    pub(super) fn finish(self) -> Result<(), UnpackError> {
        if self.number != self.table.len() {
            return Err(UnpackError::Plan);
        }
        match self.bodies.len() as u64 {
            0 => Ok(()),
            extra => Err(UnpackError::Trailing { extra }),
        }
    }
}
