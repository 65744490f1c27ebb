//! Eighth phase: which clusters fall asleep. Decided from this tick's cluster alone: all its bodies have been slow for long
//! enough, and none touches what keeps moving.

use super::block::V;
use super::bodies::{Bodies, StepBody};
use super::{Scratch, StepReport};
use crate::data::BitSet;
use crate::math::{Q20, Real};
use crate::world::World;
use crate::world::rows::{ASLEEP, STAYS_AWAKE, body_of};

pub(super) fn run(world: &World, scratch: &mut Scratch, report: &mut StepReport) {
    // Not in a tick that is computed again: what fell asleep in the old future would be missing.
    if scratch.bears.is_none() && !scratch.diff.on {
        scratch.bears = Some(find_bearers(world));
    }
    let Scratch { clusters, bodies, contacts, stirred, bears, slept, .. } = scratch;
    slept.clear();
    let speed = i64::from(Q20::from_real_saturating(world.def.sleep_speed).to_bits());
    let ticks = (world.def.sleep_after * Real::from_int(world.def.tick_rate as i32)).ceil();
    // At most a minute at 240 ticks a second, so far below `ASLEEP`.
    let ticks = (ticks.to_bits() >> 32).max(1) as u16;
    for cluster in &clusters.list {
        let members = &clusters.members[cluster.members.clone()];
        let mut all = true;
        for &place in members {
            let body = &mut bodies.list[place as usize];
            let motion = &bodies.motions[place as usize];
            let slow = is_slow(&motion.linear, speed) && is_slow(&motion.angular, speed);
            let may = speed > 0 && body.flags & STAYS_AWAKE == 0 && !body.restless;
            body.still = if slow && may { (body.still + 1).min(ticks) } else { 0 };
            all &= body.still == ticks;
        }
        if all {
            lay_down(bodies, members);
            slept.extend_from_slice(members);
            for &contact in &clusters.contacts[cluster.contacts.clone()] {
                for place in contacts[contact as usize].bodies {
                    let body = &bodies.list[place as usize];
                    if let Some(bears) = bears.as_mut().filter(|_| !body.dynamic) {
                        bears.insert(body.index);
                    }
                }
            }
        }
    }
    stirred.extend(slept.iter().map(|place| bodies.list[*place as usize].index));
    report.slept = slept.len() as u32;
}

/// Ends the motion of all members and links them, each to the next and the last to the first.
fn lay_down(bodies: &mut Bodies, members: &[u32]) {
    for (i, &place) in members.iter().enumerate() {
        let next = members[(i + 1) % members.len()];
        let next = bodies.list[next as usize].index;
        let body: &mut StepBody = &mut bodies.list[place as usize];
        (body.still, body.next) = (ASLEEP, next);
        bodies.motions[place as usize] = super::block::Motion::default();
    }
}

/// Whether the length is at most `speed`.
fn is_slow(v: &V<20>, speed: i64) -> bool {
    let bits = v.map(|c| i64::from(c.to_bits()));
    // No component is beyond 2²⁸.
    bits[0] * bits[0] + bits[1] * bits[1] + bits[2] * bits[2] <= speed * speed
}

/// The static and kinematic bodies that sleepers touch.
fn find_bearers(world: &World) -> BitSet {
    let mut bearers = BitSet::new();
    for stream in &world.work.streams {
        for page in &stream.contacts {
            for row in &world.store.contacts.get(*page).rows {
                let [a, b] = row.key.shapes().map(body_of);
                let asleep = |body: u32| world.work.hot(&world.store, body).is_asleep();
                if asleep(a) != asleep(b) {
                    bearers.insert(if asleep(a) { b } else { a });
                }
            }
        }
    }
    bearers
}
