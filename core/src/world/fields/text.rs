//! Readable text for the bits of a field.

use super::{Field, Unit};
use crate::data::Id;
use crate::math::Real;
use crate::world::events::EventKind;
use crate::world::rows::{BodyIndex, ShapeKey, body_of};

/// Inputs of a field's text besides its bits.
pub(crate) struct Context<'a> {
    /// The live id at an index.
    pub(crate) id_at: &'a dyn Fn(BodyIndex) -> Option<Id>,
    /// Size exponent of the row's body, by which its spin is scaled.
    pub(crate) exponent: i8,
}

impl Context<'_> {
    /// Text for a body by index: its id if it is live.
    pub(crate) fn body(&self, index: BodyIndex) -> String {
        (self.id_at)(index).map_or_else(|| index.get().to_string(), |id| id.to_string())
    }

    /// Text for a shape by key, like `7v1.0`.
    pub(crate) fn shape(&self, key: ShapeKey) -> String {
        format!("{}.{}", self.body(body_of(key)), key.ordinal())
    }
}

/// A row's bytes with their fields, for the name of its entity.
pub(crate) struct RowText<'a> {
    pub(crate) fields: &'a [Field],
    pub(crate) row: &'a [u8],
    pub(crate) context: &'a Context<'a>,
}

impl RowText<'_> {
    /// The bits of a field.
    pub(crate) fn number(&self, at: usize) -> u32 {
        self.fields[at].bits(self.row) as u32
    }

    /// The text of a field.
    pub(crate) fn text(&self, at: usize) -> String {
        let field = &self.fields[at];
        text(field.unit, field.bits(self.row), self.context)
    }

    /// The id of the body whose index is in a field, like `7v1`.
    pub(crate) fn body(&self, at: usize) -> String {
        self.context.body(BodyIndex::new(self.number(at)))
    }

    /// The shape whose key is in a field, like `7v1.0`.
    pub(crate) fn shape(&self, at: usize) -> String {
        self.context.shape(ShapeKey::new(self.number(at)))
    }

    /// The shapes whose keys are in two adjacent fields.
    pub(crate) fn pair(&self, at: usize) -> String {
        format!("{}–{}", self.shape(at), self.shape(at + 1))
    }
}

/// Returns the text for a field's bits.
pub(crate) fn text(unit: Unit, bits: u64, context: &Context<'_>) -> String {
    let with = |value: Real, unit: &str| {
        if unit.is_empty() { value.to_string() } else { format!("{value} {unit}") }
    };
    let lane = |fraction: u32| Real::from_bits(i64::from(bits as u32 as i32) << (32 - fraction));
    match unit {
        Unit::Count => bits.to_string(),
        Unit::Signed => (bits as u8 as i8).to_string(),
        Unit::Real(unit) => with(Real::from_bits(bits as i64), unit),
        Unit::Lane(fraction, unit) => with(lane(fraction), unit),
        Unit::Spin => {
            let scale = 32 - i32::from(context.exponent).clamp(-30, 30);
            with(lane(20) * Real::from_bits(1 << scale.min(62)), "rad/s")
        }
        Unit::Flag => match bits {
            0 => "no".to_owned(),
            1 => "yes".to_owned(),
            _ => format!("neither yes nor no ({bits})"),
        },
        Unit::Bits => format!("{bits:#b}"),
        Unit::Body => format!("body {}", context.body(BodyIndex::new(bits as u32))),
        Unit::Shape => format!("shape {}", context.shape(ShapeKey::new(bits as u32))),
        Unit::Id => {
            Id::from_bits(bits).map_or_else(|_| format!("no id ({bits:#x})"), |id| id.to_string())
        }
        Unit::Choice(names) => choice(names, bits),
        Unit::Event => choice(&EventKind::NAMES, bits),
    }
}

/// The name of one of several values.
fn choice(names: &[&str], bits: u64) -> String {
    names.get(usize::try_from(bits).unwrap_or(usize::MAX)).map_or_else(
        || format!("none of the {} there are ({bits})", names.len()),
        |name| (*name).to_owned(),
    )
}
