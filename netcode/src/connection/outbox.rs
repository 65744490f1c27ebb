//! Packets that wait for the transport, and frames that wait for whoever polls; buffers are used again.

use crate::address::Address;
use crate::crypto::MachineId;
use std::collections::VecDeque;

/// Most packets that wait. Whoever does not send them loses the newest.
const MOST: usize = 1024;

/// A queue of byte strings whose buffers are used again.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    waiting: VecDeque<(T, Vec<u8>)>,
    spare: Vec<Vec<u8>>,
    lost: u64,
}

/// Packets to send.
pub(crate) type Outbox = Queue<Address>;
/// Frames that arrived.
pub(crate) type Inbox = Queue<MachineId>;

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), spare: Vec::new(), lost: 0 }
    }
}

impl<T> Queue<T> {
    /// An empty buffer.
    pub(crate) fn buffer(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    pub(crate) fn push(&mut self, with: T, bytes: Vec<u8>) {
        if self.waiting.len() < MOST {
            self.waiting.push_back((with, bytes));
        } else {
            self.lost += 1;
            self.recycle(bytes);
        }
    }

    pub(crate) fn push_copy(&mut self, with: T, bytes: &[u8]) {
        let mut copy = self.buffer();
        copy.extend_from_slice(bytes);
        self.push(with, copy);
    }

    /// The next one; `into` is replaced by its bytes.
    pub(crate) fn pop(&mut self, into: &mut Vec<u8>) -> Option<T> {
        let (with, bytes) = self.waiting.pop_front()?;
        let before = core::mem::replace(into, bytes);
        self.recycle(before);
        Some(with)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether half of the room is taken.
    pub(crate) fn is_crowded(&self) -> bool {
        self.waiting.len() >= MOST / 2
    }

    /// How many had no room.
    pub(crate) const fn lost(&self) -> u64 {
        self.lost
    }

    fn recycle(&mut self, mut bytes: Vec<u8>) {
        if self.spare.len() < MOST {
            bytes.clear();
            self.spare.push(bytes);
        }
    }
}
