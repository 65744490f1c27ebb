//! Body definitions from five bytes: kind and shapes, place, surface, traits, motion.

use isostep_core::shape::{MAX_SIZE, MIN_SIZE, Shape};
use isostep_core::world::{
    BodyDef, BodyKind, Combine, Filter, Locks, MAX_SPEED, Material, ShapeDef, WORLD_LIMIT,
};
use isostep_core::{Quat, Real, Vec3};

/// Arguments of a spawn. All zero is a dynamic box of 1 m at rest on y = 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpawnArgs {
    /// Kind (3 bits), shape (3 bits), sensors and further shapes (2 bits).
    pub what: u8,
    /// A place of a small lattice, so that bodies meet.
    pub place: u8,
    /// Friction, rule, bounce (2 bits each), layer or group (2 bits).
    pub surface: u8,
    /// Sleep, events, locks, gravity, damping.
    pub traits: u8,
    /// Id stream (2 bits), velocity (3 bits), rotation (2 bits), out of the ordinary (1 bit).
    pub motion: u8,
}

impl SpawnArgs {
    pub(super) const fn decode([what, place, surface, traits, motion]: [u8; 5]) -> Self {
        Self { what, place, surface, traits, motion }
    }

    pub(super) const fn encode(self) -> [u8; 5] {
        [self.what, self.place, self.surface, self.traits, self.motion]
    }

    /// Id stream.
    pub fn stream(self) -> u8 {
        [0, 1, 2, 255][usize::from(self.motion & 3)]
    }

    /// The definition, with all places moved by an offset.
    pub fn def(self, offset: Vec3) -> BodyDef {
        let kind = match self.what & 7 {
            0 | 1 | 4 | 5 => BodyKind::Dynamic,
            2 | 6 => BodyKind::Fixed,
            _ => BodyKind::Kinematic,
        };
        let mut def = match kind {
            BodyKind::Dynamic => BodyDef::dynamic(),
            BodyKind::Fixed => BodyDef::fixed(),
            BodyKind::Kinematic => BodyDef::kinematic(),
        };
        def.pose.translation = place(self.place) + offset;
        def.shapes = self.shapes();
        self.set_traits(&mut def);
        self.set_motion(&mut def);
        if self.motion & 0x80 != 0 {
            self.set_extreme(&mut def);
        }
        def
    }

    fn shapes(self) -> Vec<ShapeDef> {
        let shape = match self.what >> 3 & 7 {
            0 => cuboid(2, 2, 2),
            1 => Shape::sphere(Real::HALF),
            2 => Shape::capsule(Real::ratio(1, 4), Real::ratio(1, 4)),
            3 => cuboid(6, 2, 6),
            4 => cuboid(1, 1, 1),
            5 => Ok(Shape::HALF_SPACE),
            6 => Shape::sphere(Real::ratio(1, 512)),
            _ => return Vec::new(),
        };
        let shape = ShapeDef::from(shape.expect("sizes are within limits"));
        let shape = shape.material(self.material());
        let shape = ShapeDef { filter: self.filter(), ..shape };
        let beside = |x, y| Vec3::new(Real::ratio(x, 4), Real::ratio(y, 4), Real::ZERO);
        let ball = ShapeDef::from(Shape::sphere(Real::ratio(3, 4)).expect("within limits"));
        match self.what >> 6 {
            0 => vec![shape],
            1 => vec![shape.sensor()],
            2 => vec![shape, ball.sensor()],
            _ => vec![shape.clone(), shape.at(beside(2, 3)), ball.at(beside(-2, 1))],
        }
    }

    fn material(self) -> Material {
        let pick = |shift: u8| usize::from(self.surface >> shift & 3);
        let friction = [(6, 10), (0, 1), (15, 10), (19, 10)][pick(0)];
        let rules = [Combine::Average, Combine::Min, Combine::Multiply, Combine::Max];
        let material = Material {
            friction: Real::ratio(friction.0, friction.1),
            friction_combine: rules[pick(2)],
            restitution_combine: rules[pick(4)],
            ..Material::default()
        };
        match pick(4) {
            0 => material,
            1 => Material { restitution: Real::HALF, tag: 1, ..material },
            2 => Material { restitution: Real::ONE, tag: 2, ..material },
            _ => Material { rolling: Real::HALF, spinning: Real::ONE, ..material },
        }
    }

    fn filter(self) -> Filter {
        match self.surface >> 6 {
            0 => Filter::default(),
            1 => Filter { layer: 1, group: 0 },
            2 => Filter { layer: 2, group: 0 },
            _ => Filter { layer: 0, group: 7 },
        }
    }

