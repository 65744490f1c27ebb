//! A method for each command.

use super::Command;
use crate::math::{Real, Transform, Vec3};
use crate::shape::Shape;
use crate::world::def::{BodyDef, ShapeDef};
use crate::world::errors::CommandError;
use crate::world::{BodyId, BodyKind, Filter, Locks, Material, World};

impl World {
    /// Spawns a body.
    ///
    /// # Errors
    /// If the definition is out of range, or stream 0 is full.
    #[doc(alias("insert", "create_body", "CreateAndAddBody"))]
    pub fn spawn(&mut self, def: BodyDef) -> Result<BodyId, CommandError> {
        self.spawn_in(0, def)
    }

    /// Spawns a body with an id from a stream's own range. Spawns in one stream, say of one player, do not affect the ids of
    /// another. A stream holds up to 65,536 bodies at a time.
    ///
    /// # Errors
    /// If the definition is out of range, or the stream is full.
    pub fn spawn_in(&mut self, stream: u8, def: BodyDef) -> Result<BodyId, CommandError> {
        let id = self.apply_spawn(stream, &def)?;
        self.commands.push(Command::Spawn(stream, Box::new(def)));
        self.spawned.push(id);
        Ok(id)
    }

    /// Spawns a body with an id that the game chooses, say one that another world or a saved game has, or that
    /// [`BodyId::new`] makes of a stream, an index and a generation.
    ///
    /// The id must be free: no body may have its index, and its generation must be higher than that of all earlier bodies with this
    /// index, so that an old id never names another body. The index leaves the free indices of its stream, and returns with the
    /// next generation when the body is despawned; all lower indices that are not in use are free, and [`spawn`](Self::spawn) takes the
    /// lowest. An unused index costs 5 bytes, at most 300 kB in a stream, and each held tick half a byte of them.
    ///
    /// ```
    /// use isostep_core::{real, shape::Shape, world::{BodyDef, CommandError, World, WorldDef}};
    /// let ball = || BodyDef::dynamic().shape(Shape::sphere(real!(0.5)).unwrap());
    /// let (mut server, mut client) = (World::new(WorldDef::default())?, World::new(WorldDef::default())?);
    /// server.spawn(ball())?;
    /// let id = server.spawn(ball())?;
    /// client.spawn_with_id(id, ball())?;
    /// assert!(client.body(id).is_some());
    /// assert_eq!(client.spawn_with_id(id, ball()), Err(CommandError::IdTaken(id)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the definition is out of range, or the id is taken or was in use before.
    pub fn spawn_with_id(&mut self, id: BodyId, def: BodyDef) -> Result<(), CommandError> {
        self.command(Command::SpawnWithId(id, Box::new(def))).map(drop)
    }

    /// Removes a body.
    ///
    /// # Errors
    /// If the body does not exist.
    #[doc(alias("remove", "destroy_body"))]
    pub fn despawn(&mut self, body: BodyId) -> Result<(), CommandError> {
        self.command(Command::Despawn(body)).map(drop)
    }

    /// Sets the velocity of a body's centre of mass, m/s.
    ///
    /// Wakes a sleeping body, unless the velocity is zero, its own: a command that sets a velocity or a shape that the body already
    /// has wakes nothing. Commands that change settings wake it also if the value stays the same, apart from those whose documentation says
    /// otherwise.
    ///
    /// # Errors
    /// If the body does not exist or is fixed, or the speed exceeds [`MAX_SPEED`](crate::world::MAX_SPEED).
    #[doc(alias("set_linvel", "set_linear_velocity"))]
    pub fn set_velocity(&mut self, body: BodyId, velocity: Vec3) -> Result<(), CommandError> {
        self.command(Command::SetVelocity(body, velocity)).map(drop)
    }

