//! Pages of a value as bytes for another machine, and the differences between such pages.
//!
//! The bytes are the page's digest and two lists of leaves: human-readable and raw. A leaf has its
//! path, its text and its canonical bytes, so that different values with equal texts remain
//! distinct. Untrusted bytes are read in place: their claims cause no allocation.

use super::StateError;
use crate::digest::{Digest, PageLeaf, WalkError, page_digest, page_leaves};
use crate::world::ExplainError;
use core::fmt::Write;
use serde::Serialize;
use std::collections::BTreeMap;

/// Longest text of one side of a difference, in characters.
const SHOWN_CHARS: usize = 240;
/// Most raw bytes shown for a value whose text equals that of another.
const SHOWN_BYTES: usize = 24;

/// A leaf that differs between two machines.
pub(super) struct LeafDifference {
    /// Path of the entity that has the field; empty for a field at the top.
    pub(super) entity: String,
    /// Path of the field in the entity; empty for the whole value.
    pub(super) field: String,
    pub(super) ours: String,
    pub(super) theirs: String,
}

/// Appends the bytes of a page; nothing if the page does not exist.
pub(super) fn put_page<T: Serialize + ?Sized>(
    value: &T,
    page: u32,
    out: &mut Vec<u8>,
) -> Result<(), WalkError> {
    let Some(digest) = page_digest(value, page)? else { return Ok(()) };
    out.extend_from_slice(&digest.to_bytes());
    for list in lists(value, page)? {
        out.extend_from_slice(&(list.len() as u32).to_le_bytes());
        for PageLeaf { entity, field, text, raw } in &list {
            for part in [entity.as_bytes(), field.as_bytes(), text.as_bytes(), raw] {
                out.extend_from_slice(&(part.len() as u32).to_le_bytes());
                out.extend_from_slice(part);
            }
        }
    }
    Ok(())
}

/// Compares a page with another machine's bytes of it.
pub(super) fn explain_page<T: Serialize + ?Sized>(
    value: &T,
    page: u32,
    theirs: &[u8],
    limit: usize,
) -> Result<Vec<LeafDifference>, StateError> {
    let (our_digest, [our_readable, our_raw]) = (page_digest(value, page)?, lists(value, page)?);
    let (their_digest, readable, raw) = read(theirs)?;
    let mut found = Vec::new();
    compare(&our_readable, readable, limit, &mut found);
    compare(&our_raw, raw, limit, &mut found);
    if found.is_empty() && limit > 0 && their_digest != our_digest {
        let shown = |digest: Option<Digest>| {
            digest.map_or_else(nothing, |digest| format!("digest {}", digest.short()))
        };
        found.push(LeafDifference {
            entity: String::new(),
            field: String::new(),
            ours: shown(our_digest),
            theirs: shown(their_digest),
        });
    }
    Ok(found)
}

fn lists<T: Serialize + ?Sized>(value: &T, page: u32) -> Result<[Vec<PageLeaf>; 2], WalkError> {
    Ok([page_leaves(value, page, true)?, page_leaves(value, page, false)?])
}

/// A leaf in untrusted bytes.
#[derive(Clone, Copy)]
struct Claim<'a> {
    entity: &'a str,
    field: &'a str,
    text: &'a str,
    raw: &'a [u8],
}

/// An iterator over a list of leaves in validated bytes.
#[derive(Clone)]
struct Claims<'a> {
    left: u32,
    bytes: &'a [u8],
}

impl<'a> Claims<'a> {
    fn part(&mut self) -> Option<&'a [u8]> {
        let (length, rest) = self.bytes.split_first_chunk::<4>()?;
        let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        self.bytes = rest;
        Some(part)
    }

    /// Reads the next leaf, or returns the error.
    fn read(&mut self, length: usize) -> Result<Claim<'a>, ExplainError> {
        let mut texts = [""; 3];
        for text in &mut texts {
            let part = self.part().ok_or(ExplainError::Truncated { length })?;
            let at = length - self.bytes.len() - part.len();
            *text = core::str::from_utf8(part)
                .map_err(|error| ExplainError::NotText { at: at + error.valid_up_to() })?;
        }
        let raw = self.part().ok_or(ExplainError::Truncated { length })?;
        self.left -= 1;
        let [entity, field, text] = texts;
        Ok(Claim { entity, field, text, raw })
    }
}

