//! Records a match of your own game into a file, then verifies every digest, seeks, branches, and
//! reads a damaged file.
//!
//! `cargo run --release -p isostep-examples --example replay -- /tmp/balls.isoreplay`. The guide is docs/replays.md.

use isostep::rollback::replay::{Player, Recorder, RecorderConfig, Replay, Stream, verify};
use isostep::{
    BodyDef, BodyId, GameId, Inputs, PlayerId, Session, SessionConfig, Shape, Simulation,
};
use isostep::{Snapshot, State, Stick, Tick, Time, Vec3, World, WorldDef, real};
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Game id in recordings. Increment the number with every change of the rules.
const GAME: GameId = GameId(*b"two balls, no. 1");
const TICKS: u32 = 600;

/// Two players push a ball each. `State` lets a session save and compare it, `Snapshot` lets a
/// recording hold it.
#[derive(State, Snapshot)]
struct Game {
    world: World,
    pushes: u32,
    #[state(fixed)]
    balls: [BodyId; 2],
}

fn game() -> Result<Game, Box<dyn Error>> {
    let mut world = World::new(WorldDef::default())?;
    world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE))?;
    let ball = BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?);
    let at = |x| ball.clone().at(Vec3::from_ints(x, 1, 0));
    let balls = [world.spawn(at(-2))?, world.spawn(at(2))?];
    world.commit();
    Ok(Game { world, pushes: 0, balls })
}

impl Simulation for Game {
    type Input = Stick;

    fn step(&mut self, _: Tick, inputs: &Inputs<Stick>) {
        for (ball, (_, input)) in self.balls.into_iter().zip(inputs.iter()) {
            let push = Vec3::new(input.value.x(), real!(0), input.value.y()) * 100;
            self.pushes += u32::from(push != Vec3::ZERO);
            // Fails only if the ball was despawned.
            let _ = self.world.apply_impulse(ball, push);
        }
        self.world.step();
    }
}

/// Scripted input.
fn script(player: PlayerId, tick: Tick) -> Stick {
    let lean = [40, 0, -40, 0][(tick.0 / 45 + u32::from(player.0)) as usize % 4];
    Stick::from_steps(lean, lean / 2).unwrap_or_default()
}

/// Plays and records a match; returns the final game.
fn record(path: &Path) -> Result<Game, Box<dyn Error>> {
    let mut file = File::create(path)?;
    let mut game = game()?;
    let mut session = Session::start(SessionConfig::new().local().local(), &mut game)?;
    let mut recorder = Recorder::start(RecorderConfig::new(GAME), &session, &game)?;
    for tick in (0..TICKS).map(Tick) {
        for player in [PlayerId(0), PlayerId(1)] {
            session.local_input(player, script(player, tick))?;
        }
        session.advance(Time::from_millis(u64::from(tick.0) * 1000 / 60)).run(&mut game)?;
        recorder.record(&session, &game);
        // A real game writes these on another thread, so that no tick waits for the disk.
        std::iter::from_fn(|| recorder.poll_bytes())
            .try_for_each(|block| file.write_all(&block))?;
    }
    recorder.finish(&session, &game);
    std::iter::from_fn(|| recorder.poll_bytes()).try_for_each(|block| file.write_all(&block))?;
    println!("recorded {TICKS} ticks in {} bytes", recorder.stats().bytes);
    Ok(game)
}

fn open(path: &Path) -> Result<Player<Game, Stream<File>>, Box<dyn Error>> {
    Ok(Player::new(Replay::open(Stream(File::open(path)?))?, GAME, game()?)?)
}

/// Runs all steps; returns the pushes in the match and in its branch.
fn show(path: &Path) -> Result<[u32; 2], Box<dyn Error>> {
    let played = record(path)?;
    let found = verify(open(path)?)?;
    assert_eq!(found.mismatch, None);
    println!("verified: {} ticks are right, by {} digests", found.ticks, found.digests);

    let mut player = open(path)?;
    for tick in [TICKS, 100, 350].map(Tick) {
        player.seek(tick)?;
        println!("tick {tick}: digest {}, {} pushes", player.digest()?, player.game().pushes);
    }
    // What if the players had let go here? A branch repeats the last inputs until new ones arrive,
    // so release the sticks.
    let (mut session, mut branch) = player.branch(SessionConfig::new().local().local())?;
    while session.current_tick() < Tick(TICKS) {
        for player in [PlayerId(0), PlayerId(1)] {
            session.local_input(player, Stick::default())?;
        }
        session.advance(Time::from_millis(0)).run(&mut branch)?;
    }
    println!("with hands off from tick 350: {} pushes, not {}", branch.pushes, played.pushes);

    let mut bytes = std::fs::read(path)?;
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let replay = Replay::open(&bytes[..])?;
    let refused = Player::new(replay, GAME, game()?).and_then(verify);
    println!("with one bit flipped: {}", refused.expect_err("it is noticed"));
    Ok([played.pushes, branch.pushes])
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).unwrap_or_else(|| "balls.isoreplay".into());
    show(Path::new(&path)).map(drop)
}

#[test]
fn the_example_runs() {
    let path = std::env::temp_dir().join(format!("two-balls-{}.isoreplay", std::process::id()));
    let [played, branch] = show(&path).expect("it runs to its end");
    std::fs::remove_file(path).expect("it was written");
    assert!(branch < played, "with hands off there are fewer pushes: {branch} and {played}");
}
