//! `Digest` and `ShortDigest`: fixed bytes with hexadecimal text. Callers choose the hashed bytes.

use core::fmt;
use core::str::FromStr;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Error of parsing a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseDigestError {
    /// Too many or too few digits.
    #[error("the digest has {found} characters; it must have {expected} hexadecimal digits")]
    Length {
        /// Required number of digits.
        expected: usize,
        /// Length of the text in bytes.
        found: usize,
    },
    /// A character that is not a hexadecimal digit.
    #[error("the character at byte {at} is not a hexadecimal digit; use 0-9 and a-f")]
    Digit {
        /// Offset of the character in bytes.
        at: usize,
    },
}

const fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

fn parse<const N: usize>(text: &str) -> Result<[u8; N], ParseDigestError> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return Err(ParseDigestError::Length { expected: 2 * N, found: digits.len() });
    }
    let digit = |at: usize| nibble(digits[at]).ok_or(ParseDigestError::Digit { at });
    let mut bytes = [0; N];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = digit(2 * i)? << 4 | digit(2 * i + 1)?;
    }
    Ok(bytes)
}

fn print(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// A BLAKE3 digest of 32 bytes. Equal states have equal digests; different states differ for all
/// practical purposes.
///
/// ```
/// use isostep_core::digest::Digest;
/// let digest = Digest::of(b"state");
/// assert_ne!(digest, Digest::of(b"State"));
/// assert_eq!(digest.to_string().parse(), Ok(digest));
/// assert!(digest.to_string().starts_with(&digest.short().to_string()));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// The first half of a [`Digest`], for the network. Safe against accidental collisions, not against
/// a determined attacker.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShortDigest([u8; 16]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Combines the names and digests of parts into one digest. The order matters.
    ///
    /// ```
    /// use isostep_core::digest::Digest;
    /// let (a, b) = (Digest::of(b"1"), Digest::of(b"2"));
    /// assert_ne!(Digest::of_parts(&[("x", a), ("y", b)]), Digest::of_parts(&[("x", b), ("y", a)]));
    /// ```
    #[doc(hidden)]
    pub fn of_parts(parts: &[(&str, Self)]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"parts");
        for (name, digest) in parts {
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
            hasher.update(&digest.0);
        }
        hasher.finalize().into()
    }

    /// The first 16 bytes.
    pub fn short(self) -> ShortDigest {
        let mut half = [0; 16];
        half.copy_from_slice(&self.0[..16]);
        ShortDigest(half)
    }
}

impl From<blake3::Hash> for Digest {
    fn from(hash: blake3::Hash) -> Self {
        Self(*hash.as_bytes())
    }
}

macro_rules! fixed_bytes {
    ($name:ident, $n:literal) => {
        impl $name {
            /// The digest with these bytes.
            pub const fn from_bytes(bytes: [u8; $n]) -> Self {
                Self(bytes)
            }

            /// Its bytes.
            pub const fn to_bytes(self) -> [u8; $n] {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                print(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                print(&self.0, f)
            }
        }

        impl FromStr for $name {
            type Err = ParseDigestError;
            fn from_str(text: &str) -> Result<Self, ParseDigestError> {
                parse(text).map(Self)
            }
        }

        /// Hexadecimal text in human-readable formats, bytes in others.
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if serializer.is_human_readable() {
                    serializer.collect_str(self)
                } else {
                    self.0.serialize(serializer)
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                if deserializer.is_human_readable() {
                    let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                    text.parse().map_err(de::Error::custom)
                } else {
                    Deserialize::deserialize(deserializer).map(Self)
                }
            }
        }
    };
}

fixed_bytes!(Digest, 32);
fixed_bytes!(ShortDigest, 16);
