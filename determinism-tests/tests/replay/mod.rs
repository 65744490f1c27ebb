//! Recordings of the arena: their size, and seeks that restore the played state.

use isostep_rollback::replay::{
    Player, Recorder, RecorderConfig, RecorderStats, Replay, ReplayError, Verifier, verify,
};
use isostep_rollback::{GameId, PlayerId, Session, SessionConfig, Simulation, Tick, Time};
use isostep_scenes::games::{Arena, ArenaSize, arena_input, choose_loadout};

const GAME: GameId = GameId(*b"isostep arena 01");
/// Ten minutes at 60 Hz.
const TEN_MINUTES: u32 = 36_000;
/// Limit for ten minutes of two players, without keyframes, bytes.
const MAX_BYTES: usize = 120_000;

/// Source of inputs.
#[derive(Clone, Copy)]
enum Trace {
    /// Human-like keyboard scripts.
    Script,
    /// Bots that follow the ball, with sticks that change on every tick.
    Chase,
}

struct Recorded {
    file: Vec<u8>,
    stats: RecorderStats,
    arena: Arena,
}

fn record(size: ArenaSize, trace: Trace, ticks: u32, keyframe_every: u32) -> Recorded {
    let mut arena = Arena::new(size, 3);
    let config = (0..size.players).fold(SessionConfig::new(), |config, _| config.local());
    let mut session = Session::start(config, &mut arena).expect("sound settings");
    let config = RecorderConfig { keyframe_every, ..RecorderConfig::new(GAME) };
    let mut recorder = Recorder::start(config, &session, &arena).expect("it starts");
    let mut file = Vec::new();
    for tick in (0..ticks).map(Tick) {
        for player in (0..size.players).map(PlayerId) {
            let input = match trace {
                Trace::Script => arena_input(9, player, tick),
                Trace::Chase => arena.bot(tick, player),
            };
            session.local_input(player, input).expect("a seat");
            if tick.0 % 600 == 60 {
                let number = (tick.0 / 600 % 4) as u8;
                session.command(player, &choose_loadout(number)).expect("room");
            }
        }
        session.advance(Time::from_millis(u64::from(tick.0) * 17)).run(&mut arena).expect("runs");
        recorder.record(&session, &arena);
        file.extend(core::iter::from_fn(|| recorder.poll_bytes()).flatten());
    }
    recorder.finish(&session, &arena);
    file.extend(core::iter::from_fn(|| recorder.poll_bytes()).flatten());
    Recorded { file, stats: recorder.stats(), arena }
}

fn player(file: &[u8], size: ArenaSize) -> Player<Arena, &[u8]> {
    let replay = Replay::open(file).expect("it opens");
    Player::new(replay, GAME, Arena::new(size, 3)).expect("it plays")
}

#[test]
fn ten_minutes_of_two_players_are_short() {
    let size = ArenaSize { players: 2, props: 6 };
    for (name, trace) in [("script", Trace::Script), ("chase", Trace::Chase)] {
        let recorded = record(size, trace, TEN_MINUTES, 0);
        let bytes = recorded.file.len();
        println!("{name}: {bytes} bytes without keyframes, {:?}", recorded.stats);
        assert!(bytes <= MAX_BYTES, "{name}: {bytes} bytes");
    }
}

#[test]
fn a_seek_restores_the_played_state() {
    let size = ArenaSize { players: 4, props: 59 };
    let recorded = record(size, Trace::Script, 900, 300);
    println!("with keyframes: {:?}", recorded.stats);
    let mut player = player(&recorded.file, size);
    player.seek(Tick(900)).expect("it is there");
    assert_eq!(player.game().world().digest(), recorded.arena.world().digest());
    // From a keyframe, and from the start.
    player.seek(Tick(700)).expect("it is there");
    let sought = player.digest().expect("sound");
    let start = record(size, Trace::Script, 900, 0);
    let mut straight = self::player(&start.file, size);
    straight.seek(Tick(700)).expect("it is there");
    assert_eq!(straight.digest().expect("sound"), sought);
}

#[test]
fn a_recording_of_the_arena_verifies() {
    let size = ArenaSize { players: 4, props: 20 };
    let recorded = record(size, Trace::Chase, 900, 300);
    let found = verify(player(&recorded.file, size)).expect("sound");
    assert_eq!((found.ticks, found.mismatch), (900, None));
    assert!(found.digests >= 900 / 16 + 3);
}

/// Cost of recording in the game's thread: printed, never asserted.
#[test]
#[ignore = "a measurement: `cargo test --release -p isostep-determinism-tests --test all replay -- --ignored --nocapture`"]
#[allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it is about time")]
fn keyframe_cost_is_printed() {
    use isostep_core::state::{Snapshot, State};
    use std::time::Instant;
    let size = ArenaSize { players: 4, props: 59 };
    let mut arena = Arena::new(size, 3);
    let config = (0..size.players).fold(SessionConfig::new(), |config, _| config.local());
    let mut session = Session::start(config, &mut arena).expect("sound settings");
    let config = RecorderConfig { keyframe_every: 30, ..RecorderConfig::new(GAME) };
    let mut recorder = Recorder::start(config, &session, &arena).expect("it starts");
    let [mut with, mut without, mut states, mut digests] = [const { Vec::new() }; 4];
    for tick in (0..3000).map(Tick) {
        for player in (0..size.players).map(PlayerId) {
            session.local_input(player, arena_input(9, player, tick)).expect("a seat");
        }
        session.advance(Time::from_millis(u64::from(tick.0) * 17)).run(&mut arena).expect("runs");
        let keyframes = recorder.stats().keyframes;
        let start = Instant::now();
        recorder.record(&session, &arena);
        let took = start.elapsed();
        if recorder.stats().keyframes == keyframes {
            without.push(took);
        } else {
            with.push(took);
            let start = Instant::now();
            arena.snapshot(session.slots(), tick + 1, &mut Vec::new()).expect("held");
            states.push(start.elapsed());
            let start = Instant::now();
            arena.digest(session.slots(), tick + 1).expect("held");
            digests.push(start.elapsed());
        }
        while recorder.poll_bytes().is_some() {}
    }
    for (name, mut took) in [
        ("a tick with a keyframe", with),
        ("  of it the state as bytes", states),
        ("  of it the digest", digests),
        ("a tick without", without),
    ] {
        took.sort();
        let (median, most) = (took[took.len() / 2], took[took.len() - 1]);
        println!("{name}: median {median:?}, most {most:?}, of {}", took.len());
    }
    let stats = recorder.stats();
    println!("{} bytes a keyframe", stats.keyframe_bytes / stats.keyframes);
}

#[test]
fn another_arena_fails_verification_at_once() {
    let size = ArenaSize { players: 2, props: 6 };
    let recorded = record(size, Trace::Script, 60, 30);
    let other = Arena::new(ArenaSize { players: 2, props: 7 }, 3);
    let replay = Replay::open(&recorded.file[..]).expect("it opens");
    let refused = Player::new(replay, GAME, other).map(Verifier::new).unwrap_err();
    assert_eq!(refused, ReplayError::OtherSettings { assets: Vec::new() });
    assert!(!refused.is_damage(), "the file is sound: {refused}");
}
