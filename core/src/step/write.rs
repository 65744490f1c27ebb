//! Ninth phase: writes new poses and velocities into pages of the next frame. Rows are computed body by body, on any
//! thread, and then written page by page. When a shared page is copied, rows that are overwritten anyway are not copied.

use super::bodies::StepBody;
use super::bounds::leaves_bounds;
use super::constraint::{Motion, SPEED_CAP};
use super::index::BodyPlace;
use super::rows::shortened;
use super::spin::Spinning;
use super::{Scratch, StepReport};
use crate::data::TypedIndex;
use crate::math::{Q20, Quat, Rate, Vec3};
use crate::world::frame::{Frame, Place, page_number};
use crate::world::rows::{BodyIndex, ColdRow, HotRow, PAGE_ROWS};
use crate::world::{EventKind, EventRow, WORLD_LIMIT, World, real_vector};

/// New row of a body, and its event flags.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moved {
    pub(super) row: HotRow,
    /// Clamped to the world limit.
    left: bool,
    saturated: bool,
    /// The bounds of the start of the tick may not contain it.
    pub(super) leaves_bounds: bool,
}

pub(super) fn run(
    world: &mut World,
    scratch: &mut Scratch,
    next: &mut Frame,
    report: &mut StepReport,
) {
    move_all(world, scratch);
    let Scratch { bodies, moved, events, diff, .. } = scratch;
    let mut push_event = |kind: EventKind, index: BodyIndex| {
        let id = world.work.id_at(index).expect("what moves is alive");
        events.push(EventRow::body(kind, id));
    };
    // Bodies of a page are consecutive, except for woken ones.
    let same_page = |a: &(&StepBody, &Moved), b: &(&StepBody, &Moved)| {
        page_number(a.0.index) == page_number(b.0.index)
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
        // In a resimulated tick most rows come out unchanged.
        let (mut changed, mut active) = (0, 0);
        let old = world.store.hot.get(*place);
        for (body, Moved { row, left, saturated, .. }) in &of_page[..count] {
            if *left {
                report.clamped += 1;
                push_event(EventKind::LeftWorld, body.index);
            }
            if *saturated {
                push_event(EventKind::Saturated, body.index);
            }
            if body.woken {
                push_event(EventKind::Woke, body.index);
            }
            if row.is_asleep() {
                push_event(EventKind::FellAsleep, body.index);
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
        // Moved bodies are live and enabled.
        let marks = &mut next.streams[stream].active[page];
        *marks = *marks & !changed | active;
    }
    // A later command may have despawned the body, or put it to sleep again.
    let before = |index: BodyIndex| {
        let id = world.work.id_at(index).filter(|id| world.base().is_live(*id))?;
        Some((id, world.base().hot(&world.store, index).is_asleep()))
    };
    for &index in &world.pending.woken {
        if let Some((id, true)) = before(index)
            && !world.work.hot(&world.store, index).is_asleep()
        {
            events.push(EventRow::body(EventKind::Woke, id));
            report.woken += 1;
        }
    }
    events.extend_from_slice(&world.pending.joints_lost);
    for index in world.pending.slept.iter() {
        if let Some((id, false)) = before(index)
            && world.work.hot(&world.store, index).is_asleep()
        {
            events.push(EventRow::body(EventKind::FellAsleep, id));
            report.slept += 1;
        }
    }
}

/// Computes the new row of each body that the step moves, by place.
fn move_all(world: &World, scratch: &mut Scratch) {
    let substeps = i64::from(world.def.substeps);
    let rate = Rate::new(i64::from(world.def.tick_rate * world.def.substeps));
    let tick_rate = world.def.tick_rate;
    let ticks = Rate::new(i64::from(tick_rate));
    let per_tick = PerTick { rate, tick_rate, ticks, substeps };
    let Scratch { bodies, solver, moved, threads, .. } = scratch;
    moved.resize(bodies.list.len(), Moved::default());
    threads.for_each(moved.as_mut_slice(), |position, moved| {
        let place = BodyPlace::from_position(position);
        let body = &bodies.list[place];
        if body.is_moved() {
            let motion = &bodies.motions[place];
            let displacement = if body.dynamic {
                solver.displacement[place]
            } else {
                // Constant over the substeps, with or without contacts.
                let displacement = |lane: Q20| i64::from(lane.to_bits()) * substeps;
                let ([x, y, z], [u, v, w]) = (motion.linear, motion.angular);
                [
                    displacement(x),
                    displacement(y),
                    displacement(z),
                    displacement(u),
                    displacement(v),
                    displacement(w),
                ]
            };
            let cold = || world.work.cold(&world.store, body.index);
            // Benches that write in place have released the row. Without a velocity the bounds are smaller, which is safe.
            let velocity = || {
                let Place { stream, page, row } = Place::of(body.index);
                let page = world.work.streams[stream].hot.get(page);
                page.map_or_else(Default::default, |page| {
                    world.store.hot.get(*page).rows[row].velocity
                })
            };
            *moved = Moved::new(body, motion, &displacement, &per_tick, (cold, velocity));
        }
    });
}

/// Tick rate and substeps.
struct PerTick {
    /// Substeps a second.
    rate: Rate,
    tick_rate: u32,
    /// Ticks a second.
    ticks: Rate,
    substeps: i64,
}

impl Moved {
    /// Computes the new row of a body from its displacement in the tick.
    #[inline]
    fn new<'a>(
        body: &StepBody,
        motion: &Motion,
        displacement: &[i64; 6],
        per_tick: &PerTick,
        (cold, velocity): (impl FnOnce() -> &'a ColdRow, impl FnOnce() -> [Q20; 3]),
    ) -> Self {
        let moved = |i: usize| distance(displacement[i], per_tick.rate, 0);
        let moved = [moved(0), moved(1), moved(2)];
        let Spinning { rotation, spin } = turned(body, motion, displacement, per_tick, cold);
        let center = body.center + Vec3::from_bits(moved);
        let inside = center.map(|c| c.clamp(-WORLD_LIMIT, WORLD_LIMIT));
        let at_cap = |c: &Q20| c.to_bits().abs() >= SPEED_CAP.to_bits();
        let row = HotRow {
            center: inside,
            rotation,
            velocity: motion.linear,
            spin,
            still: body.still,
            drift: body.drift,
            next: body.next,
        };
        let saturated = body.dynamic && motion.linear.iter().chain(&motion.angular).any(at_cap);
        let poses = [(body.center, body.rotation), (inside, rotation)];
        let leaves_bounds =
            !body.dynamic || leaves_bounds(poses, body.exponent, velocity, per_tick.ticks);
        Self { row, left: inside != center, saturated, leaves_bounds }
    }
}

/// Rotation and spin of a body at the end of the tick.
///
/// The final spin turns the body as free rotation. The remainder, rotation by contacts within the tick, is applied after
/// it.
#[inline]
fn turned<'a>(
    body: &StepBody,
    motion: &Motion,
    displacement: &[i64; 6],
    per_tick: &PerTick,
    cold: impl FnOnce() -> &'a ColdRow,
) -> Spinning {
    let start = Spinning { rotation: body.rotation, spin: motion.angular };
    let (mut end, mut rest) = (start, [displacement[3], displacement[4], displacement[5]]);
    let wobbles = body.inertia.wobbles && start.wobbles(body.exponent, per_tick.tick_rate);
    if wobbles && let Some(after) = start.after_tick(cold(), per_tick.tick_rate, body.touches) {
        end = after;
        for (rest, spin) in rest.iter_mut().zip(motion.angular) {
            *rest -= i64::from(spin.to_bits()) * per_tick.substeps;
        }
    }
    let rest = rest.map(|displacement| distance(displacement, per_tick.rate, body.exponent));
    if rest != [0; 3] {
        let turn = Quat::from_rotation_vector(Vec3::from_bits(rest));
        end.rotation = turn * end.rotation;
        // The spin keeps its axis in the body. If the remainder turned the body alone, an impact at the end of the tick would
        // leave a rod's fast spin about its long axis across that axis, with hundreds of times the energy.
        if wobbles {
            end.spin = turn.rotate(real_vector(end.spin)).to_array().map(Q20::from_real_saturating);
        }
    }
    // The spin of a body that tumbles grows as it turns about an axis with less inertia, beyond the range of rows.
    if wobbles {
        end.spin = shortened(end.spin, SPEED_CAP);
    }
    end
}

/// Converts a sum of substep velocities, over 2^exponent, to a distance in raw metres or radians.
#[inline]
fn distance(displacement: i64, rate: Rate, exponent: i8) -> i64 {
    // Q20 to Q32, divided by the rate, rounded to nearest with ties up.
    let shift = 12 - i32::from(exponent);
    // At most 64 substeps of less than 2³¹ sum up to less than 2³⁷, so twice the numerator is below 2⁶² and fits 64
    // bits.
    let numerator = displacement << 24;
    let quotient = rate.divide(numerator);
    let drop = 24 - shift;
    (quotient + (1 << (drop - 1))) >> drop
}
