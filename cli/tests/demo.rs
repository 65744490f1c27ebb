//! `isostep demo` from outside: a reproducible match, equal to the lab's, and its exit codes.

use std::process::{Command, Output};

fn demo(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_isostep"))
        .arg("demo")
        .args(arguments)
        .output()
        .expect("the command starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Line with the last tick and its digest.
fn agreed(output: &Output) -> String {
    let stdout = stdout(output);
    let line = stdout.lines().find(|line| line.starts_with("All ")).map(str::to_owned);
    line.unwrap_or_else(|| panic!("they agree in the end: {stdout}"))
}

#[test]
fn the_same_settings_end_in_the_same_digest() {
    let arguments = ["--seconds", "3", "--players", "3", "--net", "severe", "--seed", "7"];
    let (one, two) = (demo(&arguments), demo(&arguments));
    assert_eq!(one.status.code(), Some(0));
    assert_eq!(agreed(&one), agreed(&two));
    let full = demo(&[&arguments[..], &["--resim", "full"]].concat());
    assert_eq!(agreed(&one), agreed(&full), "what is computed again never shows");
    let other = demo(&[&arguments[..6], &["--seed", "8"]].concat());
    assert_ne!(agreed(&one), agreed(&other));
}

#[test]
fn the_reported_command_reproduces_the_report() {
    let arguments =
        ["--seconds", "2", "--json", "--net", "mobile", "--drift", "2:500", "--cut", "1@60"];
    let report: serde_json::Value = serde_json::from_str(&stdout(&demo(&arguments))).unwrap();
    let command = report["command"].as_str().unwrap();
    let again: Vec<_> = command.split(' ').skip(2).chain(["--seconds", "2", "--json"]).collect();
    let again: serde_json::Value = serde_json::from_str(&stdout(&demo(&again))).unwrap();
    assert_eq!(report["agreed"], again["agreed"]);
    assert_eq!(report["machines"][0]["ticks"], again["machines"][0]["ticks"]);
    assert_eq!(report["notes"][0]["note"], "cut");
    assert_eq!(report["machines"].as_array().map(Vec::len), Some(2));
}

#[test]
fn an_injected_desync_is_explained_and_exits_with_0() {
    // A single bit flip is repaired.
    let once = demo(&["--seconds", "4", "--flip", "2@60"]);
    assert_eq!(once.status.code(), Some(0));
    assert!(stdout(&once).contains("(a crate), "), "{}", stdout(&once));
    agreed(&once);
    // A permanent fault is not repaired; the report explains it.
    let always = demo(&["--seconds", "4", "--players", "3", "--flip", "2@60:score:always"]);
    let text = stdout(&always);
    assert_eq!(always.status.code(), Some(0), "{text}");
    assert!(
        text.contains("players[0], points: ") && text.contains("machine 2, outvoted"),
        "{text}"
    );
    assert!(
        text.contains("The machines end in different bits; the report above explains the desync.")
    );
}

#[test]
fn the_recording_verifies() {
    let file = std::env::temp_dir().join(format!("demo-{}.isoreplay", std::process::id()));
    let path = file.to_str().expect("a path of plain letters");
    let played = demo(&["--seconds", "3", "--net", "wifi", "--save", path]);
    let verify = Command::new(env!("CARGO_BIN_EXE_isostep"))
        .args(["replay", "verify", path])
        .output()
        .expect("the command starts");
    let _ = std::fs::remove_file(&file);
    assert_eq!(
        (played.status.code(), verify.status.code()),
        (Some(0), Some(0)),
        "{}",
        stdout(&verify)
    );
}

/// docs/lab.md matches the output of its command, on any machine.
#[test]
fn the_guide_matches_the_output() {
    let guide = include_str!("../../docs/lab.md");
    let command =
        guide.lines().find_map(|line| line.strip_prefix("isostep demo ")).expect("a command");
    let printed = stdout(&demo(&command.split(' ').collect::<Vec<_>>()));
    let (_, shown) = guide.split_once("```text\n").expect("what it prints");
    let shown: Vec<_> = shown.lines().take_while(|line| *line != "```").collect();
    assert!(shown.len() >= 5);
    for line in shown {
        assert!(printed.lines().any(|printed| printed == line), "{line}\nis not in\n{printed}");
    }
}

#[test]
fn usage_errors_are_one_line_and_exit_with_2() {
    for arguments in [&["--link", "1-3:wifi"][..], &["--save", "/nowhere/at/all"]] {
        let arguments = [&["--seconds", "1"], arguments].concat();
        let output = demo(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    assert_eq!(demo(&["--net", "dialup"]).status.code(), Some(2));
}
