//! Inverse inertia of a step's bodies in world directions, as the solver's rows need it.
//!
//! M = m·4^e·I⁻¹ has entries below 512 for most bodies and is used directly. For slender bodies the entry of the long
//! axis exceeds a lane, but the response M·j of a point on their surface does not: it is about three times the ratio of
//! length to thickness. They store the root W of M = W·Wᵀ instead, whose columns are the principal axes times
//! √(m·4^e/I), and a row computes W·(Wᵀ·j).

use super::constraint::V;
use crate::math::{Q20, Q22, Quat, Real, Turn};
use crate::world::rows::{ColdRow, HotRow};

/// Inverse inertia in world directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inertia {
    /// M by row, or W by row if `slender`; zero for bodies without rotation.
    pub(super) rows: [V<22>; 3],
    pub(super) slender: bool,
    /// Largest component of Wᵀ·j for which W·(Wᵀ·j) fits; zero if not `slender`.
    pub(super) limit: V<20>,
    /// True if free rotation changes the spin: the principal inertias differ and no rotation is locked.
    pub(super) wobbles: bool,
}

/// Largest entry of M that fits a lane.
const MATRIX_LIMIT: Real = Real::from_int(511);

impl Inertia {
    /// Inverse inertia of a body without rotation.
    pub(super) const NONE: Self =
        Self { rows: [[Q22::ZERO; 3]; 3], slender: false, limit: [Q20::ZERO; 3], wobbles: false };

    /// Inverse inertia of a dynamic body; `turn` is its rotation matrix.
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
        let entry =
            |i: usize, j: usize| super::constraint::dot(&axes[j], &half[i]).round::<30, 22>();
        let row = |i: usize| [entry(i, 0), entry(i, 1), entry(i, 2)];
        let mut rows = [row(0), row(1), row(2)];
        let locks = cold.locks >> 3;
        if locks != 0 {
            for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                if locks & (1 << i | 1 << j) != 0 {
                    rows[i][j] = Q22::ZERO;
                }
            }
        }
        Self { rows, wobbles, ..Self::NONE }
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

/// Divides the range of W·(Wᵀ·j) among the axes. Arms are shorter than 2, so a short axis takes at most 2·m·4^e/I. A
/// needle has one long axis, which gets the rest; bodies with a heavy core and long arms have three.
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

/// Multiplies a cosine by an entry.
fn product(cosine: crate::math::Q30, entry: Q22) -> Q22 {
    crate::math::Wide::ZERO.plus(cosine, entry).round::<30, 22>()
}
