//! Game of "Your first game", docs/first-game.md: tag. The player who is "it" has to touch the
//! other one.
//!
//! `cargo run --release -p isostep-examples --example first_game`

use isostep::rollback::{LinkConfig, SimMatch, SyncTest};
use isostep::{
    BodyDef, BodyId, Event, Inputs, PlayerId, SessionConfig, Shape, Simulation, Snapshot, State,
    Stick, Tick, Vec3, World, WorldDef, real,
};
use std::error::Error;

#[derive(State, Snapshot)]
struct Tag {
    world: World,
    /// Tagged player, 0 or 1.
    it: u32,
    /// Ticks for which each player was tagged; fewer are better.
    ticks: [u32; 2],
    #[state(fixed)]
    players: [BodyId; 2],
}

impl Tag {
    fn new() -> Result<Self, Box<dyn Error>> {
        let mut world = World::new(WorldDef::default())?;
        world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE))?;
        let ball = BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?).damping(real!(1), real!(1));
        let at = |x| ball.clone().at(Vec3::new(x, real!(0.5), real!(0)));
        let players = [world.spawn(at(real!(-4)))?, world.spawn(at(real!(4)))?];
        world.commit();
        Ok(Self { world, it: 0, ticks: [0; 2], players })
    }
}

impl Simulation for Tag {
    type Input = Stick;

    fn step(&mut self, _: Tick, inputs: &Inputs<Stick>) {
        for (player, input) in inputs.iter() {
            let push = Vec3::new(input.value.x(), real!(0), input.value.y()) * 150;
            let body = self.players[usize::from(player.0)];
            self.world.apply_impulse(body, push).expect("players are never despawned");
        }
        self.world.step();
        let touch = |event| match event {
            Event::ContactBegan(pair) => self.players.iter().all(|body| pair.bodies.contains(body)),
            _ => false,
        };
        if self.world.events().any(touch) {
            self.it = 1 - self.it;
        }
        self.ticks[self.it as usize] += 1;
    }
}

/// Scripted input: walks to the middle and away from it.
fn script(player: PlayerId, tick: Tick) -> Stick {
    let inwards = if player.0 == 0 { 100 } else { -100 };
    let lean = [inwards, 0, -inwards, inwards / 2][(tick.0 / 40) as usize % 4];
    Stick::from_steps(lean, 0).unwrap_or_default()
}

/// Plays two machines over a bad Wi-Fi; returns the result.
fn play() -> Result<[u32; 2], Box<dyn Error>> {
    let config = SessionConfig::new().delay(2);
    let mut sim = SimMatch::mesh(7, 2, &config, LinkConfig::wifi(), |_| {
        Tag::new().expect("the level is valid")
    })?;
    sim.run(600, |_, player, tick| script(player, tick))?;
    sim.settle()?;
    let (tick, digest) = sim.agree()?;
    let machine = &sim.machines()[0];
    let rollbacks = machine.session.stats().rollbacks;
    println!("tick {tick}, {rollbacks} rollbacks, both have the digest {digest}");
    println!(
        "player 0 was it for {} ticks, player 1 for {}",
        machine.game.ticks[0], machine.game.ticks[1]
    );
    Ok(machine.game.ticks)
}

fn main() -> Result<(), Box<dyn Error>> {
    let report = SyncTest::new(2).run(&mut Tag::new()?, 120, |tick, inputs| {
        inputs.set_next(&[0, 1].map(|player| script(PlayerId(player), tick)));
    })?;
    println!(
        "{} ticks, resimulated on every path: {} steps, all equal",
        report.ticks, report.steps
    );
    play()?;
    Ok(())
}

#[test]
fn a_touch_tags_the_other_player() {
    let ticks = play().expect("it plays");
    assert!(ticks[0] > 0 && ticks[1] > 0, "{ticks:?}");
}

#[test]
fn every_tick_resimulates_to_the_same_bits() {
    let mut game = Tag::new().expect("the level is valid");
    let found = SyncTest::new(2).run(&mut game, 120, |tick, inputs| {
        inputs.set_next(&[0, 1].map(|player| script(PlayerId(player), tick)));
    });
    found.unwrap_or_else(|difference| panic!("{difference}"));
}