    /// Applies a force at the centre of mass during this tick, N.
    ///
    /// The forces of a tick add up. They are constant over the tick, act in every substep like gravity, and end with it: call this on
    /// every tick for a lasting force. A body does not fall asleep while a force acts, and a sleeping body wakes, unless the force is
    /// zero. At 60 ticks per second and 8 substeps an acceleration below 0.0002 m/s² rounds to zero, as for gravity. The sweep that
    /// prevents tunnelling knows the velocity at the start of the tick only: use an impulse for a sudden change. On a disabled body a force
    /// has no effect.
    ///
    /// ```
    /// use isostep_core::{real, shape::Shape, world::{BodyDef, World, WorldDef}, Vec3};
    /// let mut world = World::new(WorldDef { gravity: Vec3::Y * -10, ..WorldDef::default() })?;
    /// let drone = world.spawn(BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?).mass(real!(2)))?;
    /// for _ in 0..60 {
    ///     world.apply_force(drone, Vec3::Y * 20)?;
    ///     world.step();
    /// }
    /// assert_eq!(world.body(drone).unwrap().position(), Vec3::ZERO);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the body does not exist or is not dynamic, or the forces of this tick would change its velocity by more than
    /// [`MAX_SPEED`](crate::world::MAX_SPEED).
    #[doc(alias("add_force", "apply_force_to_center"))]
    pub fn apply_force(&mut self, body: BodyId, force: Vec3) -> Result<(), CommandError> {
        self.command(Command::Force(body, force)).map(drop)
    }

    /// Applies a force at a point in world space during this tick, N; see [`apply_force`](Self::apply_force). Its torque about the
    /// centre of mass is that of the current pose and stays constant over the tick; [`apply_torque`](Self::apply_torque) states its accuracy.
    ///
    /// # Errors
    /// As for [`apply_force`](Self::apply_force) and [`apply_torque`](Self::apply_torque), or if the point is outside the world.
    #[doc(alias("add_force_at_point", "apply_force_at_point"))]
    pub fn apply_force_at(
        &mut self,
        body: BodyId,
        force: Vec3,
        point: Vec3,
    ) -> Result<(), CommandError> {
        self.command(Command::ForceAt(body, force, point)).map(drop)
    }

    /// Applies an impulse at the centre of mass, N·s.
    ///
    /// # Errors
    /// If the body does not exist or is not dynamic, or the new speed would exceed [`MAX_SPEED`](crate::world::MAX_SPEED).
    #[doc(alias("add_impulse", "apply_linear_impulse"))]
    pub fn apply_impulse(&mut self, body: BodyId, impulse: Vec3) -> Result<(), CommandError> {
        self.command(Command::Impulse(body, impulse)).map(drop)
    }

    /// Applies an impulse at a point in world space, N·s.
    ///
    /// # Errors
    /// If the body does not exist or is not dynamic, or the new speed would exceed [`MAX_SPEED`](crate::world::MAX_SPEED).
    #[doc(alias = "apply_impulse_at_point")]
    pub fn apply_impulse_at(
        &mut self,
        body: BodyId,
        impulse: Vec3,
        point: Vec3,
    ) -> Result<(), CommandError> {
        self.command(Command::ImpulseAt(body, impulse, point)).map(drop)
    }

    /// Sets a body's angular velocity, rad/s.
    ///
    /// # Errors
    /// If the body does not exist or is fixed, or the angular velocity exceeds the limit of the body ([`MAX_SPEED`](crate::world::MAX_SPEED)).
    #[doc(alias = "set_angvel")]
    pub fn set_angular_velocity(&mut self, body: BodyId, spin: Vec3) -> Result<(), CommandError> {
        self.command(Command::SetAngularVelocity(body, spin)).map(drop)
    }

    /// Applies a torque during this tick, N·m. Torques add up and act like forces; see [`apply_force`](Self::apply_force).
    ///
    /// The angular momentum that a body gets has the right magnitude; its direction deviates by up to 1.5 % if one tick spins an asymmetric
    /// body from rest to 3 rad/s, and by 0.5 % over 20 ticks of torque.
    ///
    /// # Errors
    /// If the body does not exist or is not dynamic, or the torques of this tick would change its angular velocity by more than the
    /// limit of the body ([`MAX_SPEED`](crate::world::MAX_SPEED)).
    #[doc(alias = "add_torque")]
    pub fn apply_torque(&mut self, body: BodyId, torque: Vec3) -> Result<(), CommandError> {
        self.command(Command::Torque(body, torque)).map(drop)
    }

