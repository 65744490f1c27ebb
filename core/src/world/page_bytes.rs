//! The state by section and page, as canonical bytes. Digests are computed from them, and machines exchange them to find the
//! field in which they differ.
//!
//! A page consists of tables, each a row count and rows of fixed width, sorted by key. Rows of dead bodies and pool positions
//! are never included.

use super::fields::{Field, IdRow, Keyed, OverrideRow, Row, WorldRow, layout, put};
use super::frame::{Frame, STREAM_BODIES, Store, Stream, index_at};
use super::rows::{BodyIndex, PAGE_ROWS, shape_key};
use super::rows::{ColdPage, ColdRow, ContactPage, ContactRow, HotPage, HotRow, Overlap, ShapeRow};
use super::{EventRow, World, WorldDef};
use crate::Tick;
use crate::history::HistoryError;
use std::sync::LazyLock;

/// Pages per stream. Page n holds bodies of stream n / 2048.
pub(super) const STREAM_PAGES: usize = STREAM_BODIES as usize / PAGE_ROWS;

/// A section of the state. Each has its own digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum StateSection {
    /// Definition of the world, and tick.
    World,
    /// Ids in use, and generations.
    Ids,
    /// Poses, velocities and sleep.
    Bodies,
    /// Values that only commands change: kind, mass, damping, shapes.
    Traits,
    /// Contacts and sensor overlaps.
    Contacts,
    /// Events of the step.
    Events,
}

impl StateSection {
    /// All sections.
    pub const ALL: [Self; 6] =
        [Self::World, Self::Ids, Self::Bodies, Self::Traits, Self::Contacts, Self::Events];

    /// Returns its name in a [`DigestTree`](crate::digest::DigestTree).
    pub const fn name(self) -> &'static str {
        match self {
            Self::World => "world",
            Self::Ids => "ids",
            Self::Bodies => "bodies",
            Self::Traits => "traits",
            Self::Contacts => "contacts",
            Self::Events => "events",
        }
    }

    /// Returns the section with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.name() == name)
    }

    /// The tables of its pages, in order.
    pub(super) const fn tables(self) -> &'static [Table] {
        match self {
            Self::World => &[Table::World, Table::Overrides],
            Self::Ids => &[Table::Ids],
            Self::Bodies => &[Table::Bodies],
            Self::Traits => &[Table::Traits, Table::Shapes],
            Self::Contacts => &[Table::Contacts, Table::Overlaps],
            Self::Events => &[Table::Events],
        }
    }
}

/// Kinds of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    World,
    Overrides,
    Ids,
    Bodies,
    Traits,
    Shapes,
    Contacts,
    Overlaps,
    Events,
}

impl Table {
    pub(super) const ALL: [Self; 9] = [
        Self::World,
        Self::Overrides,
        Self::Ids,
        Self::Bodies,
        Self::Traits,
        Self::Shapes,
        Self::Contacts,
        Self::Overlaps,
        Self::Events,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::World => "world",
            Self::Overrides => "pairs of materials",
            Self::Ids => "ids",
            Self::Bodies => "bodies",
            Self::Traits => "traits",
            Self::Shapes => "shapes",
            Self::Contacts => "contacts",
            Self::Overlaps => "overlaps",
            Self::Events => "events",
        }
    }

    /// Its fields, and the length of the key at the front of a row in bytes.
    pub(super) fn layout(self) -> (Vec<Field>, usize) {
        fn of<R: Row>() -> (Vec<Field>, usize) {
            (layout::<R>(), R::KEY)
        }
        match self {
            Self::World => of::<WorldRow>(),
            Self::Overrides => of::<OverrideRow>(),
            Self::Ids => of::<IdRow>(),
            Self::Bodies => of::<Keyed<HotRow>>(),
            Self::Traits => of::<Keyed<ColdRow>>(),
            Self::Shapes => of::<Keyed<ShapeRow>>(),
            Self::Contacts => of::<ContactRow>(),
            Self::Overlaps => of::<Overlap>(),
            Self::Events => of::<EventRow>(),
        }
    }
}

/// The length of a row with these fields.
pub(super) fn row_length(fields: &[Field]) -> usize {
    fields.last().map_or(0, |last| last.start + last.width)
}

/// One tick's state with everything that writing it needs.
#[derive(Clone, Copy)]
pub(super) struct State<'a> {
    pub(super) def: &'a WorldDef,
    pub(super) tick: Tick,
    pub(super) frame: &'a Frame,
    pub(super) store: &'a Store,
}

/// A table: its length, then its rows.
fn put_table<R: Row>(rows: impl Iterator<Item = R>, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    let mut count = 0u32;
    for row in rows {
        put(&row, out);
        count += 1;
    }
    out[start..start + 4].copy_from_slice(&count.to_le_bytes());
}

fn live_rows(live: u32) -> impl Iterator<Item = usize> {
    (0..PAGE_ROWS).filter(move |row| live >> row & 1 == 1)
}

impl<'a> State<'a> {
    /// Iterates over the numbers of all pages that may have rows.
    pub(super) fn pages(self) -> impl Iterator<Item = (u32, &'a Stream, usize)> {
        let streams = self.frame.streams.iter().enumerate();
        streams.flat_map(|(s, stream)| {
            let pages = 0..stream.ids.generations().len().div_ceil(PAGE_ROWS);
            pages.map(move |page| ((s * STREAM_PAGES + page) as u32, stream, page))
        })
    }

