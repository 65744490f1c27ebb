//! On a screen: whatever is done to a playback, it shows the state of its tick, with bounded work and memory.

use super::game::{GAME, Match, Mix, Pad, STEPS, Script};
use super::play::{player, state};
use isostep_core::Rng;
use isostep_rollback::replay::{
    Advanced, Gap, Playback, PlaybackConfig, Replay, ReplayError, Speed,
};
use isostep_rollback::{Inputs, Tick};

fn playback(file: &[u8], config: PlaybackConfig) -> Playback<Mix, &[u8]> {
    let replay = Replay::open(file).expect("it opens");
    let games = (Mix::default(), Mix::default());
    Playback::with(replay, GAME, games, config).expect("it plays")
}

/// Inputs of each step, by the tick after it.
fn all_inputs(file: &[u8]) -> Vec<Inputs<Pad>> {
    let mut player = player(file);
    let mut all = vec![player.inputs().clone()];
    while player.step().expect("nothing is missing") {
        all.push(player.inputs().clone());
    }
    all
}

fn steps_of<T>(work: impl FnOnce() -> T) -> (T, u32) {
    let before = STEPS.get();
    let done = work();
    (done, STEPS.get() - before)
}

const fn speed(times: i32, over: u32) -> Speed {
    Speed::new(times, over).expect("not over 0")
}

/// The straight way: how far a picture has to move, by exact fractions.
struct Oracle {
    tick: i64,
    last: i64,
    times: i64,
    over: i64,
    /// Nanoseconds times the speed.
    credit: i64,
}

impl Oracle {
    const TICK: i64 = 1_000_000_000 / 60;

    fn due(&mut self, nanos: i64) -> i64 {
        self.credit += nanos * self.times.abs();
        self.credit / (Self::TICK * self.over)
    }

    fn moved(&mut self, by: i64, ended: bool) {
        self.tick += by * self.times.signum();
        self.credit -= by * Self::TICK * self.over;
        if ended {
            self.credit = 0;
            let end = if self.times > 0 { self.last } else { 0 };
            assert_eq!(self.tick, end, "it ends at the end");
        }
    }
}

fn walk(played: &Match, config: PlaybackConfig, seed: u64) {
    let file = played.file();
    let inputs = all_inputs(&file);
    let mut playback = playback(&file, config);
    let last = i64::from(playback.replay().last().0);
    let mut oracle = Oracle { tick: 0, last, times: 1, over: 1, credit: 0 };
    let mut rng = Rng::new(seed);
    for round in 0..1500 {
        let number = rng.next_u64() >> 20;
        match rng.next_u64() >> 61 {
            0 => {
                (oracle.times, oracle.over) = (number as i64 % 9 - 4, (number >> 8) as i64 % 3 + 1);
                oracle.credit = 0;
                playback.set_speed(speed(oracle.times as i32, oracle.over as u32));
            }
            1 => {
                assert_eq!(playback.step().expect("it is there"), oracle.tick < last);
                oracle.tick = (oracle.tick + 1).min(last);
            }
            2 => {
                assert_eq!(playback.step_back().expect("it is there"), oracle.tick > 0);
                oracle.tick = (oracle.tick - 1).max(0);
            }
            3 if number.is_multiple_of(5) => {
                oracle.tick = (number >> 8) as i64 % (last + 1);
                oracle.credit = 0;
                playback.seek(Tick(oracle.tick as u32)).expect("it is there");
            }
            _ => {
                let nanos = number as i64 % 60_000_000;
                let due = oracle.due(nanos);
                let (done, steps) = steps_of(|| playback.advance(nanos as u64));
                let Advanced { shown, left, ended } = done.expect("it is there");
                assert!(ended || i64::from(shown + left) == due, "{shown} and {left} of {due}");
                assert!(steps <= config.max_steps, "{steps} steps at once");
                oracle.moved(i64::from(shown), ended);
            }
        }
        let tick = playback.tick().0;
        assert_eq!(i64::from(tick), oracle.tick, "round {round}");
        assert_eq!(*playback.game(), state(played, tick), "round {round}, tick {tick}");
        // Inputs of a keyframe.
        let known = |inputs: &Inputs<Pad>| -> Vec<_> {
            inputs.iter().map(|(_, input)| (input.value, input.status)).collect()
        };
        let (own, right) = (playback.inputs(), &inputs[tick as usize]);
        assert_eq!(known(own), known(right), "round {round}, tick {tick}");
        assert!(tick.is_multiple_of(64) || own == right, "round {round}, tick {tick}");
        assert!(playback.held() <= 2 * config.held_ticks as usize, "round {round}");
    }
}

#[test]
fn whatever_is_done_it_shows_the_state_of_its_tick() {
    let played = Script { command_every: 9, ..Script::new(400) }.play();
    let limits = [(32, 65), (1, 65), (3, 10), (200, 1), (7, 1000)];
    for (seed, (max_steps, held_ticks)) in (1..).zip(limits) {
        walk(&played, PlaybackConfig { max_steps, held_ticks }, seed);
    }
}

