//! Faults that the checker must find. Each is injected on one machine, which the report must name.

use super::checker::Failure;
use super::game::Fault;
use super::links::Profile;
use super::pad::Guess;
use super::play::Match;
use super::script::{RecordingSetup, Script, ScriptEvent};
use isostep_core::world::ResimMode;
use isostep_rollback::{Mode, Tick};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Machine with the fault.
pub(super) const FAULTY: usize = 1;

/// Returns a match with a fixed roster, in which the faulty machine mispredicts constantly.
pub(super) fn plain(seed: u64) -> Script {
    let mut script = Script::roll(seed);
    script.spectators.clear();
    script.profile = Profile::Plain { millis: 60, lost: 5 };
    let quiet = |happening: &ScriptEvent| {
        matches!(
            happening,
            ScriptEvent::Order { .. } | ScriptEvent::Sleep { .. } | ScriptEvent::Delay { .. }
        )
    };
    script.happenings.retain(|(_, happening)| quiet(happening));
    for setup in &mut script.machines {
        (setup.mode, setup.resim) = (Mode::Rollback { max: 10 }, ResimMode::Incremental);
    }
    script.machines[FAULTY].guess = Guess::Noise;
    script
}

/// Plays a match with a fault; returns the defect found. A panic in a step counts as found.
pub(super) fn play(script: &Script, inject: impl Fn(&mut Match)) -> Option<Failure> {
    let mut game = Match::new(script);
    inject(&mut game);
    let played = catch_unwind(AssertUnwindSafe(|| {
        game.play().and_then(|()| game.check_recordings()).and_then(|()| game.close())
    }));
    played.unwrap_or_else(|_| Err(Failure::new(FAULTY, Tick(0), "panicked"))).err()
}

/// Plays matches with a fault until it is found; returns the seed and the defect.
fn found(matches: u64, inject: impl Fn(&mut Match)) -> Option<(u64, Failure)> {
    (0..matches).find_map(|seed| Some((seed, play(&plain(seed), &inject)?)))
}

#[track_caller]
pub(super) fn assert_found(matches: u64, inject: impl Fn(&mut Match)) -> Failure {
    let (seed, failure) = found(matches, inject).expect("the judge did not notice");
    println!("seed {seed}: {failure}");
    failure
}

#[test]
fn without_a_fault_the_same_matches_pass() {
    assert!(found(6, |_| ()).is_none_or(|(seed, failure)| panic!("seed {seed}: {failure}")));
}

#[test]
fn a_machine_that_ignores_an_input_is_found() {
    let deaf = Fault::IgnoresInput { from: Tick(20), seat: 0 };
    let failure = assert_found(4, |game| game.machines[FAULTY].game.local.fault = Some(deaf));
    assert_eq!(failure.machine, FAULTY);
    assert!(failure.tick > Tick(20) && failure.what.contains(" here, "), "{failure}");
}

#[test]
fn a_state_that_changes_by_itself_is_found() {
    for fault in [Fault::Score { call: 90 }, Fault::Push { call: 90 }, Fault::Spawn { call: 90 }] {
        let failure = assert_found(8, |game| game.machines[FAULTY].game.local.fault = Some(fault));
        assert_eq!(failure.machine, FAULTY);
    }
}

/// Without digests the session can't repair it.
#[test]
fn a_corruption_that_is_not_repaired_is_found() {
    let failed = (0..8).find_map(|seed| {
        let mut game = Match::new(&Script { digest_every: 0, ..plain(seed) });
        let machine = &mut game.machines[FAULTY];
        machine.game.local.fault = Some(Fault::Score { call: 90 });
        (machine.glitched, game.glitches) = (true, 1);
        game.play().and_then(|()| game.close()).err()
    });
    let failure = failed.expect("the judge did not notice");
    assert!(failure.machine == FAULTY && failure.what.contains("never repaired"), "{failure}");
}

#[test]
fn a_press_that_is_lost_is_found() {
    let failure = assert_found(4, |game| game.loses_presses = Some(FAULTY));
    assert!(failure.what.contains("was pressed"), "{failure}");
}

/// The checker skips the machine's own states; its recording is wrong all the same.
#[test]
fn a_recording_of_wrong_states_is_found() {
    let tape = RecordingSetup {
        keyframe_every: 10,
        flush_every: 10,
        taken_every: 1,
        queue_bytes: 1 << 20,
    };
    let failure = assert_found(4, |game| {
        let machine = &mut game.machines[FAULTY];
        machine.game.local.fault = Some(Fault::IgnoresInput { from: Tick(20), seat: 0 });
        (machine.glitched, game.glitches) = (true, 1);
        assert!(machine.record(tape), "the first state is held");
    });
    assert!(failure.machine == FAULTY && failure.what.starts_with("recording"), "{failure}");
}
