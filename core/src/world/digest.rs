//! Digests of the world: a tree over sections and pages. Shared pages cache their digest.

use super::World;
use super::page_bytes::{SectionDigests, State};
use super::registry::StateSection;
use crate::Tick;
use crate::digest::{Digest, DigestTree};
use crate::history::HistoryError;

impl World {
    /// Returns the digest of the state after the last step, without commands given since.
    ///
    /// Worlds with the same digest have the same bodies, contacts and events, and the same future under the same commands. The ticks that
    /// they hold are not in the digest, and may differ: a game that reads [`past`](Self::past) in its step has another future.
    ///
    /// ```
    /// use isostep_core::{shape::Shape, world::{BodyDef, World, WorldDef}, Vec3, real};
    /// let ball = || BodyDef::dynamic().shape(Shape::sphere(real!(0.5)).unwrap());
    /// let (mut a, mut b) = (World::new(WorldDef::default())?, World::new(WorldDef::default())?);
    /// for world in [&mut a, &mut b] {
    ///     world.spawn(ball())?;
    ///     world.step();
    /// }
    /// assert_eq!(a.digest(), b.digest());
    /// b.spawn(ball().at(Vec3::from_ints(9, 0, 0)))?;
    /// assert_eq!(a.digest(), b.digest());
    /// b.step();
    /// a.step();
    /// let (ours, theirs) = (a.digest_tree(), b.digest_tree());
    /// assert!(ours.diff(&theirs).any(|page| page.section == "bodies"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("checksum", "hash"))]
    pub fn digest(&self) -> Digest {
        self.digest_tree().root()
    }

    /// Returns the digests of the state after the last step by section and page; see [`StateSection`] for the sections. A page holds
    /// 32 bodies, or the data that belongs to them. Pages without rows are not in the tree.
    #[doc(hidden)]
    pub fn digest_tree(&self) -> DigestTree {
        self.state().digest_tree()
    }

    /// Returns the digest of the state at a held tick.
    ///
    /// # Errors
    /// If the tick is not held.
    pub fn digest_at(&self, tick: Tick) -> Result<Digest, HistoryError> {
        Ok(self.digest_tree_at(tick)?.root())
    }

    /// Returns the digests of the state at a held tick, by section and page.
    ///
    /// # Errors
    /// If the tick is not held.
    #[doc(hidden)]
    pub fn digest_tree_at(&self, tick: Tick) -> Result<DigestTree, HistoryError> {
        Ok(self.state_at(tick)?.digest_tree())
    }
}

impl State<'_> {
    pub(super) fn digest_tree(self) -> DigestTree {
        let mut pages = SectionDigests::default();
        let mut bytes = Vec::new();
        for section in [StateSection::World, StateSection::Events] {
            pages[section as usize].extend(self.digest_anew(section, 0, &mut bytes));
        }
        for place in self.pages() {
            let ids = self.digest_anew(StateSection::Ids, place.number, &mut bytes);
            pages[StateSection::Ids as usize].extend(ids);
            self.digest_body_page(place, &mut bytes, &mut pages);
        }
        tree(pages)
    }

    /// Number and digest of a page, computed; `None` if it has no rows.
    fn digest_anew(
        self,
        section: StateSection,
        number: u32,
        buffer: &mut Vec<u8>,
    ) -> Option<(u32, Digest)> {
        buffer.clear();
        self.put_page(section, number, buffer);
        (!buffer.is_empty()).then(|| (number, Digest::of(buffer)))
    }

    /// Recomputes the digests, to check those that pages cache.
    #[cfg(feature = "test-support")]
    fn digest_tree_anew(self) -> DigestTree {
        let mut bytes = Vec::new();
        tree(StateSection::ALL.map(|section| {
            let numbers = core::iter::once(0).chain(self.pages().map(|place| place.number));
            // The first body page has the number 0, too.
            let mut numbers: Vec<u32> = numbers.collect();
            numbers.dedup();
            let pages = numbers.into_iter();
            pages.filter_map(|number| self.digest_anew(section, number, &mut bytes)).collect()
        }))
    }
}

/// The tree of these pages. Optional sections without pages are left out.
fn tree(pages: SectionDigests) -> DigestTree {
    let mut tree = DigestTree::new();
    for (section, pages) in StateSection::ALL.into_iter().zip(pages) {
        if !section.is_optional() || !pages.is_empty() {
            tree.section(section.name(), pages);
        }
    }
    tree
}

#[cfg(feature = "test-support")]
impl World {
    /// Recomputes the digests of a held tick without the digests that pages cache.
    ///
    /// # Errors
    /// If the tick is not held.
    pub fn digest_tree_anew(&self, tick: Tick) -> Result<DigestTree, HistoryError> {
        Ok(self.state_at(tick)?.digest_tree_anew())
    }
}
