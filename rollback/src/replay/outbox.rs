//! Queue of blocks to write, and the index of queued blocks. Both are bounded.

use super::format::{END_MAGIC, Head, block, kind};
use super::index::put_entry;
use crate::Tick;
use std::collections::VecDeque;

/// Maximum length of the index: thousands of hours. A longer file has no index, and readers scan it.
const MAX_INDEX: usize = 16 << 20;

#[derive(Debug)]
pub(super) struct Outbox {
    queue: VecDeque<Vec<u8>>,
    /// Queued bytes.
    queued: usize,
    limit: usize,
    index: Option<Vec<u8>>,
    /// Tick of the last block.
    tick: Tick,
}

impl Outbox {
    pub(super) const fn new(limit: usize) -> Self {
        Self { queue: VecDeque::new(), queued: 0, limit, index: Some(Vec::new()), tick: Tick(0) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Queues the header, before all blocks.
    pub(super) fn put_header(&mut self, header: Vec<u8>) {
        self.queued += header.len();
        self.queue.push_front(header);
    }

    /// Queues a block and returns its length; `None` if the queue is full. An empty queue takes a block of any length.
    pub(super) fn put(&mut self, kind: u8, tick: Tick, span: u16, payload: &[u8]) -> Option<usize> {
        let block = block(kind, tick, span, payload);
        let bytes = block.len();
        if !self.queue.is_empty() && self.queued + bytes > self.limit {
            return None;
        }
        if let Some(index) = &mut self.index {
            let head = Head { kind, length: payload.len() as u32, tick, span };
            put_entry(head, self.tick, index);
            self.tick = tick;
        }
        self.index = self.index.take().filter(|index| index.len() <= MAX_INDEX);
        self.queued += bytes;
        self.queue.push_back(block);
        Some(bytes)
    }

    /// Queues the index, even if the queue is full, and returns its length.
    pub(super) fn finish(&mut self, end: Tick) -> usize {
        let Some(index) = self.index.take() else { return 0 };
        let mut last = block(kind::END, end, 0, &index);
        let length = last.len() as u32;
        last.extend_from_slice(&length.to_le_bytes());
        last.extend_from_slice(&END_MAGIC);
        let bytes = last.len();
        self.queued += bytes;
        self.queue.push_back(last);
        bytes
    }

    pub(super) fn pop(&mut self) -> Option<Vec<u8>> {
        let bytes = self.queue.pop_front()?;
        self.queued -= bytes.len();
        Some(bytes)
    }
}
