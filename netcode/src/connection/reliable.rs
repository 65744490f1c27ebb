//! Reliable ordered channel: messages are split into segments, which are retransmitted until acknowledged (`WIRE.md`,
//! section 5).
//!
//! The congestion window is at most 32 segments. It is halved on loss, and grows by one segment per loss-free round trip.

use crate::wire::Frame;
use core::time::Duration;
use isostep_rollback::Time;
use std::collections::VecDeque;

/// Maximum length of a message.
pub const MAX_MESSAGE_BYTES: usize = 256 * 1024;
/// Maximum bytes in the send queue, and in the receive queue.
const MAX_QUEUED_BYTES: usize = 1024 * 1024;
/// Bytes that a queued message counts for beyond its length: about its memory overhead.
const MESSAGE_OVERHEAD: usize = 64;
/// Maximum length of a segment.
const SEGMENT_BYTES: usize = 1024;
/// Maximum congestion window, in segments.
const MAX_WINDOW: usize = 32;
/// Initial congestion window, in segments.
const INITIAL_WINDOW: u32 = 8;

/// Reasons why a message cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// The message is too long.
    #[error(
        "a message of {bytes} bytes is too long; split it into messages of at most {MAX_MESSAGE_BYTES} bytes"
    )]
    TooLong {
        /// Length of the message.
        bytes: usize,
    },
    /// The send queue is full.
    #[error("the send queue is full with {bytes} bytes; wait for acknowledgements or send less")]
    QueueFull {
        /// Bytes in the send queue.
        bytes: usize,
    },
    /// No connection to the machine exists.
    #[error("not connected to {machine}; wait for the Connected event")]
    NotConnected {
        /// Machine id.
        machine: crate::crypto::MachineId,
    },
}

/// Segment that is not acknowledged.
#[derive(Debug)]
struct Segment {
    bytes: Vec<u8>,
    last: bool,
    /// Time of the last transmission.
    sent: Option<Time>,
    acked: bool,
}

/// Both directions of the channel.
#[derive(Debug)]
pub(super) struct ReliableChannel {
    /// Segments from the first unacknowledged one on, which has number `first`.
    outgoing: VecDeque<Segment>,
    first: u32,
    queued_bytes: usize,
    /// Congestion window, in segments.
    window: u32,
    /// Segments acknowledged since the window last grew.
    acked_since_growth: u32,
    /// Time of the last reduction of the window.
    last_backoff: Option<Time>,
    /// Next expected segment, and segments received out of order.
    next: u32,
    received: [Option<(Vec<u8>, bool)>; MAX_WINDOW],
    partial: Vec<u8>,
    complete: VecDeque<Vec<u8>>,
    complete_bytes: usize,
    /// Set if an acknowledgement is to be sent.
    ack_pending: bool,
}

impl Default for ReliableChannel {
    fn default() -> Self {
        Self {
            outgoing: VecDeque::new(),
            first: 0,
            queued_bytes: 0,
            window: INITIAL_WINDOW,
            acked_since_growth: 0,
            last_backoff: None,
            next: 0,
            received: [const { None }; MAX_WINDOW],
            partial: Vec::new(),
            complete: VecDeque::new(),
            complete_bytes: 0,
            ack_pending: false,
        }
    }
}

impl ReliableChannel {
    /// Returns true if all segments are acknowledged.
    pub(super) fn is_delivered(&self) -> bool {
        self.outgoing.is_empty()
    }

    /// Queues a message; its first byte on the wire is `destination`.
    pub(super) fn push(&mut self, destination: u8, message: &[u8]) -> Result<(), MessageError> {
        let bytes = message.len() + 1;
        if bytes > MAX_MESSAGE_BYTES {
            return Err(MessageError::TooLong { bytes: message.len() });
        }
        if self.queued_bytes + bytes > MAX_QUEUED_BYTES {
            return Err(MessageError::QueueFull { bytes: self.queued_bytes });
        }
        self.queued_bytes += bytes;
        let mut rest = message;
        let mut segment = vec![destination];
        loop {
            let (now, after) = rest.split_at(rest.len().min(SEGMENT_BYTES - segment.len()));
            segment.extend_from_slice(now);
            rest = after;
            let (bytes, last) = (core::mem::take(&mut segment), rest.is_empty());
            self.outgoing.push_back(Segment { bytes, last, sent: None, acked: false });
            if last {
                return Ok(());
            }
        }
    }

    /// Returns the next complete message.
    pub(super) fn pop(&mut self) -> Option<Vec<u8>> {
        let message = self.complete.pop_front()?;
        self.complete_bytes -= message.len() + MESSAGE_OVERHEAD;
        Some(message)
    }

