//! Digests of the world: a tree over sections and pages. Shared pages cache their digest.

use super::page_bytes::{State, StateSection, put_bodies, put_contacts, put_traits};
use super::{World, frame::first_of_page};
use crate::Tick;
use crate::digest::{Digest, DigestTree};
use crate::history::HistoryError;

impl World {
    /// Returns the digest of the state after the last step, without commands given since.
    ///
    /// Worlds with the same digest have the same bodies, contacts and events, and the same future under the same commands. Their
    /// past does not matter.
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
        let mut pages: [Vec<(u32, Digest)>; 6] = Default::default();
        let [world, ids, bodies, traits, contacts, events] = &mut pages;
        let mut bytes = Vec::new();
        let mut whole = |section| {
            bytes.clear();
            self.put_page(section, 0, &mut bytes);
            (!bytes.is_empty()).then(|| (0, Digest::of(&bytes)))
        };
        world.extend(whole(StateSection::World));
        events.extend(whole(StateSection::Events));
        let mut taken = |put: &mut dyn FnMut(&mut Vec<u8>)| {
            bytes.clear();
            put(&mut bytes);
            Digest::of(&bytes)
        };
        let State { store, .. } = self;
        for (number, stream, p) in self.pages() {
            let first = first_of_page(number);
            ids.push((number, taken(&mut |out| self.put_page(StateSection::Ids, number, out))));
            let live = store.cold.get(stream.cold[p]).live;
            if live != 0 {
                let digest = store.hot.digest(stream.hot[p], live, |page| {
                    taken(&mut |out| put_bodies(page, live, first, out))
                });
                bodies.push((number, digest));
                let digest = store.cold.digest(stream.cold[p], 0, |page| {
                    taken(&mut |out| put_traits(page, first, out))
                });
                traits.push((number, digest));
            }
            let page = store.contacts.get(stream.contacts[p]);
            if !page.rows.is_empty() || !page.overlaps.is_empty() {
                let digest = store.contacts.digest(stream.contacts[p], 0, |page| {
                    taken(&mut |out| put_contacts(page, out))
                });
                contacts.push((number, digest));
            }
        }
        let mut tree = DigestTree::new();
        for (section, pages) in StateSection::ALL.into_iter().zip(pages) {
            tree.section(section.name(), pages);
        }
        tree
    }

    /// Recomputes the digests, to check those that pages cache.
    #[cfg(feature = "test-support")]
    fn digest_tree_anew(self) -> DigestTree {
        let mut tree = DigestTree::new();
        for section in StateSection::ALL {
            let numbers = core::iter::once(0).chain(self.pages().map(|page| page.0));
            let pages = numbers.filter_map(|number| {
                let mut bytes = Vec::new();
                self.put_page(section, number, &mut bytes);
                (!bytes.is_empty()).then(|| (number, Digest::of(&bytes)))
            });
            tree.section(section.name(), pages);
        }
        tree
    }
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
