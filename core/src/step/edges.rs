//! The constraint graph of a step: one list of edges between bodies, by kind and then by key. Islands, waking, the bodies of a
//! resimulation and the static edges of the step record follow from it, whatever the kind of an edge.

use super::crowd::Crowd;
use super::index::BodyPlace;
use super::joints::Joints;
use super::narrow::Ends;

/// The edges that a step has found so far.
#[derive(Clone, Copy)]
pub(super) struct Edges<'a> {
    /// Contacts that are solved.
    pub(super) contacts: &'a Ends,
    /// Contacts of crowds, which may be left unsolved.
    pub(super) crowd: &'a Crowd,
    /// Joints that have an effect. One to the world has its body at both ends.
    pub(super) joints: &'a Joints,
}

/// Edge between two bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) bodies: [BodyPlace; 2],
    pub(super) kind: EdgeKind,
}

/// Kind of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeKind {
    Contact,
    Joint,
}

impl Edges<'_> {
    /// Visits all edges.
    pub(super) fn iter(self) -> impl Iterator<Item = Edge> {
        let mut cursor = EdgeCursor::default();
        core::iter::from_fn(move || cursor.next(self))
    }
}

/// Cursor over the edges, which stays valid while edges of any kind are added.
#[derive(Debug, Default)]
pub(super) struct EdgeCursor {
    contacts: usize,
    crowd: usize,
    joints: usize,
}

impl EdgeCursor {
    /// Returns the next edge.
    #[inline]
    pub(super) fn next(&mut self, edges: Edges<'_>) -> Option<Edge> {
        let contact = |bodies| Some(Edge { bodies, kind: EdgeKind::Contact });
        if let Some((_, places)) = edges.contacts.as_slice().get(self.contacts) {
            self.contacts += 1;
            return contact(*places);
        }
        if let Some(edge) = edges.crowd.edges.get(self.crowd) {
            self.crowd += 1;
            return contact(edge.pair.1);
        }
        let joint = edges.joints.list.as_slice().get(self.joints)?;
        self.joints += 1;
        Some(Edge { bodies: joint.bodies, kind: EdgeKind::Joint })
    }
}
