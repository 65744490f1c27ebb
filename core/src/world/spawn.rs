//! Rows of a spawned body, from its definition.

use super::command::{speed_lanes, spin_lanes};
use super::def::{BodyDef, MAX_SPEED, ShapeDef, check_center};
use super::errors::CommandError;
use super::rows::{
    BodyIndex, BodyKind, ColdRow, HotRow, PERSIST_EVENTS, STAY_EVENTS, STAYS_AWAKE, ShapeRow,
};
use super::weigh::{InertiaSource, Weight};
use crate::math::Vec3;

/// Computes the rows of a body.
pub(super) fn rows(def: &BodyDef, shapes: &[ShapeRow]) -> Result<(HotRow, ColdRow), CommandError> {
    let mut cold = ColdRow {
        kind: def.kind,
        enabled: true,
        flags: flags(def),
        locks: def.locks.bits(),
        shapes: shapes.len() as u8,
        span: shapes.len() as u8,
        gravity_scale: def.gravity_scale,
        linear_damping: def.linear_damping,
        angular_damping: def.angular_damping,
        speed_cap: def.speed_cap.min(MAX_SPEED),
        user_data: def.user_data,
        ..ColdRow::default()
    };
    let inertia = def.inertia.map_or(InertiaSource::Shapes, InertiaSource::Moments);
    Weight::new(def.kind, shapes, def.mass, inertia, &cold)?.write(&mut cold);
    let still = def.kind == BodyKind::Fixed;
    let (velocity, spin) =
        if still { (Vec3::ZERO, Vec3::ZERO) } else { (def.velocity, def.angular_velocity) };
    let center = def.pose.point(cold.local_center);
    check_center(center)?;
    let hot = HotRow {
        center,
        rotation: def.pose.rotation,
        velocity: speed_lanes(velocity)?,
        spin: spin_lanes(spin, cold.exponent)?,
        still: 0,
        drift: [0; 6],
        next: BodyIndex::default(),
    };
    Ok((hot, cold))
}

impl ShapeRow {
    /// The row of a shape of the body at a row of its page.
    pub(super) const fn new(row: usize, ordinal: u8, def: &ShapeDef) -> Self {
        let ShapeDef { shape, pose, density, material, sensor, filter } = *def;
        Self { row: row as u8, ordinal, shape, pose, density, material, sensor, filter }
    }

    /// The definition of the shape.
    pub(super) const fn def(&self) -> ShapeDef {
        let Self { shape, pose, density, material, sensor, filter, .. } = *self;
        ShapeDef { shape, pose, density, material, sensor, filter }
    }
}

fn flags(def: &BodyDef) -> u8 {
    let flag = |on: bool, flag: u8| if on { flag } else { 0 };
    flag(!def.can_sleep, STAYS_AWAKE)
        | flag(def.persist_events, PERSIST_EVENTS)
        | flag(def.stay_events, STAY_EVENTS)
}
