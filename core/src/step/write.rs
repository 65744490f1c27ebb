//! Last phase: new poses and velocities, and the contacts with their impulses, into pages of the next slot.

use super::prepare::{world_friction, world_rolling};
use super::{Scratch, StepReport};
use crate::data::sort_by_key;
use crate::math::{Quat, Vec3};
use crate::world::rows::HotRow;
use crate::world::slot::{Place, STREAM_BODIES};
use crate::world::{WORLD_LIMIT, World};

/// Columns that are kept for their memory.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// Page that owns each contact, and the contact's place.
    owners: Vec<(u32, u32)>,
    sort: Vec<(u32, u32)>,
}

/// Contacts that a page has room for once it has any: two for each of its bodies.
const MIN_ROOM: usize = 64;

pub(super) fn run(world: &mut World, scratch: &mut Scratch, report: &mut StepReport) {
    let rate = i64::from(world.def.tick_rate * world.def.substeps);
    let bodies = &scratch.bodies;
    for ((body, motion), way) in
        bodies.list.iter().zip(&bodies.motions).zip(&scratch.solver.way).take(bodies.moving)
    {
        let moved = [0, 1, 2].map(|i: usize| distance(way[i], rate, 0));
        let turned = [3, 4, 5].map(|i: usize| distance(way[i], rate, body.exponent));
        let rotation = if turned == [0; 3] {
            body.rotation
        } else {
            Quat::from_rotation_vector(Vec3::from_bits(turned)) * body.rotation
        };
        let center = body.center + Vec3::from_bits(moved);
        let inside = center.map(|c| c.clamp(-WORLD_LIMIT, WORLD_LIMIT));
        report.limited += u32::from(inside != center);
        *world.work.hot_mut(&mut world.store, body.index) =
            HotRow { center: inside, rotation, velocity: motion.linear, spin: motion.angular };
    }
    write_contacts(world, scratch);
}

/// A sum of velocities over the substeps, over 2^exponent, as a distance in raw metres or radians.
fn distance(way: i64, rate: i64, exponent: i8) -> i64 {
    // Q20 to Q32, divided by the rate, rounded to nearest with ties up.
    let shift = 12 - i32::from(exponent);
    // At most 64 substeps of less than 2³¹ make a way below 2³⁷, so twice the numerator is below 2⁶² and 64 bits do.
    let numerator = way << 24;
    let quotient = (2 * numerator + rate).div_euclid(2 * rate);
    let drop = 24 - shift;
    (quotient + (1 << (drop - 1))) >> drop
}

fn write_contacts(world: &mut World, scratch: &mut Scratch) {
    // Solved blocks stand in the order of colours; their contacts in that of keys.
    for (block, &place) in scratch.blocks.iter().zip(&scratch.order.contacts) {
        let row = &mut scratch.contacts[place as usize].row;
        for (point, solved) in row.points.iter_mut().zip(&block.points) {
            point.impulse = solved.impulse;
        }
        row.friction = world_friction(block);
        row.twist = block.twist.impulse;
        row.rolling = world_rolling(block);
    }
    let Buffers { owners, sort } = &mut scratch.write;
    let bodies = &scratch.bodies.list;
    owners.clear();
    owners.extend(scratch.contacts.iter().zip(0..).map(|(contact, place)| {
        let [a, b] = contact.bodies.map(|body| &bodies[body as usize]);
        let owner = if a.dynamic { a.index } else { b.index };
        (page_number(owner), place)
    }));
    // Stable: within a page the order of keys stays.
    sort_by_key(owners, sort, |(page, _)| u64::from(*page));
    let mut next = 0;
    for (s, stream) in world.work.streams.iter_mut().enumerate() {
        for (p, page) in stream.contacts.iter_mut().enumerate() {
            let number = page_number(s as u32 * STREAM_BODIES) + p as u32;
            let end =
                next + owners[next..].iter().take_while(|(owner, _)| *owner == number).count();
            if next == end && world.store.contacts.get(*page).rows.is_empty() {
                continue;
            }
            let rows = &mut world.store.contacts.overwrite(page).rows;
            rows.clear();
            // Pages change hands between slots: generous room, or each of them would have to grow to its peak.
            if rows.capacity() < end - next {
                rows.reserve((end - next).next_power_of_two().max(MIN_ROOM));
            }
            rows.extend(
                owners[next..end].iter().map(|(_, place)| scratch.contacts[*place as usize].row),
            );
            next = end;
        }
    }
}

/// A number for each page of the world, ascending with the indices of its bodies.
fn page_number(index: u32) -> u32 {
    let Place { stream, page, .. } = Place::of(index);
    stream as u32 * (STREAM_BODIES / crate::world::rows::PAGE_ROWS as u32) + page as u32
}
