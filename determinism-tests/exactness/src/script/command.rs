//! Commands from five bytes: variant, body, and three numbers whose meaning depends on the variant.

use super::spawn::{place, rotation};
use isostep_core::shape::Shape;
use isostep_core::world::{
    BodyDef, BodyId, BodyKind, Combine, Command, Filter, JointDef, JointId, Locks, MAX_SPEED,
    Material, ShapeDef, WORLD_LIMIT, World, WorldDef,
};
use isostep_core::{Real, Transform, Vec3};

/// Arguments of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommandArgs {
    /// Variant.
    pub what: u8,
    /// The body, among those that live.
    pub body: u8,
    /// First number.
    pub x: u8,
    /// Second number.
    pub y: u8,
    /// Third number.
    pub z: u8,
}

impl CommandArgs {
    /// The command for a body of a world.
    pub fn resolve(self, body: BodyId, world: &World, offset: Vec3) -> Command {
        let Self { what, x, y, z, .. } = self;
        let vector = Vec3::new(speed(x), speed(y), speed(z));
        let mass = world.body(body).map_or(Real::ONE, |body| body.mass());
        let pose = || world.body(body).map_or(Transform::IDENTITY, |body| body.pose());
        if what >= JOINTS {
            return self.about_joints(body, world, offset);
        }
        match what % 50 {
            0 => Command::Impulse(body, vector * mass),
            1..4 => Command::Teleport(body, self.target(pose(), offset)),
            4 | 5 => Command::SetVelocity(body, vector),
            6 => Command::SetAngularVelocity(body, vector),
            7 => {
                let aside = Vec3::new(Real::ratio(1, 4), Real::ratio(1, 4), Real::ZERO);
                Command::ImpulseAt(body, vector * mass, pose().translation + aside)
            }
            8 => Command::AngularImpulse(body, vector * mass),
            9 | 10 => Command::MoveTo(body, self.step_target(pose())),
            11 | 12 => {
                let kinds = [BodyKind::Fixed, BodyKind::Dynamic, BodyKind::Kinematic];
                Command::SetKind(body, kinds[usize::from(x % 3)])
            }
            13 | 14 => Command::SetEnabled(body, x % 2 == 1),
            16 if y & 0x20 != 0 => Command::SetSensor(body, z % 3, y & 0x40 == 0),
            15 | 16 => Command::SetMaterial(body, z % 3, self.material()),
            17 | 18 => Command::SetFilter(
                body,
                z % 3,
                Filter {
                    layer: [0, 1, 2, 31, 32][usize::from(x % 5)],
                    group: [0, 0, 7][usize::from(y % 3)],
                },
            ),
            19 => Command::SetGravityScale(body, Real::ratio(i32::from(x as i8), 1)),
            20 => {
                let damping = |n: u8| Real::ratio(i32::from(n) * i32::from(n) - 1, 60);
                Command::SetDamping(body, damping(x), damping(y))
            }
            21 => Command::SetUserData(body, u64::from(x) << 56 | u64::from(y)),
            22 | 23 => Command::Wake(body),
            24 => Command::SetCanSleep(body, x % 2 == 1),
            25 => Command::Despawn(body),
            26 => Command::Force(body, vector * mass * 8),
            27 | 28 => {
                let aside = Vec3::new(Real::ZERO, Real::ratio(1, 4), Real::ratio(1, 2));
                Command::ForceAt(body, vector * mass * 8, pose().translation + aside)
            }
            29 => Command::Torque(body, vector * mass * 8),
            30 | 31 => {
                let mass = [None, Some(Real::from_int(1 + i32::from(x))), Some(Real::EPSILON)];
                let inertia = [None, Some(Vec3::new(speed(x), speed(y), speed(z)) * mass_of(x))];
                Command::SetMass(body, mass[usize::from(y % 3)], inertia[usize::from(z % 2)])
            }
            32 => Command::SetLocks(body, self.locks()),
            33 => Command::SetSpeedCap(body, speed(x)),
            34 => Command::SetPersistEvents(body, x % 2 == 1),
            35 => Command::SetStayEvents(body, x % 2 == 1),
            36..39 => Command::Sleep(body),
            39 => Command::SetGravity(self.gravity()),
            40 | 41 => Command::SetShape(body, z % 3, self.shape()),
            42 | 43 => {
                let pose = Transform::new(self.shape_place(), rotation(y));
                Command::SetShapePose(body, z % 3, pose)
            }
            44 | 45 => {
                let def = ShapeDef::from(self.shape()).at(self.shape_place());
                let def = if z & 0x80 == 0 { def } else { def.sensor() };
                Command::AddShape(body, Box::new(def.density(Real::from_int(i32::from(z)))))
            }
            46 | 47 => Command::RemoveShape(body, z % 3),
            _ => {
                // The same index, or one of the next, with an old or a new generation.
                let bits = body.to_bits() + u64::from(x % 40) + (u64::from(y % 4) << 33);
                let id = BodyId::from_bits(bits).unwrap_or(body);
                let def = BodyDef::dynamic().at(place(z) + offset).shape(self.shape());
                Command::SpawnWithId(id, Box::new(def))
            }
        }
    }

    /// A command about joints.
    fn about_joints(self, body: BodyId, world: &World, offset: Vec3) -> Command {
        let Self { what, x, .. } = self;
        match what % 8 {
            0..5 => self.joint(body, world, offset),
            5 => self.of_joint(body, world, Command::RemoveJoint),
            6 => {
                let length = Real::ratio(i32::from(x) - 2, 16);
                self.of_joint(body, world, |joint| Command::SetJointLength(joint, length))
            }
            _ => self.of_joint(body, world, |joint| Command::SetJointEnabled(joint, x % 2 == 1)),
        }
    }

