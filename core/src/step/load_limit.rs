//! Limit of warm-start impulses in islands at rest.
//!
//! In an island at rest, the impulses of contacts balance gravity. A body that is squeezed between two others that do not yield, such as a crate under
//! a door that stopped too low, has contacts whose springs press harder by orders of magnitude. If one of them goes, the other
//! would launch the body: with one pass a substep, an impulse outlives the impulse that balanced it by a substep. So the
//! contacts of an island at rest start a tick with at most [`WEIGHTS`] times its weight, and squeezed bodies are pushed apart at
//! the push-out speed only.

use super::bodies::{Bodies, StepBody};
use super::constraint::times;
use super::contacts::Contact;
use super::index::BodyPlace;
use super::islands::Islands;
use super::settle::sway_speed;
use super::stillness::is_slow;
use crate::math::Q30;
use crate::world::World;
use crate::world::rows::ContactRow;

/// Largest sum of a contact's warm-start impulses, in weights of its island. Levers and wedges carry more than the weight.
const WEIGHTS: i128 = 4;

/// Sets the limits of all islands, in raw kilograms times raw Q20 m/s.
pub(super) fn find(world: &World, islands: &mut Islands, bodies: &Bodies) {
    let speed = sway_speed(world);
    for island in &mut islands.list {
        let members = &islands.members[island.members.clone()];
        let rests = |place: &BodyPlace| is_slow(&bodies.motions[*place].linear, speed);
        island.load_limit = members
            .iter()
            .all(rests)
            .then(|| members.iter().map(|place| weight(&bodies.list[*place])).sum::<i128>())
            .map(|weight| WEIGHTS * weight);
    }
}

/// Weight of a body times the length of a substep; at most √3 times too large.
fn weight(body: &StepBody) -> i128 {
    let pull: i64 = body.gravity.iter().map(|g| i64::from(g.to_bits()).abs()).sum();
    i128::from(body.mass) * i128::from(pull)
}

/// Factor on the warm-start impulses of a contact, if they are beyond the limit. `fraction` is the mass fraction of the first body.
pub(super) fn factor(
    islands: &Islands,
    contact: &Contact,
    [a, b]: [&StepBody; 2],
    fraction: Q30,
) -> Option<Q30> {
    let island = contact.bodies.into_iter().find_map(|place| islands.numbers[place].get())?;
    let limit = islands.list[island].load_limit?;
    let total: i64 =
        contact.row.points.iter().map(|point| i64::from(point.impulse.to_bits())).sum();
    // The mass fraction is the reduced mass over the mass of the first body.
    let reduced = if a.mass == 0 {
        i128::from(b.mass)
    } else {
        (i128::from(a.mass) * i128::from(fraction.to_bits())) >> 30
    };
    let load = i128::from(total) * reduced;
    (load > limit).then(|| Q30::from_bits((limit / ((load >> 30) + 1)).min(1 << 30) as i32))
}

/// The contact with its impulses and preloads times a factor.
#[cold]
pub(super) fn scaled(row: &ContactRow, factor: Q30) -> ContactRow {
    let mut row = *row;
    for point in row.points.iter_mut() {
        point.impulse = times(factor, point.impulse);
        point.preload = times(factor, point.preload);
    }
    row.friction = row.friction.map(|impulse| times(factor, impulse));
    row.twist = times(factor, row.twist);
    row.rolling = row.rolling.map(|impulse| times(factor, impulse));
    row
}
