//! Explanation of a desync: compares a page with that of another machine, row by row and field by field.

use super::World;
use super::fields::{Context, Field, RowText, Unit, text};
use super::frame::Place;
use super::page_bytes::{State, row_length};
use super::registry::{StateSection, Table};
use super::rows::BodyIndex;
use crate::Tick;
use crate::history::HistoryError;
use std::collections::BTreeSet;

/// Error of [`World::explain`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExplainError {
    /// The tick is not held.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The other page is truncated.
    #[error("the page is truncated after {length} bytes; request it again")]
    Truncated {
        /// Length of the page in bytes.
        length: usize,
    },
    /// Bytes follow the other page.
    #[error("{extra} bytes follow the page; pass exactly the bytes of `World::page_bytes`")]
    Trailing {
        /// Number of surplus bytes.
        extra: usize,
    },
    /// Bytes of a name are not UTF-8.
    #[error(
        "byte {at} of the page is not text; the other machine runs another version, or the page was damaged"
    )]
    NotText {
        /// Position of the first invalid byte.
        at: usize,
    },
}

/// A field that differs between two machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowDifference {
    /// The entity, like `body 5v1`, `contact 3v1.0–7v1.0`, `event woke 4v1`.
    pub entity: String,
    /// The field, like `velocity.x`; `exists` if only one machine has the entity.
    pub field: String,
    /// Value on this machine.
    pub ours: FieldValue,
    /// Value on the other machine.
    pub theirs: FieldValue,
}

/// Value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldValue {
    /// Readable text with its unit.
    pub text: String,
    /// Stored bits.
    pub bits: u64,
}

impl core::fmt::Display for RowDifference {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { entity, field, ours, theirs } = self;
        write!(f, "{entity}, {field}: {} here ({:#x}), ", ours.text, ours.bits)?;
        write!(f, "{} there ({:#x})", theirs.text, theirs.bits)
    }
}

impl World {
    /// Compares a page with the [`page_bytes`](Self::page_bytes) of another machine. Returns every field that differs, with both
    /// values. The bytes may come from an untrusted source.
    ///
    /// # Errors
    /// If the tick is not held, or the bytes are not a page.
    ///
    /// ```
    /// use isostep_core::{Tick, Vec3, real};
    /// use isostep_core::internals::StateSection;
    /// use isostep_core::shape::Shape;
    /// use isostep_core::world::{BodyDef, World, WorldDef};
    /// let mut world = World::new(WorldDef::default())?;
    /// let ball = world.spawn(BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?))?;
    /// world.commit();
    /// let mut other = world.clone();
    /// other.set_velocity(ball, Vec3::from_ints(0, 2, 0))?;
    /// other.commit();
    ///
    /// let theirs = other.page_bytes(Tick(0), StateSection::Bodies, 0)?;
    /// let found = world.explain(Tick(0), StateSection::Bodies, 0, &theirs)?;
    /// assert_eq!(found[0].to_string(), "body 0v1, velocity.y: 0 m/s here (0x0), 2 m/s there (0x200000)");
    /// assert_eq!(found.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(hidden)]
    pub fn explain(
        &self,
        tick: Tick,
        section: StateSection,
        page: u32,
        theirs: &[u8],
    ) -> Result<Vec<RowDifference>, ExplainError> {
        self.explain_within(tick, section, page, theirs, usize::MAX)
    }

    /// Like [`explain`](Self::explain), up to a number of differences.
    pub(crate) fn explain_within(
        &self,
        tick: Tick,
        section: StateSection,
        page: u32,
        theirs: &[u8],
        limit: usize,
    ) -> Result<Vec<RowDifference>, ExplainError> {
        let state = self.state_at(tick)?;
        let mut bytes = Vec::new();
        state.put_page(section, page, &mut bytes);
        let (mut ours, mut left) = (&bytes[..], theirs);
        let mut found = Vec::new();
        for &table in section.tables() {
            let (fields, key) = table.layout();
            let length = row_length(&fields);
            // A missing page has no tables; any other has all of them.
            let cut = |whole: &[u8], bytes: &mut &[u8]| -> Option<Vec<Vec<u8>>> {
                if whole.is_empty() {
                    return Some(Vec::new());
                }
                let (count, rest) = bytes.split_first_chunk::<4>()?;
                let rows = (u32::from_le_bytes(*count) as usize).checked_mul(length)?;
                let (rows, rest) = rest.split_at_checked(rows)?;
                *bytes = rest;
                Some(rows.chunks_exact(length).map(<[u8]>::to_vec).collect())
            };
            let truncated = ExplainError::Truncated { length: theirs.len() };
            let ours = cut(&bytes, &mut ours).ok_or(truncated)?;
            let theirs = cut(theirs, &mut left).ok_or(truncated)?;
            let explainer = Explainer { state, table, fields, key, limit };
            explainer.compare(&ours, &theirs, &mut found);
        }
        found.truncate(limit);
        if left.is_empty() { Ok(found) } else { Err(ExplainError::Trailing { extra: left.len() }) }
    }
}

