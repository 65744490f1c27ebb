//! Random numbers of the scripts, from a seed. Separate from the simulation's own generator, so that a defect in that one
//! cannot hide itself here.

/// Random number for some keys; the same keys give the same number.
pub(super) fn mixed(keys: &[u64]) -> u64 {
    let mut hash = 0x243F_6A88_85A3_08D3;
    for &key in keys {
        hash = (hash ^ key).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash = (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        hash ^= hash >> 32;
    }
    hash
}

/// Stream of random numbers.
#[derive(Clone, Debug)]
pub(super) struct Rng(u64);

impl Rng {
    pub(super) fn keyed(keys: &[u64]) -> Self {
        Self(mixed(keys))
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mixed(&[self.0])
    }

    /// Returns a number below `bound`, which is at least 1.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        (self.bits() % u64::from(bound)) as u32
    }

    /// Returns a number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// Returns true once in so many.
    pub(super) fn one_in(&mut self, many: u32) -> bool {
        self.below(many) == 0
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }
}
