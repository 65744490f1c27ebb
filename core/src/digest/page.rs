//! The leaves of one page of a value: where each is, its text and its canonical bytes.
//!
//! Pages are numbered as [`DigestTree::value`](super::DigestTree::value) numbers them.

use super::leaf::{Group, Leaf, Part, WalkError, render};
use super::names::Digest;
use super::sink::{Canonical, Pages, Sink};
use super::walk::walk;
use serde::Serialize;

/// A field of a page that has no parts.
#[derive(Debug)]
pub(crate) struct PageLeaf {
    /// The path to what the field belongs to; empty for a field at the top.
    pub(crate) entity: String,
    /// The path from there; empty for the whole value.
    pub(crate) field: String,
    pub(crate) text: String,
    /// Canonical bytes, with those of the options around it: they differ where texts look alike.
    pub(crate) raw: Vec<u8>,
}

/// The digest of a page as a tree has it, if it is there.
pub(crate) fn page_digest<T: Serialize + ?Sized>(
    value: &T,
    page: u32,
) -> Result<Option<Digest>, WalkError> {
    let pages = walk(value, Pages::default(), false)?.pages();
    Ok(pages.get(page as usize).map(|page| page.1))
}

/// The leaves of a page in the order of the type: as formats for people show the value, or raw.
pub(crate) fn page_leaves<T: Serialize + ?Sized>(
    value: &T,
    page: u32,
    readable: bool,
) -> Result<Vec<PageLeaf>, WalkError> {
    Ok(walk(value, PageLeaves::new(page), readable)?.ended())
}

/// Where a leaf is: the path to the last thing of a list that it is part of, and the path from there.
fn split(path: &[Part]) -> (String, String) {
    let last = path.len().saturating_sub(1);
    let element = |part: &Part| matches!(part, Part::Index(_) | Part::Key(_));
    let cut = path[..last].iter().rposition(element).map_or(usize::from(last > 0), |at| at + 1);
    let text = |path: &[Part]| if path.is_empty() { String::new() } else { render(path) };
    (text(&path[..cut]), text(&path[cut..]))
}

/// Lists the leaves of one page. It counts pages as [`Pages`] does.
struct PageLeaves {
    wanted: u32,
    /// Pages begun so far.
    begun: u32,
    root: Option<Group>,
    depth: u32,
    /// Where the innermost group is, if it has nothing in it yet and is on the page.
    empty: Option<Vec<Part>>,
    /// The options that were opened right before.
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

    /// A value without leaves is one page.
    fn ended(mut self) -> Vec<PageLeaf> {
        if self.begun == 0 && self.wanted == 0 {
            self.add(&[], "(empty)".to_owned());
        }
        self.entries
    }

    fn is_wanted(&self) -> bool {
        self.begun.checked_sub(1) == Some(self.wanted)
    }

    /// Before a token; whether it is on the page.
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
        // Below the top it is on the page or not as its parent is; at the top it is a page of its own.
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
