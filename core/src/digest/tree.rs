//! A tree of digests: world → section → page. It locates differences; it does not know the content.

use super::names::Digest;
use super::walk::walk;
use super::{WalkError, sink};
use serde::Serialize;
use std::collections::BTreeMap;

/// The digests of one tick: named sections of numbered pages.
///
/// *Build* it with [`section`](Self::section) and [`value`](Self::value), in any order. *Compare*
/// two local trees with [`diff`](Self::diff). Two machines compare their trees level by level and
/// send little:
///
/// 1. Both send [`root`](Self::root) on every checked tick.
/// 2. If the roots differ, one sends its [`section_digests`](Self::section_digests), and the other answers
///    with the names from [`diff_sections`](Self::diff_sections).
/// 3. One sends the [`pages`](Section::pages) of such a section, the other finds the differing pages with
///    [`Section::diff`], and they exchange only the rows of these pages.
///
/// ```
/// use isostep_core::digest::Digest;
/// use isostep_core::internals::{DigestTree, Presence};
/// let page = |text: &str| Digest::of(text.as_bytes());
/// let mut ours = DigestTree::new();
/// ours.section("bodies", [(0, page("a")), (1, page("b"))]);
/// let mut theirs = DigestTree::new();
/// theirs.section("bodies", [(0, page("a")), (1, page("B")), (2, page("c"))]);
///
/// assert_ne!(ours.root(), theirs.root());
/// let found: Vec<_> = ours.diff(&theirs).map(|at| (at.section, at.page, at.presence)).collect();
/// assert_eq!(
///     found,
///     [("bodies", 1, Presence::Both), ("bodies", 2, Presence::RightOnly)]
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DigestTree {
    pub(super) sections: BTreeMap<String, Section>,
}

/// The pages of one section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Sorted by number, without duplicates.
    pub(super) pages: Vec<(u32, Digest)>,
}

/// The sides that have a differing page or section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Both have it, with different content.
    Both,
    /// Only the left tree has it.
    LeftOnly,
    /// Only the right tree has it.
    RightOnly,
}

/// A page that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageDifference<'a> {
    /// The section's name.
    pub section: &'a str,
    /// The page's number.
    pub page: u32,
    /// The sides that have the page.
    pub presence: Presence,
}

/// A section that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionDifference<'a> {
    /// The section's name.
    pub section: &'a str,
    /// The sides that have the section.
    pub presence: Presence,
}

impl Section {
    /// A section of these pages, in any order. Among pages with the same number the last one is
    /// used.
    pub fn new(pages: impl IntoIterator<Item = (u32, Digest)>) -> Self {
        let mut pages: Vec<_> = pages.into_iter().collect();
        if !pages.is_sorted_by(|a, b| a.0 < b.0) {
            let by_number: BTreeMap<u32, Digest> = pages.into_iter().collect();
            pages = by_number.into_iter().collect();
        }
        Self { pages }
    }

    /// The pages by their numbers, ascending.
    #[doc(hidden)]
    pub fn pages(&self) -> &[(u32, Digest)] {
        &self.pages
    }

    /// The digest over all pages and their numbers.
    #[doc(hidden)]
    pub fn digest(&self) -> Digest {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"section");
        for (number, digest) in &self.pages {
            hasher.update(&number.to_le_bytes());
            hasher.update(&digest.to_bytes());
        }
        hasher.finalize().into()
    }

    /// The pages in which two sections differ, ascending.
    #[doc(hidden)]
    pub fn diff<'a>(&'a self, right: &'a Self) -> impl Iterator<Item = (u32, Presence)> + 'a {
        merge(&self.pages, &right.pages)
    }
}

impl DigestTree {
    /// A tree without sections.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a section and replaces one of the same name. Pages may be in any order.
    #[doc(hidden)]
    pub fn section(
        &mut self,
        name: &str,
        pages: impl IntoIterator<Item = (u32, Digest)>,
    ) -> &mut Self {
        self.sections.insert(name.to_owned(), Section::new(pages));
        self
    }

