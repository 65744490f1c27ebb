//! States from any value that is `Clone + Serialize`: a ring of copies, with digests and pages
//! computed by a walk over its fields.
//!
//! The value is one section. Each top-level field, element or entry is a page of it.

use super::leaves::{explain_page, put_page};
use super::{State, StateDifference, StateError};
use crate::Tick;
use crate::digest::{Digest, DigestTree};
use crate::history::History;
use serde::Serialize;

/// Section name of a value without a name.
const TOP: &str = "state";

fn section_of(name: &str) -> &str {
    if name.is_empty() { TOP } else { name }
}

/// The digest of a value.
///
/// # Errors
/// If the value cannot be part of a digest.
pub fn digest<T: Serialize>(value: &T) -> Result<Digest, StateError> {
    Ok(Digest::of_value(value)?)
}

/// Adds a value's section to a tree.
///
/// # Errors
/// If the value cannot be part of a digest.
pub fn tree<T: Serialize>(value: &T, name: &str, tree: &mut DigestTree) -> Result<(), StateError> {
    let done = tree.value(section_of(name), value).map(drop);
    done.map_err(|error| named(error.into(), name))
}

/// Appends a page of a value.
///
/// # Errors
/// If the value cannot be part of a digest.
pub fn page<T: Serialize>(
    value: &T,
    name: &str,
    section: &str,
    page: u32,
    out: &mut Vec<u8>,
) -> Result<bool, StateError> {
    if section != section_of(name) {
        return Ok(false);
    }
    put_page(value, page, out).map_err(|error| named(error.into(), name))?;
    Ok(true)
}

/// Appends the differences between a page of a value and another machine's bytes of it.
///
/// # Errors
/// If the value cannot be part of a digest, or the bytes are not a page.
pub fn explain<T: Serialize>(
    value: &T,
    name: &str,
    section: &str,
    page: u32,
    theirs: &[u8],
    limit: usize,
    out: &mut Vec<StateDifference>,
) -> Result<bool, StateError> {
    if section != section_of(name) {
        return Ok(false);
    }
    let found = explain_page(value, page, theirs, limit);
    for leaf in found.map_err(|error| named(error, name))? {
        let (entity, field) = place(name, &leaf.entity, &leaf.field);
        out.push(StateDifference { entity, field, local: leaf.ours, remote: leaf.theirs });
    }
    Ok(true)
}

fn named(error: StateError, name: &str) -> StateError {
    if name.is_empty() { error } else { error.within(name) }
}

/// Entity and field of a leaf, with the value's own name in front.
fn place(name: &str, entity: &str, field: &str) -> (String, String) {
    let entity = match (name, entity) {
        ("", "") => TOP.to_owned(),
        ("", entity) if entity.starts_with('[') => format!("{TOP}{entity}"),
        ("", entity) => entity.to_owned(),
        // The whole value: the last part of its name is the field.
        (name, "") if field.is_empty() => {
            let (outer, own) = name.rsplit_once('.').unwrap_or((TOP, name));
            return (outer.to_owned(), own.to_owned());
        }
        (name, "") => name.to_owned(),
        (name, entity) if entity.starts_with('[') => format!("{name}{entity}"),
        (name, entity) => format!("{name}.{entity}"),
    };
    (entity, if field.is_empty() { "value".to_owned() } else { field.to_owned() })
}

impl<T: Clone + Serialize> State for T {
    type Slots = History<T>;

    fn slots(&mut self, capacity: usize) -> History<T> {
        History::new(capacity)
    }

    fn holds(&self, slots: &History<T>, tick: Tick) -> Result<(), StateError> {
        slots.get(tick)?;
        Ok(())
    }

    fn save(&mut self, slots: &mut History<T>, tick: Tick) -> Result<(), StateError> {
        slots.save(tick, self);
        Ok(())
    }

    fn load(&mut self, slots: &mut History<T>, tick: Tick) -> Result<(), StateError> {
        self.clone_from(slots.get(tick)?);
        slots.discard_after(tick);
        Ok(())
    }

    fn pin(&mut self, slots: &mut History<T>, tick: Tick) -> Result<(), StateError> {
        Ok(slots.pin(tick)?)
    }

    fn unpin(&mut self, slots: &mut History<T>, tick: Tick) -> bool {
        slots.unpin(tick)
    }

    fn drop_caches(&mut self, _: &mut History<T>) {}

    fn digest(&self, slots: &History<T>, tick: Tick) -> Result<Digest, StateError> {
        digest(slots.get(tick)?)
    }

    fn tree(
        &self,
        slots: &History<T>,
        tick: Tick,
        name: &str,
        out: &mut DigestTree,
    ) -> Result<(), StateError> {
        tree(slots.get(tick)?, name, out)
    }

    fn page(
        &self,
        slots: &History<T>,
        tick: Tick,
        name: &str,
        section: &str,
        number: u32,
        out: &mut Vec<u8>,
    ) -> Result<bool, StateError> {
        page(slots.get(tick)?, name, section, number, out)
    }

    fn explain(
        &self,
        slots: &History<T>,
        tick: Tick,
        name: &str,
        section: &str,
        page: u32,
        theirs: &[u8],
        limit: usize,
        out: &mut Vec<StateDifference>,
    ) -> Result<bool, StateError> {
        explain(slots.get(tick)?, name, section, page, theirs, limit, out)
    }
}
