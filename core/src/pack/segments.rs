//! Segments: the structure that the caller gives to bytes. A segment has an id and consists of
//! rows, which may have keys.

use super::error::PackError;
use super::varint;
use core::ops::Range;
use std::collections::BTreeSet;

/// A part of an image. It is compared with the baseline's segment of the same id, at any position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    id: u32,
    length: u32,
    row: u32,
    key: u32,
}

impl Segment {
    /// A segment of bytes without structure.
    ///
    /// If its length changed, the bytes before the first difference are compared from the front,
    /// the rest from the end.
    pub const fn bytes(id: u32, length: u32) -> Self {
        Self { id, length, row: 1, key: 0 }
    }

    /// A segment of `length` bytes in rows of `row` bytes, compared by position: like plain bytes,
    /// in whole rows.
    pub const fn rows(id: u32, length: u32, row: u32) -> Self {
        Self { id, length, row, key: 0 }
    }

    /// Compares rows with the same first `key` bytes, if they have the same order on both sides.
    #[must_use]
    pub const fn keyed(mut self, key: u32) -> Self {
        self.key = key;
        self
    }

    /// Its id.
    pub const fn id(self) -> u32 {
        self.id
    }

    /// Its length in bytes.
    pub const fn length(self) -> u32 {
        self.length
    }

    pub(super) const fn row(self) -> usize {
        self.row as usize
    }

    pub(super) const fn key(self) -> usize {
        self.key as usize
    }

    fn is_sound(self) -> bool {
        self.row > 0 && self.length.is_multiple_of(self.row) && self.key <= self.row
    }
}

/// The segments of an image, in the order of its bytes. Each id occurs once.
///
/// Adjacent segments with the same row length share their models, so place pages of one kind side
/// by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segments(Vec<Segment>);

impl FromIterator<Segment> for Segments {
    fn from_iter<I: IntoIterator<Item = Segment>>(segments: I) -> Self {
        Self(segments.into_iter().collect())
    }
}

impl Segments {
    /// One segment of bytes without structure.
    pub fn whole(bytes: &[u8]) -> Self {
        Self(vec![Segment::bytes(0, u32::try_from(bytes.len()).unwrap_or(u32::MAX))])
    }

    /// Appends a segment.
    pub fn push(&mut self, segment: Segment) {
        self.0.push(segment);
    }

    /// Removes all segments and keeps the memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The segments in order.
    pub fn iter(&self) -> impl Iterator<Item = Segment> + '_ {
        self.0.iter().copied()
    }

    /// The number of segments.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if there are no segments.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each segment with its byte range.
    pub(super) fn places(&self) -> impl Iterator<Item = (Segment, Range<usize>)> + '_ {
        let mut start = 0;
        self.iter().map(move |segment| {
            let range = start..start + segment.length as usize;
            start = range.end;
            (segment, range)
        })
    }

    pub(super) fn check(&self, length: usize) -> Result<(), PackError> {
        let length = length as u64;
        if length > u64::from(u32::MAX) {
            return Err(PackError::TooLong { length });
        }
        if let Some(segment) = self.iter().find(|segment| !segment.is_sound()) {
            return Err(PackError::Rows { id: segment.id });
        }
        let covered: u64 = self.iter().map(|segment| u64::from(segment.length)).sum();
        if covered != length {
            return Err(PackError::Cover { covered, length });
        }
        let mut ids = BTreeSet::new();
        match self.iter().find(|segment| !ids.insert(segment.id)) {
            Some(Segment { id, .. }) => Err(PackError::IdTwice { id }),
            None => Ok(()),
        }
    }

    /// Groups of adjacent segments with the same row length.
    pub(super) fn groups(&self) -> impl Iterator<Item = Group> + '_ {
        self.0.chunk_by(|a, b| a.row == b.row).map(|run| {
            let row = run[0].row();
            let bytes: usize = run.iter().map(|segment| segment.length as usize).sum();
            Group { row, rows: bytes / row }
        })
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        varint::put(self.0.len() as u32, out);
        for Segment { id, length, row, key } in &self.0 {
            [*id, *length, *row, *key].into_iter().for_each(|number| varint::put(number, out));
        }
    }

    /// Decodes a segment table. Allocates no more than the length of the bytes.
    pub(super) fn decode(bytes: &mut &[u8]) -> Option<Self> {
        let count = varint::take(bytes)? as usize;
        if count > bytes.len() / 4 {
            return None;
        }
        let mut segments = Vec::with_capacity(count);
        for _ in 0..count {
            let mut number = || varint::take(bytes);
            let segment =
                Segment { id: number()?, length: number()?, row: number()?, key: number()? };
            segments.push(segment);
        }
        Some(Self(segments))
    }
}

/// Rows of one length that are coded together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) row: usize,
    pub(super) rows: usize,
}

/// Approximate block size: small enough to choose a codec per block, large enough that the digest
/// adds little.
const BLOCK_BYTES: usize = 32 << 10;

impl Group {
    pub(super) const fn bytes(self) -> usize {
        self.row * self.rows
    }

    /// The blocks, as ranges of the planes; whole columns if they fit.
    pub(super) fn blocks(self) -> impl Iterator<Item = Range<usize>> {
        let columns = BLOCK_BYTES.checked_div(self.rows).unwrap_or(0);
        let step = if columns == 0 { BLOCK_BYTES } else { columns * self.rows };
        let total = self.bytes();
        (0..total).step_by(step).map(move |start| start..total.min(start + step))
    }
}