    /// Sets a section from a serde value. Each top-level field, element or entry is a page.
    ///
    /// # Errors
    /// If the value holds a float or a map without order; the error names the path.
    ///
    /// ```
    /// use isostep_core::internals::{DigestTree, diff};
    /// #[derive(serde::Serialize)]
    /// struct Game { round: u32, scores: Vec<u32> }
    /// let (ours, theirs) =
    ///     (Game { round: 1, scores: vec![3, 4] }, Game { round: 1, scores: vec![3, 5] });
    /// let (mut a, mut b) = (DigestTree::new(), DigestTree::new());
    /// a.value("game", &ours)?;
    /// b.value("game", &theirs)?;
    /// assert_eq!(a.diff(&b).map(|at| at.page).collect::<Vec<_>>(), [1]);
    /// assert_eq!(diff(&ours, &theirs, 8)?[0].path, "scores[1]");
    /// # Ok::<(), isostep_core::digest::WalkError>(())
    /// ```
    pub fn value<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
    ) -> Result<&mut Self, WalkError> {
        let pages = walk(value, sink::Pages::default(), false)?.pages();
        Ok(self.section(name, pages))
    }

    /// The section with this name.
    #[doc(hidden)]
    pub fn get(&self, name: &str) -> Option<&Section> {
        self.sections.get(name)
    }

    /// The sections by their names, ascending.
    #[doc(hidden)]
    pub fn sections(&self) -> impl Iterator<Item = (&str, &Section)> {
        self.sections.iter().map(|(name, section)| (name.as_str(), section))
    }

    /// The digest of each section, by name.
    #[doc(hidden)]
    pub fn section_digests(&self) -> Vec<(String, Digest)> {
        self.sections().map(|(name, section)| (name.to_owned(), section.digest())).collect()
    }

    /// The digest of the whole tree.
    pub fn root(&self) -> Digest {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"world");
        for (name, section) in &self.sections {
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
            hasher.update(&section.digest().to_bytes());
        }
        hasher.finalize().into()
    }

    /// The sections that differ from the [`section_digests`](Self::section_digests) of another
    /// machine. Order and repetition in `right` do not matter.
    #[doc(hidden)]
    pub fn diff_sections<'a>(
        &'a self,
        right: &'a [(String, Digest)],
    ) -> impl Iterator<Item = SectionDifference<'a>> + 'a {
        let left: Vec<_> =
            self.sections().map(|(name, section)| (name, section.digest())).collect();
        let right: BTreeMap<&str, Digest> =
            right.iter().map(|(name, digest)| (name.as_str(), *digest)).collect();
        let right: Vec<_> = right.into_iter().collect();
        let found: Vec<_> = merge(&left, &right).collect();
        found.into_iter().map(|(section, presence)| SectionDifference { section, presence })
    }

    /// The pages in which two trees differ, by section and number.
    #[doc(hidden)]
    pub fn diff<'a>(&'a self, right: &'a Self) -> impl Iterator<Item = PageDifference<'a>> + 'a {
        const NONE: &Section = &Section { pages: Vec::new() };
        let mut names: Vec<&str> =
            self.sections.keys().chain(right.sections.keys()).map(String::as_str).collect();
        names.sort();
        names.dedup();
        names.into_iter().flat_map(move |section| {
            let (a, b) = (self.get(section).unwrap_or(NONE), right.get(section).unwrap_or(NONE));
            a.diff(b).map(move |(page, presence)| PageDifference { section, page, presence })
        })
    }
}

/// The keys in which two sorted lists differ.
fn merge<'a, K: Ord + Copy>(
    left: &'a [(K, Digest)],
    right: &'a [(K, Digest)],
) -> impl Iterator<Item = (K, Presence)> + 'a {
    let (mut i, mut j) = (0, 0);
    core::iter::from_fn(move || {
        loop {
            let (key, presence) = match (left.get(i), right.get(j)) {
                (None, None) => return None,
                (Some(a), Some(b)) if a.0 == b.0 => {
                    (i, j) = (i + 1, j + 1);
                    if a.1 == b.1 {
                        continue;
                    }
                    (a.0, Presence::Both)
                }
                (Some(a), b) if b.is_none_or(|b| a.0 < b.0) => {
                    i += 1;
                    (a.0, Presence::LeftOnly)
                }
                (_, Some(b)) => {
                    j += 1;
                    (b.0, Presence::RightOnly)
                }
                (Some(_), None) => unreachable!("handled by the arm above"),
            };
            return Some((key, presence));
        }
    })
}
