//! Reads tables of residues into a new frame. Checks every row; does not touch the world.

use super::predict::{self, Predict, shape_at};
use super::write::RECYCLED;
use super::{SnapshotError, check};
use crate::Tick;
use crate::data::{IdPool, IndexSet};
use crate::pack::Unpacked;
use crate::world::WorldDef;
use crate::world::fields::{IdRow, Keyed, OverrideRow, Reader, Row, WorldRow};
use crate::world::frame::{Frame, Place, STREAM_BODIES, Store, page_number};
use crate::world::page_bytes::{State, row_bytes};
use crate::world::registry::joints::all_have_ends;
use crate::world::registry::{ListVisitor, Listed, Table};
use crate::world::rows::{
    BodyIndex, BodyKind, ColdPage, ColdRow, ContactPage, ContactRow, HotPage, HotRow, Overlap,
    PairKey, ShapeKey, ShapeRow, body_of,
};
use crate::world::{EventRow, events::EventKind};
use std::cell::RefCell;
use std::sync::Arc;

/// Content of a snapshot.
pub(super) struct Read {
    pub(super) def: WorldDef,
    pub(super) tick: Tick,
    pub(super) frame: Frame,
    pub(super) store: Store,
}

/// Least number of ticks that a restored world can still compute.
const TICKS_LEFT: u32 = 1 << 20;

type Result<T> = core::result::Result<T, SnapshotError>;

struct Tables<'a> {
    tables: [&'a [u8]; Table::ALL.len()],
    /// Buffer for reading a row.
    buffer: RefCell<Vec<u8>>,
}

/// Iterator over the rows of a table.
struct Rows<'a> {
    table: Table,
    buffer: &'a RefCell<Vec<u8>>,
    left: core::iter::Enumerate<core::slice::ChunksExact<'a, u8>>,
}

impl<'a> Tables<'a> {
    fn new(unpacked: &'a Unpacked) -> Result<Self> {
        let mut tables = [&[][..]; Table::ALL.len()];
        let mut rest = &unpacked.bytes[..];
        let mut last = None;
        for segment in unpacked.segments.iter() {
            let id = segment.id() as usize;
            // Each table at most once, in order.
            let table = Table::ALL.get(id).filter(|_| last.is_none_or(|last| last < id));
            let table = table.ok_or(SnapshotError::Table { table: "tables" })?;
            last = Some(id);
            let broken = SnapshotError::Table { table: table.name() };
            (tables[id], rest) = rest.split_at_checked(segment.length() as usize).ok_or(broken)?;
        }
        Ok(Self { tables, buffer: RefCell::default() })
    }

    /// The rows of a table, each followed by `extra` bytes.
    fn rows(&self, table: Table, extra: usize) -> Result<Rows<'_>> {
        let length = row_bytes(table) + extra;
        let bytes = self.tables[table as usize];
        if !bytes.len().is_multiple_of(length) {
            return Err(SnapshotError::Table { table: table.name() });
        }
        Ok(Rows { table, buffer: &self.buffer, left: bytes.chunks_exact(length).enumerate() })
    }

    /// Memory of the state with these rows. A page with one body takes as much as one with 32, so it may be many times the
    /// length of the tables.
    fn bytes_as_state(&self) -> Result<u64> {
        const PAGES: usize =
            size_of::<HotPage>() + size_of::<ColdPage>() + size_of::<ContactPage>();
        /// A generation, rounded up for the set of free indices and the references to pages.
        const ID: usize = 6;
        let mut bytes = 0;
        let mut last = None;
        for (_, row) in self.rows(Table::Bodies, 0)? {
            let page = Some(page_number(body_index(row)));
            bytes += if page == last { 0 } else { PAGES as u64 };
            last = page;
        }
        for (table, extra, size) in [
            (Table::Ids, 0, ID),
            (Table::Shapes, 0, size_of::<ShapeRow>()),
            (Table::Contacts, 1, size_of::<ContactRow>()),
            (Table::Overlaps, 0, size_of::<Overlap>()),
            (Table::Events, 0, size_of::<EventRow>()),
        ] {
            bytes += (self.rows(table, extra)?.left.len() * size) as u64;
        }
        for table in Table::ALL.into_iter().filter(|table| table.is_optional()) {
            bytes += (self.rows(table, 0)?.left.len() * row_bytes(table)) as u64;
        }
        Ok(bytes)
    }
}

