//! Fields of each kind of row.

use super::parts::{METRES, Parts, SPEED, UNIT_LANE};
use super::{Row, RowText, Unit, Visitor};
use crate::Tick;
use crate::data::{FixedVec, Id};
use crate::math::{Real, Transform};
use crate::shape::Shape;
use crate::world::WorldDef;
use crate::world::events::{EventKind, EventRow, ImpactData};
use crate::world::frame::Place;
use crate::world::material::{Filter, Layers, Material, MaterialTable, Mixed};
use crate::world::rows::{
    BodyIndex, BodyKind, ColdRow, ContactPoint, ContactRow, HotRow, Overlap, PairKey, ShapeKey,
    ShapeRow, body_of,
};

/// Global settings of the world, without the material table.
#[derive(Clone)]
pub(crate) struct WorldRow {
    pub(crate) tick: Tick,
    pub(crate) def: WorldDef,
}

impl Row for WorldRow {
    const KEY: usize = 0;

    fn blank() -> Self {
        Self { tick: Tick(0), def: WorldDef::default() }
    }

    fn visit<V: Visitor>(&mut self, v: &mut V) {
        let Self { tick, def } = self;
        let WorldDef {
            gravity,
            tick_rate,
            substeps,
            max_push_out_speed,
            restitution_threshold,
            sleep_threshold,
            time_to_sleep,
            materials,
            layers,
        } = def;
        v.u32("tick", Unit::Count, &mut tick.0);
        v.vec3("gravity", Unit::Real("m/s²"), gravity);
        v.u32("tick_rate", Unit::Count, tick_rate);
        v.u32("substeps", Unit::Count, substeps);
        v.real("max_push_out_speed", Unit::Real("m/s"), max_push_out_speed);
        v.real("restitution_threshold", Unit::Real("m/s"), restitution_threshold);
        v.real("sleep_threshold", Unit::Real("m/s"), sleep_threshold);
        v.real("time_to_sleep", Unit::Real("s"), time_to_sleep);
        // Overrides have rows of their own.
        *materials = MaterialTable::default();
        let mut meets = *layers.meets();
        for (i, row) in meets.iter_mut().enumerate() {
            v.enter("layers", Some(i));
            v.u32("", Unit::Bits, row);
            v.leave();
        }
        if meets != *layers.meets() {
            match Layers::from_rows(meets) {
                Some(made) => *layers = made,
                None => v.refuse("layers"),
            }
        }
    }

    fn entity(_: &RowText<'_>) -> String {
        "world".to_owned()
    }
}

/// A pair of material tags and its override.
#[derive(Clone)]
pub(crate) struct OverrideRow {
    pub(crate) tags: [u16; 2],
    pub(crate) material: Material,
}

impl Row for OverrideRow {
    const KEY: usize = 4;

    fn blank() -> Self {
        Self { tags: [0; 2], material: Material::default() }
    }

    fn visit<V: Visitor>(&mut self, v: &mut V) {
        let Self { tags: [a, b], material } = self;
        *a = v.leaf("tag_a", Unit::Count, 2, u64::from(*a)) as u16;
        *b = v.leaf("tag_b", Unit::Count, 2, u64::from(*b)) as u16;
        v.material("", material);
    }

    fn entity(row: &RowText<'_>) -> String {
        format!("materials {}–{}", row.number(0), row.number(1))
    }
}

/// A body index and its generation.
#[derive(Clone)]
pub(crate) struct IdRow {
    pub(crate) index: BodyIndex,
    pub(crate) generation: u32,
}

impl Row for IdRow {
    const KEY: usize = 4;

    fn blank() -> Self {
        Self { index: BodyIndex::default(), generation: 0 }
    }

    fn visit<V: Visitor>(&mut self, v: &mut V) {
        let Self { index, generation } = self;
        v.body_index("index", Unit::Count, index);
        v.u32("generation", Unit::Count, generation);
    }

    fn entity(row: &RowText<'_>) -> String {
        format!("id {}", row.number(0))
    }
}

/// A row with its key: the index of its body or the key of its shape. In memory the position in the page replaces the key.
#[derive(Clone)]
pub(crate) struct Keyed<R: HasKey> {
    pub(crate) key: R::Key,
    pub(crate) row: R,
}

/// A row whose position replaces its key.
pub(crate) trait HasKey {
    type Key: Clone;
}

impl HasKey for HotRow {
    type Key = BodyIndex;
}

impl HasKey for ColdRow {
    type Key = BodyIndex;
}

