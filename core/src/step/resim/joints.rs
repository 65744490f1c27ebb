//! Joints in a resimulation: the joints of dirty bodies in the old frame become those of this timeline. A joint's row may be in the page of
//! a body that is not dirty, like a fixed one.

use crate::step::Scratch;
use crate::step::rules::Rule;
use crate::world::World;
use crate::world::frame::Frame;
use crate::world::registry::joints::JointRow;
use crate::world::rows::BodyIndex;

/// Removes the joints of dirty bodies that only the old timeline has. Before its pages are dropped.
pub(super) fn forget(world: &mut World, scratch: &mut Scratch, next: &mut Frame) {
    let World { work, store, dirty, .. } = world;
    let Scratch { resim, diff, rules, .. } = scratch;
    for index in dirty.iter() {
        if !next.has_page(index) {
            continue;
        }
        let rows = &mut resim.joints;
        rows.clear();
        rows.extend(next.joints_of(store, index).copied());
        for row in rows.drain(..) {
            if !is_same(row, work.joint(store, row.joint())) && rules.holds(Rule::CommandedJoints) {
                next.remove_joint(store, &row);
                diff.mark_joint([row.body, row.other]);
            }
        }
    }
}

/// Returns whether both rows are of one joint: a body that is spawned again counts its joints from zero.
fn is_same(old: JointRow, new: Option<&JointRow>) -> bool {
    new.is_some_and(|new| new.other == old.other)
}

/// Takes over the joints of dirty bodies. Those that this step solves keep their old rows, which are compared with the new ones.
pub(super) fn take(world: &mut World, scratch: &mut Scratch, next: &mut Frame) {
    let World { work, store, dirty, .. } = world;
    for index in dirty.iter().filter(|index| work.has_page(*index)) {
        let mut rows = core::mem::take(&mut scratch.resim.joints);
        rows.clear();
        rows.extend(work.joints_of(store, index).copied());
        for row in rows.drain(..) {
            let old = next.joint(store, row.joint());
            let kept = old.is_some() && scratch.solves(&row);
            if !kept && old != Some(&row) && scratch.rules.holds(Rule::CommandedJoints) {
                next.set_joint(store, row);
                scratch.diff.mark_joint([row.body, row.other]);
            }
        }
        scratch.resim.joints = rows;
    }
}

impl Scratch {
    /// Returns whether this step solves a joint.
    fn solves(&self, row: &JointRow) -> bool {
        let moved = |body: BodyIndex| {
            let place = self.places.get(body);
            place.is_some_and(|place| {
                let body = &self.bodies.list[place];
                body.dynamic && body.is_moved()
            })
        };
        self.joints.has(row.joint()) && (moved(row.body) || moved(row.other))
    }
}
