//! An hour of a match in a file: what reading, seeking and verifying it holds in memory is bounded, by an allocator that counts.
#![allow(unsafe_code, reason = "an allocator is unsafe by its nature; this one only counts")]

use core::sync::atomic::{AtomicIsize, Ordering};
use isostep_rollback::replay::{
    Playback, Player, Recorder, RecorderConfig, Replay, Speed, Stream, Verifier,
};
use isostep_rollback::{
    GameId, Inputs, NewestWins, PlayerId, Session, SessionConfig, Simulation, Tick, Time,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

static LIVE: AtomicIsize = AtomicIsize::new(0);
static MOST: AtomicIsize = AtomicIsize::new(0);

struct Counting;

// SAFETY: everything is done by the system's allocator, with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = layout.size() as isize;
        let live = LIVE.fetch_add(size, Ordering::Relaxed) + size;
        MOST.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller keeps to the rules of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller keeps to the rules of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Most bytes that are allocated at any time while something is done, beyond those before it.
fn most_memory<T>(work: impl FnOnce() -> T) -> (T, isize) {
    let before = LIVE.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let done = work();
    (done, MOST.load(Ordering::Relaxed) - before)
}

const GAME: GameId = GameId(*b"an hour of sums.");
/// At 60 ticks a second.
const HOUR: u32 = 216_000;
/// The index of an hour, the longest block, and what a game and its held states take.
const MOST_BYTES: isize = 1 << 20;

std::thread_local! {
    static STEPS: Cell<u32> = const { Cell::new(0) };
}

/// As long as a small game's state: an hour's keyframes are many times what reading may hold.
#[derive(Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct Sums {
    rows: Vec<u64>,
}

impl Sums {
    fn new() -> Self {
        Self { rows: vec![1 << 62; 200] }
    }
}

impl Simulation for Sums {
    type Input = NewestWins<u32>;
    fn step(&mut self, tick: Tick, inputs: &Inputs<Self::Input>) {
        STEPS.set(STEPS.get() + 1);
        let row = &mut self.rows[tick.0 as usize % 200];
        let inputs = inputs.iter().map(|(_, input)| u64::from(input.value.0));
        *row = inputs.fold(*row, |row, input| row.rotate_left(5) ^ input.wrapping_mul(0x9E37_79B9));
    }
}

fn input(player: u8, tick: u32) -> NewestWins<u32> {
    NewestWins((tick / 2 + u32::from(player)).wrapping_mul(0x85EB_CA6B))
}

/// Records an hour of two players, and keeps some states to compare with.
fn record(path: &Path, wanted: &[u32]) -> Vec<Sums> {
    let mut game = Sums::new();
    let config = SessionConfig::new().local().local();
    let mut session = Session::start(config, &mut game).expect("sound settings");
    let mut recorder =
        Recorder::start(RecorderConfig::new(GAME), &session, &game).expect("it starts");
    let mut file = BufWriter::new(File::create(path).expect("a place for temporary files"));
    let mut states = Vec::new();
    for tick in 0..HOUR {
        for player in 0..2 {
            session.local_input(PlayerId(player), input(player, tick)).expect("a seat");
        }
        session.advance(Time::from_millis(u64::from(tick) * 17)).run(&mut game).expect("it runs");
        recorder.record(&session, &game);
        while let Some(bytes) = recorder.poll_bytes() {
            file.write_all(&bytes).expect("room");
        }
        if wanted.contains(&(tick + 1)) {
            states.push(game.clone());
        }
    }
    recorder.finish(&session, &game);
    while let Some(bytes) = recorder.poll_bytes() {
        file.write_all(&bytes).expect("room");
    }
    file.flush().expect("room");
    states
}

type Recording = Replay<Stream<BufReader<File>>>;

fn open(path: &Path) -> Recording {
    let file = File::open(path).expect("it was written");
    Replay::open(Stream(BufReader::new(file))).expect("it opens")
}

/// Takes its file away again.
struct Place(PathBuf);

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// One test alone in this program: what others allocate would count too.
#[test]
fn an_hour_is_read_in_little_memory() {
    let name = format!("isostep-replay-hour-{}", std::process::id());
    let place = Place(std::env::temp_dir().join(name));
    let wanted = [7, 149, 150, 100_001, 180_000, 215_999, HOUR];
    let (states, recording) = most_memory(|| record(&place.0, &wanted));
    assert!(recording < 2 * MOST_BYTES, "recording held {recording} bytes");
    let length = std::fs::metadata(&place.0).expect("it was written").len();
    assert!(length > 2 * MOST_BYTES as u64, "{length} bytes are no test");

    let ((), sought) = most_memory(|| {
        let mut player = Player::new(open(&place.0), GAME, Sums::new()).expect("it plays");
        assert_eq!(player.replay().last(), Tick(HOUR));
        let back_and_forth = [5, 0, 6, 3, 1, 4, 2].map(|at| (wanted[at], &states[at]));
        for (tick, state) in back_and_forth {
            STEPS.set(0);
            player.seek(Tick(tick)).expect("it is there");
            assert!(player.game() == state, "tick {tick}");
            assert!(STEPS.get() <= 150, "tick {tick} took {} steps", STEPS.get());
        }
    });
    assert!(sought < MOST_BYTES, "seeking held {sought} bytes of {length}");

    let ((), verified) = most_memory(|| {
        let player = Player::new(open(&place.0), GAME, Sums::new()).expect("it plays");
        let mut verifier = Verifier::new(player).expect("sound");
        while !verifier.advance(10_000).expect("sound") {}
        assert_eq!((verifier.found().ticks, &verifier.found().mismatch), (HOUR, &None));
    });
    assert!(verified < MOST_BYTES, "verifying held {verified} bytes of {length}");

    let ((), played) = most_memory(|| {
        let games = (Sums::new(), Sums::new());
        let mut playback = Playback::new(open(&place.0), GAME, games).expect("it plays");
        playback.seek(Tick(180_000)).expect("it is there");
        playback.set_speed(Speed::REVERSE);
        while playback.tick() > Tick(100_001) {
            playback.advance(1_000_000_000 / 60).expect("it is there");
        }
        assert!(*playback.game() == states[3]);
    });
    // Twice 151 states beside it.
    let held = 2 * 151 * 2500;
    assert!(played < MOST_BYTES + held, "playing back held {played} bytes of {length}");

    // One that was cut off has no index: a scan makes it.
    let file = File::options().write(true).open(&place.0).expect("it was written");
    file.set_len(length - 100_000).expect("it can be cut");
    let ((), scanned) = most_memory(|| {
        let mut player = Player::new(open(&place.0), GAME, Sums::new()).expect("it plays");
        assert!(!player.replay().is_finished());
        player.seek(Tick(180_000)).expect("it is there");
        assert!(*player.game() == states[4]);
    });
    assert!(scanned < MOST_BYTES, "scanning held {scanned} bytes of {length}");
    println!(
        "{length} bytes of file; held: seek {sought}, verify {verified}, playback {played}, scan {scanned}, recorder {recording}"
    );
}
