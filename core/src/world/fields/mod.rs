//! Every field of every row, described once: its name, its unit, its width. Digests, explanations and snapshots are visitors
//! of this description, so none of them can forget a field that another knows.
//!
//! A row's bytes have a fixed width, little-endian, its key first. Rows are taken apart by pattern (`rows.rs`): a new field
//! does not compile until it is described.

mod parts;
mod rows;
mod text;
mod visitors;

pub(crate) use rows::{IdRow, Keyed, OverrideRow, WorldRow};
pub(crate) use text::{Context, text};
pub(crate) use visitors::{Reader, Residue, layout, put};

/// What the bits of a field mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A number without sign.
    Count,
    /// A number with one.
    Signed,
    /// Q32.32 of this unit.
    Real(&'static str),
    /// 32 bits with this many after the point, of this unit.
    Lane(u32, &'static str),
    /// rad/s in Q20, times 2 to the exponent of the body.
    Spin,
    /// No or yes.
    Flag,
    /// A set of bits.
    Bits,
    /// The index of a body.
    Body,
    /// The key of a shape.
    Shape,
    /// An id.
    Id,
    /// One of these.
    Choice(&'static [&'static str]),
}

/// What walks over the fields of a row. It is told each field's bits and answers with the bits that the field shall have.
pub(crate) trait Visitor {
    /// A field of `width` bytes.
    fn leaf(&mut self, name: &'static str, unit: Unit, width: u32, bits: u64) -> u64;

    /// The fields up to the matching [`leave`](Self::leave) are parts of this one.
    fn enter(&mut self, _name: &'static str, _index: Option<usize>) {}

    fn leave(&mut self) {}

    /// The answers make no value that this field can have.
    fn refuse(&mut self, _what: &'static str) {}
}

/// A row with described fields.
pub(crate) trait Row: Clone {
    /// Bytes at the front that tell it from other rows of its table.
    const KEY: usize;

    /// Some row, to read into.
    fn blank() -> Self;

    fn visit<V: Visitor>(&mut self, visitor: &mut V);
}

/// A field as it stands in a row's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Like `velocity.x`.
    pub(crate) name: String,
    pub(crate) unit: Unit,
    pub(crate) start: usize,
    pub(crate) width: usize,
}

impl Field {
    /// Its bits in a row.
    pub(crate) fn bits(&self, row: &[u8]) -> u64 {
        let mut bytes = [0; 8];
        bytes[..self.width].copy_from_slice(&row[self.start..self.start + self.width]);
        u64::from_le_bytes(bytes)
    }
}
