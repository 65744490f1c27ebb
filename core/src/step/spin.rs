//! Free rotation over a tick: the gyroscopic term of bodies whose principal inertias differ.
//!
//! Euler's equations in principal axes, ω̇₁ = (I₂ − I₃)/I₁·ω₂·ω₃ and cyclic permutations, by the implicit midpoint rule, and the rotation by the
//! Cayley transform of the same midpoint. Together they keep the energy and, in direction and length, the angular momentum,
//! but for rounding: with ℓ = I·ω and m the midpoint, ℓ' − ℓ = −m × (ℓ + ℓ')/2 means ℓ' = cay(m)⁻¹·ℓ, so A'·ℓ' = A·ℓ. A body that touches
//! something uses backward Euler instead, which damps wobble (docs/solver.md).

use crate::math::{Q20, Quat, Real, Vec3};
use crate::world::rows::ColdRow;

/// Maximum number of integration steps of a tick.
const MOST_STEPS: u32 = 16;

/// Maximum angle of a step, radians: with it the fixed-point iteration converges to the last bits.
const STEP_ANGLE: Real = Real::ratio(1, 16);

/// Maximum angle of a step of a touching body, radians.
const TOUCHING_ANGLE: Real = Real::ratio(1, 4);

/// Fixed-point iterations of a step.
const ITERATIONS: u32 = 6;

/// Angle of a step, radians, beyond which the iteration may not converge: spins of more than four radians a tick stay
/// constant.
const MAX_STEP_ANGLE: Real = Real::ratio(1, 4);

/// Spin changes below 2⁻¹⁶ m/s a tick are skipped, so that resting bodies stay exactly at rest. Shift in raw Q20.
const LEAST_CHANGE_SHIFT: u32 = 4;

/// Rotation and scaled spin of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spinning {
    pub(super) rotation: Quat,
    pub(super) spin: [Q20; 3],
}

impl Spinning {
    /// Returns whether the spin is fast enough to change within a tick.
    #[inline]
    pub(super) fn wobbles(&self, exponent: i8, tick_rate: u32) -> bool {
        let square: i64 = self.spin.iter().map(|c| i64::from(c.to_bits()).pow(2)).sum();
        // The change is at most |ω|²·2^e/rate = (ω·2^e)²/(2^e·rate), here in raw Q20.
        let least = i64::from(tick_rate) << (20 + LEAST_CHANGE_SHIFT);
        if exponent < 0 { square > least >> -exponent } else { square >> exponent > least }
    }

    /// Returns the state after a tick of free rotation; `None` beyond [`MAX_STEP_ANGLE`], where the caller keeps the
    /// spin.
    pub(super) fn after_tick(&self, cold: &ColdRow, tick_rate: u32, touches: bool) -> Option<Self> {
        let mut axes = self.rotation * cold.principal;
        // Rotation vector of the tick in principal axes, radians.
        let scale = scale_of(cold.exponent);
        let spin = crate::world::real_vector(self.spin);
        let turn = axes.rotate_inverse(spin) / Real::from_int(tick_rate as i32);
        let turn = turn.map(|c| c / scale);
        let angle = turn.length();
        let step_angle = if touches { TOUCHING_ANGLE } else { STEP_ANGLE };
        let steps =
            (1..=MOST_STEPS).find(|n| n.is_power_of_two() && angle <= step_angle * *n as i32);
        let steps = steps.unwrap_or(MOST_STEPS);
        if angle > MAX_STEP_ANGLE * steps as i32 {
            return None;
        }
        let ratios = ratios(cold.inverse_inertia);
        let mut step = turn / Real::from_int(steps as i32);
        for _ in 0..steps {
            if touches {
                step = implicit(step, ratios);
                axes *= cayley(step);
            } else {
                let middle = implicit(step, ratios * Real::HALF);
                axes *= cayley(middle);
                step = middle + middle - step;
            }
        }
        let spin = step.map(|c| c * scale) * (tick_rate * steps) as i32;
        let spin = axes.rotate(spin).to_array().map(Q20::from_real_saturating);
        Some(Self { rotation: axes * cold.principal.inverse(), spin })
    }
}

fn scale_of(exponent: i8) -> Real {
    Real::from_bits(1 << (32 + i32::from(exponent)))
}

/// Ratios (I₂ − I₃)/I₁ and cyclic permutations, from the inverse inertias. They lie within ±1 for any body.
fn ratios(inverse: Vec3) -> Vec3 {
    let [x, y, z] = inverse.to_array();
    let ratio = |i: Real, j: Real, k: Real| (i / j - i / k).clamp(-Real::ONE, Real::ONE);
    Vec3::new(ratio(x, y, z), ratio(y, z, x), ratio(z, x, y))
}

/// Solves m = a + g∘(m₂m₃, m₃m₁, m₁m₂).
fn implicit(start: Vec3, ratios: Vec3) -> Vec3 {
    let mut end = start;
    for _ in 0..ITERATIONS {
        let Vec3 { x, y, z } = end;
        end = start + ratios.zip(Vec3::new(y * z, z * x, x * y), |g, product| g * product);
    }
    end
}

/// Cayley transform: the rotation whose half-angle tangent is half the length of this vector.
fn cayley(a: Vec3) -> Quat {
    let Vec3 { x, y, z } = a * Real::HALF;
    Quat::from_xyzw(x, y, z, Real::ONE).unwrap_or(Quat::IDENTITY)
}
