//! Ninth phase: new poses and velocities into pages of the next slot. They are found body by body, on any thread, and then
//! written page by page: of a page that another slot holds, too, no row is copied that is written anyway.

use super::block::{Motion, SPEED_CAP};
use super::bodies::StepBody;
use super::spin::Spinning;
use super::{Scratch, StepReport};
use crate::math::{Q20, Quat, Rate, Vec3};
use crate::world::frame::{Frame, Place};
use crate::world::rows::{ColdRow, HotRow, PAGE_ROWS};
use crate::world::{EventKind, EventRow, WORLD_LIMIT, World};

/// What becomes of a body, and what there is to tell of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moved {
    row: HotRow,
    /// It was held at the end of the world.
    left: bool,
    saturated: bool,
}

pub(super) fn run(
    world: &mut World,
    scratch: &mut Scratch,
    next: &mut Frame,
    report: &mut StepReport,
) {
    move_all(world, scratch);
    let Scratch { bodies, moved, events, diff, .. } = scratch;
    let mut tell = |kind: EventKind, index: u32| {
        let id = world.work.id_at(index).expect("what moves is alive");
        events.push(EventRow::body(kind, id));
    };
    // Bodies of a page are together, but for those that woke.
    let same_page = |a: &(&StepBody, &Moved), b: &(&StepBody, &Moved)| {
        a.0.index / PAGE_ROWS as u32 == b.0.index / PAGE_ROWS as u32
    };
    let mut all = bodies.list.iter().zip(&*moved).filter(|(body, _)| body.is_moved()).peekable();
    while let Some(first) = all.next() {
        let Place { stream, page, .. } = Place::of(first.0.index);
        let place = &mut next.streams[stream].hot[page];
        let (mut of_page, mut count) = ([first; PAGE_ROWS], 1);
        while let Some(another) = all.next_if(|another| same_page(&first, another)) {
            of_page[count] = another;
            count += 1;
        }
        // In a tick that is computed again most rows come out as they were.
        let (mut changed, mut active) = (0, 0);
        let old = world.store.hot.get(*place);
        for (body, Moved { row, left, saturated }) in &of_page[..count] {
            if *left {
                report.limited += 1;
                tell(EventKind::LeftWorld, body.index);
            }
            if *saturated {
                tell(EventKind::Saturated, body.index);
            }
            if body.woken {
                tell(EventKind::Woke, body.index);
            }
            if row.is_asleep() {
                tell(EventKind::FellAsleep, body.index);
            }
            let at = Place::of(body.index).row;
            if old.rows[at] != *row {
                changed |= 1u32 << at;
                let acts = if body.dynamic { !row.is_asleep() } else { row.moves() };
                active |= u32::from(acts) << at;
                diff.mark(body.index);
            }
        }
        if changed == 0 {
            continue;
        }
        let new = world.store.hot.write_most(place, |from, to| {
            for row in (0..PAGE_ROWS).filter(|row| changed >> row & 1 == 0) {
                to.rows[row] = from.rows[row];
            }
        });
        for (body, moved) in &of_page[..count] {
            new.rows[Place::of(body.index).row] = moved.row;
        }
        // What moves is live and enabled.
        let marks = &mut next.streams[stream].active[page];
        *marks = *marks & !changed | active;
    }
    for &index in &world.pending.woken {
        // Unless it was despawned since.
        if let Some(id) = world.work.id_at(index).filter(|id| world.base().is_live(*id)) {
            events.push(EventRow::body(EventKind::Woke, id));
        }
    }
}

/// Finds what becomes of each body that the step moves, by place.
fn move_all(world: &World, scratch: &mut Scratch) {
    let substeps = i64::from(world.def.substeps);
    let rate = Rate::new(i64::from(world.def.tick_rate * world.def.substeps));
    let per_tick = PerTick { rate, tick_rate: world.def.tick_rate, substeps };
    let Scratch { bodies, solver, moved, threads, .. } = scratch;
    moved.resize(bodies.list.len(), Moved::default());
    threads.for_each(moved, |place, moved| {
        let body = &bodies.list[place];
        if body.is_moved() {
            let motion = &bodies.motions[place];
            let way = if body.dynamic {
                solver.way[place]
            } else {
                // The same on every substep, whether or not something touches it.
                let way = |lane: Q20| i64::from(lane.to_bits()) * substeps;
                let ([x, y, z], [u, v, w]) = (motion.linear, motion.angular);
                [way(x), way(y), way(z), way(u), way(v), way(w)]
            };
            let cold = || world.work.cold(&world.store, body.index);
            *moved = Moved::new(body, motion, &way, &per_tick, cold);
        }
    });
}

/// How many substeps and ticks there are.
struct PerTick {
    /// Substeps a second.
    rate: Rate,
    tick_rate: u32,
    substeps: i64,
}

impl Moved {
    /// A body that went this way in the tick.
    #[inline]
    fn new<'a>(
        body: &StepBody,
        motion: &Motion,
        way: &[i64; 6],
        per_tick: &PerTick,
        cold: impl FnOnce() -> &'a ColdRow,
    ) -> Self {
        let moved = |i: usize| distance(way[i], per_tick.rate, 0);
        let moved = [moved(0), moved(1), moved(2)];
        let Spinning { rotation, spin } = turned(body, motion, way, per_tick, cold);
        let center = body.center + Vec3::from_bits(moved);
        let inside = center.map(|c| c.clamp(-WORLD_LIMIT, WORLD_LIMIT));
        let at_cap = |c: &Q20| c.to_bits().abs() >= SPEED_CAP.to_bits();
        let row = HotRow {
            center: inside,
            rotation,
            velocity: motion.linear,
            spin,
            still: body.still,
            next: body.next,
        };
        let saturated = body.dynamic && motion.linear.iter().chain(&motion.angular).any(at_cap);
        Self { row, left: inside != center, saturated }
    }
}

/// Rotation and spin of a body at the end of the tick.
///
/// The spin that is left at the end turns the body freely. What it turned beyond that within the tick, because contacts
/// pushed, comes on top.
#[inline]
fn turned<'a>(
    body: &StepBody,
    motion: &Motion,
    way: &[i64; 6],
    per_tick: &PerTick,
    cold: impl FnOnce() -> &'a ColdRow,
) -> Spinning {
    let start = Spinning { rotation: body.rotation, spin: motion.angular };
    let (mut end, mut rest) = (start, [way[3], way[4], way[5]]);
    if body.inertia.wobbles
        && start.wobbles(body.exponent, per_tick.tick_rate)
        && let Some(after) = start.after_tick(cold(), per_tick.tick_rate, body.touches)
    {
        end = after;
        for (rest, spin) in rest.iter_mut().zip(motion.angular) {
            *rest -= i64::from(spin.to_bits()) * per_tick.substeps;
        }
    }
    let rest = rest.map(|way| distance(way, per_tick.rate, body.exponent));
    if rest != [0; 3] {
        end.rotation = Quat::from_rotation_vector(Vec3::from_bits(rest)) * end.rotation;
    }
    end
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
