//! `isostep new` from outside: the created project builds, passes its tests and plays.
//!
//! Its target folder is below ours, so that the crates are built once; the first build takes a
//! minute or two.
#![cfg(unix)]

use crate::work_dir::WorkDir;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const GUIDE: &str = include_str!("../../docs/start.md");
/// Three seconds of a match.
const TICKS: &str = "180";

/// Target folder of the project, beside this test's own.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("new")
}

/// Starts the game.
fn start(folder: &Path, arguments: &[&str]) -> Child {
    Command::new(target().join("debug/marbles"))
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the game starts")
}

/// Starts a host on a free port; returns it with its address and the lines that it prints next.
fn host(
    folder: &Path,
    arguments: &[&str],
) -> (Child, String, std::io::Lines<BufReader<ChildStdout>>) {
    let mut host = start(folder, &[&["host", "127.0.0.1:0", "--bot"], arguments].concat());
    let mut lines = BufReader::new(host.stdout.take().expect("it is piped")).lines();
    let line = lines.next().expect("a line").expect("text");
    let address = line.strip_prefix("at ").unwrap_or_else(|| panic!("no address: {line}"));
    (host, address.to_owned(), lines)
}

/// Waits for a game to exit; returns its last line.
fn last_line(game: Child) -> String {
    let done = game.wait_with_output().expect("it ends");
    let report = String::from_utf8(done.stdout).expect("text");
    assert_eq!(done.status.code(), Some(0), "{report}");
    report.lines().last().unwrap_or_default().to_owned()
}

/// Lines of the guide's code blocks of a language.
fn guide(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let blocks = GUIDE.split(&*fence).skip(1);
    blocks.filter_map(|rest| rest.split("```").next()).flat_map(str::lines).collect()
}

