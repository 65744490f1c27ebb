//! Index of blocks. Written at the end of a file; rebuilt by a scan if it is missing or invalid.

use super::error::ReplayError;
use super::format::{
    CHECK, END_MAGIC, HEAD, Head, MAX_BLOCK_TICKS, TRAILER, kind, put_varint, take_varint, unseal,
};
use super::source::Source;
use crate::Tick;
use isostep_core::internals::{Reader, unzigzag, zigzag};

/// A block and its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) offset: u64,
    pub(super) head: Head,
}

impl Entry {
    /// Returns the first tick after it.
    pub(super) fn end(&self) -> Tick {
        self.head.tick + u32::from(self.head.span)
    }

    /// Returns the error for a damaged block.
    pub(super) const fn damaged(&self) -> ReplayError {
        ReplayError::Damaged { offset: self.offset, tick: self.head.tick }
    }
}

/// Blocks of a file, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    pub(super) keyframes: Vec<Entry>,
    pub(super) inputs: Vec<Entry>,
    pub(super) digests: Vec<Entry>,
    /// Roster, pause and repair records.
    pub(super) records: Vec<Entry>,
    /// End of the last block.
    pub(super) end: u64,
    /// The file was finished.
    pub(super) finished: bool,
}

/// Appends a block to an index that is being written.
pub(super) fn put_entry(head: Head, before: Tick, out: &mut Vec<u8>) {
    out.push(head.kind);
    put_varint(u64::from(head.length), out);
    let step = i64::from(head.tick.0) - i64::from(before.0);
    put_varint(zigzag(step), out);
    put_varint(u64::from(head.span), out);
}

fn take_entry(before: Tick, from: &mut Reader<'_>) -> Option<Head> {
    let kind = from.u8()?;
    let length = u32::try_from(take_varint(from)?).ok()?;
    let step = unzigzag(take_varint(from)?);
    let tick = Tick(u32::try_from(i64::from(before.0).checked_add(step)?).ok()?);
    Some(Head { kind, length, tick, span: u16::try_from(take_varint(from)?).ok()? })
}

impl Index {
    /// Adds a block; `None` if it can't follow the earlier ones.
    fn add(&mut self, offset: u64, head: Head) -> Option<()> {
        let entry = Entry { offset, head };
        match head.kind {
            kind::KEYFRAME => {
                let before = self.keyframes.last();
                if before.is_some_and(|before| before.head.tick >= head.tick) {
                    return None;
                }
                self.keyframes.push(entry);
            }
            kind::INPUTS => {
                let from = self.inputs.last().map_or(Tick(0), Entry::end);
                let valid = (1..=MAX_BLOCK_TICKS).contains(&u32::from(head.span));
                let fits = head.tick.0.checked_add(u32::from(head.span)).is_some();
                if !valid || !fits || head.tick < from || self.keyframes.is_empty() {
                    return None;
                }
                self.inputs.push(entry);
            }
            kind::DIGESTS => {
                let from = self.digests.last().map_or(Tick(0), Entry::end);
                if head.tick < from {
                    return None;
                }
                self.digests.push(entry);
            }
            kind::ROSTER | kind::PAUSE | kind::REPAIR => self.records.push(entry),
            // Reserved for later versions.
            _ => (),
        }
        self.end = offset + head.total();
        Some(())
    }

    /// Returns the index of a file whose blocks begin at `start`: the written one, or one built by a scan.
    pub(super) fn of<R: Source>(source: &mut R, start: u64) -> Result<Self, ReplayError> {
        match Self::written(source, start)? {
            Some(index) => Ok(index),
            None => Self::scan(source, start),
        }
    }

    /// Returns the written index; `None` if it is missing or invalid.
    fn written<R: Source>(source: &mut R, start: u64) -> Result<Option<Self>, ReplayError> {
        let length = source.length()?;
        let Some(end) = length.checked_sub(TRAILER as u64) else { return Ok(None) };
        let mut trailer = [0; TRAILER];
        source.read_at(end, &mut trailer)?;
        let [a, b, c, d, magic @ ..] = trailer;
        let size = u32::from_le_bytes([a, b, c, d]);
        let at = end.checked_sub(u64::from(size)).filter(|&at| at >= start);
        let Some(at) = at.filter(|_| magic == END_MAGIC) else { return Ok(None) };
        let mut bytes = vec![0; size as usize];
        source.read_at(at, &mut bytes)?;
        Ok(Self::read(&bytes, start, at))
    }

    fn read(block: &[u8], start: u64, at: u64) -> Option<Self> {
        let (head, payload) = unseal(block)?.split_first_chunk::<HEAD>()?;
        let head = Head::read(head);
        if head.kind != kind::END || head.length as usize != payload.len() {
            return None;
        }
        let mut index = Self { end: start, ..Self::default() };
        let mut from = Reader::new(payload);
        let mut before = Tick(0);
        while !from.is_empty() {
            let head = take_entry(before, &mut from)?;
            index.add(index.end, head)?;
            before = head.tick;
        }
        index.finished = true;
        (index.end == at).then_some(index)
    }

    /// Scans blocks as far as they are intact.
    fn scan<R: Source>(source: &mut R, start: u64) -> Result<Self, ReplayError> {
        let length = source.length()?;
        let mut index = Self { end: start, ..Self::default() };
        let mut bytes = Vec::new();
        while let Some(head) = take_block(source, index.end, length, &mut bytes)? {
            if head.kind == kind::END || index.add(index.end, head).is_none() {
                break;
            }
        }
        Ok(index)
    }
}

/// Reads the block at an offset into `bytes`; `None` if it is not complete.
pub(super) fn take_block<R: Source>(
    source: &mut R,
    offset: u64,
    length: u64,
    bytes: &mut Vec<u8>,
) -> Result<Option<Head>, ReplayError> {
    let left = length.saturating_sub(offset);
    if left < (HEAD + CHECK) as u64 {
        return Ok(None);
    }
    let mut first = [0; HEAD];
    source.read_at(offset, &mut first)?;
    let head = Head::read(&first);
    if head.total() > left {
        return Ok(None);
    }
    // Bounded by the length of the file.
    bytes.resize(head.total() as usize, 0);
    source.read_at(offset, bytes)?;
    Ok(unseal(bytes).is_some().then_some(head))
}
