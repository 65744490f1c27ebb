//! Modelled columns: each byte of a column is coded bit by bit with adaptive chances, which depend on the bits before it
//! and on whether the byte of the same row in the column before (the next higher one of a number) is zero.
//!
//! A column that is constant takes two bytes, one that looks random is stored. The coder is a carry-less range coder in 32
//! bits; the decoder reads zeros behind the end, so that it is total.

use core::ops::Range;

/// A column has one value only, which follows.
const CONSTANT: u8 = 0;
const STORED: u8 = 1;
const MODELLED: u8 = 2;

/// Updates until a chance moves at its slowest; less learns faster, more settles finer. 40 was best on the bin, by little.
const SETTLED: u8 = 40;

/// How far a chance moves to what it saw, in 1/65536, by how often it saw something: 1/(n + 1.5).
const RATES: [u32; SETTLED as usize + 1] = {
    let mut rates = [0; SETTLED as usize + 1];
    let mut n = 0;
    while n < rates.len() {
        rates[n] = 65536 * 2 / (2 * n as u32 + 3);
        n += 1;
    }
    rates
};

/// The chance of a one, in 1/65536, and how often it was updated.
#[derive(Clone, Copy)]
struct Chance {
    one: u16,
    seen: u8,
}

impl Chance {
    const EVEN: Self = Self { one: 1 << 15, seen: 0 };

    /// Never certain, so that a surprise costs eleven bits and not the block.
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

/// Chances for the bits of a byte, in a heap; one set for each context.
type Chances = [[Chance; 256]; 2];
const FRESH: Chances = [[Chance::EVEN; 256]; 2];

/// The part of the range that stands for a one ends here.
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

    /// Enough bytes that zeros behind them, or anything else, stay in the range.
    fn finish(mut self) -> Vec<u8> {
        self.out.extend(self.high.to_be_bytes());
        self.out
    }
}

struct Decoder<'a> {
    low: u32,
    high: u32,
    code: u32,
    bytes: &'a [u8],
}

impl<'a> Decoder<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self { low: 0, high: u32::MAX, code: 0, bytes };
        (0..4).for_each(|_| decoder.shift());
        decoder
    }

    #[inline]
    fn shift(&mut self) {
        let (next, rest) = self.bytes.split_first().map_or((0, self.bytes), |(b, rest)| (*b, rest));
        self.bytes = rest;
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

/// The columns of a block, or the one piece of a column that it is.
fn columns(range: Range<usize>, rows: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(rows.max(1)).map(move |start| start..end.min(start + rows))
}

/// What is known about a byte before it is coded.
#[inline]
fn context(planes: &[u8], at: usize, rows: usize) -> usize {
    at.checked_sub(rows).map_or(0, |above| usize::from(planes[above] != 0))
}

/// Whether bytes are spread so evenly that a model would only cost: by the sum of squares of their counts.
fn looks_random(column: &[u8]) -> bool {
    let mut counts = [0u64; 256];
    column.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let length = column.len() as u64;
    let squares: u64 = counts.iter().map(|count| count * count).sum();
    // Even bytes give length + length²/256; an eighth above is a twelfth of a bit a byte.
    length > 64 && squares < length + length * length / 256 * 9 / 8
}

/// Codes a block of the planes: for each column how it is coded, then what is stored, then what is modelled.
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

/// Decodes a block into the planes; what comes before it must be there. `None` when the bytes are no such block.
pub(super) fn decode(
    packed: &[u8],
    planes: &mut [u8],
    range: Range<usize>,
    rows: usize,
) -> Option<()> {
    let mut head = packed;
    let mut next = || {
        let (byte, rest) = head.split_first()?;
        head = rest;
        Some(*byte)
    };
    let mut kinds = Vec::new();
    for column in columns(range, rows) {
        let kind = next()?;
        match kind {
            CONSTANT => planes[column.clone()].fill(next()?),
            STORED | MODELLED => {}
            _ => return None,
        }
        kinds.push((kind, column));
    }
    for (_, column) in kinds.iter().filter(|(kind, _)| *kind == STORED) {
        let (bytes, rest) = head.split_at_checked(column.len())?;
        planes[column.clone()].copy_from_slice(bytes);
        head = rest;
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
