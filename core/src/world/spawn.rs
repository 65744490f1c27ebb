//! Rows of a spawned body, from its definition: mass properties, principal inertia, size and flags.

use super::command::{scale_by_power, speed_lanes, spin_lanes};
use super::def::BodyDef;
use super::errors::CommandError;
use super::rows::{
    BodyIndex, BodyKind, ColdRow, HotRow, MAX_INVERSE_INERTIA, PERSIST_EVENTS, STAY_EVENTS,
    STAYS_AWAKE,
};
use crate::math::{Quat, Real, Sym3, Transform, Vec3};
use crate::shape::{Geometry, MassProperties, Shape};

/// Computes the mass properties; `None` for a static or kinematic body without a valid mass.
pub(super) fn mass_properties(def: &BodyDef) -> Result<Option<MassProperties>, CommandError> {
    let weighable =
        def.shapes.iter().filter(|shape| *shape.shape.geometry() != Geometry::HalfSpace);
    // Sensors add no mass.
    let weighable = weighable.filter(|shape| !shape.sensor);
    let parts = weighable
        .map(|shape| MassProperties::of_shape(&shape.shape, &shape.pose, shape.density))
        .collect::<Result<Vec<_>, _>>();
    // The mass of a static or kinematic body may exceed the limit. Such a body can't become dynamic.
    let combined = match parts.and_then(|parts| MassProperties::combine(&parts)) {
        Ok(combined) => combined,
        Err(_) if def.kind != BodyKind::Dynamic => None,
        Err(error) => return Err(error.into()),
    };
    let point =
        MassProperties { mass: Real::ONE, center: Vec3::ZERO, inertia_per_mass: Sym3::IDENTITY };
    match (def.mass, combined) {
        (Some(mass), combined) => Ok(Some(combined.unwrap_or(point).with_mass(mass)?)),
        (None, None) if def.kind == BodyKind::Dynamic => Err(CommandError::NoMass),
        (None, combined) => Ok(combined),
    }
}

pub(super) fn rows(
    def: &BodyDef,
    mass: Option<&MassProperties>,
) -> Result<(HotRow, ColdRow), CommandError> {
    let local_center = mass.map_or(Vec3::ZERO, |mass| mass.center);
    let shapes = def.shapes.iter().map(|shape| (&shape.shape, &shape.pose));
    let exponent = size_exponent(shapes, local_center);
    let (principal, inverse_inertia) = mass.map_or((Quat::IDENTITY, Vec3::ZERO), |mass| {
        principal_inertia(&mass.inertia_per_mass, exponent)
    });
    let cold = ColdRow {
        kind: def.kind,
        enabled: true,
        flags: flags(def),
        locks: def.locks,
        shapes: def.shapes.len() as u8,
        exponent,
        mass: mass.map_or(Real::ZERO, |mass| mass.mass),
        local_center,
        principal,
        inverse_inertia,
        gravity_scale: def.gravity_scale,
        linear_damping: def.linear_damping,
        angular_damping: def.angular_damping,
        speed_cap: def.speed_cap,
        user_data: def.user_data,
    };
    let still = def.kind == BodyKind::Static;
    let (velocity, spin) =
        if still { (Vec3::ZERO, Vec3::ZERO) } else { (def.velocity, def.angular_velocity) };
    let hot = HotRow {
        center: def.pose.point(local_center),
        rotation: def.pose.rotation,
        velocity: speed_lanes(velocity)?,
        spin: spin_lanes(spin, exponent)?,
        still: 0,
        drift: [0; 6],
        next: BodyIndex::default(),
    };
    Ok((hot, cold))
}

fn flags(def: &BodyDef) -> u8 {
    let flag = |on: bool, flag: u8| if on { flag } else { 0 };
    flag(!def.may_sleep, STAYS_AWAKE)
        | flag(def.persist_events, PERSIST_EVENTS)
        | flag(def.stay_events, STAY_EVENTS)
}

/// The least exponent with 2^exponent at least the radius about the centre of mass.
pub(crate) fn size_exponent<'a>(
    shapes: impl Iterator<Item = (&'a Shape, &'a Transform)>,
    center: Vec3,
) -> i8 {
    let radius = shapes
        .filter_map(|(shape, pose)| {
            let radius = shape.bounding_radius()?;
            Some(radius.saturating_add(pose.translation.distance(center)))
        })
        .max()
        .unwrap_or(Real::ONE);
    // The position of the leading bit, rounded up.
    let bits = 64 - (radius.to_bits() - 1).leading_zeros() as i32;
    (bits - 32) as i8
}

/// Principal axes of an inertia per mass, and m·4^exponent/I about each of them.
fn principal_inertia(inertia: &Sym3, exponent: i8) -> (Quat, Vec3) {
    // Inertia over the size is at most 1. In units of 2⁻²⁴ the short axes of needles keep their digits.
    const UNIT: i8 = 24;
    let scaled = |v: Vec3| {
        let once = scale_by_power(v, -exponent);
        if exponent < 0 {
            scale_by_power(scale_by_power(once, -exponent), UNIT)
        } else {
            scale_by_power(once, UNIT - exponent)
        }
    };
    let unit = Sym3 { diagonal: scaled(inertia.diagonal), off: scaled(inertia.off) };
    let (axes, diagonal) = unit.principal();
    let one = Real::from_int(1 << UNIT);
    let least = one / MAX_INVERSE_INERTIA;
    let inverse = |i: Real| (one / i.max(least)).min(MAX_INVERSE_INERTIA);
    (axes, diagonal.map(inverse))
}
