//! Runs many matches, and reports the first defect with the command that repeats it and a minimal
//! script.

use super::checker::Failure;
use super::play::Match;
use super::script::Script;
use super::stats::Stats;
use isostep_rollback::Tick;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Plays the matches of some seeds.
pub(super) fn play(seeds: impl Iterator<Item = u64>) -> Stats {
    let mut stats = Stats::default();
    for seed in seeds {
        let script = Script::roll(seed);
        match attempt(&script) {
            Ok(done) => stats += done,
            Err(failure) => panic!("{}", describe(&script, &failure)),
        }
    }
    println!("{stats:?}");
    stats
}

/// Plays and checks a match.
fn play_checked(script: &Script) -> Result<Stats, Failure> {
    let mut game = Match::new(script);
    game.play()?;
    game.check_recordings()?;
    game.close()?;
    Ok(game.stats)
}

/// Plays a match; a panic of the tested code is a defect as well.
fn attempt(script: &Script) -> Result<Stats, Failure> {
    catch_unwind(AssertUnwindSafe(|| play_checked(script))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("?");
        Err(Failure::new(usize::MAX, Tick(0), format!("panicked: {text}")))
    })
}

fn describe(script: &Script, failure: &Failure) -> String {
    let seed = script.seed;
    let (short, last) = reduce(script, failure);
    format!(
        "seed {seed}: {failure}\n\
         repeat it: SESSION_SEED={seed} cargo test -p isostep-determinism-tests --test all sessions::one_match -- --ignored --nocapture\n\
         the same seed with {} of {} happenings: {last}\n{short}",
        short.happenings.len(),
        script.happenings.len(),
    )
}

/// Removes everything without which the match still fails in a similar way.
fn reduce(script: &Script, failure: &Failure) -> (Script, Failure) {
    let (mut script, mut failure) = (script.clone(), failure.clone());
    let kind = failure.what.clone();
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let mut keep = |shorter: Script, script: &mut Script| {
        let similar = |failed: &Failure| failed.what.get(..12) == kind.get(..12);
        let failed = attempt(&shorter).err().filter(similar);
        let kept = failed.is_some();
        if let Some(failed) = failed {
            (*script, failure) = (shorter, failed);
        }
        kept
    };
    let mut place = script.happenings.len();
    while let Some(before) = place.checked_sub(1) {
        place = before;
        let mut shorter = script.clone();
        shorter.happenings.remove(place);
        keep(shorter, &mut script);
    }
    while !script.spectators.is_empty() {
        let mut shorter = script.clone();
        shorter.spectators.pop();
        if !keep(shorter, &mut script) {
            break;
        }
    }
    std::panic::set_hook(quiet);
    (script, failure)
}
