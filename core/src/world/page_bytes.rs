//! The state by section and page, as canonical bytes. Digests are computed from them, and machines exchange them to find the
//! field in which they differ.
//!
//! A page consists of tables, each a row count and rows of fixed width, sorted by key. Rows of dead bodies and pool positions
//! are never included.

use super::fields::{Field, IdRow, Keyed, OverrideRow, Row, WorldRow, put};
use super::frame::{Frame, Place, STREAM_BODIES, first_of_page};
use super::registry::{PageKind, StateSection, Store, Stream, Table, TableRow};
use super::rows::{BodyIndex, PAGE_ROWS, shape_key};
use super::rows::{ColdPage, ColdRow, ContactPage, ContactRow, HotPage, HotRow, Overlap, ShapeRow};
use super::{EventRow, World, WorldDef};
use crate::Tick;
use crate::digest::Digest;
use crate::history::HistoryError;
use std::sync::LazyLock;

/// Pages per stream. Page n holds bodies of stream n / 2048.
pub(super) const STREAM_PAGES: usize = STREAM_BODIES as usize / PAGE_ROWS;

/// The length of a row with these fields.
pub(super) fn row_length(fields: &[Field]) -> usize {
    fields.last().map_or(0, |last| last.start + last.width)
}

/// One tick's state with everything that writing it needs.
#[derive(Clone, Copy)]
pub(crate) struct State<'a> {
    pub(super) def: &'a WorldDef,
    pub(super) tick: Tick,
    pub(super) frame: &'a Frame,
    pub(super) store: &'a Store,
}

/// Numbers and digests of the pages of each section.
pub(super) type SectionDigests = [Vec<(u32, Digest)>; StateSection::ALL.len()];

/// A page of bodies, which has tables in several sections.
#[derive(Clone, Copy)]
pub(super) struct PagePlace<'a> {
    /// Its number among the pages of all streams.
    pub(super) number: u32,
    pub(super) stream: &'a Stream,
    /// Its number in the stream.
    pub(super) page: usize,
}

/// The bodies of a page.
#[derive(Clone, Copy)]
pub(crate) struct PageBodies {
    pub(super) first: BodyIndex,
    /// Bit i is set if body i of the page is live.
    pub(super) live: u32,
}

impl PagePlace<'_> {
    pub(super) fn bodies(self, store: &Store) -> PageBodies {
        let live = store.cold.get(self.stream.cold[self.page]).live;
        PageBodies { first: first_of_page(self.number), live }
    }
}

/// A table: its length, then its rows.
pub(super) fn put_table<R: Row>(rows: impl Iterator<Item = R>, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    let mut count = 0u32;
    for row in rows {
        put(&row, out);
        count += 1;
    }
    out[start..start + 4].copy_from_slice(&count.to_le_bytes());
}

impl<'a> State<'a> {
    /// Iterates over all pages that may have rows.
    pub(super) fn pages(self) -> impl Iterator<Item = PagePlace<'a>> {
        let streams = self.frame.streams.iter().enumerate();
        streams.flat_map(|(s, stream)| {
            let pages = 0..stream.ids.generations().len().div_ceil(PAGE_ROWS);
            let number = move |page| (s * STREAM_PAGES + page) as u32;
            pages.map(move |page| PagePlace { number: number(page), stream, page })
        })
    }

    pub(super) fn world_rows(self) -> (WorldRow, impl Iterator<Item = OverrideRow>) {
        let def = WorldDef { gravity: self.frame.gravity, ..self.def.clone() };
        let row = WorldRow { tick: self.tick, def };
        let overrides = self.def.materials.overrides().iter();
        (row, overrides.map(|&((a, b), material)| OverrideRow { tags: [a, b], material }))
    }

    fn put_world(self, out: &mut Vec<u8>) {
        let (row, overrides) = self.world_rows();
        put_table(core::iter::once(row), out);
        put_table(overrides, out);
    }

    /// Appends a page's bytes; nothing for a page without rows.
    pub(super) fn put_page(self, section: StateSection, number: u32, out: &mut Vec<u8>) {
        let single = number == 0;
        let (s, page) = (number as usize / STREAM_PAGES, number as usize % STREAM_PAGES);
        let stream = self.frame.streams.get(s).filter(|stream| page < stream.active.len());
        match (section, stream) {
            (StateSection::World, _) if single => self.put_world(out),
            (StateSection::Events, _) if single => put_events(&self.frame.events, out),
            (StateSection::Ids, Some(stream)) => put_table(id_rows(stream, page), out),
            (_, Some(stream)) => {
                self.put_body_page(section, PagePlace { number, stream, page }, out);
            }
            _ => {}
        }
    }
}

fn put_events(events: &[EventRow], out: &mut Vec<u8>) {
    if !events.is_empty() {
        put_table(events.iter().copied(), out);
    }
}

