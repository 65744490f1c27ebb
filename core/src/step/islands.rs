//! Fifth phase: islands, and the order of their contacts. An island is a set of dynamic bodies connected by contacts;
//! its label is its least body index. Static and kinematic bodies do not connect islands. Greedy graph colouring over
//! the sorted keys orders the contacts of an island, again each tick: contacts of one colour share no dynamic body. A
//! contact's colour depends on its own island only.

use super::{Scratch, StepReport, crowd};
use crate::data::{UnionFind, sort_by_key};
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
    pub(super) members: Vec<u32>,
    /// Places of contacts, sorted by island, colour and key.
    pub(super) contacts: Vec<u32>,
    /// Colour of each entry of `contacts`.
    pub(super) colours: Vec<u8>,
    /// Island label of each place, or [`NONE`] for static and kinematic bodies.
    pub(super) labels: Vec<u32>,
    groups: UnionFind,
    /// Index in `list` of each place's island.
    pub(super) numbers: Vec<u32>,
    masks: Vec<u64>,
    /// Rank of each contact in the order of keys.
    pub(super) ranks: Vec<u32>,
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
        if bodies[a as usize].dynamic && bodies[b as usize].dynamic {
            islands.groups.union(a, b);
        }
    }
    for edge in &crowd.edges {
        let (_, [a, b]) = edge.pair;
        islands.groups.union(a, b);
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
    pub(super) fn places(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.list.iter().flat_map(|island| {
            self.members[island.members.clone()].iter().map(|&place| (place, island.label))
        })
    }

    /// Assigns a label to each place.
    fn assign_labels(&mut self, bodies: &[super::bodies::StepBody]) {
        // Roots first. Roots are places, and bodies that joined late are not in the order of ids.
        self.labels.clear();
        self.labels.resize(bodies.len(), NONE);
        for (place, body) in bodies.iter().enumerate() {
            if body.dynamic && body.is_moved() {
                let root = self.groups.find(place as u32) as usize;
                self.labels[root] = self.labels[root].min(body.index.get());
            }
        }
        for (place, body) in bodies.iter().enumerate() {
            if body.dynamic && body.is_moved() {
                self.labels[place] = self.labels[self.groups.find(place as u32) as usize];
            }
        }
    }

    fn list_members(&mut self, bodies: &[super::bodies::StepBody]) {
        self.sorted.clear();
        self.sorted.extend(self.labels.iter().zip(bodies).zip(0..).filter_map(
            |((&label, body), place)| {
                (label != NONE)
                    .then_some((u64::from(label) << 32 | u64::from(body.index.get()), place))
            },
        ));
        sort_by_key(&mut self.sorted, &mut self.sort, |(key, _)| *key);
        self.list.clear();
        self.members.clear();
        self.numbers.clear();
        self.numbers.resize(bodies.len(), NONE);
        for &(key, place) in &self.sorted {
            let (label, at) = ((key >> 32) as u32, self.members.len());
            if self.list.last().is_none_or(|last| last.label != label) {
                self.list.push(Island { label, members: at..at, contacts: 0..0 });
            }
            self.numbers[place as usize] = self.list.len() as u32 - 1;
            self.members.push(place);
            if let Some(last) = self.list.last_mut() {
                last.members.end = at + 1;
            }
        }
    }

    fn order_contacts(
        &mut self,
        bodies: &[super::bodies::StepBody],
        contacts: &[super::narrow::PairCandidate],
        report: &mut StepReport,
    ) {
        self.masks.clear();
        self.masks.resize(bodies.len(), 0);
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
            let [a, b] = contacts[*place as usize].1.map(|body| body as usize);
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
