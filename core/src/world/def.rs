//! Definitions of worlds, bodies and shapes, and their limits.

use super::errors::{CommandError, WorldError};
use super::locks::Locks;
use super::material::{Filter, Layers, Material, MaterialTable};
use super::rows::BodyKind;
use crate::math::{Quat, Real, Transform, Vec3};
use crate::shape::{MassError, Shape};
use serde::{Deserialize, Serialize};

/// Largest coordinate of a position, metres: 2³⁰.
pub const WORLD_LIMIT: Real = Real::from_int(1 << 30);
/// Largest speed along an axis, m/s. The angular velocity about an axis is limited to this speed divided by the body's radius about its
/// centre of mass, with the radius rounded up to a power of two.
///
/// The step detects contacts up to half a metre ahead. Two bodies that approach by more than that in one tick (faster than
/// 32 m/s at 60 ticks per second) may tunnel through each other if they are thinner than their displacement. Use thick walls or a
/// higher tick rate for fast projectiles.
#[doc(alias("ccd", "continuous_collision"))]
pub const MAX_SPEED: Real = Real::from_bits((256 << 32) - (1 << 12));

/// Largest speed cap that is accepted, m/s. It is stored as [`MAX_SPEED`], which limits every body.
pub(crate) const MAX_SPEED_CAP: Real = Real::from_int(256);
/// Largest linear or angular damping, 1/s.
pub(crate) const MAX_DAMPING: Real = Real::from_int(1000);
/// Largest gravity along an axis, m/s².
const MAX_GRAVITY: Real = Real::from_int(1000);
/// Largest size of a gravity scale.
const MAX_GRAVITY_SCALE: Real = Real::from_int(100);

/// Definition of a world.
///
/// ```
/// use isostep_core::world::{World, WorldDef, WorldError};
/// use isostep_core::{Tick, Vec3, real};
/// let moon = WorldDef { gravity: Vec3::Y * real!(-1.625), ..WorldDef::default() };
/// let world = World::new(moon)?;
/// assert_eq!(world.tick(), Tick(0));
///
/// let never = WorldDef { substeps: 0, ..WorldDef::default() };
/// assert_eq!(World::new(never).err(), Some(WorldError::Substeps(0)));
/// # Ok::<(), WorldError>(())
/// ```
#[doc(alias("IntegrationParameters", "b2WorldDef"))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct WorldDef {
    /// Acceleration by gravity at tick 0, m/s², within ±1000 along each axis. The default is 9.81 along −y.
    /// [`World::set_gravity`](super::World::set_gravity) changes it.
    pub gravity: Vec3,
    /// Ticks per second, 10 to 240. The default is 60.
    #[doc(alias("dt", "timestep"))]
    pub tick_rate: u32,
    /// Substeps of the solver per tick, 1 to 64. The default is 8, enough for stacks of 30 boxes. A heavy body on a stack with a
    /// mass ratio above about 50 needs 16 or 32.
    #[doc(alias("iterations", "num_solver_iterations"))]
    pub substeps: u32,
    /// Largest speed at which overlaps are pushed apart, m/s, 0 to 10. The default is 0.25. Overlaps deeper than a fifth of a second at this speed
    /// are pushed apart at 5/s times their depth, so that deep ones end as well: the limit is the larger of the two.
    #[doc(alias = "contactPushMaxVelocity")]
    pub max_push_out_speed: Real,
    /// Speed of a body's centre and surface, m/s, below which it may fall asleep, 0 to 1. 0 disables sleep. The default is 0.02.
    #[doc(alias = "sleep_velocity")]
    pub sleep_threshold: Real,
    /// Time that all bodies of an island must be slow before it falls asleep, seconds, 0 to 60. The default is ½.
    pub time_to_sleep: Real,
    /// Approach speed, m/s, below which restitution is ignored, 0.01 to 100. Without a threshold a ball on the ground would never
    /// come to rest. The default is 0.5.
    #[doc(alias = "mMinVelocityForRestitution")]
    pub restitution_threshold: Real,
    /// Coefficients for chosen pairs of material tags.
    pub materials: MaterialTable,
    /// Layers that collide with each other.
    #[doc(alias = "collision_groups")]
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
        let limit = MAX_GRAVITY;
        if self.gravity.to_array().iter().any(|g| !(-limit..=limit).contains(g)) {
            return Err(WorldError::Gravity(self.gravity));
        }
        Ok(())
    }
}

