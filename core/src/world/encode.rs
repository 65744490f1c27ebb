//! The state as bytes: little-endian, fixed widths, no `usize`, every row and every field of it. What a digest is
//! taken of.

use super::events::{EventRow, Strike};
use super::material::{Combine, Filter, Material, Mixed};
use super::rows::{
    BodyKind, ColdRow, ContactPage, ContactRow, HotRow, Overlap, PAGE_ROWS, PairKey, ShapeRow,
};
use super::slot::{Slot, Stream};
use super::{World, WorldDef};
use crate::math::{Lane, Quat, Real, Transform, Vec3};
use crate::shape::Geometry;

impl World {
    /// Appends the state as bytes, this tick's commands included; the same on every machine.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut writer = Writer(out);
        writer.u32(self.tick);
        writer.def(&self.def);
        let Slot { streams, events } = &self.work;
        writer.u32(streams.len() as u32);
        for stream in streams {
            self.encode_stream(stream, &mut writer);
        }
        writer.u32(events.len() as u32);
        events.iter().for_each(|row| writer.event(row));
    }

    fn encode_stream(&self, stream: &Stream, writer: &mut Writer<'_>) {
        // Which bodies are active follows from the rows.
        let Stream { ids, hot, cold, contacts, active: _ } = stream;
        let generations = ids.generations();
        writer.u32(generations.len() as u32);
        generations.iter().for_each(|generation| writer.u32(*generation));
        for (hot, cold) in hot.iter().zip(cold) {
            let (hot, cold) = (self.store.hot.get(*hot), self.store.cold.get(*cold));
            writer.u32(cold.live);
            for row in (0..PAGE_ROWS).filter(|row| cold.live >> row & 1 == 1) {
                writer.hot(&hot.rows[row]);
                writer.cold(&cold.rows[row]);
            }
            cold.shapes.iter().for_each(|shape| writer.shape(shape));
        }
        for page in contacts {
            let ContactPage { rows, overlaps } = self.store.contacts.get(*page);
            // What a command made void is as good as gone.
            let counts = |key: PairKey| !self.pending.is_void(key);
            writer.u32(rows.iter().filter(|row| counts(row.key)).count() as u32);
            rows.iter().filter(|row| counts(row.key)).for_each(|row| writer.contact(row));
            writer.u32(overlaps.len() as u32);
            overlaps.iter().for_each(|overlap| writer.overlap(overlap));
        }
    }
}

struct Writer<'a>(&'a mut Vec<u8>);

