//! Game of the demo: the arena of the tests, with an optional fault on one machine.

use isostep::{BodyId, Inputs, PlayerId, Real, Simulation, State, Tick};
use isostep_scenes::games::{Arena, ArenaInput, ArenaSize};

/// Two humans, two bots, and bodies to kick.
pub const SIZE: ArenaSize = ArenaSize { players: 4, props: 24 };

/// A match. The next tick depends on the arena alone, which the session saves and hashes.
#[derive(State)]
pub struct Match {
    pub arena: Arena,
    #[state(fixed)]
    fault: Fault,
}

/// Step on which a machine computes one bit wrong, each time it computes that step. The fault is
/// part of the program and not of the state, so it has no bytes there.
#[derive(serde::Serialize)]
struct Fault {
    #[serde(skip)]
    on: Option<Tick>,
}

impl Match {
    pub fn new(seed: u64, fault: Option<Tick>) -> Self {
        Self { arena: Arena::new(SIZE, seed), fault: Fault { on: fault } }
    }

    /// Makes the smallest possible change of a velocity: a micrometre a second.
    fn flip_a_bit(&mut self) {
        let ball = self.arena.ball();
        let body = self.arena.world().body(ball).expect("the ball stays");
        let mut velocity = body.velocity();
        velocity.x = Real::from_bits(velocity.x.to_bits() ^ 1 << 12);
        self.arena.world_mut().set_velocity(ball, velocity).expect("it is as slow as before");
    }
}

impl Simulation for Match {
    type Input = ArenaInput;

    fn step(&mut self, tick: Tick, inputs: &Inputs<ArenaInput>) {
        if self.fault.on == Some(tick) {
            self.flip_a_bit();
        }
        self.arena.step(tick, inputs);
    }

    fn bot(&self, tick: Tick, player: PlayerId) -> ArenaInput {
        self.arena.bot(tick, player)
    }

    fn body_name(&self, body: BodyId) -> Option<String> {
        self.arena.body_name(body)
    }
}
