//! Internals of the check: inputs of steps, compared ticks, progress and reports.

use core::cell::{Cell, RefCell};
use isostep_rollback::check::Compare;
use isostep_rollback::check::{Check, CheckError, Outcome, Report, TickPath};
use isostep_rollback::{InputStatus, Inputs, NewestWins, PlayerId, Simulation, Tick};
use serde::{Deserialize, Serialize};

const BOT: PlayerId = PlayerId(1);

/// Everything that a step is given gets into the state, as far as all machines have it alike.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Listener {
    heard: Vec<(u8, u8, bool)>,
    commands: Vec<Vec<u8>>,
    sum: u32,
}

impl Simulation for Listener {
    type Input = NewestWins<u8>;

    fn step(&mut self, tick: Tick, inputs: &Inputs<Self::Input>) {
        if tick.0.is_multiple_of(50) {
            self.heard.clear();
        }
        for (player, input) in inputs.iter() {
            let bot = input.status == InputStatus::Bot;
            self.heard.push((input.value.0, input.previous.0, bot));
            self.commands.extend(inputs.commands(player).map(<[u8]>::to_vec));
            self.sum = self.sum.wrapping_mul(31).wrapping_add(u32::from(input.value.0));
        }
    }

    fn bot(&self, tick: Tick, player: PlayerId) -> NewestWins<u8> {
        NewestWins((self.sum ^ tick.0) as u8 ^ player.0)
    }
}

fn script(tick: Tick, inputs: &mut Inputs<NewestWins<u8>>) {
    // Now and then nothing is said: what was is held.
    if tick.0 % 5 != 3 {
        let value = NewestWins((tick.0 / 3 * 37) as u8);
        inputs.set_next(&[value, value, NewestWins((tick.0 / 7) as u8)]);
    }
    if tick.0 % 11 == 4 {
        inputs.push_command(PlayerId(2), &[tick.0 as u8, 7]);
    }
}

fn check<'a>() -> Check<'a, Listener> {
    Check::new(3, Listener::default).bot(BOT).script(script).ticks(130)
}

/// Values, previous values, commands and bots are the same to a session, a recording and a check.
#[test]
fn every_way_is_given_the_same_inputs() {
    for seed in 0..40 {
        let report = check().seed(seed).run_with_snapshots();
        assert!(report.is_equal(), "seed {seed}: {report}");
    }
}

#[test]
fn deep_and_shallow_rollbacks_and_short_matches_are_fine() {
    for (depth, ticks) in [(0, 9), (1, 30), (30, 100), (8, 1), (8, 0)] {
        let report = check().depth(depth).ticks(ticks).run_with_snapshots();
        assert!(report.is_equal(), "{report}");
        assert!(report.rows.iter().all(|row| row.ticks == Tick(ticks)), "{report}");
    }
}

/// Steps are counted in a cell of the test: what does not depend on it is right.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Late {
    value: u32,
    /// Wrong from here on, unless it was read from bytes.
    #[serde(skip)]
    wrong_from: Option<u32>,
}

impl Simulation for Late {
    type Input = NewestWins<u8>;
    fn step(&mut self, tick: Tick, _: &Inputs<Self::Input>) {
        self.value += 1 + u32::from(self.wrong_from == Some(tick.0));
    }
}

fn late(compare: Compare) -> Report {
    Check::new(1, Late::default)
        .variant("late", || Late { wrong_from: Some(69), ..Late::default() })
        .ticks(100)
        .compare(compare)
        .run()
}

#[test]
fn the_first_tick_is_found_between_those_that_are_compared() {
    for compare in [Compare::EachTick, Compare::Every(30), Compare::Doubling, Compare::Every(0)] {
        let report = late(compare);
        let rows: Vec<_> = report.findings().collect();
        assert_eq!(rows.len(), 5, "{report}");
        for row in rows {
            let Outcome::Differs(difference) = &row.outcome else { panic!("{report}") };
            assert_eq!((row.variant.as_str(), difference.tick), ("late", Tick(70)), "{compare:?}");
            assert_eq!(difference.agreed, Some(Tick(69)), "{compare:?}");
            let field = &difference.fields[0].field;
            let values = (field.field.as_str(), field.local.as_str(), field.remote.as_str());
            assert_eq!(values, ("value", "71", "70"));
        }
    }
}

#[test]
fn the_report_is_a_table_and_what_differs() {
    let text = late(Compare::Every(50)).to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "players: 1, ticks: 100, seed: 1, runs: 10");
    assert_eq!(lines[1], "  variant  path         ticks  digest                            result");
    assert!(lines[2].starts_with("  as made  straight       100  "), "{text}");
    assert!(lines[2].ends_with("  the reference"), "{text}");
    assert!(lines[3].ends_with("  equal"), "{text}");
    let dash = format!("-{}", " ".repeat(31));
    assert_eq!(
        lines[9],
        format!("  late     rolled back     70  {dash}  differs on tick 70"),
        "{text}"
    );
    let block = "\nlate, straight: tick 70 is the first that differs; tick 69 is the same\n  \
                 in state: state, value: 71, and 70 in the reference\n  likely: the construction of the game affects the state: ";
    assert!(text.contains(block), "{text}");
    assert_eq!(text.matches("likely: ").count(), 1, "once for a variant: {text}");
}

