//! One reliable, ordered channel: messages in pieces, each repeated until it is acknowledged (`WIRE.md`, section 5).
//!
//! At most 32 pieces are on their way; fewer after losses, one more for each round trip without.

use crate::wire::Frame;
use core::time::Duration;
use isostep_rollback::Time;
use std::collections::VecDeque;

/// Most bytes of a message.
pub const MAX_MESSAGE_BYTES: usize = 256 * 1024;
/// Most bytes that wait to be sent, and most that wait to be polled.
const MAX_QUEUED_BYTES: usize = 1024 * 1024;
/// What a message that waits to be polled counts for beside its bytes: about the memory that an empty one takes.
const MESSAGE_OVERHEAD: usize = 64;
/// Bytes of a piece.
const SEGMENT_BYTES: usize = 1024;
/// Most pieces on their way.
const MAX_WINDOW: usize = 32;
/// How many are at first.
const INITIAL_WINDOW: u32 = 8;

/// Why a message was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// It is too long.
    #[error("a message of {bytes} bytes; at most {MAX_MESSAGE_BYTES} travel as one: cut it")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Too much waits already.
    #[error("{bytes} bytes wait to be sent already; send less, or wait until some have gone")]
    QueueFull {
        /// How many.
        bytes: usize,
    },
    /// There is no connection.
    #[error("there is no connection to {machine}")]
    NotConnected {
        /// To whom.
        machine: crate::crypto::MachineId,
    },
}

/// A piece that is not acknowledged.
#[derive(Debug)]
struct Segment {
    bytes: Vec<u8>,
    last: bool,
    /// When it was sent last.
    sent: Option<Time>,
    acked: bool,
}

/// Both directions of the channel.
#[derive(Debug)]
pub(super) struct ReliableChannel {
    /// Pieces from the first one that is not acknowledged on, which has number `first`.
    outgoing: VecDeque<Segment>,
    first: u32,
    queued_bytes: usize,
    /// How many may be on their way.
    window: u32,
    /// Pieces that arrived since that was raised.
    acked_since_growth: u32,
    /// When a loss was last answered by sending less.
    last_backoff: Option<Time>,
    /// The first piece that has not arrived, and those that came after it.
    next: u32,
    received: [Option<(Vec<u8>, bool)>; MAX_WINDOW],
    partial: Vec<u8>,
    complete: VecDeque<Vec<u8>>,
    complete_bytes: usize,
    /// Whether an acknowledgement has to go out.
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
    /// Takes a message that is to be sent: a byte that tells whose it is, and its bytes.
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

    /// The next message that arrived whole.
    pub(super) fn pop(&mut self) -> Option<Vec<u8>> {
        let message = self.complete.pop_front()?;
        self.complete_bytes -= message.len() + MESSAGE_OVERHEAD;
        Some(message)
    }

    /// The place of the first piece to send now: one that never went, or whose acknowledgement stays away.
    fn due_segment(&self, now: Time, timeout: Duration) -> Option<usize> {
        let within = self.outgoing.iter().take(self.window as usize);
        within.enumerate().find_map(|(index, segment)| {
            let due = !segment.acked && segment.sent.is_none_or(|sent| sent + timeout <= now);
            due.then_some(index)
        })
    }

    /// When a piece is due, if none is yet acknowledged.
    pub(super) fn next_timeout(&self, timeout: Duration) -> Option<Time> {
        let within = self.outgoing.iter().take(self.window as usize);
        let open = within.filter(|segment| !segment.acked);
        open.map(|segment| segment.sent.map_or(Time::ZERO, |sent| sent + timeout)).min()
    }

    /// Writes a piece that is due, if it fits.
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

    /// Writes what has arrived, if that was not said yet.
    pub(super) fn write_ack(&mut self, out: &mut Vec<u8>) {
        if !core::mem::take(&mut self.ack_pending) {
            return;
        }
        let arrived =
            |bit: usize| self.received[(self.next as usize + 1 + bit) % MAX_WINDOW].is_some();
        // One fewer than bits: the piece after those has no place here.
        let ack_bits =
            (0..MAX_WINDOW - 1).filter(|&bit| arrived(bit)).fold(0, |bits, bit| bits | 1 << bit);
        Frame::MessageAck { next: self.next, ack_bits }.write(out);
    }

    /// The other side says what has arrived there.
    pub(super) fn on_ack(&mut self, next: u32, ack_bits: u32) {
        let count = next.wrapping_sub(self.first) as usize;
        // Nobody has what was not sent, and an old word says nothing.
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

    /// A piece came. Whether the channel goes on: a message that is too long ends it.
    pub(super) fn on_segment(&mut self, number: u32, last: bool, bytes: &[u8]) -> bool {
        let ahead = number.wrapping_sub(self.next) as usize;
        let known = ahead >= MAX_WINDOW;
        self.ack_pending = true;
        if known || bytes.len() > SEGMENT_BYTES {
            return bytes.len() <= SEGMENT_BYTES;
        }
        // Whoever does not poll gets no more: what is not acknowledged comes again.
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
                // One without the byte that tells whose it is is nobody's.
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
