//! Bounds of shapes: over a tick, for pairs of the broad phase, and at its end, for sensors.

use super::shapes::{At, Placed};
use crate::math::{Aabb, Q20, Quat, Rate, Real, Vec3};
use crate::world::World;
use crate::world::frame::Frame;
use crate::world::rows::{BodyIndex, ColdRow, HotRow, ShapeRow};

/// Speculative margin: shapes nearer than this, 2 cm, may have contact points.
pub(crate) const MARGIN: Real = Real::ratio(2, 100);

/// Returns whether the bounds of a dynamic body over the tick may not contain it at the end of the tick, because contacts or
/// its spin moved it beyond its velocity at the start.
///
/// Each point of a body moves by the displacement of the centre, and by the turn about it: at most 2·r·|Δq|, with r ≤
/// 2^exponent the radius and Δq the difference of the rotations, because 2·r·sin(θ/2) ≤ 2·r·2·sin(θ/4) = 2·r·|Δq|.
pub(super) fn leaves_bounds(
    [before, after]: [(Vec3, Quat); 2],
    exponent: i8,
    velocity: impl FnOnce() -> [Q20; 3],
    tick_rate: Rate,
) -> bool {
    let lanes = |(_, rotation): (Vec3, Quat)| rotation.to_bits().map(i64::from);
    let turned: i64 =
        lanes(before).iter().zip(lanes(after)).map(|(before, after)| (after - before).abs()).sum();
    // From Q30 to Q32, times 2·2^exponent; exponents are at most 14.
    let shift = 3 + i32::from(exponent);
    let turn = if shift < 0 { (turned >> -shift) + 1 } else { turned << shift };
    let moved = (after.0 - before.0).to_bits();
    // The slack is more than the rounding of bounds.
    let margin = MARGIN.to_bits() / 2 - (1 << 18);
    if moved.iter().all(|moved| moved.abs().saturating_add(turn) <= margin) {
        return false;
    }
    let swept = displacement(velocity(), tick_rate).to_bits();
    moved.iter().zip(swept).any(|(moved, swept)| {
        moved.saturating_add(turn) > margin.saturating_add(swept.max(0))
            || moved.saturating_sub(turn) < swept.min(0).saturating_sub(margin)
    })
}

/// Bounds of a shape over the tick: its box, half the margin, and its displacement.
pub(super) fn bounds(world: &World, index: BodyIndex, hot: &HotRow, shape: &ShapeRow) -> Aabb {
    bounds_of(world, hot, world.work.cold(&world.store, index), shape)
}

/// Bounds of a shape over the tick in another frame.
pub(crate) fn bounds_in(world: &World, frame: &Frame, index: BodyIndex, shape: &ShapeRow) -> Aabb {
    bounds_of(world, frame.hot(&world.store, index), frame.cold(&world.store, index), shape)
}

/// Bounds of a shape at the end of the tick: its box in the next frame and half the margin, which is more than the rounding of
/// any pose.
pub(super) fn final_bounds(
    world: &World,
    next: &Frame,
    index: BodyIndex,
    shape: &ShapeRow,
) -> Aabb {
    let (hot, cold) = (next.hot(&world.store, index), world.work.cold(&world.store, index));
    Placed::new(&At::of(hot), cold.local_center, shape)
        .bounds(&shape.shape)
        .inflate(MARGIN * Real::HALF)
}

fn bounds_of(world: &World, hot: &HotRow, cold: &ColdRow, shape: &ShapeRow) -> Aabb {
    let placed = Placed::new(&At::of(hot), cold.local_center, shape);
    swept(&placed.bounds(&shape.shape), hot.velocity, tick_rate(world))
}

#[inline]
pub(super) fn swept(tight: &Aabb, velocity: [Q20; 3], rate: Rate) -> Aabb {
    let around = tight.inflate(MARGIN * Real::HALF);
    if velocity == [Q20::ZERO; 3] {
        return around;
    }
    around.sweep(displacement(velocity, rate))
}

/// Ticks a second.
pub(super) fn tick_rate(world: &World) -> Rate {
    Rate::new(i64::from(world.def.tick_rate))
}

/// Displacement of a velocity in a tick: the quotient of `Real`s, which needs no more than 64 bits here.
#[inline]
fn displacement(velocity: [Q20; 3], rate: Rate) -> Vec3 {
    let part = |speed: Q20| Real::from_bits(rate.divide(speed.to_real().to_bits()));
    Vec3::new(part(velocity[0]), part(velocity[1]), part(velocity[2]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::real_vector;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_displacement_is_the_quotient_of_reals(
            lanes in [any::<i32>(), any::<i32>(), any::<i32>()],
            rate in 1..1000u32,
        ) {
            let velocity = lanes.map(Q20::from_bits);
            let quotient = real_vector(velocity) / Real::from_int(rate as i32);
            prop_assert_eq!(displacement(velocity, Rate::new(i64::from(rate))), quotient);
        }
    }
}
