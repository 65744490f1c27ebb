//! Codec of any [`Input`]: little-endian bytes of a fixed width, through serde. [`write`] and [`read`] are the two
//! halves; this file measures the type once and validates every encoded value.
//!
//! With a fixed width, a window of many ticks needs no lengths, and a hostile packet can't request memory.

mod read;
mod write;

use super::Input;
use core::marker::PhantomData;
use isostep_core::digest::Digest;
use read::Trace;

/// Maximum width of an input, in bytes: every packet carries many ticks of it.
pub const MAX_INPUT_BYTES: usize = 64;

/// Error of an input type, or of a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputCodecError {
    /// Floats differ between machines.
    #[error(
        "`{path}` is a float, and floats differ between machines; use Stick for axes, Real for numbers"
    )]
    Float {
        /// Path of the field; `.` for the whole input.
        path: String,
    },
    /// A part has no fixed width.
    #[error(
        "`{path}` is {what}, which has no fixed width; use NewestWins<[T; N]> for a few values, a command for anything \
         longer or rare, a flag beside a value for an Option, and an enum without data beside its data"
    )]
    Width {
        /// Path of the field; `.` for the whole input.
        path: String,
        /// Kind of the part.
        what: &'static str,
    },
    /// The input is wider than [`MAX_INPUT_BYTES`].
    #[error("the input is wider than {MAX_INPUT_BYTES} bytes; send rare or long data as commands")]
    TooWide,
    /// An enum has more than 256 variants.
    #[error(
        "enum `{name}` has {variants} variants, and at most 256 fit a byte; split it or use a number"
    )]
    TooManyVariants {
        /// The enum.
        name: &'static str,
        /// Number of variants.
        variants: usize,
    },
    /// The type's own `Serialize` or `Deserialize` failed, or needs an unsupported operation.
    #[error("{0}")]
    Refused(String),
    /// Decoding an encoded value gives another value.
    #[error(
        "the input does not round-trip; check for fields skipped by serde, and for an inexact PartialEq"
    )]
    NotReproduced,
    /// The width of a value differs from that of the default.
    #[error(
        "the value takes {found} bytes, the default {expected}; Serialize must write the same width for all values"
    )]
    WidthChanged {
        /// The width of the type.
        expected: usize,
        /// The width of this value.
        found: usize,
    },
    /// The width of the buffer differs from that of the input.
    #[error("the buffer has {found} bytes, the input takes {expected}; slice it to `width()`")]
    Buffer {
        /// The width of the type.
        expected: usize,
        /// The size of the buffer.
        found: usize,
    },
}

/// Error of decoding an input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputReadError {
    /// The number of bytes differs from the width of the type.
    #[error("{found} bytes instead of {expected}; use the same input type on both sides")]
    Length {
        /// The width of the type.
        expected: usize,
        /// Number of bytes.
        found: usize,
    },
    /// A `bool` that is neither 0 nor 1.
    #[error("invalid bool {0}; refuse the sender's packet")]
    Bool(u8),
    /// An enum has no such variant.
    #[error("enum `{name}` has no variant {index}; refuse the sender's packet")]
    Variant {
        /// The enum.
        name: &'static str,
        /// The index.
        index: u8,
    },
    /// The type refused the value.
    #[error("{0}; refuse the sender's packet")]
    Value(String),
    /// The type's `Deserialize` needs an operation without a fixed width.
    #[error("the type reads {0}, which has no fixed width")]
    Unsupported(&'static str),
}

/// Codec of one input type. Nothing is allocated, except for the text of an error.
///
/// Create one per session; unsuitable types are refused then. It is a copyable handle.
///
/// | in the type | in bytes |
/// | --- | --- |
/// | `bool` | 1: 0 or 1 |
/// | `u8` to `u64`, `i8` to `i64` | 1, 2, 4, 8, low byte first |
/// | an enum without data | 1: the number of the variant |
/// | `()`, structs, tuples, arrays | their parts in order |
/// | anything else | refused |
///
/// ```
/// use isostep_rollback::{Buttons, NewestWins, Stick};
/// use isostep_rollback::internals::InputCodec;
///
/// let codec = InputCodec::<(Buttons<10>, Stick)>::new().unwrap();
/// assert_eq!(codec.width(), 6);
/// let input = (Buttons::none().next(0b101).unwrap(), Stick::from_steps(-1, 7).unwrap());
/// let mut bytes = Vec::new();
/// codec.append(input, &mut bytes).unwrap();
/// assert_eq!(bytes, [0b101, 0, 0b101, 0, 255, 7]);
/// assert_eq!(codec.read(&bytes), Ok(input));
///
/// let refused = InputCodec::<NewestWins<f32>>::new().unwrap_err();
/// assert!(refused.to_string().contains("is a float"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct InputCodec<I> {
    width: usize,
    schema: [u8; 8],
    input: PhantomData<fn() -> I>,
}

