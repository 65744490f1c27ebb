//! Batches of islands, and the contacts of each batch in packs.
//!
//! A batch has a few small islands or one large one. It has rows of its own: every body of its islands, each moving
//! kinematic body that these touch, one row for all bodies at rest and one for empty lanes. So a batch is solved without
//! access to anything else, on any thread, and the grouping of islands into batches affects no result.
//!
//! Contacts of one colour share no dynamic body, in one island or several, so their order has no effect. The contacts of
//! a batch are packed by colour, then by whether their first body is at rest, then by number of rows, to fill packs with
//! lanes that do the same work.

use super::bodies::BodyColumn;
use super::constraint::Motion;
use super::contacts::{Contact, ContactColumn};
use super::impact::Bouncing;
use super::index::{BatchRow, BodyPlace, ContactIndex};
use super::islands::{COLOURS, Islands};
use super::joints::{Joints, StepJoint};
use super::lanes::Batch;
use super::lanes::pack::{AngularPack, Pack, PointPack, STILL, WIDTH};
use super::prepare::mass_fractions;
use super::rod::{End, Rod};
use super::rows::{Rows, RowsMut, Traits};
use crate::data::{Column, Optional, TypedIndex, sort_by_key};
use crate::math::{Q20, Q30};
use core::ops::Range;

/// Approximate contacts of a batch: enough to fill the lanes of every colour, few enough to stay in a processor's cache.
const CONTACTS: usize = 128;

/// A batch, as ranges of the shared columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Span {
    pub(super) islands: Range<usize>,
    pub(super) packs: Range<usize>,
    pub(super) points: Range<usize>,
    pub(super) angular: Range<usize>,
    pub(super) rods: Range<usize>,
    pub(super) rows: Range<usize>,
    /// Number of rows, after the first two, of the batch's own bodies. The remaining rows are read-only bodies.
    pub(super) members: usize,
    /// True if a contact has restitution.
    pub(super) bounces: bool,
}

/// The batches of a step.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    pub(super) list: Vec<Span>,
    pub(super) packs: Vec<Pack>,
    pub(super) points: Vec<PointPack>,
    pub(super) angular: Vec<AngularPack>,
    pub(super) rods: Vec<Rod>,
    pub(super) rows: Rows,
    /// Row of each place in its batch.
    row_of: Column<BodyPlace, Optional<BatchRow>>,
    pub(super) bouncing: Vec<Bouncing>,
    order: Vec<(u64, ContactIndex)>,
    sort: Vec<(u64, ContactIndex)>,
    /// Shuffled lanes and poisoned empty lanes, for tests.
    #[cfg(feature = "test-internals")]
    pub(super) disorder: super::fault::Disorder,
}

/// Batches with their parts of the columns, split into units of work.
pub(super) struct Parts<'a> {
    pub(super) spans: &'a [Span],
    pub(super) packs: &'a mut [Pack],
    pub(super) points: &'a mut [PointPack],
    pub(super) angular: &'a mut [AngularPack],
    pub(super) rods: &'a mut [Rod],
    pub(super) rows: RowsMut<'a>,
    pub(super) bouncing: &'a mut [Bouncing],
}

impl<'a> Iterator for Parts<'a> {
    type Item = (&'a Span, Batch<'a>, &'a mut [Rod], &'a mut Bouncing);

    fn next(&mut self) -> Option<Self::Item> {
        let span = self.spans.split_off_first()?;
        let batch = Batch {
            packs: self.packs.split_off_mut(..span.packs.len())?,
            points: self.points.split_off_mut(..span.points.len())?,
            angular: self.angular.split_off_mut(..span.angular.len())?,
            rows: self.rows.split_off(span.rows.len()),
        };
        let rods = self.rods.split_off_mut(..span.rods.len())?;
        Some((span, batch, rods, self.bouncing.split_off_first_mut()?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.spans.len(), Some(self.spans.len()))
    }
}

/// Bodies, contacts and islands of a step.
pub(super) struct Found<'a> {
    pub(super) bodies: &'a BodyColumn,
    pub(super) motions: &'a Column<BodyPlace, Motion>,
    pub(super) contacts: &'a ContactColumn,
    pub(super) joints: &'a Joints,
    pub(super) islands: &'a Islands,
}

/// Least capacity of the lists of rows, so that a scene of some dozen bodies does not grow them by single packs.
const MIN_ROWS: usize = 64;

/// Resizes a list of rows. Its capacity is a power of two: the number of rows varies from tick to tick.
fn fill<T: Copy + Default>(rows: &mut Vec<T>, count: usize) {
    if rows.capacity() < count.max(MIN_ROWS) {
        rows.reserve_exact(count.max(MIN_ROWS).next_power_of_two() - rows.len());
    }
    rows.resize(count, T::default());
}

