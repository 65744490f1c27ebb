//! Mass, centre of mass and inertia of a body from its shapes, or as the game sets them. Also its size, in which the solver measures
//! spin.

use super::errors::CommandError;
use super::rows::{BodyKind, ColdRow, INERTIA_SET, MASS_SET, MAX_INVERSE_INERTIA, ShapeRow};
use super::scale_by_power;
use crate::math::{Quat, Real, Sym3, Transform, Vec3, saturate};
use crate::shape::{MassError, MassProperties, Shape};

/// Least m·4^exponent/I of an inertia that the game sets, 2⁻¹⁶: the solver's lanes have six more bits.
const MIN_INVERSE_INERTIA: Real = Real::from_bits(1 << 16);

/// Source of a body's inertia.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InertiaSource {
    /// The shapes, scaled to the body's mass.
    Shapes,
    /// Moments about the body's axes, kg·m².
    Moments(Vec3),
    /// The moments that the game has set before.
    AsSet,
}

/// Fields of a [`ColdRow`] that follow from mass and shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weight {
    mass: Real,
    pub(super) local_center: Vec3,
    pub(super) exponent: i8,
    principal: Quat,
    inverse_inertia: Vec3,
    flags: u8,
}

impl Weight {
    /// Computes the mass properties of a body; `mass` is the one that the game sets, and `old` the row before, for
    /// [`InertiaSource::AsSet`].
    pub(super) fn new(
        kind: BodyKind,
        shapes: &[ShapeRow],
        mass: Option<Real>,
        inertia: InertiaSource,
        old: &ColdRow,
    ) -> Result<Self, CommandError> {
        let properties = mass_properties(kind, shapes, mass)?;
        let local_center = properties.map_or(Vec3::ZERO, |properties| properties.center);
        let sizes = shapes.iter().map(|shape| (&shape.shape, &shape.pose));
        let exponent = size_exponent(sizes, local_center);
        let set = if mass.is_some() { MASS_SET } else { 0 };
        let Some(properties) = properties else {
            let (mass, inverse_inertia) = (Real::ZERO, Vec3::ZERO);
            let principal = Quat::IDENTITY;
            return Ok(Self { mass, local_center, exponent, principal, inverse_inertia, flags: 0 });
        };
        let mass = properties.mass;
        let (flags, (principal, inverse_inertia)) = match inertia {
            InertiaSource::Shapes => {
                (set, principal_inertia(&properties.inertia_per_mass, exponent))
            }
            InertiaSource::Moments(moments) => {
                (set | INERTIA_SET, (Quat::IDENTITY, inverse_moments(moments, mass, exponent)?))
            }
            InertiaSource::AsSet => {
                (set | INERTIA_SET, (Quat::IDENTITY, rescaled(old, mass, exponent)))
            }
        };
        Ok(Self { mass, local_center, exponent, principal, inverse_inertia, flags })
    }

    /// Sets the fields of a row.
    pub(super) const fn write(&self, row: &mut ColdRow) {
        let Self { mass, local_center, exponent, principal, inverse_inertia, flags } = *self;
        (row.mass, row.local_center, row.exponent) = (mass, local_center, exponent);
        (row.principal, row.inverse_inertia) = (principal, inverse_inertia);
        row.flags = row.flags & !(MASS_SET | INERTIA_SET) | flags;
    }
}

impl ColdRow {
    /// The mass that the game has set.
    pub(super) fn set_mass(&self) -> Option<Real> {
        (self.flags & MASS_SET != 0).then_some(self.mass)
    }

    pub(super) const fn inertia_source(&self) -> InertiaSource {
        if self.flags & INERTIA_SET == 0 { InertiaSource::Shapes } else { InertiaSource::AsSet }
    }

    /// Moments of inertia about the principal axes, kg·m², within the range that the game may set; zero for a body without a mass.
    pub(super) fn moments(&self) -> Vec3 {
        let whole = mass_times_size(self.mass, self.exponent);
        let (min, max) = moment_range(whole);
        self.inverse_inertia.map(|inverse| {
            let moment = whole.checked_div(i128::from(inverse.to_bits()));
            moment.map_or(Real::ZERO, |moment| Real::from_bits(saturate(moment)).clamp(min, max))
        })
    }
}

/// Computes the mass properties; `None` for a fixed or kinematic body without a valid mass.
fn mass_properties(
    kind: BodyKind,
    shapes: &[ShapeRow],
    mass: Option<Real>,
) -> Result<Option<MassProperties>, CommandError> {
    // The mass of a fixed or kinematic body may exceed the limit. Such a body can't become dynamic.
    let combined = match distribution(shapes, mass.is_some()) {
        Ok(combined) => combined,
        Err(_) if kind != BodyKind::Dynamic => None,
        Err(error) => return Err(error.into()),
    };
    let point =
        MassProperties { mass: Real::ONE, center: Vec3::ZERO, inertia_per_mass: Sym3::IDENTITY };
    match (mass, combined) {
        (Some(mass), combined) => Ok(Some(combined.unwrap_or(point).with_mass(mass)?)),
        (None, None) if kind == BodyKind::Dynamic => Err(CommandError::NoMass),
        (None, combined) => Ok(combined),
    }
}

