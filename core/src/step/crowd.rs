//! Contact limit in crowds. Where many bodies overlap in one spot there is a contact for every two of them, and solving
//! all of those would take minutes. A contact between two dynamic bodies is solved if it is among the [`MOST`] deepest
//! of either body. So a body with few contacts keeps all of them, however many the other body has.
//!
//! The choice depends on the island only: on the separations of its contacts, and among equal ones on the order of its
//! bodies. Contacts that are not solved still connect islands and wake sleeping bodies. They have no row in the state, and no
//! events.
//!
//! The narrow phase stores only the separation of pairs in a crowd ([`Edge`]), since contacts are large. The chosen
//! pairs go through the narrow phase once more.

use super::StepReport;
use super::bodies::BodyColumn;
use super::contacts::{Contact, ContactColumn};
use super::index::BodyPlace;
use super::islands::Islands;
use super::narrow::{Finding, Narrow, PairCandidate};
use crate::data::index::index_types;
use crate::data::{Column, Optional, TypedIndex, sort_by_key};
use crate::world::World;
use crate::world::rows::ShapeKey;
use std::collections::BinaryHeap;

/// Deepest contacts with dynamic bodies that are always solved, for each body. Boxes of one size that touch on all sides
/// have 26.
pub(super) const MOST: usize = 32;

/// Edge between two bodies of a crowd: they have a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(super) pair: PairCandidate,
    /// Least separation of its points, raw metres.
    pub(super) separation: i64,
}

index_types! {
    /// Index of a heap of contacts.
    HeapIndex;
}

/// Crowds of a step.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    /// Number of pairs of each place so far.
    pairs: Column<BodyPlace, u32>,
    /// Number of dynamic bodies with more than [`MOST`] pairs.
    large: u32,
    pub(super) edges: Vec<Edge>,
    /// Rank of each place among the bodies of its island.
    ranks: Column<BodyPlace, u32>,
    /// Number of contacts with dynamic bodies, by place.
    counts: Column<BodyPlace, u32>,
    /// Heap of each place with more than [`MOST`] contacts.
    heaps_of: Column<BodyPlace, Optional<HeapIndex>>,
    /// Deepest contacts of these places, the least deep one on top.
    heaps: Column<HeapIndex, BinaryHeap<Depth>>,
    chosen: Vec<PairCandidate>,
    sort: Vec<PairCandidate>,
}

/// Sort key of contacts in a crowd: separation, then the two shapes, numbered within the island, with mixed bits. In the
/// order of ids, the first few bodies would get all contacts of a crowd with equal depths.
type Depth = (i64, u64);

