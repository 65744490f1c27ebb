//! Impacts of single points: approach speed, and the time within the substep at which the surfaces meet.

use crate::math::{Q20, Q30};
use crate::step::constraint::{Motion, NormalRow, SPEED_CAP, ScalarContact, dot, sub, times};
use crate::step::rows::RowsMut;
use crate::step::scalar_contact;

/// Impact of a point in this substep; speeds are raw Q20 and positive.
pub(super) struct PointImpact {
    /// Current approach speed.
    pub(super) approach: i64,
    /// Speed that restitution acts on: includes gravity before and after the impact.
    pub(super) impact: i64,
    pub(super) time: Q30,
}

/// Largest approach speed of the contact's points in this substep, if it is at least `least`, else zero.
pub(super) fn speed(constraint: &ScalarContact, bodies: &RowsMut<'_>, least: i64) -> u64 {
    let along = along(constraint, bodies.motions);
    let point_impact = |row| point_impact(constraint, row, along, bodies, least);
    constraint.points.iter().filter_map(point_impact).fold(0, |most, m| most.max(m.approach as u64))
}

/// Returns the impact of a point in this substep, if it approaches at `least` or faster; `along` is the linear part of
/// its speed.
#[inline(always)]
pub(super) fn point_impact(
    constraint: &ScalarContact,
    row: &NormalRow,
    along: i64,
    bodies: &RowsMut<'_>,
    least: i64,
) -> Option<PointImpact> {
    let approach = -(along + turning(constraint, row, bodies.motions));
    if approach < least {
        return None;
    }
    let separation = i64::from(row.separation.to_bits()) + seen(constraint, row, bodies.moved);
    let faster = -acceleration(constraint, row, bodies);
    // Separating accelerations are left to soft contacts, and so are those that exceed the approach speed within a
    // substep.
    let faster = faster.clamp(0, approach);
    if separation > approach + faster {
        return None;
    }
    let time = (separation.max(0) << 30) / (approach + faster);
    let time = Q30::from_bits(time as i32);
    // A falling body is half a substep's gravity faster than its stored velocity, and faster still the later the impact
    // is in the substep. It also gets the full gravity of this substep, including the part before the impact. Without
    // this correction, long bounces lose or gain a few per mille of their height each time.
    let impact = approach + faster / 2 + i64::from(times(time, lane(faster)).to_bits());
    Some(PointImpact { approach, impact, time })
}

/// Relative value of a column along a row, raw Q20.
#[inline(always)]
fn seen(constraint: &ScalarContact, row: &NormalRow, column: &[Motion]) -> i64 {
    let [a, b] = constraint.bodies.map(|body| &column[body]);
    seen_by(constraint, row, a, b)
}

/// Relative value of two motions along a row, raw Q20.
#[inline(always)]
pub(super) fn seen_by(constraint: &ScalarContact, row: &NormalRow, a: &Motion, b: &Motion) -> i64 {
    let along = dot(&constraint.normal, &sub(&b.linear, &a.linear)).round::<30, 20>();
    let turning = scalar_contact::relative_spin(&row.row, &a.angular, &b.angular);
    i64::from(along.to_bits()) + i64::from(turning.to_bits())
}

/// Linear part of the relative value, which all points of a contact share.
#[inline(always)]
pub(super) fn along(constraint: &ScalarContact, column: &[Motion]) -> i64 {
    let [a, b] = constraint.bodies.map(|body| &column[body]);
    i64::from(dot(&constraint.normal, &sub(&b.linear, &a.linear)).round::<30, 20>().to_bits())
}

/// Angular part of the relative value.
#[inline(always)]
fn turning(constraint: &ScalarContact, row: &NormalRow, column: &[Motion]) -> i64 {
    let [a, b] = constraint.bodies.map(|body| &column[body]);
    i64::from(scalar_contact::relative_spin(&row.row, &a.angular, &b.angular).to_bits())
}

/// Change of a point's relative normal velocity by gravity and carried impulses in this substep.
fn acceleration(constraint: &ScalarContact, row: &NormalRow, bodies: &RowsMut<'_>) -> i64 {
    let [a, b] = constraint.bodies.map(|body| {
        let (body, carried_impulse) = (&bodies.traits[body], &bodies.carried_impulse[body]);
        let linear =
            [0, 1, 2].map(|i| limited_sum(carried_impulse.linear[i], body.gravity[i], SPEED_CAP));
        Motion { linear, angular: carried_impulse.angular }
    });
    let linear = dot(&constraint.normal, &sub(&b.linear, &a.linear)).round::<30, 20>();
    let turning = scalar_contact::relative_spin(&row.row, &a.angular, &b.angular);
    i64::from(linear.to_bits()) + i64::from(turning.to_bits())
}

/// Clamps a speed to ±512 m/s, so that no product with an effective mass overflows.
pub(super) fn lane(speed: i64) -> Q20 {
    const LIMIT: i64 = 1 << 29;
    Q20::from_bits(speed.clamp(-LIMIT, LIMIT) as i32)
}

pub(super) fn limited_sum(a: Q20, b: Q20, limit: Q20) -> Q20 {
    let sum = i64::from(a.to_bits()) + i64::from(b.to_bits());
    let limit = i64::from(limit.to_bits());
    Q20::from_bits(sum.clamp(-limit, limit) as i32)
}
