//! Bodies of one step in compact columns: active bodies in the order of their ids, then bodies that pairs name. Gathered
//! from the frame at the start; active bodies are written back at the end.

use super::constraint::{Motion, V, map3};
use super::gather::Shared;
use super::index::BodyPlace;
use super::inertia::Inertia;
use crate::data::Column;
use crate::math::{Q20, Q30, Quat, Real, Turn, Vec3};
use crate::world::TickForce;
use crate::world::rows::{BodyIndex, BodyKind, ColdRow, HotRow};

/// Body during a step.
#[allow(clippy::struct_excessive_bools, reason = "they are independent of each other")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepBody {
    /// Index among all bodies of the world.
    pub(crate) index: BodyIndex,
    pub(crate) dynamic: bool,
    /// True for an awake dynamic body and a kinematic one with a velocity.
    pub(crate) awake: bool,
    /// The step does not move it: its next state is already decided, or it rests.
    pub(crate) read_only: bool,
    /// Woken by this step.
    pub(crate) woken: bool,
    /// In contact with a moving kinematic body, so it can't sleep.
    pub(crate) touches_moving: bool,
    /// A contact of this tick is touching.
    pub(crate) touches: bool,
    /// New values of [`HotRow::still`], [`HotRow::drift`] and [`HotRow::next`].
    pub(crate) still: u16,
    pub(crate) drift: [i8; 6],
    pub(crate) next: BodyIndex,
    pub(crate) flags: u8,
    pub(crate) exponent: i8,
    pub(crate) locks: u8,
    /// Raw kilograms; zero for fixed and kinematic bodies.
    pub(crate) mass: i64,
    pub(crate) center: Vec3,
    pub(crate) rotation: Quat,
    pub(crate) inertia: Inertia,
    /// Velocity that gravity and forces add in a substep.
    pub(crate) gravity: V<20>,
    /// Scaled spin that torques add in a substep.
    pub(crate) torque: V<20>,
    /// Fraction of the linear and the angular velocity that remains after a tick of damping.
    pub(crate) damping: [Q30; 2],
    pub(crate) speed_cap: Q20,
}

impl StepBody {
    /// Returns whether neither gravity nor a force accelerates it: there is none, or only along locked axes.
    pub(crate) fn is_weightless(&self) -> bool {
        let free = |axis: usize| self.locks >> axis & 1 == 0;
        (0..3).all(|axis| self.gravity[axis] == Q20::ZERO || !free(axis))
    }

    /// Returns whether this step computes its next state.
    #[inline]
    pub(crate) const fn is_moved(&self) -> bool {
        self.awake && !self.read_only
    }
}

/// The step's bodies, by place.
pub(super) type BodyColumn = Column<BodyPlace, StepBody>;

/// Columns of the step's bodies, by place.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    pub(crate) list: BodyColumn,
    pub(crate) motions: Column<BodyPlace, Motion>,
}

impl Bodies {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.motions.clear();
    }

    /// Adds a body as inactive and read-only.
    pub(crate) fn push(
        &mut self,
        index: BodyIndex,
        hot: &HotRow,
        cold: &ColdRow,
        turn: &Turn,
        shared: &Shared,
    ) {
        let Shared { gravity, pull, tick, .. } = *shared;
        let dynamic = cold.kind == BodyKind::Dynamic;
        let falls = || {
            // A product with one is exact.
            if cold.gravity_scale == Real::ONE { pull } else { lanes(gravity * cold.gravity_scale) }
        };
        self.list.push(StepBody {
            index,
            dynamic,
            awake: false,
            read_only: true,
            woken: false,
            touches_moving: false,
            touches: false,
            still: hot.still,
            drift: hot.drift,
            next: hot.next,
            flags: cold.flags,
            exponent: cold.exponent,
            locks: cold.locks,
            mass: if dynamic { cold.mass.to_bits() } else { 0 },
            center: hot.center,
            rotation: hot.rotation,
            inertia: if dynamic { Inertia::new(hot, cold, turn) } else { Inertia::NONE },
            gravity: if dynamic { falls() } else { Default::default() },
            torque: Default::default(),
            damping: [
                damping_factor(cold.linear_damping, tick),
                damping_factor(cold.angular_damping, tick),
            ],
            speed_cap: Q20::from_real_saturating(cold.speed_cap).min(super::constraint::SPEED_CAP),
        });
        self.motions.push(Motion { linear: hot.velocity, angular: hot.spin });
    }

    /// Applies the forces of this tick to the body that was added last.
    #[cold]
    pub(crate) fn force(
        &mut self,
        force: &TickForce,
        hot: &HotRow,
        cold: &ColdRow,
        shared: &Shared,
    ) {
        let Some(body) = self.list.as_mut_slice().last_mut().filter(|body| body.dynamic) else {
            return;
        };
        let pull = shared.gravity * cold.gravity_scale;
        // One sum before rounding: a force opposite to gravity cancels it exactly.
        body.gravity = lanes(pull + force.velocity_gain(cold, shared.rate));
        let torque = lanes(force.spin_gain(hot, cold, shared.rate));
        body.torque = torque.map(|c| c.clamp_abs(super::constraint::SPEED_CAP));
    }
}

/// Converts a velocity to the solver's format.
pub(super) fn lanes(v: Vec3) -> V<20> {
    map3(&v.to_array(), Q20::from_real_saturating)
}

/// Returns 1 / (1 + damping·dt), which is positive for any damping.
fn damping_factor(damping: Real, tick: Real) -> Q30 {
    if damping == Real::ZERO {
        return Q30::ONE;
    }
    Q30::from_real_saturating((Real::ONE + damping * tick).recip())
}
