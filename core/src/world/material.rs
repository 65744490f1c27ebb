//! Surfaces and who meets whom: materials, how two of them mix, layers and groups. All data, no callbacks.

use crate::math::{Q30, Real};
use serde::{Deserialize, Serialize};

/// A coefficient that a material can't have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is {value}; it must lie between 0 and {limit}")]
pub struct MaterialError {
    /// Which coefficient.
    pub what: &'static str,
    /// What it was.
    pub value: Real,
    /// The largest value it can have.
    pub limit: Real,
}

/// How the coefficients of two materials become one. Of two rules the later one in this list counts.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[non_exhaustive]
pub enum Combine {
    /// The mean.
    #[default]
    Average,
    /// The smaller one.
    Min,
    /// The product; a friction beyond 1.9 becomes 1.9.
    Multiply,
    /// The larger one.
    Max,
}

/// What a surface is like.
///
/// ```
/// use isostep_core::real;
/// use isostep_core::world::{Combine, Material};
/// // A ball that bounces off everything, whatever the other surface says.
/// let rubber = Material { restitution: real!(0.75), combine: Combine::Max, ..Material::default() };
/// assert!(rubber.friction > real!(0.5) && !rubber.sensor);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[must_use]
pub struct Material {
    /// Coulomb friction, 0 to 1.9; the default is 0.6. What slides is braked straight by this; what rests is held by 0.93 to 1.05 of it,
    /// depending on the direction.
    pub friction: Real,
    /// How much of an impact's speed comes back, 0 to 1; the default is 0. By default two surfaces take the mean: for a ball
    /// that bounces on any floor give it [`Combine::Max`].
    pub restitution: Real,
    /// Resistance to rolling: the torque's arm as a share of the contact's size, 0 to 1; the default is 0.
    pub rolling: Real,
    /// Resistance to turning on the spot of a contact with one point: likewise, 0 to 1; the default is 0.
    pub spinning: Real,
    /// How coefficients of two materials become one; the default is [`Combine::Average`].
    pub combine: Combine,
    /// A name in the table of overrides, or 0 for none.
    pub tag: u16,
    /// Whether it tells what is inside it and pushes nothing.
    pub sensor: bool,
}

impl Default for Material {
    /// Friction 0.6, [`Combine::Average`], and nothing else.
    fn default() -> Self {
        Self {
            friction: Real::ratio(6, 10),
            restitution: Real::ZERO,
            rolling: Real::ZERO,
            spinning: Real::ZERO,
            combine: Combine::Average,
            tag: 0,
            sensor: false,
        }
    }
}

const MAX_FRICTION: Real = Real::ratio(19, 10);

/// The largest friction that a contact can have.
pub(crate) const MAX_FRICTION_LANE: Q30 = Q30::from_real_saturating(MAX_FRICTION);

impl Material {
    /// The material of a sensor: it tells what is inside it and pushes nothing.
    pub fn sensor() -> Self {
        Self { sensor: true, ..Self::default() }
    }

    /// Checks the coefficients.
    ///
    /// # Errors
    /// When one is outside its range.
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

/// The coefficients of a contact, as the solver uses them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Mixed {
    pub(crate) friction: Q30,
    pub(crate) restitution: Q30,
    pub(crate) rolling: Q30,
    pub(crate) spinning: Q30,
}

/// Coefficients for chosen pairs of material tags, instead of what combining would give.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaterialTable {
    /// Sorted by the pair of tags, lower first.
    overrides: Vec<((u16, u16), Material)>,
}

impl MaterialTable {
    /// Has contacts between two tags use this material.
    ///
    /// # Errors
    /// When a coefficient is outside its range.
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
        let rule = a.combine.max(b.combine);
        Self::lanes(|of| match rule {
            Combine::Average => (of(a) + of(b)) * Real::HALF,
            Combine::Min => of(a).min(of(b)),
            Combine::Multiply => of(a) * of(b),
            Combine::Max => of(a).max(of(b)),
        })
    }

    /// The coefficients in lanes. A product of two frictions may be beyond what one material can have, which is what the
    /// solver has room for; it becomes the largest.
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

/// Which shapes meet: those whose layers meet, and that no group keeps apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[must_use]
pub struct Filter {
    /// The layer, 0 to 31; the world's [`Layers`] say which of them meet.
    pub layer: u8,
    /// Shapes with the same group other than 0 never meet (the parts of one machine).
    pub group: u32,
}

/// Which layers meet. By default all do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layers {
    meets: [u32; 32],
}

/// A layer that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no layer {0}; layers are numbered 0 to 31")]
pub struct NoSuchLayer(pub u8);

impl Default for Layers {
    fn default() -> Self {
        Self { meets: [u32::MAX; 32] }
    }
}

impl Layers {
    /// Says whether two layers meet.
    ///
    /// # Errors
    /// When a layer does not exist.
    pub fn set(&mut self, a: u8, b: u8, meet: bool) -> Result<(), NoSuchLayer> {
        for layer in [a, b] {
            check_layer(layer)?;
        }
        for (a, b) in [(a, b), (b, a)] {
            let row = &mut self.meets[usize::from(a)];
            *row = if meet { *row | 1 << b } else { *row & !(1 << b) };
        }
        Ok(())
    }

    /// Layers with these rows of bits, if two layers meet each other or neither meets the other.
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
