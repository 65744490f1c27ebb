//! Frames that are longer than a packet, cut and put together again (`WIRE.md`, section 5).

use core::time::Duration;
use isostep_rollback::Time;

/// Most fragments of one frame.
pub(super) const MOST: usize = 16;
/// Frames being put together at once; another one makes the oldest give way.
const AT_ONCE: usize = 4;
/// After this time nobody needs it any more.
const EXPIRES: Duration = Duration::from_secs(1);
/// Longest fragment: what a longest packet can hold.
const MAX_MTU: usize = crate::wire::MAX_MTU;

/// A frame of which something has arrived.
#[derive(Debug)]
struct Partial {
    datagram: u16,
    since: Time,
    count: usize,
    /// Bit i: fragment i is there.
    arrived: u16,
    /// Bytes of all but the last fragment, which are equally long; 0 while none of them is there.
    each: usize,
    last: usize,
    bytes: Vec<u8>,
}

/// Frames in the making, of one connection.
#[derive(Debug, Default)]
pub(super) struct Fragments {
    partial: Vec<Partial>,
    next: u16,
    /// Buffers that are free.
    spare: Vec<Vec<u8>>,
}

impl Fragments {
    /// The number of the next frame that is cut.
    pub(super) const fn number(&mut self) -> u16 {
        let number = self.next;
        self.next = number.wrapping_add(1);
        number
    }

    /// Takes a fragment; the whole frame, if this was the last that it lacked.
    pub(super) fn take(
        &mut self,
        now: Time,
        datagram: u16,
        (index, count): (u8, u8),
        bytes: &[u8],
    ) -> Option<Vec<u8>> {
        let (index, count) = (usize::from(index), usize::from(count));
        if !(2..=MOST).contains(&count)
            || index >= count
            || bytes.is_empty()
            || bytes.len() > MAX_MTU
        {
            return None;
        }
        self.expire(now);
        let found = self.partial.iter().position(|partial| partial.datagram == datagram);
        let place = found.unwrap_or_else(|| self.begin(now, datagram, count));
        let partial = &mut self.partial[place];
        let last = index + 1 == count;
        let fits =
            partial.count == count && (last || partial.each == 0 || partial.each == bytes.len());
        if !fits || partial.arrived >> index & 1 == 1 {
            return None;
        }
        partial.arrived |= 1 << index;
        if last {
            // Where it belongs shows once another one is there.
            partial.last = bytes.len();
            partial.bytes.resize(partial.bytes.len().max(MOST * MAX_MTU), 0);
            let place = (MOST - 1) * MAX_MTU;
            partial.bytes[place..place + bytes.len()].copy_from_slice(bytes);
        } else {
            partial.each = bytes.len();
            let end = (index + 1) * bytes.len();
            partial.bytes.resize(partial.bytes.len().max(end), 0);
            partial.bytes[end - bytes.len()..end].copy_from_slice(bytes);
        }
        if partial.arrived.count_ones() as usize != count {
            return None;
        }
        let mut whole = self.partial.swap_remove(place);
        let (start, from) = (whole.each * (count - 1), (MOST - 1) * MAX_MTU);
        whole.bytes.copy_within(from..from + whole.last, start);
        whole.bytes.truncate(start + whole.last);
        Some(whole.bytes)
    }

    /// Gives a buffer back.
    pub(super) fn recycle(&mut self, bytes: Vec<u8>) {
        if self.spare.len() < AT_ONCE {
            self.spare.push(bytes);
        }
    }

    fn begin(&mut self, now: Time, datagram: u16, count: usize) -> usize {
        if self.partial.len() == AT_ONCE {
            let oldest = (0..AT_ONCE).min_by_key(|&place| self.partial[place].since).unwrap_or(0);
            let gone = self.partial.swap_remove(oldest);
            self.recycle(gone.bytes);
        }
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        let partial = Partial { datagram, since: now, count, arrived: 0, each: 0, last: 0, bytes };
        self.partial.push(partial);
        self.partial.len() - 1
    }

    fn expire(&mut self, now: Time) {
        while let Some(place) =
            self.partial.iter().position(|partial| partial.since + EXPIRES <= now)
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
        fn a_frame_comes_together_from_its_fragments_in_any_order(
            length in 2usize..16_000, each in 1000usize..1400, seed in any::<u64>(),
        ) {
            let frame: Vec<u8> = (0..length).map(|i| (i * 31) as u8).collect();
            let mut pieces: Vec<_> = frame.chunks(each).enumerate().collect();
            let count = pieces.len();
            prop_assume!((2..=MOST).contains(&count));
            let mut rng = isostep_core::Rng::new(seed);
            for last in (1..count).rev() {
                pieces.swap(last, rng.below(last as u32 + 1).expect("some") as usize);
            }
            let mut fragments = Fragments::default();
            for (done, &(index, bytes)) in pieces.iter().enumerate() {
                let place = (index as u8, count as u8);
                let whole = fragments.take(Time::ZERO, 5, place, bytes);
                prop_assert_eq!(whole.is_some(), done + 1 == count);
                if let Some(whole) = whole {
                    prop_assert_eq!(&whole, &frame);
                }
            }
        }

        #[test]
        fn any_fragments_are_harmless(
            all in proptest::collection::vec((0u16..6, any::<(u8, u8)>(), 0usize..1500, 0u64..3000), 0..200),
        ) {
            let mut fragments = Fragments::default();
            for (datagram, (index, count), length, at) in all {
                let place = (index % 18, count % 18);
                fragments.take(Time::from_millis(at), datagram, place, &vec![1; length]);
                prop_assert!(fragments.partial.len() <= AT_ONCE);
                prop_assert!(fragments.partial.iter().all(|partial| partial.bytes.len() <= MOST * MAX_MTU));
            }
        }
    }
}