    /// Applies an angular impulse, N·m·s.
    ///
    /// # Errors
    /// If the body does not exist or is not dynamic, or the new angular velocity would exceed the limit of the body ([`MAX_SPEED`](crate::world::MAX_SPEED)).
    #[doc(alias = "apply_torque_impulse")]
    pub fn apply_angular_impulse(
        &mut self,
        body: BodyId,
        impulse: Vec3,
    ) -> Result<(), CommandError> {
        self.command(Command::AngularImpulse(body, impulse)).map(drop)
    }

    /// Moves a body to a pose at once. Its velocity is unchanged, and nothing between the two poses is hit.
    ///
    /// # Errors
    /// If the body does not exist, or its origin or its centre of mass would be outside the world.
    #[doc(alias("set_position", "set_translation", "set_transform"))]
    pub fn teleport(&mut self, body: BodyId, pose: Transform) -> Result<(), CommandError> {
        self.command(Command::Teleport(body, pose)).map(drop)
    }

    /// Moves a kinematic body so that it reaches a pose at the end of this tick, and pushes dynamic bodies on its path. The body
    /// keeps the velocity that this takes: call it every tick, or stop the body with [`set_velocity`](Self::set_velocity).
    ///
    /// # Errors
    /// If the body does not exist or is not kinematic, or the speed would exceed [`MAX_SPEED`](crate::world::MAX_SPEED).
    #[doc(alias("set_next_kinematic_position", "move_kinematic", "set_target_transform"))]
    pub fn move_to(&mut self, body: BodyId, pose: Transform) -> Result<(), CommandError> {
        self.command(Command::MoveTo(body, pose)).map(drop)
    }

    /// Wakes a body and the bodies that fell asleep with it.
    ///
    /// # Errors
    /// If the body does not exist.
    #[doc(alias("wake_up", "set_awake", "activate"))]
    pub fn wake(&mut self, body: BodyId) -> Result<(), CommandError> {
        self.command(Command::Wake(body)).map(drop)
    }

    /// Puts a body to sleep at once, with all dynamic bodies that contacts of the last step connect to it, directly or through each other:
    /// its island. Their velocities become zero, and forces of this tick are dropped. They sleep, even in mid-air, until a contact, a
    /// change of their support or a command wakes them; a moving body in contact with them wakes them in the next step. Does
    /// nothing if the body is asleep.
    ///
    /// # Errors
    /// If the body does not exist, is disabled or is not dynamic; if [`can_sleep`](crate::world::BodyDef::can_sleep) is false for a body of the island; or if a
    /// command on this tick spawned, teleported or redefined a body of the island or one in contact with it. Then do it on the next tick.
    #[doc(alias("sleep", "deactivate"))]
    pub fn put_to_sleep(&mut self, body: BodyId) -> Result<(), CommandError> {
        self.command(Command::Sleep(body)).map(drop)
    }

