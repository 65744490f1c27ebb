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

/// Appends a row as residues after a prediction: differences with the sign in the lowest bit, so that the high bytes of small ones
/// are zero. The key is written as it is.
pub(crate) fn put_residue<R: Row>(row: &R, predicted: &R, out: &mut Vec<u8>) {
    let start = out.len();
    // The residues replace the predicted row in place, so rows may have any number of fields and no buffer is needed.
    put(predicted, out);
    row.clone().visit(&mut Residue { row: &mut out[start..], at: 0, key: R::KEY });
}

struct Residue<'a> {
    /// The predicted row. Fields before `at` are replaced.
    row: &'a mut [u8],
    at: usize,
    key: usize,
}

impl Visitor for Residue<'_> {
    #[inline]
    fn leaf(&mut self, _: &'static str, _: Unit, width: u32, bits: u64) -> u64 {
        let field = &mut self.row[self.at..self.at + width as usize];
        let residue = if self.at < self.key {
            bits
        } else {
            let unused = 64 - 8 * width;
            // The sign bit of the field becomes the sign bit of the number.
            zigzag((bits.wrapping_sub(bits_of(field)) << unused) as i64 >> unused)
        };
        field.copy_from_slice(&residue.to_le_bytes()[..width as usize]);
        self.at += width as usize;
        bits
    }
}

/// The bits of a field of at most eight bytes.
#[inline]
fn bits_of(field: &[u8]) -> u64 {
    let mut bits = [0; 8];
    bits[..field.len()].copy_from_slice(field);
    u64::from_le_bytes(bits)
}

/// Reads a row from its residue. Always terminates: missing bytes read as zero, and invalid values are recorded.
pub(crate) struct Reader<'a> {
    bytes: bytes::Reader<'a>,
    /// The predicted row.
    predicted: &'a [u8],
    at: usize,
    key: usize,
    refused: Option<&'static str>,
}

impl Reader<'_> {
    /// Reads the row with this residue. `buffer` has any content; it is reused from row to row.
    ///
    /// # Errors
    /// Returns the name of a field with an invalid value.
    pub(crate) fn row<R: Row>(
        bytes: &[u8],
        predicted: &R,
        buffer: &mut Vec<u8>,
    ) -> Result<R, &'static str> {
        match Self::read(bytes, predicted, buffer) {
            (row, None) => Ok(row),
            (_, Some(what)) => Err(what),
        }
    }

    /// Reads the row with this residue when only one part of it is predicted right. Ignores invalid values of other fields.
    ///
    /// # Errors
    /// If the named field has an invalid value.
    pub(crate) fn part<R: Row>(
        bytes: &[u8],
        predicted: &R,
        part: &'static str,
        buffer: &mut Vec<u8>,
    ) -> Result<R, &'static str> {
        let (row, refused) = Self::read(bytes, predicted, buffer);
        if refused == Some(part) { Err(part) } else { Ok(row) }
    }

    /// Reads the key of a row. All other fields have arbitrary values.
    pub(crate) fn key<R: Row>(bytes: &[u8], buffer: &mut Vec<u8>) -> R {
        Self::read(bytes, &R::blank(), buffer).0
    }

    fn read<R: Row>(
        bytes: &[u8],
        predicted: &R,
        buffer: &mut Vec<u8>,
    ) -> (R, Option<&'static str>) {
        buffer.clear();
        put(predicted, buffer);
        let bytes = bytes::Reader::new(bytes);
        let mut reader = Reader { bytes, predicted: buffer, at: 0, key: R::KEY, refused: None };
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
        let value = bits_of(bytes);
        let start = self.at;
        self.at += bytes.len();
        if start < self.key {
            return value;
        }
        let left = unzigzag(value) as u64;
        let predicted = bits_of(&self.predicted[start..self.at]);
        predicted.wrapping_add(left) & u64::MAX >> (64 - 8 * width)
    }

    fn refuse(&mut self, what: &'static str) {
        self.refused = self.refused.or(Some(what));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of 300 fields of all widths after its key.
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Wide {
        key: u32,
        values: [u64; 300],
    }

    impl Row for Wide {
        const KEY: usize = 4;

        fn blank() -> Self {
            Self { key: 0, values: [0; 300] }
        }

        fn visit<V: Visitor>(&mut self, v: &mut V) {
            self.key = v.leaf("key", Unit::Count, 4, u64::from(self.key)) as u32;
            for (i, value) in self.values.iter_mut().enumerate() {
                v.enter("values", Some(i));
                *value = v.leaf("", Unit::Count, 1 << (i % 4), *value);
                v.leave();
            }
        }

        fn entity(_: &crate::world::fields::RowText<'_>) -> String {
            "wide".to_owned()
        }
    }

    fn wide(seed: u64) -> Wide {
        let mut rng = crate::Rng::new(seed);
        let mask = |i: usize| u64::MAX >> (64 - (8 << (i % 4)));
        let values = core::array::from_fn(|i| rng.next_u64() & mask(i));
        Wide { key: seed as u32, values }
    }

    /// Rows were visited with an array of 64 numbers once, and a row of 65 fields panicked.
    #[test]
    fn rows_have_any_number_of_fields() {
        let fields = layout::<Wide>();
        assert_eq!(fields.len(), 301);
        assert_eq!((&*fields[300].name, fields[300].width), ("values[299]", 8));
        let (mut bytes, mut buffer) = (vec![7], vec![9; 5000]);
        for (row, predicted) in [(1, 1), (2, 3), (4, 5)].map(|(a, b)| (wide(a), wide(b))) {
            bytes.truncate(1);
            put_residue(&row, &predicted, &mut bytes);
            assert_eq!(bytes.len(), 1 + 4 + 75 * 15);
            assert_eq!(bytes[1..5], row.key.to_le_bytes());
            assert_eq!(bytes[5..].iter().all(|byte| *byte == 0), row == predicted);
            assert_eq!(Reader::row(&bytes[1..], &predicted, &mut buffer), Ok(row.clone()));
            let short = Reader::row(&bytes[1..bytes.len() - 1], &predicted, &mut buffer);
            assert_eq!(short, Err("its length"));
        }
    }
}
