//! Scenes as games, for sessions, sync tests and other tools that take a `Simulation`.
//!
//! A script is a function of the world, the tick, the seed and its own memory, which is saved with
//! the world: a resimulated tick issues the same commands. Players may add nudges.

use super::Scene;
use isostep_core::world::{BodyId, BodyKind, World};
use isostep_core::{Real, Rng, Vec3};
use isostep_rollback::{Inputs, NewestWins, PlayerId, Simulation, Tick};

/// Input of a scene: 0 for nothing, n to nudge dynamic body n − 1, modulo their number.
pub type Nudge = NewestWins<u8>;

/// Speed that a nudge adds, m/s.
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
    // Fails at the speed limit; then no nudge is needed.
    let _ = world.apply_impulse(body, (side + Vec3::Y) * (mass * NUDGE_SPEED));
}

/// Scripted input: now and then a nudge for four ticks, determined by the seed.
pub fn nudge(seed: u64, player: PlayerId, tick: Tick) -> Nudge {
    const NUDGE: u64 = 9;
    let mut rng = Rng::keyed(seed, u64::from(tick.0 / 4), u64::from(player.0), NUDGE);
    let now = rng.chance(1, 4).expect("not of none");
    NewestWins(if now { 1 + rng.below(255).expect("not empty") as u8 } else { 0 })
}
