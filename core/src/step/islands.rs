//! Fifth phase: islands, and the order of their contacts and joints. An island is a set of dynamic bodies connected by edges;
//! its label is its least body index. Fixed and kinematic bodies do not connect islands. Greedy graph colouring over
//! the sorted keys orders the contacts of an island, again each tick: contacts of one colour share no dynamic body. A
//! contact's colour depends on its own island only.

use super::bodies::BodyColumn;
use super::edges::Edges;
use super::index::{BodyPlace, ContactIndex, IslandIndex, JointIndex};
use super::joints::Joints;
use super::narrow::{Narrow, PairCandidate};
use super::scratch::Split;
use super::{StepReport, crowd};
use crate::data::{Column, Optional, TypedIndex, UnionFind, sort_by_key};
use crate::world::World;
use crate::world::timeline::IslandLabel;
use core::ops::Range;

/// Number of colours that fit a mask. Contacts beyond them are solved last, one after the other.
pub(super) const COLOURS: usize = 64;

/// An island of this step.
#[derive(Clone, Debug)]
pub(crate) struct Island {
    /// Index of the least body.
    pub(super) label: IslandLabel,
    /// Range in [`Islands::members`].
    pub(super) members: Range<usize>,
    /// Range in [`Islands::contacts`].
    pub(super) contacts: Range<usize>,
    /// Range in [`Islands::joints`].
    pub(super) joints: Range<usize>,
    /// Largest impulse that its contacts are warm started with, if it is at rest (`load_limit.rs`).
    pub(super) load_limit: Option<i128>,
}

/// The islands of a step.
#[derive(Debug, Default)]
pub(crate) struct Islands {
    /// Islands, sorted by label.
    pub(super) list: Column<IslandIndex, Island>,
    /// Places of bodies, sorted by island and then by id.
    pub(super) members: Vec<BodyPlace>,
    /// Contacts, sorted by island, colour and key.
    pub(super) contacts: Vec<ContactIndex>,
    /// Colour of each entry of `contacts`.
    pub(super) colours: Vec<u8>,
    /// Joints, sorted by island, colour and key. Their colours are independent of those of contacts.
    pub(super) joints: Vec<JointIndex>,
    /// Island label of each place; none for fixed and kinematic bodies.
    pub(super) labels: Column<BodyPlace, Optional<IslandLabel>>,
    /// Union-find over places.
    groups: UnionFind,
    /// Island of each place.
    pub(super) numbers: Column<BodyPlace, Optional<IslandIndex>>,
    masks: Column<BodyPlace, u64>,
    /// Rank of each contact in the order of keys.
    pub(super) ranks: Column<ContactIndex, u32>,
    sorted_places: Vec<(u64, BodyPlace)>,
    sort_places: Vec<(u64, BodyPlace)>,
    sorted_contacts: Vec<(u64, ContactIndex)>,
    sort_contacts: Vec<(u64, ContactIndex)>,
    sorted_joints: Vec<(u64, JointIndex)>,
    sort_joints: Vec<(u64, JointIndex)>,
    /// Injected fault, and its state.
    #[cfg(feature = "test-internals")]
    pub(super) fault: Option<super::Fault>,
    #[cfg(feature = "test-internals")]
    fault_state: super::fault::FaultState,
}

pub(super) fn run(world: &World, parts: Split<'_>, report: &mut StepReport) {
    let Split { islands, mut narrow, joints, .. } = parts;
    let Narrow { columns, ends, crowd, .. } = &narrow;
    let bodies = &columns.bodies.list;
    islands.groups.reset(bodies.len() as u32);
    for edge in (Edges { contacts: ends, crowd, joints }).iter() {
        let [a, b] = edge.bodies;
        if bodies[a].dynamic && bodies[b].dynamic {
            islands.groups.union(a.get(), b.get());
        }
    }
    islands.assign_labels(bodies);
    islands.list_members(bodies);
    crowd::choose(world, islands, &mut narrow, report);
    let Narrow { columns, ends, .. } = &narrow;
    let bodies = &columns.bodies.list;
    islands.order_contacts(bodies, ends, report);
    islands.order_joints(bodies, joints);
    report.islands = islands.list.len() as u32;
}