/// Runs the commands of docs/start.md line by line; then plays both players in separate processes.
#[test]
fn the_new_game_passes_its_tests_and_plays() {
    let dir = WorkDir::new("new-game");
    std::os::unix::fs::symlink(CHECKOUT, dir.0.join("isostep")).expect("a link to the checkout");
    let lines = guide("sh");
    assert!(lines.contains(&"isostep new marbles --path isostep"), "{lines:?}");
    let programs = Path::new(env!("CARGO_BIN_EXE_isostep")).parent().expect("it is in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let done = Command::new("sh")
        .current_dir(&dir.0)
        .env("PATH", format!("{}:{path}", programs.display()))
        .env("CARGO_TARGET_DIR", target())
        // The dependencies are already downloaded.
        .env("CARGO_NET_OFFLINE", "true")
        .args(["-ec", &lines.join("\n")])
        .output()
        .expect("there is a shell");
    let report = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
    assert!(done.status.success(), "{report}");
    for line in guide("text") {
        let start = line.trim_end_matches('…');
        assert!(
            report.lines().any(|report| report.starts_with(start)),
            "nothing prints {line}\n{report}"
        );
    }

    let folder = dir.0.join("marbles");
    let formatted =
        Command::new(env!("CARGO")).current_dir(&folder).args(["fmt", "--check"]).status();
    assert!(formatted.expect("cargo starts").success(), "the template is not formatted");
    let together = || last_line(start(&folder, &["together", "--ticks", TICKS]));
    assert_eq!(together(), together(), "the same match ends in the same bits");
    a_closed_pipe_ends_the_game_silently(&folder);

    three_players_wait_for_each_other_and_agree(&folder);

    let misuses: [&[&str]; 8] = [
        &["dance"],
        &[],
        &["host"],
        &["host", "here"],
        &["together", "--ticks", "x"],
        &["together", "--players", "9"],
        &["join", "127.0.0.1:1", "--player", "2"],
        &["join", "127.0.0.1:1", "--player", "0"],
    ];
    for misuse in misuses {
        let done = start(&folder, misuse).wait_with_output().expect("it ends");
        assert_eq!(done.status.code(), Some(2), "{misuse:?}");
    }
    both_machines_report_the_desync_of_different_rules(&folder);
}

/// `marbles together | head -1` used to panic with a backtrace.
fn a_closed_pipe_ends_the_game_silently(folder: &Path) {
    for arguments in [&["together", "--ticks", TICKS][..], &["--help"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let game = Command::new(target().join("debug/marbles"))
            .current_dir(folder)
            .args(arguments)
            .stdout(writer)
            .output()
            .expect("the game starts");
        let wrong = String::from_utf8_lossy(&game.stderr);
        assert_eq!((game.status.code(), &*wrong), (Some(0), ""), "{arguments:?}");
    }
}

/// A host that records, and two others that know its address alone. Only the host is told the last tick.
fn three_players_wait_for_each_other_and_agree(folder: &Path) {
    let file = folder.join("match.isoreplay");
    let record = file.to_str().expect("a path of plain text");
    let (mut host, address, mut lines) =
        host(folder, &["--players", "3", "--ticks", TICKS, "--record", record]);
    let awaited = lines.by_ref().map_while(Result::ok).find(|line| line.starts_with("waiting"));
    assert_eq!(awaited.as_deref(), Some("waiting for machine 1, machine 2"));
    let guest = |player: &str| {
        start(folder, &["join", &address, "--bot", "--players", "3", "--player", player])
    };
    let guests = [guest("1"), guest("2")];
    let theirs = guests.map(last_line);
    let ours = lines.map_while(Result::ok).last().unwrap_or_default();
    assert!(host.wait().expect("it ends").success());
    assert!(ours.starts_with(&format!("tick {TICKS} digest ")), "{ours}");
    assert_eq!(theirs, [ours.clone(), ours], "all machines computed the same world");
    let replay = std::fs::read(&file).expect("the recording");
    let replay = isostep_rollback::replay::Replay::open(&replay[..]).expect("it opens");
    let last = replay.last().to_string();
    assert_eq!((replay.info().seats, last.as_str(), replay.is_finished()), (3, TICKS, true));
}

/// Regression: the first machine with a report used to leave at once, so that the other saw only a
/// departure and exited with 3.
fn both_machines_report_the_desync_of_different_rules(folder: &Path) {
    let (mut host, address, report) = host(folder, &[]);
    // The host keeps running with its original rules.
    let rules = folder.join("src/game.rs");
    let text = std::fs::read_to_string(&rules).expect("the game");
    let other = text.replace("PUSH: Real = real!(0.25)", "PUSH: Real = real!(0.375)");
    assert_ne!(text, other);
    std::fs::write(&rules, other).expect("written");
    // Replaces the executable instead of overwriting it, since it is running.
    let built = Command::new(env!("CARGO"))
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target())
        .env("CARGO_NET_OFFLINE", "true")
        .args(["build", "--quiet"])
        .status();
    assert!(built.expect("cargo starts").success());
    let guest = start(folder, &["join", &address, "--bot"]).wait_with_output().expect("it ends");
    let theirs = String::from_utf8_lossy(&guest.stdout).into_owned();
    let ours: Vec<String> = report.map_while(Result::ok).collect();
    let codes = (host.wait().expect("it ends").code(), guest.status.code());
    assert_eq!(codes, (Some(1), Some(1)), "{ours:?}\n{theirs}");
    assert!(ours.iter().any(|line| line.starts_with("DESYNC on ")), "{ours:?}");
    assert!(theirs.lines().any(|line| line.starts_with("DESYNC on ")), "{theirs}");
}

#[test]
fn a_refused_project_prints_one_line_and_writes_nothing() {
    let dir = WorkDir::new("new-refused");
    std::fs::create_dir(dir.0.join("there")).expect("a folder");
    for (arguments, advice) in [
        (format!("there --path {CHECKOUT}"), "choose another name"),
        (format!("9lives --path {CHECKOUT}"), "choose a name like"),
        (format!("a/b --path {CHECKOUT}"), "choose a name like"),
        (format!("isostep --path {CHECKOUT}"), "choose a name like"),
        ("marbles --path nowhere".to_owned(), "there is no such folder"),
        (
            "marbles --path there".to_owned(),
            "its Cargo.toml is missing); give the folder that `git clone`",
        ),
        (format!("marbles --path {CHECKOUT}/core/src"), "it is a folder inside of one); give /"),
        (format!("marbles --path {CHECKOUT}/Cargo.toml"), "it is a file"),
        (format!("con --path {CHECKOUT}"), "Windows reserves this name"),
    ] {
        let (code, report) = dir.run("new", &arguments);
        assert_eq!((code, report.lines().count()), (2, 1), "{arguments}: {report}");
        assert!(report.contains(advice), "{arguments}: {report}");
    }
    let left: Vec<_> = std::fs::read_dir(&dir.0).expect("it is there").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

/// Outside of any checkout the game depends on the one that the command was built from.
#[test]
fn no_path_is_needed_outside_of_a_checkout() {
    let outside = std::env::temp_dir().join(format!("isostep-new-{}", std::process::id()));
    std::fs::create_dir_all(&outside).expect("a folder");
    let done = Command::new(env!("CARGO_BIN_EXE_isostep"))
        .current_dir(&outside)
        .args(["new", "marbles"])
        .output()
        .expect("the command starts");
    let text = std::fs::read_to_string(outside.join("marbles/Cargo.toml")).unwrap_or_default();
    std::fs::remove_dir_all(&outside).expect("removed");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let checkout = Path::new(CHECKOUT).canonicalize().expect("the repository");
    let here = std::env::temp_dir().canonicalize().expect("a folder");
    if !here.starts_with(checkout.parent().expect("it has a parent")) {
        let expected = format!("isostep = {{ path = \"{}\" }}", checkout.display());
        assert!(text.contains(&expected), "{text}");
    }
}

/// Inside a checkout no path is needed, and the manifest uses a relative one.
#[test]
fn a_game_beside_or_in_the_checkout_names_it_by_a_relative_path() {
    let dir = WorkDir::new("new-relative");
    let checkout = dir.0.join("isostep");
    std::fs::create_dir_all(checkout.join("games")).expect("a folder");
    std::fs::write(checkout.join("Cargo.toml"), "[package]\nname = \"isostep\"\n")
        .expect("written");
    let made = |at: &str, arguments: &[&str], file: &str| {
        let done = Command::new(env!("CARGO_BIN_EXE_isostep"))
            .current_dir(dir.0.join(at))
            .arg("new")
            .args(arguments)
            .output()
            .expect("the command starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        std::fs::read_to_string(dir.0.join(file).join("Cargo.toml")).expect("a manifest")
    };
    let text = made("isostep/games", &["inside"], "isostep/games/inside");
    assert!(text.contains("isostep = { path = \"../..\" }"), "{text}");
    let text = made("", &["beside", "--path", "isostep"], "beside");
    assert!(text.contains("isostep = { path = \"../isostep\" }"), "{text}");
}
