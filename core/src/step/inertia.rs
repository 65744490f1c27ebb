//! Inverse inertia of a step's bodies in world directions, as the solver's rows need it.
//!
//! M = m·4^e·I⁻¹ has entries below 512 for most bodies and is used as it is. For slender ones the entry of the long axis has no room
//! in a lane, though what a point on their surface sees of it has: M·j is about three times the ratio of length to
//! thickness. They have the root W of M = W·Wᵀ instead, whose columns are the principal axes times √(m·4^e/I), and a row
//! computes W·(Wᵀ·j).

use super::constraint::V;
use crate::math::{Q20, Q22, Quat, Real, Turn};
use crate::world::rows::{ColdRow, HotRow};

/// Inverse inertia in world directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inertia {
    /// M by row, or W by row if `slender`; zero for bodies that nothing turns.
    pub(super) rows: [V<22>; 3],
    pub(super) slender: bool,
    /// Largest component of Wᵀ·j that W·(Wᵀ·j) has room for; zero if not `slender`.
    pub(super) limit: V<20>,
    /// Whether free rotation changes its spin: the principal inertias differ and no rotation is locked.
    pub(super) wobbles: bool,
}

/// Entries of M below this have room in a lane.
const MATRIX_LIMIT: Real = Real::from_int(511);

impl Inertia {
    /// Of a body that nothing turns.
    pub(super) const NONE: Self =
        Self { rows: [[Q22::ZERO; 3]; 3], slender: false, limit: [Q20::ZERO; 3], wobbles: false };

    /// Of a dynamic body; `turn` is its rotation.
    #[inline]
    pub(super) fn new(hot: &HotRow, cold: &ColdRow, turn: &Turn) -> Self {
        let axes = if cold.principal == Quat::IDENTITY {
            turn.to_lanes()
        } else {
            (hot.rotation * cold.principal).to_lanes()
        };
        let [x, y, z] = cold.inverse_inertia.to_array();
        let wobbles = (x != y || y != z) && cold.locks >> 3 == 0;
        if x.max(y).max(z) > MATRIX_LIMIT {
            return Self::slender(&axes, [x, y, z], cold.locks, wobbles);
        }
        let inverse = [x, y, z].map(Q22::from_real_saturating);
        let half = axes.map(|row| core::array::from_fn(|j| product(row[j], inverse[j])));
        let entry = |i: usize, j: usize| {
            let locked = (cold.locks >> 3) & (1 << i | 1 << j) != 0;
            if locked {
                Q22::ZERO
            } else {
                super::constraint::dot(&axes[j], &half[i]).round::<30, 22>()
            }
        };
        let row = |i: usize| [entry(i, 0), entry(i, 1), entry(i, 2)];
        Self { rows: [row(0), row(1), row(2)], wobbles, ..Self::NONE }
    }

    #[cold]
    fn slender(axes: &[V<30>; 3], inverse: [Real; 3], locks: u8, wobbles: bool) -> Self {
        let roots = inverse.map(|d| d.sqrt().unwrap_or(Real::ZERO));
        let lanes = roots.map(Q22::from_real_saturating);
        let row = |i: usize| -> V<22> {
            let locked = (locks >> 3) & (1 << i) != 0;
            core::array::from_fn(|j| if locked { Q22::ZERO } else { product(axes[i][j], lanes[j]) })
        };
        Self {
            rows: [row(0), row(1), row(2)],
            slender: true,
            limit: limits(inverse, roots),
            wobbles,
        }
    }
}

/// Shares out the room that W·(Wᵀ·j) has: arms are shorter than 2, so a short axis takes at most 2·m·4^e/I. A needle has one long
/// axis, which gets the rest; bodies with a heavy core and long arms have three.
fn limits(inverse: [Real; 3], roots: [Real; 3]) -> V<20> {
    const SMALL: Real = Real::from_int(16);
    let two = Real::from_int(2);
    let small: Real =
        inverse.iter().filter(|d| **d <= SMALL).fold(Real::ZERO, |sum, d| sum + *d * two);
    let large = inverse.iter().filter(|d| **d > SMALL).count().max(1);
    let room = (MATRIX_LIMIT - small) / Real::from_int(large as i32);
    core::array::from_fn(|k| {
        let most = if inverse[k] <= SMALL { roots[k] * two } else { room / roots[k] };
        Q20::from_real_saturating(most)
    })
}

/// A cosine times an entry.
fn product(cosine: crate::math::Q30, entry: Q22) -> Q22 {
    crate::math::Wide::ZERO.plus(cosine, entry).round::<30, 22>()
}
