//! Cost of recordings: bytes of ten minutes, seeking, verifying, and the overhead in a tick.
//!
//! `cargo bench -p isostep-benches --bench replay`; a test run is short. No peer is compared: none
//! has seekable recordings. Times are of this machine and run.

use isostep_benches::{Table, is_bench, wanted};
use isostep_core::Rng;
use isostep_rollback::replay::{Player, Recorder, RecorderConfig, RecorderStats, Replay, verify};
use isostep_rollback::{PlayerId, Session, SessionConfig, Simulation, Tick, Time};
use isostep_scenes::games::{ARENA_GAME, Arena, ArenaName, ArenaSize, arena_input};
use std::time::{Duration, Instant};

const TEN_MINUTES: u32 = 36_000;
const TICK: Duration = Duration::from_nanos(16_666_667);
/// Two players, the ball, six props.
const SMALL: ArenaSize = ArenaSize { players: 2, props: 6 };
/// 64 moving bodies: four players, the ball, and props.
const FULL: ArenaSize = ArenaSize { players: 4, props: 59 };
/// Random seeks.
const SEEKS: u32 = 200;

/// Source of inputs.
#[derive(Clone, Copy, Debug)]
enum Trace {
    /// Human-like keyboard scripts.
    Script,
    /// Bots that follow the ball, with sticks that change on every tick.
    Chase,
}

/// A recorded match, with the times of its steps and its recorder.
struct Recorded {
    file: Vec<u8>,
    stats: RecorderStats,
    /// Each step, without recording.
    stepping: Vec<Duration>,
    /// Calls of `record` without a keyframe.
    recording: Vec<Duration>,
    /// Calls of `record` with a keyframe.
    keyframes: Vec<Duration>,
}

fn name(size: ArenaSize) -> ArenaName {
    ArenaName { size, seed: 3 }
}

fn record(size: ArenaSize, trace: Trace, ticks: u32, keyframe_every: u32) -> Recorded {
    let mut arena = name(size).arena();
    let config = (0..size.players).fold(SessionConfig::new(), |config, _| config.local());
    let mut session = Session::start(config, &mut arena).expect("sound settings");
    let config = RecorderConfig {
        assets: vec![name(size).asset()],
        keyframe_every,
        ..RecorderConfig::new(ARENA_GAME)
    };
    let mut recorder = Recorder::start(config, &session, &arena).expect("it starts");
    let mut out = Recorded {
        file: Vec::new(),
        stats: recorder.stats(),
        stepping: Vec::new(),
        recording: Vec::new(),
        keyframes: Vec::new(),
    };
    for tick in (0..ticks).map(Tick) {
        for player in (0..size.players).map(PlayerId) {
            let input = match trace {
                Trace::Script => arena_input(9, player, tick),
                Trace::Chase => arena.bot(tick, player),
            };
            session.local_input(player, input).expect("a seat");
        }
        let start = Instant::now();
        let time = Time::from_millis(u64::from(tick.0) * 1000 / 60);
        session.advance(time).run(&mut arena).expect("it runs");
        let middle = Instant::now();
        let before = recorder.stats().keyframes;
        recorder.record(&session, &arena);
        let took = middle.elapsed();
        out.stepping.push(middle - start);
        let wrote = recorder.stats().keyframes > before;
        if wrote { &mut out.keyframes } else { &mut out.recording }.push(took);
        out.file.extend(std::iter::from_fn(|| recorder.poll_bytes()).flatten());
    }
    recorder.finish(&session, &arena);
    out.file.extend(std::iter::from_fn(|| recorder.poll_bytes()).flatten());
    out.stats = recorder.stats();
    out
}

fn player(file: &[u8], size: ArenaSize) -> Player<Arena, &[u8]> {
    let replay = Replay::open(file).expect("it opens");
    Player::new(replay, ARENA_GAME, name(size).arena()).expect("it plays")
}

fn main() {
    if !wanted("replay") {
        return;
    }
    let ticks = if is_bench() { TEN_MINUTES } else { 300 };
    let default = RecorderConfig::new(ARENA_GAME).keyframe_every;
    let matches = CASES.map(|(what, size, trace)| {
        let [without, with] = [0, default].map(|every| record(size, trace, ticks, every));
        Match { what, size, without, with }
    });
    println!("Bytes of {ticks} ticks, without keyframes and with one every {default} ticks:\n");
    println!("{}", sizes(&matches));
    println!("Microseconds of a tick: its step, and what recording adds:\n");
    println!("{}", costs(&matches));
    println!("Milliseconds to a random tick, {SEEKS} of them, keyframes every {default}:\n");
    println!("{}", seeks(&matches, ticks));
    println!("Verifying, on one core:\n");
    println!("{}", verifying(&matches, ticks));
}

