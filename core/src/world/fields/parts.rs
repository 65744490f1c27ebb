//! Fields shared by several kinds of rows: numbers, vectors, rotations, materials, shapes.

use super::{Unit, Visitor};
use crate::math::{Lane, Quat, Real, Transform, Vec3};
use crate::shape::{Kind, Shape};
use crate::world::events::EventKind;
use crate::world::material::{Combine, Material};
use crate::world::rows::{BodyIndex, ShapeKey};

const AXES: [&str; 3] = ["x", "y", "z"];
pub(super) const METRES: Unit = Unit::Real("m");
pub(super) const SPEED: Unit = Unit::Lane(20, "m/s");
pub(super) const UNIT_LANE: Unit = Unit::Lane(30, "");

/// Fields shared by several kinds of rows.
pub(crate) trait Parts: Visitor + Sized {
    fn u8(&mut self, name: &'static str, unit: Unit, value: &mut u8) {
        *value = self.leaf(name, unit, 1, u64::from(*value)) as u8;
    }

    fn u32(&mut self, name: &'static str, unit: Unit, value: &mut u32) {
        *value = self.leaf(name, unit, 4, u64::from(*value)) as u32;
    }

    fn body_index(&mut self, name: &'static str, unit: Unit, index: &mut BodyIndex) {
        let mut number = index.get();
        self.u32(name, unit, &mut number);
        *index = BodyIndex::new(number);
    }

    fn shape_key(&mut self, name: &'static str, key: &mut ShapeKey) {
        let mut number = key.get();
        self.u32(name, Unit::Shape, &mut number);
        *key = ShapeKey::new(number);
    }

    fn i32(&mut self, name: &'static str, unit: Unit, value: &mut i32) {
        *value = self.leaf(name, unit, 4, u64::from(*value as u32)) as i32;
    }

    fn flag(&mut self, name: &'static str, value: &mut bool) {
        let bits = self.leaf(name, Unit::Flag, 1, u64::from(*value));
        *value = bits & 1 == 1;
        if bits > 1 {
            self.refuse(name);
        }
    }

    fn real(&mut self, name: &'static str, unit: Unit, value: &mut Real) {
        *value = Real::from_bits(self.leaf(name, unit, 8, value.to_bits() as u64) as i64);
    }

    fn i64s(&mut self, name: &'static str, unit: Unit, values: &mut [i64; 3]) {
        self.enter(name, None);
        for (value, axis) in values.iter_mut().zip(AXES) {
            *value = self.leaf(axis, unit, 8, *value as u64) as i64;
        }
        self.leave();
    }

    fn vec3(&mut self, name: &'static str, unit: Unit, value: &mut Vec3) {
        let mut bits = value.to_bits();
        self.i64s(name, unit, &mut bits);
        *value = Vec3::from_bits(bits);
    }

    fn lane<const F: u32>(&mut self, name: &'static str, unit: Unit, value: &mut Lane<F>) {
        let mut bits = value.to_bits();
        self.i32(name, unit, &mut bits);
        *value = Lane::from_bits(bits);
    }

    fn lanes<const F: u32>(&mut self, name: &'static str, unit: Unit, values: &mut [Lane<F>; 3]) {
        self.enter(name, None);
        for (value, axis) in values.iter_mut().zip(AXES) {
            self.lane(axis, unit, value);
        }
        self.leave();
    }

    fn normal(&mut self, name: &'static str, values: &mut [i32; 3]) {
        self.enter(name, None);
        for (value, axis) in values.iter_mut().zip(AXES) {
            self.i32(axis, UNIT_LANE, value);
        }
        self.leave();
    }

    fn quat(&mut self, name: &'static str, index: Option<usize>, value: &mut Quat) {
        self.enter(name, index);
        let old = value.to_bits();
        let mut bits = old;
        for (value, axis) in bits.iter_mut().zip(["x", "y", "z", "w"]) {
            self.i32(axis, UNIT_LANE, value);
        }
        self.leave();
        if bits != old {
            match Quat::from_bits(bits) {
                Ok(quat) => *value = quat,
                Err(_) => self.refuse(name),
            }
        }
    }

    fn pose(&mut self, name: &'static str, value: &mut Transform) {
        self.enter(name, None);
        self.vec3("translation", METRES, &mut value.translation);
        self.quat("rotation", None, &mut value.rotation);
        self.leave();
    }

    /// Visits one of several values, stored as its position among them.
    fn choice<T: Copy + PartialEq>(
        &mut self,
        name: &'static str,
        names: &'static [&'static str],
        all: &[T],
        value: &mut T,
    ) {
        let place = all.iter().position(|one| one == value).unwrap_or_default();
        let place = self.leaf(name, Unit::Choice(names), 1, place as u64);
        match usize::try_from(place).ok().and_then(|place| all.get(place)) {
            Some(chosen) => *value = *chosen,
            None => self.refuse(name),
        }
    }

    fn event_kind(&mut self, name: &'static str, kind: &mut EventKind) {
        let number = self.leaf(name, Unit::Event, 1, *kind as u64);
        match usize::try_from(number).ok().and_then(|number| EventKind::ALL.get(number)) {
            Some(chosen) => *kind = *chosen,
            None => self.refuse(name),
        }
    }

    fn material(&mut self, name: &'static str, material: &mut Material) {
        const RULES: [&str; 4] = ["average", "min", "multiply", "max"];
        let Material {
            friction,
            restitution,
            rolling,
            spinning,
            friction_combine,
            restitution_combine,
            tag,
        } = material;
        self.enter(name, None);
        self.real("friction", Unit::Real(""), friction);
        self.real("restitution", Unit::Real(""), restitution);
        self.real("rolling", Unit::Real(""), rolling);
        self.real("spinning", Unit::Real(""), spinning);
        let all = [Combine::Average, Combine::Min, Combine::Multiply, Combine::Max];
        self.choice("friction_combine", &RULES, &all, friction_combine);
        self.choice("restitution_combine", &RULES, &all, restitution_combine);
        *tag = self.leaf("tag", Unit::Count, 2, u64::from(*tag)) as u16;
        self.leave();
    }

    fn geometry(&mut self, shape: &mut Shape) {
        let (kind, mut sizes) = shape.encode();
        let kind = self.leaf("shape", Unit::Choice(&Kind::NAMES), 1, kind as u64);
        self.vec3("size", METRES, &mut sizes);
        let Some(kind) = usize::try_from(kind).ok().and_then(|kind| Kind::ALL.get(kind)) else {
            return self.refuse("shape");
        };
        match Shape::decode(*kind, sizes) {
            Some(made) => *shape = made,
            None => self.refuse("size"),
        }
    }
}

impl<V: Visitor> Parts for V {}
