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
const MAX_WAITING: usize = 1024 * 1024;
/// What a message that waits to be polled counts for beside its bytes: about the memory that an empty one takes.
const EACH_WAITING: usize = 64;
/// Bytes of a piece.
const PIECE: usize = 1024;
/// Most pieces on their way.
const AHEAD: usize = 32;
/// How many are at first.
const AHEAD_AT_FIRST: u32 = 8;

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
struct Outgoing {
    bytes: Vec<u8>,
    last: bool,
    /// When it was sent last.
    sent: Option<Time>,
    arrived: bool,
}

/// Both directions of the channel.
#[derive(Debug)]
pub(super) struct Messages {
    /// Pieces from the first one that is not acknowledged on, which has number `first`.
    outgoing: VecDeque<Outgoing>,
    first: u32,
    waiting: usize,
    /// How many may be on their way.
    ahead: u32,
    /// Pieces that arrived since that was raised.
    since_raised: u32,
    /// When a loss was last answered by sending less.
    cut: Option<Time>,
    /// The first piece that has not arrived, and those that came after it.
    next: u32,
    later: [Option<(Vec<u8>, bool)>; AHEAD],
    partial: Vec<u8>,
    finished: VecDeque<Vec<u8>>,
    finished_bytes: usize,
    /// Whether an acknowledgement has to go out.
    owes_ack: bool,
}

impl Default for Messages {
    fn default() -> Self {
        Self {
            outgoing: VecDeque::new(),
            first: 0,
            waiting: 0,
            ahead: AHEAD_AT_FIRST,
            since_raised: 0,
            cut: None,
            next: 0,
            later: [const { None }; AHEAD],
            partial: Vec::new(),
            finished: VecDeque::new(),
            finished_bytes: 0,
            owes_ack: false,
        }
    }
}

impl Messages {
    /// Takes a message that is to be sent: a byte that tells whose it is, and its bytes.
    pub(super) fn push(&mut self, whose: u8, message: &[u8]) -> Result<(), MessageError> {
        let bytes = message.len() + 1;
        if bytes > MAX_MESSAGE_BYTES {
            return Err(MessageError::TooLong { bytes: message.len() });
        }
        if self.waiting + bytes > MAX_WAITING {
            return Err(MessageError::QueueFull { bytes: self.waiting });
        }
        self.waiting += bytes;
        let mut rest = message;
        let mut piece = vec![whose];
        loop {
            let (now, after) = rest.split_at(rest.len().min(PIECE - piece.len()));
            piece.extend_from_slice(now);
            rest = after;
            let (bytes, last) = (core::mem::take(&mut piece), rest.is_empty());
            self.outgoing.push_back(Outgoing { bytes, last, sent: None, arrived: false });
            if last {
                return Ok(());
            }
        }
    }

    /// The next message that arrived whole.
    pub(super) fn pop(&mut self) -> Option<Vec<u8>> {
        let message = self.finished.pop_front()?;
        self.finished_bytes -= message.len() + EACH_WAITING;
        Some(message)
    }

    /// The place of the first piece to send now: one that never went, or whose acknowledgement stays away.
    fn due(&self, now: Time, timeout: Duration) -> Option<usize> {
        let within = self.outgoing.iter().take(self.ahead as usize);
        within.enumerate().find_map(|(place, piece)| {
            let due = !piece.arrived && piece.sent.is_none_or(|sent| sent + timeout <= now);
            due.then_some(place)
        })
    }

    /// When a piece is due, if none is yet acknowledged.
    pub(super) fn next_due(&self, timeout: Duration) -> Option<Time> {
        let within = self.outgoing.iter().take(self.ahead as usize);
        let open = within.filter(|piece| !piece.arrived);
        open.map(|piece| piece.sent.map_or(Time::ZERO, |sent| sent + timeout)).min()
    }

    /// Writes a piece that is due, if it fits.
    pub(super) fn write(&mut self, now: Time, timeout: Duration, room: usize, out: &mut Vec<u8>) {
        let Some(place) = self.due(now, timeout) else { return };
        let number = self.first.wrapping_add(place as u32);
        let piece = &mut self.outgoing[place];
        if piece.bytes.len() + 7 > room {
            return;
        }
        let again = piece.sent.replace(now).is_some();
        Frame::Message { number, last: piece.last, bytes: &piece.bytes }.write(out);
        if again && self.cut.is_none_or(|cut| cut + timeout <= now) {
            self.cut = Some(now);
            self.ahead = (self.ahead / 2).max(2);
            self.since_raised = 0;
        }
    }

    pub(super) const fn owes_ack(&self) -> bool {
        self.owes_ack
    }

    /// Writes what has arrived, if that was not said yet.
    pub(super) fn write_ack(&mut self, out: &mut Vec<u8>) {
        if !core::mem::take(&mut self.owes_ack) {
            return;
        }
        let arrived = |bit: usize| self.later[(self.next as usize + 1 + bit) % AHEAD].is_some();
        // One fewer than bits: the piece after those has no place here.
        let later = (0..AHEAD - 1).filter(|&bit| arrived(bit)).fold(0, |bits, bit| bits | 1 << bit);
        Frame::MessageAck { next: self.next, later }.write(out);
    }

    /// The other side says what has arrived there.
    pub(super) fn acknowledged(&mut self, next: u32, later: u32) {
        let count = next.wrapping_sub(self.first) as usize;
        // Nobody has what was not sent, and an old word says nothing.
        if count > self.outgoing.iter().take_while(|piece| piece.sent.is_some()).count() {
            return;
        }
        for piece in self.outgoing.drain(..count) {
            self.waiting -= piece.bytes.len();
        }
        self.first = next;
        let bits = (0..32).filter(|bit| later >> bit & 1 == 1);
        for place in bits.map(|bit| bit + 1) {
            if let Some(piece) = self.outgoing.get_mut(place).filter(|piece| piece.sent.is_some()) {
                piece.arrived = true;
            }
        }
        self.since_raised += count as u32;
        if self.since_raised >= self.ahead {
            self.since_raised = 0;
            self.ahead = (self.ahead + 1).min(AHEAD as u32);
        }
    }

    /// A piece came. Whether the channel goes on: a message that is too long ends it.
    pub(super) fn piece(&mut self, number: u32, last: bool, bytes: &[u8]) -> bool {
        let ahead = number.wrapping_sub(self.next) as usize;
        let known = ahead >= AHEAD;
        self.owes_ack = true;
        if known || bytes.len() > PIECE {
            return bytes.len() <= PIECE;
        }
        // Whoever does not poll gets no more: what is not acknowledged comes again.
        if self.finished_bytes + self.partial.len() > MAX_WAITING {
            self.owes_ack = false;
            return true;
        }
        self.later[number as usize % AHEAD].get_or_insert_with(|| (bytes.to_vec(), last));
        while let Some((bytes, last)) = self.later[self.next as usize % AHEAD].take() {
            self.next = self.next.wrapping_add(1);
            self.partial.extend_from_slice(&bytes);
            if self.partial.len() > MAX_MESSAGE_BYTES {
                return false;
            }
            if last {
                let message = core::mem::take(&mut self.partial);
                // One without the byte that tells whose it is is nobody's.
                if !message.is_empty() {
                    self.finished_bytes += message.len() + EACH_WAITING;
                    self.finished.push_back(message);
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests;