struct Explainer<'a> {
    state: State<'a>,
    table: Table,
    fields: Vec<Field>,
    key: usize,
    /// Maximum number of differences.
    limit: usize,
}

impl Explainer<'_> {
    fn compare(&self, ours: &[Vec<u8>], theirs: &[Vec<u8>], found: &mut Vec<RowDifference>) {
        let same = |(a, b): (&Vec<u8>, &Vec<u8>)| a[..self.key] == b[..self.key];
        let strangers = ours.iter().zip(theirs).filter(|pair| !same(*pair)).count();
        // A single differing key is reported as a changed key, not as a removed and an added row.
        if ours.len() == theirs.len() && strangers <= 1 {
            ours.iter().zip(theirs).for_each(|(a, b)| self.rows(a, b, found));
            return;
        }
        let keys = |rows: &[Vec<u8>]| -> BTreeSet<Vec<u8>> {
            rows.iter().map(|row| row[..self.key].to_vec()).collect()
        };
        let (our_keys, their_keys) = (keys(ours), keys(theirs));
        let (mut ours, mut theirs) = (ours.iter().peekable(), theirs.iter().peekable());
        while found.len() < self.limit {
            match (ours.peek(), theirs.peek()) {
                (None, None) => return,
                (Some(a), b) if b.is_none() || !their_keys.contains(&a[..self.key]) => {
                    self.only(a, true, found);
                    ours.next();
                }
                (a, Some(b)) if a.is_none() || !our_keys.contains(&b[..self.key]) => {
                    self.only(b, false, found);
                    theirs.next();
                }
                (Some(a), Some(b)) => {
                    self.rows(a, b, found);
                    ours.next();
                    theirs.next();
                }
                _ => unreachable!("a side that has none is taken by an arm above"),
            }
        }
    }

    fn rows(&self, ours: &[u8], theirs: &[u8], found: &mut Vec<RowDifference>) {
        if ours == theirs || found.len() >= self.limit {
            return;
        }
        let id_at = |index| self.state.frame.id_at(index);
        let context = Context { id_at: &id_at, exponent: self.exponent(ours) };
        for field in &self.fields {
            let values = [ours, theirs].map(|row| {
                let bits = field.bits(row);
                FieldValue { text: text(field.unit, bits, &context), bits }
            });
            let [ours_value, theirs_value] = values;
            if ours_value.bits != theirs_value.bits {
                found.push(RowDifference {
                    entity: self.entity(ours),
                    field: field.name.clone(),
                    ours: ours_value,
                    theirs: theirs_value,
                });
            }
        }
    }

    fn only(&self, row: &[u8], is_ours: bool, found: &mut Vec<RowDifference>) {
        let value = |yes: bool| FieldValue {
            text: if yes { "yes" } else { "no" }.to_owned(),
            bits: u64::from(yes),
        };
        found.push(RowDifference {
            entity: self.entity(row),
            field: "exists".to_owned(),
            ours: value(is_ours),
            theirs: value(!is_ours),
        });
    }

    /// The size exponent of the body that a row with a spin belongs to, its first field; 0 for other rows.
    fn exponent(&self, row: &[u8]) -> i8 {
        if !self.fields.iter().any(|field| field.unit == Unit::Spin) {
            return 0;
        }
        let index = BodyIndex::new(self.fields[0].bits(row) as u32);
        let State { frame, store, .. } = self.state;
        if frame.has_page(index) { frame.cold(store, index).exponent } else { 0 }
    }

    fn entity(&self, row: &[u8]) -> String {
        let id_at = |index| self.state.frame.id_at(index);
        let context = Context { id_at: &id_at, exponent: 0 };
        self.table.entity(&RowText { fields: &self.fields, row, context: &context })
    }
}

impl super::BodyId {
    /// Returns the number of the page that holds the body's rows.
    #[doc(hidden)]
    pub const fn page(self) -> u32 {
        let Place { stream, page, .. } = Place::of(self.index());
        (stream * super::page_bytes::STREAM_PAGES + page) as u32
    }
}
