//! `isostep bench` from outside: misuse is told before anything is measured.

use crate::desk::Desk;

#[track_caller]
fn refuses(arguments: &str, word: &str) {
    let desk = Desk::new("bench");
    let (code, said) = desk.run("bench", arguments);
    assert_eq!(code, 2, "{arguments}: {said}");
    assert!(said.contains(word), "{arguments}: {said}");
    assert_eq!(said.lines().count(), 1, "{arguments}: {said}");
}

#[test]
fn a_scene_that_is_not_there_is_refused_with_those_that_are() {
    refuses("--scene storm", "pyramid, stacks, bin, arena");
}

#[test]
fn a_report_that_can_not_be_written_is_refused_before_minutes_are_spent() {
    refuses("--quick --html no/such/folder/report.html", "choose another place");
    refuses("--quick --json no/such/folder/report.json", "choose another place");
}

#[test]
fn what_it_does_not_know_is_refused() {
    refuses("--fast", "--fast");
    refuses("--json", "FILE");
}
