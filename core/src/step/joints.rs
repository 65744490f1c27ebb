//! Joints of a step: those with an awake body, their constraint rows (`rod.rs`) into the batches, and their impulses into the next frame.
//! A joint is an edge of the constraint graph, like a contact. Rows of sleeping bodies are not visited.

use super::Scratch;
use super::gather::Columns;
use super::index::{BodyPlace, JointIndex};
use crate::data::{Column, sort_by_key};
use crate::math::{Quat, Vec3};
use crate::world::World;
use crate::world::frame::{Frame, Store};
use crate::world::registry::Listed;
use crate::world::registry::joints::{JointEndRow, JointKey, JointRow};
use crate::world::rows::BodyIndex;

/// Joint during a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepJoint {
    pub(super) row: JointRow,
    /// Places of the two bodies; the first one twice for a joint to the world.
    pub(super) bodies: [BodyPlace; 2],
    /// Vectors from the centres of mass to the anchors, raw metres; zero at the world.
    pub(super) arms: [[i64; 3]; 2],
    /// Vector from the first centre of mass to the second, or to the point in the world, raw metres.
    pub(super) apart: [i64; 3],
}

/// Joints of a step.
#[derive(Debug, Default)]
pub(crate) struct Joints {
    /// In the order in which they were found: by key, unless a body woke.
    pub(super) list: Column<JointIndex, StepJoint>,
    /// Keys of the joints of the list, sorted.
    done: Vec<JointKey>,
    found: Vec<JointKey>,
    sort: Vec<JointKey>,
}

/// Largest component of the vector between two bodies, raw metres: 2²⁰ m, so that lengths fit.
const APART_LIMIT: i128 = 1 << 52;

impl Joints {
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.done.clear();
        self.found.clear();
    }

    /// Returns whether the list has a joint.
    pub(super) fn has(&self, joint: JointKey) -> bool {
        self.done.binary_search(&joint).is_ok()
    }

    /// Adds the joints that were found.
    fn admit(&mut self, world: &World, columns: &mut Columns<'_>) {
        let Self { list, done, found, sort } = self;
        sort_by_key(found, sort, |key| key.0);
        found.dedup();
        found.retain(|key| done.binary_search(key).is_err());
        for row in found.iter().filter_map(|key| world.work.joint(&world.store, *key)) {
            list.push(step_joint(world, columns, row));
        }
        done.extend_from_slice(found);
        sort_by_key(done, sort, |key| key.0);
        found.clear();
    }
}

/// Finds the joints of all awake bodies.
pub(super) fn run(world: &World, scratch: &mut Scratch) {
    let World { work, store, .. } = world;
    scratch.joints.clear();
    for stream in &work.streams {
        let awake = stream.active.iter().zip(0..).filter(|(active, _)| **active != 0);
        for (_, page) in awake {
            add_page(
                work,
                store,
                JointRow::table(stream)[page],
                &mut scratch.joints,
                |row: &JointRow| (row.body, row.joint()),
            );
            add_page(
                work,
                store,
                JointEndRow::table(stream)[page],
                &mut scratch.joints,
                |row: &JointEndRow| (row.body, JointKey::new(row.first, row.number)),
            );
        }
    }
    finish(world, scratch);
}

/// Adds the effective joints of a page's awake bodies.
fn add_page<R: Listed>(
    work: &Frame,
    store: &Store,
    page: Option<crate::world::pages::PageRef>,
    joints: &mut Joints,
    joint: impl Fn(&R) -> (BodyIndex, JointKey),
) {
    let Some(page) = page else { return };
    for row in R::pages(store).get(page).rows() {
        let (body, key) = joint(row);
        let effective = || work.joint(store, key).is_some_and(|row| work.is_effective(store, row));
        if work.is_active(body) && effective() {
            joints.found.push(key);
        }
    }
}

/// Adds the joints of bodies that woke.
pub(super) fn wake(world: &World, scratch: &mut Scratch, woken: &[BodyIndex]) {
    for &index in woken {
        add_all(world, &mut scratch.joints, index, |_| true);
    }
    finish(world, scratch);
}

/// Adds the joints of bodies that are simulated again, if one of the two bodies is awake.
pub(super) fn around(world: &World, scratch: &mut Scratch, bodies: &[BodyIndex]) {
    let Scratch { joints, places, bodies: columns, woken_in_old, .. } = scratch;
    let awake = |index: BodyIndex| {
        places.get(index).is_some_and(|place| columns.list[place].awake)
            || world.work.is_active(index)
            || woken_in_old.contains(index)
    };
    for &index in bodies {
        add_all(world, joints, index, |row| awake(row.body) || awake(row.other));
    }
    finish(world, scratch);
}

fn add_all(world: &World, joints: &mut Joints, index: BodyIndex, may: impl Fn(&JointRow) -> bool) {
    let World { work, store, .. } = world;
    let rows = work.joints_of(store, index);
    let rows = rows.filter(|row| work.is_effective(store, row) && may(row));
    joints.found.extend(rows.map(JointRow::joint));
}

fn finish(world: &World, scratch: &mut Scratch) {
    if scratch.joints.found.is_empty() {
        return;
    }
    let mut joints = core::mem::take(&mut scratch.joints);
    let from = joints.list.len();
    joints.admit(world, &mut scratch.columns());
    let bodies = &mut scratch.bodies.list;
    for joint in &joints.list.as_slice()[from..] {
        let [a, b] = joint.bodies;
        for [this, other] in [[a, b], [b, a]] {
            bodies[this].touches_moving |= bodies[other].awake && !bodies[other].dynamic;
        }
    }
    scratch.joints = joints;
}

fn step_joint(world: &World, columns: &mut Columns<'_>, row: &JointRow) -> StepJoint {
    let mut row = *row;
    let indices = [row.body, row.other];
    let bodies = indices.map(|index| columns.place_of(world, index));
    let local_center = |index: BodyIndex| world.work.cold(&world.store, index).local_center;
    let [first, second] = bodies.map(|place| &columns.bodies.list[place]);
    let arm = |rotation: Quat, anchor: Vec3, index: BodyIndex| {
        rotation.rotate(anchor - local_center(index)).to_bits()
    };
    let near = arm(first.rotation, row.anchors[0], row.body);
    let to_world = row.is_to_world();
    let (far, to) = if to_world {
        ([0; 3], row.anchors[1])
    } else {
        (arm(second.rotation, row.anchors[1], row.other), second.center)
    };
    let (from, to) = (first.center.to_bits(), to.to_bits());
    let apart = core::array::from_fn(|i| {
        (i128::from(to[i]) - i128::from(from[i])).clamp(-APART_LIMIT, APART_LIMIT) as i64
    });
    // Impulses are in units of the reduced mass, which a command may have changed.
    if indices.iter().any(|index| world.pending.void.contains(*index)) {
        row.impulse = crate::math::Q20::ZERO;
    }
    StepJoint { row, bodies, arms: [near, far], apart }
}

/// Writes the impulses of the joints that the step has solved.
pub(super) fn record(world: &mut World, scratch: &mut Scratch, next: &mut Frame) {
    let Scratch { joints, bodies, diff, .. } = scratch;
    for StepJoint { row, bodies: places, .. } in &joints.list {
        let moved = |place: &BodyPlace| {
            let body = &bodies.list[*place];
            body.dynamic && body.is_moved()
        };
        if !places.iter().any(moved) {
            continue;
        }
        if next.joint(&world.store, row.joint()) != Some(row) {
            next.set_joint(&mut world.store, *row);
            diff.mark_joint([row.body, row.other]);
        }
    }
}
