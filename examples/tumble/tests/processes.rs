//! Bots in separate processes over real UDP: the machines must end with the same digest, and at
//! least one player must have fallen. Each process is this test program again; an environment
//! variable makes it a player.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};

/// Variable with a player's arguments.
const ARGUMENTS: &str = "ISOSTEP_TUMBLE_PLAYER";
/// Long enough for bots to score.
const TICKS: u32 = 700;

/// Entry point of the player processes; not a test by itself.
#[test]
#[ignore = "the others start it, each as a process of its own"]
fn player() {
    if let Ok(arguments) = std::env::var(ARGUMENTS) {
        let code = crate::run(arguments.split(' ').map(str::to_owned).collect());
        std::process::exit(code.into());
    }
}

struct Process {
    child: Child,
    lines: BufReader<ChildStdout>,
    address: String,
}

impl Process {
    fn start(arguments: &str) -> Self {
        let program = std::env::current_exe().expect("this program has a file");
        let mut child = Command::new(program)
            .args(["--exact", "tests::processes::player", "--ignored", "--nocapture"])
            .env(ARGUMENTS, arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it can be started");
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped"));
        let address = loop {
            let mut line = String::new();
            assert!(lines.read_line(&mut line).expect("text") > 0, "it said no address");
            if let Some((_, address)) = line.split_once("waiting for the others at ") {
                break address.trim().to_owned();
            }
        };
        Self { child, lines, address }
    }

    /// Standings and digest, as printed at the end.
    fn end(mut self) -> [String; 2] {
        let lines: Vec<String> = self.lines.by_ref().lines().map_while(Result::ok).collect();
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "{status}: {lines:#?}");
        let last = |start| lines.iter().rfind(|line| line.starts_with(start)).cloned();
        [last("round "), last("tick ")].map(|line| line.unwrap_or_else(|| panic!("{lines:#?}")))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Cleans up after a failure.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The machine with the lower id initiates, so the processes start with the last one.
fn play(players: u8) {
    let mut processes: Vec<Process> = Vec::new();
    for machine in (0..players).rev() {
        let others = (machine + 1..players).rev().zip(&processes);
        let others: Vec<String> =
            others.map(|(other, it)| format!(" --peer {other}={}", it.address)).collect();
        let others = others.concat();
        processes.push(Process::start(&format!(
            "--insecure {machine}/{players} --listen 127.0.0.1:0 --bot --ticks {TICKS} --round 60{others}"
        )));
    }
    let ends: Vec<[String; 2]> = processes.into_iter().map(Process::end).collect();
    println!("{players} processes: {ends:#?}");
    let digest = &ends[0][1];
    assert!(digest.starts_with(&format!("tick {TICKS} digest ")), "{digest}");
    assert!(ends.iter().all(|end| end[1] == *digest), "they differ: {ends:#?}");
    for [standing, _] in &ends {
        assert!(!standing.contains("  falls 0  "), "no player fell: {standing}");
        let points = standing.split("points ").nth(1).and_then(|rest| rest.split(' ').next());
        let points = points.expect("it prints the points");
        assert!(points.split(':').any(|points| points != "0"), "no points: {standing}");
    }
}

#[test]
fn two_processes_agree() {
    play(2);
}

#[test]
fn four_processes_agree() {
    play(4);
}