/// Definition of a body's shape: geometry, pose in the body, density, material, sensor flag and filter.
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
/// let mass = world.body(body).expect("just spawned").mass();
/// assert!((mass - real!(3668)).abs() < real!(1), "{mass}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("ColliderBuilder", "Collider", "b2ShapeDef"))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct ShapeDef {
    /// Geometry.
    pub shape: Shape,
    /// Pose in the body's frame.
    pub pose: Transform,
    /// Density, kg/m³, above 0, also of shapes that add no mass now: their body may become dynamic, and a sensor an ordinary shape.
    /// Determines the mass that the shape adds to its body. The default is 1000, water.
    pub density: Real,
    /// Surface material.
    pub material: Material,
    /// Makes the shape a sensor: see [`sensor`](Self::sensor).
    pub sensor: bool,
    /// Collision filter.
    pub filter: Filter,
}

impl From<Shape> for ShapeDef {
    fn from(shape: Shape) -> Self {
        Self {
            shape,
            pose: Transform::IDENTITY,
            density: Real::from_int(1000),
            material: Material::default(),
            sensor: false,
            filter: Filter::default(),
        }
    }
}

impl ShapeDef {
    /// Sets the position in the body's frame.
    pub fn at(mut self, position: Vec3) -> Self {
        self.pose.translation = position;
        self
    }

    /// Sets the rotation in the body's frame.
    pub fn rotated(mut self, rotation: Quat) -> Self {
        self.pose.rotation = rotation;
        self
    }

    /// Sets the density, kg/m³.
    pub fn density(mut self, density: Real) -> Self {
        self.density = density;
        self
    }

    /// Sets the material.
    pub const fn material(mut self, material: Material) -> Self {
        self.material = material;
        self
    }

    /// Makes the shape a sensor: it reports overlaps, however shallow, adds no mass and applies no forces. Sensors detect only
    /// non-sensor shapes of other bodies, and only if at least one of the two bodies is not fixed.
    /// Overlaps are those of the poses at the end of a step. [`Command::SetSensor`](super::Command::SetSensor) changes it.
    pub const fn sensor(mut self) -> Self {
        self.sensor = true;
        self
    }

    /// Sets the collision layer, 0 to 31.
    #[doc(alias("collision_groups", "category"))]
    pub fn layer(mut self, layer: u8) -> Self {
        self.filter.layer = layer;
        self
    }

    /// Checks a shape of a body of some kind.
    pub(crate) fn check(&self, kind: BodyKind) -> Result<(), CommandError> {
        self.material.check()?;
        super::material::check_layer(self.filter.layer)?;
        check_range(
            "the distance of a shape from the body's origin (m)",
            self.pose.translation.length(),
            Real::from_int(4096),
        )?;
        if kind == BodyKind::Dynamic && self.shape.is_unbounded() {
            return Err(MassError::HalfSpace.into());
        }
        if self.density <= Real::ZERO {
            return Err(MassError::Density(self.density).into());
        }
        Ok(())
    }
}

