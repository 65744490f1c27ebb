//! Binary range coder: codes yes-or-no decisions, each in as many bits as its information content.
//!
//! Its output is the last part of a packet: it has no end marker, and past the end a reader sees zeros. The probability
//! model is in `model.rs`; `SPEC.md` specifies every bit. Packed states (`core/src/pack/model.rs`) have a coder without
//! carries, with other bytes: four more at the end, which a packet can't afford and a block does not notice.

/// Minimum of the range between two decisions; below it, a byte is written.
const RANGE_MIN: u32 = 1 << 24;
/// Zero bytes read past the end before the bytes count as malformed: the four that a reader reads ahead, and four that
/// a writer may omit.
const IMAGINED_MAX: usize = 8;
/// Adaptation rate of a probability: each decision moves it by 1/8 of the distance. Slower was worse for windows of six
/// to twelve ticks; faster at first gained 1 % and would complicate the specification.
const LEARN_SHIFT: u32 = 3;

/// Adaptive probability of "no", in 1/65536. Never 0 or 1: it stays between 7 and 65528.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chance(u16);

impl Chance {
    /// Creates an initial probability: "yes" in `yes` of 256 cases, 1 to 255.
    pub(crate) const fn of(yes: u8) -> Self {
        assert!(yes > 0);
        Self((256 - yes as u16) << 8)
    }

    #[inline]
    fn learn(&mut self, yes: bool) {
        if yes {
            self.0 -= self.0 >> LEARN_SHIFT;
        } else {
            self.0 += (u16::MAX - self.0) >> LEARN_SHIFT;
        }
    }
}

/// Common interface of writer, reader and training: each call takes the decision (the reader ignores it) and returns
/// it.
pub(crate) trait Coder {
    /// Codes a decision with a fixed probability of "no", in 1/65536, not 0.
    fn ask(&mut self, no: u16, yes: bool) -> bool;

    /// Codes `count` bits (at most 16) with equal probabilities.
    fn bits(&mut self, value: u32, count: u32) -> u32;

    /// Codes a decision with an adaptive probability.
    #[inline]
    fn learn(&mut self, chance: &mut Chance, yes: bool) -> bool {
        let yes = self.ask(chance.0, yes);
        chance.learn(yes);
        yes
    }

    /// Codes a number, Exp-Golomb of order `order` (at most 15). Only malformed ones exceed 32 bits.
    fn uint(&mut self, value: u32, order: u32) -> u64 {
        let above = u64::from(value) + (1 << order);
        let mut length = order;
        while length < 32 && self.bits(u32::from(above >> (length + 1) != 0), 1) == 1 {
            length += 1;
        }
        let high = length.saturating_sub(16);
        let low = length - high;
        let top = self.bits((above >> low) as u32 & ((1 << high) - 1), high);
        let rest = self.bits(above as u32 & ((1 << low) - 1), low);
        (1 << length | u64::from(top) << low | u64::from(rest)) - (1 << order)
    }
}

/// Trains on decisions that both sides know.
pub(crate) struct Known;

impl Coder for Known {
    #[inline]
    fn ask(&mut self, _no: u16, yes: bool) -> bool {
        yes
    }

    #[inline]
    fn bits(&mut self, value: u32, _count: u32) -> u32 {
        value
    }
}

/// Encoder that appends to a packet. The final number is within `low .. low + range`.
pub(crate) struct Encoder<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    low: u32,
    range: u32,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { start: out.len(), out, low: 0, range: u32::MAX }
    }

    #[inline]
    fn raise(&mut self, by: u32) {
        let (low, carry) = self.low.overflowing_add(by);
        self.low = low;
        if carry {
            // Stops before `start`: the number as a whole stays below one.
            for byte in self.out[self.start..].iter_mut().rev() {
                *byte = byte.wrapping_add(1);
                if *byte != 0 {
                    break;
                }
            }
        }
    }

    #[inline]
    fn shift(&mut self) {
        while self.range < RANGE_MIN {
            self.out.push((self.low >> 24) as u8);
            self.low <<= 8;
            self.range <<= 8;
        }
    }

    /// Writes the fewest bytes that, followed by zeros, are within the range.
    pub(crate) fn finish(mut self) {
        let shifted = self.out.len() - self.start;
        let last = u64::from(self.low) + u64::from(self.range) - 1;
        for bytes in 0..=4 {
            let below = (1u64 << (32 - 8 * bytes)) - 1;
            let value = (u64::from(self.low) + below) & !below;
            if value <= last {
                self.raise((value - u64::from(self.low)) as u32);
                self.out.extend_from_slice(&self.low.to_be_bytes()[..bytes]);
                break;
            }
        }
        let least = self.start + (shifted + 4).saturating_sub(IMAGINED_MAX);
        while self.out.len() > least && self.out.last() == Some(&0) {
            self.out.pop();
        }
    }
}

impl Coder for Encoder<'_> {
    #[inline]
    fn ask(&mut self, no: u16, yes: bool) -> bool {
        let bound = (self.range >> 16) * u32::from(no);
        if yes {
            self.raise(bound);
            self.range -= bound;
        } else {
            self.range = bound;
        }
        self.shift();
        yes
    }

    #[inline]
    fn bits(&mut self, value: u32, count: u32) -> u32 {
        self.range >>= count;
        self.raise(self.range * value);
        self.shift();
        value
    }
}

/// Decoder of an [`Encoder`]'s bytes. Any bytes decode; [`Decoder::ok`] detects invalid ones.
pub(crate) struct Decoder<'a> {
    bytes: &'a [u8],
    /// Bytes read, with those past the end.
    taken: usize,
    code: u32,
    range: u32,
    broken: bool,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let mut new = Self { bytes, taken: 0, code: 0, range: u32::MAX, broken: false };
        for _ in 0..4 {
            new.take();
        }
        new
    }

    #[inline]
    fn take(&mut self) {
        let byte = self.bytes.get(self.taken).copied().unwrap_or(0);
        self.taken += 1;
        self.code = self.code << 8 | u32::from(byte);
    }

    #[inline]
    fn shift(&mut self) {
        while self.range < RANGE_MIN {
            self.take();
            self.range <<= 8;
        }
    }

    /// Returns true if a writer can have written the bytes read so far.
    pub(crate) fn ok(&self) -> bool {
        !self.broken && self.taken <= self.bytes.len() + IMAGINED_MAX
    }

    /// Checks after the last decision that all bytes were read.
    pub(crate) fn finish(self) -> Option<()> {
        (self.ok() && self.bytes.len() <= self.taken).then_some(())
    }
}

impl Coder for Decoder<'_> {
    #[inline]
    fn ask(&mut self, no: u16, _yes: bool) -> bool {
        let bound = (self.range >> 16) * u32::from(no);
        let yes = self.code >= bound;
        if yes {
            self.code -= bound;
            self.range -= bound;
        } else {
            self.range = bound;
        }
        self.shift();
        yes
    }

    #[inline]
    fn bits(&mut self, _value: u32, count: u32) -> u32 {
        self.range >>= count;
        let mut value = self.code / self.range;
        if value >> count != 0 {
            self.broken = true;
            value = 0;
        }
        self.code -= self.range * value;
        self.shift();
        value
    }
}
