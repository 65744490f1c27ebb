//! `BitSet`: a set of `u32` in words of 64 bits, with summaries above them.
//!
//! A bit of a summary is set if the word below has any bit set. Finding the next member therefore
//! reads one word per level (at most six), even in a large and sparse set.

/// A set of small integers, iterated in ascending order.
///
/// ```
/// use isostep_core::internals::BitSet;
/// let mut dirty: BitSet = [70_000, 3].into_iter().collect();
/// assert!(dirty.insert(64));
/// assert_eq!(dirty.first(), Some(3));
/// assert_eq!(dirty.iter().collect::<Vec<_>>(), [3, 64, 70_000]);
/// ```
#[derive(Clone, Default)]
pub struct BitSet {
    /// Level 0 holds the members. Each word of level k + 1 summarises 64 words of level k. The top
    /// level is one word.
    levels: Vec<Vec<u64>>,
    len: u32,
}

const BITS: usize = 64;

impl BitSet {
    /// The empty set.
    pub const fn new() -> Self {
        Self { levels: Vec::new(), len: 0 }
    }

    /// An empty set that holds members below `bound` without allocating.
    pub fn with_bound(bound: u32) -> Self {
        let mut set = Self::new();
        set.reserve(bound);
        set
    }

    /// Reserves room for members below `bound`, so that inserting them does not allocate.
    pub fn reserve(&mut self, bound: u32) {
        self.grow((bound as usize).div_ceil(BITS));
    }

    /// The number of members.
    #[inline]
    pub const fn len(&self) -> u32 {
        self.len
    }

    /// Returns `true` if the set has no members.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns `true` if `member` is in the set.
    #[inline]
    pub fn contains(&self, member: u32) -> bool {
        let (word, bit) = place(member as usize);
        self.levels.first().and_then(|words| words.get(word)).is_some_and(|bits| bits & bit != 0)
    }

    /// Inserts `member`. Returns `true` if it is new.
    pub fn insert(&mut self, member: u32) -> bool {
        if self.contains(member) {
            return false;
        }
        let mut position = member as usize;
        self.grow(position / BITS + 1);
        for level in &mut self.levels {
            let (word, bit) = place(position);
            level[word] |= bit;
            position = word;
        }
        self.len += 1;
        true
    }

    /// Removes `member`. Returns `true` if it was in the set.
    pub fn remove(&mut self, member: u32) -> bool {
        if !self.contains(member) {
            return false;
        }
        let mut position = member as usize;
        for level in &mut self.levels {
            let (word, bit) = place(position);
            level[word] &= !bit;
            if level[word] != 0 {
                break;
            }
            position = word;
        }
        self.len -= 1;
        true
    }

    /// Removes every member and keeps the memory. The cost is proportional to the members, not to
    /// the bound.
    pub fn clear(&mut self) {
        while let Some(member) = self.first() {
            let word = member as usize / BITS;
            self.len -= self.levels[0][word].count_ones();
            let mut position = word;
            self.levels[0][word] = 0;
            for level in &mut self.levels[1..] {
                let (word, bit) = place(position);
                level[word] &= !bit;
                if level[word] != 0 {
                    break;
                }
                position = word;
            }
        }
    }

    /// The least member.
    #[inline]
    pub fn first(&self) -> Option<u32> {
        self.first_from(0)
    }

    /// The least member that is `bound` or above.
    pub fn first_from(&self, bound: u32) -> Option<u32> {
        let mut position = bound as usize;
        for (height, level) in self.levels.iter().enumerate() {
            let word = position / BITS;
            let bits = level.get(word)? & (!0 << (position % BITS));
            if bits != 0 {
                position = word * BITS + bits.trailing_zeros() as usize;
                for lower in self.levels[..height].iter().rev() {
                    position = position * BITS + lower[position].trailing_zeros() as usize;
                }
                return Some(position as u32);
            }
            position = word + 1;
        }
        None
    }

    /// The members in ascending order.
    pub const fn iter(&self) -> Iter<'_> {
        Iter { set: self, next: Some(0) }
    }

    /// Inserts every member of `other`.
    pub fn union_with(&mut self, other: &Self) {
        for member in other {
            self.insert(member);
        }
    }

    /// Grows level 0 to this many words.
    fn grow(&mut self, words: usize) {
        if words == 0 || self.levels.first().is_some_and(|level| level.len() >= words) {
            return;
        }
        let mut needed = words;
        for height in 0.. {
            if self.levels.len() == height {
                self.levels.push(vec![0; needed]);
                // A new level summarises the old top level, which is one word.
                if height > 0 && self.levels[height - 1][0] != 0 {
                    self.levels[height][0] = 1;
                }
            } else {
                self.levels[height].resize(needed, 0);
            }
            if needed == 1 {
                break;
            }
            needed = needed.div_ceil(BITS);
        }
    }
}

#[inline]
const fn place(position: usize) -> (usize, u64) {
    (position / BITS, 1 << (position % BITS))
}

/// Sets are equal if their members are; the allocated bounds do not matter.
impl PartialEq for BitSet {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl Eq for BitSet {}

impl core::fmt::Debug for BitSet {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl FromIterator<u32> for BitSet {
    fn from_iter<I: IntoIterator<Item = u32>>(members: I) -> Self {
        let mut set = Self::new();
        for member in members {
            set.insert(member);
        }
        set
    }
}

impl<'a> IntoIterator for &'a BitSet {
    type Item = u32;
    type IntoIter = Iter<'a>;
    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// The members of a [`BitSet`] in ascending order.
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    set: &'a BitSet,
    next: Option<u32>,
}

impl Iterator for Iter<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let member = self.set.first_from(self.next?);
        self.next = member.and_then(|m| m.checked_add(1));
        member
    }
}
