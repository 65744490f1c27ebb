//! Order of the impacts of an island: the fastest contacts first, several at once if they are equally fast. Each impact
//! changes the speeds of its neighbours, found through the list of contacts of each body.

use super::hits::{Hit, hit};
use super::points::{PointImpact, along, lane, point_impact, speed};
use crate::data::index::{index_slices, index_types};
use crate::data::{Column, Optional, Tournament};
use crate::math::Q20;
use crate::step::constraint::{ScalarContact, times};
use crate::step::index::BatchRow;
use crate::step::rows::RowsMut;

/// Buffers, reused to avoid allocation.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// Last contact of each body. There is none between islands.
    last: Column<BatchRow, Optional<ContactEnd>>,
    /// Previous contact of the same body.
    before: Column<ContactEnd, Optional<ContactEnd>>,
    /// Approaching contacts, by speed and then by order.
    fastest: Tournament,
    group: Vec<Constraint>,
    hits: Vec<Hit>,
    /// Refresh that last updated each contact, and the number of refreshes: each refresh updates a contact once.
    seen: Column<Constraint, u32>,
    refreshes: u32,
}

index_types! {
    /// Index of a contact among those of its island that impacts work on.
    Constraint;
    /// One body's side of such a contact: 2·contact + side.
    ContactEnd;
}

index_slices!(Constraint: ScalarContact);

impl ContactEnd {
    const fn contact(self) -> Constraint {
        Constraint::new(self.get() / 2)
    }
}

/// Limit of impulses per contact of an island; beyond it the rest is left to soft contacts. A shock passes a contact a
/// few times: as often as balls hit a cradle, and once for each reflection. Reflections without end (a bouncy ball
/// between two plates) stop at this limit.
const HITS_PER_CONTACT: usize = 8;

/// Contacts within 1/64 of the fastest approach speed are resolved together. In sequence, the first of two equal
/// contacts would take more, and a symmetric rack would move asymmetrically.
const TOGETHER_SHIFT: u32 = 6;

/// Resolves the impacts of one island in which a contact with restitution approaches at `least` or faster. The contacts
/// may be in any order.
pub(super) fn run(
    constraints: &mut [ScalarContact],
    bodies: &mut RowsMut<'_>,
    least: i64,
    buffers: &mut Buffers,
) {
    buffers.link(constraints, bodies.traits.len());
    buffers.fastest.reset(constraints.iter().map(|constraint| key(constraint, bodies, least)));
    let mut left = HITS_PER_CONTACT * constraints.len();
    while left > 0 && buffers.take_group(constraints, bodies) {
        left = left.saturating_sub(buffers.group.len());
        hit(&mut buffers.hits, constraints, bodies);
        buffers.refresh(constraints, bodies, least);
    }
    buffers.unlink(constraints);
}

impl Buffers {
    /// Links the contacts of each body into a list.
    fn link(&mut self, constraints: &[ScalarContact], bodies: usize) {
        self.last.resize(bodies.max(self.last.len()), Optional::none());
        self.before.clear();
        self.seen.reset(constraints.len(), 0);
        self.refreshes = 0;
        for body in constraints.iter().flat_map(|constraint| constraint.bodies) {
            // Two for each contact, so it is the end of this contact at this body.
            let end = Optional::some(self.before.end());
            self.before.push(core::mem::replace(&mut self.last[body], end));
        }
    }

    fn unlink(&mut self, constraints: &[ScalarContact]) {
        for body in constraints.iter().flat_map(|constraint| constraint.bodies) {
            self.last[body] = Optional::none();
        }
    }

    /// Removes the fastest contacts and adds their approaching points to `hits`. Returns `false` if none is left.
    fn take_group(&mut self, constraints: &[ScalarContact], bodies: &RowsMut<'_>) -> bool {
        self.group.clear();
        self.hits.clear();
        let mut floor = 1;
        while let Some((contact, key)) = self.fastest.largest()
            && key >> 32 >= floor
        {
            if self.group.is_empty() {
                let fastest = key >> 32;
                floor = (fastest - (fastest >> TOGETHER_SHIFT)).max(1);
            }
            self.fastest.set(contact, 0);
            let contact = Constraint::new(contact);
            self.group.push(contact);
            self.add_hits(contact, &constraints[contact], bodies);
        }
        !self.group.is_empty()
    }

    /// Adds the approaching points of a contact with their target velocities. All points use its restitution, also those
    /// slower than the fastest, or a box that falls flat would turn.
    fn add_hits(&mut self, contact: Constraint, constraint: &ScalarContact, bodies: &RowsMut<'_>) {
        let along = along(constraint, bodies.motions);
        for (point, row) in constraint.points.iter().enumerate() {
            if let Some(PointImpact { approach, impact, time }) =
                point_impact(constraint, row, along, bodies, 1)
            {
                let back = i64::from(times(constraint.restitution, lane(impact)).to_bits());
                let (point, goal, impulse) = (point as u32, impact - approach + back, Q20::ZERO);
                self.hits.push(Hit { contact, point, goal, impact, time, impulse });
            }
        }
    }

    /// Updates the keys of all contacts of the dynamic bodies in the group.
    fn refresh(&mut self, constraints: &[ScalarContact], bodies: &RowsMut<'_>, least: i64) {
        self.refreshes += 1;
        for &contact in &self.group {
            for body in constraints[contact].bodies {
                if !bodies.traits[body].dynamic {
                    continue;
                }
                let mut link = self.last[body];
                while let Some(end) = link.get() {
                    let other = end.contact();
                    let seen = &mut self.seen[other];
                    if core::mem::replace(seen, self.refreshes) != self.refreshes {
                        self.fastest.set(other.get(), key(&constraints[other], bodies, least));
                    }
                    link = self.before[end];
                }
            }
        }
    }
}

/// Sort key of a contact: by speed, then the lowest order first; zero if it does not approach.
fn key(constraint: &ScalarContact, bodies: &RowsMut<'_>, least: i64) -> u64 {
    match speed(constraint, bodies, least) {
        0 => 0,
        speed => speed << 32 | u64::from(u32::MAX - constraint.order),
    }
}
