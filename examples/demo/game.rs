//! The demo's game: the arena of the tests, and a machine that may compute one bit of it wrong.

use isostep::{Inputs, PlayerId, Real, Simulation, State, Tick};
use isostep_scenes::games::{Arena, ArenaInput, ArenaSize};

/// Two people, two bots, and things to kick.
pub const SIZE: ArenaSize = ArenaSize { players: 4, props: 24 };

/// A match: what the next tick depends on is the arena, saved and hashed by the session.
#[derive(State)]
pub struct Match {
    pub arena: Arena,
    #[state(fixed)]
    fault: Fault,
}

/// On which step a machine computes one bit wrong, each time it makes it. The fault is in its program and not in its state,
/// so it has no bytes there.
#[derive(serde::Serialize)]
struct Fault {
    #[serde(skip)]
    on: Option<Tick>,
}

impl Match {
    pub fn new(seed: u64, fault: Option<Tick>) -> Self {
        Self { arena: Arena::new(SIZE, seed), fault: Fault { on: fault } }
    }

    /// The smallest change of a speed that a body can have: a micrometre a second.
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
}
