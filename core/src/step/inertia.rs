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

#[cfg(test)]
#[allow(clippy::disallowed_types, reason = "an oracle")]
mod tests {
    use super::*;
    use crate::math::{Q30, Vec3};
    use crate::world::rows::{ColdRow, HotRow};
    use proptest::prelude::*;

    fn float<const F: u32>(v: V<F>) -> [f64; 3] {
        v.map(|c| f64::from(c.to_bits()) / 2f64.powi(F as i32))
    }

    fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
        (0..3).map(|k| a[k] * b[k]).sum()
    }

    /// J·M·J without the clamp of slender bodies, which makes it smaller.
    fn squared(inertia: &Inertia, jacobian: [f64; 3]) -> f64 {
        let rows = inertia.rows.map(float);
        let column = |k: usize| [rows[0][k], rows[1][k], rows[2][k]];
        let seen = [0, 1, 2].map(|k| dot(column(k), jacobian));
        if inertia.slender { dot(seen, seen) } else { dot(seen, jacobian) }
    }

    fn direction() -> impl Strategy<Value = [f64; 3]> {
        [-1.0..1.0f64, -1.0..1.0, -1.0..1.0].prop_filter_map("no direction", |v| {
            let length = dot(v, v).sqrt();
            (length > 0.1).then(|| v.map(|c| c / length))
        })
    }

    fn lanes(v: [f64; 3]) -> V<30> {
        v.map(|c| Q30::from_bits((c * 2f64.powi(30)) as i32))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// A ball of 2 mm with a sensor of ¾ m, deep in a large box, had arms of 1.15: J·M·J was beyond 512.
        #[test]
        fn no_row_exceeds_its_format(
            powers in [-1.0..18.0f64, -1.0..18.0, -1.0..18.0], alike in any::<bool>(),
            (axis, angle) in (direction(), 0.0..3.1f64),
            arm in [-1.15..1.15f64, -1.15..1.15, -1.15..1.15], size in 0..12i32, radius in 0.0..1.15f64,
            n in direction(),
        ) {
            let real = |x: f64| Real::from_bits((x * 2f64.powi(32)) as i64);
            let powers = if alike { [powers[0]; 3] } else { powers };
            let [x, y, z] = powers.map(|power| real(2f64.powf(power)));
            let [u, v, w] = axis.map(real);
            let rotation = Quat::from_axis_angle(Vec3::new(u, v, w), real(angle)).unwrap();
            let hot = HotRow { rotation, ..HotRow::default() };
            let cold = ColdRow { inverse_inertia: Vec3::new(x, y, z), ..ColdRow::default() };
            let inertia = Inertia::new(&hot, &cold, &rotation.turn());
            let arm = arm.map(|c| c / 2f64.powi(size));
            let halvings = |times: u32| if inertia.exceeds { times } else { 0 };
            let halved = halvings(inertia.halvings_of_arm(&lanes(arm)));
            let found = squared(&inertia, cross(arm, n)) / 4f64.powi(halved as i32);
            prop_assert!(found < 509.0, "{found} after {halved}");
            let turned = halvings(inertia.halvings_of_radius(&lanes(n), Q30::from_bits((radius * 2f64.powi(30)) as i32)));
            let found = squared(&inertia, n) * radius * radius / 4f64.powi(turned as i32);
            prop_assert!(found < 509.0, "{found} after {turned}");
            // An arm is not made shorter than needed: some direction is above an eighth of a third of the limit.
            let most = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|e| squared(&inertia, cross(arm, e)));
            prop_assert!(halved == 0 || most.iter().sum::<f64>() / 4f64.powi(halved as i32) > 120.0, "{most:?} after {halved}");
        }
    }
}
