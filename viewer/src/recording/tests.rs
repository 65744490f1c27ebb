//! Any game with a world: its shapes, those that come and go, and its inputs.

use super::query::FrameQuery;
use super::shared_playback::{Answer, SharedPlayback};
use super::{OpenRecording, metadata};
use crate::ServeError;
use crate::world_view::WorldView;
use isostep::rollback::replay::{Recorder, RecorderConfig};
use isostep::{
    BodyDef, GameId, Inputs, NewestWins, PlayerId, Session, SessionConfig, Shape, Simulation,
    Snapshot, State, Tick, Time, Vec3, World, WorldDef, real,
};
use serde_json::Value;
use std::path::PathBuf;

/// A floor, a platform with a sensor, and a box that exists in ticks 11 to 20.
#[derive(State, Snapshot)]
struct Game {
    world: World,
}

fn game() -> Game {
    let mut world = World::new(WorldDef::default()).expect("the default is valid");
    let block = Shape::cuboid(Vec3::new(real!(3), real!(0.5), real!(2))).expect("a valid size");
    world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).expect("it fits");
    world.spawn(BodyDef::fixed().at(Vec3::X * 5).shape(block)).expect("it fits");
    world.commit();
    Game { world }
}

impl Simulation for Game {
    type Input = NewestWins<u8>;

    fn step(&mut self, tick: Tick, _: &Inputs<Self::Input>) {
        let ball = Shape::sphere(real!(0.5)).expect("a valid size");
        if tick == Tick(10) {
            self.world.spawn(BodyDef::dynamic().at(Vec3::Y * 9).shape(ball)).expect("it fits");
        }
        if tick == Tick(20) {
            let newest = self.world.bodies().last().expect("bodies").0;
            self.world.despawn(newest).expect("it exists");
        }
        self.world.step();
    }
}

const GAME: GameId = GameId(*b"viewer of worlds");

fn recording(name: &str) -> PathBuf {
    let mut game = game();
    let mut session = Session::start(SessionConfig::new().local(), &mut game).expect("it starts");
    let mut recorder =
        Recorder::start(RecorderConfig::new(GAME), &session, &game).expect("it starts");
    for tick in 0..40 {
        session.local_input(PlayerId(0), NewestWins(tick)).expect("a local player");
        session.advance(Time::from_millis(u64::from(tick) * 17)).run(&mut game).expect("it runs");
        recorder.record(&session, &game);
    }
    recorder.finish(&session, &game);
    let bytes: Vec<u8> = std::iter::from_fn(|| recorder.poll_bytes()).flatten().collect();
    let path = std::env::temp_dir().join(format!("isostep-viewer-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).expect("written");
    path
}

#[test]
fn bodies_that_come_and_go_are_in_the_frames_that_have_them() {
    let path = recording("frames");
    let view = WorldView(|game: &Game| &game.world);
    let open = OpenRecording::new(&path, GAME, game, view);
    std::fs::remove_file(&path).expect("removed");
    let OpenRecording { playback, view, .. } = open.expect("it opens");
    let facts = metadata::of(&playback, &view, &path);
    assert_eq!(facts["ground"], true);
    assert_eq!(facts["command"], false);
    let things = facts["things"].as_array().expect("a list");
    assert_eq!(things.len(), 1, "the floor is no thing: {things:?}");
    assert_eq!((&things[0]["kind"], &things[0]["size"][0]), (&"block".into(), &3.0.into()));
    assert_eq!(facts["half"][0], 7.0);

    let shared = SharedPlayback::new(playback, view);
    let query = FrameQuery::read("ticks=10,11,20,21,5").expect("a query");
    let Ok(Answer::Frames(frames)) = shared.show(&query) else { panic!("frames") };
    let bodies = |frame: &Value| frame["bodies"].as_array().expect("a list").len();
    let found: Vec<_> = frames.as_array().expect("a list").iter().collect();
    assert_eq!(found.iter().map(|frame| bodies(frame)).collect::<Vec<_>>(), [0, 8, 8, 0, 0]);
    assert_eq!(found[1]["things"][0]["kind"], "prop");
    assert!(found[0].get("things").is_none() && found[3].get("things").is_none());
    assert_eq!(found[1]["inputs"][0]["text"], "NewestWins(10)");
    assert_eq!(found[1]["inputs"][0]["stick"], Value::Null);
}

#[test]
fn frames_have_the_lines_that_the_query_asks_for() {
    let path = recording("lines");
    let open = OpenRecording::new(&path, GAME, game, WorldView(|game: &Game| &game.world));
    std::fs::remove_file(&path).expect("removed");
    let OpenRecording { playback, view, .. } = open.expect("it opens");
    let shared = SharedPlayback::new(playback, view);
    let counts = |query: &str| {
        let query = FrameQuery::read(query).expect("a query");
        let Ok(Answer::Frames(frames)) = shared.show(&query) else { panic!("frames") };
        let count = |frame: &Value| Some(frame.get("lines")?.as_array()?.len());
        frames.as_array().expect("a list").iter().map(count).collect::<Vec<_>>()
    };
    assert_eq!(counts("ticks=10,11"), [None, None]);
    // Edges of the block; the ball exists from tick 11 on.
    assert_eq!(counts("ticks=10,11&lines=bounds"), [Some(12 * 7), Some(24 * 7)]);
    assert_eq!(counts("ticks=10,11,10&lines=centres"), [None, Some(3 * 7), None]);
}

#[test]
fn a_recording_of_another_game_is_refused() {
    let path = recording("other");
    let other = GameId(*b"another game!!!!");
    let view = WorldView(|game: &Game| &game.world);
    let refused = OpenRecording::new(&path, other, game, view).err().expect("refused");
    std::fs::remove_file(&path).expect("removed");
    assert!(matches!(refused, ServeError::Replay { .. }), "{refused}");
    let view = WorldView(|game: &Game| &game.world);
    let missing = OpenRecording::new(&path, GAME, game, view).err().expect("refused").to_string();
    assert!(missing.contains("check the path"), "{missing}");
}