    /// Index of the first segment that is unsent, or whose retransmission timer has expired.
    fn due_segment(&self, now: Time, timeout: Duration) -> Option<usize> {
        let within = self.outgoing.iter().take(self.window as usize);
        within.enumerate().find_map(|(index, segment)| {
            let due = !segment.acked && segment.sent.is_none_or(|sent| sent + timeout <= now);
            due.then_some(index)
        })
    }

    /// Time of the next transmission or retransmission.
    pub(super) fn next_timeout(&self, timeout: Duration) -> Option<Time> {
        let within = self.outgoing.iter().take(self.window as usize);
        let open = within.filter(|segment| !segment.acked);
        open.map(|segment| segment.sent.map_or(Time::ZERO, |sent| sent + timeout)).min()
    }

    /// Writes the next due segment, if it fits into `room`.
    pub(super) fn write(&mut self, now: Time, timeout: Duration, room: usize, out: &mut Vec<u8>) {
        let Some(index) = self.due_segment(now, timeout) else { return };
        let number = self.first.wrapping_add(index as u32);
        let segment = &mut self.outgoing[index];
        if segment.bytes.len() + 7 > room {
            return;
        }
        let again = segment.sent.replace(now).is_some();
        Frame::Message { number, last: segment.last, bytes: &segment.bytes }.write(out);
        if again && self.last_backoff.is_none_or(|at| at + timeout <= now) {
            self.last_backoff = Some(now);
            self.window = (self.window / 2).max(2);
            self.acked_since_growth = 0;
        }
    }

    pub(super) const fn ack_pending(&self) -> bool {
        self.ack_pending
    }

    /// Writes an acknowledgement, if one is pending.
    pub(super) fn write_ack(&mut self, out: &mut Vec<u8>) {
        if !core::mem::take(&mut self.ack_pending) {
            return;
        }
        let arrived =
            |bit: usize| self.received[(self.next as usize + 1 + bit) % MAX_WINDOW].is_some();
        // One bit fewer than the window: segment `next` itself is never set.
        let ack_bits =
            (0..MAX_WINDOW - 1).filter(|&bit| arrived(bit)).fold(0, |bits, bit| bits | 1 << bit);
        Frame::MessageAck { next: self.next, ack_bits }.write(out);
    }

    /// Handles an acknowledgement.
    pub(super) fn on_ack(&mut self, next: u32, ack_bits: u32) {
        let count = next.wrapping_sub(self.first) as usize;
        // Ignores acknowledgements of unsent segments, and outdated ones.
        if count > self.outgoing.iter().take_while(|segment| segment.sent.is_some()).count() {
            return;
        }
        for segment in self.outgoing.drain(..count) {
            self.queued_bytes -= segment.bytes.len();
        }
        self.first = next;
        let bits = (0..32).filter(|bit| ack_bits >> bit & 1 == 1);
        for index in bits.map(|bit| bit + 1) {
            if let Some(segment) =
                self.outgoing.get_mut(index).filter(|segment| segment.sent.is_some())
            {
                segment.acked = true;
            }
        }
        self.acked_since_growth += count as u32;
        if self.acked_since_growth >= self.window {
            self.acked_since_growth = 0;
            self.window = (self.window + 1).min(MAX_WINDOW as u32);
        }
    }

    /// Handles a segment; returns false on a protocol violation, such as a message that is too long.
    pub(super) fn on_segment(&mut self, number: u32, last: bool, bytes: &[u8]) -> bool {
        let ahead = number.wrapping_sub(self.next) as usize;
        let known = ahead >= MAX_WINDOW;
        self.ack_pending = true;
        if known || bytes.len() > SEGMENT_BYTES {
            return bytes.len() <= SEGMENT_BYTES;
        }
        // Backpressure: segments are not acknowledged while the receive queue is full, so the peer retransmits them.
        if self.complete_bytes + self.partial.len() > MAX_QUEUED_BYTES {
            self.ack_pending = false;
            return true;
        }
        self.received[number as usize % MAX_WINDOW].get_or_insert_with(|| (bytes.to_vec(), last));
        while let Some((bytes, last)) = self.received[self.next as usize % MAX_WINDOW].take() {
            self.next = self.next.wrapping_add(1);
            self.partial.extend_from_slice(&bytes);
            if self.partial.len() > MAX_MESSAGE_BYTES {
                return false;
            }
            if last {
                let message = core::mem::take(&mut self.partial);
                // A message without a destination byte is ignored.
                if !message.is_empty() {
                    self.complete_bytes += message.len() + MESSAGE_OVERHEAD;
                    self.complete.push_back(message);
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests;
