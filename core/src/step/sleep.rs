//! Eighth phase: puts islands to sleep. The decision depends on this tick's island only: all bodies have been still for
//! `time_to_sleep` (`stillness.rs`), none touches a moving kinematic body, and an island with weight touches a fixed
//! or kinematic body, or hangs on it or on the world by a joint.

use super::bodies::{Bodies, StepBody};
use super::constraint::Motion;
use super::index::BodyPlace;
use super::settle::settle;
use super::stillness::Limits;
use super::{Scratch, StepReport};
use crate::world::World;
use crate::world::rows::ASLEEP;

pub(super) fn run(world: &World, scratch: &mut Scratch, report: &mut StepReport) {
    if !scratch.diff.on {
        scratch.supports.find(world, &mut scratch.rules);
    }
    let Scratch {
        islands,
        bodies,
        contacts,
        joints,
        activity_changed,
        supports,
        slept,
        solver,
        anchors,
        ..
    } = scratch;
    slept.clear();
    let limits = Limits::new(world);
    anchors.reset(bodies.list.len());
    for island in &islands.list {
        let members = &islands.members[island.members.clone()];
        let own = &islands.contacts[island.contacts.clone()];
        settle(bodies, members, own, contacts, anchors, limits.speed);
        let held = || {
            let joints = islands.joints[island.joints.clone()].iter().map(|at| &joints.list[*at]);
            let mut joints = joints;
            joints.any(|joint| {
                joint.row.is_to_world()
                    || joint.bodies.iter().any(|place| !bodies.list[*place].dynamic)
            })
        };
        let supported = || {
            held()
                || own.iter().map(|contact| &contacts[*contact]).any(|contact| {
                    let fixed = |place: &BodyPlace| !bodies.list[*place].dynamic;
                    contact.row.touching && contact.bodies.iter().any(fixed)
                })
        };
        let floats = members.iter().all(|place| bodies.list[*place].is_weightless());
        let mut all = floats || supported();
        for &place in members {
            let body = &mut bodies.list[place];
            let (motion, displacement) = (&bodies.motions[place], &solver.displacement[place]);
            limits.update(world, body, motion, displacement, anchors.has(place));
            all &= body.still == limits.ticks;
        }
        if all {
            put_to_sleep(bodies, members);
            slept.extend_from_slice(members);
            for &contact in own {
                for place in contacts[contact].bodies {
                    let body = &bodies.list[place];
                    if !body.dynamic {
                        supports.add(body.index);
                    }
                }
            }
        }
    }
    activity_changed.extend(slept.iter().map(|place| bodies.list[*place].index));
    report.slept = slept.len() as u32;
}

/// Zeroes the motion of all members and links them in a ring.
fn put_to_sleep(bodies: &mut Bodies, members: &[BodyPlace]) {
    for (i, &place) in members.iter().enumerate() {
        let next = members[(i + 1) % members.len()];
        let next = bodies.list[next].index;
        let body: &mut StepBody = &mut bodies.list[place];
        (body.still, body.drift, body.next) = (ASLEEP, [0; 6], next);
        bodies.motions[place] = Motion::default();
    }
}
