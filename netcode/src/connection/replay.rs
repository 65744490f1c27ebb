//! Replay protection: no packet number is accepted twice.

/// Size of the replay window, in packet numbers.
const WINDOW: u64 = 1024;
const WORDS: usize = WINDOW as usize / 64;

/// Sliding window over the last 1,024 packet numbers.
#[derive(Debug, Default)]
pub(super) struct ReplayWindow {
    /// Largest accepted packet number plus one.
    expected: u64,
    /// Packet number n is bit n modulo the window size.
    seen: [u64; WORDS],
}

const fn bit_of(number: u64) -> (usize, u64) {
    let bit = number % WINDOW;
    ((bit / 64) as usize, 1 << (bit % 64))
}

impl ReplayWindow {
    /// Next expected packet number.
    pub(super) const fn expected(&self) -> u64 {
        self.expected
    }

    /// Returns true if the packet number is new and not older than the window.
    pub(super) const fn accepts(&self, number: u64) -> bool {
        let (word, bit) = bit_of(number);
        number >= self.expected || (self.expected - number <= WINDOW && self.seen[word] & bit == 0)
    }

    /// Records an accepted packet number; returns true if it is the largest so far.
    pub(super) fn insert(&mut self, number: u64) -> bool {
        let newest = number >= self.expected;
        if newest {
            // Clear the bits of skipped numbers, which held older ones.
            for skipped in (self.expected..number).rev().take(WINDOW as usize) {
                let (word, bit) = bit_of(skipped);
                self.seen[word] &= !bit;
            }
            self.expected = number + 1;
        }
        let (word, bit) = bit_of(number);
        self.seen[word] |= bit;
        newest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn the_window_equals_a_set_of_recent_numbers(
            steps in proptest::collection::vec(prop_oneof![0i64..8, -1100i64..0, 900i64..5000], 1..400),
        ) {
            let (mut replay, mut model, mut at) = (ReplayWindow::default(), BTreeSet::new(), 0i64);
            for step in steps {
                at = (at + step).max(0);
                let number = at as u64;
                let greatest: Option<u64> = model.last().copied();
                let old = greatest.is_some_and(|greatest| greatest >= number + 1024);
                prop_assert_eq!(replay.accepts(number), !old && !model.contains(&number));
                if replay.accepts(number) {
                    prop_assert_eq!(replay.insert(number), greatest.is_none_or(|greatest| number > greatest));
                    model.insert(number);
                }
            }
        }
    }
}