impl HasKey for ShapeRow {
    type Key = ShapeKey;
}

/// Names of the components of [`HotRow::drift`].
const DRIFT: [&str; 6] = ["drift_x", "drift_y", "drift_z", "drift_1", "drift_2", "drift_3"];

impl Row for Keyed<HotRow> {
    const KEY: usize = 4;

    fn blank() -> Self {
        Self { key: BodyIndex::default(), row: HotRow::default() }
    }

    fn visit<V: Visitor>(&mut self, v: &mut V) {
        v.body_index("body", Unit::Body, &mut self.key);
        let HotRow { center, rotation, velocity, spin, still, drift, next } = &mut self.row;
        v.vec3("center", METRES, center);
        v.quat("rotation", None, rotation);
        v.lanes("velocity", SPEED, velocity);
        v.lanes("angular_velocity", Unit::Spin, spin);
        *still = v.leaf("still", Unit::Count, 2, u64::from(*still)) as u16;
        for (name, drift) in DRIFT.into_iter().zip(drift) {
            *drift = v.leaf(name, Unit::Count, 1, u64::from(drift.cast_unsigned())) as i8;
        }
        v.body_index("sleeps_with", Unit::Body, next);
    }

    fn entity(row: &RowText<'_>) -> String {
        format!("body {}", row.body(0))
    }
}

impl Row for Keyed<ColdRow> {
    const KEY: usize = 4;

    fn blank() -> Self {
        Self { key: BodyIndex::default(), row: ColdRow::default() }
    }

    fn visit<V: Visitor>(&mut self, v: &mut V) {
        const KINDS: [&str; 3] = ["fixed", "kinematic", "dynamic"];
        v.body_index("body", Unit::Body, &mut self.key);
        let ColdRow {
            kind,
            enabled,
            flags,
            locks,
            shapes,
            // Derived from the shapes.
            span: _,
            exponent,
            mass,
            local_center,
            principal,
            inverse_inertia,
            gravity_scale,
            linear_damping,
            angular_damping,
            speed_cap,
            user_data,
        } = &mut self.row;
        let all = [BodyKind::Fixed, BodyKind::Kinematic, BodyKind::Dynamic];
        v.choice("kind", &KINDS, &all, kind);
        v.flag("enabled", enabled);
        v.u8("flags", Unit::Bits, flags);
        v.u8("locks", Unit::Bits, locks);
        v.u8("shapes", Unit::Count, shapes);
        *exponent = v.leaf("exponent", Unit::Signed, 1, u64::from(*exponent as u8)) as u8 as i8;
        v.real("mass", Unit::Real("kg"), mass);
        v.vec3("local_center", METRES, local_center);
        v.quat("principal", None, principal);
        v.vec3("inverse_inertia", Unit::Real(""), inverse_inertia);
        v.real("gravity_scale", Unit::Real(""), gravity_scale);
        v.real("linear_damping", Unit::Real("1/s"), linear_damping);
        v.real("angular_damping", Unit::Real("1/s"), angular_damping);
        v.real("speed_cap", Unit::Real("m/s"), speed_cap);
        *user_data = v.leaf("user_data", Unit::Count, 8, *user_data);
    }

    fn entity(row: &RowText<'_>) -> String {
        format!("body {}", row.body(0))
    }
}

impl Row for Keyed<ShapeRow> {
    const KEY: usize = 4;

    fn blank() -> Self {
        let row = ShapeRow {
            row: 0,
            ordinal: 0,
            shape: Shape::HALF_SPACE,
            pose: Transform::IDENTITY,
            density: Real::ZERO,
            material: Material::default(),
            sensor: false,
            filter: Filter::default(),
        };
        Self { key: ShapeKey::default(), row }
    }

    fn visit<V: Visitor>(&mut self, v: &mut V) {
        v.shape_key("shape", &mut self.key);
        let ShapeRow { row, ordinal, shape, pose, density, material, sensor, filter } =
            &mut self.row;
        // Derived from the key.
        *row = Place::of(body_of(self.key)).row as u8;
        *ordinal = self.key.ordinal();
        v.geometry(shape);
        v.pose("pose", pose);
        v.real("density", Unit::Real("kg/m³"), density);
        v.material("material", material);
        v.flag("sensor", sensor);
        let Filter { layer, group } = filter;
        v.enter("filter", None);
        v.u8("layer", Unit::Count, layer);
        v.u32("group", Unit::Count, group);
        v.leave();
    }