impl<'a> Iterator for Claims<'a> {
    type Item = Claim<'a>;

    fn next(&mut self) -> Option<Claim<'a>> {
        if self.left == 0 { None } else { self.read(self.bytes.len()).ok() }
    }
}

/// Validates a page. Empty bytes are a page that does not exist.
fn read(bytes: &[u8]) -> Result<(Option<Digest>, Claims<'_>, Claims<'_>), ExplainError> {
    const NONE: Claims<'static> = Claims { left: 0, bytes: &[] };
    if bytes.is_empty() {
        return Ok((None, NONE, NONE));
    }
    let length = bytes.len();
    let truncated = ExplainError::Truncated { length };
    let (digest, mut rest) = bytes.split_first_chunk::<32>().ok_or(truncated)?;
    let mut lists = [NONE, NONE];
    for list in &mut lists {
        let (count, leaves) = rest.split_first_chunk::<4>().ok_or(truncated)?;
        *list = Claims { left: u32::from_le_bytes(*count), bytes: leaves };
        let mut claims = list.clone();
        while claims.left > 0 {
            claims.read(length)?;
        }
        rest = claims.bytes;
    }
    let [readable, raw] = lists;
    match rest.len() {
        0 => Ok((Some(Digest::from_bytes(*digest)), readable, raw)),
        extra => Err(ExplainError::Trailing { extra }),
    }
}

/// Appends the leaves that differ: first the local leaves in the order of the type, then those that
/// only the other machine has. A path that is already reported is skipped.
fn compare(ours: &[PageLeaf], theirs: Claims<'_>, limit: usize, found: &mut Vec<LeafDifference>) {
    let known: Vec<String> = found.iter().map(|leaf| join(&leaf.entity, &leaf.field)).collect();
    let is_known = |entity: &str, field: &str| {
        let path = join(entity, field);
        known.iter().any(|known| is_inside(&path, known) || is_inside(known, &path))
    };
    let mut places: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, entry) in ours.iter().enumerate().rev() {
        places.entry((&entry.entity, &entry.field)).or_default().push(at);
    }
    let mut matched: Vec<Option<Claim<'_>>> = vec![None; ours.len()];
    let mut strangers = Vec::new();
    for claim in theirs {
        match places.get_mut(&(claim.entity, claim.field)).and_then(Vec::pop) {
            Some(at) => matched[at] = Some(claim),
            None if strangers.len() < limit && !is_known(claim.entity, claim.field) => {
                strangers.push(claim);
            }
            None => {}
        }
    }
    for (entry, claim) in ours.iter().zip(matched) {
        if found.len() >= limit {
            return;
        }
        let same = claim.is_some_and(|claim| claim.raw == entry.raw && claim.text == entry.text);
        if same || is_known(&entry.entity, &entry.field) {
            continue;
        }
        let raw = claim.is_some_and(|claim| claim.text == entry.text);
        found.push(LeafDifference {
            entity: entry.entity.clone(),
            field: entry.field.clone(),
            ours: shown(&entry.text, raw.then_some(&entry.raw)),
            theirs: claim
                .map_or_else(nothing, |theirs| shown(theirs.text, raw.then_some(theirs.raw))),
        });
    }
    for claim in strangers.into_iter().take(limit - found.len()) {
        found.push(LeafDifference {
            entity: shown(claim.entity, None),
            field: shown(claim.field, None),
            ours: nothing(),
            theirs: shown(claim.text, None),
        });
    }
}

fn join(entity: &str, field: &str) -> String {
    let dot = if entity.is_empty() || field.starts_with('[') { "" } else { "." };
    format!("{entity}{dot}{field}")
}

/// Returns `true` if `path` equals `outer` or extends it.
fn is_inside(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn nothing() -> String {
    "(nothing)".to_owned()
}

/// A text of bounded length, with raw bytes behind it if the text is ambiguous.
fn shown(text: &str, raw: Option<&[u8]>) -> String {
    let mut shown = match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    if let Some(raw) = raw {
        shown.push_str(" (raw ");
        for byte in raw.iter().take(SHOWN_BYTES) {
            write!(shown, "{byte:02x}").expect("writing to a String cannot fail");
        }
        shown.push_str(if raw.len() > SHOWN_BYTES { "…)" } else { ")" });
    }
    shown
}
