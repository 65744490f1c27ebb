//! Game of the guide's docs/world.md: two bars keep pucks out of their goals. Pucks spawn and
//! despawn, and a token in the middle speeds up the puck that touches it.
//!
//! `cargo run --release -p isostep-examples --example world_in_play`

use isostep::rollback::SyncTest;
use isostep::world::{Combine, Layers, QueryFilter};
use isostep::{
    BodyDef, BodyId, Event, Inputs, Material, PlayerId, Real, Rng, Shape, ShapeDef, Simulation,
    Snapshot, State, Stick, Tick, Transform, Vec3, World, WorldDef, real,
};
use std::error::Error;

/// Half the length and half the width of the table, metres.
const LENGTH: Real = real!(6);
const WIDTH: Real = real!(3);
const PUCK: Real = real!(0.25);
/// Maximum movement of a bar in a tick, metres.
const STEP: Real = real!(0.125);
/// Ticks between two serves, and between two tokens.
const SERVE_EVERY: u32 = 60;
const TOKEN_EVERY: u32 = 90;
const MAX_PUCKS: usize = 4;
/// Layer of the pucks. Everything else is on layer 0.
const PUCKS: u8 = 1;
/// Purposes of the [`Rng`]'s draws.
const SERVE: u64 = 1;
const TOKEN: u64 = 2;

#[derive(State, Snapshot)]
struct Keepers {
    world: World,
    seed: u64,
    score: [u32; 2],
    /// Bodies that spawn and despawn are ordinary state.
    pucks: Vec<BodyId>,
    token: Option<BodyId>,
    /// Bodies that exist from the start and never despawn are `fixed`.
    #[state(fixed)]
    bars: [BodyId; 2],
    #[state(fixed)]
    goals: [BodyId; 2],
}

impl Keepers {
    fn new(seed: u64) -> Result<Self, Box<dyn Error>> {
        let mut layers = Layers::default();
        // Pucks pass through each other.
        layers.set(PUCKS, PUCKS, false)?;
        let mut world = World::new(WorldDef { layers, ..WorldDef::default() })?;
        let smooth = Material {
            friction: real!(0),
            restitution: real!(1),
            restitution_combine: Combine::Max,
            ..Material::default()
        };
        for side in [1, -1] {
            let wall = Shape::cuboid(Vec3::new(LENGTH + 2, real!(1), real!(1)))?;
            let wall = ShapeDef::from(wall).material(smooth);
            world.spawn(BodyDef::fixed().at(Vec3::Z * ((WIDTH + 1) * side)).shape(wall))?;
        }
        let bar = Shape::cuboid(Vec3::new(real!(0.25), real!(1), real!(0.75)))?;
        let bar = BodyDef::kinematic().shape(ShapeDef::from(bar).material(smooth));
        let mut put_bar = |side| world.spawn(bar.clone().at(Vec3::X * (LENGTH * side)));
        let bars = [put_bar(-1)?, put_bar(1)?];
        let goal = Shape::cuboid(Vec3::new(real!(0.5), real!(1), WIDTH))?;
        let goal = BodyDef::fixed().shape(ShapeDef::from(goal).sensor());
        let mut put_goal = |side| world.spawn(goal.clone().at(Vec3::X * ((LENGTH + 1) * side)));
        let goals = [put_goal(-1)?, put_goal(1)?];
        world.commit();
        Ok(Self { world, seed, score: [0; 2], pucks: Vec::new(), token: None, bars, goals })
    }

    /// Handles events of the last step with commands for this one.
    fn answer_events(&mut self) {
        let entered: Vec<[BodyId; 2]> = self
            .world
            .events()
            .filter_map(|event| match event {
                Event::SensorEntered(pair) => Some(pair.bodies),
                _ => None,
            })
            .collect();
        for [sensor, puck] in entered {
            // Two sensors may report the same puck; the second report finds it despawned.
            let Some(place) = self.pucks.iter().position(|&other| other == puck) else { continue };
            if let Some(goal) = self.goals.iter().position(|&goal| goal == sensor) {
                self.score[1 - goal] += 1;
                self.pucks.remove(place);
                self.world.despawn(puck).expect("it was on the list");
            } else if self.token == Some(sensor) {
                self.token = None;
                self.world.despawn(sensor).expect("it was the token");
                let body = self.world.body(puck).expect("it was on the list");
                let push = body.velocity() * body.mass() / 2;
                self.world.apply_impulse(puck, push).expect("the speed cap is far away");
            }
        }
    }

