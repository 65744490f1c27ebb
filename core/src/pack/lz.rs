//! LZ4 blocks. The crate has its own encoder because the output must be the same on every target:
//! `lz4_flex` hashes words in native byte order and width, so that the same state packs to other
//! bytes on a big-endian or 32-bit machine. The decoder is `lz4_flex`'s, which checks every length
//! and offset.

/// Shortest match that the format can express.
const MIN_MATCH: usize = 4;
/// The format ends a block with literals. A match ends at least this many bytes before the end of
/// the input.
const LAST_LITERALS: usize = 5;
/// A match begins at least this many bytes before the end of the input.
const MATCH_LIMIT: usize = 12;
/// Largest distance of a match.
const MAX_OFFSET: usize = 0xffff;
/// Bits of a hash: a 16 KB table, which fits the first-level cache.
const HASH_BITS: u32 = 12;
/// After this many misses (as a power of two) the search skips one more byte each time.
const SKIP_SHIFT: usize = 5;

/// Compresses bytes into one LZ4 block.
pub(super) fn compress(input: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(input.len() / 2 + 16);
    let mut literals = 0;
    if input.len() > MATCH_LIMIT {
        // Positions plus one, indexed by the hash of the four bytes there. Zero is empty.
        let mut table = [0u32; 1 << HASH_BITS];
        let last_start = input.len() - MATCH_LIMIT;
        let match_end = input.len() - LAST_LITERALS;
        let (mut at, mut misses) = (0, 0);
        while at <= last_start {
            let word = word(input, at);
            let candidate = (core::mem::replace(&mut table[hash(word)], at as u32 + 1) as usize)
                .checked_sub(1)
                .filter(|&from| at - from <= MAX_OFFSET && self::word(input, from) == word);
            let Some(mut from) = candidate else {
                misses += 1;
                at += 1 + (misses >> SKIP_SHIFT);
                continue;
            };
            // Extends the match backwards over equal bytes that were skipped or hashed to another
            // entry.
            let mut start = at;
            while start > literals && from > 0 && input[start - 1] == input[from - 1] {
                start -= 1;
                from -= 1;
            }
            let offset = start - from;
            let equal = at + MIN_MATCH;
            let end = equal + common(&input[equal..match_end], &input[equal - offset..]);
            sequence(&mut out, &input[literals..start], Some((offset, end - start)));
            (literals, at, misses) = (end, end, 0);
            // The end of a match is often the start of the next match's source.
            if let Some(behind) = end.checked_sub(2).filter(|&behind| behind <= last_start) {
                table[hash(self::word(input, behind))] = behind as u32 + 1;
            }
        }
    }
    sequence(&mut out, &input[literals..], None);
    out
}

/// Decompresses a block into `out`. Returns `None` if the block is damaged or has another length.
pub(super) fn decompress(packed: &[u8], out: &mut [u8]) -> Option<()> {
    let length = lz4_flex::block::decompress_into(packed, out).ok()?;
    (length == out.len()).then_some(())
}

/// Four bytes as a number, in the same byte order on every target.
fn word(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes[at..].first_chunk().expect("the search ends before the last four bytes");
    u32::from_le_bytes(*bytes)
}

/// Knuth's multiplicative hash.
fn hash(word: u32) -> usize {
    (word.wrapping_mul(2_654_435_761) >> (u32::BITS - HASH_BITS)) as usize
}

/// Length of the common prefix, by words of eight bytes.
fn common(a: &[u8], b: &[u8]) -> usize {
    let mut length = 0;
    for (left, right) in a.as_chunks().0.iter().zip(b.as_chunks().0) {
        let (left, right) = (u64::from_le_bytes(*left), u64::from_le_bytes(*right));
        if left != right {
            return length + ((left ^ right).trailing_zeros() / 8) as usize;
        }
        length += 8;
    }
    length + a[length..].iter().zip(&b[length..]).take_while(|(left, right)| left == right).count()
}

/// Appends literals and the match that follows them as (offset, length). The last sequence has no
/// match.
fn sequence(out: &mut Vec<u8>, literals: &[u8], found: Option<(usize, usize)>) {
    let extra = found.map_or(0, |(_, length)| length - MIN_MATCH);
    out.push((literals.len().min(15) << 4 | extra.min(15)) as u8);
    length(out, literals.len());
    out.extend_from_slice(literals);
    if let Some((offset, _)) = found {
        out.extend_from_slice(&(offset as u16).to_le_bytes());
        length(out, extra);
    }
}

/// Appends the part of a length that does not fit into the token's four bits.
fn length(out: &mut Vec<u8>, length: usize) {
    if let Some(mut rest) = length.checked_sub(15) {
        while rest >= 255 {
            out.push(255);
            rest -= 255;
        }
        out.push(rest as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// Runs and copies of earlier bytes between noise, as in states.
    fn sample(seed: u64, length: usize, range: usize) -> Vec<u8> {
        let mut rng = Rng::new(seed);
        let mut below = |bound: usize| rng.below(bound as u32).expect("a range") as usize;
        let mut bytes: Vec<u8> = Vec::new();
        while bytes.len() < length {
            let count = 1 + below(60);
            if bytes.is_empty() || below(2) == 0 {
                bytes.extend((0..count).map(|_| below(range) as u8));
            } else {
                let from = below(bytes.len());
                bytes.extend_from_within(from..(from + count).min(bytes.len()));
            }
        }
        bytes.truncate(length);
        bytes
    }

    fn restored(input: &[u8]) -> Vec<u8> {
        let mut out = vec![0; input.len()];
        decompress(&compress(input), &mut out).expect("a block of ours");
        out
    }

    proptest! {
        #[test]
        fn compress_round_trips(seed: u64, length in 0usize..5000, range in 1usize..=256, bytes in vec(0u8..3, 0..80)) {
            let input = sample(seed, length, range);
            prop_assert_eq!(restored(&input), input);
            prop_assert_eq!(restored(&bytes), bytes);
        }
    }

    #[test]
    fn match_offsets_stay_within_the_format() {
        for distance in [MAX_OFFSET - 1, MAX_OFFSET, MAX_OFFSET + 1, MAX_OFFSET + 2] {
            let mut input = sample(1, 64, 256);
            input.resize(distance, 0);
            input.extend(sample(1, 64, 256));
            assert_eq!(restored(&input), input, "{distance}");
        }
    }

    /// `lz4_flex` packed the same state to other bytes on s390x, so a recording of a match had
    /// other bytes there. These digests were computed on x86-64; every target runs this test or
    /// compares recordings.
    #[test]
    fn output_is_the_same_on_every_target() {
        let digest = |bytes: &[u8]| blake3::hash(&compress(bytes)).to_hex()[..16].to_owned();
        let found = [sample(1, 300, 256), sample(2, 20_000, 3), sample(3, 200_000, 256)];
        assert_eq!(
            found.map(|bytes| digest(&bytes)),
            ["5a0833ee173b4fcc", "36215c426ca7c3a8", "09de8a5273e5d86d"]
        );
    }

    #[test]
    fn packs_blocks_about_as_small_as_lz4_flex() {
        for (seed, length, range) in [(1, 2_000, 4), (2, 32_000, 256), (3, 32_000, 3)] {
            let input = sample(seed, length, range);
            let (ours, theirs) = (compress(&input).len(), lz4_flex::block::compress(&input).len());
            assert!(ours * 100 <= theirs * 102, "{ours} bytes, lz4_flex {theirs}");
        }
    }
}