/// Definition of a body.
///
/// ```
/// use isostep_core::{real, shape::Shape, world::BodyDef, Vec3};
/// let crate_ = BodyDef::dynamic()
///     .at(Vec3::from_ints(0, 5, 0))
///     .shape(Shape::cuboid(Vec3::splat(real!(0.5)))?);
/// # Ok::<(), isostep_core::shape::ShapeError>(())
/// ```
#[doc(alias("RigidBodyBuilder", "RigidBody", "b2BodyDef", "BodyCreationSettings"))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct BodyDef {
    /// Fixed, kinematic or dynamic.
    pub kind: BodyKind,
    /// Pose of the body's origin.
    pub pose: Transform,
    /// Velocity of the centre of mass, m/s.
    pub velocity: Vec3,
    /// Angular velocity, rad/s.
    pub angular_velocity: Vec3,
    /// Shapes. Their masses add up.
    pub shapes: Vec<ShapeDef>,
    /// Mass in kilograms, 10⁻⁷ to 10⁸. `None` computes it from the shapes.
    pub mass: Option<Real>,
    /// Moments of inertia about the body's own axes x, y and z through its centre of mass, kg·m². They become its principal moments. Each
    /// must lie between m·s² / 2¹⁸ and m·s² · 2¹⁶, for the mass m and the radius s of the shapes about the centre of mass in metres, rounded
    /// up to a power of two (1 without a shape that has a radius).
    /// `None` takes the inertia of the shapes, scaled to the mass; without a shape that has one, that of the mass at a distance of 1 m from each axis. A
    /// body without a mass ignores it.
    pub inertia: Option<Vec3>,
    /// Factor on the world's gravity, within ±100.
    #[doc(alias = "gravity_factor")]
    pub gravity_scale: Real,
    /// Linear damping c, 1/s, 0 to 1000: each tick divides the velocity that it begins with by 1 + c / tick rate, before gravity, forces and
    /// contacts of the tick change it.
    #[doc(alias = "linear_drag")]
    pub linear_damping: Real,
    /// Angular damping, 1/s, 0 to 1000, likewise.
    #[doc(alias = "angular_drag")]
    pub angular_damping: Real,
    /// Largest speed, m/s, 0 to 256. A faster velocity is scaled down and keeps its direction. The default, and 256, is [`MAX_SPEED`].
    #[doc(alias("max_speed", "max_linear_velocity", "terminal_velocity"))]
    pub speed_cap: Real,
    /// Locked degrees of freedom.
    #[doc(alias("allowed_dofs", "locked_axes", "motion_locks"))]
    pub locks: Locks,
    /// Allows the body to fall asleep at rest.
    #[doc(alias("allow_sleep", "allow_sleeping", "enable_sleep"))]
    pub can_sleep: bool,
    /// Reports [`Event::ContactPersisted`](super::Event::ContactPersisted) on every tick between a contact's begin and end on which
    /// one of its bodies is awake.
    pub persist_events: bool,
    /// Reports [`Event::SensorStayed`](super::Event::SensorStayed) on every tick that a shape is inside a sensor and one of the
    /// bodies is awake or moves, if this body has
    /// the shape or the sensor.
    pub stay_events: bool,
    /// Value for the game's own use. The simulation does not read it.
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
            inertia: None,
            gravity_scale: Real::ONE,
            linear_damping: Real::ZERO,
            angular_damping: Real::ZERO,
            speed_cap: MAX_SPEED,
            locks: Locks::NONE,
            can_sleep: true,
            persist_events: false,
            stay_events: false,
            user_data: 0,
        }
    }

    /// Creates a fixed body: it never moves except by [`teleport`](super::World::teleport). `Box2D` and Jolt call it static.
    #[doc(alias("static", "new_static"))]
    pub fn fixed() -> Self {
        Self::new(BodyKind::Fixed)
    }

    /// Creates a kinematic body: it moves with the velocity that the game sets, and no contact changes it.
    pub fn kinematic() -> Self {
        Self::new(BodyKind::Kinematic)
    }

    /// Creates a dynamic body: gravity, impulses and contacts move it.
    pub fn dynamic() -> Self {
        Self::new(BodyKind::Dynamic)
    }

    /// Sets the position of the origin.
    #[doc(alias("translation", "position"))]
    pub fn at(mut self, position: Vec3) -> Self {
        self.pose.translation = position;
        self
    }

    /// Sets the rotation.
    pub fn rotated(mut self, rotation: Quat) -> Self {
        self.pose.rotation = rotation;
        self
    }

    /// Adds a shape.
    pub fn shape(mut self, shape: impl Into<ShapeDef>) -> Self {
        self.shapes.push(shape.into());
        self
    }

    /// Sets the velocity, m/s.
    #[doc(alias = "linvel")]
    pub fn velocity(mut self, velocity: Vec3) -> Self {
        self.velocity = velocity;
        self
    }

    /// Sets the angular velocity, rad/s.
    #[doc(alias = "angvel")]
    pub fn angular_velocity(mut self, angular_velocity: Vec3) -> Self {
        self.angular_velocity = angular_velocity;
        self
    }

    /// Sets the mass in kilograms, instead of the sum of the shapes' masses.
    pub fn mass(mut self, mass: Real) -> Self {
        self.mass = Some(mass);
        self
    }

    /// Sets the moments of inertia about the body's axes, kg·m². See [`inertia`](Self::inertia).
    pub fn inertia(mut self, moments: Vec3) -> Self {
        self.inertia = Some(moments);
        self
    }

    /// Locks degrees of freedom, in addition to those that are locked already.
    #[doc(alias("locked_axes", "allowed_dofs"))]
    pub fn lock(mut self, locks: Locks) -> Self {
        self.locks |= locks;
        self
    }

    /// Locks rotation about all axes. To lock some axes only, use [`lock_rotation_axes`](Self::lock_rotation_axes).
    #[doc(alias("lock_rotations", "fixed_rotation"))]
    pub fn lock_rotation(self) -> Self {
        self.lock(Locks::ROTATION)
    }

    /// Locks rotation about the world axes x, y and z that are true. `[true, false, true]` keeps the body upright.
    #[doc(alias("enabled_rotations", "restrict_rotations"))]
    pub fn lock_rotation_axes(self, axes: [bool; 3]) -> Self {
        let all = [Locks::ROTATION_X, Locks::ROTATION_Y, Locks::ROTATION_Z];
        let locked = axes.into_iter().zip(all).filter(|(locked, _)| *locked);
        locked.fold(self, |def, (_, lock)| def.lock(lock))
    }

    /// Locks translation along the world axes x, y and z that are true. `[false, true, false]` keeps the body at its height.
    #[doc(alias("enabled_translations", "lock_translations"))]
    pub fn lock_translation(self, axes: [bool; 3]) -> Self {
        let all = [Locks::TRANSLATION_X, Locks::TRANSLATION_Y, Locks::TRANSLATION_Z];
        let locked = axes.into_iter().zip(all).filter(|(locked, _)| *locked);
        locked.fold(self, |def, (_, lock)| def.lock(lock))
    }

    /// Sets linear and angular damping, 1/s.
    pub fn damping(mut self, linear: Real, angular: Real) -> Self {
        (self.linear_damping, self.angular_damping) = (linear, angular);
        self
    }

    /// Sets the factor on the world's gravity.
    #[doc(alias = "gravity_factor")]
    pub fn gravity_scale(mut self, scale: Real) -> Self {
        self.gravity_scale = scale;
        self
    }

    /// Sets the largest speed, m/s.
    #[doc(alias("max_speed", "max_linear_velocity"))]
    pub fn speed_cap(mut self, cap: Real) -> Self {
        self.speed_cap = cap;
        self
    }

    /// Prevents the body from falling asleep.
    #[doc(alias("can_sleep", "allow_sleep"))]
    pub fn stay_awake(mut self) -> Self {
        self.can_sleep = false;
        self
    }

    /// Reports the body's contacts on every tick on which one of the bodies is awake. See [`persist_events`](Self::persist_events).
    pub fn persist_events(mut self) -> Self {
        self.persist_events = true;
        self
    }

    /// Reports sensor overlaps of the body on every tick. See [`stay_events`](Self::stay_events).
    pub fn stay_events(mut self) -> Self {
        self.stay_events = true;
        self
    }

    /// Sets the user data.
    pub fn user_data(mut self, user_data: u64) -> Self {
        self.user_data = user_data;
        self
    }

    pub(crate) fn check(&self) -> Result<(), CommandError> {
        check_place(self.pose.translation)?;
        for (what, value, limit) in [
            ("the linear damping (1/s)", self.linear_damping, MAX_DAMPING),
            ("the angular damping (1/s)", self.angular_damping, MAX_DAMPING),
            ("the speed cap (m/s)", self.speed_cap, MAX_SPEED_CAP),
        ] {
            check_range(what, value, limit)?;
        }
        check_gravity_scale(self.gravity_scale)?;
        if self.shapes.len() > 255 {
            return Err(CommandError::TooManyShapes);
        }
        self.shapes.iter().try_for_each(|shape| shape.check(self.kind))
    }
}