impl Islands {
    /// Clears the islands of a step that simulates nothing.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.members.clear();
    }

    /// Lists the places of bodies, each with the label of its island; by label, then by id.
    pub(super) fn places(&self) -> impl Iterator<Item = (BodyPlace, IslandLabel)> + '_ {
        self.list.iter().flat_map(|island| {
            self.members[island.members.clone()].iter().map(|&place| (place, island.label))
        })
    }

    /// Assigns a label to each place.
    fn assign_labels(&mut self, bodies: &BodyColumn) {
        // Roots first. Roots are places, and bodies that joined late are not in the order of ids.
        self.labels.reset(bodies.len(), Optional::none());
        for (place, body) in bodies.entries() {
            if body.dynamic && body.is_moved() {
                let root = BodyPlace::new(self.groups.find(place.get()));
                self.labels[root] = self.labels[root].min(IslandLabel::of(body.index));
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
                let key = u64::from(label.get()?.get()) << 32 | u64::from(body.index.get());
                Some((key, place))
            },
        ));
        sort_by_key(&mut self.sorted_places, &mut self.sort_places, |(key, _)| *key);
        self.list.clear();
        self.members.clear();
        self.numbers.reset(bodies.len(), Optional::none());
        for &(key, place) in &self.sorted_places {
            let (label, at) = (IslandLabel::new((key >> 32) as u32), self.members.len());
            if self.list.as_slice().last().is_none_or(|last| last.label != label) {
                self.list.push(Island {
                    label,
                    members: at..at,
                    contacts: 0..0,
                    joints: 0..0,
                    load_limit: None,
                });
            }
            let last = IslandIndex::from_position(self.list.len() - 1);
            self.numbers[place] = Optional::some(last);
            self.members.push(place);
            self.list[last].members.end = at + 1;
        }
    }

    fn order_contacts(
        &mut self,
        bodies: &BodyColumn,
        contacts: &Column<ContactIndex, PairCandidate>,
        report: &mut StepReport,
    ) {
        self.masks.reset(bodies.len(), 0);
        // Contacts are already in the order of keys unless a body woke.
        self.sorted_contacts.clear();
        self.sorted_contacts.extend(contacts.entries().map(|(contact, (key, _))| (key.0, contact)));
        sort_by_key(&mut self.sorted_contacts, &mut self.sort_contacts, |(key, _)| *key);
        self.ranks.reset(contacts.len(), 0);
        for (&(_, contact), rank) in self.sorted_contacts.iter().zip(0..) {
            self.ranks[contact] = rank;
        }
        let mut seen = 0u128;
        for (key, contact) in &mut self.sorted_contacts {
            let [a, b] = contacts[*contact].1;
            let mask = |body| if bodies[body].dynamic { self.masks[body] } else { 0 };
            let used = mask(a) | mask(b);
            let colour = used.trailing_ones() as usize;
            #[cfg(feature = "test-internals")]
            let colour = self.fault.map_or(colour, |fault| {
                let (key, _) = contacts[*contact];
                fault.colour(&mut self.fault_state, used, key, *contact)
            });
            if colour < COLOURS {
                self.masks[a] |= 1 << colour;
                self.masks[b] |= 1 << colour;
            }
            seen |= 1 << colour;
            let number = self.numbers[if bodies[a].dynamic { a } else { b }];
            *key = number.order() << 8 | colour as u64;
        }
        report.colours = seen.count_ones();
        sort_by_key(&mut self.sorted_contacts, &mut self.sort_contacts, |(key, _)| *key);
        self.contacts.clear();
        self.colours.clear();
        for &(key, contact) in &self.sorted_contacts {
            let island = &mut self.list[IslandIndex::new((key >> 8) as u32)];
            let at = self.contacts.len();
            if island.contacts.is_empty() {
                island.contacts = at..at;
            }
            island.contacts.end = at + 1;
            self.contacts.push(contact);
            self.colours.push(key as u8);
        }
    }

    /// Orders joints as contacts are: by greedy colours over the sorted keys.
    fn order_joints(&mut self, bodies: &BodyColumn, joints: &Joints) {
        self.joints.clear();
        if joints.list.len() == 0 {
            return;
        }
        self.masks.reset(bodies.len(), 0);
        self.sorted_joints.clear();
        let keys = joints.list.entries().map(|(at, joint)| (joint.row.joint().0, at));
        self.sorted_joints.extend(keys);
        sort_by_key(&mut self.sorted_joints, &mut self.sort_joints, |(key, _)| *key);
        for (key, joint) in &mut self.sorted_joints {
            let [a, b] = joints.list[*joint].bodies;
            let mask = |body| if bodies[body].dynamic { self.masks[body] } else { 0 };
            // The last colour is for all joints beyond it, which are solved in the order of keys.
            let colour = ((mask(a) | mask(b)).trailing_ones() as usize).min(COLOURS);
            if colour < COLOURS {
                self.masks[a] |= 1 << colour;
                self.masks[b] |= 1 << colour;
            }
            // None for a joint without a body that the step moves.
            let number = [a, b].into_iter().find_map(|body| self.numbers[body].get());
            let number = number.map_or_else(Optional::none, Optional::some);
            *key = number.order() << 8 | colour as u64;
        }
        sort_by_key(&mut self.sorted_joints, &mut self.sort_joints, |(key, _)| *key);
        for &(key, joint) in &self.sorted_joints {
            let number = (key >> 8) as usize;
            if number >= self.list.len() {
                break;
            }
            let island = &mut self.list[IslandIndex::from_position(number)];
            let at = self.joints.len();
            if island.joints.is_empty() {
                island.joints = at..at;
            }
            island.joints.end = at + 1;
            self.joints.push(joint);
        }
    }
}
