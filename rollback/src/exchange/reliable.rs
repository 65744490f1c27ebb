//! Reliable messages over lossy packets: one piece in each packet, some pieces ahead of the acknowledged one, and a
//! retransmission from there when acknowledgements are missing.

use isostep_core::internals::Reader;
use std::collections::VecDeque;

/// Bytes of a message in one packet.
const PIECE: usize = 480;
/// Pieces in flight.
const AHEAD: u32 = 16;
/// Maximum length of a received message, in bytes.
const MAX_LENGTH: usize = 64 * 1024;

/// Both directions of one connection.
#[derive(Debug, Default)]
pub(super) struct Reliable {
    /// Messages that are not fully acknowledged; of the first one, `done` bytes are.
    outgoing: VecDeque<Vec<u8>>,
    done: usize,
    /// Acknowledged pieces; the next one has the following number.
    acknowledged: u32,
    /// Offset of the next packet's piece from the acknowledged one.
    cursor: u32,
    /// Received pieces, in order.
    received: u32,
    incoming: Vec<u8>,
    finished: VecDeque<Vec<u8>>,
}

/// Returns the bytes of the piece that starts at `start`. An empty message has one piece.
fn piece(message: &[u8], start: usize) -> &[u8] {
    &message[start..message.len().min(start + PIECE)]
}

impl Reliable {
    pub(super) fn push(&mut self, message: Vec<u8>) {
        self.outgoing.push_back(message);
    }

    pub(super) fn pop(&mut self) -> Option<Vec<u8>> {
        self.finished.pop_front()
    }

    /// Returns true if no part needs to be sent.
    pub(super) fn is_idle(&self) -> bool {
        self.outgoing.is_empty() && self.received == 0
    }

    /// Returns the piece at an offset from the acknowledged one, and true if it ends its message.
    fn ahead(&self, mut count: u32) -> Option<(&[u8], bool)> {
        let mut start = self.done;
        for message in &self.outgoing {
            loop {
                let bytes = piece(message, start);
                let last = start + bytes.len() == message.len();
                if count == 0 {
                    return Some((bytes, last));
                }
                count -= 1;
                start += bytes.len();
                if last {
                    break;
                }
            }
            start = 0;
        }
        None
    }

    pub(super) fn write(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.received.to_le_bytes());
        if self.ahead(self.cursor).is_none() {
            self.cursor = 0;
        }
        let Some((bytes, last)) = self.ahead(self.cursor) else {
            out.extend_from_slice(&0u32.to_le_bytes());
            return;
        };
        // Numbers start at 1; 0 means none.
        out.extend_from_slice(&(self.acknowledged + 1 + self.cursor).to_le_bytes());
        out.push(u8::from(last));
        out.extend_from_slice(&(bytes.len() as u16).to_le_bytes());
        out.extend_from_slice(bytes);
        self.cursor = (self.cursor + 1) % AHEAD;
    }

    pub(super) fn read(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let acknowledged = from.u32()?;
        let number = from.u32()?;
        let arrived = if number == 0 {
            None
        } else {
            let last = from.u8()?;
            let length = usize::from(from.u16()?);
            Some((last == 1, from.take(length)?))
        };
        self.acknowledge(acknowledged);
        // Pieces out of order are dropped and retransmitted.
        if let Some((last, bytes)) = arrived
            && self.received.checked_add(1) == Some(number)
        {
            self.received = number;
            if self.incoming.len() + bytes.len() <= MAX_LENGTH {
                self.incoming.extend_from_slice(bytes);
            }
            if last {
                self.finished.push_back(core::mem::take(&mut self.incoming));
            }
        }
        Some(())
    }

    fn acknowledge(&mut self, number: u32) {
        // An acknowledgement beyond the sent pieces is invalid.
        let count = number.saturating_sub(self.acknowledged);
        if count > AHEAD {
            return;
        }
        for _ in 0..count {
            let Some(message) = self.outgoing.front() else { return };
            self.done += piece(message, self.done).len();
            if self.done == message.len() {
                self.done = 0;
                self.outgoing.pop_front();
            }
            self.acknowledged += 1;
            self.cursor = self.cursor.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isostep_core::Rng;

    #[test]
    fn messages_arrive_whole_and_in_order_though_packets_are_lost_and_repeated() {
        let mut rng = Rng::new(5);
        let mut ends = [Reliable::default(), Reliable::default()];
        let messages: Vec<Vec<u8>> = [0, 1, 479, 480, 481, 30_000]
            .map(|length| (0..length).map(|i| i as u8).collect())
            .into();
        let mut wanted = [Vec::new(), Vec::new()];
        for message in &messages {
            ends[0].push(message.clone());
            ends[1].push(message.clone());
        }
        let mut old = [Vec::new(), Vec::new()];
        for _ in 0..2000 {
            for end in 0..2 {
                let mut packet = Vec::new();
                ends[end].write(&mut packet);
                if rng.chance(1, 3).expect("odds") {
                    continue;
                }
                // Sometimes an old packet is delivered instead.
                let late = core::mem::replace(&mut old[end], packet.clone());
                let packet = if rng.chance(1, 4).expect("odds") { late } else { packet };
                ends[1 - end].read(&mut Reader::new(&packet));
                wanted[1 - end].extend(ends[1 - end].pop());
            }
        }
        assert_eq!(wanted, [messages.clone(), messages]);
    }
}
