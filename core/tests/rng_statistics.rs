//! Statistical quality of `Rng`: between keys, between draws, and over the ranges of its methods.
//! Every statistic has fixed seeds and, unless stated otherwise, a limit that a fair generator
//! exceeds once in a million.

use isostep_core::data::Rng;
use isostep_core::math::Real;
use std::collections::BTreeMap;

type Key = [u64; 4];

fn keyed([seed, tick, entity, purpose]: Key) -> Rng {
    Rng::keyed(seed, tick, entity, purpose)
}

/// Typical keys of games: small numbers, close together.
fn small_keys() -> impl Iterator<Item = Key> {
    (0..12u64.pow(4)).map(|i| [i % 12, i / 12 % 12, i / 144 % 12, i / 1728])
}

// Two of these 165 888 numbers of 64 bits are equal by chance once in 10⁹ tries.
#[test]
fn streams_of_small_keys_have_no_number_in_common() {
    let mut seen = BTreeMap::new();
    for key in small_keys() {
        let mut rng = keyed(key);
        for draw in 0..8 {
            let before = seen.insert(rng.next_u64(), (key, draw));
            assert_eq!(before, None, "repeated by draw {draw} of {key:?}");
        }
    }
}

/// `SplitMix64`, an independent generator for choosing keys.
fn scramble(index: u64) -> u64 {
    let mut z = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Flips each bit of 4096 keys and expects each bit of the first output to flip about 2048 times.
/// One standard deviation is 32. The worst of 16 384 fair counts exceeds six of them once in 30 000
/// tries.
fn assert_avalanche(key_of: impl Fn(u64) -> Key) {
    for flipped in 0..256 {
        let mut flips = [0i32; 64];
        for index in 0..4096 {
            let key = key_of(index);
            let mut other = key;
            other[flipped / 64] ^= 1 << (flipped % 64);
            let change = keyed(key).next_u64() ^ keyed(other).next_u64();
            for (bit, count) in flips.iter_mut().enumerate() {
                *count += (change >> bit & 1) as i32;
            }
        }
        for (bit, count) in flips.into_iter().enumerate() {
            let off = (count - 2048).abs();
            assert!(off <= 6 * 32, "key bit {flipped} flips output bit {bit}: {count} of 4096");
        }
    }
}

#[test]
fn any_key_bit_flips_any_output_bit_half_of_the_time() {
    assert_avalanche(|i| std::array::from_fn(|word| scramble(4 * i + word as u64 + 1)));
}

#[test]
fn key_bits_are_as_strong_among_small_keys() {
    assert_avalanche(|i| [i % 8, i / 8 % 8, i / 64 % 8, i / 512]);
}

/// Checks that counts are as even as expected: Pearson's sum, multiplied by the expected count so
/// that it stays whole, against its limit for one in a million.
fn assert_even(counts: &[u64], limit: u64, what: &str) {
    let total: u64 = counts.iter().sum();
    let expected = total / counts.len() as u64;
    assert_eq!(expected * counts.len() as u64, total, "the bins divide the draws");
    let squares: u64 = counts.iter().map(|n| n.abs_diff(expected).pow(2)).sum();
    assert!(squares <= limit * expected, "{what}: {} over {limit}", squares / expected);
}

/// The limit of Pearson's sum for 256 bins.
const BYTE_LIMIT: u64 = 371;

#[test]
fn neighbouring_keys_draw_unrelated_numbers() {
    for word in 0..4 {
        let first = |step: u64| {
            let mut key = [7, 1000, 3, 2];
            key[word] += step;
            keyed(key).next_u64()
        };
        let mut counts = [[0; 256]; 5];
        for step in 0..1 << 16 {
            let (this, next) = (first(step), first(step + 1));
            let pair = this >> 60 << 4 | next >> 60;
            let (change, drift) = (this ^ next, next.wrapping_sub(this) >> 56);
            for (bins, sample) in counts.iter_mut().zip([this, this >> 56, change, pair, drift]) {
                bins[sample as usize & 255] += 1;
            }
        }
        let names = ["low byte", "high byte", "change", "pair", "drift"];
        for (bins, name) in counts.iter().zip(names) {
            assert_even(bins, BYTE_LIMIT, &format!("{name} along key word {word}"));
        }
    }
}

#[test]
fn numbers_below_a_bound_are_equally_likely() {
    for (bound, limit) in [(1, 0), (3, 27), (7, 38), (256, BYTE_LIMIT), (1000, 1223)] {
        let mut rng = Rng::new(11);
        let mut counts = vec![0; bound as usize];
        for _ in 0..bound * 1000 {
            counts[rng.below(bound).unwrap() as usize] += 1;
        }
        assert_even(&counts, limit, &format!("below {bound}"));
    }
}

// With 2⁶⁴ draws for 3 · 2⁶² places, every third place would get two unless some are drawn again.
#[test]
fn wide_ranges_have_no_modulo_bias() {
    let end = Real::from_bits(3 << 61);
    let mut rng = Rng::new(12);
    let mut counts = [0; 3];
    for _ in 0..30_000 {
        let place = rng.between(-end, end).unwrap().to_bits().wrapping_add(3 << 61) as u64;
        counts[(place % 3) as usize] += 1;
    }
    assert_even(&counts, 27, "places modulo three");
}

#[test]
fn between_is_even_over_a_range_around_zero() {
    let (low, high) = (Real::from_bits(-3), Real::from_bits(4));
    let mut rng = Rng::new(14);
    let mut counts = [0; 7];
    for _ in 0..7000 {
        counts[(rng.between(low, high).unwrap().to_bits() + 3) as usize] += 1;
    }
    assert_even(&counts, 38, "seven ulps");
}

// The standard deviation of the count is 125; six are allowed.
#[test]
fn chance_matches_its_probability() {
    let mut rng = Rng::new(16);
    let hits = (0..75_000).filter(|_| rng.chance(3, 10).unwrap()).count();
    assert!(hits.abs_diff(22_500) <= 750, "{hits}");
    assert!((0..1000).all(|_| !rng.chance(0, 5).unwrap() && rng.chance(5, 5).unwrap()));
}

#[test]
fn unit_is_even_over_zero_to_one() {
    let mut rng = Rng::new(17);
    let (mut high, mut low) = ([0; 256], [0; 256]);
    for _ in 0..256_000 {
        let unit = rng.unit();
        assert!(Real::ZERO <= unit && unit < Real::ONE);
        high[unit.to_bits() as usize >> 24] += 1;
        low[unit.to_bits() as usize & 255] += 1;
    }
    assert_even(&high, BYTE_LIMIT, "256ths");
    assert_even(&low, BYTE_LIMIT, "ulps");
}

// On a sphere, slices of equal height have equal area, along any axis.
#[test]
fn directions_cover_the_sphere_evenly() {
    let mut rng = Rng::new(19);
    let mut slices = [[0; 256]; 3];
    let mut octants = [0; 8];
    let mut sums = [0; 3];
    for _ in 0..256_000 {
        let direction = rng.direction().to_bits();
        let mut octant = 0;
        for axis in 0..3 {
            let slice = (direction[axis] + (1 << 32)) >> 25;
            slices[axis][slice.min(255) as usize] += 1;
            sums[axis] += direction[axis];
            octant = octant * 2 + usize::from(direction[axis] < 0);
        }
        octants[octant] += 1;
    }
    for bins in &slices {
        assert_even(bins, BYTE_LIMIT, "slices");
    }
    assert_even(&octants, 41, "octants");
    // A component's standard deviation is 1/√3; six of them over √256 000 are 0.00685.
    for sum in sums {
        assert!((sum / 256_000).abs() < (1 << 32) * 7 / 1000, "{sum}");
    }
}

#[test]
fn every_order_is_as_likely_as_any_other() {
    let mut rng = Rng::new(20);
    let mut counts = BTreeMap::new();
    for _ in 0..24_000 {
        let mut items = [0, 1, 2, 3];
        rng.shuffle(&mut items);
        *counts.entry(items).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 24);
    assert_even(&counts.into_values().collect::<Vec<u64>>(), 71, "orders");
}
