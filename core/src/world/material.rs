//! Materials, how two of them combine, collision layers and groups. Data only, no callbacks.

use crate::math::{Q30, Real};
use serde::{Deserialize, Serialize};

/// Error: a coefficient of a material is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is {value}; it must lie between 0 and {limit}")]
pub struct MaterialError {
    /// Name of the coefficient.
    pub what: &'static str,
    /// Rejected value.
    pub value: Real,
    /// Upper limit. The lower limit is 0.
    pub limit: Real,
}

/// Rule that combines the coefficients of two materials. If two materials have different rules, the later one in this list
/// applies, as in Rapier.
#[doc(alias("CoefficientCombineRule", "CombineMode"))]
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[non_exhaustive]
pub enum Combine {
    /// Arithmetic mean.
    #[default]
    Average,
    /// Smaller value.
    Min,
    /// Product. Friction is limited to 1.9.
    Multiply,
    /// Larger value.
    Max,
}

/// Surface properties of a shape.
///
/// ```
/// use isostep_core::real;
/// use isostep_core::world::{Combine, Material};
/// // A ball that bounces off every surface, whatever the other material is. Its friction follows from both materials.
/// let rubber = Material { restitution: real!(0.75), ..Material::default() };
/// let rubber = rubber.restitution_combine(Combine::Max);
/// assert_eq!(rubber.friction_combine, Combine::Average);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[must_use]
pub struct Material {
    /// Coulomb friction coefficient, 0 to 1.9. The default is 0.6. Sliding friction opposes the motion exactly. Static friction is
    /// limited by a polygon of 16 sides: 1 to 1.02 of the coefficient, depending on the direction.
    pub friction: Real,
    /// Fraction of the approach speed that is restored, 0 to 1. The default is 0. Two materials take the mean by default: use
    /// [`Combine::Max`] as `restitution_combine` for a ball that bounces on any floor.
    pub restitution: Real,
    /// Rolling friction: arm of the torque as a fraction of the contact's size, 0 to 1. The default is 0.
    pub rolling: Real,
    /// Friction against spinning about the normal, for contacts with one point: a fraction like `rolling`, 0 to 1. The default is 0.
    pub spinning: Real,
    /// Rule for `friction`, `rolling` and `spinning` of two materials. The default is [`Combine::Average`], as in Rapier. `Box2D`
    /// takes the geometric mean.
    pub friction_combine: Combine,
    /// Rule for `restitution` of two materials. The default is [`Combine::Average`], as in Rapier. `Box2D` takes the larger value:
    /// [`Combine::Max`].
    pub restitution_combine: Combine,
    /// Tag for the [`MaterialTable`], or 0 for none.
    pub tag: u16,
}

impl Default for Material {
    /// Friction 0.6, [`Combine::Average`] for friction and restitution, all else zero.
    fn default() -> Self {
        Self {
            friction: Real::ratio(6, 10),
            restitution: Real::ZERO,
            rolling: Real::ZERO,
            spinning: Real::ZERO,
            friction_combine: Combine::Average,
            restitution_combine: Combine::Average,
            tag: 0,
        }
    }
}

const MAX_FRICTION: Real = Real::ratio(19, 10);

/// Largest friction coefficient of a contact.
pub(crate) const MAX_FRICTION_LANE: Q30 = Q30::from_real_saturating(MAX_FRICTION);

impl Material {
    /// Sets the rule for friction.
    pub const fn friction_combine(mut self, rule: Combine) -> Self {
        self.friction_combine = rule;
        self
    }

    /// Sets the rule for restitution.
    pub const fn restitution_combine(mut self, rule: Combine) -> Self {
        self.restitution_combine = rule;
        self
    }

    /// Checks the ranges of the coefficients.
    ///
    /// # Errors
    /// If a coefficient is out of range.
    #[doc(hidden)]
    pub fn check(&self) -> Result<(), MaterialError> {
        for (what, value, limit) in [
            ("friction", self.friction, MAX_FRICTION),
            ("restitution", self.restitution, Real::ONE),
            ("rolling friction", self.rolling, Real::ONE),
            ("spinning friction", self.spinning, Real::ONE),
        ] {
            if !(Real::ZERO..=limit).contains(&value) {
                return Err(MaterialError { what, value, limit });
            }
        }
        Ok(())
    }
}

/// Combined coefficients of a contact, in the solver's format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Mixed {
    pub(crate) friction: Q30,
    pub(crate) restitution: Q30,
    pub(crate) rolling: Q30,
    pub(crate) spinning: Q30,
}

/// Coefficients for chosen pairs of material tags. They replace the combined coefficients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaterialTable {
    /// Sorted by the pair of tags, lower first.
    overrides: Vec<((u16, u16), Material)>,
}

