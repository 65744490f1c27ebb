//! `Tournament`: the entry with the largest key, while keys change one at a time.

/// The entry of 0‥n with the largest key. Among equal keys the first entry wins, so the result
/// depends on the keys and not on the order in which they were set. `set` takes log₂ n steps,
/// `largest` takes constant time.
///
/// ```
/// use isostep_core::internals::Tournament;
/// let mut keys = Tournament::new();
/// keys.reset([3, 9, 9]);
/// assert_eq!(keys.largest(), Some((1, 9)));
/// keys.set(1, 4);
/// assert_eq!(keys.largest(), Some((2, 9)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tournament {
    /// Entry and key of the winner below each node. Node 1 is the root; the second half holds the
    /// entries.
    nodes: Vec<(u32, u64)>,
    len: usize,
}

impl Tournament {
    /// A tournament without entries; call [`reset`](Self::reset).
    pub const fn new() -> Self {
        Self { nodes: Vec::new(), len: 0 }
    }

    /// Restarts with these keys. Allocates only to grow.
    pub fn reset(&mut self, keys: impl IntoIterator<Item = u64, IntoIter: ExactSizeIterator>) {
        let keys = keys.into_iter();
        self.len = keys.len();
        let size = self.len.next_power_of_two();
        self.nodes.clear();
        self.nodes.resize(2 * size, (u32::MAX, 0));
        for ((node, key), entry) in self.nodes[size..].iter_mut().zip(keys).zip(0..) {
            *node = (entry, key);
        }
        for node in (1..size).rev() {
            self.nodes[node] = self.winner(node);
        }
    }

    /// The entry with the largest key, and the key; `None` if there are no entries.
    #[inline]
    pub fn largest(&self) -> Option<(u32, u64)> {
        self.nodes.get(1).copied().filter(|_| self.len > 0)
    }

    /// Sets the key of an entry.
    ///
    /// # Panics
    /// If the entry does not exist.
    #[inline]
    pub fn set(&mut self, entry: u32, key: u64) {
        assert!(
            (entry as usize) < self.len,
            "entry {entry} does not exist; `reset` sets the number of entries"
        );
        let mut node = self.nodes.len() / 2 + entry as usize;
        if self.nodes[node].1 == key {
            return;
        }
        self.nodes[node].1 = key;
        while node > 1 {
            node /= 2;
            let winner = self.winner(node);
            // The winner of this node is unchanged, so no node above changes.
            if self.nodes[node] == winner {
                return;
            }
            self.nodes[node] = winner;
        }
    }

    fn winner(&self, node: usize) -> (u32, u64) {
        let (left, right) = (self.nodes[2 * node], self.nodes[2 * node + 1]);
        // Unused places are to the right of all entries.
        if right.1 > left.1 { right } else { left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Rng;

    #[test]
    fn the_winner_matches_a_linear_search() {
        let mut rng = Rng::new(1);
        for len in [1u32, 2, 3, 7, 64, 65] {
            let mut keys: Vec<u64> =
                (0..len).map(|_| u64::from(rng.below(9).unwrap_or(0))).collect();
            let mut tournament = Tournament::new();
            tournament.reset(keys.iter().copied());
            for _ in 0..500 {
                let best = keys.iter().max().copied().unwrap_or(0);
                let first = keys.iter().position(|key| *key == best).unwrap_or(0);
                assert_eq!(tournament.largest(), Some((first as u32, best)));
                let entry = rng.below(len).unwrap_or(0);
                keys[entry as usize] = u64::from(rng.below(9).unwrap_or(0));
                tournament.set(entry, keys[entry as usize]);
            }
        }
    }

    #[test]
    fn an_empty_tournament_has_no_winner() {
        assert_eq!(Tournament::new().largest(), None);
        let mut tournament = Tournament::new();
        tournament.reset([]);
        assert_eq!(tournament.largest(), None);
    }
}
