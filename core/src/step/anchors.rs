//! Anchored bodies: those that rigid bodies could not move, because friction holds them at three points that are not on a line.
//!
//! Fixed bodies, and kinematic ones at rest, are anchored. A dynamic body is anchored if the points at which anchored bodies push
//! it, through contacts that do not slide, span a triangle, or three are of one contact. Such a body still moves by the compliance of contacts, which a tall
//! stack or a heap of planks hardly damps. A moving body is not anchored: one that slides has friction at its
//! limit, one that tips over has points on a line, one that rolls has one or two. A body that only rests on bodies that are not
//! anchored, as a card on another leaning card, is not either.

use super::bodies::{BodyColumn, StepBody};
use super::contacts::{Contact, ContactColumn};
use super::index::{BodyPlace, ContactIndex};
use crate::data::Column;

/// Anchored bodies of the islands of a step.
#[derive(Debug, Default)]
pub(crate) struct Anchors {
    supports: Column<BodyPlace, Support>,
    /// Contacts of the island without an anchored body so far.
    open: Vec<ContactIndex>,
}

/// Points at which anchored bodies push a body, as far as they decide whether it is anchored. Raw metres from its centre.
#[derive(Clone, Copy, Debug, Default)]
struct Support {
    anchored: bool,
    first: Option<[i64; 3]>,
    /// Vector from the first point to the one that is furthest from it.
    furthest: Option<[i64; 3]>,
}

impl Anchors {
    /// Removes all bodies, and makes room for `count`.
    pub(super) fn reset(&mut self, count: usize) {
        self.supports.reset(count, Support::default());
    }

    /// Returns whether a dynamic body is anchored.
    pub(super) fn has(&self, place: BodyPlace) -> bool {
        self.supports[place].anchored
    }

    /// Finds the anchored bodies of an island. `slow` says whether a dynamic body may count.
    pub(super) fn find(
        &mut self,
        bodies: &BodyColumn,
        own: &[ContactIndex],
        contacts: &ContactColumn,
        slow: impl Fn(BodyPlace) -> bool,
    ) {
        let Self { supports, open } = self;
        let may = |place: BodyPlace| !bodies[place].dynamic || slow(place);
        let holds = |contact: &&ContactIndex| {
            let contact = &contacts[**contact];
            contact.sticks && contact.bodies.into_iter().all(may)
        };
        open.clear();
        // As many as all contacts, so that it grows only when their columns do.
        open.reserve(contacts.len());
        open.extend(own.iter().filter(holds));
        // Each round anchors bodies one contact further from fixed ones. The result does not depend on the order of contacts,
        // but for points that are nearly on a line; contacts are in the order of the island.
        loop {
            let before = open.len();
            open.retain(|contact| !pass_on(supports, bodies, &contacts[*contact]));
            if open.len() == before {
                break;
            }
        }
    }
}

/// Adds the points of a contact to the supports of one body if the other one is anchored; returns whether one is.
fn pass_on(
    supports: &mut Column<BodyPlace, Support>,
    bodies: &BodyColumn,
    contact: &Contact,
) -> bool {
    let anchored = |place: BodyPlace| {
        let body = &bodies[place];
        if body.dynamic { supports[place].anchored } else { !body.awake }
    };
    let Some(side) = (0..2).find(|side| anchored(contact.bodies[*side])) else { return false };
    let place = contact.bodies[1 - side];
    let support = &mut supports[place];
    if !bodies[place].dynamic || support.anchored {
        return true;
    }
    if contact.stands() {
        // Most contacts: three or four points of one face.
        support.anchored = true;
        return true;
    }
    let pushed = |i: &usize| contact.pushed >> i & 1 == 1;
    for (_, arms) in contact.arms().of.iter().enumerate().filter(|(i, _)| pushed(i)) {
        support.add(arms[1 - side], &bodies[place]);
    }
    true
}

impl Support {
    fn add(&mut self, point: [i64; 3], body: &StepBody) {
        let Some(first) = self.first else {
            self.first = Some(point);
            return;
        };
        // Points of a half space may be anywhere.
        let mut edge: [i64; 3] =
            core::array::from_fn(|i| point[i].saturating_sub(first[i]).clamp(-FAR, FAR));
        let Some(furthest) = &mut self.furthest else {
            self.furthest = Some(edge);
            return;
        };
        if square(edge) > square(*furthest) {
            core::mem::swap(&mut edge, furthest);
        }
        // The height of the triangle over its longest edge is the area over that edge. Lengths with 16 fractional bits are at most 2³⁰.
        let [a, b] = [*furthest, edge].map(|v| v.map(|c| c >> 16));
        let cross = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
        let normal = [cross(1, 2), cross(2, 0), cross(0, 1)];
        let height = LEAST_HEIGHT_SHIFT + i32::from(body.exponent) + 16;
        let least = if height > 0 { 1i128 << (2 * height) } else { 1 };
        self.anchored |= square(normal) >= least * square(a);
    }
}

/// Largest distance of points along an axis, raw metres: squares of larger ones would not fit.
const FAR: i64 = 1 << 46;

/// Least height of a triangle of points, as a part of the size of the body: 1/64, as a power of two.
const LEAST_HEIGHT_SHIFT: i32 = -6;

fn square(v: [i64; 3]) -> i128 {
    v.iter().map(|c| i128::from(*c) * i128::from(*c)).sum()
}
