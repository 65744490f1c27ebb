//! `isostep replay` from outside: the real command on real files.

use crate::work_dir::WorkDir;
use isostep_determinism_tests::recording;
use isostep_rollback::replay::{Recorder, RecorderConfig};
use isostep_rollback::{PlayerId, Session, SessionConfig, Tick, Time};
use isostep_scenes::games::{ARENA_GAME, ArenaName, ArenaSize, arena_input};
use serde_json::Value;
use std::process::Command;

impl WorkDir {
    #[track_caller]
    fn ends(&self, arguments: &str, code: i32, word: &str) -> String {
        let (found, report) = self.run("replay", arguments);
        assert_eq!(found, code, "{arguments}: {report}");
        assert!(report.contains(word), "{arguments}: {report}");
        report
    }

    /// JSON output, one value per line.
    #[track_caller]
    fn json(&self, arguments: &str, code: i32) -> Vec<Value> {
        let report = self.ends(&format!("{arguments} --json"), code, "{");
        let lines = report.lines().map(serde_json::from_str);
        lines
            .collect::<Result<_, _>>()
            .unwrap_or_else(|error| panic!("{arguments}: {error}: {report}"))
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }

    fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = std::fs::read(self.0.join("a")).unwrap();
        change(&mut bytes);
        self.put(name, &bytes);
    }
}

#[test]
fn a_match_is_recorded_shown_verified_and_compared() {
    let dir = WorkDir::new("replay-good");
    dir.ends("record a --seconds 5", 0, "300 ticks");
    dir.ends("info a", 0, "ticks 0 to 300, 5.0 s");
    dir.ends("verify a", 0, "300 ticks are correct");
    dir.ends("record b --seconds 4", 0, "240 ticks");
    dir.ends("compare a b", 0, "equal up to tick 240, where the shorter one ends");
    dir.ends("compare b b", 0, "equal up to tick 240, where both end");
    // 17 ticks have a digest. Two of them have a keyframe too, and one of these has its digest alone.
    dir.ends("compare b b", 0, "240 ticks, and the digests of 17 of them, were compared");
    dir.ends("verify b", 0, "240 ticks are correct, by 18 digests");
    assert_eq!(dir.json("info b", 0)[0]["seconds"], 4.0);
    dir.ends("record c --seconds 4 --seed 2", 0, "240 ticks");
    dir.ends("compare a c", 1, "not of one match: an asset differs");
    let (code, report) = dir.run("demo", "--seconds 1 --save t");
    assert_eq!(code, 0, "{report}");
    dir.ends(
        "compare a t",
        1,
        "left: a (the arena), right: t (Tumble)\nnot of one match: the game differs",
    );
    assert_eq!(dir.json("compare t a", 1)[0]["divergence"]["what"], "the game");
}

#[test]
fn damaged_and_foreign_files_are_reported() {
    let dir = WorkDir::new("replay-bad");
    dir.ends("record a --seconds 3", 0, "180 ticks");
    dir.change("cut", |bytes| bytes.truncate(bytes.len() - 100));
    dir.ends("info cut", 0, "not finished");
    dir.ends("info cut", 0, "its blocks were not checked");
    dir.ends("verify cut", 0, "ticks are correct");
    dir.ends("verify cut", 0, "not finished: ");
    assert_eq!(dir.json("verify cut", 0)[0]["finished"], false);
    dir.change("newer", |bytes| bytes[8] = 9);
    dir.change("foreign", |bytes| bytes[0] = b'X');
    dir.change("flipped", |bytes| bytes[600] ^= 1);
    for part in ["verify", "seek", "play"] {
        let tick = if part == "seek" { " 100" } else { "" };
        dir.ends(&format!("{part} newer{tick}"), 2, "update the program");
        dir.ends(&format!("{part} foreign{tick}"), 2, "choose another file");
        dir.ends(&format!("{part} flipped{tick}"), 2, "damaged");
        dir.ends(&format!("{part} nowhere{tick}"), 2, "nowhere");
    }
    dir.ends("compare a flipped", 2, "flipped: ");
    dir.ends("compare flipped a", 2, "flipped: ");
    // In the second half of the file.
    dir.change("later", |bytes| bytes[2000] ^= 1);
    dir.ends(
        "verify later",
        2,
        "; ticks 0 to 144 are right by their digests, nothing from tick 150",
    );
    dir.ends("compare a later", 2, "; 150 ticks before it are equal");
    dir.ends("compare a foreign", 2, "foreign");
    for part in ["verify .", "info .", "compare a .", "seek . 1", "play ."] {
        dir.ends(part, 2, "a folder, not a recording; give the path of one file");
    }
}

