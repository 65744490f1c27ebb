//! `isostep bench` from outside: usage errors are reported before anything is measured.

use crate::work_dir::WorkDir;

#[track_caller]
fn refuses(arguments: &str, word: &str) {
    let dir = WorkDir::new("bench");
    let (code, report) = dir.run("bench", arguments);
    assert_eq!(code, 2, "{arguments}: {report}");
    assert!(report.contains(word), "{arguments}: {report}");
    assert_eq!(report.lines().count(), 1, "{arguments}: {report}");
}

#[test]
fn an_unknown_scene_is_refused_with_the_known_names() {
    refuses("--scene storm", "pyramid, stacks, bin, arena");
}

#[test]
fn an_unwritable_report_path_fails_before_measuring() {
    refuses("--quick --html no/such/folder/report.html", "choose another path");
    refuses("--quick --json no/such/folder/report.json", "choose another path");
}

#[test]
fn unknown_arguments_are_refused() {
    refuses("--fast", "--fast");
    refuses("--json", "FILE");
}