    fn entity(row: &RowText<'_>) -> String {
        format!("shape {}", row.shape(0))
    }
}

fn pair_key<V: Visitor>(v: &mut V, key: &mut PairKey) {
    let [mut a, mut b] = key.shapes();
    v.shape_key("shape_a", &mut a);
    v.shape_key("shape_b", &mut b);
    *key = PairKey::new(a, b);
}

impl Row for ContactRow {
    const KEY: usize = 8;

    fn blank() -> Self {
        Self::default()
    }

    fn visit<V: Visitor>(&mut self, v: &mut V) {
        let Self {
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
        } = self;
        pair_key(v, key);
        let Mixed { friction: sliding, restitution, rolling: roll, spinning } = mixed;
        v.enter("material", None);
        v.lane("friction", UNIT_LANE, sliding);
        v.lane("restitution", UNIT_LANE, restitution);
        v.lane("rolling", UNIT_LANE, roll);
        v.lane("spinning", UNIT_LANE, spinning);
        v.leave();
        v.vec3("reference", METRES, reference);
        for (i, rotation) in rotations.iter_mut().enumerate() {
            v.quat("rotations", Some(i), rotation);
        }
        v.normal("normal", normal);
        v.flag("touching", touching);
        let count = v.leaf("point_count", Unit::Count, 1, points.len() as u64) as usize;
        let mut made = FixedVec::new();
        for i in 0..4 {
            v.enter("points", Some(i));
            let mut point = points.get(i).copied().unwrap_or_default();
            let ContactPoint { at, separation, feature, impulse, preload } = &mut point;
            v.i64s("at", METRES, at);
            *separation = v.leaf("separation", METRES, 8, *separation as u64) as i64;
            v.u32("feature", Unit::Count, feature);
            v.lane("impulse", SPEED, impulse);
            v.lane("preload", SPEED, preload);
            v.leave();
            if i < count {
                _ = made.push(point);
            } else if point != ContactPoint::default() {
                v.refuse("points");
            }
        }
        if count > 4 {
            v.refuse("point_count");
        }
        *points = made;
        v.lanes("friction", SPEED, friction);
        v.lane("twist", SPEED, twist);
        v.lanes("rolling", SPEED, rolling);
    }

    fn entity(row: &RowText<'_>) -> String {
        format!("contact {}", row.pair(0))
    }
}

impl Row for Overlap {
    const KEY: usize = 9;

    fn blank() -> Self {
        Self::default()
    }

    fn visit<V: Visitor>(&mut self, v: &mut V) {
        let Self { own, other, senses } = self;
        v.shape_key("own", own);
        v.shape_key("other", other);
        v.flag("senses", senses);
    }

    fn entity(row: &RowText<'_>) -> String {
        format!("overlap {}", row.pair(0))
    }
}

impl Row for EventRow {
    const KEY: usize = 9;

    fn blank() -> Self {
        let body = Id::from_bits(1 << 32).expect("the generation is odd");
        Self::body(EventKind::Woke, body)
    }

    fn visit<V: Visitor>(&mut self, v: &mut V) {
        let Self { kind, key, bodies, impact } = self;
        v.event_kind("kind", kind);
        pair_key(v, key);
        for (i, body) in bodies.iter_mut().enumerate() {
            v.enter("bodies", Some(i));
            match Id::from_bits(v.leaf("", Unit::Id, 8, body.to_bits())) {
                Ok(id) => *body = id,
                Err(_) => v.refuse("bodies"),
            }
            v.leave();
        }
        let ImpactData { speed, impulse, point, normal } = impact;
        v.enter("impact", None);
        v.lane("speed", SPEED, speed);
        v.real("impulse", Unit::Real("N·s"), impulse);
        v.vec3("point", METRES, point);
        v.normal("normal", normal);
        v.leave();
    }

    fn entity(row: &RowText<'_>) -> String {
        let (kind, bodies) = (row.text(0), [3, 4].map(|at| row.text(at)));
        if kind == EventKind::NAMES[EventKind::JointRemoved as usize] {
            return format!("event {kind} {}/{}", bodies[0], row.number(2));
        }
        if bodies[0] == bodies[1] {
            return format!("event {kind} {}", bodies[0]);
        }
        let ordinals = [1, 2].map(|at| ShapeKey::new(row.number(at)).ordinal());
        let [a, b] = &bodies;
        format!("event {kind} {a}.{}–{b}.{}", ordinals[0], ordinals[1])
    }
}
