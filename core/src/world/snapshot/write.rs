//! Writes a frame as tables of residues.

use super::predict::{self, Predict};
use crate::pack::{Segment, Segments, Unpacked};
use crate::world::EventRow;
use crate::world::fields::{IdRow, Keyed, OverrideRow, WorldRow, put, put_residue};
use crate::world::page_bytes::State;
use crate::world::registry::{Listed, Table, TableRow, TableVisitor};
use crate::world::rows::{ColdRow, ContactRow, HotRow, Overlap, ShapeRow};

/// A row that snapshots contain.
pub(crate) trait SnapshotRow: TableRow {
    /// Number of bytes after each row.
    const EXTRA: usize = 0;

    /// Appends the row as residues after its prediction.
    fn put(&self, predict: &Predict<'_>, out: &mut Vec<u8>);
}

impl SnapshotRow for WorldRow {
    fn put(&self, predict: &Predict<'_>, out: &mut Vec<u8>) {
        put_residue(self, &predict::world(predict.base), out);
    }
}

impl SnapshotRow for OverrideRow {
    fn put(&self, predict: &Predict<'_>, out: &mut Vec<u8>) {
        put_residue(self, &predict::material(predict.base, self.tags), out);
    }
}

impl SnapshotRow for IdRow {
    fn put(&self, predict: &Predict<'_>, out: &mut Vec<u8>) {
        put_residue(self, &predict::id(predict.base, self.index), out);
    }
}

impl SnapshotRow for Keyed<HotRow> {
    fn put(&self, predict: &Predict<'_>, out: &mut Vec<u8>) {
        put_residue(self, &predict.body(self.key, &self.row), out);
    }
}

impl SnapshotRow for Keyed<ColdRow> {
    fn put(&self, predict: &Predict<'_>, out: &mut Vec<u8>) {
        put_residue(self, &predict.traits(self.key), out);
    }
}

impl SnapshotRow for Keyed<ShapeRow> {
    fn put(&self, predict: &Predict<'_>, out: &mut Vec<u8>) {
        put_residue(self, &predict.shape(self.key), out);
    }
}

/// Byte after a contact row: it is a recycled contact with the manifold of the baseline.
pub(super) const RECYCLED: u8 = 1;

impl SnapshotRow for ContactRow {
    const EXTRA: usize = 1;

    fn put(&self, predict: &Predict<'_>, out: &mut Vec<u8>) {
        let old = predict.old_contact(self.key);
        let is_same =
            |old: &Self| (old.reference, old.rotations) == (self.reference, self.rotations);
        let recycled = old.is_some_and(is_same);
        let mut predicted = predict.contact(self.key, recycled);
        predict.geometry(&mut predicted, self);
        put_residue(self, &predicted, out);
        out.push(if recycled { RECYCLED } else { 0 });
    }
}

impl SnapshotRow for Overlap {
    fn put(&self, _: &Predict<'_>, out: &mut Vec<u8>) {
        put_residue(self, self, out);
    }
}

impl SnapshotRow for EventRow {
    fn put(&self, predict: &Predict<'_>, out: &mut Vec<u8>) {
        put_residue(self, &predict.event(self), out);
    }
}

impl<R: Listed> SnapshotRow for R {
    fn put(&self, predict: &Predict<'_>, out: &mut Vec<u8>) {
        put_residue(self, &predict.list_row(self), out);
    }
}

struct Tables<F> {
    image: Unpacked,
    /// Start of the table that is being written.
    start: usize,
    state: F,
}

impl<F> Tables<F> {
    fn new(state: F) -> Self {
        let image = Unpacked { bytes: Vec::new(), segments: Segments::default() };
        Self { image, start: 0, state }
    }

    /// Completes a table.
    fn end(&mut self, table: Table, rows: usize, key: usize) {
        let length = self.image.bytes.len() - self.start;
        // Empty tables are omitted.
        if let Some(row) = length.checked_div(rows) {
            let segment = Segment::rows(table as u32, length as u32, row as u32);
            self.image.segments.push(segment.keyed(key as u32));
        }
        self.start = self.image.bytes.len();
    }
}

impl TableVisitor for Tables<Predict<'_>> {
    fn table<R: SnapshotRow>(&mut self) {
        let mut count = 0;
        for row in R::rows(self.state.state) {
            row.put(&self.state, &mut self.image.bytes);
            count += 1;
        }
        self.end(R::TABLE, count, R::KEY);
    }
}

/// Writes keys, and zeros in all other fields.
impl TableVisitor for Tables<State<'_>> {
    fn table<R: SnapshotRow>(&mut self) {
        let bytes = &mut self.image.bytes;
        let mut count = 0;
        for row in R::rows(self.state) {
            let start = bytes.len();
            put(&row, bytes);
            bytes.resize(bytes.len() + R::EXTRA, 0);
            bytes[start + R::KEY..].fill(0);
            count += 1;
        }
        self.end(R::TABLE, count, R::KEY);
    }
}

/// Writes the tables of a state, predicted from a baseline if there is one.
pub(super) fn image(state: State<'_>, base: Option<State<'_>>) -> Unpacked {
    let mut tables = Tables::new(Predict { state, base });
    Table::each(&mut tables);
    tables.image
}

/// Reference tables that a delta is packed against: the keys of the baseline, to match rows, and zeros, because its values are
/// already in the predictions.
pub(super) fn keys(base: State<'_>) -> Unpacked {
    let mut tables = Tables::new(base);
    Table::each(&mut tables);
    tables.image
}