impl MaterialTable {
    /// Sets the material for contacts between two tags.
    ///
    /// # Errors
    /// If a coefficient is out of range.
    pub fn set(&mut self, a: u16, b: u16, material: Material) -> Result<(), MaterialError> {
        material.check()?;
        let key = (a.min(b), a.max(b));
        match self.overrides.binary_search_by_key(&key, |entry| entry.0) {
            Ok(place) => self.overrides[place].1 = material,
            Err(place) => self.overrides.insert(place, (key, material)),
        }
        Ok(())
    }

    pub(crate) fn overrides(&self) -> &[((u16, u16), Material)] {
        &self.overrides
    }

    pub(crate) fn mix(&self, a: &Material, b: &Material) -> Mixed {
        let key = (a.tag.min(b.tag), a.tag.max(b.tag));
        if key.1 != 0
            && let Ok(place) = self.overrides.binary_search_by_key(&key, |entry| entry.0)
        {
            let material = &self.overrides[place].1;
            return Self::lanes(|of| of(material));
        }
        let combine = |rule: Combine, a: Real, b: Real| match rule {
            Combine::Average => (a + b) * Real::HALF,
            Combine::Min => a.min(b),
            Combine::Multiply => a * b,
            Combine::Max => a.max(b),
        };
        let friction = a.friction_combine.max(b.friction_combine);
        let by_friction = Self::lanes(|of| combine(friction, of(a), of(b)));
        let rule = a.restitution_combine.max(b.restitution_combine);
        let restitution = combine(rule, a.restitution, b.restitution);
        Mixed { restitution: Q30::from_real_saturating(restitution), ..by_friction }
    }

    /// Converts coefficients to lanes. The product of two friction coefficients may exceed the solver's range; it is limited to
    /// the largest.
    fn lanes(value: impl Fn(fn(&Material) -> Real) -> Real) -> Mixed {
        let lane = |of| Q30::from_real_saturating(value(of));
        Mixed {
            friction: lane(|m| m.friction).min(MAX_FRICTION_LANE),
            restitution: lane(|m| m.restitution),
            rolling: lane(|m| m.rolling),
            spinning: lane(|m| m.spinning),
        }
    }
}

/// Collision filter of a shape. Two shapes collide if their layers do and they are not in the same group.
#[doc(alias("InteractionGroups", "CollisionGroups", "b2Filter"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[must_use]
pub struct Filter {
    /// Layer, 0 to 31. The world's [`Layers`] define which layers collide.
    pub layer: u8,
    /// Group. Shapes with the same nonzero group never collide, such as the parts of one machine.
    pub group: u32,
}

/// Layer matrix: pairs of layers that collide. By default all do.
#[doc(alias("ObjectLayerPairFilter", "collision_matrix"))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layers {
    meets: [u32; 32],
}

/// Error: the layer does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no layer {0}; layers are numbered 0 to 31")]
pub struct NoSuchLayer(pub u8);

impl Default for Layers {
    fn default() -> Self {
        Self { meets: [u32::MAX; 32] }
    }
}

impl Layers {
    /// Sets whether two layers collide.
    ///
    /// # Errors
    /// If a layer does not exist.
    pub fn set(&mut self, a: u8, b: u8, collide: bool) -> Result<(), NoSuchLayer> {
        for layer in [a, b] {
            check_layer(layer)?;
        }
        for (a, b) in [(a, b), (b, a)] {
            let row = &mut self.meets[usize::from(a)];
            *row = if collide { *row | 1 << b } else { *row & !(1 << b) };
        }
        Ok(())
    }

    /// Returns whether two layers collide.
    ///
    /// # Errors
    /// If a layer does not exist.
    pub fn collide(&self, a: u8, b: u8) -> Result<bool, NoSuchLayer> {
        check_layer(a)?;
        check_layer(b)?;
        Ok(self.meets[usize::from(a)] >> b & 1 == 1)
    }

    /// Returns layers with these rows of bits, or `None` if the matrix is not symmetric.
    pub(crate) fn from_rows(meets: [u32; 32]) -> Option<Self> {
        let bit = |a: usize, b: usize| meets[a] >> b & 1;
        let symmetric = (0..32).all(|a| (0..a).all(|b| bit(a, b) == bit(b, a)));
        symmetric.then_some(Self { meets })
    }

    pub(crate) const fn meets(&self) -> &[u32; 32] {
        &self.meets
    }

    pub(crate) fn allow(&self, a: Filter, b: Filter) -> bool {
        self.meets[usize::from(a.layer)] >> b.layer & 1 == 1 && (a.group == 0 || a.group != b.group)
    }
}

pub(crate) fn check_layer(layer: u8) -> Result<(), NoSuchLayer> {
    if layer < 32 { Ok(()) } else { Err(NoSuchLayer(layer)) }
}