const CASES: [(&str, ArenaSize, Trace); 4] = [
    ("2 players, 9 bodies, script", SMALL, Trace::Script),
    ("2 players, 9 bodies, chase", SMALL, Trace::Chase),
    ("4 players, 64 bodies, script", FULL, Trace::Script),
    ("4 players, 64 bodies, chase", FULL, Trace::Chase),
];

/// A case, recorded without and with keyframes.
struct Match {
    what: &'static str,
    size: ArenaSize,
    without: Recorded,
    with: Recorded,
}

fn sizes(matches: &[Match]) -> Table {
    let mut table = Table::new(["match", "without", "with", "keyframes", "bytes each"]);
    for Match { what, without, with, .. } in matches {
        let states = with.stats;
        table.row([
            (*what).to_owned(),
            without.file.len().to_string(),
            with.file.len().to_string(),
            states.keyframes.to_string(),
            (states.keyframe_bytes / states.keyframes.max(1)).to_string(),
        ]);
    }
    table
}

fn costs(matches: &[Match]) -> Table {
    let mut table = Table::new([
        "match",
        "step: mean",
        "median",
        "recording: mean",
        "median",
        "worst",
        "with a keyframe: mean",
        "median",
        "worst",
    ]);
    for Match { what, with, .. } in matches {
        let Recorded { stepping, recording, keyframes, .. } = with;
        let mut cells = vec![(*what).to_owned(), micros(mean(stepping)), micros(median(stepping))];
        for times in [recording, keyframes] {
            cells.extend([mean(times), median(times), worst(times)].map(micros));
        }
        table.row(cells);
    }
    table
}

fn seeks(matches: &[Match], ticks: u32) -> Table {
    let mut table = Table::new([
        "match",
        "mean",
        "median",
        "90th percentile",
        "worst",
        "on a core: mean",
        "worst",
    ]);
    for Match { what, size, with, .. } in matches {
        let mut player = player(&with.file, *size);
        let (mut times, mut cores): (Vec<Duration>, Vec<Duration>) = (0..SEEKS)
            .map(|number| {
                let mut rng = Rng::keyed(7, u64::from(number), 0, 0);
                let tick = Tick(rng.below(ticks).unwrap_or(0));
                let (start, core) = (Instant::now(), core_time());
                player.seek(tick).expect("it is there");
                (start.elapsed(), core_time().saturating_sub(core))
            })
            .unzip();
        times.sort();
        cores.sort();
        let millis = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e3);
        let at = |tenths| millis(times[times.len() * tenths / 10]);
        let [all, core] = [&times, &cores].map(|it| [millis(mean(it)), millis(worst(it))]);
        let ([mean, worst], [core_mean, core_worst]) = (all, core);
        table.row([(*what).to_owned(), mean, at(5), at(9), worst, core_mean, core_worst]);
    }
    table
}

fn verifying(matches: &[Match], ticks: u32) -> Table {
    let mut table =
        Table::new(["match", "ticks a second", "times as fast as played", "by time on a core"]);
    for Match { what, size, with, .. } in matches {
        let player = player(&with.file, *size);
        let (start, core) = (Instant::now(), core_time());
        let found = verify(player).expect("it is sound");
        let took = start.elapsed().as_secs_f64();
        let core = core_time().saturating_sub(core).as_secs_f64();
        assert_eq!((found.ticks, found.mismatch), (ticks, None), "{what}");
        let rate = f64::from(ticks) / took;
        let played = f64::from(ticks) * TICK.as_secs_f64();
        let times = [took, core].map(|took| format!("{:.0}", played / took));
        let [times, core] = times;
        table.row([(*what).to_owned(), format!("{rate:.0}"), times, core]);
    }
    table
}

/// CPU time of this thread, where the system provides it (Linux, in steps of some milliseconds;
/// elsewhere 0). Excludes time that other processes take.
fn core_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

fn mean(times: &[Duration]) -> Duration {
    times.iter().sum::<Duration>() / (times.len().max(1) as u32)
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn worst(times: &[Duration]) -> Duration {
    times.iter().max().copied().unwrap_or_default()
}

fn micros(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e6)
}
