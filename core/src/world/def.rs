//! What is handed in: definitions of worlds, bodies and shapes, and why one may be refused.

use super::material::{Filter, Layers, Material, MaterialError, MaterialTable, NoSuchLayer};
use super::rows::BodyKind;
use crate::data::PoolFull;
use crate::math::{Quat, Real, Transform, Vec3, ZeroLength};
use crate::shape::{Geometry, MassError, Shape};
use serde::{Deserialize, Serialize};

/// How far from the origin things can be, metres: 2³⁰.
pub const WORLD_LIMIT: Real = Real::from_int(1 << 30);
/// The fastest that anything moves along an axis, m/s. Spin is limited so that no point moves faster by it.
///
/// Steps look half a metre ahead: two things that close in by more than that in one tick (faster than 31 m/s at 60 ticks a second)
/// may pass through each other where they are thinner than their way. Make walls thick, or ticks short, where bullets fly.
pub const MAX_SPEED: Real = Real::from_bits((256 << 32) - (1 << 12));

/// Why a world can't be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The tick rate is out of range.
    #[error("{0} ticks a second are out of range; it must be 10 to 240")]
    TickRate(u32),
    /// The number of substeps is out of range.
    #[error("{0} substeps are out of range; it must be 1 to 64")]
    Substeps(u32),
    /// The push-out speed is out of range.
    #[error("a push-out speed of {0} m/s is out of range; it must lie between 0 and 10")]
    MaxPushOutSpeed(Real),
    /// The speed below which bodies fall asleep is out of range.
    #[error("a sleep speed of {0} m/s is out of range; it must lie between 0 (never) and 1")]
    SleepThreshold(Real),
    /// The time that bodies take to fall asleep is out of range.
    #[error("falling asleep after {0} s is out of range; it must lie between 0 and 60")]
    TimeToSleep(Real),
    /// The impact speed is out of range.
    #[error("an impact speed of {0} m/s is out of range; it must lie between 0.01 and 100")]
    RestitutionThreshold(Real),
    /// Gravity is out of range.
    #[error("gravity of {0} m/s² is out of range; each component must lie within ±1000")]
    Gravity(Vec3),
}

/// How a world is made.
///
/// ```
/// use isostep_core::world::{World, WorldDef, WorldError};
/// use isostep_core::{Vec3, real};
/// let moon = WorldDef { gravity: Vec3::Y * real!(-1.625), ..WorldDef::default() };
/// let world = World::new(moon)?;
/// assert_eq!(world.tick(), 0);
///
/// let never = WorldDef { substeps: 0, ..WorldDef::default() };
/// assert_eq!(World::new(never).err(), Some(WorldError::Substeps(0)));
/// # Ok::<(), WorldError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct WorldDef {
    /// m/s², within ±1000 along each axis. The default is 9.81 along −y.
    pub gravity: Vec3,
    /// Ticks a second, 10 to 240. The default is 60.
    pub tick_rate: u32,
    /// Solver passes a tick, 1 to 64. The default of 8 stands stacks of 30; a mass ratio beyond about 50 on top
    /// of one wants 16 or 32.
    pub substeps: u32,
    /// How fast overlaps are pushed apart, m/s, 0 to 10. The default is 0.25.
    pub max_push_out_speed: Real,
    /// Bodies whose centre and surface are slower than this, m/s, may fall asleep, 0 to 1; 0 for never. The default is 0.02.
    pub sleep_threshold: Real,
    /// For how long all bodies of an island must be slow before it falls asleep, seconds, 0 to 60. The default is ½.
    pub time_to_sleep: Real,
    /// Below this approach speed, m/s, nothing bounces, whatever its restitution: else a ball on the ground would
    /// never lie still. 0.01 to 100; the default is 0.5.
    pub restitution_threshold: Real,
    /// Coefficients for chosen pairs of materials.
    pub materials: MaterialTable,
    /// Which layers meet.
    pub layers: Layers,
}

impl Default for WorldDef {
    fn default() -> Self {
        Self {
            gravity: Vec3::new(Real::ZERO, Real::ratio(-981, 100), Real::ZERO),
            tick_rate: 60,
            substeps: 8,
            max_push_out_speed: Real::ratio(1, 4),
            sleep_threshold: Real::ratio(2, 100),
            time_to_sleep: Real::HALF,
            restitution_threshold: Real::HALF,
            materials: MaterialTable::default(),
            layers: Layers::default(),
        }
    }
}