impl Writer<'_> {
    fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn real(&mut self, value: Real) {
        self.u64(value.to_bits() as u64);
    }

    fn vec3(&mut self, value: Vec3) {
        value.to_array().into_iter().for_each(|c| self.real(c));
    }

    fn quat(&mut self, value: Quat) {
        value.to_bits().into_iter().for_each(|c| self.u32(c as u32));
    }

    fn pose(&mut self, value: &Transform) {
        self.vec3(value.translation);
        self.quat(value.rotation);
    }

    fn lanes<const F: u32>(&mut self, values: &[Lane<F>]) {
        values.iter().for_each(|lane| self.u32(lane.to_bits() as u32));
    }

    /// What holds for the whole world.
    fn def(&mut self, def: &WorldDef) {
        let WorldDef {
            gravity,
            tick_rate,
            substeps,
            push_speed,
            sleep_speed,
            sleep_after,
            impact_speed,
            materials,
            layers,
        } = def;
        self.vec3(*gravity);
        self.u32(*tick_rate);
        self.u32(*substeps);
        self.real(*push_speed);
        self.real(*sleep_speed);
        self.real(*sleep_after);
        self.real(*impact_speed);
        let overrides = materials.overrides();
        self.u32(overrides.len() as u32);
        for ((a, b), material) in overrides {
            self.u32(u32::from(*a) << 16 | u32::from(*b));
            self.material(material);
        }
        layers.meets().iter().for_each(|row| self.u32(*row));
    }

    fn material(&mut self, material: &Material) {
        let Material { friction, restitution, rolling, spinning, combine, tag, sensor } = material;
        for value in [friction, restitution, rolling, spinning] {
            self.real(*value);
        }
        self.u8(match combine {
            Combine::Average => 0,
            Combine::Min => 1,
            Combine::Multiply => 2,
            Combine::Max => 3,
        });
        self.u32(u32::from(*tag));
        self.u8(u8::from(*sensor));
    }

    fn hot(&mut self, row: &HotRow) {
        let HotRow { center, rotation, velocity, spin, still, next } = row;
        self.vec3(*center);
        self.quat(*rotation);
        self.lanes(velocity);
        self.lanes(spin);
        self.u32(u32::from(*still));
        self.u32(*next);
    }

    // Rows are taken apart by pattern, so that a new field that is not written does not compile.

    fn cold(&mut self, row: &ColdRow) {
        let ColdRow {
            kind,
            enabled,
            flags,
            locks,
            shapes,
            exponent,
            mass,
            local_center,
            response,
            gravity_scale,
            linear_damping,
            angular_damping,
            speed_cap,
            user_data,
        } = row;
        let kind = match kind {
            BodyKind::Static => 0,
            BodyKind::Kinematic => 1,
            BodyKind::Dynamic => 2,
        };
        let bytes = [kind, u8::from(*enabled), *flags, *locks, *shapes, *exponent as u8];
        self.0.extend_from_slice(&bytes);
        self.real(*mass);
        self.vec3(*local_center);
        self.lanes(response);
        for value in [gravity_scale, linear_damping, angular_damping, speed_cap] {
            self.real(*value);
        }
        self.u64(*user_data);
    }

    fn shape(&mut self, row: &ShapeRow) {
        let ShapeRow { row, ordinal, shape, pose, material, filter } = row;
        self.u8(*row);
        self.u8(*ordinal);
        match *shape.geometry() {
            Geometry::Sphere { radius } => {
                self.u8(0);
                self.real(radius);
            }
            Geometry::Cuboid { half } => {
                self.u8(1);
                self.vec3(half);
            }
            Geometry::Capsule { half_length, radius } => {
                self.u8(2);
                self.real(half_length);
                self.real(radius);
            }
            Geometry::HalfSpace => self.u8(3),
        }
        self.pose(pose);
        self.material(material);
        let Filter { layer, group } = filter;
        self.u8(*layer);
        self.u32(*group);
    }

    fn contact(&mut self, row: &ContactRow) {
        let ContactRow {
            key,
            mixed,
            normal,
            points,
            reference,
            rotations,
            friction,
            twist,
            rolling,
            touching,
        } = row;
        self.u64(key.0);
        let Mixed { friction: sliding, restitution, rolling: roll, spinning } = mixed;
        self.lanes(&[*sliding, *restitution, *roll, *spinning]);
        normal.iter().for_each(|c| self.u32(*c as u32));
        self.vec3(*reference);
        rotations.iter().for_each(|rotation| self.quat(*rotation));
        self.u8(points.len() as u8);
        for point in points {
            point.made.at.iter().for_each(|c| self.u64(*c as u64));
            self.u64(point.made.separation as u64);
            self.u32(point.made.feature);
            self.lanes(&[point.impulse]);
        }
        self.lanes(friction);
        self.lanes(&[*twist]);
        self.lanes(rolling);
        self.u8(u8::from(*touching));
    }

    fn overlap(&mut self, overlap: &Overlap) {
        let Overlap { own, other, senses } = overlap;
        self.u32(*own);
        self.u32(*other);
        self.u8(u8::from(*senses));
    }

    fn event(&mut self, row: &EventRow) {
        let EventRow { kind, key, bodies, strike } = row;
        self.u8(*kind as u8);
        self.u64(key.0);
        bodies.iter().for_each(|id| self.u64(id.to_bits()));
        let Strike { speed, impulse, point, normal } = strike;
        self.lanes(&[*speed]);
        self.real(*impulse);
        self.vec3(*point);
        normal.iter().for_each(|c| self.u32(*c as u32));
    }
}
