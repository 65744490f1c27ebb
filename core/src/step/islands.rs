//! Fifth phase: islands, and the order of their contacts. An island is a set of dynamic bodies connected by contacts;
//! its label is its least body index. Static and kinematic bodies do not connect islands. Greedy graph colouring over
//! the sorted keys orders the contacts of an island, again each tick: contacts of one colour share no dynamic body. A
//! contact's colour depends on its own island only.

use super::bodies::BodyColumn;
use super::index::BodyPlace;
use super::{Scratch, StepReport, crowd};
use crate::data::{Column, UnionFind, sort_by_key};
use crate::world::World;
use core::ops::Range;

/// Label of bodies in no island.
pub(super) const NONE: u32 = u32::MAX;

/// Number of colours that fit a mask. Contacts beyond them are solved last, one after the other.
pub(super) const COLOURS: usize = 64;

/// An island of this step.
#[derive(Clone, Debug)]
pub(crate) struct Island {
    /// Index of the least body.
    pub(super) label: u32,
    /// Range in [`Islands::members`].
    pub(super) members: Range<usize>,
    /// Range in [`Islands::contacts`].
    pub(super) contacts: Range<usize>,
}

/// The islands of a step.
#[derive(Debug, Default)]
pub(crate) struct Islands {
    /// Islands, sorted by label.
    pub(super) list: Vec<Island>,
    /// Places of bodies, sorted by island and then by id.
    pub(super) members: Vec<BodyPlace>,
    /// Places of contacts, sorted by island, colour and key.
    pub(super) contacts: Vec<u32>,
    /// Colour of each entry of `contacts`.
    pub(super) colours: Vec<u8>,
    /// Island label of each place, or [`NONE`] for static and kinematic bodies.
    pub(super) labels: Column<BodyPlace, u32>,
    /// Groups of places, as numbers.
    groups: UnionFind,
    /// Index in `list` of each place's island.
    pub(super) numbers: Column<BodyPlace, u32>,
    masks: Column<BodyPlace, u64>,
    /// Rank of each contact in the order of keys.
    pub(super) ranks: Vec<u32>,
    sorted_places: Vec<(u64, BodyPlace)>,
    sort_places: Vec<(u64, BodyPlace)>,
    sorted: Vec<(u64, u32)>,
    sort: Vec<(u64, u32)>,
    /// Injected fault, and its state.
    #[cfg(feature = "test-internals")]
    pub(super) fault: Option<super::Fault>,
    #[cfg(feature = "test-internals")]
    fault_state: super::fault::FaultState,
}

pub(super) fn run(world: &World, scratch: &mut Scratch, report: &mut StepReport) {
    let Scratch { islands, bodies, ends, crowd, .. } = scratch;
    let bodies = &bodies.list;
    islands.groups.reset(bodies.len() as u32);
    for &(_, [a, b]) in &*ends {
        if bodies[a].dynamic && bodies[b].dynamic {
            islands.groups.union(a.get(), b.get());
        }
    }
    for edge in &crowd.edges {
        let (_, [a, b]) = edge.pair;
        islands.groups.union(a.get(), b.get());
    }
    islands.assign_labels(bodies);
    islands.list_members(bodies);
    crowd::choose(world, scratch, report);
    let Scratch { islands, bodies, ends, .. } = scratch;
    let bodies = &bodies.list;
    islands.order_contacts(bodies, ends, report);
    report.islands = islands.list.len() as u32;
}

impl Islands {
    /// Clears the islands of a step that simulates nothing.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.members.clear();
    }

    /// Lists the places of bodies, each with the label of its island; by label, then by id.
    pub(super) fn places(&self) -> impl Iterator<Item = (BodyPlace, u32)> + '_ {
        self.list.iter().flat_map(|island| {
            self.members[island.members.clone()].iter().map(|&place| (place, island.label))
        })
    }

    /// Assigns a label to each place.
    fn assign_labels(&mut self, bodies: &BodyColumn) {
        // Roots first. Roots are places, and bodies that joined late are not in the order of ids.
        self.labels.reset(bodies.len(), NONE);
        for (place, body) in bodies.entries() {
            if body.dynamic && body.is_moved() {
                let root = BodyPlace::new(self.groups.find(place.get()));
                self.labels[root] = self.labels[root].min(body.index.get());
            }
        }
        for (place, body) in bodies.entries() {
            if body.dynamic && body.is_moved() {
                self.labels[place] = self.labels[BodyPlace::new(self.groups.find(place.get()))];
            }
        }
    }

    fn list_members(&mut self, bodies: &BodyColumn) {
        self.sorted_places.clear();
        self.sorted_places.extend(self.labels.entries().zip(bodies).filter_map(
            |((place, &label), body)| {
                let key = u64::from(label) << 32 | u64::from(body.index.get());
                (label != NONE).then_some((key, place))
            },
        ));
        sort_by_key(&mut self.sorted_places, &mut self.sort_places, |(key, _)| *key);
        self.list.clear();
        self.members.clear();
        self.numbers.reset(bodies.len(), NONE);
        for &(key, place) in &self.sorted_places {
            let (label, at) = ((key >> 32) as u32, self.members.len());
            if self.list.last().is_none_or(|last| last.label != label) {
                self.list.push(Island { label, members: at..at, contacts: 0..0 });
            }
            self.numbers[place] = self.list.len() as u32 - 1;
            self.members.push(place);
            if let Some(last) = self.list.last_mut() {
                last.members.end = at + 1;
            }
        }
    }

    fn order_contacts(
        &mut self,
        bodies: &BodyColumn,
        contacts: &[super::narrow::PairCandidate],
        report: &mut StepReport,
    ) {
        self.masks.reset(bodies.len(), 0);
        // Contacts are already in the order of keys unless a body woke.
        self.sorted.clear();
        self.sorted.extend(contacts.iter().zip(0..).map(|((key, _), place)| (key.0, place)));
        sort_by_key(&mut self.sorted, &mut self.sort, |(key, _)| *key);
        self.ranks.clear();
        self.ranks.resize(contacts.len(), 0);
        for (&(_, place), rank) in self.sorted.iter().zip(0..) {
            self.ranks[place as usize] = rank;
        }
        let mut seen = 0u128;
        for (key, place) in &mut self.sorted {
            let [a, b] = contacts[*place as usize].1;
            let masks = [a, b].map(|body| if bodies[body].dynamic { self.masks[body] } else { 0 });
            let used = masks[0] | masks[1];
            let colour = used.trailing_ones() as usize;
            #[cfg(feature = "test-internals")]
            let colour = self.fault.map_or(colour, |fault| {
                let (key, _) = contacts[*place as usize];
                fault.colour(&mut self.fault_state, used, key, *place as usize)
            });
            if colour < COLOURS {
                self.masks[a] |= 1 << colour;
                self.masks[b] |= 1 << colour;
            }
            seen |= 1 << colour;
            let number = self.numbers[if bodies[a].dynamic { a } else { b }];
            *key = u64::from(number) << 8 | colour as u64;
        }
        report.colours = seen.count_ones();
        sort_by_key(&mut self.sorted, &mut self.sort, |(key, _)| *key);
        self.contacts.clear();
        self.colours.clear();
        for &(key, place) in &self.sorted {
            let (island, at) = (&mut self.list[(key >> 8) as usize], self.contacts.len());
            if island.contacts.is_empty() {
                island.contacts = at..at;
            }
            island.contacts.end = at + 1;
            self.contacts.push(place);
            self.colours.push(key as u8);
        }
    }
}
