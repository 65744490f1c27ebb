//! Stillness of a body: the ticks for which it has been slow enough, or near enough to one place, to fall asleep.
//!
//! A body is still while it is slower than `sleep_threshold`. It is still, too, while it is up to [`RATTLE`] times as fast and has
//! not moved further than at the threshold during all of `time_to_sleep`: bodies in a heap rattle by fractions of a
//! millimetre at centimetres a second. Ticks in which it speeds up do not count, so a box that has begun to tip over falls.

use super::bodies::StepBody;
use super::constraint::{Motion, V};
use crate::math::{Q20, Quat, Real, Vec3};
use crate::world::World;
use crate::world::rows::{ColdRow, STAYS_AWAKE};

/// Largest speed of a body that rattles in place, in multiples of `sleep_threshold`.
const RATTLE: i64 = 4;

/// Length of `HotRow::drift` that corresponds to motion at the sleep threshold during all of `time_to_sleep`.
const DRIFT_LIMIT: i64 = 100;

/// Gain of speed in a tick up to which the tick counts, as a fraction of what gravity adds: the jitter of resting bodies, 2⁻¹⁴ m/s at
/// 9.81 m/s² and 60 ticks a second.
const JITTER: (u64, u64) = (3, 1 << 13);

/// A body that is not anchored and gains more than this fraction of what gravity adds in a tick falls; but one that gains more than twice
/// as much as gravity adds is pushed.
const FALL: u64 = 16;

/// Limits of a world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Sleep threshold, raw Q20.
    pub(super) speed: i64,
    /// Ticks to sleep.
    pub(super) ticks: u16,
    substeps: i64,
}

impl Limits {
    pub(super) fn new(world: &World) -> Self {
        let ticks = world.def.time_to_sleep * Real::from_int(world.def.tick_rate as i32);
        Self {
            speed: i64::from(Q20::from_real_saturating(world.def.sleep_threshold).to_bits()),
            // At most a minute at 240 ticks a second, so far below `ASLEEP`.
            ticks: (ticks.ceil().to_bits() >> 32).max(1) as u16,
            substeps: i64::from(world.def.substeps),
        }
    }

    /// Updates the stillness of a body. `displacement` is the sum of its substep velocities; `anchored` is true if friction holds it in
    /// place (`anchors.rs`).
    pub(super) fn update(
        &self,
        world: &World,
        body: &mut StepBody,
        motion: &Motion,
        displacement: &[i64; 6],
        anchored: bool,
    ) {
        let may = self.speed > 0 && body.flags & STAYS_AWAKE == 0 && !body.touches_moving;
        let drift = if may { self.drift(world, body, motion, displacement) } else { None };
        let Some(drift) = drift else {
            (body.still, body.drift) = (0, [0; 6]);
            return;
        };
        let gain = gain(world, body, motion);
        let pull = body.gravity.iter().map(|g| i64::from(g.to_bits()).unsigned_abs()).max();
        let pull = pull.unwrap_or(0) * self.substeps.unsigned_abs();
        if gain <= pull * JITTER.0 / JITTER.1 {
            body.still += 1;
        }
        // A body that has been still for long enough waits for the others of its island. If they are gone and it falls, it must not
        // fall asleep on that tick.
        let falls = !anchored && gain > pull / FALL && gain <= 2 * pull;
        let most = if falls { self.ticks - 1 } else { self.ticks };
        body.still = body.still.min(most);
        body.drift = drift;
    }

