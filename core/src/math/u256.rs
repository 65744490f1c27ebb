//! Unsigned 256-bit sums of products, for exact comparisons of fourth-degree terms.

/// An unsigned 256-bit integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct U256 {
    high: u128,
    low: u128,
}

impl U256 {
    /// The product of two 128-bit integers.
    pub(crate) const fn product(a: u128, b: u128) -> Self {
        const LOW: u128 = u64::MAX as u128;
        let ([a1, a0], [b1, b0]) = ([a >> 64, a & LOW], [b >> 64, b & LOW]);
        let (first, last) = (a1 * b1, a0 * b0);
        let (middle, carry) = (a1 * b0).overflowing_add(a0 * b1);
        let (low, overflow) = last.overflowing_add(middle << 64);
        let high = first + (middle >> 64) + ((carry as u128) << 64) + overflow as u128;
        Self { high, low }
    }

    /// The squared length of a vector whose components are below 2¹²⁷ in size.
    pub(crate) fn length_squared(v: [i128; 3]) -> Self {
        let square = |c: i128| Self::product(c.unsigned_abs(), c.unsigned_abs());
        square(v[0]).plus(square(v[1])).plus(square(v[2]))
    }

    /// Sum of two numbers below 2²⁵⁵.
    const fn plus(self, other: Self) -> Self {
        let (low, carry) = self.low.overflowing_add(other.low);
        Self { high: self.high + other.high + carry as u128, low }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::{BigInt, BigUint};
    use proptest::prelude::*;

    fn big(n: U256) -> BigUint {
        (BigUint::from(n.high) << 128) + n.low
    }

    /// Magnitudes of every size.
    fn any_size() -> impl Strategy<Value = u128> {
        (any::<u128>(), 0u32..128).prop_map(|(x, shift)| x >> shift)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn products_match_big_integers(a in any_size(), b in any_size()) {
            prop_assert_eq!(big(U256::product(a, b)), BigUint::from(a) * b);
        }

        #[test]
        fn squared_lengths_match_big_integers(v in any::<[i128; 3]>(), shift in 1u32..127) {
            let v = v.map(|c| c >> shift);
            let expected: BigInt = v.iter().map(|c| BigInt::from(*c) * *c).sum();
            prop_assert_eq!(BigInt::from(big(U256::length_squared(v))), expected);
        }
    }
}