impl<I: Input> InputCodec<I> {
    /// Measures the type by its default value and validates every part.
    ///
    /// # Errors
    /// If the type has a part without a fixed width or a float, is too wide, or its default does not round-trip.
    pub fn new() -> Result<Self, InputCodecError> {
        let default = I::default();
        let mut bytes = [0; MAX_INPUT_BYTES];
        let width = write::write(&default, &mut bytes)?;
        let mut trace = Trace::default();
        let back: I = read::trace(&bytes[..width], &mut trace).map_err(unfit)?;
        if back != default {
            return Err(InputCodecError::NotReproduced);
        }
        // A default without data does not cover the other variants: the type decodes each of them.
        for choice in trace.enums {
            let (name, variants) = (choice.name, choice.variants);
            if variants > 256 {
                return Err(InputCodecError::TooManyVariants { name, variants });
            }
            for variant in 0..variants {
                let mut bytes = bytes;
                bytes[choice.at] = variant as u8;
                if let Err(InputReadError::Unsupported(what)) = read::read::<I>(&bytes[..width]) {
                    return Err(InputCodecError::Width { path: name.to_owned(), what });
                }
            }
        }
        let mut schema = [0; 8];
        schema.copy_from_slice(&Digest::of(trace.text.as_bytes()).to_bytes()[..8]);
        Ok(Self { width, schema, input: PhantomData })
    }

    /// Returns the width of every input of this type, in bytes.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Returns a hash of the type's shape: names of structs, fields, enums and variants, and number types, in order.
    /// Machines whose schemas differ can't read each other's inputs.
    pub const fn schema(&self) -> [u8; 8] {
        self.schema
    }

    /// Writes an input to a slice of exactly [`width`](Self::width) bytes.
    ///
    /// # Errors
    /// If the value does not round-trip, or its width or that of the slice differs; `out` is unchanged then.
    pub fn write(&self, input: I, out: &mut [u8]) -> Result<(), InputCodecError> {
        let bytes = self.encode(input)?;
        if out.len() != self.width {
            return Err(InputCodecError::Buffer { expected: self.width, found: out.len() });
        }
        out.copy_from_slice(&bytes[..self.width]);
        Ok(())
    }

    /// Appends an input to `out`.
    ///
    /// # Errors
    /// If the value does not round-trip, or its width differs; `out` is unchanged then.
    pub fn append(&self, input: I, out: &mut Vec<u8>) -> Result<(), InputCodecError> {
        let bytes = self.encode(input)?;
        out.extend_from_slice(&bytes[..self.width]);
        Ok(())
    }

    /// Decodes an input.
    ///
    /// # Errors
    /// If the number of bytes is wrong, or a part has an invalid value.
    pub fn read(&self, bytes: &[u8]) -> Result<I, InputReadError> {
        if bytes.len() != self.width {
            return Err(InputReadError::Length { expected: self.width, found: bytes.len() });
        }
        read::read(bytes)
    }

    /// The sender steps with its value and the others with the decoded one: a value that does not round-trip would
    /// desync, so it is refused here.
    fn encode(&self, input: I) -> Result<[u8; MAX_INPUT_BYTES], InputCodecError> {
        let mut bytes = [0; MAX_INPUT_BYTES];
        let found = write::write(&input, &mut bytes)?;
        if found != self.width {
            return Err(InputCodecError::WidthChanged { expected: self.width, found });
        }
        match read::read::<I>(&bytes[..found]) {
            Ok(back) if back == input => Ok(bytes),
            Ok(_) => Err(InputCodecError::NotReproduced),
            Err(error) => Err(unfit(error)),
        }
    }
}

/// Error for a value that was just encoded and can't be decoded.
fn unfit(error: InputReadError) -> InputCodecError {
    match error {
        InputReadError::Unsupported(what) => InputCodecError::Width { path: ".".to_owned(), what },
        other => InputCodecError::Refused(format!("the input can't be read back: {other}")),
    }
}