/// Combines the shapes that have a mass. If the game sets the body's mass, only their ratios count, and each of them may be too
/// light or too heavy for a body.
fn distribution(
    shapes: &[ShapeRow],
    only_ratios: bool,
) -> Result<Option<MassProperties>, MassError> {
    let found = combine(shapes, 0, false);
    if !only_ratios || !matches!(found, Err(MassError::OutOfRange(_))) {
        return found;
    }
    // Powers of two change no ratio. Beside a shape that is too heavy, one that is too light has no effect.
    let lighter = (1..=12).map(|n| combine(shapes, 4 * n, false));
    let heavier = (1..=12).map(|n| combine(shapes, -4 * n, true));
    lighter.chain(heavier).find(|found| matches!(found, Ok(Some(_)))).unwrap_or(found)
}

/// Combines the shapes with densities times 2^power.
fn combine(
    shapes: &[ShapeRow],
    power: i32,
    skip_light: bool,
) -> Result<Option<MassProperties>, MassError> {
    let mut parts = Vec::with_capacity(shapes.len());
    for shape in shapes {
        // Sensors add no mass.
        if shape.sensor || shape.shape.is_unbounded() {
            continue;
        }
        let density = i128::from(shape.density.to_bits());
        let density = if power < 0 { density >> -power } else { density << power };
        let density = Real::from_bits(saturate(density));
        match MassProperties::of_shape(&shape.shape, &shape.pose, density) {
            Ok(part) => parts.push(part),
            Err(MassError::OutOfRange(mass)) if skip_light && mass < Real::ONE => {}
            Err(MassError::Density(_)) if skip_light && shape.density > Real::ZERO => {}
            Err(error) => return Err(error),
        }
    }
    MassProperties::combine(&parts)
}

/// The least exponent with 2^exponent at least the radius about the centre of mass.
pub(crate) fn size_exponent<'a>(
    shapes: impl Iterator<Item = (&'a Shape, &'a Transform)>,
    center: Vec3,
) -> i8 {
    let radius = shapes
        .filter_map(|(shape, pose)| {
            let radius = shape.extent().radius()?;
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

/// m·4^exponent with 64 fractional bits. Sizes are 2⁻¹⁰ to 2¹⁴ m, so at most 119 bits.
fn mass_times_size(mass: Real, exponent: i8) -> i128 {
    i128::from(mass.to_bits()) << (32 + 2 * i32::from(exponent))
}

/// Least and greatest moment of inertia that the game may set, by m·4^exponent.
fn moment_range(whole: i128) -> (Real, Real) {
    let [most, least] = [MAX_INVERSE_INERTIA, MIN_INVERSE_INERTIA].map(|c| i128::from(c.to_bits()));
    let min = saturate(whole / most + 1);
    (Real::from_bits(min), Real::from_bits(saturate(whole / least).max(min)))
}

/// m·4^exponent/I of moments that the game sets.
fn inverse_moments(moments: Vec3, mass: Real, exponent: i8) -> Result<Vec3, CommandError> {
    let whole = mass_times_size(mass, exponent);
    let [most, least] = [MAX_INVERSE_INERTIA, MIN_INVERSE_INERTIA].map(|c| i128::from(c.to_bits()));
    let (min, max) = moment_range(whole);
    let what = "a moment of inertia (kg·m²) of a body of this mass and size";
    for value in moments.to_array() {
        super::def::check_between(what, value, min, max)?;
    }
    let inverse = |moment: Real| (whole / i128::from(moment.to_bits())).clamp(least, most);
    Ok(moments.map(|moment| Real::from_bits(saturate(inverse(moment)))))
}

/// m·4^exponent/I of the moments of another row, for another mass and size.
fn rescaled(old: &ColdRow, mass: Real, exponent: i8) -> Vec3 {
    let [most, least] = [MAX_INVERSE_INERTIA, MIN_INVERSE_INERTIA].map(|c| i128::from(c.to_bits()));
    let by = 2 * (i32::from(exponent) - i32::from(old.exponent));
    old.inverse_inertia.map(|inverse| {
        let product = i128::from(inverse.to_bits()) * i128::from(mass.to_bits());
        let quotient = product / i128::from(old.mass.to_bits());
        // Values beyond the limits before the shift stay beyond them.
        let shifted = if by < 0 { quotient >> -by } else { quotient.min(most) << by };
        Real::from_bits(saturate(shifted.clamp(least, most)))
    })
}
