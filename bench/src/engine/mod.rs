//! Worlds of whatever make that play the same scenes, so that they can take turns.
//!
//! - [`Staging`]: a scene as plain numbers, for whoever wants to build it.
//! - [`Engine`]: what a world is asked to do; it holds the clock itself, so that scripts run outside of it.
//! - `remote.rs`: an engine in another process, for builds that can't be in one.

mod remote;

pub use remote::{Remote, RemoteError, serve};

use serde::{Deserialize, Serialize};

/// A scene as plain numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Staging {
    /// The name of the scene.
    pub name: String,
    /// Who is in it.
    pub bodies: Vec<Placed>,
    /// Velocities along x and z that players get, by tick and player; it starts over at its end.
    pub script: Vec<Vec<[f32; 2]>>,
}

/// A body of a scene. Density 1, friction 0.6, not turned, never asleep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// Whether it never moves.
    pub fixed: bool,
    /// Whether the script drives it; it never turns then.
    pub player: bool,
    /// Its middle, metres.
    pub place: [f32; 3],
    /// Its shape.
    pub form: Form,
}

/// A shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Form {
    /// By its radius.
    Ball(f32),
    /// By half its edges.
    Cuboid([f32; 3]),
    /// Upright, by half the distance between its balls, and their radius.
    Capsule(f32, f32),
}

/// What can be seen of a world from outside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The deepest overlap, metres.
    pub deepest: f64,
    /// Places of the bodies that move and that nobody drives, metres.
    pub places: Vec<[f64; 3]>,
    /// Their speeds, metres a second.
    pub speeds: Vec<f64>,
}

/// A world that plays scenes. Times are microseconds.
pub trait Engine {
    /// Who it is, with version and build.
    fn name(&self) -> String;

    /// Builds a scene anew.
    fn load(&mut self, staging: &Staging);

    /// Plays so many ticks; the time that steps took, scripts not counted.
    fn step(&mut self, ticks: u32) -> f64;

    /// Keeps the present so that it can be gone back to.
    fn save(&mut self) -> f64;

    /// Goes back to what was kept.
    fn restore(&mut self) -> f64;

    /// Plays so many ticks, goes back to where it was and plays them again, keeping each; the time from going back on.
    fn rollback(&mut self, depth: u32) -> f64;

    /// Writes the present out; time and bytes. `None` if it can't.
    fn encode(&mut self) -> Option<(f64, usize)>;

    /// Becomes what was last written out; the time. `None` if it can't.
    fn decode(&mut self) -> Option<f64>;

    /// What there is to see.
    fn observe(&mut self) -> Observation;
}