impl WorldDef {
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        if !(10..=240).contains(&self.tick_rate) {
            return Err(WorldError::TickRate(self.tick_rate));
        }
        if !(1..=64).contains(&self.substeps) {
            return Err(WorldError::Substeps(self.substeps));
        }
        if !(Real::ZERO..=Real::from_int(10)).contains(&self.max_push_out_speed) {
            return Err(WorldError::MaxPushOutSpeed(self.max_push_out_speed));
        }
        if !(Real::ZERO..=Real::ONE).contains(&self.sleep_threshold) {
            return Err(WorldError::SleepThreshold(self.sleep_threshold));
        }
        if !(Real::ZERO..=Real::from_int(60)).contains(&self.time_to_sleep) {
            return Err(WorldError::TimeToSleep(self.time_to_sleep));
        }
        if !(Real::ratio(1, 100)..=Real::from_int(100)).contains(&self.restitution_threshold) {
            return Err(WorldError::RestitutionThreshold(self.restitution_threshold));
        }
        let limit = Real::from_int(1000);
        if self.gravity.to_array().iter().any(|g| !(-limit..=limit).contains(g)) {
            return Err(WorldError::Gravity(self.gravity));
        }
        Ok(())
    }
}

/// Why a command was refused. The world stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The id names nothing: the body was despawned, or never spawned here.
    #[error("there is no body {0}; it was despawned, or never spawned here")]
    NoSuchBody(crate::data::Id),
    /// The body has no shape with this number.
    #[error("the body has no shape {0}")]
    NoSuchShape(u8),
    /// A place outside the world.
    #[error("{0} is outside the world, which ends {WORLD_LIMIT} m from the origin on each axis")]
    OutOfWorld(Vec3),
    /// A speed beyond the limit.
    #[error(
        "it would move at {0} m/s (or its surface, by spin); each component must lie within ±{MAX_SPEED}"
    )]
    TooFast(Vec3),
    /// A number that must not be negative.
    #[error("{what} is {value}; it must lie between 0 and {limit}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// What it was.
        value: Real,
        /// The largest value it can have.
        limit: Real,
    },
    /// Only dynamic bodies are pushed.
    #[error(
        "body {0} is not moved so: nothing pushes what is static or kinematic, and what is static has no velocity; change its kind first"
    )]
    NotDynamic(crate::data::Id),
    /// Only kinematic bodies are led.
    #[error("body {0} is not kinematic; change its kind first or teleport it")]
    NotKinematic(crate::data::Id),
    /// Locks of axes that do not exist.
    #[error(
        "locks are {0:#04x}; bits 0 to 2 lock translation along an axis, bits 3 to 5 rotation about it, and no others"
    )]
    NoSuchLock(u8),
    /// A body of more shapes than there are numbers for.
    #[error("a body has at most 255 shapes")]
    TooManyShapes,
    /// A dynamic body with neither shape nor mass.
    #[error("a dynamic body needs a mass: give it a shape that is no sensor, or call `mass`")]
    NoMass,
    /// The stream has no room.
    #[error(transparent)]
    PoolFull(#[from] PoolFull),
    /// A mass that is out of range.
    #[error(transparent)]
    Mass(#[from] MassError),
    /// A material that is out of range.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// A layer that does not exist.
    #[error(transparent)]
    Layer(#[from] NoSuchLayer),
    /// A direction without length.
    #[error(transparent)]
    ZeroLength(#[from] ZeroLength),
}

/// A shape of a body, with where it is and what it is like.
///
/// ```
/// use isostep_core::shape::Shape;
/// use isostep_core::world::{BodyDef, Material, ShapeDef, World, WorldDef};
/// use isostep_core::{Vec3, real};
/// let ice = Material { friction: real!(0.0625), ..Material::default() };
/// let slab = ShapeDef::from(Shape::cuboid(Vec3::new(real!(2), real!(0.25), real!(1)))?);
/// let slab = slab.density(real!(917)).material(ice);
/// let mut world = World::new(WorldDef::default())?;
/// let body = world.spawn(BodyDef::dynamic().shape(slab))?;
/// // 4 × 0.5 × 2 m³.
/// let mass = world.body(body).expect("it was just made").mass();
/// assert!((mass - real!(3668)).abs() < real!(1), "{mass}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct ShapeDef {
    /// The shape.
    pub shape: Shape,
    /// Its pose in the body's frame.
    pub pose: Transform,
    /// kg/m³; what it adds to a dynamic body's mass. The default is 1000, water.
    pub density: Real,
    /// Its surface.
    pub material: Material,
    /// Whom it meets.
    pub filter: Filter,
}

impl From<Shape> for ShapeDef {
    fn from(shape: Shape) -> Self {
        Self {
            shape,
            pose: Transform::IDENTITY,
            density: Real::from_int(1000),
            material: Material::default(),
            filter: Filter::default(),
        }
    }
}

impl ShapeDef {
    /// The shape at a pose in the body's frame.
    pub fn at(mut self, pose: Transform) -> Self {
        self.pose = pose;
        self
    }

    /// The shape with this density in kg/m³.
    pub fn density(mut self, density: Real) -> Self {
        self.density = density;
        self
    }

    /// The shape with this surface. What was made a [`sensor`](Self::sensor) stays one.
    pub fn material(mut self, material: Material) -> Self {
        let sensor = self.material.sensor || material.sensor;
        self.material = Material { sensor, ..material };
        self
    }

    /// The shape as a sensor: it tells what overlaps it, even a little, and neither pushes nor weighs. It sees every shape
    /// of another body that is no sensor itself, if at least one of the two bodies is not static.
    ///
    /// ```
    /// use isostep_core::{real, shape::Shape, world::{Material, ShapeDef}};
    /// let ball = ShapeDef::from(Shape::sphere(real!(1))?);
    /// let ice = Material { friction: real!(0), ..Material::default() };
    /// // In either order.
    /// assert_eq!(ball.clone().sensor().material(ice), ball.clone().material(ice).sensor());
    /// assert!(ball.clone().sensor().material(ice).material.sensor);
    /// assert!(!ball.material(ice).material.sensor);
    /// # Ok::<(), isostep_core::shape::ShapeError>(())
    /// ```
    pub fn sensor(mut self) -> Self {
        self.material.sensor = true;
        self
    }

    /// The shape on this layer.
    pub fn layer(mut self, layer: u8) -> Self {
        self.filter.layer = layer;
        self
    }
}

/// A body to be spawned.
///
/// ```
/// use isostep_core::{real, shape::Shape, world::BodyDef, Vec3};
/// let crate_ = BodyDef::dynamic()
///     .at(Vec3::from_ints(0, 5, 0))
///     .shape(Shape::cuboid(Vec3::splat(real!(0.5)))?);
/// # Ok::<(), isostep_core::shape::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct BodyDef {
    /// How it moves.
    pub kind: BodyKind,
    /// Where its origin is and how it is turned.
    pub pose: Transform,
    /// m/s.
    pub velocity: Vec3,
    /// rad/s.
    pub angular_velocity: Vec3,
    /// Its shapes; their masses add up.
    pub shapes: Vec<ShapeDef>,
    /// Kilograms, instead of what the shapes weigh.
    pub mass: Option<Real>,
    /// How much of the world's gravity it feels.
    pub gravity_scale: Real,
    /// Share of the speed lost in a second, for small values.
    pub linear_damping: Real,
    /// Share of the spin lost in a second, for small values.
    pub angular_damping: Real,
    /// Largest speed, m/s; what is faster is slowed down in its direction.
    pub speed_cap: Real,
    /// Bit i locks translation along world axis i, bit 3 + i rotation about it.
    pub locks: u8,
    /// Whether it may fall asleep when it rests.
    pub may_sleep: bool,
    /// Whether its contacts are told of on every tick that they last, not only when they begin and end.
    pub persist_events: bool,
    /// Whether what is inside its sensors, or what sensor it is inside of, is told on every tick.
    pub stay_events: bool,
    /// Whatever the game likes to keep there.
    pub user_data: u64,
}

impl BodyDef {
    fn new(kind: BodyKind) -> Self {
        Self {
            kind,
            pose: Transform::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            shapes: Vec::new(),
            mass: None,
            gravity_scale: Real::ONE,
            linear_damping: Real::ZERO,
            angular_damping: Real::ZERO,
            speed_cap: MAX_SPEED,
            locks: 0,
            may_sleep: true,
            persist_events: false,
            stay_events: false,
            user_data: 0,
        }
    }

    /// A static body: it stays where it is put.
    pub fn fixed() -> Self {
        Self::new(BodyKind::Static)
    }

    /// A body that moves as it is told.
    pub fn kinematic() -> Self {
        Self::new(BodyKind::Kinematic)
    }

    /// A body that is moved by forces and by what it touches.
    pub fn dynamic() -> Self {
        Self::new(BodyKind::Dynamic)
    }

    /// With its origin here.
    pub fn at(mut self, position: Vec3) -> Self {
        self.pose.translation = position;
        self
    }

    /// Turned like this.
    pub fn rotated(mut self, rotation: Quat) -> Self {
        self.pose.rotation = rotation;
        self
    }

    /// With one more shape.
    pub fn shape(mut self, shape: impl Into<ShapeDef>) -> Self {
        self.shapes.push(shape.into());
        self
    }

    /// With this velocity, m/s.
    pub fn velocity(mut self, velocity: Vec3) -> Self {
        self.velocity = velocity;
        self
    }

    /// With this angular velocity, rad/s.
    pub fn angular_velocity(mut self, angular_velocity: Vec3) -> Self {
        self.angular_velocity = angular_velocity;
        self
    }

    /// With this mass in kilograms instead of what its shapes weigh.
    pub fn mass(mut self, mass: Real) -> Self {
        self.mass = Some(mass);
        self
    }

    /// Never turning. To lock some axes only, set [`locks`](Self::locks).
    pub fn lock_rotation(mut self) -> Self {
        self.locks |= 0b111_000;
        self
    }

    /// Never moving along those of the world's axes x, y and z that are true: `[false, true, false]` stays at its height.
    pub const fn lock_translation(mut self, axes: [bool; 3]) -> Self {
        let [x, y, z] = axes;
        self.locks |= x as u8 | (y as u8) << 1 | (z as u8) << 2;
        self
    }

    /// Losing about these shares of its speed and spin in a second.
    pub fn damping(mut self, linear: Real, angular: Real) -> Self {
        (self.linear_damping, self.angular_damping) = (linear, angular);
        self
    }

    /// Feeling this much of the world's gravity.
    pub fn gravity_scale(mut self, scale: Real) -> Self {
        self.gravity_scale = scale;
        self
    }

    /// Never faster than this along an axis, m/s.
    pub fn speed_cap(mut self, cap: Real) -> Self {
        self.speed_cap = cap;
        self
    }

    /// Never falling asleep, however long it rests.
    pub fn stay_awake(mut self) -> Self {
        self.may_sleep = false;
        self
    }

    /// With its contacts told of on every tick that they last.
    pub fn persist_events(mut self) -> Self {
        self.persist_events = true;
        self
    }

    /// With what is inside its sensors, or what sensor it is inside of, told on every tick.
    pub fn stay_events(mut self) -> Self {
        self.stay_events = true;
        self
    }

    /// With this user data.
    pub fn user_data(mut self, user_data: u64) -> Self {
        self.user_data = user_data;
        self
    }

    pub(crate) fn check(&self) -> Result<(), CommandError> {
        check_place(self.pose.translation)?;
        for (what, value, limit) in [
            ("the linear damping", self.linear_damping, Real::from_int(1000)),
            ("the angular damping", self.angular_damping, Real::from_int(1000)),
            ("the speed cap", self.speed_cap, MAX_SPEED),
        ] {
            check_range(what, value, limit)?;
        }
        check_range("the gravity scale", self.gravity_scale.abs(), Real::from_int(100))?;
        if self.locks >= 1 << 6 {
            return Err(CommandError::NoSuchLock(self.locks));
        }
        if self.shapes.len() > 255 {
            return Err(CommandError::TooManyShapes);
        }
        for shape in &self.shapes {
            shape.material.check()?;
            super::material::check_layer(shape.filter.layer)?;
            check_range(
                "the distance of a shape",
                shape.pose.translation.length(),
                Real::from_int(4096),
            )?;
            if self.kind == BodyKind::Dynamic && *shape.shape.geometry() == Geometry::HalfSpace {
                return Err(MassError::HalfSpace.into());
            }
        }
        Ok(())
    }
}

pub(crate) fn check_place(position: Vec3) -> Result<(), CommandError> {
    let inside = |c: &Real| (-WORLD_LIMIT..=WORLD_LIMIT).contains(c);
    if position.to_array().iter().all(inside) {
        Ok(())
    } else {
        Err(CommandError::OutOfWorld(position))
    }
}

pub(crate) fn check_range(
    what: &'static str,
    value: Real,
    limit: Real,
) -> Result<(), CommandError> {
    if (Real::ZERO..=limit).contains(&value) {
        Ok(())
    } else {
        Err(CommandError::OutOfRange { what, value, limit })
    }
}
