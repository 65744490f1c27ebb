//! Validity of a row: every range that the step relies on. Strict, because there is no later check.

use crate::math::{Q20, Quat, Real, Vec3};
use crate::shape::{MAX_MASS, MIN_MASS};
use crate::world::def::MAX_SPEED;
use crate::world::events::{EventKind, EventRow, ImpactData};
use crate::world::material::{MAX_FRICTION_LANE, check_layer};
use crate::world::registry::joints::JointKey;
use crate::world::rows::{
    ASLEEP, BodyIndex, BodyKind, ColdRow, ContactPoint, ContactRow, HotRow, INERTIA_SET, MASS_SET,
    MAX_INVERSE_INERTIA, PERSIST_EVENTS, PairKey, STAY_EVENTS, STAYS_AWAKE, ShapeRow, body_of,
};
use crate::world::weigh::size_exponent;
use crate::world::{Locks, WORLD_LIMIT};

type Checked = Result<(), &'static str>;

const fn ensure(holds: bool, what: &'static str) -> Checked {
    if holds { Ok(()) } else { Err(what) }
}

fn within(v: Vec3, limit: Real) -> bool {
    v.to_array().iter().all(|c| (-limit..=limit).contains(c))
}

fn lanes_within<const F: u32>(lanes: &[crate::math::Lane<F>], limit: i32) -> bool {
    lanes.iter().all(|lane| (-limit..=limit).contains(&lane.to_bits()))
}

/// Checks a body row by itself. The rings of sleeping bodies are checked once all rows are read.
pub(super) fn body(row: &HotRow, cold: &ColdRow) -> Checked {
    /// One minute at 240 ticks per second.
    const MOST_STILL: u16 = 60 * 240;
    ensure(within(row.center, WORLD_LIMIT), "it is outside the world")?;
    let cap = Q20::from_real_saturating(MAX_SPEED).to_bits();
    ensure(lanes_within(&row.velocity, cap) && lanes_within(&row.spin, cap), "it is too fast")?;
    ensure(!row.moves() || cold.kind != BodyKind::Fixed, "it is fixed and moves")?;
    if row.is_asleep() {
        ensure(cold.kind == BodyKind::Dynamic && cold.enabled, "it sleeps and is not dynamic")?;
        ensure(!row.moves() && row.drift == [0; 6], "it sleeps and moves")
    } else {
        ensure(row.still <= MOST_STILL && row.still != ASLEEP, "it has been still for too long")?;
        ensure(row.next == BodyIndex::default(), "it is awake and linked to a sleeping island")
    }
}

pub(super) fn traits(row: &ColdRow, shapes: &[ShapeRow]) -> Checked {
    let many = Real::from_int(1000);
    let flags = STAYS_AWAKE | PERSIST_EVENTS | STAY_EVENTS | MASS_SET | INERTIA_SET;
    ensure(row.flags & !flags == 0, "its flags")?;
    let set = row.flags & (MASS_SET | INERTIA_SET) != 0;
    ensure(row.mass != Real::ZERO || !set, "its flags")?;
    ensure(row.flags & INERTIA_SET == 0 || row.principal == Quat::IDENTITY, "its flags")?;
    ensure(Locks::from_bits(row.locks).is_some(), "its locks")?;
    ensure(usize::from(row.shapes) == shapes.len(), "the number of its shapes")?;
    let unbounded = |shape: &ShapeRow| shape.shape.is_unbounded();
    ensure(row.kind != BodyKind::Dynamic || !shapes.iter().any(unbounded), "its half space")?;
    let massive = (MIN_MASS..=MAX_MASS).contains(&row.mass);
    ensure(massive || row.mass == Real::ZERO && row.kind != BodyKind::Dynamic, "its mass")?;
    ensure(within(row.local_center, Real::from_int(4096)), "its centre of mass")?;
    let inertia = row.inverse_inertia.to_array();
    ensure(inertia.iter().all(|d| (Real::ZERO..=MAX_INVERSE_INERTIA).contains(d)), "its inertia")?;
    let turns = inertia.iter().all(|d| *d > Real::ZERO);
    ensure(turns || row.mass == Real::ZERO && row.inverse_inertia.is_zero(), "its inertia")?;
    ensure(row.gravity_scale.abs() <= Real::from_int(100), "its gravity scale")?;
    let to = |limit: Real| Real::ZERO..=limit;
    ensure(to(many).contains(&row.linear_damping), "its linear damping")?;
    ensure(to(many).contains(&row.angular_damping), "its angular damping")?;
    ensure(to(MAX_SPEED).contains(&row.speed_cap), "its speed cap")?;
    let sizes = shapes.iter().map(|shape| (&shape.shape, &shape.pose));
    ensure(row.exponent == size_exponent(sizes, row.local_center), "its size exponent")
}

pub(super) fn shape(row: &ShapeRow) -> Checked {
    let far = Real::from_int(4096);
    ensure(within(row.pose.translation, far), "it is too far from its body")?;
    ensure(row.pose.translation.length() <= far, "it is too far from its body")?;
    ensure(row.density > Real::ZERO, "its density")?;
    row.material.check().map_err(|_| "its material")?;
    check_layer(row.filter.layer).map_err(|_| "its layer")
}

pub(super) fn contact(row: &ContactRow) -> Checked {
    const IMPULSE: i32 = 1 << 28;
    // Two rolling impulses of at most 2²⁸ each, or a twist impulse of 1.9 times that.
    const ANGULAR: i32 = 1 << 29;
    // Friction of at most 1.9·2²⁸, and 1.02 times that in the corners of the polygon that bounds it. The rest is for tangents that are not
    // exactly of unit length.
    const FRICTION: i32 = 1 << 29;
    let mixed = &row.mixed;
    ensure((0..=MAX_FRICTION_LANE.to_bits()).contains(&mixed.friction.to_bits()), "its friction")?;
    let others = [mixed.restitution, mixed.rolling, mixed.spinning];
    ensure(others.iter().all(|c| (0..=1 << 30).contains(&c.to_bits())), "its material")?;
    let length: i128 = row.normal.iter().map(|c| i128::from(*c) * i128::from(*c)).sum();
    ensure((length - (1 << 60)).abs() < 1 << 44, "its normal is not a unit vector")?;
    ensure(!row.points.is_empty(), "it has no point")?;
    let impulses = row.points.iter().map(|point| point.impulse.to_bits());
    ensure(impulses.clone().all(|impulse| (0..=IMPULSE).contains(&impulse)), "its impulses")?;
    let held = |point: &ContactPoint| Q20::ZERO <= point.preload && point.preload <= point.impulse;
    ensure(row.points.iter().all(held), "its preloads")?;
    ensure(lanes_within(&row.friction, FRICTION), "its friction impulse")?;
    ensure(lanes_within(&[row.twist], ANGULAR), "its twist impulse")?;
    ensure(lanes_within(&row.rolling, ANGULAR), "its rolling impulse")
}

pub(super) fn event(row: &EventRow) -> Checked {
    let indices = row.bodies.map(BodyIndex::of);
    if row.kind.is_of_body() {
        let same = row.bodies[0] == row.bodies[1] && row.key == PairKey::of_body(indices[0]);
        ensure(same, "it names two bodies")?;
    } else if row.kind == EventKind::JointRemoved {
        let owner = JointKey(row.key.0).owner();
        ensure(owner == indices[0], "its first body is not that of the joint")?;
    } else {
        ensure(row.key.shapes().map(body_of) == indices, "its bodies are not those of its key")?;
    }
    let plain = row.kind == EventKind::Impact || row.impact == ImpactData::default();
    ensure(plain, "it has impact data and is not an impact")
}
