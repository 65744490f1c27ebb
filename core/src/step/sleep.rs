//! Eighth phase: puts islands to sleep. The decision depends on this tick's island only: all bodies have been below the
//! sleep threshold for `time_to_sleep`, none touches a moving kinematic body, and an island with weight touches a static
//! or kinematic body. Time in which a body speeds up does not count: a box that has begun to tip over is slow for longer
//! than `time_to_sleep`.

use super::bodies::{Bodies, StepBody};
use super::constraint::{Motion, V, dot, times};
use super::contacts::ContactColumn;
use super::index::{BodyPlace, ContactIndex};
use super::{Scratch, StepReport};
use crate::math::{Q20, Q30, Real};
use crate::world::World;
use crate::world::rows::{ASLEEP, ContactRow, STAYS_AWAKE};

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
        if calm(bodies, members, own, contacts, speed) {
            own.iter().for_each(|contact| preload(&mut contacts[*contact].row));
        }
        let supported = || {
            own.iter().map(|contact| &contacts[*contact]).any(|contact| {
                let fixed = |place: &BodyPlace| !bodies.list[*place].dynamic;
                contact.row.touching && contact.bodies.iter().any(fixed)
            })
        };
        let floats = members.iter().all(|place| bodies.list[*place].is_weightless());
        let mut all = floats || supported();
        for &place in members {
            let body = &mut bodies.list[place];
            let motion = &bodies.motions[place];
            // The relaxation pass has just removed the push-out speed, so the mean over the substeps must be slow too.
            let [x, y, z, u, v, w] = solver.displacement[place];
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

/// Damps motion that no friction row damps. Returns whether the island stands and hardly moves, so that its contacts' impulses
/// are its loads.
///
/// An island stands if all its touching contacts do (`Contact::stands`) and one of them is with something that does not move. Rigid
/// bodies could not move at all then: what is left is motion of the contacts' springs, which a tall stack hardly damps.
///
/// A ball that spins about the normal of its only point would never stop, since a point has no torque about itself.
fn calm(
    bodies: &mut Bodies,
    members: &[BodyPlace],
    own: &[ContactIndex],
    contacts: &ContactColumn,
    speed: i64,
) -> bool {
    let own = || own.iter().map(|contact| &contacts[*contact]);
    let touching = || own().filter(|contact| contact.row.touching);
    let calms = |place: &BodyPlace| {
        let body = &bodies.list[*place];
        let slow = is_slow(&bodies.motions[*place].linear, SWAY * speed);
        slow && body.touches && !body.touches_moving
    };
    let bears = |place: &BodyPlace| !bodies.list[*place].dynamic;
    let stands = touching().all(|contact| contact.stands)
        && members.iter().all(calms)
        && touching().any(|contact| contact.bodies.iter().any(bears));
    let settles = |place: &BodyPlace| is_slow(&bodies.motions[*place].linear, SETTLES * speed);
    let settles = stands && members.iter().all(settles);
    if stands {
        for &place in members {
            let Motion { linear, angular } = &mut bodies.motions[place];
            for c in linear.iter_mut().chain(angular) {
                *c = Q20::from_bits(c.to_bits() - c.to_bits() / CALM_SHARE);
            }
        }
    }
    for contact in touching().filter(|contact| contact.row.points.len() == 1) {
        if contact.row.mixed.friction == Q30::ZERO {
            continue;
        }
        let normal = contact.row.normal.map(Q30::from_bits);
        for place in contact.bodies {
            let body = &bodies.list[place];
            let turns = body.dynamic && body.locks == 0;
            if !turns || !is_slow(&bodies.motions[place].linear, speed) {
                continue;
            }
            let spin = &mut bodies.motions[place].angular;
            let about = dot(&normal, spin).round::<30, 20>();
            let less = about.clamp_abs(PIVOT);
            for i in 0..3 {
                spin[i] = spin[i] - times(normal[i], less);
            }
        }
    }
    settles
}

/// Moves the preload of each point toward its load: a spring under load would otherwise sag, and a tower of them leans
/// and buckles (docs/solver.md).
fn preload(row: &mut ContactRow) {
    for point in row.points.iter_mut() {
        let (impulse, preload) = (point.impulse.to_bits(), point.preload.to_bits());
        let target = impulse - (impulse >> SAG_SHIFT);
        point.preload = Q20::from_bits(preload + ((target - preload) >> PRELOAD_SHIFT));
    }
}

/// The part of its sag that a contact keeps, 1/16, as a power of two.
const SAG_SHIFT: u32 = 4;

/// The part of the way that a preload goes in a tick, 1/32, as a power of two. Its lag must be long against the decay of motion
/// in an island that stands, eight ticks, or stacks bounce.
const PRELOAD_SHIFT: u32 = 5;

/// Largest speed of a standing island whose contacts are preloaded, in multiples of `sleep_threshold`. At the turning
/// points of a fast oscillation the impulses are not the loads.
const SETTLES: i64 = 4;

/// Largest speed of a standing island that is damped, in multiples of `sleep_threshold`.
const SWAY: i64 = 16;

/// The part of its velocity that an island that stands loses in a tick: 1/8.
const CALM_SHARE: i32 = 8;

/// Loss of spin about the normal of a single point in a tick, as a speed of the surface: 2⁻¹⁰ m/s.
const PIVOT: Q20 = Q20::from_bits(1 << 10);

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
fn put_to_sleep(bodies: &mut Bodies, members: &[BodyPlace]) {
    for (i, &place) in members.iter().enumerate() {
        let next = members[(i + 1) % members.len()];
        let next = bodies.list[next].index;
        let body: &mut StepBody = &mut bodies.list[place];
        (body.still, body.next) = (ASLEEP, next);
        bodies.motions[place] = Motion::default();
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
