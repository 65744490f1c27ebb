//! One fault at a time: the paths that find it, and the field that they report.

use isostep_determinism_tests::faults::{self, Fault, Machine, TICKS};
use isostep_rollback::Tick;
use isostep_rollback::check::{CheckError, Difference, Outcome, Report, Row, TickPath};

/// Variants and paths on which a fault shows.
fn found(report: &Report) -> Vec<(&str, TickPath)> {
    report.findings().map(|row| (row.variant.as_str(), row.path)).collect()
}

pub(super) fn difference(row: &Row) -> &Difference {
    match &row.outcome {
        Outcome::Differs(difference) => difference,
        other => panic!("{other:?}"),
    }
}

/// Asserts that each differing row reports this field of this section first, on the first tick that
/// differs.
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

fn run(fault: Fault) -> Report {
    faults::check(fault).run_with_snapshots()
}

/// All paths of these variants except some.
fn all_but(variants: &[&'static str], without: &[TickPath]) -> Vec<(&'static str, TickPath)> {
    let paths = TickPath::ALL.into_iter().filter(|path| !without.contains(path));
    variants.iter().flat_map(|variant| paths.clone().map(move |path| (*variant, path))).collect()
}

#[test]
fn a_correct_game_is_equal_on_every_path() {
    let report = run(Fault::Nothing);
    assert!(report.is_equal(), "{report}");
    assert_eq!(report.rows.len(), 2 * TickPath::ALL.len());
    assert!(report.rows.iter().all(|row| row.ticks == Tick(TICKS) && row.digest.is_some()));
    assert!(report.rows.iter().all(|row| row.digest == report.rows[0].digest));
}

#[test]
fn a_float_in_the_state_is_refused_by_its_path() {
    let report = run(Fault::FloatInState);
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
fn hash_map_iteration_is_located() {
    let report = run(Fault::HashMapOrder);
    let everything = all_but(&["1 thread", "4 threads"], &[]);
    assert_eq!(found(&report), everything[1..], "all but the reference");
    assert_named(&report, "numbers", "numbers", "fault");
}

#[test]
fn results_merged_in_arrival_order_are_located() {
    let report = run(Fault::ThreadMerge);
    assert_eq!(found(&report), all_but(&["4 threads"], &[]));
    assert_named(&report, "numbers", "numbers", "fault");
}

#[test]
fn scratch_that_affects_results_is_located() {
    let report = run(Fault::ScratchLeak);
    let straight = [TickPath::Straight, TickPath::Interleaved];
    assert_eq!(found(&report), all_but(&["1 thread", "4 threads"], &straight), "{report}");
    assert_named(&report, "numbers", "numbers", "fault");
}

#[test]
fn a_field_missing_from_snapshots_is_located_by_its_effect() {
    let report = run(Fault::MissingField);
    let paths: Vec<TickPath> = report.findings().map(|row| row.path).collect();
    assert_eq!(
        paths,
        [TickPath::Encoded, TickPath::Recorded, TickPath::Encoded, TickPath::Recorded],
        "{report}"
    );
    assert_named(&report, "numbers", "numbers", "fault");
}

#[test]
fn a_shared_static_counter_is_located() {
    let report = run(Fault::Static);
    let everything = all_but(&["1 thread", "4 threads"], &[]);
    assert_eq!(found(&report), everything[1..], "all but the reference");
    for row in report.findings() {
        assert!(difference(row).sections.contains(&"numbers".to_owned()), "{report}");
    }
}

#[test]
fn reading_the_input_status_is_located() {
    let report = run(Fault::Guess);
    let paths: Vec<TickPath> = report.findings().map(|row| row.path).collect();
    assert_eq!(
        paths,
        [TickPath::RolledBack, TickPath::FullResim, TickPath::RolledBack, TickPath::FullResim],
        "{report}"
    );
    assert_named(&report, "numbers", "numbers", "fault");
}

#[test]
fn an_address_that_affects_results_is_located() {
    let report = run(Fault::Address);
    assert!(report.findings().count() > 0, "{report}");
    for row in report.findings() {
        assert!(difference(row).sections.contains(&"numbers".to_owned()), "{report}");
    }
}

/// These faults do not show on one machine; comparing two gives the first tick and the section.
#[test]
fn differences_between_machines_show_in_their_digests() {
    for fault in Fault::ALL.into_iter().filter(|fault| fault.needs_another_machine()) {
        let report = run(fault);
        assert!(report.is_equal(), "{fault:?} shows on one machine: {report}");
        let here = faults::digests(fault);
        assert!(here.compare(&faults::digests(fault)).unwrap().is_equal());
        let there = faults::digests_on(fault, Machine::ELSEWHERE);
        let divergence = here.compare(&there).unwrap().divergence.unwrap();
        // 0 has the same bytes in every order.
        let first = if fault == Fault::NativeEndian { 2 } else { 1 };
        assert_eq!(
            (divergence.tick, divergence.agreed),
            (Tick(first), Some(Tick(first - 1))),
            "{fault:?}"
        );
        assert_eq!(divergence.sections, ["numbers"], "{fault:?}");
    }
}

/// Digests that every machine must reproduce.
#[test]
fn a_correct_game_has_the_same_digests_on_every_machine() {
    let here = faults::digests(Fault::Nothing);
    let there = faults::digests_on(Fault::Nothing, Machine::ELSEWHERE);
    let found = here.compare(&there).unwrap();
    assert!(found.is_equal(), "{found}");
    assert_eq!(found.ticks, TICKS + 1);
}
