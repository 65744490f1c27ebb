//! Modelled columns: each byte of a column is coded bit by bit with adaptive probabilities. The
//! context is the preceding bits of the byte, and whether the byte of the same row in the previous
//! column (the next higher byte of a number) is zero.
//!
//! A constant column takes two bytes; a column that looks random is stored. The coder is a
//! carry-less 32-bit range coder. The decoder reads zeros past the end, so it is total.
//!
//! The coder of input windows (`rollback/src/window/coder.rs`) is another algorithm: it propagates
//! carries and omits trailing zeros, which saves bytes in small packets. Both define formats, so
//! neither can replace the other.

use crate::bytes::Reader;
use core::ops::Range;

/// Column with a single value, which follows.
const CONSTANT: u8 = 0;
const STORED: u8 = 1;
const MODELLED: u8 = 2;

/// Updates until a probability adapts at its slowest rate. Lower values adapt faster, higher ones
/// converge more precisely. 40 was best on the bin scene, by a small margin.
const SETTLED: u8 = 40;

/// Adaptation rates in 1/65536, by number of updates: 1/(n + 1.5).
const RATES: [u32; SETTLED as usize + 1] = {
    let mut rates = [0; SETTLED as usize + 1];
    let mut n = 0;
    while n < rates.len() {
        rates[n] = 65536 * 2 / (2 * n as u32 + 3);
        n += 1;
    }
    rates
};

/// Probability of a one, in 1/65536, and its number of updates.
#[derive(Clone, Copy)]
struct Chance {
    one: u16,
    seen: u8,
}

impl Chance {
    const EVEN: Self = Self { one: 1 << 15, seen: 0 };

    /// Clamped away from certainty, so that an unexpected bit costs eleven bits and not the block.
    #[inline]
    fn one(self) -> u32 {
        u32::from(self.one).clamp(24, 65536 - 24)
    }

    #[inline]
    fn learn(&mut self, bit: bool) {
        let rate = RATES[usize::from(self.seen)];
        let one = u32::from(self.one);
        let part = |whole: u32| (whole * rate) >> 16;
        self.one = if bit { one + part(65535 - one) } else { one - part(one) } as u16;
        self.seen += u8::from(self.seen < SETTLED);
    }
}

/// Probabilities of the bits of a byte, as a binary heap; one set per context.
type Chances = [[Chance; 256]; 2];
const FRESH: Chances = [[Chance::EVEN; 256]; 2];

/// Upper end of the part of the range that encodes a one.
#[inline]
fn split(low: u32, high: u32, chance: Chance) -> u32 {
    low + ((u64::from(high - low) * u64::from(chance.one())) >> 16) as u32
}

struct Encoder {
    low: u32,
    high: u32,
    out: Vec<u8>,
}

impl Encoder {
    #[inline]
    fn byte(&mut self, chances: &mut [Chance; 256], byte: u8) {
        let mut node = 1usize;
        for place in (0..8).rev() {
            let bit = byte >> place & 1 == 1;
            let middle = split(self.low, self.high, chances[node]);
            if bit {
                self.high = middle;
            } else {
                self.low = middle + 1;
            }
            chances[node].learn(bit);
            node = node * 2 + usize::from(bit);
            while (self.low ^ self.high) >> 24 == 0 {
                self.out.push((self.high >> 24) as u8);
                self.low <<= 8;
                self.high = self.high << 8 | 0xff;
            }
        }
    }

    /// Appends enough bytes that the value stays in the range, whatever bytes follow.
    fn finish(mut self) -> Vec<u8> {
        self.out.extend(self.high.to_be_bytes());
        self.out
    }
}

struct Decoder<'a> {
    low: u32,
    high: u32,
    code: u32,
    bytes: Reader<'a>,
}