    pub(super) fn world_rows(self) -> (WorldRow, impl Iterator<Item = OverrideRow>) {
        let def = WorldDef { gravity: self.frame.gravity, ..self.def.clone() };
        let row = WorldRow { tick: self.tick, def };
        let overrides = self.def.materials.overrides().iter();
        (row, overrides.map(|&((a, b), material)| OverrideRow { tags: [a, b], material }))
    }

    pub(super) fn id_rows(stream: &Stream, page: usize) -> impl Iterator<Item = IdRow> {
        let first = BodyIndex::new(stream.ids.range().start).plus(page * PAGE_ROWS);
        let generations = stream.ids.generations()[page * PAGE_ROWS..].iter().take(PAGE_ROWS);
        generations
            .zip(0..)
            .map(move |(&generation, row)| IdRow { index: first.plus(row), generation })
    }

    fn put_world(self, out: &mut Vec<u8>) {
        let (row, overrides) = self.world_rows();
        put_table(core::iter::once(row), out);
        put_table(overrides, out);
    }

    /// Appends a page's bytes; nothing for a page without rows.
    pub(super) fn put_page(self, section: StateSection, number: u32, out: &mut Vec<u8>) {
        let single = number == 0;
        let (s, p) = (number as usize / STREAM_PAGES, number as usize % STREAM_PAGES);
        let stream = self.frame.streams.get(s).filter(|stream| p < stream.hot.len());
        match (section, stream) {
            (StateSection::World, _) if single => self.put_world(out),
            (StateSection::Events, _) if single => put_events(&self.frame.events, out),
            (StateSection::Ids, Some(stream)) => put_table(Self::id_rows(stream, p), out),
            (StateSection::Bodies, Some(stream)) => {
                let live = self.store.cold.get(stream.cold[p]).live;
                put_bodies(self.store.hot.get(stream.hot[p]), live, index_at(s, p, 0), out);
            }
            (StateSection::Traits, Some(stream)) => {
                put_traits(self.store.cold.get(stream.cold[p]), index_at(s, p, 0), out);
            }
            (StateSection::Contacts, Some(stream)) => {
                put_contacts(self.store.contacts.get(stream.contacts[p]), out);
            }
            _ => {}
        }
    }
}

pub(super) fn put_events(events: &[EventRow], out: &mut Vec<u8>) {
    if !events.is_empty() {
        put_table(events.iter().copied(), out);
    }
}

pub(super) fn body_rows(
    page: &HotPage,
    live: u32,
    first: BodyIndex,
) -> impl Iterator<Item = Keyed<HotRow>> {
    live_rows(live).map(move |row| Keyed { key: first.plus(row), row: page.rows[row] })
}

pub(super) fn trait_rows(
    page: &ColdPage,
    first: BodyIndex,
) -> impl Iterator<Item = Keyed<ColdRow>> {
    live_rows(page.live).map(move |row| Keyed { key: first.plus(row), row: page.rows[row] })
}

pub(super) fn shape_rows(
    page: &ColdPage,
    first: BodyIndex,
) -> impl Iterator<Item = Keyed<ShapeRow>> {
    page.shapes.iter().map(move |&row| {
        let key = shape_key(first.plus(usize::from(row.row)), row.ordinal);
        Keyed { key, row }
    })
}

pub(super) fn put_bodies(page: &HotPage, live: u32, first: BodyIndex, out: &mut Vec<u8>) {
    if live != 0 {
        put_table(body_rows(page, live, first), out);
    }
}

pub(super) fn put_traits(page: &ColdPage, first: BodyIndex, out: &mut Vec<u8>) {
    if page.live != 0 {
        put_table(trait_rows(page, first), out);
        put_table(shape_rows(page, first), out);
    }
}

pub(super) fn put_contacts(page: &ContactPage, out: &mut Vec<u8>) {
    let ContactPage { rows, overlaps } = page;
    if !rows.is_empty() || !overlaps.is_empty() {
        put_table(rows.iter().copied(), out);
        put_table(overlaps.iter().copied(), out);
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

/// Hash of the names, units and widths of all fields. It changes whenever the layout or the meaning of the state does.
pub(super) fn layout_hash() -> u64 {
    static HASH: LazyLock<u64> = LazyLock::new(|| {
        let mut text = String::new();
        for table in Table::ALL {
            for Field { name, unit, start, width } in table.layout().0 {
                let line = format!("{table:?} {name} {unit:?} {start} {width}\n");
                text.push_str(&line);
            }
        }
        let digest = crate::digest::Digest::of(text.as_bytes()).to_bytes();
        u64::from_le_bytes(core::array::from_fn(|i| digest[i]))
    });
    *HASH
}

/// The length of a table's rows.
pub(super) fn row_bytes(table: Table) -> usize {
    static BYTES: LazyLock<[usize; Table::ALL.len()]> =
        LazyLock::new(|| Table::ALL.map(|table| row_length(&table.layout().0)));
    BYTES[table as usize]
}