    /// Spawns a puck in the middle, and a token at a random position.
    fn serve(&mut self, tick: Tick) {
        if tick.0.is_multiple_of(SERVE_EVERY) && self.pucks.len() < MAX_PUCKS {
            let mut chance = Rng::keyed(self.seed, tick.0.into(), 0, SERVE);
            let side = if chance.next_u32().is_multiple_of(2) { 5 } else { -5 };
            let across = chance.between(real!(-3), real!(3)).expect("a range");
            let shape = ShapeDef::from(Shape::sphere(PUCK).expect("a size within the limits"));
            let puck = BodyDef::dynamic()
                .shape(shape.layer(PUCKS))
                .velocity(Vec3::new(Real::from_int(side), real!(0), across))
                .lock_translation([false, true, false])
                .lock_rotation();
            self.pucks.push(self.world.spawn(puck).expect("there is room"));
        }
        if tick.0.is_multiple_of(TOKEN_EVERY) && self.token.is_none() {
            let z = Rng::keyed(self.seed, tick.0.into(), 0, TOKEN).between(real!(-2), real!(2));
            let token = ShapeDef::from(Shape::sphere(PUCK).expect("a size within the limits"));
            let token = BodyDef::fixed().at(Vec3::Z * z.expect("a range")).shape(token.sensor());
            self.token = Some(self.world.spawn(token).expect("there is room"));
        }
    }
}

impl Simulation for Keepers {
    type Input = Stick;

    fn step(&mut self, tick: Tick, inputs: &Inputs<Stick>) {
        self.answer_events();
        self.serve(tick);
        for (player, input) in inputs.iter() {
            let bar = self.bars[usize::from(player.0)];
            let mut place = self.world.body(bar).expect("bars stay").position();
            let reach = WIDTH - real!(0.75);
            place.z = (place.z + input.value.y() * STEP).clamp(-reach, reach);
            self.world.move_to(bar, Transform::at(place)).expect("the distance is short");
        }
        self.world.step();
    }

    /// Follows the nearest puck, unless one is straight ahead.
    fn bot(&self, _: Tick, player: PlayerId) -> Stick {
        if self.ahead(player).is_some_and(|body| self.pucks.contains(&body)) {
            return Stick::default();
        }
        let place = |body| self.world.body(body).map(|body| body.position());
        let me = place(self.bars[usize::from(player.0)]).unwrap_or_default();
        let pucks = self.pucks.iter().filter_map(|&puck| place(puck));
        let nearest = pucks.min_by_key(|puck| (puck.x - me.x).abs());
        let way = nearest.map_or(Real::ZERO, |puck| puck.z - me.z) * 127;
        let lean = way.floor_to_int().clamp(-127, 127) as i8;
        Stick::from_steps(0, lean).unwrap_or_default()
    }
}

impl Keepers {
    /// Returns the first body that a player's bar faces.
    fn ahead(&self, player: PlayerId) -> Option<BodyId> {
        let bar = self.bars[usize::from(player.0)];
        let from = self.world.body(bar)?.position();
        let across = Vec3::X * (from.x * -2);
        let hit = self.world.cast_ray(from, across, &QueryFilter::default().exclude(bar))?;
        Some(hit.body)
    }
}

/// Inputs of both players, by tick.
type Tape = Vec<[Stick; 2]>;