fn depth(
    &Edge { pair: (key, places), separation }: &Edge,
    ranks: &Column<BodyPlace, u32>,
) -> Depth {
    let ordinals = key.shapes().map(ShapeKey::ordinal);
    let [a, b] = [0, 1].map(|i: usize| u64::from(ranks[places[i]] << 8) | u64::from(ordinals[i]));
    let pair = a << 32 | b;
    // Odd factors and shifts are bijective: no two pairs get the same key.
    let mixed = (pair ^ pair >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (separation, (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93))
}

impl Crowd {
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.edges.clear();
        self.large = 0;
    }

    /// Counts a pair candidate.
    #[inline(always)]
    pub(super) fn count(&mut self, places: [BodyPlace; 2], bodies: &BodyColumn) {
        for place in places {
            if self.pairs.len() <= place.position() {
                self.pairs.resize(bodies.len(), 0);
            }
            self.pairs[place] += 1;
            if self.pairs[place] as usize == MOST + 1 {
                self.large += u32::from(bodies[place].dynamic);
            }
        }
    }

    /// Returns whether there may be contacts that are not solved.
    pub(super) const fn may_drop_contacts(&self) -> bool {
        self.large >= 2
    }

    /// Returns whether the contact of two bodies may be left unsolved.
    pub(super) fn may_drop(&self, places: [BodyPlace; 2], bodies: &BodyColumn) -> bool {
        places.iter().all(|place| self.pairs[*place] as usize > MOST && bodies[*place].dynamic)
    }

    /// Finds the depth limit of each body with too many contacts.
    fn measure(&mut self, contacts: &ContactColumn, bodies: &BodyColumn) {
        let Self { edges, ranks, counts, heaps_of, heaps, .. } = self;
        let all = || {
            let made = contacts.iter().filter_map(|contact| edge_of(contact, bodies));
            made.chain(edges.iter().copied())
        };
        counts.reset(bodies.len(), 0);
        for place in all().flat_map(|edge| edge.pair.1) {
            counts[place] += 1;
        }
        heaps_of.reset(bodies.len(), Optional::none());
        let many = counts.iter().zip(heaps_of.iter_mut());
        let many = many.filter(|(count, _)| **count as usize > MOST);
        let mut used = 0;
        for (_, heap) in many {
            *heap = Optional::some(HeapIndex::from_position(used));
            used += 1;
        }
        let all_heaps = heaps.as_mut_vec();
        if all_heaps.len() < used {
            all_heaps.resize_with(used, || BinaryHeap::with_capacity(MOST));
        }
        all_heaps[..used].iter_mut().for_each(BinaryHeap::clear);
        for edge in all() {
            let depth = depth(&edge, ranks);
            for heap in edge.pair.1.into_iter().filter_map(|place| heaps_of[place].get()) {
                let heap = &mut heaps[heap];
                if heap.len() < MOST {
                    heap.push(depth);
                } else if let Some(mut top) = heap.peek_mut()
                    && depth < *top
                {
                    *top = depth;
                }
            }
        }
    }

    /// Returns whether the contact of two dynamic bodies is solved.
    fn is_solved(&self, edge: &Edge) -> bool {
        edge.pair.1.map(|place| self.heaps_of[place].get()).into_iter().any(|heap| {
            let top = heap.and_then(|heap| self.heaps[heap].peek());
            top.is_none_or(|top| depth(edge, &self.ranks) <= *top)
        })
    }
}

/// Returns the edge of a contact between two dynamic bodies.
fn edge_of(contact: &Contact, bodies: &BodyColumn) -> Option<Edge> {
    let dynamic = contact.bodies.iter().all(|place| bodies[*place].dynamic);
    dynamic.then(|| Edge::of(contact))
}

impl Edge {
    pub(super) fn of(contact: &Contact) -> Self {
        let separations = &contact.separations[..contact.row.points.len()];
        let separation = separations.iter().copied().min().unwrap_or(i64::MAX);
        Self { pair: (contact.row.key, contact.bodies), separation }
    }
}

/// Removes the contacts that are not solved. Needs the islands.
pub(super) fn choose(
    world: &World,
    islands: &Islands,
    narrow: &mut Narrow<'_>,
    report: &mut StepReport,
) {
    if !narrow.crowd.may_drop_contacts() {
        return;
    }
    let Narrow { columns, contacts, crowd, .. } = &mut *narrow;
    let bodies = &columns.bodies.list;
    crowd.ranks.reset(bodies.len(), 0);
    for island in &islands.list {
        for (&place, rank) in islands.members[island.members.clone()].iter().zip(0..) {
            crowd.ranks[place] = rank;
        }
    }
    crowd.measure(contacts, bodies);
    contacts
        .as_mut_vec()
        .retain(|contact| edge_of(contact, bodies).is_none_or(|edge| crowd.is_solved(&edge)));
    let mut chosen = core::mem::take(&mut crowd.chosen);
    chosen.clear();
    chosen.extend(crowd.edges.iter().filter(|edge| crowd.is_solved(edge)).map(|edge| edge.pair));
    sort_by_key(&mut chosen, &mut crowd.sort, |(key, _)| key.0);
    report.recycled += narrow.find(world, &chosen, Finding::Contacts);
    let Narrow { crowd, contacts, ends, .. } = narrow;
    crowd.chosen = chosen;
    ends.clear();
    ends.extend(contacts.iter().map(|contact| (contact.row.key, contact.bodies)));
    report.contacts = contacts.len() as u32;
    report.points = contacts.iter().map(|contact| contact.row.points.len() as u32).sum();
}