#[test]
fn playing_backwards_costs_about_a_step_a_tick() {
    let file = Script::new(640).play().file();
    let mut playback = playback(&file, PlaybackConfig::default());
    playback.seek(Tick(600)).expect("it is there");
    playback.set_speed(Speed::REVERSE);
    let tick = 1_000_000_000 / 60;
    let mut total = 0;
    for at in (0..600).rev() {
        let (done, steps) = steps_of(|| playback.advance(tick).expect("it is there"));
        assert_eq!((done, playback.tick()), (Advanced { shown: 1, ..done }, Tick(at)));
        assert_eq!(done.left, 0, "tick {at}");
        // Keyframes lie 64 ticks apart; where it begins, 24 ticks are held.
        assert!(steps <= if at >= 575 { 3 } else { 2 }, "tick {at}: {steps} steps");
        total += steps;
    }
    assert!(total <= 600 + 64, "{total} steps for 600 ticks");
    assert!(playback.advance(tick).expect("sound").ended);
}

#[test]
fn pause_and_fractions() {
    let file = Script::new(100).play().file();
    let mut playback = playback(&file, PlaybackConfig::default());
    playback.set_speed(Speed::PAUSED);
    assert_eq!(playback.advance(u64::MAX).expect("sound"), Advanced::default());
    playback.set_speed(speed(1, 4));
    let tick = 1_000_000_000 / 60;
    let shown: u32 = (0..40).map(|_| playback.advance(tick).expect("sound").shown).sum();
    assert_eq!((shown, playback.tick()), (10, Tick(10)));
    // A machine that was asleep for an hour.
    playback.set_speed(Speed::NORMAL);
    let done = playback.advance(3_600_000_000_000).expect("sound");
    assert_eq!((done.shown, done.left), (32, 3_600_000_000_000u64.div_euclid(tick) as u32 - 32));
    playback.skip_due();
    assert_eq!(playback.advance(0).expect("sound"), Advanced::default());
    assert_eq!(playback.tick(), Tick(42));
}

#[test]
fn a_gap_is_told_from_both_sides() {
    let mut script = Script::new(600);
    script.config.queue_bytes = 1200;
    script.polls = |tick| !(100..400).contains(&tick);
    let played = script.play();
    let file = played.file();
    let mut playback = playback(&file, PlaybackConfig::default());
    let gap = |error| match error {
        ReplayError::Gap { tick, next: Some(next) } => (tick, next),
        other => panic!("{other}"),
    };
    playback.set_speed(speed(64, 1));
    let error = loop {
        match playback.advance(10_000_000) {
            Ok(done) => assert!(!done.ended, "the gap is reached first"),
            Err(error) => break error,
        }
    };
    let (before, after) = gap(error);
    assert_eq!(playback.tick(), before);
    let gaps: Vec<_> = playback.replay().gaps().collect();
    assert_eq!(gaps, [Gap { tick: before, next: Some(after) }], "it is reported beforehand");
    playback.seek(after).expect("it is there");
    assert_eq!(*playback.game(), state(&played, after.0));
    assert!(playback.step().expect("it is there"));
    assert!(playback.step_back().expect("it is there"));
    assert_eq!(gap(playback.step_back().unwrap_err()), (before, after));
    assert_eq!((playback.tick(), playback.game()), (after, &state(&played, after.0)));
    playback.seek(before).expect("it is there");
    assert_eq!(*playback.game(), state(&played, before.0));
    assert!(playback.step_back().expect("it is there"));
}

/// A tick behind the end of a recording without a keyframe on the way was sought for ever.
#[test]
fn a_tick_behind_the_end_is_not_there() {
    let file = Script::new(30).play().file();
    let mut playback = playback(&file, PlaybackConfig::default());
    let (first, last) = (playback.replay().first(), playback.replay().last());
    let tick = last + 1;
    assert_eq!(playback.seek(tick), Err(ReplayError::NoSuchTick { tick, first, last }));
    assert_eq!(playback.tick(), first);
}

#[test]
fn a_whole_recording_has_no_gaps() {
    let file = Script::new(600).play().file();
    assert_eq!(Replay::open(&file[..]).expect("sound").gaps().count(), 0);
}

#[test]
fn ticks_with_a_digest_are_listed() {
    for every in [0, 8, 7] {
        let mut script = Script::new(300);
        script.digest_every = every;
        let file = script.play().file();
        let mut replay = Replay::open(&file[..]).expect("sound");
        let (listed, last): (Vec<_>, _) = (replay.digest_ticks().collect(), replay.last());
        let mut has = |tick| replay.digest(Tick(tick)).expect("sound").is_some();
        let found: Vec<_> = (0..=300).filter(|&tick| has(tick)).map(Tick).collect();
        assert_eq!(listed, found, "every {every}");
        assert_eq!(found.last(), Some(&last), "every {every}");
    }
}
