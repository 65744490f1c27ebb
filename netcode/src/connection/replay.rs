//! Which packet numbers were opened: none is opened twice.

/// How far below the greatest number a packet may come.
const WINDOW: u64 = 1024;
const WORDS: usize = WINDOW as usize / 64;

/// The last 1,024 numbers.
#[derive(Debug, Default)]
pub(super) struct Replay {
    /// The greatest number that was opened, plus one.
    next: u64,
    /// Number n at bit n modulo the window.
    seen: [u64; WORDS],
}

const fn place(number: u64) -> (usize, u64) {
    let bit = number % WINDOW;
    ((bit / 64) as usize, 1 << (bit % 64))
}

impl Replay {
    /// The number that is expected next.
    pub(super) const fn next(&self) -> u64 {
        self.next
    }

    /// Whether a packet of this number may be opened.
    pub(super) const fn is_new(&self, number: u64) -> bool {
        let (word, bit) = place(number);
        number >= self.next || (self.next - number <= WINDOW && self.seen[word] & bit == 0)
    }

    /// Notes that it was; whether it is the newest.
    pub(super) fn note(&mut self, number: u64) -> bool {
        let newest = number >= self.next;
        if newest {
            // What fell out of the window makes room.
            for skipped in (self.next..number).rev().take(WINDOW as usize) {
                let (word, bit) = place(skipped);
                self.seen[word] &= !bit;
            }
            self.next = number + 1;
        }
        let (word, bit) = place(number);
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
        fn it_is_the_set_of_the_last_numbers(
            steps in proptest::collection::vec(prop_oneof![0i64..8, -1100i64..0, 900i64..5000], 1..400),
        ) {
            let (mut replay, mut model, mut at) = (Replay::default(), BTreeSet::new(), 0i64);
            for step in steps {
                at = (at + step).max(0);
                let number = at as u64;
                let greatest: Option<u64> = model.last().copied();
                let old = greatest.is_some_and(|greatest| greatest >= number + 1024);
                prop_assert_eq!(replay.is_new(number), !old && !model.contains(&number));
                if replay.is_new(number) {
                    prop_assert_eq!(replay.note(number), greatest.is_none_or(|greatest| number > greatest));
                    model.insert(number);
                }
            }
        }
    }
}