impl<'a> Iterator for Rows<'a> {
    type Item = (At<'a>, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (row, bytes) = self.left.next()?;
        Some((At { table: self.table, row: row as u32, buffer: self.buffer }, bytes))
    }
}

/// Position of a row, for errors.
#[derive(Clone, Copy)]
struct At<'a> {
    table: Table,
    row: u32,
    buffer: &'a RefCell<Vec<u8>>,
}

impl At<'_> {
    fn wrong(self, what: &'static str) -> SnapshotError {
        SnapshotError::Row { table: self.table.name(), row: self.row, what }
    }

    fn ensure(self, holds: bool, what: &'static str) -> Result<()> {
        if holds { Ok(()) } else { Err(self.wrong(what)) }
    }

    fn read<R: Row>(self, bytes: &[u8], predicted: &R) -> Result<R> {
        let read = Reader::row(bytes, predicted, &mut self.buffer.borrow_mut());
        read.map_err(|what| self.wrong(what))
    }

    /// Reads the key of a row. All other fields have arbitrary values.
    fn read_key<R: Row>(self, bytes: &[u8]) -> R {
        Reader::key(bytes, &mut self.buffer.borrow_mut())
    }

    /// Reads a row of which only one part is predicted right.
    fn read_part<R: Row>(self, bytes: &[u8], predicted: &R, part: &'static str) -> Result<R> {
        let read = Reader::part(bytes, predicted, part, &mut self.buffer.borrow_mut());
        read.map_err(|what| self.wrong(what))
    }

    fn check(self, checked: core::result::Result<(), &'static str>) -> Result<()> {
        checked.map_err(|what| self.wrong(what))
    }
}

