//! Every field of every row, described once: name, unit, width. Digests, explanations and snapshots are visitors of this
//! description, so all of them cover the same fields.
//!
//! A row has a fixed width in bytes, little-endian, key first. Rows are destructured by pattern (`rows.rs`), so a new field does
//! not compile until it is described.

mod parts;
mod rows;
mod text;
mod visitors;

use super::events::EventKind;
pub(crate) use parts::Parts;
pub(crate) use rows::{IdRow, Keyed, OverrideRow, WorldRow};
pub(crate) use text::{Context, RowText, text};
pub(crate) use visitors::{Reader, layout, put, put_residue};

/// Interpretation of a field's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Unsigned integer.
    Count,
    /// Signed integer.
    Signed,
    /// Q32.32 number with this unit.
    Real(&'static str),
    /// 32-bit fixed-point number with this many fractional bits and this unit.
    Lane(u32, &'static str),
    /// rad/s in Q20, times 2 to the body's size exponent.
    Spin,
    /// Boolean.
    Flag,
    /// Bit set.
    Bits,
    /// Index of a body.
    Body,
    /// Key of a shape.
    Shape,
    /// Id with generation.
    Id,
    /// Index into these names.
    Choice(&'static [&'static str]),
    /// Kind of an event.
    Event,
}

impl Unit {
    /// The unit as it enters the layout hash.
    pub(crate) const fn in_layout(self) -> Self {
        match self {
            Self::Event => Self::Choice(
                EventKind::NAMES.first_chunk::<{ EventKind::IN_LAYOUT }>().expect("known"),
            ),
            _ => self,
        }
    }
}

/// Visitor of the fields of a row. It receives each field's bits and returns the bits to store.
pub(crate) trait Visitor {
    /// Visits a field of `width` bytes.
    fn leaf(&mut self, name: &'static str, unit: Unit, width: u32, bits: u64) -> u64;

    /// Enters a compound field; the fields up to the matching [`leave`](Self::leave) are its parts.
    fn enter(&mut self, _name: &'static str, _index: Option<usize>) {}

    fn leave(&mut self) {}

    /// Rejects the returned bits: no valid value of the field has them.
    fn refuse(&mut self, _what: &'static str) {}
}

/// A row with described fields.
pub(crate) trait Row: Clone {
    /// Length of the key at the front of a row, in bytes.
    const KEY: usize;

    /// An arbitrary row to read into.
    fn blank() -> Self;

    fn visit<V: Visitor>(&mut self, visitor: &mut V);

    /// Text for the entity that a row is about, for explanations.
    fn entity(row: &RowText<'_>) -> String;
}

/// A field in a row's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Path, like `velocity.x`.
    pub(crate) name: String,
    pub(crate) unit: Unit,
    pub(crate) start: usize,
    pub(crate) width: usize,
}

impl Field {
    /// Reads its bits from a row.
    pub(crate) fn bits(&self, row: &[u8]) -> u64 {
        let mut bytes = [0; 8];
        bytes[..self.width].copy_from_slice(&row[self.start..self.start + self.width]);
        u64::from_le_bytes(bytes)
    }
}
