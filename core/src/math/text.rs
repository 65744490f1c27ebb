//! Decimal text of a `Real`: the `real!` macro, parsing, printing and serde.
//!
//! All of it is integer arithmetic, so a literal, a configuration file and a log line mean the same
//! bits on every machine. Printing gives the shortest text that parses back to the same bits.

use super::Real;
use core::fmt;
use core::str::FromStr;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// An exact [`Real`] constant; a literal that is not a multiple of 2⁻³² does not compile.
///
/// ```
/// use isostep_core::{real, Real};
/// const GRAVITY: Real = real!(-9.8125);
/// assert_eq!(GRAVITY, Real::ratio(-157, 16));
/// assert_eq!(real!(1_000), Real::from_int(1000));
/// ```
///
/// One tenth has no exact binary form, so this fails with advice to write `Real::ratio(1, 10)`:
///
/// ```compile_fail
/// let tenth = isostep_core::real!(0.1);
/// ```
///
/// Numbers out of range and other literals fail too:
///
/// ```compile_fail
/// let big = isostep_core::real!(2147483648);
/// ```
///
/// ```compile_fail
/// let hex = isostep_core::real!(0x10);
/// ```
#[macro_export]
macro_rules! real {
    ($($literal:tt)+) => {
        const { $crate::Real::from_literal(stringify!($($literal)+)) }
    };
}

/// Error of parsing a [`Real`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseRealError {
    /// Something other than an optional sign, digits, and a decimal point.
    #[error("not a decimal number; write it like -12.5")]
    Syntax,
    /// Beyond ±2³¹.
    #[error("out of range; a Real must lie between -2147483648 and 2147483647.9999999998")]
    OutOfRange,
}

/// A parsed number, with a flag for rounding. The caller decides if rounding is acceptable.
struct Parsed {
    bits: i64,
    exact: bool,
}

/// Digits read after the decimal point. Half an ulp, 2⁻³³, has 33 digits, so later digits can only
/// break a tie.
const READ_DIGITS: u32 = 33;

/// Reads `[-+]digits[.digits]` with `_` anywhere after the first digit and spaces after the sign (the way
/// `stringify!` prints), rounding to nearest, ties toward +∞.
const fn parse(text: &str) -> Result<Parsed, ParseRealError> {
    let bytes = text.as_bytes();
    let mut i = 0;
    let negative = !bytes.is_empty() && bytes[0] == b'-';
    if !bytes.is_empty() && (bytes[0] == b'-' || bytes[0] == b'+') {
        i += 1;
        while i < bytes.len() && bytes[i] == b' ' {
            i += 1;
        }
    }
    let mut whole: u64 = 0;
    let mut fraction: u128 = 0;
    let mut scale: u128 = 1;
    let mut fraction_digits = 0;
    let mut exact = true;
    let mut any_digit = false;
    let mut in_fraction = false;
    while i < bytes.len() {
        match bytes[i] {
            digit @ b'0'..=b'9' => {
                let digit = digit - b'0';
                any_digit = true;
                if !in_fraction {
                    whole = whole * 10 + digit as u64;
                    if whole > 1 << 31 {
                        return Err(ParseRealError::OutOfRange);
                    }
                } else if fraction_digits < READ_DIGITS {
                    fraction = fraction * 10 + digit as u128;
                    scale *= 10;
                    fraction_digits += 1;
                } else if digit != 0 {
                    exact = false;
                }
            }
            b'.' if !in_fraction && any_digit => in_fraction = true,
            b'_' if any_digit => {}
            _ => return Err(ParseRealError::Syntax),
        }
        i += 1;
    }
    if !any_digit {
        return Err(ParseRealError::Syntax);
    }
    // Long division in base two: 32 bits of fraction / scale, both below 2¹¹¹.
    let mut bits = whole;
    let mut bit = 0;
    while bit < 32 {
        fraction *= 2;
        bits *= 2;
        if fraction >= scale {
            fraction -= scale;
            bits += 1;
        }
        bit += 1;
    }
    // `exact` is false only if non-zero digits were cut off, so the true value is above the
    // remainder.
    let above_half = fraction * 2 > scale || (fraction * 2 == scale && !exact);
    let tie = fraction * 2 == scale && exact;
    exact = exact && fraction == 0;
    if above_half || (tie && !negative) {
        bits += 1;
    }
    let limit = if negative { 1 << 63 } else { i64::MAX as u64 };
    if bits > limit {
        return Err(ParseRealError::OutOfRange);
    }
    let bits = if negative { 0i64.wrapping_sub_unsigned(bits) } else { bits as i64 };
    Ok(Parsed { bits, exact })
}