fn id_rows(stream: &Stream, page: usize) -> impl Iterator<Item = IdRow> {
    let first = BodyIndex::new(stream.ids.range().start).plus(page * PAGE_ROWS);
    let generations = stream.ids.generations()[page * PAGE_ROWS..].iter().take(PAGE_ROWS);
    generations.zip(0..).map(move |(&generation, row)| IdRow { index: first.plus(row), generation })
}

fn live_rows(live: u32) -> impl Iterator<Item = usize> {
    (0..PAGE_ROWS).filter(move |row| live >> row & 1 == 1)
}

fn body_rows(page: &HotPage, at: PageBodies) -> impl Iterator<Item = Keyed<HotRow>> {
    live_rows(at.live).map(move |row| Keyed { key: at.first.plus(row), row: page.rows[row] })
}

fn trait_rows(page: &ColdPage, first: BodyIndex) -> impl Iterator<Item = Keyed<ColdRow>> {
    live_rows(page.live).map(move |row| Keyed { key: first.plus(row), row: page.rows[row] })
}

fn shape_rows(page: &ColdPage, first: BodyIndex) -> impl Iterator<Item = Keyed<ShapeRow>> {
    page.shapes.iter().map(move |&row| {
        let key = shape_key(first.plus(usize::from(row.row)), row.ordinal);
        Keyed { key, row }
    })
}

impl PageKind for HotPage {
    const BY_COMMAND: bool = false;

    fn covers(&self, at: PageBodies) -> Option<u32> {
        (at.live != 0).then_some(at.live)
    }

    fn put(&self, at: PageBodies, out: &mut Vec<u8>) {
        put_table(body_rows(self, at), out);
    }

    fn has_rows_of(&self, _: BodyIndex) -> bool {
        true
    }

    fn remove_rows_of(&mut self, body: BodyIndex) {
        self.rows[Place::of(body).row] = HotRow::default();
    }

    fn has_same_rows(&self, other: &Self, body: BodyIndex) -> bool {
        let row = Place::of(body).row;
        self.rows[row] == other.rows[row]
    }

    fn take_rows(&mut self, other: &Self, body: BodyIndex) {
        let row = Place::of(body).row;
        self.rows[row] = other.rows[row];
    }
}

impl PageKind for ColdPage {
    const BY_COMMAND: bool = true;

    fn covers(&self, _: PageBodies) -> Option<u32> {
        (self.live != 0).then_some(0)
    }

    fn put(&self, at: PageBodies, out: &mut Vec<u8>) {
        put_table(trait_rows(self, at.first), out);
        put_table(shape_rows(self, at.first), out);
    }

    fn has_rows_of(&self, _: BodyIndex) -> bool {
        true
    }

    fn remove_rows_of(&mut self, body: BodyIndex) {
        let row = Place::of(body).row;
        self.live &= !(1 << row);
        self.rows[row] = ColdRow::default();
        self.shapes.retain(|shape| usize::from(shape.row) != row);
    }

    /// Two dead rows are equal.
    fn has_same_rows(&self, other: &Self, body: BodyIndex) -> bool {
        let row = Place::of(body).row;
        let live = |page: &Self| page.live >> row & 1 == 1;
        live(self) == live(other)
            && (!live(self)
                || self.rows[row] == other.rows[row] && self.shapes_of(row) == other.shapes_of(row))
    }

    fn take_rows(&mut self, other: &Self, body: BodyIndex) {
        let row = Place::of(body).row;
        self.live = self.live & !(1 << row) | other.live & 1 << row;
        self.rows[row] = other.rows[row];
        self.shapes.retain(|shape| usize::from(shape.row) != row);
        if other.live >> row & 1 == 1 {
            let start = self.shapes.partition_point(|shape| usize::from(shape.row) < row);
            self.shapes.splice(start..start, other.shapes_of(row).iter().copied());
        }
    }
}

/// All rows are about two bodies.
impl PageKind for ContactPage {
    const BY_COMMAND: bool = false;

    fn covers(&self, _: PageBodies) -> Option<u32> {
        (!self.rows.is_empty() || !self.overlaps.is_empty()).then_some(0)
    }

    fn put(&self, _: PageBodies, out: &mut Vec<u8>) {
        put_table(self.rows.iter().copied(), out);
        put_table(self.overlaps.iter().copied(), out);
    }

    fn has_rows_of(&self, _: BodyIndex) -> bool {
        false
    }

    fn remove_rows_of(&mut self, _: BodyIndex) {}

    fn has_same_rows(&self, _: &Self, _: BodyIndex) -> bool {
        true
    }

    fn take_rows(&mut self, _: &Self, _: BodyIndex) {}
}

impl TableRow for WorldRow {
    const TABLE: Table = Table::World;

    fn rows(state: State<'_>) -> impl Iterator<Item = Self> {
        core::iter::once(state.world_rows().0)
    }
}

impl TableRow for OverrideRow {
    const TABLE: Table = Table::Overrides;

    fn rows(state: State<'_>) -> impl Iterator<Item = Self> {
        state.world_rows().1
    }
}

