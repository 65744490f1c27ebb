//! The golden recording: a short match in the arena that every target verifies and reproduces byte
//! by byte. So a recording made on one target verifies on all others.

use core::fmt;
use isostep_core::digest::Digest;
use isostep_rollback::replay::{
    Player, Recorder, RecorderConfig, Replay, ReplayError, Verified, verify,
};
use isostep_rollback::{PlayerId, Session, SessionConfig, Tick, Time};
use isostep_scenes::games::{ARENA_GAME, Arena, ArenaName, ArenaSize, arena_input, choose_loadout};

/// The committed file.
pub const GOLDEN: &[u8] = include_bytes!("../goldens/arena.isoreplay");

/// Two humans, and a bot whose inputs are not recorded.
const NAME: ArenaName = ArenaName { size: ArenaSize { players: 3, props: 6 }, seed: 5 };
const PEOPLE: u8 = 2;
const TICKS: u32 = 240;
const KEYFRAME_EVERY: u32 = 100;
/// No divisor of it, so that digests fall on keyframes and between them.
const DIGEST_EVERY: u32 = 8;
/// Distance between corrupted bytes, for the test that corruption is found.
const BROKEN_EVERY: usize = 397;
/// Tick of the injected fault: on no keyframe and no digest.
const FAULT: Tick = Tick(130);

/// Plays and records the match.
///
/// # Errors
/// None, or a test fails: all settings are constants.
pub fn record() -> Result<Vec<u8>, ReplayError> {
    record_with(|_, _| ())
}

/// Records a machine that computes one bit wrong on tick 130: the file is intact, and the match in it is wrong.
///
/// # Errors
/// As [`record`].
pub fn record_faulty() -> Result<Vec<u8>, ReplayError> {
    record_with(|tick, arena| {
        if tick == FAULT {
            arena.players_mut()[0].kicks ^= 1;
        }
    })
}

/// Records a match; `act` may change the arena before each tick.
fn record_with(mut act: impl FnMut(Tick, &mut Arena)) -> Result<Vec<u8>, ReplayError> {
    let mut arena = NAME.arena();
    let config = SessionConfig::new().local().local().bot().digest_every(DIGEST_EVERY);
    let mut session = Session::start(config, &mut arena)?;
    let config = RecorderConfig {
        assets: vec![NAME.asset()],
        keyframe_every: KEYFRAME_EVERY,
        ..RecorderConfig::new(ARENA_GAME)
    };
    let mut recorder = Recorder::start(config, &session, &arena)?;
    let mut file = Vec::new();
    for tick in (0..TICKS).map(Tick) {
        for player in (0..PEOPLE).map(PlayerId) {
            let input = arena_input(NAME.seed, player, tick);
            session.local_input(player, input).expect("the seat is local");
            if tick.0 % 90 == 40 {
                let command = choose_loadout((tick.0 / 90) as u8 + player.0);
                session.command(player, &command).expect("there is room for one");
            }
        }
        act(tick, &mut arena);
        let time = Time::from_millis(u64::from(tick.0) * 1000 / 60);
        session.advance(time).run(&mut arena).expect("the arena can be saved");
        recorder.record(&session, &arena);
        file.extend(core::iter::from_fn(|| recorder.poll_bytes()).flatten());
    }
    recorder.finish(&session, &arena);
    file.extend(core::iter::from_fn(|| recorder.poll_bytes()).flatten());
    Ok(file)
}

/// Verifies a recording of an arena.
///
/// # Errors
/// The recording is damaged, or of another game.
pub fn verify_file(file: &[u8]) -> Result<Verified, ReplayError> {
    let replay = Replay::open(file)?;
    let name = ArenaName::read(&replay.info().assets).ok_or(ReplayError::OtherGame)?;
    verify(Player::new(replay, ARENA_GAME, name.arena())?)
}

/// Results on this target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Performed checks, a line each.
    pub lines: Vec<String>,
    /// Failed checks.
    pub differences: Vec<String>,
}

impl Report {
    /// Checks a recording that should be the golden one: verifies it, reproduces it byte by byte, and tests that corrupted
    /// copies are found.
    ///
    /// # Errors
    /// None, or a test fails: the match is made of constants.
    pub fn of(golden: &[u8]) -> Result<Self, ReplayError> {
        let mut report = Self::default();
        report.verify(golden);
        report.compare(golden, &record()?);
        report.break_bytes(golden);
        report.inject_fault()?;
        Ok(report)
    }

    fn verify(&mut self, golden: &[u8]) {
        match verify_file(golden) {
            Ok(Verified { ticks, digests, gaps, mismatch: None }) => {
                self.lines.push(format!("verify: {ticks} ticks are correct, by {digests} digests"));
                if ticks < TICKS || digests < TICKS / DIGEST_EVERY || gaps > 0 {
                    self.differences.push(format!(
                        "  there are {TICKS} ticks, digests every {DIGEST_EVERY} of them, and no gaps; not {gaps}"
                    ));
                }
            }
            Ok(Verified { mismatch: Some(mismatch), .. }) => {
                self.differences.push(format!("  the golden recording: {mismatch}"));
            }
            Err(error) => self.differences.push(format!("  the golden recording: {error}")),
        }
    }

    fn compare(&mut self, golden: &[u8], recorded: &[u8]) {
        let digest = Digest::of(recorded).to_string();
        self.lines.push(format!("record: {} bytes  {}", recorded.len(), &digest[..32]));
        if recorded != golden {
            let pairs = golden.iter().zip(recorded);
            let shorter = golden.len().min(recorded.len());
            let first = pairs.into_iter().position(|(a, b)| a != b).unwrap_or(shorter);
            self.differences.push(format!(
                "  recorded anew, the match has {} bytes, the golden {}; byte {first} is the first other one",
                recorded.len(),
                golden.len()
            ));
        }
    }

    /// Flips one bit at a time: each is an error, or costs ticks and is reported.
    fn break_bytes(&mut self, golden: &[u8]) {
        let mut broken = golden.to_vec();
        let mut told = 0;
        for at in (0..golden.len()).step_by(BROKEN_EVERY) {
            broken[at] ^= 1 << (at % 8);
            if is_detected(&broken) {
                told += 1;
            } else {
                self.differences.push(format!("  a broken byte at {at} is not noticed"));
            }
            broken[at] = golden[at];
        }
        self.lines.push(format!("broken: {told} copies with a flipped bit are told"));
    }

    fn inject_fault(&mut self) -> Result<(), ReplayError> {
        let file = record_faulty()?;
        match verify_file(&file)?.mismatch {
            Some(mismatch) => self.lines.push(format!("fault: {mismatch}")),
            None => self.differences.push(format!("  a fault on tick {FAULT} is not found")),
        }
        Ok(())
    }
}

/// Returns true if a corrupted recording is detected.
fn is_detected(file: &[u8]) -> bool {
    let short = Replay::open(file).is_ok_and(|replay| !replay.is_finished());
    short || verify_file(file).map_or(true, |found| found.mismatch.is_some())
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))?;
        self.differences.iter().try_for_each(|difference| writeln!(f, "differs:\n{difference}"))
    }
}
