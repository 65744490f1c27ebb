//! Exact properties of `Rng`: its bits against NumPy's SFC64, its saved form and its ranges.
//! Statistical quality is in `rng_statistics.rs`.

use isostep_core::data::{EmptyRange, Rng};
use isostep_core::math::Real;
use rand_core::{Rng as _, SeedableRng, TryRng};
use std::collections::BTreeSet;

type Key = [u64; 4];

fn keyed([seed, tick, entity, purpose]: Key) -> Rng {
    Rng::keyed(seed, tick, entity, purpose)
}

/// A key and the first four numbers of NumPy 2.4.6 for it. On `g = np.random.SFC64()`, set `g.state
/// = {'bit_generator': 'SFC64', 'state': {'state': np.array([seed, tick, entity, purpose *
/// 0x9e3779b97f4a7c15 % 2**64], dtype=np.uint64)}, 'has_uint32': 0, 'uinteger': 0}`, discard
/// `g.random_raw(12)` and read `g.random_raw(4)`.
const NUMPY: [(Key, [u64; 4]); 5] = [
    (
        [0, 0, 0, 0],
        [
            0x92e8_6baf_3087_3a1b,
            0x3acf_a029_e3cc_6041,
            0xf5b6_515b_f2ee_419c,
            0x1259_6358_94a2_9b61,
        ],
    ),
    (
        [42, 900, 7, 1],
        [
            0x2b8a_0a83_3a51_582d,
            0xb49b_e696_8200_994d,
            0xca50_74d5_4bc1_43e0,
            0x3b9b_57d2_d4f3_03bf,
        ],
    ),
    (
        [1, 2, 3, 4],
        [
            0x4de1_34be_e22c_91ab,
            0x421a_dcac_a675_82a8,
            0xa3c4_c364_ece9_0ed2,
            0xf7e2_3005_152e_a44e,
        ],
    ),
    (
        [u64::MAX, u64::MAX, u64::MAX, u64::MAX],
        [
            0xf3fc_e61a_455b_5dd0,
            0xb7e0_9b78_ba4e_ecb1,
            0xf8e8_0c71_7ba8_a67f,
            0x06b9_8310_fd89_22c9,
        ],
    ),
    (
        [
            0x0123_4567_89ab_cdef,
            0x0000_0001_0000_0000,
            0x0000_0003_0000_0011,
            0xfedc_ba98_7654_3210,
        ],
        [
            0x54e0_9042_246b_6fc5,
            0x7ce5_09b0_6476_40f8,
            0xdb8e_2a8e_a3fb_7221,
            0xd3c3_4eff_1c9a_2c50,
        ],
    ),
];

#[test]
fn streams_match_numpy() {
    for (key, expected) in NUMPY {
        let mut rng = keyed(key);
        assert_eq!([(); 4].map(|()| rng.next_u64()), expected, "{key:?}");
    }
}

#[test]
fn one_number_is_the_key_with_three_zeros() {
    assert_eq!(Rng::new(42), Rng::keyed(42, 0, 0, 0));
    assert_eq!(Rng::seed_from_u64(42), Rng::new(42));
}

#[test]
fn a_seed_of_bytes_is_the_key_in_little_endian_words() {
    let bytes: [u8; 32] = std::array::from_fn(|i| i as u8);
    let words = [
        0x0706_0504_0302_0100,
        0x0f0e_0d0c_0b0a_0908,
        0x1716_1514_1312_1110,
        0x1f1e_1d1c_1b1a_1918,
    ];
    assert_eq!(Rng::from_seed(bytes), keyed(words));
}

#[test]
fn state_is_hashed_as_little_endian_words() {
    let state = r#"{"a":1,"b":258,"c":18446744073709551615,"counter":72057594037927936}"#;
    let rng: Rng = serde_json::from_str(state).unwrap();
    let mut expected = [0; 32];
    expected[0] = 1;
    expected[8..10].copy_from_slice(&[2, 1]);
    expected[16..24].fill(0xff);
    expected[31] = 1;
    assert_eq!(rng.to_bytes(), expected);
}

#[test]
fn a_saved_generator_continues_its_stream() {
    let mut rng = Rng::keyed(1, 2, 3, 4);
    rng.next_u64();
    let json = serde_json::to_string(&rng).unwrap();
    let bytes = postcard::to_stdvec(&rng).unwrap();
    let mut loaded: [Rng; 2] =
        [serde_json::from_str(&json).unwrap(), postcard::from_bytes(&bytes).unwrap()];
    let next = rng.next_u64();
    assert_eq!(loaded.each_mut().map(Rng::next_u64), [next; 2]);
}

#[test]
fn the_traits_of_rand_core_draw_the_same_numbers() {
    let fresh = || Rng::new(5);
    let words: Vec<u64> = NUMPY.iter().scan(fresh(), |rng, _| Some(rng.next_u64())).collect();
    let mut by_trait = fresh();
    assert_eq!(TryRng::try_next_u64(&mut by_trait), Ok(words[0]));
    assert_eq!(rand_core::Rng::next_u64(&mut by_trait), words[1]);
    assert_eq!(TryRng::try_next_u32(&mut by_trait), Ok((words[2] >> 32) as u32));
    assert_eq!(rand_core::Rng::next_u32(&mut by_trait), (words[3] >> 32) as u32);
    let mut bytes = [0; 19];
    fresh().fill_bytes(&mut bytes);
    let expected: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(bytes, expected[..19]);
}

#[test]
fn between_keeps_to_its_range() {
    let bits = [i64::MIN, i64::MIN + 1, -(1 << 32), -1, 0, 1, 1 << 32, i64::MAX - 1, i64::MAX];
    let mut rng = Rng::new(13);
    for (low, high) in bits.iter().flat_map(|low| bits.map(|high| (*low, high))) {
        let (low, high) = (Real::from_bits(low), Real::from_bits(high));
        for _ in 0..200 {
            match rng.between(low, high) {
                Ok(value) => assert!(low <= value && value < high),
                Err(EmptyRange) => assert!(high <= low),
            }
        }
    }
}

#[test]
fn empty_ranges_are_errors_and_draw_nothing() {
    let mut rng = Rng::new(15);
    assert_eq!(rng.below(0), Err(EmptyRange));
    assert_eq!(rng.chance(1, 0), Err(EmptyRange));
    assert_eq!(rng.between(Real::ONE, Real::ONE), Err(EmptyRange));
    assert_eq!(rng.between(Real::MAX, Real::MIN), Err(EmptyRange));
    assert_eq!(rng, Rng::new(15));
}

#[test]
fn directions_have_length_one() {
    let mut rng = Rng::new(18);
    for _ in 0..100_000 {
        let direction = rng.direction().to_bits();
        let square: i128 = direction.iter().map(|c| i128::from(*c).pow(2)).sum();
        // Three components off by half an ulp put the length off by less than one.
        let off = (square - (1 << 64)).abs();
        assert!(off <= 2 << 32, "{direction:?}");
    }
}

#[test]
fn shuffling_keeps_every_item() {
    for len in 0..50 {
        let mut items: Vec<u32> = (0..len).collect();
        Rng::new(u64::from(len)).shuffle(&mut items);
        let kept: BTreeSet<u32> = items.iter().copied().collect();
        assert!(items.len() == kept.len() && kept.into_iter().eq(0..len));
    }
}
