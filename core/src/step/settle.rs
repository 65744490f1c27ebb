//! Islands that settle: damping of motion that no friction row damps, and preloads of contacts. Both are part of the sleep phase.
//! docs/solver.md has the reasons.

use super::anchors::Anchors;
use super::bodies::Bodies;
use super::constraint::{Motion, dot, times};
use super::contacts::ContactColumn;
use super::index::{BodyPlace, ContactIndex};
use super::stillness::is_slow;
use crate::math::{Q20, Q30};
use crate::world::World;
use crate::world::rows::ContactRow;

/// Largest speed of an anchored body that is damped, in multiples of `sleep_threshold`.
const DAMPING_SPEED: i64 = 16;

/// Largest speed of an island whose contacts are preloaded, in multiples of `sleep_threshold`. At the turning points of
/// a fast oscillation the impulses are not the loads.
const PRELOAD_SPEED: i64 = 4;

/// The part of its velocity that an anchored body loses in a tick: 1/8.
const DAMPING_DIVISOR: i32 = 8;

/// The part of its sag that a contact keeps, 1/16, as a power of two.
const SAG_SHIFT: u32 = 4;

/// The part of the difference that a preload makes up in a tick, 1/16, as a power of two. Its lag must be long against the decay
/// of motion in an island that stands, eight ticks, or stacks bounce.
const PRELOAD_SHIFT: u32 = 4;

/// Loss of spin about the normal of a single point in a tick, as a speed of the surface: 2⁻¹⁰ m/s.
const SPIN_LOSS: Q20 = Q20::from_bits(1 << 10);

/// Largest speed of a body in an island that may be at rest, raw Q20.
pub(super) fn sway_speed(world: &World) -> i64 {
    DAMPING_SPEED * i64::from(Q20::from_real_saturating(world.def.sleep_threshold).to_bits())
}

/// Damps the motion of an island, and preloads its contacts if it stands and hardly moves. `speed` is the sleep threshold.
///
/// An island stands if all its bodies are anchored and all its touching contacts stand (`Contact::stands`): then the
/// impulses of contacts are its loads.
pub(super) fn settle(
    bodies: &mut Bodies,
    members: &[BodyPlace],
    own: &[ContactIndex],
    contacts: &mut ContactColumn,
    anchors: &mut Anchors,
    speed: i64,
) {
    if speed == 0 {
        return;
    }
    let sways = |place: BodyPlace| {
        let body = &bodies.list[place];
        let slow = is_slow(&bodies.motions[place].linear, DAMPING_SPEED * speed);
        slow && body.touches && !body.touches_moving
    };
    anchors.find(&bodies.list, own, contacts, sways);
    let settles = |place: &BodyPlace| {
        anchors.has(*place) && is_slow(&bodies.motions[*place].linear, PRELOAD_SPEED * speed)
    };
    let stands = |contact: &ContactIndex| {
        let contact = &contacts[*contact];
        contact.stands() || !contact.row.touching
    };
    if members.iter().all(settles) && own.iter().all(stands) {
        own.iter().for_each(|contact| preload(&mut contacts[*contact].row));
    }
    for &place in members {
        if anchors.has(place) {
            let Motion { linear, angular } = &mut bodies.motions[place];
            for c in linear.iter_mut().chain(angular) {
                *c = Q20::from_bits(c.to_bits() - c.to_bits() / DAMPING_DIVISOR);
            }
        }
    }
    damp_pivots(bodies, own, contacts, speed);
}

/// Damps the spin of slow bodies about the normal of a single point. A point has no torque about itself, so a ball that spins in
/// place would never stop.
fn damp_pivots(bodies: &mut Bodies, own: &[ContactIndex], contacts: &ContactColumn, speed: i64) {
    for contact in own.iter().map(|contact| &contacts[*contact]) {
        let row = &contact.row;
        if !row.touching || row.points.len() != 1 || row.mixed.friction == Q30::ZERO {
            continue;
        }
        let normal = row.normal.map(Q30::from_bits);
        for place in contact.bodies {
            let body = &bodies.list[place];
            let turns = body.dynamic && body.locks == 0;
            if !turns || !is_slow(&bodies.motions[place].linear, speed) {
                continue;
            }
            let spin = &mut bodies.motions[place].angular;
            let about = dot(&normal, spin).round::<30, 20>();
            let less = about.clamp_abs(SPIN_LOSS);
            for i in 0..3 {
                spin[i] = spin[i] - times(normal[i], less);
            }
        }
    }
}

/// Moves the preload of each point toward its load: a spring under load would otherwise sag, and a tower of them leans
/// and buckles.
fn preload(row: &mut ContactRow) {
    for point in row.points.iter_mut() {
        let (impulse, preload) = (point.impulse.to_bits(), point.preload.to_bits());
        let target = impulse - (impulse >> SAG_SHIFT);
        point.preload = Q20::from_bits(preload + ((target - preload) >> PRELOAD_SHIFT));
    }
}
