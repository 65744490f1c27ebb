//! Tokens of a walk, the path to the current value, and the reasons for refusal.

use core::fmt::Write;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Field(&'static str),
    Variant(&'static str),
    /// Index in a tuple.
    Place(u32),
    /// Index in a sequence.
    Index(u64),
    /// Key of a map. Its text is set only if the sink needs names.
    Key(String),
}

/// A value without parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Leaf<'a> {
    Bool(bool),
    /// Width in bytes, 1 to 16, and value.
    Signed(u8, i128),
    Unsigned(u8, u128),
    /// Width and bits.
    Float(u8, u64),
    Char(char),
    Text(&'a str),
    Bytes(&'a [u8]),
    Unit,
    None,
    /// A variant without content.
    Variant(u32, &'static str),
    /// A field that `Serialize` skipped.
    Skipped,
}

/// A group that opens and closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Some,
    Sequence,
    Tuple,
    Struct,
    Map,
    Variant(u32, &'static str),
}

/// Reason for which a value cannot be part of a digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A float outside of [`Floats`](super::Floats).
    #[error(
        "a float, and floats differ between machines; use Real, or wrap it in digest::Floats if it never feeds the \
         simulation or you know that it is the same everywhere"
    )]
    Float,
    /// A hash map or hash set outside of [`Unordered`](super::Unordered).
    #[error(
        "a hash table ({0}), which is iterated in random order; use BTreeMap, BTreeSet or SlotMap, or wrap it in \
         digest::Unordered to have it sorted for the digest"
    )]
    HashTable(&'static str),
    /// The keys of a map are not in strictly ascending order.
    #[error(
        "a map whose keys do not ascend, as those of a hash map; use BTreeMap, or wrap it in digest::Unordered to \
         have it sorted for the digest"
    )]
    KeyOrder,
    /// A map or set has the same key twice.
    #[error("a map or set in digest::Unordered that has the same key twice; make its keys unique")]
    KeyTwice,
    /// The type's own `Serialize` failed.
    #[error("a value whose Serialize failed: {0}")]
    Custom(String),
}

/// A value that cannot be part of a digest, with its path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` is {refusal}")]
pub struct WalkError {
    /// The path to the field, like `players[3].inventory.0.count`; `.` for the whole value.
    pub path: String,
    /// The reason.
    pub refusal: Refusal,
}

impl serde::ser::Error for Refusal {
    fn custom<T: core::fmt::Display>(message: T) -> Self {
        Self::Custom(message.to_string())
    }
}

/// Renders a path as text.
pub(super) fn render(path: &[Part]) -> String {
    let mut text = String::new();
    for part in path {
        let dot = if text.is_empty() { "" } else { "." };
        let written = match part {
            Part::Field(name) | Part::Variant(name) => write!(text, "{dot}{name}"),
            Part::Place(place) => write!(text, "{dot}{place}"),
            Part::Index(index) => write!(text, "[{index}]"),
            Part::Key(key) => write!(text, "[{key}]"),
        };
        written.expect("writing to a String cannot fail");
    }
    if text.is_empty() { ".".to_owned() } else { text }
}

impl Leaf<'_> {
    /// The type of a number; its text does not show it.
    pub(super) fn width(&self) -> String {
        match self {
            Leaf::Signed(width, _) => format!("i{}", u32::from(*width) * 8),
            Leaf::Unsigned(width, _) => format!("u{}", u32::from(*width) * 8),
            _ => String::new(),
        }
    }
}

impl core::fmt::Display for Leaf<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match *self {
            Leaf::Bool(value) => write!(f, "{value}"),
            Leaf::Signed(_, value) => write!(f, "{value}"),
            Leaf::Unsigned(_, value) => write!(f, "{value}"),
            Leaf::Float(width, bits) => float_text(width, bits, f),
            Leaf::Char(value) => write!(f, "{value:?}"),
            Leaf::Text(value) => write!(f, "{value:?}"),
            Leaf::Bytes(value) => {
                f.write_str("0x")?;
                value.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
            Leaf::Unit => f.write_str("()"),
            Leaf::None => f.write_str("None"),
            Leaf::Variant(_, name) => f.write_str(name),
            Leaf::Skipped => f.write_str("(left out)"),
        }
    }
}

#[allow(clippy::disallowed_types, reason = "formats a float in digest::Floats")]
fn float_text(width: u8, bits: u64, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
    if width == 4 {
        write!(f, "{:?} (bits {bits:#010x})", f32::from_bits(bits as u32))
    } else {
        write!(f, "{:?} (bits {bits:#018x})", f64::from_bits(bits))
    }
}
