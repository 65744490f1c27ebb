//! One fault at a time: which way notices, and which field it names.

use isostep_determinism_tests::planted::{self, Machine, Plant, TICKS};
use isostep_rollback::Tick;
use isostep_rollback::check::{CheckError, Difference, Outcome, Report, Row, TickPath};

/// What is wrong with a fault, by variant and way.
fn found(report: &Report) -> Vec<(&str, TickPath)> {
    report.findings().map(|row| (row.variant.as_str(), row.path)).collect()
}

pub(super) fn difference(row: &Row) -> &Difference {
    match &row.outcome {
        Outcome::Differs(difference) => difference,
        other => panic!("{other:?}"),
    }
}

/// Each row that differs names this field of this section first, on a tick whose last one is the same.
fn assert_named(report: &Report, section: &str, entity: &str, field: &str) {
    assert!(!report.is_equal());
    for row in report.findings() {
        let found = difference(row);
        assert!(found.reproduced, "{report}");
        let first = &found.fields[0];
        let named =
            (first.section.as_str(), first.field.entity.as_str(), first.field.field.as_str());
        assert_eq!(named, (section, entity, field), "{report}");
        assert_ne!(first.field.local, first.field.remote, "{report}");
        if let Some(agreed) = found.agreed.filter(|_| row.path != TickPath::Recorded) {
            assert_eq!(agreed.next(), found.tick, "{report}");
        }
    }
}

fn run(plant: Plant) -> Report {
    planted::check(plant).run_with_snapshots()
}

/// All ways of these variants but some.
fn all_but(variants: &[&'static str], without: &[TickPath]) -> Vec<(&'static str, TickPath)> {
    let ways = TickPath::ALL.into_iter().filter(|way| !without.contains(way));
    variants.iter().flat_map(|variant| ways.clone().map(move |way| (*variant, way))).collect()
}

#[test]
fn a_game_that_is_right_is_equal_in_every_way() {
    let report = run(Plant::Nothing);
    assert!(report.is_equal(), "{report}");
    assert_eq!(report.rows.len(), 2 * TickPath::ALL.len());
    assert!(report.rows.iter().all(|row| row.ticks == Tick(TICKS) && row.digest.is_some()));
    assert!(report.rows.iter().all(|row| row.digest == report.rows[0].digest));
}

#[test]
fn a_float_in_the_state_is_refused_by_its_path() {
    let report = run(Plant::FloatInState);
    assert_eq!(found(&report), [("1 thread", TickPath::Straight)]);
    let Outcome::Refused { tick: Tick(0), error: CheckError::State(error) } =
        &report.rows[0].outcome
    else {
        panic!("{report}");
    };
    assert!(error.to_string().starts_with("`numbers.float` is a float, "), "{error}");
    assert!(report.rows[1..].iter().all(|row| row.outcome == Outcome::NotRun));
    assert!(!report.is_equal());
}

#[test]
fn a_walked_hash_map_is_named() {
    let report = run(Plant::HashMapOrder);
    let everything = all_but(&["1 thread", "4 threads"], &[]);
    assert_eq!(found(&report), everything[1..], "all but the reference");
    assert_named(&report, "numbers", "numbers", "fault");
}

#[test]
fn threads_that_are_merged_as_they_arrive_are_named() {
    let report = run(Plant::ThreadMerge);
    assert_eq!(found(&report), all_but(&["4 threads"], &[]));
    assert_named(&report, "numbers", "numbers", "fault");
}

#[test]
fn scratch_that_decides_is_named() {
    let report = run(Plant::ScratchLeak);
    let straight = [TickPath::Straight, TickPath::Interleaved];
    assert_eq!(found(&report), all_but(&["1 thread", "4 threads"], &straight), "{report}");
    assert_named(&report, "numbers", "numbers", "fault");
}

#[test]
fn a_field_that_is_missing_in_snapshots_is_named_by_what_it_decides() {
    let report = run(Plant::MissingField);
    let ways: Vec<TickPath> = report.findings().map(|row| row.path).collect();
    assert_eq!(
        ways,
        [TickPath::Encoded, TickPath::Recorded, TickPath::Encoded, TickPath::Recorded],
        "{report}"
    );
    assert_named(&report, "numbers", "numbers", "fault");
}

#[test]
fn a_counter_that_games_share_is_named() {
    let report = run(Plant::Static);
    let everything = all_but(&["1 thread", "4 threads"], &[]);
    assert_eq!(found(&report), everything[1..], "all but the reference");
    for row in report.findings() {
        assert!(difference(row).sections.contains(&"numbers".to_owned()), "{report}");
    }
}

#[test]
fn a_game_that_asks_whether_an_input_was_a_guess_is_named() {
    let report = run(Plant::Guess);
    let ways: Vec<TickPath> = report.findings().map(|row| row.path).collect();
    assert_eq!(
        ways,
        [TickPath::RolledBack, TickPath::FullResim, TickPath::RolledBack, TickPath::FullResim],
        "{report}"
    );
    assert_named(&report, "numbers", "numbers", "fault");
}

#[test]
fn an_address_that_decides_is_named() {
    let report = run(Plant::Address);
    assert!(report.findings().count() > 0, "{report}");
    for row in report.findings() {
        assert!(difference(row).sections.contains(&"numbers".to_owned()), "{report}");
    }
}

/// One machine alone sees nothing of these; beside another one the first tick and the section come out.
#[test]
fn what_differs_between_machines_shows_when_their_digests_meet() {
    for plant in Plant::ALL.into_iter().filter(|plant| plant.needs_another_machine()) {
        let report = run(plant);
        assert!(report.is_equal(), "{plant:?} shows on one machine: {report}");
        let here = planted::digests(plant);
        assert!(here.compare(&planted::digests(plant)).unwrap().is_equal());
        let there = planted::digests_on(plant, Machine::ELSEWHERE);
        let divergence = here.compare(&there).unwrap().divergence.unwrap();
        // 0 has the same bytes in every order.
        let first = if plant == Plant::NativeEndian { 2 } else { 1 };
        assert_eq!(
            (divergence.tick, divergence.agreed),
            (Tick(first), Some(Tick(first - 1))),
            "{plant:?}"
        );
        assert_eq!(divergence.sections, ["numbers"], "{plant:?}");
    }
}

/// What every machine must come to, whatever it is.
#[test]
fn a_game_that_is_right_has_the_same_digests_on_every_machine() {
    let here = planted::digests(Plant::Nothing);
    let there = planted::digests_on(Plant::Nothing, Machine::ELSEWHERE);
    let found = here.compare(&there).unwrap();
    assert!(found.is_equal(), "{found}");
    assert_eq!(found.ticks, TICKS + 1);
}
