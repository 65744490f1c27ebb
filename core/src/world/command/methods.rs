//! A method for each command.

use super::Command;
use crate::math::{Transform, Vec3};
use crate::world::def::BodyDef;
use crate::world::errors::CommandError;
use crate::world::{BodyId, World};

impl World {
    /// Spawns a body.
    ///
    /// # Errors
    /// If the definition is out of range, or stream 0 is full.
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

    /// Removes a body.
    ///
    /// # Errors
    /// If the body does not exist.
    pub fn despawn(&mut self, body: BodyId) -> Result<(), CommandError> {
        self.command(Command::Despawn(body)).map(drop)
    }

    /// Sets the velocity of a body's centre of mass, m/s.
    ///
    /// # Errors
    /// If the body does not exist or is static, or the speed exceeds [`MAX_SPEED`].
    pub fn set_velocity(&mut self, body: BodyId, velocity: Vec3) -> Result<(), CommandError> {
        self.command(Command::SetVelocity(body, velocity)).map(drop)
    }

    /// Applies a force at the centre of mass for this tick, N.
    ///
    /// # Errors
    /// If the body does not exist or is not dynamic, or the new speed would exceed [`MAX_SPEED`].
    pub fn apply_force(&mut self, body: BodyId, force: Vec3) -> Result<(), CommandError> {
        self.command(Command::Impulse(body, force / self.def.tick_rate as i32)).map(drop)
    }

    /// Applies an impulse at the centre of mass, N·s.
    ///
    /// # Errors
    /// If the body does not exist or is not dynamic, or the new speed would exceed [`MAX_SPEED`].
    pub fn apply_impulse(&mut self, body: BodyId, impulse: Vec3) -> Result<(), CommandError> {
        self.command(Command::Impulse(body, impulse)).map(drop)
    }

    /// Applies an impulse at a point in world space, N·s.
    ///
    /// # Errors
    /// If the body does not exist or is not dynamic, or the new speed would exceed [`MAX_SPEED`].
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
    /// If the body does not exist or is static, or the angular velocity exceeds the limit of the body ([`MAX_SPEED`]).
    pub fn set_angular_velocity(&mut self, body: BodyId, spin: Vec3) -> Result<(), CommandError> {
        self.command(Command::SetAngularVelocity(body, spin)).map(drop)
    }

    /// Applies a torque for this tick, N·m.
    ///
    /// # Errors
    /// If the body does not exist or is not dynamic, or the new angular velocity would exceed the limit of the body ([`MAX_SPEED`]).
    pub fn apply_torque(&mut self, body: BodyId, torque: Vec3) -> Result<(), CommandError> {
        self.command(Command::AngularImpulse(body, torque / self.def.tick_rate as i32)).map(drop)
    }

    /// Moves a body to a pose at once. Its velocity is unchanged, and nothing between the two poses is hit.
    ///
    /// # Errors
    /// If the body does not exist, or the position is outside the world.
    pub fn teleport(&mut self, body: BodyId, pose: Transform) -> Result<(), CommandError> {
        self.command(Command::Teleport(body, pose)).map(drop)
    }

    /// Moves a kinematic body so that it reaches a pose at the end of this tick, and pushes dynamic bodies on the way. The body
    /// keeps the velocity that this takes: call it every tick, or stop the body with [`set_velocity`](Self::set_velocity).
    ///
    /// # Errors
    /// If the body does not exist or is not kinematic, or the speed would exceed [`MAX_SPEED`].
    pub fn move_to(&mut self, body: BodyId, pose: Transform) -> Result<(), CommandError> {
        self.command(Command::MoveTo(body, pose)).map(drop)
    }

    /// Wakes a body and the bodies that fell asleep with it.
    ///
    /// # Errors
    /// If the body does not exist.
    pub fn wake(&mut self, body: BodyId) -> Result<(), CommandError> {
        self.command(Command::Wake(body)).map(drop)
    }
}