    /// A joint to another body, the body itself or the world.
    fn joint(self, body: BodyId, world: &World, offset: Vec3) -> Command {
        let Self { x, y, z, .. } = self;
        let length = Real::ratio(i32::from(z & 0x1f) + 4, 8);
        let other = world.bodies().nth(usize::from(x) % world.bodies().count().max(1));
        let mut def = match (y & 7, other) {
            (0 | 1, _) | (_, None) => JointDef::rod_to_world(body, place(x) + offset, length),
            (_, Some((other, _))) => {
                let quarter = |n: u8| Real::ratio(i32::from(n & 3) - 1, 4);
                let aside = Vec3::new(quarter(y >> 3), quarter(y >> 5), Real::ZERO);
                JointDef::rod(body, other, length).anchors(aside, Vec3::ZERO)
            }
        };
        (def.collides, def.enabled) = (z & 0x20 != 0, z & 0xc0 != 0xc0);
        Command::AddJoint(Box::new(def))
    }

    /// A command about one of the joints of the world; a new joint if there is none.
    fn of_joint(
        self,
        body: BodyId,
        world: &World,
        command: impl FnOnce(JointId) -> Command,
    ) -> Command {
        let count = world.joints().count();
        match world.joints().nth(usize::from(self.y) % count.max(1)) {
            Some(joint) => command(joint.id()),
            None => self.joint(body, world, Vec3::ZERO),
        }
    }

    /// A pose somewhere on the lattice, near the present one, or far away.
    fn target(self, now: Transform, offset: Vec3) -> Transform {
        let Self { x, y, z, .. } = self;
        let translation = match y {
            0..96 => place(x) + offset,
            96..160 => now.translation + Vec3::new(speed(x), Real::ZERO, Real::ZERO),
            160..224 => now.translation + Vec3::new(Real::ZERO, speed(x), Real::ZERO),
            224..240 => place(x) + offset + Vec3::from_ints(0, 20, 0),
            240..248 => Vec3::new(WORLD_LIMIT, Real::ZERO, Real::from_int(i32::from(x))),
            248..252 => Vec3::new(Real::ZERO, WORLD_LIMIT + Real::EPSILON, Real::ZERO),
            252.. => now.translation,
        };
        let turned = if z < 128 { now.rotation } else { rotation(z) };
        Transform::new(translation, turned)
    }

    /// A pose that a kinematic body can reach in a tick, or one that is too far.
    fn step_target(self, now: Transform) -> Transform {
        let step = |n: u8| speed(n) / 32;
        let by = Vec3::new(step(self.x), step(self.y), step(self.z));
        if self.x == 255 {
            Transform::at(now.translation + by * 1000)
        } else {
            Transform::new(now.translation + by, now.rotation)
        }
    }

    fn shape(self) -> Shape {
        let size = Real::ratio(i32::from(self.x >> 3) + 1, 16);
        match self.x & 7 {
            0 | 1 => Shape::cuboid(Vec3::new(size, Real::HALF, size)),
            2 | 3 => Shape::sphere(size),
            4 | 5 => Shape::capsule(size, Real::ratio(1, 4)),
            6 => Shape::cuboid(Vec3::splat(Real::HALF)),
            _ => Ok(Shape::HALF_SPACE),
        }
        .expect("sizes are within limits")
    }

    /// A place in a body; some are too far from its origin.
    fn shape_place(self) -> Vec3 {
        let quarters = |n: u8| Real::ratio(i32::from(n & 7) - 4, 4);
        match self.y {
            0..24 => Vec3::ZERO,
            24..248 => Vec3::new(quarters(self.y), quarters(self.y >> 3), Real::ZERO),
            _ => Vec3::X * 5000,
        }
    }

    fn locks(self) -> Locks {
        let all = [
            Locks::NONE,
            Locks::ROTATION_X | Locks::TRANSLATION_Z,
            Locks::PLANE_XY,
            Locks::ROTATION,
            Locks::TRANSLATION_Y,
        ];
        all[usize::from(self.x % 5)]
    }

    /// The default, another one, none, or one that is out of range.
    fn gravity(self) -> Vec3 {
        match self.x % 8 {
            0..3 => WorldDef::default().gravity,
            3 | 4 => Vec3::new(Real::from_int(3), Real::from_int(-9), Real::ZERO),
            5 | 6 => Vec3::ZERO,
            _ => Vec3::X * 1001,
        }
    }

    fn material(self) -> Material {
        let friction = [(6, 10), (0, 1), (15, 10), (19, 10), (2, 1)][usize::from(self.x % 5)];
        let rules = [Combine::Average, Combine::Min, Combine::Multiply, Combine::Max];
        Material {
            friction: Real::ratio(friction.0, friction.1),
            restitution: if self.y & 4 == 0 { Real::ZERO } else { Real::ratio(3, 4) },
            friction_combine: rules[usize::from(self.y & 3)],
            restitution_combine: rules[usize::from(self.z >> 2 & 3)],
            tag: u16::from(self.y >> 3 & 3),
            ..Material::default()
        }
    }
}

/// Commands with this variant or a greater one are about joints.
const JOINTS: u8 = 200;

/// A factor that makes a moment of inertia of the mass of a command.
fn mass_of(argument: u8) -> Real {
    Real::ratio(1 + i32::from(argument), 8)
}

/// A number within ±16 in eighths, or a limit.
fn speed(argument: u8) -> Real {
    match argument {
        128 => MAX_SPEED,
        129 => -MAX_SPEED,
        130 => MAX_SPEED + Real::EPSILON,
        _ => Real::ratio(i32::from(argument as i8), 8),
    }
}