impl TableRow for IdRow {
    const TABLE: Table = Table::Ids;

    fn rows(state: State<'_>) -> impl Iterator<Item = Self> {
        state.pages().flat_map(|at| id_rows(at.stream, at.page))
    }
}

impl TableRow for Keyed<HotRow> {
    const TABLE: Table = Table::Bodies;

    fn rows(state: State<'_>) -> impl Iterator<Item = Self> {
        let State { store, .. } = state;
        let pages = state.pages();
        pages.flat_map(|at| body_rows(store.hot.get(at.stream.hot[at.page]), at.bodies(store)))
    }
}

impl TableRow for Keyed<ColdRow> {
    const TABLE: Table = Table::Traits;

    fn rows(state: State<'_>) -> impl Iterator<Item = Self> {
        let cold = &state.store.cold;
        let pages = state.pages();
        pages.flat_map(|at| trait_rows(cold.get(at.stream.cold[at.page]), first_of_page(at.number)))
    }
}

impl TableRow for Keyed<ShapeRow> {
    const TABLE: Table = Table::Shapes;

    fn rows(state: State<'_>) -> impl Iterator<Item = Self> {
        let cold = &state.store.cold;
        let pages = state.pages();
        pages.flat_map(|at| shape_rows(cold.get(at.stream.cold[at.page]), first_of_page(at.number)))
    }
}

impl TableRow for ContactRow {
    const TABLE: Table = Table::Contacts;

    fn rows(state: State<'_>) -> impl Iterator<Item = Self> {
        let contacts = &state.store.contacts;
        let pages = state.pages();
        pages.flat_map(|at| contacts.get(at.stream.contacts[at.page]).rows.iter().copied())
    }
}

impl TableRow for Overlap {
    const TABLE: Table = Table::Overlaps;

    fn rows(state: State<'_>) -> impl Iterator<Item = Self> {
        let contacts = &state.store.contacts;
        let pages = state.pages();
        pages.flat_map(|at| contacts.get(at.stream.contacts[at.page]).overlaps.iter().copied())
    }
}

impl TableRow for EventRow {
    const TABLE: Table = Table::Events;

    fn rows(state: State<'_>) -> impl Iterator<Item = Self> {
        state.frame.events.iter().copied()
    }
}

impl World {
    /// The state at a held tick.
    pub(super) fn state_at(&self, tick: Tick) -> Result<State<'_>, HistoryError> {
        let frame = if self.timeline.find(tick, self.tick)? {
            &self.timeline.entry(tick).frame
        } else {
            self.timeline.pinned(tick).expect("found, and not in the ring")
        };
        Ok(State { def: &self.def, tick, frame, store: &self.store })
    }

    /// The state after the last step.
    pub(super) fn state(&self) -> State<'_> {
        State { def: &self.def, tick: self.tick, frame: self.base(), store: &self.store }
    }

    /// Returns the canonical bytes of a page at a held tick, the input of its digest; empty for a page that does not exist. Another
    /// machine compares them with its own page by [`explain`](Self::explain).
    ///
    /// # Errors
    /// If the tick is not held.
    #[doc(hidden)]
    pub fn page_bytes(
        &self,
        tick: Tick,
        section: StateSection,
        page: u32,
    ) -> Result<Vec<u8>, HistoryError> {
        let mut out = Vec::new();
        self.state_at(tick)?.put_page(section, page, &mut out);
        Ok(out)
    }
}

/// Hash of the names, units and widths of all fields. It changes whenever the layout or the meaning of the state does. Optional
/// tables are part of it only if `has` is true for them, so that a new kind of list does not change the hash of states without it.
pub(super) fn layout_hash(has: impl Fn(Table) -> bool) -> u64 {
    static HASHES: LazyLock<(u64, [u64; Table::ALL.len()])> = LazyLock::new(|| {
        let lines = |table: Table| -> String {
            let line = |Field { name, unit, start, width }: &Field| {
                format!("{table:?} {name} {:?} {start} {width}\n", unit.in_layout())
            };
            table.layout().0.iter().map(line).collect()
        };
        let hash = |text: &str| {
            let digest = Digest::of(text.as_bytes()).to_bytes();
            u64::from_le_bytes(core::array::from_fn(|i| digest[i]))
        };
        let required = Table::ALL.into_iter().filter(|table| !table.is_optional());
        (
            hash(&required.map(lines).collect::<String>()),
            Table::ALL.map(|table| hash(&lines(table))),
        )
    });
    let optional = Table::ALL.into_iter().zip(HASHES.1);
    let optional = optional.filter(|(table, _)| table.is_optional() && has(*table));
    optional.fold(HASHES.0, |sum, (_, hash)| sum ^ hash)
}

/// The length of a table's rows.
pub(super) fn row_bytes(table: Table) -> usize {
    static BYTES: LazyLock<[usize; Table::ALL.len()]> =
        LazyLock::new(|| Table::ALL.map(|table| row_length(&table.layout().0)));
    BYTES[table as usize]
}