/// The key at the front of a row.
fn key(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// The body index at the front of a row.
fn body_index(bytes: &[u8]) -> BodyIndex {
    BodyIndex::new(key(bytes))
}

/// The shape key at the front of a row.
fn shape_key(bytes: &[u8]) -> ShapeKey {
    ShapeKey::new(key(bytes))
}

/// Reads the state from tables that were predicted from `base`.
pub(super) fn state(unpacked: &Unpacked, base: Option<State<'_>>, limit: usize) -> Result<Read> {
    let tables = Tables::new(unpacked)?;
    let (bytes, limit) = (tables.bytes_as_state()?, limit as u64);
    if bytes > limit {
        return Err(SnapshotError::TooLarge { bytes, limit });
    }
    let (def, tick) = world(&tables, base)?;
    let frame = Frame { gravity: def.gravity, ..Frame::default() };
    let mut read = Read { def, tick, frame, store: Store::default() };
    ids(&tables, base, &mut read)?;
    bodies(&tables, base, &mut read)?;
    sleeping_rings(&tables, &read)?;
    contacts(&tables, base, &mut read)?;
    overlaps(&tables, &mut read)?;
    events(&tables, base, &mut read)?;
    Table::each_list(&mut Lists { tables: &tables, base, read: &mut read })?;
    if !all_have_ends(&read.frame, &read.store) {
        return Err(SnapshotError::Table { table: Table::JointEnds.name() });
    }
    Ok(read)
}

fn world(tables: &Tables<'_>, base: Option<State<'_>>) -> Result<(WorldDef, Tick)> {
    let mut rows = tables.rows(Table::World, 0)?;
    let (Some((at, bytes)), None) = (rows.next(), rows.next()) else {
        return Err(SnapshotError::Table { table: Table::World.name() });
    };
    let WorldRow { tick, mut def } = at.read(bytes, &predict::world(base))?;
    at.ensure(def.check().is_ok(), "the definition is out of range")?;
    at.ensure(tick.0 <= u32::MAX - TICKS_LEFT, "the tick is too late")?;
    let mut last = None;
    for (at, bytes) in tables.rows(Table::Overrides, 0)? {
        let front = key(bytes);
        let tags = [front as u16, (front >> 16) as u16];
        let row: OverrideRow = at.read(bytes, &predict::material(base, tags))?;
        at.ensure(tags[0] <= tags[1] && last < Some(tags), "its tags are not in order")?;
        last = Some(tags);
        let set = def.materials.set(tags[0], tags[1], row.material);
        at.ensure(set.is_ok(), "its material")?;
    }
    Ok((def, tick))
}

fn ids(tables: &Tables<'_>, base: Option<State<'_>>, read: &mut Read) -> Result<()> {
    let Read { frame, store, .. } = read;
    let stream_of = |bytes: &[u8]| key(bytes) / STREAM_BODIES;
    let mut rows = tables.rows(Table::Ids, 0)?.peekable();
    while let Some(&(first, bytes)) = rows.peek() {
        let stream = stream_of(bytes);
        first.ensure(stream as usize >= frame.streams.len(), "its stream is not in order")?;
        let number = u8::try_from(stream).map_err(|_| first.wrong("its stream does not exist"))?;
        let range = frame.stream(number).ids.range();
        let mut generations = Vec::new();
        let mut indices = range.clone().map(BodyIndex::new);
        while let Some((at, bytes)) = rows.next_if(|(_, bytes)| stream_of(bytes) == stream) {
            let index = indices.next().ok_or_else(|| first.wrong("its stream is too long"))?;
            let row: IdRow = at.read(bytes, &predict::id(base, index))?;
            at.ensure(row.index == index, "its index is not the next")?;
            generations.push(row.generation);
        }
        let last = BodyIndex::new(range.start).plus(generations.len() - 1);
        let pool = IdPool::with_generations(range, generations);
        frame.stream(number).ids = Arc::new(pool.map_err(|_| first.wrong("its generation"))?);
        frame.make_page(store, last);
    }
    Ok(())
}

/// Reads body rows, traits and shapes of all bodies that have ids.
fn bodies(tables: &Tables<'_>, base: Option<State<'_>>, read: &mut Read) -> Result<()> {
    let Read { def, tick, frame, store } = read;
    let live: Vec<_> =
        frame.streams.iter().flat_map(|stream| stream.ids.iter().map(BodyIndex::of)).collect();
    let mut hot_rows = tables.rows(Table::Bodies, 0)?;
    let mut cold_rows = tables.rows(Table::Traits, 0)?;
    let mut shape_rows = tables.rows(Table::Shapes, 0)?.peekable();
    for &index in &live {
        let (Some((hot_at, hot)), Some((cold_at, cold))) = (hot_rows.next(), cold_rows.next())
        else {
            return Err(SnapshotError::Table { table: Table::Bodies.name() });
        };
        let predict = Predict { state: predict::state(def, *tick, frame, store), base };
        hot_at.ensure(body_index(hot) == index, "its body is not the next that has an id")?;
        cold_at.ensure(body_index(cold) == index, "its body is not the next that has an id")?;
        let first: Keyed<HotRow> = hot_at.read(hot, &predict.body(index, &HotRow::default()))?;
        let hot = hot_at.read(hot, &predict.body(index, &first.row))?.row;
        let mut cold: ColdRow = cold_at.read(cold, &predict.traits(index))?.row;
        let mut shapes: Vec<ShapeRow> = Vec::new();
        while let Some((at, bytes)) =
            shape_rows.next_if(|(_, bytes)| body_of(shape_key(bytes)) == index)
        {
            let key = shape_key(bytes);
            let ordinal = key.ordinal();
            let ascends = shapes.last().is_none_or(|last| last.ordinal < ordinal);
            at.ensure(ascends && ordinal < u8::MAX, "its number is not in order")?;
            let row: Keyed<ShapeRow> = at.read(bytes, &predict.shape(key))?;
            at.check(check::shape(&row.row))?;
            shapes.push(row.row);
        }
        cold_at.check(check::traits(&cold, &shapes))?;
        cold.span = shapes.last().map_or(0, |shape| shape.ordinal + 1);
        hot_at.check(check::body(&hot, &cold))?;
        let row = Place::of(index).row;
        *frame.hot_mut(store, index) = hot;
        let page = frame.cold_page_mut(store, index);
        page.live |= 1 << row;
        page.rows[row] = cold;
        page.shapes.extend(shapes);
        frame.mark_active(store, index);
    }
    for mut rows in [hot_rows, cold_rows] {
        if let Some((at, _)) = rows.next() {
            return Err(at.wrong("its body has no id"));
        }
    }
    shape_rows.next().map_or(Ok(()), |(at, _)| Err(at.wrong("its body has no id")))
}

/// Checks that the bodies of each sleeping island are linked in a ring, ascending.
fn sleeping_rings(tables: &Tables<'_>, read: &Read) -> Result<()> {
    let Read { frame, store, .. } = read;
    let mut reached = IndexSet::new();
    let mut ascents = IndexSet::new();
    for (at, bytes) in tables.rows(Table::Bodies, 0)? {
        let index = body_index(bytes);
        let row = frame.hot(store, index);
        if !row.is_asleep() {
            continue;
        }
        let next = row.next;
        let sleeps = frame.id_at(next).is_some() && frame.hot(store, next).is_asleep();
        at.ensure(sleeps, "it is linked to a body that is awake")?;
        at.ensure(reached.insert(next), "two sleeping bodies link to the same body")?;
        // Only the lowest body of a ring walks it, so that each ring is walked once.
        if ascents.contains(index) {
            continue;
        }
        let mut member = index;
        loop {
            ascents.insert(member);
            let next = frame.hot(store, member).next;
            if next <= member {
                at.ensure(next == index, "its ring of sleeping bodies is not ascending")?;
                break;
            }
            let sleeps = frame.id_at(next).is_some() && frame.hot(store, next).is_asleep();
            at.ensure(sleeps, "it is linked to a body that is awake")?;
            member = next;
        }
    }
    Ok(())
}

fn contacts(tables: &Tables<'_>, base: Option<State<'_>>, read: &mut Read) -> Result<()> {
    let mut last = None;
    for (at, bytes) in tables.rows(Table::Contacts, 1)? {
        let Read { def, tick, frame, store } = &mut *read;
        let (&recycled, bytes) = bytes.split_last().expect("a row and one byte");
        at.ensure(recycled == 0 || recycled == RECYCLED, "its flag for a recycled contact")?;
        let shapes = [shape_key(bytes), shape_key(&bytes[4..])];
        let pair = PairKey::new(shapes[0], shapes[1]);
        let bodies = shapes.map(body_of);
        at.ensure(bodies[0] < bodies[1], "its bodies are not in order")?;
        let exist = shapes.iter().all(|shape| shape_at(frame, store, *shape).is_some());
        at.ensure(exist, "one of its shapes does not exist")?;
        let solid =
            |shape: &ShapeKey| shape_at(frame, store, *shape).is_some_and(|row| !row.sensor);
        at.ensure(shapes.iter().all(solid), "one of its shapes is a sensor")?;
        let is_dynamic = |body: &BodyIndex| frame.cold(store, *body).kind == BodyKind::Dynamic;
        let owner = bodies.into_iter().find(is_dynamic);
        let owner = owner.ok_or_else(|| at.wrong("neither body is dynamic"))?;
        let place = Some((page_number(owner), pair));
        at.ensure(last < place, "it is not in order")?;
        last = place;
        let predict = Predict { state: predict::state(def, *tick, frame, store), base };
        // The first read gives the reference poses, the second one the manifold.
        let mut predicted = predict.contact(pair, recycled == RECYCLED);
        let poses = at.read_part(bytes, &predicted, "rotations")?;
        predict.geometry(&mut predicted, &poses);
        let row: ContactRow = at.read(bytes, &predicted)?;
        at.check(check::contact(&row))?;
        frame.contact_page_mut(store, owner).rows.push(row);
    }
    Ok(())
}

fn overlaps(tables: &Tables<'_>, read: &mut Read) -> Result<()> {
    let Read { frame, store, .. } = read;
    let rows = |frame: &mut Frame, store: &mut Store| -> Result<()> {
        let mut last = None;
        for (at, bytes) in tables.rows(Table::Overlaps, 0)? {
            let row: Overlap = at.read(bytes, &Overlap::default())?;
            at.ensure(last < Some(row), "it is not in order")?;
            last = Some(row);
            let [own, other] = [row.own, row.other].map(|shape| shape_at(frame, store, shape));
            let (Some(own), Some(other)) = (own, other) else {
                return Err(at.wrong("one of its shapes does not exist"));
            };
            at.ensure(body_of(row.own) != body_of(row.other), "both shapes belong to one body")?;
            let sensor = if row.senses { own } else { other };
            at.ensure(sensor.sensor, "its sensing shape is not a sensor")?;
            frame.contact_page_mut(store, body_of(row.own)).overlaps.push(row);
        }
        Ok(())
    };
    rows(frame, store)?;
    for (at, bytes) in tables.rows(Table::Overlaps, 0)? {
        let Overlap { own, other, senses } = at.read(bytes, &Overlap::default())?;
        let back = Overlap { own: other, other: own, senses: !senses };
        let page = frame.contact_page(store, body_of(other));
        let known = page.is_some_and(|page| page.overlaps.binary_search(&back).is_ok());
        at.ensure(known, "the other body has no matching overlap")?;
    }
    Ok(())
}

fn events(tables: &Tables<'_>, base: Option<State<'_>>, read: &mut Read) -> Result<()> {
    let Read { def, tick, frame, store } = read;
    let mut events: Vec<EventRow> = Vec::new();
    for (at, bytes) in tables.rows(Table::Events, 0)? {
        let predict = Predict { state: predict::state(def, *tick, frame, store), base };
        let mut known = EventRow::blank();
        let kind = bytes.first().and_then(|kind| EventKind::ALL.get(usize::from(*kind)));
        known.kind = *kind.ok_or_else(|| at.wrong("its kind"))?;
        known.key = PairKey::new(shape_key(&bytes[1..]), shape_key(&bytes[5..]));
        let row: EventRow = at.read(bytes, &predict.event(&known))?;
        at.check(check::event(&row))?;
        let order = |row: &EventRow| (row.kind, row.key);
        at.ensure(
            events.last().is_none_or(|last| order(last) <= order(&row)),
            "it is not in order",
        )?;
        events.push(row);
    }
    frame.events = events;
    Ok(())
}

/// Reads lists.
struct Lists<'a> {
    tables: &'a Tables<'a>,
    base: Option<State<'a>>,
    read: &'a mut Read,
}

impl ListVisitor for Lists<'_> {
    type Error = SnapshotError;

    fn list<R: Listed>(&mut self) -> Result<()> {
        let Self { tables, base, read: Read { def, tick, frame, store } } = self;
        let mut last = None;
        for (at, bytes) in tables.rows(<R as Listed>::TABLE, 0)? {
            let predict = Predict { state: predict::state(def, *tick, frame, store), base: *base };
            // The key is right whatever was predicted.
            let key: R = at.read_key(bytes);
            let place = Some((key.owner(), key.key()));
            at.ensure(last < place, "it is not in order")?;
            last = place;
            at.ensure(frame.id_at(key.owner()).is_some(), "its body does not exist")?;
            let row = at.read(bytes, &predict.list_row(&key))?;
            at.check(row.check(predict.state))?;
            frame.set_list_row(store, row);
        }
        Ok(())
    }
}
