//! Physics engines that play the same scenes, so that they can be measured in interleaved rounds.
//!
//! - [`Staging`]: a scene as plain numbers, for any engine.
//! - [`Engine`]: operations to measure; the engine takes the time itself, so that scripts are not measured.
//! - `remote.rs`: an engine in another process, for builds that can't share one.

mod remote;

pub use remote::{Remote, RemoteError, serve};

use serde::{Deserialize, Serialize};

/// A scene as plain numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Staging {
    /// Name of the scene.
    pub name: String,
    /// Bodies of the scene.
    pub bodies: Vec<Placed>,
    /// Density of the bodies, kg/m³.
    pub density: f32,
    /// True if bodies may fall asleep.
    pub sleeps: bool,
    /// Velocities along x and z of the players, by tick and player; repeats at its end.
    pub script: Vec<Vec<[f32; 2]>>,
}

/// A body of a scene, with friction 0.6.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// True if it never moves.
    pub fixed: bool,
    /// True if the script drives it; then its rotation is locked.
    pub player: bool,
    /// Its centre, metres.
    pub place: [f32; 3],
    /// Its rotation as a rotation vector, rad.
    pub turn: [f32; 3],
    /// Its shape.
    pub form: Form,
}

/// A shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Form {
    /// Radius.
    Ball(f32),
    /// Half extents.
    Cuboid([f32; 3]),
    /// Upright capsule: half length of the straight part, and radius.
    Capsule(f32, f32),
}

/// Observable state of a world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Deepest overlap, metres.
    pub deepest: f64,
    /// Positions of the moving bodies that no script drives, metres.
    pub places: Vec<[f64; 3]>,
    /// Their rotations as unit quaternions (x, y, z, w).
    pub turns: Vec<[f64; 4]>,
    /// Their speeds, metres a second.
    pub speeds: Vec<f64>,
}

/// A world that plays scenes. Times are microseconds.
pub trait Engine {
    /// Name of the engine, with version and build.
    fn name(&self) -> String;

    /// Builds a scene.
    fn load(&mut self, staging: &Staging);

    /// Steps this many ticks; returns the time of the steps, without scripts.
    fn step(&mut self, ticks: u32) -> f64;

    /// Steps until all moving bodies sleep, at most this many ticks; returns the steps, and true if they sleep.
    fn settle(&mut self, ticks: u32) -> (u32, bool);

    /// Saves the current state for a later restore.
    fn save(&mut self) -> f64;

    /// Restores the saved state.
    fn restore(&mut self) -> f64;

    /// Steps this many ticks, restores the state before them and steps again, saving each; returns
    /// the time from the restore on.
    fn rollback(&mut self, depth: u32) -> f64;

    /// Serialises the current state; returns time and bytes. `None` if unsupported.
    fn encode(&mut self) -> Option<(f64, usize)>;

    /// Restores the last serialised state; returns the time. `None` if unsupported.
    fn decode(&mut self) -> Option<f64>;

    /// Returns the observable state.
    fn observe(&mut self) -> Observation;
}