#[test]
fn progress_and_time_are_told() {
    let progress = RefCell::new(Vec::new());
    let now = Cell::new(0);
    let report = check()
        .ticks(10)
        .paths(&[TickPath::RolledBack, TickPath::Interleaved, TickPath::Interleaved])
        .on_progress(|done, total, what| progress.borrow_mut().push((done, total, what.to_owned())))
        .clock(|| now.replace(now.get() + 3_000_000))
        .run();
    let progress = progress.into_inner();
    assert!(progress.iter().all(|(done, total, _)| done <= total && *total == 30));
    assert!(progress.is_sorted_by_key(|(done, ..)| *done), "{progress:?}");
    assert_eq!(progress.last().unwrap(), &(30, 30, "as made, rolled back".to_owned()));
    let paths: Vec<TickPath> = report.rows.iter().map(|row| row.path).collect();
    assert_eq!(
        paths,
        [TickPath::Straight, TickPath::Interleaved, TickPath::RolledBack],
        "the reference is always run"
    );
    assert!(report.rows.iter().all(|row| row.nanos == 3_000_000));
    assert!(report.to_string().contains("  ticks  ms  digest "), "{report}");
}

/// A difference that is not reproduced is reported as such, with the sections of the digests.
#[test]
fn what_does_not_happen_again_is_told() {
    let games = Cell::new(0);
    let make = || {
        games.set(games.get() + 1);
        // The third game: the second of `twice`.
        Late { wrong_from: (games.get() == 3).then_some(20), ..Late::default() }
    };
    let report = Check::new(1, make).ticks(40).paths(&[TickPath::Interleaved]).run();
    let row = report.findings().next().unwrap();
    let Outcome::Differs(difference) = &row.outcome else { panic!("{report}") };
    assert_eq!((difference.tick, difference.agreed), (Tick(21), Some(Tick(20))), "{report}");
    assert!(!difference.reproduced && difference.fields.is_empty());
    assert!(
        report.to_string().contains("  in state\n  the difference was not reproduced: "),
        "{report}"
    );
}

/// A game that reads a static differs in each variant too. Its variants had a likely cause of their own, about threads and vector
/// instructions, after that of the game as made.
#[test]
fn a_game_that_differs_without_a_variant_has_one_likely_cause() {
    use core::sync::atomic::{AtomicU32, Ordering};
    static STEPS: AtomicU32 = AtomicU32::new(0);

    #[derive(Clone, Default, Serialize, Deserialize)]
    struct Global {
        steps: u32,
    }

    impl Simulation for Global {
        type Input = NewestWins<u8>;
        fn step(&mut self, _: Tick, _: &Inputs<Self::Input>) {
            self.steps = STEPS.fetch_add(1, Ordering::Relaxed);
        }
    }

    let report = Check::new(1, Global::default).variant("8 threads", Global::default).ticks(9);
    let report = report.run();
    let found: Vec<&str> = report.findings().map(|row| row.variant.as_str()).collect();
    assert!(found.contains(&"as made") && found.contains(&"8 threads"), "{report}");
    let text = report.to_string();
    assert_eq!(text.matches("likely: ").count(), 1, "{text}");
    assert!(text.contains("likely: the step reads something besides state and inputs"), "{text}");
}

/// A snapshot that can't be restored is reported as an error, not as a panic or a difference.
#[test]
fn a_snapshot_that_can_not_be_read_is_refused() {
    #[derive(Clone, Default, Serialize, Deserialize)]
    struct Odd {
        #[serde(deserialize_with = "never")]
        value: u8,
    }
    fn never<'de, D: serde::Deserializer<'de>>(_: D) -> Result<u8, D::Error> {
        Err(serde::de::Error::custom("never"))
    }
    impl Simulation for Odd {
        type Input = ();
        fn step(&mut self, _: Tick, _: &Inputs<()>) {
            self.value ^= 1;
        }
    }
    let report = Check::new(1, Odd::default).ticks(9).run_with_snapshots();
    let found: Vec<_> = report.findings().map(|row| (row.path, &row.outcome)).collect();
    assert!(
        matches!(
            found[..],
            [
                (
                    TickPath::Encoded,
                    Outcome::Refused { tick: Tick(0), error: CheckError::Restore(_) }
                ),
                (TickPath::Recorded, Outcome::Refused { .. })
            ]
        ),
        "{report}"
    );
}

#[test]
fn a_match_without_players_runs_where_no_session_is_needed() {
    let report = Check::new(0, Late::default).ticks(20).run();
    assert!(report.is_equal(), "{report}");
    let report =
        Check::new(0, Late::default).ticks(20).paths(&[TickPath::Recorded]).run_with_snapshots();
    assert!(matches!(report.rows[1].outcome, Outcome::Refused { .. }), "{report}");
}

/// Two of it have nothing in common but their type.
#[derive(Clone, Serialize, Deserialize)]
struct Numbers {
    all: Vec<u32>,
}

impl Simulation for Numbers {
    type Input = NewestWins<u8>;
    fn step(&mut self, _: Tick, _: &Inputs<Self::Input>) {}
}

#[test]
fn a_game_that_is_made_otherwise_each_time_is_told_from_one_that_steps_otherwise() {
    let made = Cell::new(0);
    let make = || {
        made.set(made.get() + 1);
        Numbers { all: vec![made.get(); 3] }
    };
    let report = Check::new(1, make).ticks(5).run();
    assert!(report.to_string().contains("likely: `make` does not return the same game each time"));
}

#[test]
fn fields_are_told_up_to_a_limit_and_that_there_are_more() {
    for (differing, reported, more) in [(5, 5, false), (6, 6, false), (7, 6, true)] {
        let make = move |value: u32| move || Numbers { all: vec![value; differing] };
        let report = Check::new(1, make(1)).variant("other", make(2)).ticks(1).run();
        let Some(Outcome::Differs(found)) = report.findings().next().map(|row| &row.outcome) else {
            panic!("{report}");
        };
        assert_eq!((found.fields.len(), found.more), (reported, more));
        assert_eq!(report.to_string().contains("  and more, in state"), more, "{report}");
    }
}
