//! Bounded queues of packets to send and frames to poll. Buffers are reused.

use crate::address::Address;
use crate::crypto::MachineId;
use std::collections::VecDeque;

/// Maximum number of entries; further ones are dropped.
const CAPACITY: usize = 1024;

/// Bounded queue of byte strings with buffer reuse.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    entries: VecDeque<(T, Vec<u8>)>,
    spare: Vec<Vec<u8>>,
    dropped: u64,
}

/// Packets to send.
pub(crate) type SendQueue = Queue<Address>;
/// Received frames to poll.
pub(crate) type ReceiveQueue = Queue<MachineId>;

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { entries: VecDeque::new(), spare: Vec::new(), dropped: 0 }
    }
}

impl<T> Queue<T> {
    /// Returns an empty buffer.
    pub(crate) fn buffer(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    pub(crate) fn push(&mut self, with: T, bytes: Vec<u8>) {
        if self.entries.len() < CAPACITY {
            self.entries.push_back((with, bytes));
        } else {
            self.dropped += 1;
            self.recycle(bytes);
        }
    }

    pub(crate) fn push_copy(&mut self, with: T, bytes: &[u8]) {
        let mut copy = self.buffer();
        copy.extend_from_slice(bytes);
        self.push(with, copy);
    }

    /// Pops the oldest entry; `into` is replaced by its bytes.
    pub(crate) fn pop(&mut self, into: &mut Vec<u8>) -> Option<T> {
        let (with, bytes) = self.entries.pop_front()?;
        let before = core::mem::replace(into, bytes);
        self.recycle(before);
        Some(with)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns true if at least half of the capacity is used.
    pub(crate) fn is_half_full(&self) -> bool {
        self.entries.len() >= CAPACITY / 2
    }

    /// Number of dropped entries.
    pub(crate) const fn dropped(&self) -> u64 {
        self.dropped
    }

    fn recycle(&mut self, mut bytes: Vec<u8>) {
        if self.spare.len() < CAPACITY {
            bytes.clear();
            self.spare.push(bytes);
        }
    }
}
