//! Mass, centre of mass and inertia of shapes and compound bodies.

use super::Shape;
use crate::math::{Real, Sym3, Transform, Vec3};
use core::fmt;
use serde::{Deserialize, Serialize};

/// Error of computing or setting the mass of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MassError {
    /// The mass is zero, negative or out of range.
    #[error(
        "a mass of {} kg is out of range; it must lie between 0.0000001 and 100000000 kg: set the mass of the body, or change density or size",
        Saturated(*.0)
    )]
    OutOfRange(Real),
    /// The density is zero or negative.
    #[error("a shape has a density of {0} kg/m³; give it a density above zero")]
    Density(Real),
    /// A half space has no finite mass.
    #[error("a half space has no mass; put it on a fixed or kinematic body")]
    HalfSpace,
    /// The inertia is not positive on every axis.
    #[error("the inertia is not positive on every axis; each diagonal entry must be above zero")]
    Inertia,
}

/// The least mass of a dynamic body, 10⁻⁷ kg, as it is rounded.
pub(crate) const MIN_MASS: Real = Real::from_bits(429);
/// The greatest mass of a dynamic body, 10⁸ kg.
pub(crate) const MAX_MASS: Real = Real::from_int(100_000_000);

/// Mass, centre of mass and inertia of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MassProperties {
    /// Kilograms.
    pub mass: Real,
    /// Centre of mass, metres from the body's origin.
    pub center: Vec3,
    /// Inertia about the centre of mass divided by the mass, m². Light and heavy bodies therefore
    /// have the same precision.
    pub inertia_per_mass: Sym3,
}

/// Prints a mass that may exceed the range of [`Real`].
struct Saturated(Real);

impl fmt::Display for Saturated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = i32::MAX;
        if self.0 < Real::from_int(most) { self.0.fmt(f) } else { write!(f, "more than {most}") }
    }
}

impl MassProperties {
    /// The mass properties of a shape of the given density (kg/m³) at a pose in its body.
    ///
    /// # Errors
    /// For half spaces, densities that are not positive, and masses out of range.
    pub fn of_shape(shape: &Shape, pose: &Transform, density: Real) -> Result<Self, MassError> {
        if density <= Real::ZERO {
            return Err(MassError::Density(density));
        }
        let (mass, inertia) = shape.weigh(density).ok_or(MassError::HalfSpace)?;
        check_mass(mass)?;
        let inertia_per_mass = Sym3::diagonal(inertia).rotated(pose.rotation);
        Ok(Self { mass, center: pose.translation, inertia_per_mass })
    }

    /// The same mass distribution with another mass.
    ///
    /// # Errors
    /// If the mass is out of range.
    pub fn with_mass(self, mass: Real) -> Result<Self, MassError> {
        check_mass(mass)?;
        Ok(Self { mass, ..self })
    }

    /// Combines several parts into one body; `None` for no parts.
    ///
    /// # Errors
    /// If the sum is out of range.
    pub fn combine(parts: &[Self]) -> Result<Option<Self>, MassError> {
        let [first, rest @ ..] = parts else { return Ok(None) };
        let mass = rest.iter().fold(first.mass, |sum, part| sum.saturating_add(part.mass));
        check_mass(mass)?;
        if rest.is_empty() {
            return Ok(Some(*first));
        }
        let share = |part: &Self| part.mass / mass;
        let center = parts.iter().map(|part| part.center * share(part)).sum();
        let inertia_per_mass = parts.iter().fold(Sym3::ZERO, |sum, part| {
            let moved = part.inertia_per_mass + point_inertia(part.center - center);
            sum + scaled(moved, share(part))
        });
        Ok(Some(Self { mass, center, inertia_per_mass }))
    }
}

fn check_mass(mass: Real) -> Result<(), MassError> {
    if (MIN_MASS..=MAX_MASS).contains(&mass) { Ok(()) } else { Err(MassError::OutOfRange(mass)) }
}

/// The inertia of one kilogram at a point: r²·1 − r·rᵀ.
fn point_inertia(r: Vec3) -> Sym3 {
    let square = r.scale(r);
    Sym3 {
        diagonal: Vec3::new(square.y + square.z, square.x + square.z, square.x + square.y),
        off: -Vec3::new(r.y * r.z, r.x * r.z, r.x * r.y),
    }
}

fn scaled(tensor: Sym3, factor: Real) -> Sym3 {
    Sym3 { diagonal: tensor.diagonal * factor, off: tensor.off * factor }
}
