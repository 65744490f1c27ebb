//! Eighth phase: puts islands to sleep. The decision depends on this tick's island only: all bodies have been below the
//! sleep threshold for `time_to_sleep`, none touches a moving kinematic body, and an island with weight touches a static
//! or kinematic body. Time in which a body speeds up does not count: a box that has begun to tip over is slow for longer
//! than `time_to_sleep`.

use super::bodies::{Bodies, StepBody};
use super::constraint::{Motion, V};
use super::{Scratch, StepReport};
use crate::math::{Q20, Real};
use crate::world::World;
use crate::world::rows::{ASLEEP, STAYS_AWAKE};

pub(super) fn run(world: &World, scratch: &mut Scratch, report: &mut StepReport) {
    if !scratch.diff.on {
        scratch.supports.find(world, &mut scratch.rules);
    }
    let Scratch { islands, bodies, contacts, activity_changed, supports, slept, solver, .. } =
        scratch;
    slept.clear();
    let speed = i64::from(Q20::from_real_saturating(world.def.sleep_threshold).to_bits());
    let ticks = (world.def.time_to_sleep * Real::from_int(world.def.tick_rate as i32)).ceil();
    // At most a minute at 240 ticks a second, so far below `ASLEEP`.
    let ticks = (ticks.to_bits() >> 32).max(1) as u16;
    let longest = speed * i64::from(world.def.substeps);
    for island in &islands.list {
        let members = &islands.members[island.members.clone()];
        let own = &islands.contacts[island.contacts.clone()];
        let supported = || {
            own.iter().map(|contact| &contacts[*contact as usize]).any(|contact| {
                let fixed = |place: &u32| !bodies.list[*place as usize].dynamic;
                contact.row.touching && contact.bodies.iter().any(fixed)
            })
        };
        let floats = members.iter().all(|place| bodies.list[*place as usize].is_weightless());
        let mut all = floats || supported();
        for &place in members {
            let body = &mut bodies.list[place as usize];
            let motion = &bodies.motions[place as usize];
            // The relaxation pass has just removed the push-out speed, so the mean over the substeps must be slow too.
            let [x, y, z, u, v, w] = solver.displacement[place as usize];
            let slow = is_slow(&motion.linear, speed)
                && is_slow(&motion.angular, speed)
                && is_short([x, y, z], longest)
                && is_short([u, v, w], longest);
            let may = speed > 0 && body.flags & STAYS_AWAKE == 0 && !body.touches_moving;
            body.still = if !slow || !may {
                0
            } else {
                let counts = u16::from(!speeds_up(world, body, motion));
                (body.still + counts).min(ticks)
            };
            all &= body.still == ticks;
        }
        if all {
            put_to_sleep(bodies, members);
            slept.extend_from_slice(members);
            for &contact in own {
                for place in contacts[contact as usize].bodies {
                    let body = &bodies.list[place as usize];
                    if !body.dynamic {
                        supports.add(body.index);
                    }
                }
            }
        }
    }
    activity_changed.extend(slept.iter().map(|place| bodies.list[*place as usize].index));
    report.slept = slept.len() as u32;
}

/// Returns whether a body is faster than at the start of the tick by more than the jitter of resting bodies, 2⁻¹⁴ m/s.
fn speeds_up(world: &World, body: &StepBody, motion: &Motion) -> bool {
    const JITTER: u64 = 1 << 6;
    let before = world.work.hot(&world.store, body.index);
    let faster = |now: &V<20>, then: &V<20>| {
        let [now, then] = [now, then].map(square);
        now > then && now.isqrt() > then.isqrt() + JITTER
    };
    faster(&motion.linear, &before.velocity) || faster(&motion.angular, &before.spin)
}

/// Squared length of a velocity, raw. No component is beyond 2²⁸.
fn square(v: &V<20>) -> u64 {
    v.iter().map(|c| u64::from(c.to_bits().unsigned_abs()).pow(2)).sum()
}

/// Zeroes the motion of all members and links them in a ring.
fn put_to_sleep(bodies: &mut Bodies, members: &[u32]) {
    for (i, &place) in members.iter().enumerate() {
        let next = members[(i + 1) % members.len()];
        let next = bodies.list[next as usize].index;
        let body: &mut StepBody = &mut bodies.list[place as usize];
        (body.still, body.next) = (ASLEEP, next);
        bodies.motions[place as usize] = Motion::default();
    }
}

/// Returns whether a sum of substep velocities is at most `limit` long, which is below 2³⁰.
fn is_short(displacement: [i64; 3], limit: i64) -> bool {
    let [x, y, z] = displacement;
    x.abs().max(y.abs()).max(z.abs()) <= limit && x * x + y * y + z * z <= limit * limit
}

/// Returns whether the length is at most `speed`.
fn is_slow(v: &V<20>, speed: i64) -> bool {
    let bits = v.map(|c| i64::from(c.to_bits()));
    // No component is beyond 2²⁸.
    bits[0] * bits[0] + bits[1] * bits[1] + bits[2] * bits[2] <= speed * speed
}
