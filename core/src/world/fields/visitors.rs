//! Visitors of the field description: layout, bytes, and residues after a prediction.

use super::{Field, Row, Unit, Visitor};
use crate::bytes::{self, unzigzag, zigzag};

/// Returns the fields of a kind of row, in order.
pub(crate) fn layout<R: Row>() -> Vec<Field> {
    let mut namer = Namer::default();
    R::blank().visit(&mut namer);
    namer.fields
}

#[derive(Default)]
struct Namer {
    path: Vec<String>,
    fields: Vec<Field>,
    start: usize,
}

impl Visitor for Namer {
    fn leaf(&mut self, name: &'static str, unit: Unit, width: u32, bits: u64) -> u64 {
        let parts = self.path.iter().map(String::as_str).chain([name]);
        let name = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
        let width = width as usize;
        self.fields.push(Field { name, unit, start: self.start, width });
        self.start += width;
        bits
    }

    fn enter(&mut self, name: &'static str, index: Option<usize>) {
        self.path.push(index.map_or_else(|| name.to_owned(), |index| format!("{name}[{index}]")));
    }

    fn leave(&mut self) {
        self.path.pop();
    }
}

struct Writer<'a>(&'a mut Vec<u8>);

impl Visitor for Writer<'_> {
    #[inline]
    fn leaf(&mut self, _: &'static str, _: Unit, width: u32, bits: u64) -> u64 {
        put_bits(self.0, width, bits);
        bits
    }
}

#[inline]
fn put_bits(out: &mut Vec<u8>, width: u32, bits: u64) {
    let bytes = bits.to_le_bytes();
    match width {
        1 => out.push(bytes[0]),
        4 => out.extend_from_slice(&bytes[..4]),
        8 => out.extend_from_slice(&bytes),
        _ => out.extend_from_slice(&bytes[..width as usize]),
    }
}

/// Appends a row's bytes.
#[inline]
pub(crate) fn put<R: Row>(row: &R, out: &mut Vec<u8>) {
    row.clone().visit(&mut Writer(out));
}

/// Maximum number of fields of a row.
const MOST: usize = 64;

/// Bits of a row by field.
struct Bits {
    bits: [u64; MOST],
    count: usize,
}

impl Visitor for Bits {
    #[inline]
    fn leaf(&mut self, _: &'static str, _: Unit, _: u32, bits: u64) -> u64 {
        self.bits[self.count] = bits;
        self.count += 1;
        bits
    }
}

impl Bits {
    fn of<R: Row>(row: &R) -> Self {
        let mut bits = Self { bits: [0; MOST], count: 0 };
        row.clone().visit(&mut bits);
        bits
    }
}

/// Writes rows as residues after a prediction: differences with the sign in the lowest bit, so that the high bytes of small ones
/// are zero. Keys are written as they are.
pub(crate) struct Residue<'a> {
    out: &'a mut Vec<u8>,
    predicted: Bits,
    at: usize,
    key: usize,
}

impl<'a> Residue<'a> {
    pub(crate) fn put<R: Row>(out: &'a mut Vec<u8>, row: &R, predicted: &R) {
        let mut residue = Self { out, predicted: Bits::of(predicted), at: 0, key: R::KEY };
        row.clone().visit(&mut residue);
    }
}

impl Visitor for Residue<'_> {
    #[inline]
    fn leaf(&mut self, _: &'static str, _: Unit, width: u32, bits: u64) -> u64 {
        let predicted = self.predicted.bits[self.at];
        self.at += 1;
        if self.key > 0 {
            self.key -= width as usize;
            put_bits(self.out, width, bits);
        } else {
            let unused = 64 - 8 * width;
            // The sign bit of the field becomes the sign bit of the number.
            let left = (bits.wrapping_sub(predicted) << unused) as i64 >> unused;
            put_bits(self.out, width, zigzag(left));
        }
        bits
    }
}

/// Reads a row from its residue. Always terminates: missing bytes read as zero, and invalid values are recorded.
pub(crate) struct Reader<'a> {
    bytes: bytes::Reader<'a>,
    predicted: Bits,
    at: usize,
    key: usize,
    refused: Option<&'static str>,
}

impl<'a> Reader<'a> {
    /// Reads the row with this residue.
    ///
    /// # Errors
    /// Returns the name of a field with an invalid value.
    pub(crate) fn row<R: Row>(bytes: &'a [u8], predicted: &R) -> Result<R, &'static str> {
        match Self::read(bytes, Bits::of(predicted)) {
            (row, None) => Ok(row),
            (_, Some(what)) => Err(what),
        }
    }

    /// Reads the row with this residue when only one part of it is predicted right. Ignores invalid values of other fields.
    ///
    /// # Errors
    /// If the named field has an invalid value.
    pub(crate) fn part<R: Row>(
        bytes: &'a [u8],
        predicted: &R,
        part: &'static str,
    ) -> Result<R, &'static str> {
        let (row, refused) = Self::read(bytes, Bits::of(predicted));
        if refused == Some(part) { Err(part) } else { Ok(row) }
    }

    fn read<R: Row>(bytes: &'a [u8], predicted: Bits) -> (R, Option<&'static str>) {
        let bytes = bytes::Reader::new(bytes);
        let mut reader = Self { bytes, predicted, at: 0, key: R::KEY, refused: None };
        let mut row = R::blank();
        row.visit(&mut reader);
        if !reader.bytes.is_empty() {
            reader.refuse("its length");
        }
        (row, reader.refused)
    }
}

impl Visitor for Reader<'_> {
    #[inline]
    fn leaf(&mut self, _: &'static str, _: Unit, width: u32, _: u64) -> u64 {
        let Some(bytes) = self.bytes.take(width as usize) else {
            self.refuse("its length");
            return 0;
        };
        let mut value = [0; 8];
        value[..bytes.len()].copy_from_slice(bytes);
        let value = u64::from_le_bytes(value);
        let at = self.at;
        self.at += 1;
        if self.key > 0 {
            self.key -= width as usize;
            return value;
        }
        let left = unzigzag(value) as u64;
        self.predicted.bits[at].wrapping_add(left) & u64::MAX >> (64 - 8 * width)
    }

    fn refuse(&mut self, what: &'static str) {
        self.refused = self.refused.or(Some(what));
    }
}
