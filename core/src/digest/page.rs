//! The leaves of one page of a value: path, text and canonical bytes of each.
//!
//! Page numbers are those of [`DigestTree::value`](super::DigestTree::value).

use super::leaf::{Group, Leaf, Part, WalkError, render};
use super::names::Digest;
use super::sink::{Canonical, Pages, Sink};
use super::walk::walk;
use serde::Serialize;

/// A field of a page that has no parts.
#[derive(Debug)]
pub(crate) struct PageLeaf {
    /// Path of the entity that has the field; empty for a field at the top.
    pub(crate) entity: String,
    /// Path of the field in the entity; empty for the whole value.
    pub(crate) field: String,
    pub(crate) text: String,
    /// Canonical bytes, including those of the enclosing options. They differ if the texts are
    /// equal and the values are not.
    pub(crate) raw: Vec<u8>,
}

/// The digest of a page as in a tree; `None` if the value has no such page.
pub(crate) fn page_digest<T: Serialize + ?Sized>(
    value: &T,
    page: u32,
) -> Result<Option<Digest>, WalkError> {
    let pages = walk(value, Pages::default(), false)?.pages();
    Ok(pages.get(page as usize).map(|page| page.1))
}

/// Lists the leaves of a page in the order of the type, human-readable or raw.
pub(crate) fn page_leaves<T: Serialize + ?Sized>(
    value: &T,
    page: u32,
    readable: bool,
) -> Result<Vec<PageLeaf>, WalkError> {
    Ok(walk(value, PageLeaves::new(page), readable)?.ended())
}

/// Splits the path of a leaf: the path to the innermost list element that contains it, and the
/// rest.
fn split(path: &[Part]) -> (String, String) {
    let last = path.len().saturating_sub(1);
    let element = |part: &Part| matches!(part, Part::Index(_) | Part::Key(_));
    let cut = path[..last].iter().rposition(element).map_or(usize::from(last > 0), |at| at + 1);
    let text = |path: &[Part]| if path.is_empty() { String::new() } else { render(path) };
    (text(&path[..cut]), text(&path[cut..]))
}

/// A sink that lists the leaves of one page. It counts pages as [`Pages`] does.
struct PageLeaves {
    wanted: u32,
    /// Number of pages started.
    begun: u32,
    root: Option<Group>,
    depth: u32,
    /// Path of the innermost group, if it is on the page and still empty.
    empty: Option<Vec<Part>>,
    /// Options opened directly before the current value.
    options: Canonical,
    entries: Vec<PageLeaf>,
}

impl PageLeaves {
    fn new(wanted: u32) -> Self {
        Self {
            wanted,
            begun: 0,
            root: None,
            depth: 0,
            empty: None,
            options: Canonical::default(),
            entries: Vec::new(),
        }
    }

    /// Finishes the page. A value without leaves is one page.
    fn ended(mut self) -> Vec<PageLeaf> {
        if self.begun == 0 && self.wanted == 0 {
            self.add(&[], "(empty)".to_owned());
        }
        self.entries
    }

    fn is_wanted(&self) -> bool {
        self.begun.checked_sub(1) == Some(self.wanted)
    }

    /// Advances to the next token. Returns `true` if it is on the page.
    fn token(&mut self) -> bool {
        self.empty = None;
        let listed = matches!(self.root, Some(Group::Sequence | Group::Map));
        if self.begun == 0 || (self.depth == 1 && !listed) {
            self.begun += 1;
        }
        self.is_wanted()
    }

    fn add(&mut self, path: &[Part], text: String) {
        let (entity, field) = split(path);
        let raw = core::mem::take(&mut self.options).into_bytes();
        self.entries.push(PageLeaf { entity, field, text, raw });
    }
}

impl Sink for PageLeaves {
    const NAMES: bool = true;
    const KEYS: bool = false;

    fn leaf(&mut self, path: &[Part], leaf: Leaf<'_>) {
        if self.token() {
            self.options.leaf(path, leaf);
            self.add(path, leaf.to_string());
        }
    }

    fn open(&mut self, path: &[Part], group: Group) {
        if group != Group::Some {
            self.options = Canonical::default();
        }
        if self.depth == 0 {
            self.root = Some(group);
        } else if self.token() {
            self.empty = Some(path.to_vec());
        }
        if group == Group::Some {
            self.options.open(path, group);
        }
        self.depth += 1;
    }

    fn next(&mut self) {
        self.empty = None;
        if self.depth == 1 {
            self.begun += 1;
        }
    }

    fn close(&mut self, group: Group) {
        self.depth -= 1;
        self.options = Canonical::default();
        if let Some(path) = self.empty.take() {
            self.options.open(&path, group);
            let name = if let Group::Variant(_, name) = group { name } else { "(empty)" };
            self.add(&path, name.to_owned());
        }
    }

    fn fork(&self) -> Self {
        let mut fork = Self::new(0);
        (fork.root, fork.depth) = (self.root, self.depth);
        // Below the top the entry is on the page if its parent is. At the top it is a page of its
        // own.
        if self.depth > 1 {
            (fork.begun, fork.wanted) = (self.begun, self.wanted);
        }
        fork
    }

    fn join(&mut self, fork: Self) {
        self.empty = None;
        if self.depth == 1 {
            self.begun += 1;
        }
        if self.is_wanted() {
            self.entries.extend(fork.entries);
        }
    }
}
