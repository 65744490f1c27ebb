//! `pack`: images round-trip, small changes pack small at any position, and untrusted bytes never
//! panic, exceed the limit or pass as other bytes.

use isostep_core::Rng;
use isostep_core::digest::ShortDigest;
use isostep_core::internals::BitSet;
use isostep_core::internals::pack::{
    Effort, Image, PackError, Segment, Segments, UnpackError, Unpacked, inspect, pack, unpack,
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;

use crate::fuzz::{self, LAYOUT};

const LIMIT: usize = 1 << 20;

/// Bytes with segments: ids, rows and content.
fn image() -> impl Strategy<Value = Unpacked> {
    let content = prop_oneof![Just(0..1u8), Just(0..3u8), Just(0..255u8)];
    let segment =
        (1..9u32, 0..60u32, 0..4u32, content).prop_flat_map(|(row, rows, key, content)| {
            let bytes = vec(content, (row * rows) as usize);
            (Just(row), Just(key.min(row)), bytes)
        });
    (vec(segment, 0..6), 0..3u32).prop_map(|(segments, first)| {
        let mut whole = Unpacked { bytes: Vec::new(), segments: Segments::default() };
        for (id, (row, key, bytes)) in (first..).zip(segments) {
            let segment = Segment::rows(id, bytes.len() as u32, row).keyed(key);
            whole.segments.push(segment);
            whole.bytes.extend(bytes);
        }
        whole
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn images_round_trip(new in image(), old in proptest::option::of(image()), fast in any::<bool>()) {
        let effort = if fast { Effort::Fast } else { Effort::Small };
        let baseline = old.as_ref().map(Unpacked::image);
        let packed = pack(7, new.image(), baseline, effort).unwrap();
        let unpacked = unpack(&packed, 7, baseline, new.bytes.len());
        prop_assert_eq!(unpacked.as_ref(), Ok(&new));
        let said = inspect(&packed).unwrap();
        prop_assert_eq!((said.layout, said.digest), (7, new.image().digest()));
        prop_assert_eq!(said.baseline, old.as_ref().map(|old| old.image().digest()));
    }

    #[test]
    fn truncated_and_extended_packs_are_refused(new in image(), cut in any::<prop::sample::Index>()) {
        let mut packed = pack(7, new.image(), None, Effort::Small).unwrap();
        let cut = cut.index(packed.len());
        let error = unpack(&packed[..cut], 7, None, LIMIT).unwrap_err();
        prop_assert!(matches!(error, UnpackError::Truncated { .. }), "{error}");
        packed.push(0);
        prop_assert_eq!(unpack(&packed, 7, None, LIMIT), Err(UnpackError::Trailing { extra: 1 }));
    }
}

/// Rows of 24 bytes like those of bodies: a key, a position, noise.
fn bodies(keys: impl Iterator<Item = u32>, tick: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for key in keys {
        let mut rng = Rng::keyed(1, 0, u64::from(key), 0);
        bytes.extend(key.to_le_bytes());
        for _ in 0..2 {
            let place = rng.next_u64() >> 20;
            bytes.extend((place + tick * (place % 5)).to_le_bytes());
        }
        bytes.extend([0; 4]);
    }
    bytes
}

fn whole(bytes: Vec<u8>, segments: impl IntoIterator<Item = Segment>) -> Unpacked {
    Unpacked { bytes, segments: segments.into_iter().collect() }
}

fn packed_len(new: &Unpacked, old: Option<&Unpacked>, effort: Effort) -> usize {
    let baseline = old.map(Unpacked::image);
    let packed = pack(0, new.image(), baseline, effort).unwrap();
    assert_eq!(unpack(&packed, 0, baseline, LIMIT).as_ref(), Ok(new));
    packed.len()
}

#[test]
fn an_unchanged_state_takes_few_bytes() {
    let bytes = bodies(0..4000, 0);
    let rows = whole(bytes.clone(), [Segment::rows(0, bytes.len() as u32, 24).keyed(4)]);
    assert!(packed_len(&rows, Some(&rows), Effort::Small) < 150);
}

#[test]
fn keyed_rows_match_at_any_position() {
    let rows = |bytes: Vec<u8>| {
        let segment = Segment::rows(0, bytes.len() as u32, 24).keyed(4);
        whole(bytes, [segment])
    };
    let old = rows(bodies(0..1000, 0));
    let keys = || (0..1100).filter(|key| key % 97 != 5);
    let (still, moved) = (rows(bodies(keys(), 0)), rows(bodies(keys(), 1)));
    let alone = packed_len(&still, None, Effort::Small);
    // A hundred rows are new; ten are removed.
    assert!(packed_len(&still, Some(&old), Effort::Small) < alone / 7);
    assert!(packed_len(&moved, Some(&old), Effort::Small) < alone / 3);
    // Compared by position instead of by key, the rows do not match.
    let strangers = whole(still.bytes.clone(), [Segment::rows(0, still.bytes.len() as u32, 24)]);
    let old = whole(old.bytes, [Segment::rows(0, 24_000, 24)]);
    assert!(packed_len(&strangers, Some(&old), Effort::Small) > alone / 2);
}

#[test]
fn a_grown_segment_does_not_shift_later_ones() {
    let pages = |counts: [u32; 3]| {
        let bytes = counts.iter().zip(0..).map(|(n, page)| bodies(page * 500..page * 500 + n, 0));
        let bytes: Vec<Vec<u8>> = bytes.collect();
        let segments =
            bytes.iter().zip(0..).map(|(page, id)| Segment::rows(id, page.len() as u32, 24));
        whole(bytes.concat(), segments.collect::<Vec<_>>())
    };
    let (old, new) = (pages([300, 300, 300]), pages([301, 300, 299]));
    assert!(packed_len(&new, Some(&old), Effort::Small) < 300);
    // Segments may also change their order, or disappear.
    let (a, b) = (bodies(0..200, 0), bodies(500..700, 0));
    let length = a.len() as u32;
    let cut = |ids: [u32; 2]| ids.map(|id| Segment::bytes(id, length));
    let old = whole([a.clone(), b.clone()].concat(), cut([8, 3]));
    let new = whole([b, a].concat(), cut([3, 8]));
    assert!(packed_len(&new, Some(&old), Effort::Small) < 300);
}

#[test]
fn plain_bytes_match_around_an_insertion() {
    let old = bodies(0..500, 0);
    let mut new = old.clone();
    new.splice(6000..6000, [1, 2, 3]);
    let plain = |bytes: Vec<u8>| {
        let segments = Segments::whole(&bytes);
        Unpacked { bytes, segments }
    };
    let (old, new) = (plain(old), plain(new));
    assert!(packed_len(&new, Some(&old), Effort::Small) < 400);
    assert!(packed_len(&old, Some(&new), Effort::Small) < 400);
}

/// Without the models `Small` would be no smaller than `Fast`; without columns plain bytes would be
/// as small.
#[test]
fn models_and_columns_reduce_size() {
    let bytes = bodies(0..3000, 0);
    let rows = whole(bytes.clone(), [Segment::rows(0, bytes.len() as u32, 24)]);
    let plain = Unpacked { segments: Segments::whole(&bytes), bytes };
    let [small, fast] = [Effort::Small, Effort::Fast].map(|effort| packed_len(&rows, None, effort));
    assert!(small * 20 < fast * 19, "{small} {fast}");
    assert!(fast < packed_len(&plain, None, Effort::Fast));
    // Random columns cost only their header.
    let noise: Vec<u8> =
        (0..5000).flat_map(|i| Rng::keyed(3, i, 0, 0).next_u64().to_le_bytes()).collect();
    let noise = Unpacked { segments: Segments::whole(&noise), bytes: noise };
    assert!(packed_len(&noise, None, Effort::Small) < noise.bytes.len() + 200);
}

fn sample() -> (Unpacked, Unpacked, [Vec<u8>; 2]) {
    let (bytes, segments) = fuzz::baseline();
    let old = Unpacked { bytes, segments };
    let mut new = old.clone();
    for at in [3, 4, 90, 91, 200, 340, 341] {
        new.bytes[at] = new.bytes[at].wrapping_mul(7).wrapping_add(3);
    }
    let packs = [None, Some(old.image())]
        .map(|baseline| pack(LAYOUT, new.image(), baseline, Effort::Small).unwrap());
    (old, new, packs)
}

#[test]
fn every_flipped_bit_is_detected() {
    let (old, _, packs) = sample();
    for packed in packs {
        let mut named = BitSet::new();
        for bit in 0..packed.len() * 8 {
            let mut damaged = packed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            match unpack(&damaged, LAYOUT, Some(old.image()), LIMIT) {
                Ok(_) => panic!("bit {bit} of {} is not checked", packed.len()),
                Err(UnpackError::Block { block }) => _ = named.insert(block),
                Err(_) => {}
            }
        }
        assert!(!named.is_empty(), "no damage was attributed to a block");
    }
}

#[test]
fn a_damaged_block_is_named() {
    let bytes = bodies(0..4000, 0);
    let rows = whole(bytes.clone(), [Segment::rows(0, bytes.len() as u32, 24)]);
    let mut packed = pack(0, rows.image(), None, Effort::Small).unwrap();
    *packed.last_mut().unwrap() ^= 1;
    // 24 columns of 4,000 rows, eight to a block of at most 32 KB.
    assert_eq!(unpack(&packed, 0, None, LIMIT), Err(UnpackError::Block { block: 2 }));
}

#[test]
fn each_kind_of_mismatch_has_its_error() {
    let (old, new, [key, delta]) = sample();
    let (needed, given) = (old.image().digest(), new.image().digest());
    let cases = [
        (unpack(b"JPAK\x01", LAYOUT, None, LIMIT), UnpackError::Magic),
        (unpack(&[], LAYOUT, None, LIMIT), UnpackError::Truncated { missing: 4 }),
        (
            unpack(&[&b"IPAK\x07"[..], &key[5..]].concat(), LAYOUT, None, LIMIT),
            UnpackError::Version { found: 7, known: 1 },
        ),
        (unpack(&key, 5, None, LIMIT), UnpackError::Layout { found: LAYOUT, expected: 5 }),
        (unpack(&key, LAYOUT, None, 419), UnpackError::TooLong { length: 420, limit: 419 }),
        (unpack(&delta, LAYOUT, None, LIMIT), UnpackError::NoBaseline { needed }),
        (
            unpack(&delta, LAYOUT, Some(new.image()), LIMIT),
            UnpackError::WrongBaseline { needed, given },
        ),
    ];
    for (got, expected) in cases {
        assert_eq!(got, Err(expected));
    }
    // A keyframe ignores a baseline, and the same bytes with other segments are another baseline.
    assert_eq!(unpack(&key, LAYOUT, Some(old.image()), LIMIT), Ok(new));
    let recut = Unpacked { segments: Segments::whole(&old.bytes), bytes: old.bytes };
    let error = unpack(&delta, LAYOUT, Some(recut.image()), LIMIT).unwrap_err();
    assert!(matches!(error, UnpackError::WrongBaseline { .. }));
}

#[test]
fn segments_that_do_not_fit_are_refused() {
    let bytes = vec![0; 10];
    let refused = |segments: &[Segment]| {
        let segments = segments.iter().copied().collect();
        pack(0, Image { bytes: &bytes, segments: &segments }, None, Effort::Fast).unwrap_err()
    };
    assert_eq!(refused(&[Segment::bytes(0, 9)]), PackError::Cover { covered: 9, length: 10 });
    assert_eq!(refused(&[Segment::rows(4, 10, 3)]), PackError::Rows { id: 4 });
    assert_eq!(refused(&[Segment::rows(4, 10, 0)]), PackError::Rows { id: 4 });
    assert_eq!(refused(&[Segment::rows(4, 10, 5).keyed(6)]), PackError::Rows { id: 4 });
    assert_eq!(
        refused(&[Segment::bytes(1, 5), Segment::bytes(1, 5)]),
        PackError::IdTwice { id: 1 }
    );
    let many: Vec<_> =
        (1..30_000).map(|id| Segment::bytes(id, 0)).chain([Segment::bytes(0, 10)]).collect();
    assert_eq!(refused(&many), PackError::TooManySegments { count: 30_000 });
    // An empty segment may have rows of any length, at no cost.
    let empty = whole(Vec::new(), [Segment::rows(0, 0, u32::MAX)]);
    packed_len(&empty, Some(&empty), Effort::Small);
}

/// Claimed lengths are checked before they cost memory, although the digests are correct.
#[test]
fn hostile_lengths_are_refused() {
    let (old, _, [key, delta]) = sample();
    for packed in [&key, &delta] {
        // Header length, image length, plan length, packed plan length; then the first bytes of the plan.
        for at in [5, 34, 71, 75, 79, 80, 81, 82] {
            for value in [0, 1, 0xffff, 0x7fff_ffff, u32::MAX] {
                let mut lying = packed.clone();
                lying[at..at + 4].copy_from_slice(&u32::to_le_bytes(value));
                fuzz::seal(&mut lying);
                let result = unpack(&lying, LAYOUT, Some(old.image()), 4096);
                assert!(result.is_err() || lying == **packed, "{at} {value}: {result:?}");
            }
        }
    }
}

/// Changes bytes at random positions: flips, copies, insertions, removals.
fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..=rng.next_u64() % 3 {
        let length = bytes.len() as u64;
        let at = (rng.next_u64() % length) as usize;
        match rng.next_u64() % 6 {
            0 => bytes[at] ^= 1 << (rng.next_u64() % 8),
            1 => bytes[at] = rng.next_u64() as u8,
            2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][(rng.next_u64() % 5) as usize],
            3 => bytes.insert(at, rng.next_u64() as u8),
            4 if length > 1 => _ = bytes.remove(at),
            _ => bytes[at] = bytes[(rng.next_u64() % length) as usize],
        }
    }
}

/// 300,000 inputs, each as it is and with corrected digests, with and without a baseline.
#[test]
fn mutated_packs_never_panic_or_exceed_the_limit() {
    let (old, _, [key, delta]) = sample();
    let fast = pack(LAYOUT, old.image(), None, Effort::Fast).unwrap();
    let tiny = pack(LAYOUT, whole(vec![1, 2], [Segment::bytes(0, 2)]).image(), None, Effort::Fast);
    let seeds = [key, delta, fast, tiny.unwrap()];
    let mut rng = Rng::keyed(5, 0, 0, 0);
    let mut answers = BTreeSet::new();
    for round in 0..300_000 {
        let mut bytes = seeds[round % seeds.len()].clone();
        mutate(&mut bytes, &mut rng);
        fuzz::unpack(&bytes);
        if round < 20_000 {
            fuzz::seal(&mut bytes);
            let answer = unpack(&bytes, LAYOUT, Some(old.image()), 4096).err();
            let answer = format!("{answer:?}");
            answers.extend(answer.split([' ', ')']).next().map(str::to_owned));
        }
    }
    // Mutation reaches every check, including the last one.
    for kind in [
        "Magic",
        "Version",
        "Truncated",
        "Trailing",
        "Header",
        "Layout",
        "TooLong",
        "WrongBaseline",
        "Plan",
        "Block",
        "Content",
    ] {
        assert!(answers.contains(&format!("Some({kind}")), "{kind} is not in {answers:?}");
    }
}

#[test]
fn the_format_matches_its_description() {
    let image = whole(vec![9, 9, 9], [Segment::bytes(4, 3)]);
    let packed = pack(0x0102, image.image(), None, Effort::Small).unwrap();
    let digest = image.image().digest();
    let expected = [
        &b"IPAK\x01"[..],
        &(packed.len() as u32 - 25 - 3).to_le_bytes(),
        &packed[9..25],
        &[0, 2, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0],
        &digest.to_bytes(),
        &ShortDigest::default().to_bytes(),
        // Plan, stored: own segments, one of them, id 4, three bytes, rows of one, no key.
        &[1, 6, 0, 0, 0, 6, 0, 0, 0, 0, 1, 4, 3, 1, 0],
        // One block, stored.
        &[1, 0, 0, 0, 1, 3, 0, 0, 0],
        &packed[packed.len() - 19..packed.len() - 3],
        &[9, 9, 9],
    ];
    assert_eq!(packed, expected.concat());
}
