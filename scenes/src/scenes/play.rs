//! Scenes as games: what a session, a sync test or any other tool that takes a `Simulation` can run.
//!
//! A script is a function of the world, the tick, the seed and what it remembers, and that is saved with the world: a tick
//! that is computed again has the same commands. Players add to it, if there are any: they nudge bodies.

use super::Scene;
use isostep_core::world::{BodyId, BodyKind, World};
use isostep_core::{Real, Rng, Vec3};
use isostep_rollback::{Inputs, NewestWins, PlayerId, Simulation, Tick};

/// What a player of a scene does: 0 for nothing, n to nudge the dynamic body number n − 1 (of those that are there, from the
/// start again after the last).
pub type Nudge = NewestWins<u8>;

/// What a nudge adds to a velocity, m/s.
const NUDGE_SPEED: Real = Real::HALF;

impl Simulation for Scene {
    type Input = Nudge;

    fn step(&mut self, _: Tick, inputs: &Inputs<Nudge>) {
        self.act();
        for (player, input) in inputs.iter() {
            if let Some(number) = input.value.0.checked_sub(1) {
                push(&mut self.world, player, usize::from(number));
            }
        }
        self.world.step();
    }
}

fn push(world: &mut World, player: PlayerId, number: usize) {
    let dynamic: Vec<(BodyId, Real)> = world
        .bodies()
        .filter(|(_, body)| body.kind() == BodyKind::Dynamic)
        .map(|(id, body)| (id, body.mass()))
        .collect();
    if dynamic.is_empty() {
        return;
    }
    let (body, mass) = dynamic[number % dynamic.len()];
    let side = if player.0.is_multiple_of(2) { Vec3::X } else { Vec3::Z };
    // What is as fast as can be already stays as it is.
    let _ = world.apply_impulse(body, (side + Vec3::Y) * (mass * NUDGE_SPEED));
}

/// What the script of a player is: now and then a nudge for four ticks, decided by the seed.
pub fn nudge(seed: u64, player: PlayerId, tick: Tick) -> Nudge {
    const NUDGE: u64 = 9;
    let mut rng = Rng::keyed(seed, u64::from(tick.0 / 4), u64::from(player.0), NUDGE);
    let now = rng.chance(1, 4).expect("not of none");
    NewestWins(if now { 1 + rng.below(255).expect("not empty") as u8 } else { 0 })
}