impl Batches {
    /// Groups the islands into batches and assigns bodies and contacts to lanes.
    pub(super) fn build(&mut self, found: &Found<'_>) {
        self.list.clear();
        self.rods.clear();
        self.packs.clear();
        self.rows.clear();
        self.row_of.reset(found.bodies.len(), Optional::none());
        let islands = &found.islands.list;
        let (mut first, mut contacts) = (0, 0);
        for (number, island) in islands.iter().enumerate() {
            contacts += island.contacts.len() + island.joints.len();
            if contacts >= CONTACTS || number + 1 == islands.len() {
                self.add(first..number + 1, found);
                (first, contacts) = (number + 1, 0);
            }
        }
        let ends = self.list.last().map_or((0, 0), |span| (span.points.end, span.angular.end));
        fill(&mut self.points, ends.0);
        fill(&mut self.angular, ends.1);
        if self.bouncing.len() < self.list.len() {
            self.bouncing.resize_with(self.list.len(), Bouncing::default);
        }
    }

    /// Poisons empty lanes and applies the fault [`super::Fault::SkewedLane`], for tests.
    #[cfg(feature = "test-internals")]
    pub(super) fn disturb(&mut self, islands: &Islands) {
        self.disorder.poison(&mut self.packs, &mut self.points, &mut self.angular);
        if islands.fault == Some(super::Fault::SkewedLane) {
            self.points.iter_mut().for_each(|point| point.impulse.0[5] += 1);
        }
    }

    fn add(&mut self, islands: Range<usize>, found: &Found<'_>) {
        let (points, angular) =
            self.list.last().map_or((0, 0), |span| (span.points.end, span.angular.end));
        let rows = self.rows.traits.len();
        self.rows.push(Traits::default(), Motion::default(), Motion::default());
        self.rows.push(Traits::default(), Motion::default(), Motion::default());
        let mut members = 0;
        for island in &found.islands.list.as_slice()[islands.clone()] {
            for &place in &found.islands.members[island.members.clone()] {
                let row = BatchRow::from_position(self.rows.traits.len() - rows);
                self.row_of[place] = Optional::some(row);
                self.rows.push_body(place, found);
                members += 1;
            }
        }
        let mut span = Span {
            islands,
            packs: self.packs.len()..self.packs.len(),
            points: points..points,
            angular: angular..angular,
            rods: self.rods.len()..self.rods.len(),
            rows: rows..rows,
            members,
            bounces: false,
        };
        self.order(&span, found);
        self.pack(&mut span, found);
        self.add_rods(&mut span, found);
        span.rows.end = self.rows.traits.len();
        // Other batches have their own rows for these read-only bodies.
        for traits in &self.rows.traits[span.rows.clone()][2 + members..] {
            self.row_of[traits.place] = Optional::none();
        }
        self.list.push(span);
    }

    /// Sorts the contacts of a batch into solver order.
    fn order(&mut self, span: &Span, found: &Found<'_>) {
        self.order.clear();
        for island in &found.islands.list.as_slice()[span.islands.clone()] {
            let colours = &found.islands.colours[island.contacts.clone()];
            let indices = &found.islands.contacts[island.contacts.clone()];
            for (&colour, &index) in colours.iter().zip(indices) {
                let contact = &found.contacts[index];
                let shape =
                    (3 - angular_rows(contact)) << 4 | (4 - contact.row.points.len() as u64);
                let shape = u64::from(against_resting(contact, found)) << 7 | shape;
                // Contacts beyond the last colour stay one after the other.
                let shape = if usize::from(colour) < COLOURS { shape } else { 0 };
                self.order.push((u64::from(colour) << 8 | shape, index));
            }
        }
        #[cfg(feature = "test-internals")]
        self.disorder.shuffle(&mut self.order, |key| key >> 8 < COLOURS as u64);
        sort_by_key(&mut self.order, &mut self.sort, |(key, _)| *key);
    }

    /// Makes the packs of a batch.
    fn pack(&mut self, span: &mut Span, found: &Found<'_>) {
        let order = core::mem::take(&mut self.order);
        let mut filled = WIDTH;
        let mut last = 0;
        for &(key, index) in &order {
            let contact = &found.contacts[index];
            let colour = (key >> 8) as usize;
            if filled == WIDTH || colour != last || colour >= COLOURS {
                self.end_pack(span);
                self.packs.push(Pack::default());
                (filled, last) = (0, colour);
            }
            let rows = self.rows_of(contact, span, found);
            let pack = self.packs.last_mut().expect("one was pushed");
            for (lanes, row) in pack.bodies.iter_mut().zip(rows) {
                lanes[filled] = row;
            }
            pack.rests &= rows[0] == STILL && against_resting(contact, found);
            pack.contacts[filled] = Optional::some(index);
            pack.counts[filled] = contact.row.points.len() as u8;
            pack.points = pack.points.max(contact.row.points.len() as u32);
            pack.angular = pack.angular.max(angular_rows(contact) as u32);
            span.bounces |= contact.row.mixed.restitution > Q30::ZERO;
            filled += 1;
        }
        self.end_pack(span);
        self.order = order;
    }