impl Real {
    /// Implements [`real!`](crate::real) at compile time.
    ///
    /// # Panics
    /// If the text is not a decimal number that a `Real` holds exactly.
    #[doc(hidden)]
    pub const fn from_literal(text: &str) -> Self {
        match parse(text) {
            Ok(Parsed { bits, exact: true }) => Self::from_bits(bits),
            Ok(_) => panic!(
                "not a multiple of 2^-32, so it would be rounded; write Real::ratio(numerator, denominator)"
            ),
            Err(ParseRealError::Syntax) => {
                panic!("not a decimal number; write it like real!(-12.5)")
            }
            Err(ParseRealError::OutOfRange) => panic!("out of range; a Real must lie within ±2^31"),
        }
    }
}

impl FromStr for Real {
    type Err = ParseRealError;

    /// Parses a decimal number and rounds it to the nearest `Real`.
    ///
    /// # Errors
    /// If the text is not a decimal number or is out of range.
    fn from_str(text: &str) -> Result<Self, ParseRealError> {
        parse(text).map(|parsed| Self::from_bits(parsed.bits))
    }
}

/// Decimal places that always distinguish two neighbours: 10⁻¹⁰ is less than half an ulp.
const MAX_SHORTEST_DIGITS: u32 = 10;

/// Magnitude in units of 10^-places, rounded to nearest (ties up); exact in 128 bits up to 18 places.
fn scaled(magnitude: u64, places: u32) -> u128 {
    let product = u128::from(magnitude) * 10u128.pow(places);
    (product >> 32) + u128::from((product >> 31) & 1 == 1)
}

impl fmt::Display for Real {
    /// The shortest decimal that parses back to the same bits, or the requested number of places.
    /// From 32 places on every value is exact.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.to_bits().unsigned_abs();
        let mut text = String::with_capacity(48);
        if let Some(places) = f.precision() {
            write_places(&mut text, magnitude, places);
        } else {
            for places in 0..=MAX_SHORTEST_DIGITS {
                text.clear();
                push_decimal(&mut text, scaled(magnitude, places), places);
                let signed = if self.is_negative() { format!("-{text}") } else { text.clone() };
                if signed.parse() == Ok(*self) {
                    break;
                }
            }
        }
        f.pad_integral(!self.is_negative(), "", &text)
    }
}

/// `value · 10^-places` as text.
fn push_decimal(text: &mut String, value: u128, places: u32) {
    let unit = 10u128.pow(places);
    text.push_str(&(value / unit).to_string());
    if places > 0 {
        let fraction = (value % unit).to_string();
        text.push('.');
        text.extend(core::iter::repeat_n('0', places as usize - fraction.len()));
        text.push_str(&fraction);
    }
}

/// A fixed number of decimal places, each digit exact and the last one rounded (ties up).
fn write_places(text: &mut String, magnitude: u64, places: usize) {
    const EXACT_IN_128_BITS: usize = 18;
    /// An ulp has 32 decimals; further places are zeros.
    const EXACT: usize = 32;
    if places <= EXACT_IN_128_BITS {
        push_decimal(text, scaled(magnitude, places as u32), places as u32);
        return;
    }
    let digits = places.min(EXACT);
    let mut fraction = magnitude & 0xffff_ffff;
    let mut out: Vec<u8> = Vec::with_capacity(digits);
    for _ in 0..digits {
        fraction *= 10;
        out.push((fraction >> 32) as u8);
        fraction &= 0xffff_ffff;
    }
    let mut whole = magnitude >> 32;
    let mut carry = fraction >= 1 << 31;
    for digit in out.iter_mut().rev() {
        if !carry {
            break;
        }
        carry = *digit == 9;
        *digit = if carry { 0 } else { *digit + 1 };
    }
    whole += u64::from(carry);
    text.push_str(&whole.to_string());
    text.push('.');
    text.extend(out.iter().map(|digit| char::from(b'0' + digit)));
    text.extend(core::iter::repeat_n('0', places - digits));
}

impl fmt::Debug for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Raw bits in binary formats, decimal text in human-readable ones (JSON numbers are floats).
impl Serialize for Real {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_i64(self.to_bits())
        }
    }
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(TextVisitor)
        } else {
            i64::deserialize(deserializer).map(Self::from_bits)
        }
    }
}

struct TextVisitor;

impl de::Visitor<'_> for TextVisitor {
    type Value = Real;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a decimal number as text, like \"-12.5\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Real, E> {
        text.parse().map_err(E::custom)
    }
}
