//! Writes a frame as tables of residues.

use super::predict::{self, Predict};
use crate::pack::{Segment, Segments, Unpacked};
use crate::world::fields::{IdRow, Keyed, Row, put, put_residue};
use crate::world::frame::first_of_page;
use crate::world::page_bytes::{State, Table, body_rows, shape_rows, trait_rows};
use crate::world::rows::{ColdRow, ContactRow, HotRow, Overlap, ShapeRow};

/// Marker byte after a contact row: it is a recycled contact with the manifold of the baseline.
pub(super) const RECYCLED: u8 = 1;

struct Tables {
    image: Unpacked,
    start: usize,
}

impl Tables {
    fn new() -> Self {
        let image = Unpacked { bytes: Vec::new(), segments: Segments::default() };
        Self { image, start: 0 }
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

    fn table<R: Row>(
        &mut self,
        table: Table,
        rows: impl Iterator<Item = R>,
        predict: impl Fn(&R) -> R,
    ) {
        let mut count = 0;
        for row in rows {
            put_residue(&row, &predict(&row), &mut self.image.bytes);
            count += 1;
        }
        self.end(table, count, R::KEY);
    }

    /// Writes a table of keys with zeros in all other fields.
    fn keys<R: Row>(&mut self, table: Table, rows: impl Iterator<Item = R>, extra: usize) {
        let bytes = &mut self.image.bytes;
        let mut count = 0;
        for row in rows {
            let start = bytes.len();
            put(&row, bytes);
            bytes.resize(bytes.len() + extra, 0);
            bytes[start + R::KEY..].fill(0);
            count += 1;
        }
        self.end(table, count, R::KEY);
    }
}

/// Writes the tables of a state, predicted from a baseline if there is one.
pub(super) fn image(state: State<'_>, base: Option<State<'_>>) -> Unpacked {
    let predict = Predict { state, base };
    let mut tables = Tables::new();
    let (world, overrides) = state.world_rows();
    tables.table(Table::World, core::iter::once(world), |_| predict::world(base));
    tables.table(Table::Overrides, overrides, |row| predict::material(base, row.tags));
    tables.table(Table::Ids, ids(state), |row| predict::id(base, row.index));
    tables.table(Table::Bodies, bodies(state), |row| predict.body(row.key, &row.row));
    tables.table(Table::Traits, traits(state), |row| predict.traits(row.key));
    tables.table(Table::Shapes, shapes(state), |row| predict.shape(row.key));
    let mut count = 0;
    for row in contacts(state) {
        let old = predict.old_contact(row.key);
        let is_same =
            |old: &ContactRow| (old.reference, old.rotations) == (row.reference, row.rotations);
        let recycled = old.is_some_and(is_same);
        let mut predicted = predict.contact(row.key, recycled);
        predict.geometry(&mut predicted, row);
        put_residue(row, &predicted, &mut tables.image.bytes);
        tables.image.bytes.push(if recycled { RECYCLED } else { 0 });
        count += 1;
    }
    tables.end(Table::Contacts, count, ContactRow::KEY);
    tables.table(Table::Overlaps, overlaps(state), Clone::clone);
    tables.table(Table::Events, state.frame.events.iter().copied(), |row| predict.event(row));
    tables.image
}

/// Reference tables that a delta is packed against: the keys of the baseline, to match rows, and zeros, because its values are
/// already in the predictions.
pub(super) fn keys(base: State<'_>) -> Unpacked {
    let mut tables = Tables::new();
    let (world, overrides) = base.world_rows();
    tables.keys(Table::World, core::iter::once(world), 0);
    tables.keys(Table::Overrides, overrides, 0);
    tables.keys(Table::Ids, ids(base), 0);
    tables.keys(Table::Bodies, bodies(base), 0);
    tables.keys(Table::Traits, traits(base), 0);
    tables.keys(Table::Shapes, shapes(base), 0);
    tables.keys(Table::Contacts, contacts(base).copied(), 1);
    tables.keys(Table::Overlaps, overlaps(base), 0);
    tables.keys(Table::Events, base.frame.events.iter().copied(), 0);
    tables.image
}

fn ids(state: State<'_>) -> impl Iterator<Item = IdRow> {
    state.pages().flat_map(move |(_, stream, page)| State::id_rows(stream, page))
}

fn bodies(state: State<'_>) -> impl Iterator<Item = Keyed<HotRow>> {
    state.pages().flat_map(move |(number, stream, page)| {
        let live = state.store.cold.get(stream.cold[page]).live;
        body_rows(state.store.hot.get(stream.hot[page]), live, first_of_page(number))
    })
}

fn traits(state: State<'_>) -> impl Iterator<Item = Keyed<ColdRow>> {
    state.pages().flat_map(move |(number, stream, page)| {
        trait_rows(state.store.cold.get(stream.cold[page]), first_of_page(number))
    })
}

fn shapes(state: State<'_>) -> impl Iterator<Item = Keyed<ShapeRow>> {
    state.pages().flat_map(move |(number, stream, page)| {
        shape_rows(state.store.cold.get(stream.cold[page]), first_of_page(number))
    })
}

fn contacts(state: State<'_>) -> impl Iterator<Item = &ContactRow> {
    state
        .pages()
        .flat_map(move |(_, stream, page)| &state.store.contacts.get(stream.contacts[page]).rows)
}

fn overlaps(state: State<'_>) -> impl Iterator<Item = Overlap> {
    state.pages().flat_map(move |(_, stream, page)| {
        state.store.contacts.get(stream.contacts[page]).overlaps.iter().copied()
    })
}
