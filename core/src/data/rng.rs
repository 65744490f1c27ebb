//! `Rng`: random numbers that are the same on every machine.
//!
//! The generator is SFC64 (by Chris Doty-Humphrey, public domain): 256 bits of state, only
//! additions, xors and rotations. It passes PractRand. Tests compare its output with NumPy's.

use crate::math::{Real, Vec3};
use core::convert::Infallible;
use rand_core::{SeedableRng, TryRng};
use serde::{Deserialize, Serialize};

/// Error of drawing from an empty range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the range is empty; its end must be above its start")]
pub struct EmptyRange;

/// A small seeded random number generator.
///
/// Create a new generator for each decision, keyed by the subject of the decision:
///
/// ```
/// use isostep_core::{real, Rng};
/// const LOOT: u64 = 1; // what the draw is for
/// let (seed, tick, chest) = (42, 900, 7);
/// let coins = Rng::keyed(seed, tick, chest, LOOT).below(100)?;
/// # assert!(coins < 100);
/// # Ok::<(), isostep_core::data::EmptyRange>(())
/// ```
///
/// One entity's draw then never shifts another's, and a rollback changes only the affected draws. A
/// generator stored in the game's state works too: it is plain data, saved and hashed like the
/// rest. But one extra draw changes every later draw.
///
/// It implements the `rand_core` traits, so the distributions of the `rand` crate work with it.
/// They do not promise fixed results between versions or for `usize`; prefer the methods here
/// inside a simulation. Not suitable for secrets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rng {
    a: u64,
    b: u64,
    c: u64,
    counter: u64,
}

/// Spacing of the counters of different purposes. The counter of a stream advances by one per draw,
/// so with the bare purpose as counter some keys would be states of another key's stream: one draw
/// leads from (0, 0, 0, 0) to (0, 0, 0, 1). Keys of one purpose never overlap, because their
/// counters are equal only after 2⁶⁴ draws. 2⁶⁴ divided by the golden ratio keeps purposes below
/// 2¹⁶ at least 2⁴⁶ draws apart.
const PURPOSE_STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Rounds discarded after seeding. A seed bit reaches every output bit after about six.
const WARM_UP: u32 = 12;

impl Rng {
    /// A generator from one number.
    #[inline]
    pub const fn new(seed: u64) -> Self {
        Self::keyed(seed, 0, 0, 0)
    }

    /// A generator for one purpose of one entity on one tick. Different keys give unrelated numbers.
    #[inline]
    pub const fn keyed(seed: u64, tick: u64, entity: u64, purpose: u64) -> Self {
        let mut rng =
            Self { a: seed, b: tick, c: entity, counter: purpose.wrapping_mul(PURPOSE_STRIDE) };
        let mut round = 0;
        while round < WARM_UP {
            rng.next();
            round += 1;
        }
        rng
    }

    #[inline]
    const fn next(&mut self) -> u64 {
        let out = self.a.wrapping_add(self.b).wrapping_add(self.counter);
        self.counter = self.counter.wrapping_add(1);
        self.a = self.b ^ (self.b >> 11);
        self.b = self.c.wrapping_add(self.c << 3);
        self.c = self.c.rotate_left(24).wrapping_add(out);
        out
    }

    /// The state in little-endian order, as hashed.
    #[doc(hidden)]
    pub fn to_bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let words = [self.a, self.b, self.c, self.counter];
        for (place, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
        bytes
    }

    /// 64 random bits.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.next()
    }

    /// 32 random bits.
    #[inline]
    pub const fn next_u32(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    /// A uniform whole number below `bound`.
    ///
    /// # Errors
    /// If `bound` is zero.
    #[inline]
    pub const fn below(&mut self, bound: u32) -> Result<u32, EmptyRange> {
        if bound == 0 {
            return Err(EmptyRange);
        }
        Ok(self.below_wide(bound as u64) as u32)
    }

    /// Uniform below `bound`, which must not be zero: multiplies, and draws again in the incomplete
    /// last bucket.
    #[inline]
    const fn below_wide(&mut self, bound: u64) -> u64 {
        loop {
            let product = self.next() as u128 * bound as u128;
            let rest = product as u64;
            // 2⁶⁴ mod bound outcomes are surplus: those with the smallest remainders.
            if rest >= bound || rest >= bound.wrapping_neg() % bound {
                return (product >> 64) as u64;
            }
        }
    }

    /// Returns `true` with probability `numerator / denominator`; always, if that is one or more.
    ///
    /// # Errors
    /// If the denominator is zero.
    #[inline]
    pub const fn chance(&mut self, numerator: u32, denominator: u32) -> Result<bool, EmptyRange> {
        match self.below(denominator) {
            Ok(draw) => Ok(draw < numerator),
            Err(error) => Err(error),
        }
    }

    /// A uniform number from 0 to 1 − 2⁻³².
    #[inline]
    pub const fn unit(&mut self) -> Real {
        Real::from_bits((self.next() >> 32) as i64)
    }

    /// A uniform number from `low` (included) to `high` (excluded).
    ///
    /// # Errors
    /// If `high` is not above `low`.
    #[inline]
    pub fn between(&mut self, low: Real, high: Real) -> Result<Real, EmptyRange> {
        if high <= low {
            return Err(EmptyRange);
        }
        let span = high.to_bits().wrapping_sub(low.to_bits()) as u64;
        Ok(Real::from_bits(low.to_bits().wrapping_add_unsigned(self.below_wide(span))))
    }

    /// A uniformly distributed unit vector.
    pub fn direction(&mut self) -> Vec3 {
        const SIDE: i64 = 1 << 32;
        loop {
            let point: [i64; 3] = core::array::from_fn(|_| i64::from(self.next_u32() as i32));
            let square: i64 = point.iter().map(|c| (c >> 1) * (c >> 1)).sum();
            // Accepts a point of the cube inside the ball, but not so near the centre that few
            // directions are distinguishable.
            if (SIDE..=(SIDE / 4) * (SIDE / 4)).contains(&square) {
                return Vec3::from_bits(point).normalize_or(Vec3::X);
            }
        }
    }

    /// Shuffles the items; every order is equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let pick = self.below_wide(last as u64 + 1);
            items.swap(last, pick as usize);
        }
    }
}

impl TryRng for Rng {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.next_u32())
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.next())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

impl SeedableRng for Rng {
    type Seed = [u8; 32];

    /// Four little-endian words: seed, tick, entity, purpose.
    fn from_seed(seed: [u8; 32]) -> Self {
        let mut words = seed.as_chunks().0.iter().map(|chunk| u64::from_le_bytes(*chunk));
        let mut word = || words.next().expect("four chunks");
        Self::keyed(word(), word(), word(), word())
    }

    fn seed_from_u64(seed: u64) -> Self {
        Self::new(seed)
    }
}