    /// Drift of a body that is still; `None` if it is not.
    fn drift(
        &self,
        world: &World,
        body: &StepBody,
        motion: &Motion,
        displacement: &[i64; 6],
    ) -> Option<[i8; 6]> {
        let [x, y, z, u, v, w] = *displacement;
        let linear = motion.linear.map(|c| i64::from(c.to_bits()));
        // The relaxation pass has just removed the push-out speed, so the mean over the substeps must be slow too.
        let slow = |velocity: [i64; 3], sum: [i64; 3], times: i64| {
            let speed = times * self.speed;
            is_short(velocity, speed) && is_short(sum, speed * self.substeps)
        };
        if !slow(linear, [x, y, z], RATTLE) {
            return None;
        }
        let cold = world.work.cold(&world.store, body.index);
        let surface = Surface::new(body, cold);
        let angular = surface.speeds(motion.angular.map(|c| i64::from(c.to_bits())));
        let turned = surface.speeds([u, v, w]);
        if !slow(angular, turned, RATTLE) {
            return None;
        }
        let whole = self.speed * self.substeps * i64::from(self.ticks);
        let [p, q, r] = turned;
        let mut drift = [0; 6];
        for (i, moved) in [x, y, z, p, q, r].into_iter().enumerate() {
            drift[i] = i64::from(body.drift[i]) + away_from_zero(moved * DRIFT_LIMIT, whole);
        }
        let [a, b, c, d, e, f] = drift;
        let near = is_short([a, b, c], DRIFT_LIMIT) && is_short([d, e, f], DRIFT_LIMIT);
        let still = near || slow(linear, [x, y, z], 1) && slow(angular, turned, 1);
        still.then(|| drift.map(|d| d.clamp(-127, 127) as i8))
    }
}

/// Gain of speed in the tick, linear or by rotation; zero if the body is not faster.
fn gain(world: &World, body: &StepBody, motion: &Motion) -> u64 {
    let before = world.work.hot(&world.store, body.index);
    let gain = |now: &V<20>, then: &V<20>| {
        let [now, then] = [now, then].map(square);
        if now > then { now.isqrt() - then.isqrt() } else { 0 }
    };
    gain(&motion.linear, &before.velocity).max(gain(&motion.angular, &before.spin))
}

/// Conversion of a scaled spin to speeds of a body's surface.
struct Surface {
    /// Principal axes in the world.
    axes: Quat,
    /// Distance of the surface from each axis over the size that spins are scaled by.
    distances: [Real; 3],
}

impl Surface {
    /// The distance of a box's corners from an axis is √3 times the radius of gyration, and m·4^e/I is the inverse square of that.
    fn new(body: &StepBody, cold: &ColdRow) -> Self {
        let distance = |inverse: Real| {
            let square = Real::from_int(3).checked_div(inverse).unwrap_or(Real::ONE);
            square.min(Real::ONE).sqrt().unwrap_or(Real::ONE)
        };
        Self {
            axes: body.rotation * cold.principal,
            distances: cold.inverse_inertia.to_array().map(distance),
        }
    }

    /// Speeds about the principal axes.
    fn speeds(&self, spin: [i64; 3]) -> [i64; 3] {
        let local = self.axes.rotate_inverse(Vec3::from_bits(spin)).to_array();
        core::array::from_fn(|i| (local[i] * self.distances[i]).to_bits())
    }
}

/// Quotient of integers, rounded away from zero: in a long `time_to_sleep`, slow motion must not round to none.
const fn away_from_zero(numerator: i64, divisor: i64) -> i64 {
    let size = numerator.unsigned_abs().div_ceil(divisor.unsigned_abs()) as i64;
    if numerator < 0 { -size } else { size }
}

/// Squared length of a velocity, raw. No component is beyond 2²⁸.
fn square(v: &V<20>) -> u64 {
    v.iter().map(|c| u64::from(c.to_bits().unsigned_abs()).pow(2)).sum()
}

/// Returns whether a vector is at most `limit` long, which is below 2³⁰.
fn is_short([x, y, z]: [i64; 3], limit: i64) -> bool {
    x.abs().max(y.abs()).max(z.abs()) <= limit && x * x + y * y + z * z <= limit * limit
}

/// Returns whether the length is at most `speed`.
pub(super) fn is_slow(v: &V<20>, speed: i64) -> bool {
    let bits = v.map(|c| i64::from(c.to_bits()));
    // No component is beyond 2²⁸.
    bits[0] * bits[0] + bits[1] * bits[1] + bits[2] * bits[2] <= speed * speed
}
