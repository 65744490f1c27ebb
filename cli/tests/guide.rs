//! docs/replays.md matches reality: its commands run, exit and print as shown.
#![cfg(unix)]

use crate::work_dir::WorkDir;
use std::path::Path;
use std::process::Command;

const GUIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/replays.md");
/// Comment that announces a non-zero exit code.
const EXITS: &str = "# exits with ";

/// Lines of all code blocks of a language, in order.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}");
    let mut lines = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line {
            _ if inside && line == "```" => inside = false,
            _ if inside => lines.push(line),
            _ => inside = line == fence,
        }
    }
    lines
}

/// Runs a shell command; returns exit code and output.
fn run(dir: &WorkDir, line: &str) -> (i32, String) {
    let programs = Path::new(env!("CARGO_BIN_EXE_isostep")).parent().expect("it is in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let done = Command::new("sh")
        .current_dir(&dir.0)
        .env("PATH", format!("{}:{path}", programs.display()))
        .args(["-c", line])
        .output()
        .expect("there is a shell");
    let report = [done.stdout, done.stderr].concat();
    (done.status.code().expect("it ends by itself"), String::from_utf8(report).expect("text"))
}

#[test]
fn the_commands_of_the_guide_match_their_output() {
    let guide = std::fs::read_to_string(GUIDE).expect("the guide");
    let dir = WorkDir::new("guide");
    let mut printed = String::new();
    let commands = blocks(&guide, "sh");
    assert!(commands.len() > 10, "{commands:?}");
    for line in commands {
        let expected = line.split_once(EXITS).map_or(0, |(_, code)| code.trim().parse().unwrap());
        let (code, report) = run(&dir, line);
        assert_eq!(code, expected, "{line}: {report}");
        printed.push_str(&report);
    }
    for line in blocks(&guide, "text") {
        assert!(printed.lines().any(|it| it == line), "nothing prints: {line}\n{printed}");
    }
}

#[test]
fn blocks_are_found() {
    let text = "```sh\na\n```\nb\n```text\nc\n```\n```sh\nd\n```\n";
    assert_eq!(blocks(text, "sh"), ["a", "d"]);
    assert_eq!(blocks(text, "text"), ["c"]);
}
