//! Reassembly of frames that are longer than a packet (`WIRE.md`, section 5).

use core::time::Duration;
use isostep_rollback::Time;

/// Maximum number of fragments of a frame.
pub(super) const MAX_FRAGMENTS: usize = 16;
/// Maximum number of partially received frames; a further one evicts the oldest.
const MAX_PARTIAL_FRAMES: usize = 4;
/// Partially received frames are dropped after this time.
const REASSEMBLY_TIMEOUT: Duration = Duration::from_secs(1);
/// Upper bound of a fragment: the largest packet.
const MAX_FRAGMENT_BYTES: usize = crate::wire::MAX_MTU;

/// Partially received frame.
#[derive(Debug)]
struct PartialFrame {
    datagram: u16,
    since: Time,
    count: usize,
    /// Bit i is set if fragment i was received.
    arrived: u16,
    /// Length of all fragments but the last; 0 until one of them is received.
    fragment_bytes: usize,
    last_bytes: usize,
    bytes: Vec<u8>,
}

/// Partially received frames of one connection.
#[derive(Debug, Default)]
pub(super) struct Reassembler {
    partial: Vec<PartialFrame>,
    next_id: u16,
    /// Free buffers.
    spare: Vec<Vec<u8>>,
}

impl Reassembler {
    /// Returns the id of the next fragmented frame.
    pub(super) const fn next_id(&mut self) -> u16 {
        let number = self.next_id;
        self.next_id = number.wrapping_add(1);
        number
    }

    /// Receives a fragment; returns the frame if it is complete.
    pub(super) fn receive(
        &mut self,
        now: Time,
        datagram: u16,
        (index, count): (u8, u8),
        bytes: &[u8],
    ) -> Option<Vec<u8>> {
        let (index, count) = (usize::from(index), usize::from(count));
        if !(2..=MAX_FRAGMENTS).contains(&count)
            || index >= count
            || bytes.is_empty()
            || bytes.len() > MAX_FRAGMENT_BYTES
        {
            return None;
        }
        self.expire(now);
        let found = self.partial.iter().position(|partial| partial.datagram == datagram);
        let place = found.unwrap_or_else(|| self.begin(now, datagram, count));
        let partial = &mut self.partial[place];
        let last = index + 1 == count;
        let fits = partial.count == count
            && (last || partial.fragment_bytes == 0 || partial.fragment_bytes == bytes.len());
        if !fits || partial.arrived >> index & 1 == 1 {
            return None;
        }
        partial.arrived |= 1 << index;
        if last {
            // Stored at the end of the buffer: its offset depends on the length of the other fragments.
            partial.last_bytes = bytes.len();
            partial.bytes.resize(partial.bytes.len().max(MAX_FRAGMENTS * MAX_FRAGMENT_BYTES), 0);
            let place = (MAX_FRAGMENTS - 1) * MAX_FRAGMENT_BYTES;
            partial.bytes[place..place + bytes.len()].copy_from_slice(bytes);
        } else {
            partial.fragment_bytes = bytes.len();
            let end = (index + 1) * bytes.len();
            partial.bytes.resize(partial.bytes.len().max(end), 0);
            partial.bytes[end - bytes.len()..end].copy_from_slice(bytes);
        }
        if partial.arrived.count_ones() as usize != count {
            return None;
        }
        let mut whole = self.partial.swap_remove(place);
        let (start, from) =
            (whole.fragment_bytes * (count - 1), (MAX_FRAGMENTS - 1) * MAX_FRAGMENT_BYTES);
        whole.bytes.copy_within(from..from + whole.last_bytes, start);
        whole.bytes.truncate(start + whole.last_bytes);
        Some(whole.bytes)
    }

    /// Returns a buffer for reuse.
    pub(super) fn recycle(&mut self, bytes: Vec<u8>) {
        if self.spare.len() < MAX_PARTIAL_FRAMES {
            self.spare.push(bytes);
        }
    }

    fn begin(&mut self, now: Time, datagram: u16, count: usize) -> usize {
        if self.partial.len() == MAX_PARTIAL_FRAMES {
            let oldest =
                (0..MAX_PARTIAL_FRAMES).min_by_key(|&place| self.partial[place].since).unwrap_or(0);
            let gone = self.partial.swap_remove(oldest);
            self.recycle(gone.bytes);
        }
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        let partial = PartialFrame {
            datagram,
            since: now,
            count,
            arrived: 0,
            fragment_bytes: 0,
            last_bytes: 0,
            bytes,
        };
        self.partial.push(partial);
        self.partial.len() - 1
    }

    fn expire(&mut self, now: Time) {
        while let Some(place) =
            self.partial.iter().position(|partial| partial.since + REASSEMBLY_TIMEOUT <= now)
        {
            let gone = self.partial.swap_remove(place);
            self.recycle(gone.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fragments_are_reassembled_in_any_order(
            length in 2usize..16_000, each in 1000usize..1400, seed in any::<u64>(),
        ) {
            let frame: Vec<u8> = (0..length).map(|i| (i * 31) as u8).collect();
            let mut pieces: Vec<_> = frame.chunks(each).enumerate().collect();
            let count = pieces.len();
            prop_assume!((2..=MAX_FRAGMENTS).contains(&count));
            let mut rng = isostep_core::Rng::new(seed);
            for last in (1..count).rev() {
                pieces.swap(last, rng.below(last as u32 + 1).expect("some") as usize);
            }
            let mut reassembler = Reassembler::default();
            for (done, &(index, bytes)) in pieces.iter().enumerate() {
                let place = (index as u8, count as u8);
                let whole = reassembler.receive(Time::ZERO, 5, place, bytes);
                prop_assert_eq!(whole.is_some(), done + 1 == count);
                if let Some(whole) = whole {
                    prop_assert_eq!(&whole, &frame);
                }
            }
        }

        #[test]
        fn arbitrary_fragments_stay_within_memory_bounds(
            all in proptest::collection::vec((0u16..6, any::<(u8, u8)>(), 0usize..1500, 0u64..3000), 0..200),
        ) {
            let mut reassembler = Reassembler::default();
            for (datagram, (index, count), length, at) in all {
                let place = (index % 18, count % 18);
                reassembler.receive(Time::from_millis(at), datagram, place, &vec![1; length]);
                prop_assert!(reassembler.partial.len() <= MAX_PARTIAL_FRAMES);
                prop_assert!(reassembler.partial.iter().all(|partial| partial.bytes.len() <= MAX_FRAGMENTS * MAX_FRAGMENT_BYTES));
            }
        }
    }
}