    /// Counts the rows of the pack that was filled last, if there is one.
    fn end_pack(&mut self, span: &mut Span) {
        if self.packs.len() > span.packs.start {
            let pack = &self.packs[self.packs.len() - 1];
            span.points.end += pack.points as usize;
            span.angular.end += pack.angular as usize;
            span.packs.end = self.packs.len();
        }
    }

    /// Makes the rods of a batch.
    fn add_rods(&mut self, span: &mut Span, found: &Found<'_>) {
        let Found { joints, islands, bodies, .. } = *found;
        for island in &islands.list.as_slice()[span.islands.clone()] {
            for &joint in &islands.joints[island.joints.clone()] {
                let StepJoint { row, bodies: places, arms, apart } = &joints.list[joint];
                assert_own_island(*places, *places, islands);
                let mass = |place: BodyPlace| bodies[place].mass;
                let other = if row.is_to_world() { 0 } else { mass(places[1]) };
                let fractions = mass_fractions(mass(places[0]), other);
                let mut ends = arms.map(End::at_rest);
                let count = if row.is_to_world() { 1 } else { 2 };
                for (side, end) in ends.iter_mut().enumerate().take(count) {
                    let body = &bodies[places[side]];
                    end.body = self.row_of_place(places[side], span, found);
                    end.exponent = body.exponent;
                    end.fraction = i64::from(fractions[side].to_bits());
                    end.inertia = body.inertia;
                }
                self.rods.push(Rod::new(joint, row, &ends, *apart));
            }
        }
        span.rods.end = self.rods.len();
    }

    /// Rows of a contact's two bodies.
    fn rows_of(&mut self, contact: &Contact, span: &Span, found: &Found<'_>) -> [BatchRow; 2] {
        let bodies = contact.bodies;
        #[cfg(feature = "test-internals")]
        let bodies = match found.islands.fault {
            Some(super::Fault::ReadOutside) => [bodies[0], found.islands.members[0]],
            _ => bodies,
        };
        assert_own_island(contact.bodies, bodies, found.islands);
        bodies.map(|place| self.row_of_place(place, span, found))
    }

    /// Row of a body. A read-only body gets a row at its first use.
    #[inline(always)]
    fn row_of_place(&mut self, place: BodyPlace, span: &Span, found: &Found<'_>) -> BatchRow {
        if let Some(known) = self.row_of[place].get() {
            return known;
        }
        let body = &found.bodies[place];
        if !body.awake && found.motions[place] == Motion::default() {
            return STILL;
        }
        let row = BatchRow::from_position(self.rows.traits.len() - span.rows.start);
        self.row_of[place] = Optional::some(row);
        self.rows.push_body(place, found);
        row
    }
}

/// Panics in a debug build if a constraint between `bodies` reads or writes a body of another island.
#[inline(always)]
fn assert_own_island(bodies: [BodyPlace; 2], used: [BodyPlace; 2], islands: &Islands) {
    let label = |place: BodyPlace| islands.labels[place].get();
    let own = bodies.into_iter().find_map(label);
    for read in used.map(label) {
        debug_assert!(
            read == own || read.is_none(),
            "a row of island {read:?} is read while island {own:?} is worked on: no result may depend on it"
        );
    }
}

/// Returns whether the first body of a contact is fixed, or kinematic without a velocity.
fn against_resting(contact: &Contact, found: &Found<'_>) -> bool {
    let body = &found.bodies[contact.bodies[0]];
    !body.dynamic && !body.awake
}

/// Number of angular rows of a contact. Several points resist twisting by their friction; a single point and rolling
/// need a material that has it.
fn angular_rows(contact: &Contact) -> u64 {
    let mixed = &contact.row.mixed;
    let twist = if contact.row.points.len() > 1 { mixed.friction } else { mixed.spinning };
    if mixed.rolling == Q30::ZERO { u64::from(twist != Q30::ZERO) } else { 3 }
}

impl Rows {
    fn push_body(&mut self, place: BodyPlace, found: &Found<'_>) {
        // A substep that adds more than this ends at the speed cap in any case.
        const MOST: Q20 = Q20::from_bits(1 << 29);
        let body = &found.bodies[place];
        let traits = Traits {
            place,
            gravity: body.gravity.map(|g| g.clamp_abs(MOST)),
            damping: body.damping,
            speed_cap: body.speed_cap,
            locks: body.locks,
            dynamic: body.dynamic,
            moving_kinematic: body.awake && !body.dynamic,
            slender: body.inertia.slender,
        };
        // A torque is a change of spin in every substep, as the carried impulse is.
        let torque = Motion { linear: Default::default(), angular: body.torque };
        self.push(traits, found.motions[place], torque);
    }
}
