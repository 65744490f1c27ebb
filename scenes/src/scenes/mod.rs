//! Shared scenes: worlds with exact parameters, used by goldens, tests, examples and benches. One
//! file per family; `parts` has common pieces.
#![allow(
    clippy::missing_panics_doc,
    reason = "scenes are constants: what they expect holds or a test fails"
)]

mod arena;
mod extremes;
mod far;
mod impacts;
mod parts;
mod piles;
mod play;
pub mod rest;
mod rods;
mod sleepers;
mod spec;
mod storm;
mod tumbler;

use isostep_core::world::{BodyId, Command, World};
use isostep_core::{Real, Rng, StepReport, Vec3, real};
use isostep_derive::{Snapshot, State};
use serde::{Deserialize, Serialize};

pub use arena::{arena, arena_of};
pub use extremes::extremes;
pub use far::{far, far_at, far_place};
pub use impacts::{cradle, dominoes, rack, rack_of};
pub use piles::{bin, pyramid, stacks};
pub use play::{Nudge, nudge};
pub use rods::rods;
pub use sleepers::{sleepers, sleepers_apart};
pub use spec::{NAMES, Size, Spec, build};
pub use storm::{storm, storm_of};
pub use tumbler::{tumbler, tumbler_of};

/// A world with a script. It is also a [`Simulation`](isostep_rollback::Simulation); create one
/// with [`Spec::play`].
#[derive(Debug, State, Snapshot)]
#[state(crate = isostep_core::state)]
pub struct Scene {
    /// The world; step it with [`Scene::step`].
    pub world: World,
    script: Script,
}

/// Script of a scene.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Script {
    /// No changes.
    Idle,
    /// Random velocities, new ones every 30 ticks.
    Steer { players: Vec<BodyId>, seed: u64 },
    /// One command on one tick.
    Once { tick: u32, command: Command },
    /// Bodies spawn and despawn.
    Storm(storm::Storm),
}

impl Scene {
    fn new(world: World) -> Self {
        Self { world, script: Script::Idle }
    }

    /// Runs the script for this tick, then steps.
    pub fn step(&mut self) -> StepReport {
        self.act();
        self.world.step()
    }

    /// Runs the script for this tick.
    pub fn act(&mut self) {
        match &mut self.script {
            Script::Idle => (),
            Script::Steer { players, seed } => steer(&mut self.world, players, *seed),
            Script::Once { tick, command } => {
                if self.world.tick().0 == *tick {
                    self.world.command(command.clone()).expect("scenes are well-formed");
                }
            }
            Script::Storm(storm) => storm.act(&mut self.world),
        }
    }

    /// Digest of the state after the last step.
    pub fn digest(&self) -> blake3::Hash {
        let mut bytes = Vec::new();
        self.world.encode(&mut bytes);
        blake3::hash(&bytes)
    }
}

fn steer(world: &mut World, players: &[BodyId], seed: u64) {
    const STEER: u64 = 2;
    let tick = world.tick();
    for (i, &player) in players.iter().enumerate() {
        let mut rng = Rng::keyed(seed, u64::from(tick.0 / 30), i as u64, STEER);
        let mut axis = || rng.between(real!(-4), real!(4)).expect("not empty");
        let (x, z) = (axis(), axis());
        let y = world.body(player).map_or(Real::ZERO, |body| body.velocity().y);
        world.set_velocity(player, Vec3::new(x, y, z)).expect("players live and are slow");
    }
}
