//! The constraint graph of a step: one list of edges between bodies, by kind and then by key. Islands, waking, the bodies of a
//! resimulation and the static edges of the step record follow from it, whatever the kind of an edge.

use super::crowd::Crowd;
use super::index::BodyPlace;
use super::narrow::Ends;

/// The edges that a step has found so far.
#[derive(Clone, Copy)]
pub(super) struct Edges<'a> {
    /// Contacts that are solved.
    pub(super) contacts: &'a Ends,
    /// Contacts of crowds, which may be left unsolved.
    pub(super) crowd: &'a Crowd,
}

impl Edges<'_> {
    /// Visits all edges.
    pub(super) fn iter(self) -> impl Iterator<Item = [BodyPlace; 2]> {
        let mut cursor = EdgeCursor::default();
        core::iter::from_fn(move || cursor.next(self))
    }
}

/// Cursor over the edges, which stays valid while edges of any kind are added.
#[derive(Debug, Default)]
pub(super) struct EdgeCursor {
    contacts: usize,
    crowd: usize,
}

impl EdgeCursor {
    /// Returns the places of the next edge's bodies.
    #[inline]
    pub(super) fn next(&mut self, edges: Edges<'_>) -> Option<[BodyPlace; 2]> {
        if let Some((_, places)) = edges.contacts.as_slice().get(self.contacts) {
            self.contacts += 1;
            return Some(*places);
        }
        let edge = edges.crowd.edges.get(self.crowd)?;
        self.crowd += 1;
        Some(edge.pair.1)
    }
}