    /// Changes the gravity of the world, m/s². Gravity is state: it is saved, restored and rolled back with the bodies.
    ///
    /// Wakes all sleeping bodies, unless gravity stays the same. It is an input of every body, so a rollback in which it differs
    /// simulates everything again from that tick on. For gravity that differs from place to place use
    /// [`set_gravity_scale`](Self::set_gravity_scale) or forces.
    ///
    /// # Errors
    /// If a component is outside ±1000 m/s².
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), CommandError> {
        self.command(Command::SetGravity(gravity)).map(drop)
    }

    /// Sets the mass of a body, kg, and its moments of inertia about its own axes x, y and z through the centre of mass, kg·m².
    /// A mass of `None` is that of the shapes; an inertia of `None` is that of the shapes, scaled to the mass. Later
    /// changes of shapes keep the values that are set. The mass is 10⁻⁷ to 10⁸ kg; the range of a moment depends on mass and size, see
    /// [`BodyDef::inertia`](crate::world::BodyDef::inertia).
    ///
    /// The velocity stays. Contacts lose their impulses for warm starting.
    ///
    /// # Errors
    /// If the body does not exist, a value is out of range, or a dynamic body would have no mass.
    #[doc(alias("set_additional_mass", "set_mass_data"))]
    pub fn set_mass(
        &mut self,
        body: BodyId,
        mass: Option<Real>,
        inertia: Option<Vec3>,
    ) -> Result<(), CommandError> {
        self.command(Command::SetMass(body, mass, inertia)).map(drop)
    }

    /// Changes the kind of a body. A body that becomes fixed loses its velocity.
    ///
    /// # Errors
    /// If the body does not exist, or it has no mass or a half space and would become dynamic.
    #[doc(alias("set_body_type", "set_motion_type"))]
    pub fn set_kind(&mut self, body: BodyId, kind: BodyKind) -> Result<(), CommandError> {
        self.command(Command::SetKind(body, kind)).map(drop)
    }

    /// Disables or enables a body. A disabled body keeps its state and takes no part in the simulation. Commands change its pose, velocity
    /// and settings, so an impulse acts once it is enabled; forces have no effect, and it can't be put to sleep.
    ///
    /// # Errors
    /// If the body does not exist.
    pub fn set_enabled(&mut self, body: BodyId, enabled: bool) -> Result<(), CommandError> {
        self.command(Command::SetEnabled(body, enabled)).map(drop)
    }

    /// Changes the locked degrees of freedom. Motion along them ends with the next step.
    ///
    /// # Errors
    /// If the body does not exist.
    #[doc(alias("set_locked_axes", "set_motion_locks"))]
    pub fn set_locks(&mut self, body: BodyId, locks: Locks) -> Result<(), CommandError> {
        self.command(Command::SetLocks(body, locks)).map(drop)
    }

    /// Changes the largest speed of a body, m/s. A faster velocity is scaled down in the next step and keeps its direction. A cap of 256
    /// is [`MAX_SPEED`](crate::world::MAX_SPEED), which limits every body.
    ///
    /// # Errors
    /// If the body does not exist, or the cap is negative or above 256.
    #[doc(alias("set_max_speed", "set_max_linear_velocity"))]
    pub fn set_speed_cap(&mut self, body: BodyId, cap: Real) -> Result<(), CommandError> {
        self.command(Command::SetSpeedCap(body, cap)).map(drop)
    }

    /// Changes the factor on the world's gravity, within ±100.
    ///
    /// # Errors
    /// If the body does not exist, or the factor is out of range.
    #[doc(alias = "set_gravity_factor")]
    pub fn set_gravity_scale(&mut self, body: BodyId, scale: Real) -> Result<(), CommandError> {
        self.command(Command::SetGravityScale(body, scale)).map(drop)
    }

    /// Changes linear and angular damping, 1/s, 0 to 1000; see [`linear_damping`](crate::world::BodyDef::linear_damping).
    ///
    /// # Errors
    /// If the body does not exist, or a value is out of range.
    pub fn set_damping(
        &mut self,
        body: BodyId,
        linear: Real,
        angular: Real,
    ) -> Result<(), CommandError> {
        self.command(Command::SetDamping(body, linear, angular)).map(drop)
    }

    /// Changes the game's own value. Does not wake the body.
    ///
    /// # Errors
    /// If the body does not exist.
    pub fn set_user_data(&mut self, body: BodyId, user_data: u64) -> Result<(), CommandError> {
        self.command(Command::SetUserData(body, user_data)).map(drop)
    }

    /// Allows or forbids a body, and with it its island, to fall asleep.
    ///
    /// # Errors
    /// If the body does not exist.
    #[doc(alias("set_allow_sleeping", "enable_sleep"))]
    pub fn set_can_sleep(&mut self, body: BodyId, can_sleep: bool) -> Result<(), CommandError> {
        self.command(Command::SetCanSleep(body, can_sleep)).map(drop)
    }

    /// Reports [`Event::ContactPersisted`](crate::world::Event::ContactPersisted) for the body on every tick on which one of the
    /// bodies is awake, or not. Does not
    /// wake the body.
    ///
    /// # Errors
    /// If the body does not exist.
    pub fn set_persist_events(&mut self, body: BodyId, on: bool) -> Result<(), CommandError> {
        self.command(Command::SetPersistEvents(body, on)).map(drop)
    }

    /// Reports [`Event::SensorStayed`](crate::world::Event::SensorStayed) for the body on every tick on which one of the bodies is
    /// awake or moves, or not. Does not wake the
    /// body.
    ///
    /// # Errors
    /// If the body does not exist.
    pub fn set_stay_events(&mut self, body: BodyId, on: bool) -> Result<(), CommandError> {
        self.command(Command::SetStayEvents(body, on)).map(drop)
    }

    /// Changes the material of a shape.
    ///
    /// # Errors
    /// If the body or the shape does not exist, or the material is out of range.
    pub fn set_material(
        &mut self,
        body: BodyId,
        shape: u8,
        material: Material,
    ) -> Result<(), CommandError> {
        self.command(Command::SetMaterial(body, shape, material)).map(drop)
    }

    /// Makes a shape a sensor, or a sensor an ordinary shape. The mass of the body is unchanged until its
    /// shapes change.
    ///
    /// # Errors
    /// If the body or the shape does not exist.
    pub fn set_sensor(
        &mut self,
        body: BodyId,
        shape: u8,
        sensor: bool,
    ) -> Result<(), CommandError> {
        self.command(Command::SetSensor(body, shape, sensor)).map(drop)
    }

    /// Changes the collision filter of a shape.
    ///
    /// # Errors
    /// If the body or the shape does not exist, or the layer is above 31.
    #[doc(alias = "set_collision_groups")]
    pub fn set_filter(
        &mut self,
        body: BodyId,
        shape: u8,
        filter: Filter,
    ) -> Result<(), CommandError> {
        self.command(Command::SetFilter(body, shape, filter)).map(drop)
    }

    /// Replaces the geometry of a shape; its pose, density, material and filter stay.
    ///
    /// Mass, centre of mass and inertia follow from the shapes, unless they are [set](Self::set_mass). The origin of the body stays
    /// in place, and so does the velocity of each of its points: that of the centre of mass changes by ω × the distance that the centre
    /// moved. The contacts of the body lose their impulses for warm starting. Sleeping bodies in contact with it wake.
    ///
    /// # Errors
    /// If the body or the shape does not exist, a dynamic body would get a half space or no valid mass, its new size or centre
    /// would make it too fast, or its centre would be outside the world.
    pub fn set_shape(
        &mut self,
        body: BodyId,
        shape: u8,
        geometry: Shape,
    ) -> Result<(), CommandError> {
        self.command(Command::SetShape(body, shape, geometry)).map(drop)
    }

    /// Changes the pose of a shape in its body. Mass and velocity follow as for [`set_shape`](Self::set_shape).
    ///
    /// # Errors
    /// As for [`set_shape`](Self::set_shape), or if the shape is more than 4096 m from the body's origin.
    pub fn set_shape_pose(
        &mut self,
        body: BodyId,
        shape: u8,
        pose: Transform,
    ) -> Result<(), CommandError> {
        self.command(Command::SetShapePose(body, shape, pose)).map(drop)
    }

    /// Adds a shape to a body and returns its number: the lowest that no shape of the body has. Mass and velocity follow as for
    /// [`set_shape`](Self::set_shape).
    ///
    /// ```
    /// use isostep_core::{real, shape::Shape, world::{BodyDef, ShapeDef, World, WorldDef}, Vec3};
    /// let mut world = World::new(WorldDef::default())?;
    /// let ball = || ShapeDef::from(Shape::sphere(real!(0.5)).unwrap());
    /// let body = world.spawn(BodyDef::dynamic().shape(ball()))?;
    /// assert_eq!(world.add_shape(body, ball().at(Vec3::X * 2))?, 1);
    /// assert_eq!(world.body(body).unwrap().center_of_mass(), Vec3::X);
    /// world.remove_shape(body, 0)?;
    /// assert_eq!(world.add_shape(body, ball())?, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`set_shape`](Self::set_shape), or if the definition is out of range, or the body has 255 shapes.
    #[doc(alias("add_collider", "create_shape"))]
    pub fn add_shape(&mut self, body: BodyId, def: ShapeDef) -> Result<u8, CommandError> {
        let number = self.free_ordinal(body)?;
        self.command(Command::AddShape(body, Box::new(def))).map(|_| number)
    }

    /// Removes a shape from a body. The other shapes keep their numbers; the next shape that is added may get this one. Contacts and
    /// sensor overlaps of the shape end with an event. Mass and velocity follow as for [`set_shape`](Self::set_shape).
    ///
    /// # Errors
    /// As for [`set_shape`](Self::set_shape).
    #[doc(alias("remove_collider", "destroy_shape"))]
    pub fn remove_shape(&mut self, body: BodyId, shape: u8) -> Result<(), CommandError> {
        self.command(Command::RemoveShape(body, shape)).map(drop)
    }
}