    fn set_traits(self, def: &mut BodyDef) {
        let bit = |at: u8| self.traits >> at & 1 == 1;
        def.can_sleep = !bit(0);
        def.persist_events = bit(1);
        def.stay_events = bit(2);
        let bar = Locks::ROTATION | Locks::TRANSLATION_X | Locks::TRANSLATION_Z;
        def.locks =
            [Locks::NONE, Locks::ROTATION, bar, Locks::ALL][usize::from(self.traits >> 3 & 3)];
        if bit(5) {
            def.gravity_scale = Real::ZERO;
        }
        if bit(6) {
            (def.linear_damping, def.angular_damping) = (Real::HALF, Real::ONE);
        }
        if bit(7) {
            def.mass = Some(Real::from_int(50));
            def.user_data = 7;
        }
    }

    fn set_motion(self, def: &mut BodyDef) {
        def.velocity = match self.motion >> 2 & 7 {
            1 => Vec3::from_ints(0, 3, 0),
            2 => Vec3::from_ints(2, 0, 0),
            3 => Vec3::from_ints(0, -10, 0),
            4 => Vec3::from_ints(-1, 0, 1),
            5 => Vec3::from_ints(100, 0, 0),
            6 => Vec3::new(Real::ZERO, -MAX_SPEED, Real::ZERO),
            _ => Vec3::ZERO,
        };
        if self.motion >> 2 & 7 == 7 {
            def.angular_velocity = Vec3::from_ints(0, 4, 1);
        }
        def.pose.rotation = rotation(self.motion >> 5 & 3);
    }

    /// Values at the limits and beyond them. Which of them follows from bits that matter less with them.
    fn set_extreme(self, def: &mut BodyDef) {
        let tiny = Real::EPSILON;
        match (self.motion >> 2 & 7) ^ (self.place & 7) | (self.place & 8) {
            0 => def.pose.translation.y = WORLD_LIMIT,
            1 => def.pose.translation.x = -WORLD_LIMIT + Real::HALF,
            2 => def.pose.translation.x = WORLD_LIMIT + tiny,
            3 => def.velocity.x = MAX_SPEED + tiny,
            4 => def.speed_cap = Real::from_int(2),
            5 => def.gravity_scale = Real::from_int(-100),
            6 => each_shape(def, |shape| shape.material.friction = Real::from_int(2)),
            7 => each_shape(def, |shape| {
                shape.pose.translation = Vec3::from_ints(0, 1, 0);
                shape.density = Real::from_int(20);
            }),
            8 => def.inertia = Some(Vec3::from_ints(200, 100, i32::from(self.place))),
            9 => def.pose.translation = Vec3::splat(-WORLD_LIMIT),
            10 => each_shape(def, |shape| shape.pose.translation.x = MAX_SIZE),
            11 => each_shape(def, |shape| {
                shape.shape = Shape::cuboid(Vec3::splat(MAX_SIZE)).expect("the limit is legal");
            }),
            12 => each_shape(def, |shape| shape.density = Real::from_int(1 << 24)),
            13 => def.mass = Some(Real::from_int(100_000_000)),
            14 => (def.linear_damping, def.speed_cap) = (Real::from_int(1000), Real::ZERO),
            _ => each_shape(def, |shape| {
                let least = Vec3::new(MIN_SIZE, MAX_SIZE, MIN_SIZE);
                shape.shape = Shape::cuboid(least).expect("the limits are legal");
            }),
        }
    }
}

fn each_shape(def: &mut BodyDef, change: impl FnMut(&mut ShapeDef)) {
    def.shapes.iter_mut().for_each(change);
}

/// A box from half its edges in quarters of a metre.
fn cuboid(x: i32, y: i32, z: i32) -> Result<Shape, isostep_core::shape::ShapeError> {
    Shape::cuboid(Vec3::new(Real::ratio(x, 4), Real::ratio(y, 4), Real::ratio(z, 4)))
}

/// A place of the lattice: x and z in metres (2 bits each), height (3 bits), a quarter of a metre aside (1 bit). Zero is where
/// a box of 1 m rests on y = 0.
pub(super) fn place(place: u8) -> Vec3 {
    let column = |at: u8| Real::from_int([0, 1, 2, -1][usize::from(place >> at & 3)]);
    let quarters = [2, 6, 10, 1, 3, 12, 4, -2][usize::from(place >> 4 & 7)];
    let aside = if place >> 7 == 1 { Real::ratio(1, 4) } else { Real::ZERO };
    Vec3::new(column(0) + aside, Real::ratio(quarters, 4), column(2))
}

/// One of four rotations.
pub(super) fn rotation(which: u8) -> Quat {
    let [x, y, z] = [[0, 0, 0], [0, 8, 0], [1, 0, 1], [0, 0, 16]][usize::from(which & 3)];
    // Tenths of a radian, about; a quarter turn is exact enough when it is not.
    let tenth = |n: i32| Real::ratio(n, 10);
    Quat::from_rotation_vector(Vec3::new(tenth(x), tenth(y), tenth(z)))
}
