//! `Rng`: chance that is the same on every machine.
//!
//! The generator is SFC64 (Chris Doty-Humphrey's, public domain): 256 bits of state, adds, xors and
//! rotations only, and it passes PractRand. Its outputs here are checked against NumPy's.

use crate::math::{Real, Vec3};
use core::convert::Infallible;
use rand_core::{SeedableRng, TryRng};
use serde::{Deserialize, Serialize};

/// A range that holds no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is nothing to choose from: the end of the range must be above its start")]
pub struct EmptyRange;

/// A small seeded random number generator.
///
/// The usual way is a fresh one for each decision, from what the decision is about:
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
/// so that one entity's draw never shifts another's, and a rollback changes only what it must. A
/// generator kept in the game's state works too: it is plain data, saved and hashed like the rest, but
/// whoever draws from it out of turn changes every later draw.
///
/// It implements `rand_core`'s traits, so the `rand` crate's distributions work with it; but they promise
/// no fixed results between versions or for `usize`, so prefer the methods here inside a simulation.
/// Not for secrets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rng {
    a: u64,
    b: u64,
    c: u64,
    counter: u64,
}

/// Sets the counters of purposes far apart. A stream's state moves on by one count a draw, so with the
/// bare purpose there some keys would be states of another key's stream: from (0, 0, 0, 0) one draw leads
/// to (0, 0, 0, 1). Keys of one purpose never meet, having equal counts only after 2⁶⁴ draws; 2⁶⁴ over
/// the golden ratio keeps purposes below 2¹⁶ at least 2⁴⁶ draws apart.
const PURPOSE_STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Rounds thrown away after seeding. A seed bit reaches every output bit after about six.
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

    /// The state, little-endian: what is hashed.
    pub fn to_bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let words = [self.a, self.b, self.c, self.counter];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
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

    /// A whole number below `bound`, each as likely as any other.
    ///
    /// # Errors
    /// When `bound` is zero.
    #[inline]
    pub const fn below(&mut self, bound: u32) -> Result<u32, EmptyRange> {
        if bound == 0 {
            return Err(EmptyRange);
        }
        Ok(self.below_wide(bound as u64) as u32)
    }

    /// Below `bound`, which is not zero: multiplies and draws again where the last bucket is short.
    #[inline]
    const fn below_wide(&mut self, bound: u64) -> u64 {
        loop {
            let product = self.next() as u128 * bound as u128;
            let rest = product as u64;
            // 2⁶⁴ mod bound outcomes too many: those with the smallest rests.
            if rest >= bound || rest >= bound.wrapping_neg() % bound {
                return (product >> 64) as u64;
            }
        }
    }

    /// True with the chance `numerator / denominator`; always, when that is one or more.
    ///
    /// # Errors
    /// When the denominator is zero.
    #[inline]
    pub const fn chance(&mut self, numerator: u32, denominator: u32) -> Result<bool, EmptyRange> {
        match self.below(denominator) {
            Ok(draw) => Ok(draw < numerator),
            Err(error) => Err(error),
        }
    }

    /// From 0 to 1 − 2⁻³², each ulp as likely as any other.
    #[inline]
    pub const fn unit(&mut self) -> Real {
        Real::from_bits((self.next() >> 32) as i64)
    }

    /// From `low` up to, not including, `high`, each ulp as likely as any other.
    ///
    /// # Errors
    /// When `high` is not above `low`.
    #[inline]
    pub fn between(&mut self, low: Real, high: Real) -> Result<Real, EmptyRange> {
        if high <= low {
            return Err(EmptyRange);
        }
        let span = high.to_bits().wrapping_sub(low.to_bits()) as u64;
        Ok(Real::from_bits(low.to_bits().wrapping_add_unsigned(self.below_wide(span))))
    }

    /// A direction, every one as likely as any other.
    pub fn direction(&mut self) -> Vec3 {
        const SIDE: i64 = 1 << 32;
        loop {
            let point: [i64; 3] = core::array::from_fn(|_| i64::from(self.next_u32() as i32));
            let square: i64 = point.iter().map(|c| (c >> 1) * (c >> 1)).sum();
            // A point of the cube that lies in the ball, but not so near its centre that few
            // directions are left.
            if (SIDE..=(SIDE / 4) * (SIDE / 4)).contains(&square) {
                return Vec3::from_bits(point).normalize_or(Vec3::X);
            }
        }
    }

    /// Puts the items in a random order, every one as likely as any other.
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
        let mut words = seed
            .chunks_exact(8)
            .map(|chunk| u64::from_le_bytes(chunk.try_into().expect("chunks of eight bytes")));
        let mut word = || words.next().expect("four chunks");
        Self::keyed(word(), word(), word(), word())
    }

    fn seed_from_u64(seed: u64) -> Self {
        Self::new(seed)
    }
}
