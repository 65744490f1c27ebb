//! Conventions of all subcommands of `isostep`: help with an example, valid JSON, one-line errors,
//! exit codes. Long-running subcommands get short work.

use crate::work_dir::WorkDir;
use std::net::TcpListener;
use std::process::{Command, Stdio};

/// All subcommands, and those below them.
const PARTS: [&str; 14] = [
    "bench",
    "check",
    "doctor",
    "lab",
    "match",
    "match new",
    "match show",
    "match key",
    "new",
    "replay",
    "replay record",
    "replay info",
    "replay verify",
    "replay compare",
];
const MORE_PARTS: [&str; 3] = ["replay seek", "replay play", "token"];

fn run(dir: &WorkDir, arguments: &str) -> (i32, String, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_isostep"))
        .current_dir(&dir.0)
        .args(arguments.split_whitespace())
        .output()
        .expect("the command starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (done.status.code().expect("it ends by itself"), text(done.stdout), text(done.stderr))
}

/// Files for the subcommands below.
fn set_up(name: &str) -> WorkDir {
    let dir = WorkDir::new(name);
    for arguments in
        ["match new --game tanks --players 2 --out m", "replay record r.isoreplay --seconds 2"]
    {
        assert_eq!(run(&dir, arguments).0, 0, "{arguments}");
    }
    std::fs::write(dir.0.join("song.mid"), b"la la la\n").expect("written");
    dir
}

#[test]
fn every_subcommand_has_help_with_an_example() {
    let dir = WorkDir::new("conventions-help");
    for part in PARTS.into_iter().chain(MORE_PARTS) {
        let (code, report, wrong) = run(&dir, &format!("{part} --help"));
        assert_eq!((code, &*wrong), (0, ""), "{part}");
        let example = report
            .split("Example")
            .nth(1)
            .unwrap_or_else(|| panic!("{part}: no example\n{report}"));
        let part = part.replace("token", "match");
        assert!(example.contains(&format!("isostep {part}")), "{part}: {example}");
    }
    let (code, report, _) = run(&dir, "--help");
    assert_eq!(code, 0);
    for part in ["bench", "check", "doctor", "lab", "match", "new", "replay", "token"] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[test]
fn no_subcommand_is_missing_above() {
    let dir = WorkDir::new("conventions-parts");
    let (_, report, _) = run(&dir, "--help");
    let list = report
        .split("Commands:")
        .nth(1)
        .and_then(|rest| rest.split("\n\n").next())
        .expect("a list");
    for line in list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
        let part = line.split_whitespace().next().expect("a name");
        // `demo` has tests of its own.
        let known = PARTS.iter().any(|known| known.split(' ').next() == Some(part));
        assert!(known || ["help", "demo"].contains(&part), "{part} has no manners");
    }
}

#[test]
fn reports_for_programs_are_json_and_nothing_else() {
    let dir = set_up("conventions-json");
    for arguments in [
        "doctor --json",
        "check --scene cradle --json",
        "match show m/player-0 --json",
        "match show m/player-0/token --json",
        "match show m/matchmaker.key --json",
        "match key --out k.key --json",
        "match key --matchmaker --out mm.key --json",
        "match new --game tanks --players 2 --out n --json",
        "token show m/player-1 --json",
        "replay record s.isoreplay --seconds 1 --json",
        "replay info r.isoreplay --json",
        "replay verify r.isoreplay --json",
        "replay seek r.isoreplay 60 --json",
        "replay compare r.isoreplay r.isoreplay --json",
        "replay play r.isoreplay --json",
    ] {
        let (code, report, wrong) = run(&dir, arguments);
        assert_eq!((code, &*wrong), (0, ""), "{arguments}: {report}");
        assert!(!report.is_empty(), "{arguments}");
        for line in report.lines() {
            let value: Result<serde_json::Value, _> = serde_json::from_str(line);
            assert!(value.is_ok_and(|value| value.is_object()), "{arguments}: {line}");
        }
    }
}

#[test]
fn usage_errors_print_one_line_with_advice() {
    let dir = set_up("conventions-wrong");
    for (arguments, advice) in [
        ("dance", "isostep --help"),
        ("bench --fast", "isostep bench --help"),
        ("bench --scene moon", "pyramid"),
        ("bench --html no/where.html", "choose another path"),
        ("check --scene moon", "pyramid"),
        ("check --emit no/where.json", "choose another path"),
        ("check --against nothing.json", "can't be read"),
        ("check --against song.mid", "choose another file"),
        ("check --matrix", "checkout"),
        ("doctor --loud", "isostep doctor --help"),
        ("lab --players 9", "isostep lab --help"),
        ("lab --port 99999", "isostep lab --help"),
        ("match new --game tanks --players 2 --out m", "choose another path"),
        (
            "match new --game tanks --players 2 --out n --matchmaker m/player-0/key",
            "copy the file again",
        ),
        ("match new --players 2 --out n", "isostep match new --help"),
        ("match show nothing", "check that the file exists"),
        ("match show song.mid", "isostep match new"),
        ("match key --out m/player-0/key", "choose another path"),
        ("new 9lives", "choose a name"),
        ("new marbles --path nowhere", "git clone"),
        ("replay info nothing.isoreplay", "check the path"),
        ("replay info song.mid", "song.mid: "),
        ("replay verify song.mid", "song.mid: "),
        ("replay compare r.isoreplay song.mid", "song.mid: "),
        ("replay seek r.isoreplay 100000", "120"),
        ("replay seek r.isoreplay soon", "isostep replay seek --help"),
        ("replay play song.mid", "song.mid: "),
        ("replay play r.isoreplay --rate 1000", "64"),
        ("replay record no/where.isoreplay", "check the path"),
        ("replay record s.isoreplay --seconds 0", "isostep replay record --help"),
    ] {
        let (code, report, wrong) = run(&dir, arguments);
        assert_eq!(code, 2, "{arguments}: {report}{wrong}");
        assert_eq!(
            (report.lines().count(), wrong.lines().count()),
            (0, 1),
            "{arguments}: {report}{wrong}"
        );
        assert!(wrong.starts_with("isostep: ") && wrong.contains(advice), "{arguments}: {wrong}");
    }
}

#[test]
fn a_missing_subcommand_prints_help() {
    let dir = WorkDir::new("conventions-none");
    for arguments in ["", "match", "replay"] {
        let (code, _, wrong) = run(&dir, arguments);
        assert_eq!(code, 2, "{arguments}");
        assert!(wrong.contains("Commands:") && wrong.contains("Example"), "{arguments}: {wrong}");
    }
}

#[test]
fn findings_exit_with_1_and_failures_with_2() {
    let dir = set_up("conventions-found");
    let record = "replay record a.isoreplay --seconds 2 --other b.isoreplay --fault 60";
    assert_eq!(run(&dir, record).0, 0);
    for arguments in ["replay verify b.isoreplay", "replay compare a.isoreplay b.isoreplay"] {
        let (code, report, wrong) = run(&dir, arguments);
        assert_eq!(code, 1, "{arguments}: {report}{wrong}");
    }
    assert_eq!(run(&dir, "match new --game tanks --players 2 --out n").0, 0);
    std::fs::copy(dir.0.join("n/matchmaker.pub"), dir.0.join("m/player-0/matchmaker.pub"))
        .expect("copied");
    assert_eq!(run(&dir, "match show m/player-0").0, 1);
}

#[test]
fn a_port_in_use_prints_one_line() {
    let dir = WorkDir::new("conventions-port");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = taken.local_addr().expect("it is bound").port();
    let (code, report, wrong) = run(&dir, &format!("lab --port {port}"));
    assert!(code > 0, "{report}{wrong}");
    assert_eq!(wrong.lines().count(), 1, "{wrong}");
    assert!(wrong.contains("--port"), "{wrong}");
}

/// Colours and redraws are for terminals; these tests have none.
#[test]
fn no_escape_sequence_reaches_a_pipe() {
    let dir = set_up("conventions-plain");
    for arguments in [
        "match show m/player-0",
        "replay play r.isoreplay",
        "replay verify r.isoreplay",
        "check --scene rack",
        "--help",
        "dance",
    ] {
        let (_, report, wrong) = run(&dir, arguments);
        assert!(
            !report.contains('\x1b') && !wrong.contains('\x1b'),
            "{arguments}: {report}{wrong}"
        );
    }
}

#[test]
fn the_doctor_runs_every_probe_and_gives_advice() {
    let (code, report, _) = run(&WorkDir::new("conventions-doctor"), "doctor --json");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let findings = report["findings"].as_array().expect("a list");
    let bad = findings.iter().any(|finding| finding["verdict"] == "bad");
    assert_eq!((code, &report["fit"]), (i32::from(bad), &(!bad).into()), "{report}");
    for what in
        ["udp", "ports", "clock", "time of day", "sleep", "threads", "lanes", "build", "terminal"]
    {
        assert!(findings.iter().any(|finding| finding["what"] == what), "{what}: {report}");
    }
}

/// `isostep … | head` closes the pipe early. Regression: some subcommands printed an error or
/// panicked.
#[test]
fn a_closed_pipe_ends_a_subcommand_silently() {
    let dir = set_up("conventions-pipe");
    for arguments in [
        "check --scene cradle",
        "demo --seconds 2 --fast",
        "match show m/player-0",
        "replay info r.isoreplay",
        "replay play r.isoreplay",
        "replay verify r.isoreplay",
        "--help",
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_isostep"))
            .args(arguments.split(' '))
            .current_dir(&dir.0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        drop(child.stdout.take());
        let done = child.wait_with_output().expect("the command ends");
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!((done.status.code(), &*errors), (Some(0), ""), "{arguments}");
    }
}