impl<'a> Decoder<'a> {
    fn new(bytes: Reader<'a>) -> Self {
        let mut decoder = Self { low: 0, high: u32::MAX, code: 0, bytes };
        (0..4).for_each(|_| decoder.shift());
        decoder
    }

    #[inline]
    fn shift(&mut self) {
        let next = self.bytes.u8().unwrap_or(0);
        self.code = self.code << 8 | u32::from(next);
    }

    #[inline]
    fn byte(&mut self, chances: &mut [Chance; 256]) -> u8 {
        let mut node = 1usize;
        while node < 256 {
            let middle = split(self.low, self.high, chances[node]);
            let bit = self.code <= middle;
            if bit {
                self.high = middle;
            } else {
                self.low = middle + 1;
            }
            chances[node].learn(bit);
            node = node * 2 + usize::from(bit);
            while (self.low ^ self.high) >> 24 == 0 {
                self.low <<= 8;
                self.high = self.high << 8 | 0xff;
                self.shift();
            }
        }
        node as u8
    }
}

/// The columns of a block, or the single part of a column in it.
fn columns(range: Range<usize>, rows: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(rows.max(1)).map(move |start| start..end.min(start + rows))
}

/// Context of a byte: 1 if the byte before it in the row is not zero.
#[inline]
fn context(planes: &[u8], at: usize, rows: usize) -> usize {
    at.checked_sub(rows).map_or(0, |above| usize::from(planes[above] != 0))
}

/// Returns `true` if the byte distribution is so even that a model would only add bytes. Uses the
/// sum of squared counts.
fn looks_random(column: &[u8]) -> bool {
    let mut counts = [0u64; 256];
    column.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let length = column.len() as u64;
    let squares: u64 = counts.iter().map(|count| count * count).sum();
    // A uniform distribution gives length + length²/256. An eighth above that saves a twelfth of a
    // bit per byte.
    length > 64 && squares < length + length * length / 256 * 9 / 8
}

/// Encodes a block of the planes: the kind of each column, then the stored bytes, then the modelled
/// ones.
pub(super) fn encode(planes: &[u8], range: Range<usize>, rows: usize) -> Vec<u8> {
    let mut head = Vec::new();
    let mut stored = Vec::new();
    let mut encoder = Encoder { low: 0, high: u32::MAX, out: Vec::new() };
    for column in columns(range, rows) {
        let bytes = &planes[column.clone()];
        if bytes.iter().all(|byte| *byte == bytes[0]) {
            head.extend([CONSTANT, bytes[0]]);
        } else if looks_random(bytes) {
            head.push(STORED);
            stored.extend_from_slice(bytes);
        } else {
            head.push(MODELLED);
            let mut chances = FRESH;
            for at in column {
                encoder.byte(&mut chances[context(planes, at, rows)], planes[at]);
            }
        }
    }
    head.extend(stored);
    head.extend(encoder.finish());
    head
}

/// Decodes a block into the planes; the planes before it must be complete. `None` if the bytes are
/// not such a block.
pub(super) fn decode(
    packed: &[u8],
    planes: &mut [u8],
    range: Range<usize>,
    rows: usize,
) -> Option<()> {
    let mut head = Reader::new(packed);
    let mut kinds = Vec::new();
    for column in columns(range, rows) {
        let kind = head.u8()?;
        match kind {
            CONSTANT => planes[column.clone()].fill(head.u8()?),
            STORED | MODELLED => {}
            _ => return None,
        }
        kinds.push((kind, column));
    }
    for (_, column) in kinds.iter().filter(|(kind, _)| *kind == STORED) {
        planes[column.clone()].copy_from_slice(head.take(column.len())?);
    }
    let mut decoder = Decoder::new(head);
    for (_, column) in kinds.into_iter().filter(|(kind, _)| *kind == MODELLED) {
        let mut chances = FRESH;
        for at in column {
            let context = context(planes, at, rows);
            planes[at] = decoder.byte(&mut chances[context]);
        }
    }
    Some(())
}
