//! A machine's game: the arena, and a fault that can be planted in it. The fault is no part of the state: what it does
//! to the state is for the session to find out.

use super::control::Spot;
use isostep_core::{Real, Vec3};
use isostep_derive::State;
use isostep_determinism_tests::games::{Arena, ArenaInput};
use isostep_rollback::{Inputs, PlayerId, Simulation, Tick};
use serde::Serialize;

/// The bit that is flipped in a velocity: 4 mm/s. Less might be rounded away by the next contact.
const VELOCITY_BIT: i64 = 1 << 24;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// The step that goes wrong.
    pub(crate) tick: Tick,
    pub(crate) spot: Spot,
}

/// A fault that every machine with this program would have; digests don't see it.
#[derive(Debug, Default, Serialize)]
struct Flaw {
    #[serde(skip)]
    fault: Option<Fault>,
}

#[derive(Debug, State)]
#[state(crate = isostep_core::state)]
pub(crate) struct Peer {
    arena: Arena,
    /// Gone once the machine doubts itself and computes anew: a bit that flipped in memory.
    #[state(scratch)]
    glitch: Option<Fault>,
    /// There to stay: a program that computes otherwise.
    #[state(fixed)]
    flaw: Flaw,
}

impl Peer {
    pub(crate) fn new(arena: Arena) -> Self {
        Self { arena, glitch: None, flaw: Flaw::default() }
    }

    pub(crate) const fn arena(&self) -> &Arena {
        &self.arena
    }

    pub(crate) const fn plant(&mut self, fault: Fault, lasting: bool) {
        if lasting {
            self.flaw.fault = Some(fault);
        } else {
            self.glitch = Some(fault);
        }
    }

    fn strike(&mut self, spot: Spot) {
        match spot {
            Spot::Score => self.arena.players_mut()[0].goals ^= 1,
            Spot::Velocity => {
                let ball = self.arena.ball();
                let world = self.arena.world_mut();
                let Some(body) = world.body(ball) else { return };
                let velocity = body.velocity();
                let x = Real::from_bits(velocity.x.to_bits() ^ VELOCITY_BIT);
                // The speed cap holds for steps, not for what is set.
                let _ = world.set_velocity(ball, Vec3 { x, ..velocity });
            }
        }
    }
}

impl Simulation for Peer {
    type Input = ArenaInput;

    fn step(&mut self, tick: Tick, inputs: &Inputs<ArenaInput>) {
        for fault in [self.glitch, self.flaw.fault].into_iter().flatten() {
            if fault.tick == tick {
                self.strike(fault.spot);
            }
        }
        self.arena.step(tick, inputs);
    }

    fn bot(&self, tick: Tick, player: PlayerId) -> ArenaInput {
        self.arena.bot(tick, player)
    }
}