/// A closed pipe used to be success: `isostep replay compare a b | true` hid a difference from `pipefail`.
#[test]
fn a_closed_pipe_does_not_hide_a_result() {
    let dir = WorkDir::new("replay-pipe");
    dir.ends("record a --seconds 2 --other b --fault 60", 0, "b: 120 ticks");
    for (arguments, code) in [
        ("compare a b", 1),
        ("compare a b --json", 1),
        ("compare a a", 0),
        ("verify b", 1),
        ("verify a", 0),
        ("seek b 64", 1),
        ("seek a 64", 0),
        ("compare a nowhere", 2),
        ("play a", 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let done = Command::new(env!("CARGO_BIN_EXE_isostep"))
            .current_dir(&dir.0)
            .arg("replay")
            .args(arguments.split(' '))
            .stdout(writer)
            .output()
            .unwrap();
        let wrong = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{arguments}: {wrong}");
        assert_eq!(wrong.is_empty(), code != 2, "{arguments}: {wrong}");
    }
}

/// A tick in the middle equals the played one on every path.
#[test]
fn seek_prints_a_tick() {
    let dir = WorkDir::new("replay-seek");
    dir.ends("record a --seconds 5 --props 20", 0, "300 ticks");
    let report = dir.ends("seek a 240", 0, "tick 240, 4.00 s");
    assert!(report.contains("as recorded") && report.contains("player 1, red"), "{report}");
    assert!(report.contains("and 7 more; --json has all"), "{report}");
    dir.ends("seek a 241", 0, "none is recorded for this tick");
    let sought = &dir.json("seek a 240", 0)[0];
    assert_eq!(sought["digest"], sought["recorded_digest"]);
    assert_eq!(sought["bodies"].as_array().map(Vec::len), Some(23));
    // Reached by playing from the start.
    let played = dir.json("play a", 0);
    assert_eq!((&played[4]["tick"], &played[4]["digest"]), (&sought["tick"], &sought["digest"]));
    dir.ends("seek a 301", 2, "choose 0 to 300");
}

#[test]
fn playing_into_a_file_prints_a_line_for_each_second() {
    let dir = WorkDir::new("replay-play");
    dir.ends("record a --seconds 3", 0, "180 ticks");
    let report = dir.ends("play a --rate 0.25", 0, "3.0 s");
    assert_eq!(report.lines().count(), 4, "{report}");
    assert!(!report.contains('\x1b'), "a file is no terminal: {report}");
    let later = dir.ends("play a --from 100", 0, "3.0 s");
    assert_eq!(later.lines().collect::<Vec<_>>(), report.lines().skip(2).collect::<Vec<_>>());
    dir.ends("play a --from 181", 2, "choose 0 to 180");
    let back = dir.ends("play a --rate -1", 0, "3.0 s");
    assert_eq!(back.lines().collect::<Vec<_>>(), report.lines().rev().collect::<Vec<_>>());
    let back = dir.ends("play a --rate -2 --from 100", 0, "1.0 s");
    assert_eq!(back.lines().count(), 2, "{back}");
    for rate in ["0.2", "65", "fast", "NaN", "-0.2", "-65"] {
        dir.ends(&format!("play a --rate {rate}"), 2, "--rate");
    }
}

/// The golden recording, and that of a machine with one wrong bit.
#[test]
fn a_fault_is_found_and_explained() {
    let dir = WorkDir::new("replay-fault");
    dir.put("a", recording::GOLDEN);
    dir.put("b", &recording::record_faulty().unwrap());
    dir.ends("verify a", 0, "240 ticks are correct");
    dir.ends("verify b", 1, "are equal up to tick 128");
    dir.ends("verify b", 1, "and tick 136 is the first that differs");
    dir.ends("verify b", 1, "players[0], kicks:");
    dir.ends("compare a b", 1, "tick 136: the states differ");
    dir.ends("seek a 136", 0, "as recorded");
    dir.ends("seek b 136", 1, "use `isostep replay verify`");
    // States after the next keyframe match the recording again.
    dir.ends("seek b 208", 0, "as recorded");

    let verified = &dir.json("verify b", 1)[0];
    assert_eq!(verified["same"], false);
    assert_eq!(verified["mismatch"]["tick"], 136);
    assert_eq!(verified["mismatch"]["fields"][0]["field"], "kicks");
    let divergence = &dir.json("compare a b", 1)[0]["divergence"];
    assert_eq!((&divergence["kind"], &divergence["tick"]), (&"state".into(), &136.into()));
}

#[test]
fn a_second_machine_records_the_match_and_may_be_wrong() {
    let dir = WorkDir::new("replay-other");
    dir.ends("record a --seconds 3 --other b", 0, "b: 180 ticks");
    dir.ends("compare a b", 0, "180 ticks, and ");
    dir.ends("record a --seconds 3 --other b --fault 100", 0, "b: 180 ticks");
    dir.ends("verify a", 0, "180 ticks are correct");
    dir.ends("verify b", 1, "players[0], kicks:");
    dir.ends("compare a b", 1, "tick 112: the states differ");
    // After the last keyframe and the last regular digest.
    dir.ends("record a --seconds 3 --other b --fault 178", 0, "b: 180 ticks");
    dir.ends("verify b", 1, "and tick 180 is the first that differs");
    dir.ends("compare a b", 1, "tick 180: the states differ");
    dir.ends("record a --seconds 3 --fault 100", 2, "--other");
    dir.ends("record a --seconds 3 --other b --fault 180", 2, "which has 0 to 179");
    dir.ends("record a --seconds 3 --other a", 2, "the same file");
    dir.ends("record a --seconds 3 --other ./a", 2, "the same file");
    dir.ends("record new --seconds 3 --other ./new", 2, "the same file");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a", dir.0.join("link")).unwrap();
        std::os::unix::fs::symlink("new", dir.0.join("dangling")).unwrap();
        std::fs::hard_link(dir.0.join("a"), dir.0.join("hard")).unwrap();
        dir.ends("record a --seconds 3 --other link", 2, "the same file");
        dir.ends("record a --seconds 3 --other hard", 2, "the same file");
        dir.ends("record new --seconds 3 --other dangling", 2, "the same file");
    }
    assert!(!dir.0.join("new").exists(), "a refused match writes nothing");
}

