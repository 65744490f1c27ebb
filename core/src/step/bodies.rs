//! The bodies of one step in compact columns: those that move, in the order of their ids, then the static
//! ones that something touches. Gathered from the slot at the start, written back at the end.

use super::block::{Motion, V, map3};
use crate::math::{Q20, Q22, Q30, Quat, Real, Vec3};
use crate::world::rows::{BodyKind, ColdRow, HotRow};

/// A body during a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepBody {
    /// The body's index among all bodies of the world.
    pub(crate) index: u32,
    pub(crate) dynamic: bool,
    pub(crate) exponent: i8,
    pub(crate) locks: u8,
    /// Raw kilograms; zero for what nothing moves.
    pub(crate) mass: i64,
    pub(crate) center: Vec3,
    pub(crate) rotation: Quat,
    /// m·4^exponent·I⁻¹ in world directions; zero for what nothing turns.
    pub(crate) response: [V<22>; 3],
    /// Velocity that gravity adds in a substep.
    pub(crate) gravity: V<20>,
    /// What is left of the velocity after a tick's damping.
    pub(crate) keep: [Q30; 2],
    pub(crate) speed_cap: Q20,
}

/// The columns.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    pub(crate) list: Vec<StepBody>,
    pub(crate) motions: Vec<Motion>,
    /// How many of them move; the rest are static.
    pub(crate) moving: usize,
}

impl Bodies {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.motions.clear();
        self.moving = 0;
    }

    /// Adds a body; `gravity` is the world's, for one substep.
    pub(crate) fn push(
        &mut self,
        index: u32,
        hot: &HotRow,
        cold: &ColdRow,
        gravity: Vec3,
        tick: Real,
    ) {
        let dynamic = cold.kind == BodyKind::Dynamic;
        let axes = hot.rotation.to_lanes();
        let lanes = |v: Vec3| map3(&v.to_array(), Q20::from_real_saturating);
        self.list.push(StepBody {
            index,
            dynamic,
            exponent: cold.exponent,
            locks: cold.locks,
            mass: if dynamic { cold.mass.to_bits() } else { 0 },
            center: hot.center,
            rotation: hot.rotation,
            response: if dynamic {
                world_response(&axes, &cold.response, cold.locks)
            } else {
                Default::default()
            },
            gravity: if dynamic { lanes(gravity * cold.gravity_scale) } else { Default::default() },
            keep: [keep(cold.linear_damping, tick), keep(cold.angular_damping, tick)],
            speed_cap: Q20::from_real_saturating(cold.speed_cap).min(super::kernel::SPEED_CAP),
        });
        self.motions.push(Motion { linear: hot.velocity, angular: hot.spin });
    }
}

/// 1 / (1 + damping·dt), which is never negative however strong the damping.
fn keep(damping: Real, tick: Real) -> Q30 {
    if damping == Real::ZERO {
        return Q30::ONE;
    }
    Q30::from_real_saturating((Real::ONE + damping * tick).recip())
}

/// R·M·Rᵀ, without the axes that are locked.
fn world_response(axes: &[V<30>; 3], local: &[Q22; 6], locks: u8) -> [V<22>; 3] {
    let [xx, yy, zz, yz, xz, xy] = *local;
    let columns = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    // First R·M, by rows of R and (symmetric) columns of M, then that times Rᵀ.
    let half = |row: &V<30>| {
        map3(&[0, 1, 2], |j: usize| super::block::dot(row, &columns[j]).round::<30, 22>())
    };
    let half = [half(&axes[0]), half(&axes[1]), half(&axes[2])];
    let entry = |i: usize, j: usize| {
        let locked = (locks >> 3) & (1 << i | 1 << j) != 0;
        if locked { Q22::ZERO } else { super::block::dot(&axes[j], &half[i]).round::<30, 22>() }
    };
    let row = |i: usize| [entry(i, 0), entry(i, 1), entry(i, 2)];
    [row(0), row(1), row(2)]
}