fn in_world(position: Vec3) -> bool {
    position.to_array().iter().all(|c| (-WORLD_LIMIT..=WORLD_LIMIT).contains(c))
}

pub(crate) fn check_place(position: Vec3) -> Result<(), CommandError> {
    if in_world(position) { Ok(()) } else { Err(CommandError::OutOfWorld(position)) }
}

/// Checks a centre of mass in world space. The shapes may have it far from the origin of the body.
pub(crate) fn check_center(center: Vec3) -> Result<(), CommandError> {
    if in_world(center) { Ok(()) } else { Err(CommandError::CenterOutOfWorld(center)) }
}

/// Checks gravity, m/s².
pub(crate) fn check_gravity(gravity: Vec3) -> Result<(), CommandError> {
    let what = "gravity along an axis (m/s²)";
    gravity
        .to_array()
        .into_iter()
        .try_for_each(|g| check_between(what, g, -MAX_GRAVITY, MAX_GRAVITY))
}

/// Checks a gravity scale, which may be negative.
pub(crate) fn check_gravity_scale(scale: Real) -> Result<(), CommandError> {
    check_between("the gravity scale", scale, -MAX_GRAVITY_SCALE, MAX_GRAVITY_SCALE)
}

/// Checks a value that must lie between 0 and a limit.
pub(crate) fn check_range(what: &'static str, value: Real, max: Real) -> Result<(), CommandError> {
    check_between(what, value, Real::ZERO, max)
}

pub(crate) fn check_between(
    what: &'static str,
    value: Real,
    min: Real,
    max: Real,
) -> Result<(), CommandError> {
    if (min..=max).contains(&value) {
        Ok(())
    } else {
        Err(CommandError::OutOfRange { what, value, min, max })
    }
}