#[test]
fn files_without_a_common_tick_are_not_the_same() {
    let dir = WorkDir::new("replay-apart");
    dir.ends("record a --seconds 3", 0, "180 ticks");
    // The same arena, recorded from tick 500 on.
    let name = ArenaName { size: ArenaSize { players: 2, props: 6 }, seed: 1 };
    let mut arena = name.arena();
    let config = SessionConfig::new().local().local().start(Tick(500));
    let mut session = Session::start(config, &mut arena).unwrap();
    let config = RecorderConfig { assets: vec![name.asset()], ..RecorderConfig::new(ARENA_GAME) };
    let mut recorder = Recorder::start(config, &session, &arena).unwrap();
    session.local_input(PlayerId(0), arena_input(1, PlayerId(0), Tick(500))).unwrap();
    session.advance(Time::from_millis(0)).run(&mut arena).unwrap();
    recorder.finish(&session, &arena);
    let file: Vec<u8> = std::iter::from_fn(|| recorder.poll_bytes()).flatten().collect();
    dir.put("b", &file);
    dir.ends("compare a b", 1, "no common tick: left has 0 to 180, right has 500 to ");
    let found = &dir.json("compare a b", 1)[0];
    assert_eq!((&found["same"], &found["ticks"]), (&false.into(), &0.into()));
}

#[test]
fn reports_are_there_as_json() {
    let dir = WorkDir::new("replay-json");
    assert_eq!(dir.json("record a --seconds 3", 0)[0]["ticks"], 180);
    let info = &dir.json("info a", 0)[0];
    assert_eq!((&info["last_tick"], &info["finished"]), (&180.into(), &true.into()));
    assert_eq!(info["keyframes"], serde_json::json!([0, 150]));
    assert_eq!(dir.json("verify a", 0)[0]["same"], true);
    assert_eq!(dir.json("compare a a", 0)[0]["same"], true);
    assert_eq!(dir.json("play a", 0).len(), 4);
}

#[test]
fn each_replay_subcommand_has_help_with_an_example() {
    let dir = WorkDir::new("replay-help");
    for part in ["record", "info", "verify", "compare", "seek", "play"] {
        let report = dir.ends(&format!("{part} --help"), 0, "Example:");
        assert!(report.contains(&format!("isostep replay {part} ")), "{report}");
    }
    dir.ends("seek a", 2, "TICK");
    dir.ends("seek a soon", 2, "TICK");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_ends_the_recording_and_not_the_match() {
    let dir = WorkDir::new("replay-full");
    dir.ends("record /dev/full --seconds 5", 2, "the match continued");
}
