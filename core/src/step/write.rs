//! Ninth phase: new poses and velocities into pages of the next slot.

use super::block::SPEED_CAP;
use super::{Scratch, StepReport};
use crate::math::{Q20, Quat, Rate, Vec3};
use crate::world::rows::HotRow;
use crate::world::slot::Slot;
use crate::world::{EventKind, EventRow, WORLD_LIMIT, World};

pub(super) fn run(
    world: &mut World,
    scratch: &mut Scratch,
    next: &mut Slot,
    report: &mut StepReport,
) {
    let rate = Rate::new(i64::from(world.def.tick_rate * world.def.substeps));
    let Scratch { bodies, solver, events, diff, .. } = scratch;
    for (place, body) in bodies.list.iter().enumerate().filter(|(_, body)| body.is_moved()) {
        let motion = &bodies.motions[place];
        let way = if body.dynamic {
            solver.way[place]
        } else {
            // The same on every substep, whether or not something touches it.
            let way = |lane: Q20| i64::from(lane.to_bits()) * i64::from(world.def.substeps);
            let ([x, y, z], [u, v, w]) = (motion.linear, motion.angular);
            [way(x), way(y), way(z), way(u), way(v), way(w)]
        };
        let moved = |i: usize| distance(way[i], rate, 0);
        let moved = [moved(0), moved(1), moved(2)];
        let turned = |i: usize| distance(way[i], rate, body.exponent);
        let turned = [turned(3), turned(4), turned(5)];
        let rotation = if turned == [0; 3] {
            body.rotation
        } else {
            Quat::from_rotation_vector(Vec3::from_bits(turned)) * body.rotation
        };
        let center = body.center + Vec3::from_bits(moved);
        let inside = center.map(|c| c.clamp(-WORLD_LIMIT, WORLD_LIMIT));
        let mut tell = |kind: EventKind| {
            let id = world.work.id_at(body.index).expect("what moves is alive");
            events.push(EventRow::body(kind, id));
        };
        if inside != center {
            report.limited += 1;
            tell(EventKind::LeftWorld);
        }
        let at_cap = |c: &Q20| c.to_bits().abs() >= SPEED_CAP.to_bits();
        if body.dynamic && motion.linear.iter().chain(&motion.angular).any(at_cap) {
            tell(EventKind::Saturated);
        }
        if body.woken {
            tell(EventKind::Woke);
        }
        let asleep = body.still == crate::world::rows::ASLEEP;
        if asleep {
            tell(EventKind::FellAsleep);
        }
        let row = HotRow {
            center: inside,
            rotation,
            velocity: motion.linear,
            spin: motion.angular,
            still: body.still,
            next: body.next,
        };
        // In a tick that is computed again most rows come out as they were.
        if *next.hot(&world.store, body.index) != row {
            *next.hot_mut(&mut world.store, body.index) = row;
            next.mark_active(&world.store, body.index);
            diff.mark(body.index);
        }
    }
    for &index in &world.pending.woken {
        // Unless it was despawned since.
        if let Some(id) = world.work.id_at(index).filter(|id| world.base().is_live(*id)) {
            events.push(EventRow::body(EventKind::Woke, id));
        }
    }
}

/// A sum of velocities over the substeps, over 2^exponent, as a distance in raw metres or radians.
#[inline]
fn distance(way: i64, rate: Rate, exponent: i8) -> i64 {
    // Q20 to Q32, divided by the rate, rounded to nearest with ties up.
    let shift = 12 - i32::from(exponent);
    // At most 64 substeps of less than 2³¹ make a way below 2³⁷, so twice the numerator is below 2⁶² and 64 bits do.
    let numerator = way << 24;
    let quotient = rate.divide(numerator);
    let drop = 24 - shift;
    (quotient + (1 << (drop - 1))) >> drop
}
