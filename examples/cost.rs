//! Measures your own game on this machine: a step, a save, rollbacks by depth, a digest.
//! docs/what-it-costs.md explains the results.
//!
//! `cargo run --release -p isostep-examples --example cost`

use isostep::state::StateError;
use isostep::{
    BodyDef, BodyId, Inputs, PlayerId, Shape, Simulation, State, Stick, Tick, Vec3, World,
    WorldDef, real,
};
use isostep_bench::{Report, Section};
use std::error::Error;

/// Two players push a ball each among a hundred boxes.
#[derive(State)]
struct Game {
    world: World,
    #[state(fixed)]
    balls: [BodyId; 2],
}

fn game() -> Result<Game, Box<dyn Error>> {
    let mut world = World::new(WorldDef::default())?;
    world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE))?;
    let brick = Shape::cuboid(Vec3::splat(real!(0.5)))?;
    for index in 0..100 {
        let at = Vec3::new(real!(1.5) * (index % 10), real!(0.5), real!(1.5) * (index / 10));
        world.spawn(BodyDef::dynamic().at(at).shape(brick))?;
    }
    let ball = BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?);
    let at = |x| ball.clone().at(Vec3::from_ints(x, 1, 5));
    let balls = [world.spawn(at(-3))?, world.spawn(at(18))?];
    world.commit();
    Ok(Game { world, balls })
}

impl Simulation for Game {
    type Input = Stick;

    fn step(&mut self, _: Tick, inputs: &Inputs<Stick>) {
        for (ball, (_, input)) in self.balls.into_iter().zip(inputs.iter()) {
            let push = Vec3::new(input.value.x(), real!(0), input.value.y()) * 200;
            self.world.apply_impulse(ball, push).expect("nothing is ever taken away");
        }
        self.world.step();
    }
}

/// Scripted input. Inputs should change about as often as in a match.
fn script(player: PlayerId, tick: Tick) -> Stick {
    let lean = [100, 40, -100, 0][(tick.0 / 20 + u32::from(player.0)) as usize % 4];
    Stick::from_steps(lean, lean / 2).unwrap_or_default()
}

fn measure(game: Game, rounds: usize) -> Result<Section, StateError> {
    isostep_bench::simulation(game, 2, script).name("My game").rounds(rounds).run()
}

fn main() -> Result<(), Box<dyn Error>> {
    let about = isostep_bench::About::here(false);
    let sections = vec![measure(game()?, 61)?];
    print!("{}", isostep_bench::table(&Report { about, sections, ..Report::default() }));
    Ok(())
}

#[test]
fn rollbacks_of_all_depths_are_measured() {
    let section = measure(game().expect("it is well-formed"), 3).expect("it has states");
    assert!(section.rows.iter().any(|row| row.key == "simulation/rollback/8/one"));
}
