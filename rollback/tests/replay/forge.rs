//! Blocks that no recorder writes, under checks that are right; and a source that counts what is read.

use isostep_core::digest::Digest;
use isostep_rollback::replay::{ReplayError, Source};
use std::cell::Cell;
use std::rc::Rc;

pub(crate) const KEYFRAME: u8 = 1;
pub(crate) const INPUTS: u8 = 2;
pub(crate) const ROSTER: u8 = 3;
pub(crate) const DIGESTS: u8 = 4;
pub(crate) const REPAIR: u8 = 6;
pub(crate) const END: u8 = 7;

/// Makes the check of a block right.
pub(crate) fn seal(block: &mut [u8]) {
    let end = block.len() - 8;
    let check = Digest::of(&block[..end]).to_bytes();
    block[end..].copy_from_slice(&check[..8]);
}

pub(crate) fn block(kind: u8, tick: u32, span: u16, payload: &[u8]) -> Vec<u8> {
    let mut block = vec![kind];
    block.extend((payload.len() as u32).to_le_bytes());
    block.extend(tick.to_le_bytes());
    block.extend(span.to_le_bytes());
    block.extend(payload);
    block.extend([0; 8]);
    seal(&mut block);
    block
}

/// Returns true if a block has this kind and tick.
pub(crate) fn is(block: &[u8], kind: u8, tick: u32) -> bool {
    block[0] == kind && block[5..9] == tick.to_le_bytes()
}

/// Bytes, and how many of them were read.
pub(crate) struct Counted<'a> {
    bytes: &'a [u8],
    pub(crate) read: Rc<Cell<usize>>,
}

impl<'a> Counted<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, read: Rc::default() }
    }
}

impl Source for Counted<'_> {
    fn length(&mut self) -> Result<u64, ReplayError> {
        self.bytes.length()
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), ReplayError> {
        self.read.set(self.read.get() + into.len());
        self.bytes.read_at(offset, into)
    }
}
