//! Inverse inertia of a step's bodies in world directions, as the solver's rows need it.
//!
//! M = m·4^e·I⁻¹ has entries below 512 for most bodies and is used directly. For slender bodies the entry of the long
//! axis exceeds a lane, but the response M·j of a point on their surface does not: it is about three times the ratio of
//! length to thickness. They store the root W of M = W·Wᵀ instead, whose columns are the principal axes times
//! √(m·4^e/I), and a row computes W·(Wᵀ·j).

use super::constraint::V;
use crate::math::{Q20, Q22, Q30, Quat, Real, Turn};
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
    /// True if some arms have a J·M·J beyond [`ROW_LIMIT`].
    pub(super) exceeds: bool,
}

/// Largest entry of M that fits a lane.
const MATRIX_LIMIT: Real = Real::from_int(511);

/// Limit of J·M·J of a row, for each of its bodies. With it 1 + J·M·J fits a lane, and so does each component of M·J, which is at most
/// √(511·J·M·J).
const ROW_LIMIT: i64 = 508;

/// Trace of M up to which no arm exceeds [`ROW_LIMIT`]: arms are shorter than 2.
const TRACE_LIMIT: Real = Real::from_int(127);

impl Inertia {
    /// Inverse inertia of a body without rotation.
    pub(super) const NONE: Self = Self {
        rows: [[Q22::ZERO; 3]; 3],
        slender: false,
        limit: [Q20::ZERO; 3],
        wobbles: false,
        exceeds: false,
    };

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
        Self { rows, wobbles, exceeds: x + y + z > TRACE_LIMIT, ..Self::NONE }
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
            exceeds: true,
        }
    }

    /// Number of times that an arm must be halved so that no row at it exceeds [`ROW_LIMIT`]. The sum of J·M·J over three perpendicular
    /// directions is tr(M)·|r|² − r·M·r; for the root it is Σ |w × r|² over its columns w.
    pub(super) fn halvings_of_arm(&self, arm: &V<30>) -> u32 {
        let rows = self.rows.map(|row| row.map(|c| i64::from(c.to_bits())));
        let arm = arm.map(|c| i64::from(c.to_bits()));
        let sum: i64 = if self.slender {
            let across = |k: usize, i: usize, j: usize| {
                let part = (rows[i][k] * arm[j] - rows[j][k] * arm[i]) >> 40;
                part * part
            };
            (0..3).map(|k| across(k, 1, 2) + across(k, 2, 0) + across(k, 0, 1)).sum()
        } else {
            let trace = rows[0][0] + rows[1][1] + rows[2][2];
            let arm = arm.map(|c| c >> 10);
            let part = |i: usize, j: usize| {
                let entry = if i == j { trace - rows[i][i] } else { -rows[i][j] };
                entry * ((arm[i] * arm[j]) >> 20)
            };
            (0..3).map(|i| part(i, 0) + part(i, 1) + part(i, 2)).sum::<i64>() >> 18
        };
        halvings(i128::from(sum))
    }

    /// Number of times that the radius of a row about an axis must be halved so that the row does not exceed [`ROW_LIMIT`].
    pub(super) fn halvings_of_radius(&self, axis: &V<30>, radius: Q30) -> u32 {
        let rows = self.rows.map(|row| row.map(|c| i64::from(c.to_bits())));
        let axis = axis.map(|c| i64::from(c.to_bits()));
        // Wᵀ·axis or M·axis, with 12 fractional bits.
        let along: [i64; 3] = core::array::from_fn(|k| {
            (0..3).map(|i| (rows[i][k] * (axis[i] >> 2)) >> 38).sum::<i64>()
        });
        let sum: i64 = if self.slender {
            along.iter().map(|c| c * c).sum()
        } else {
            (0..3).map(|k| (along[k] * axis[k]) >> 18).sum()
        };
        let radius = i128::from(radius.to_bits());
        halvings((i128::from(sum) * radius * radius) >> 60)
    }
}

/// Number of halvings of a length whose square this is, with 24 fractional bits, that bring it to [`ROW_LIMIT`].
fn halvings(mut square: i128) -> u32 {
    let mut halvings = 0;
    while square > i128::from(ROW_LIMIT << 24) {
        square >>= 2;
        halvings += 1;
    }
    halvings
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
fn product(cosine: Q30, entry: Q22) -> Q22 {
    crate::math::Wide::ZERO.plus(cosine, entry).round::<30, 22>()
}