/// A match of bots with pauses, and their inputs.
fn play(ticks: u32) -> Result<(Keepers, Tape), Box<dyn Error>> {
    let (mut game, mut inputs, mut tape) = (Keepers::new(1)?, Inputs::new(2), Tape::new());
    for tick in (0..ticks).map(Tick) {
        let sticks = [0, 1].map(|player| match (tick.0 / 100 + u32::from(player)) % 3 {
            0 => Stick::default(),
            _ => game.bot(tick, PlayerId(player)),
        });
        inputs.set_next(&sticks);
        game.step(tick, &inputs);
        tape.push(sticks);
    }
    Ok((game, tape))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (game, tape) = play(1200)?;
    let [left, right] = game.score;
    println!("{left} : {right}, {} pucks on the table", game.pucks.len());
    let report = SyncTest::new(2).run(&mut Keepers::new(1)?, 300, |tick, inputs| {
        inputs.set_next(&tape[tick.0 as usize]);
    })?;
    println!(
        "{} ticks, resimulated on every path: {} steps, all equal",
        report.ticks, report.steps
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use isostep::check::Check;

    #[test]
    fn pucks_spawn_score_and_despawn() {
        let (game, _) = play(1200).expect("it plays");
        let gone = game.score[0] + game.score[1];
        assert!(game.score[0] > 0 && game.score[1] > 0, "{:?}", game.score);
        assert!(gone > MAX_PUCKS as u32, "more than were ever there at once: {gone}");
        let in_world = game.pucks.iter().filter(|&&puck| game.world.body(puck).is_some());
        assert_eq!(in_world.count(), game.pucks.len(), "the list is what is in the world");
        // Two walls, two bars, two goals.
        assert_eq!(
            game.world.bodies().count(),
            6 + game.pucks.len() + usize::from(game.token.is_some())
        );
    }

    #[test]
    fn a_token_speeds_up_a_puck_and_despawns() {
        let (mut game, inputs) = (Keepers::new(1).expect("it is well-formed"), Inputs::new(2));
        game.step(Tick(0), &inputs);
        let (puck, token) = (game.pucks[0], game.token.expect("there is one"));
        let at = game.world.body(token).expect("it is there").position();
        game.world.teleport(puck, Transform::at(at)).expect("it is there");
        let speed =
            |game: &Keepers| game.world.body(puck).expect("it is there").velocity().length();
        let before = speed(&game);
        game.step(Tick(1), &inputs);
        assert_eq!(game.token, Some(token), "the event of a step is handled in the next one");
        game.step(Tick(2), &inputs);
        assert_eq!((game.token, game.world.body(token).is_none()), (None, true));
        assert!(speed(&game) > before * real!(1.25), "{} after {before}", speed(&game));
    }

    #[test]
    fn every_tick_resimulates_to_the_same_bits() {
        let (_, tape) = play(600).expect("it plays");
        let script = |tick: Tick, inputs: &mut Inputs<Stick>| {
            inputs.set_next(&tape[tick.0 as usize]);
        };
        let game = || Keepers::new(1).expect("it is well-formed");
        let found = SyncTest::new(2).run(&mut game(), 300, script);
        found.unwrap_or_else(|difference| panic!("{difference}"));
        let report = Check::new(2, game).script(script).ticks(600).run_with_snapshots();
        assert!(report.is_equal(), "{report}");
    }

    /// Returns true if a wall of this thickness in centimetres stops a ball of 25 cm at this speed,
    /// m/s.
    fn holds(speed: i32, thickness: i32, substeps: u32) -> bool {
        // For every phase of the arrival within a tick.
        (0..16).all(|start| {
            let def = WorldDef { gravity: Vec3::ZERO, substeps, ..WorldDef::default() };
            let mut world = World::new(def).expect("it is well-formed");
            let half = Vec3::new(Real::ratio(thickness, 200), real!(4), real!(4));
            let wall = Shape::cuboid(half).expect("a size within the limits");
            world.spawn(BodyDef::fixed().shape(wall)).expect("it fits");
            let ball = Shape::sphere(real!(0.125)).expect("a size within the limits");
            let way = Vec3::X * speed;
            let at = Vec3::X * -4 - way * Real::ratio(start, 16 * 60);
            let ball = BodyDef::dynamic().at(at).velocity(way).shape(ball);
            let ball = world.spawn(ball).expect("it fits");
            for _ in 0..60 {
                world.step();
            }
            world.body(ball).expect("it stays").position().x < Real::ZERO
        })
    }

    /// Pins the page's table of bullets and walls.
    #[test]
    fn walls_stop_the_speeds_of_the_guide() {
        for speed in [5, 10, 20, 30, 31] {
            assert!(holds(speed, 1, 8), "{speed} m/s");
        }
        for (thickness, stopped, through) in
            [(1, 35, 40), (10, 40, 50), (50, 50, 60), (100, 60, 80), (200, 100, 120)]
        {
            assert!(holds(stopped, thickness, 8), "{thickness} cm, {stopped} m/s");
            assert!(!holds(through, thickness, 8), "{thickness} cm, {through} m/s");
        }
        assert!(holds(60, 1, 4), "half the substeps look twice as far");
    }

    /// A thin sensor misses a body that crosses it within a tick; a sensor thicker than the
    /// movement detects it.
    #[test]
    fn sensors_detect_at_the_end_of_a_tick() {
        let seen = |thickness| {
            (0..16).all(|start| {
                let def = WorldDef { gravity: Vec3::ZERO, ..WorldDef::default() };
                let mut world = World::new(def).expect("it is well-formed");
                let half = Vec3::new(Real::ratio(thickness, 200), real!(4), real!(4));
                let gate = ShapeDef::from(Shape::cuboid(half).expect("a size")).sensor();
                world.spawn(BodyDef::fixed().shape(gate)).expect("it fits");
                let ball = Shape::sphere(real!(0.125)).expect("a size within the limits");
                let at = Vec3::X * -4 + Vec3::X * Real::ratio(start, 16);
                let ball = BodyDef::dynamic().at(at).velocity(Vec3::X * 60).shape(ball);
                world.spawn(ball).expect("it fits");
                (0..10).any(|_| {
                    world.step();
                    world.events().any(|event| matches!(event, Event::SensorEntered(_)))
                })
            })
        };
        // A metre in a tick.
        assert!(seen(100) && !seen(10));
    }
}
