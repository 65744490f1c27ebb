//! `UnionFind`: disjoint groups with names that do not depend on the order of unions.

/// Disjoint groups of 0‥n. The root of a group is its least member, so the same set of unions gives
/// the same roots in any order.
///
/// ```
/// use isostep_core::internals::UnionFind;
/// let mut groups = UnionFind::new();
/// groups.reset(5);
/// groups.union(4, 2);
/// groups.union(2, 3);
/// assert_eq!(groups.find(4), 2);
/// assert!(!groups.same(0, 4));
/// ```
#[derive(Clone, Debug, Default)]
pub struct UnionFind {
    /// Never larger than its index, so a chain of parents descends to the least member.
    parents: Vec<u32>,
}

impl UnionFind {
    /// A structure without members; call [`reset`](Self::reset).
    pub const fn new() -> Self {
        Self { parents: Vec::new() }
    }

    /// Restarts with `len` groups of one. Allocates only to grow.
    pub fn reset(&mut self, len: u32) {
        self.parents.clear();
        self.parents.extend(0..len);
    }

    /// The number of members.
    pub fn len(&self) -> u32 {
        self.parents.len() as u32
    }

    /// Returns `true` if there are no members.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The least member of the group.
    ///
    /// # Panics
    /// If `member` is not below the length given to [`reset`](Self::reset).
    #[inline]
    pub fn find(&mut self, member: u32) -> u32 {
        let mut at = member;
        loop {
            let parent = self.parents[at as usize];
            if parent == at {
                return at;
            }
            // Path halving: each step shortens later searches.
            let above = self.parents[parent as usize];
            self.parents[at as usize] = above;
            at = above;
        }
    }

    /// Joins two groups. Returns `true` if they were separate.
    ///
    /// # Panics
    /// If a member is not below the length given to [`reset`](Self::reset).
    #[inline]
    pub fn union(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
        a != b
    }

    /// Returns `true` if two members are in the same group.
    ///
    /// # Panics
    /// If a member is not below the length given to [`reset`](Self::reset).
    #[inline]
    pub fn same(&mut self, a: u32, b: u32) -> bool {
        self.find(a) == self.find(b)
    }
}
