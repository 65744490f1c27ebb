//! `isostep replay` from outside: the real command on real files.

use crate::desk::Desk;
use isostep_determinism_tests::recording;
use isostep_rollback::replay::{Recorder, RecorderConfig};
use isostep_rollback::{PlayerId, Session, SessionConfig, Tick, Time};
use isostep_scenes::games::{ARENA_GAME, ArenaName, ArenaSize, arena_input};
use serde_json::Value;

impl Desk {
    #[track_caller]
    fn ends(&self, arguments: &str, code: i32, word: &str) -> String {
        let (found, said) = self.run("replay", arguments);
        assert_eq!(found, code, "{arguments}: {said}");
        assert!(said.contains(word), "{arguments}: {said}");
        said
    }

    /// What it reports, a value for each line.
    #[track_caller]
    fn json(&self, arguments: &str, code: i32) -> Vec<Value> {
        let said = self.ends(&format!("{arguments} --json"), code, "{");
        let lines = said.lines().map(serde_json::from_str);
        lines
            .collect::<Result<_, _>>()
            .unwrap_or_else(|error| panic!("{arguments}: {error}: {said}"))
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
    let desk = Desk::new("replay-good");
    desk.ends("record a --seconds 5", 0, "300 ticks");
    desk.ends("info a", 0, "ticks 0 to 300, 5.0 s");
    desk.ends("verify a", 0, "300 ticks are right");
    desk.ends("record b --seconds 4", 0, "240 ticks");
    desk.ends("compare a b", 0, "the same, as far as both go: to tick 240");
    desk.ends("record c --seconds 4 --seed 2", 0, "240 ticks");
    desk.ends("compare a c", 1, "not of one match: an asset differs");
}

#[test]
fn files_that_are_no_good_say_what_they_are() {
    let desk = Desk::new("replay-bad");
    desk.ends("record a --seconds 3", 0, "180 ticks");
    desk.change("cut", |bytes| bytes.truncate(bytes.len() - 100));
    desk.ends("info cut", 0, "not finished");
    desk.ends("info cut", 0, "its blocks were not checked");
    desk.ends("verify cut", 0, "ticks are right");
    desk.ends("verify cut", 0, "not finished: ");
    assert_eq!(desk.json("verify cut", 0)[0]["finished"], false);
    desk.change("newer", |bytes| bytes[8] = 9);
    desk.change("foreign", |bytes| bytes[0] = b'X');
    desk.change("flipped", |bytes| bytes[600] ^= 1);
    for part in ["verify", "seek", "play"] {
        let tick = if part == "seek" { " 100" } else { "" };
        desk.ends(&format!("{part} newer{tick}"), 2, "update the program");
        desk.ends(&format!("{part} foreign{tick}"), 2, "choose another file");
        desk.ends(&format!("{part} flipped{tick}"), 2, "damaged");
        desk.ends(&format!("{part} nowhere{tick}"), 2, "nowhere");
    }
    desk.ends("compare a flipped", 2, "flipped: ");
    desk.ends("compare flipped a", 2, "flipped: ");
    // In the second half.
    desk.change("later", |bytes| bytes[2000] ^= 1);
    desk.ends(
        "verify later",
        2,
        "; ticks 0 to 144 are right by their digests, nothing from tick 150",
    );
    desk.ends("compare a later", 2, "; 150 ticks before it were compared, and are the same");
    desk.ends("compare a foreign", 2, "foreign");
}

/// A tick in the middle is what it was when it was played, whichever way it is reached.
#[test]
fn a_tick_is_sought_and_shown() {
    let desk = Desk::new("replay-seek");
    desk.ends("record a --seconds 5 --props 20", 0, "300 ticks");
    let said = desk.ends("seek a 240", 0, "tick 240, 4.00 s");
    assert!(said.contains("as recorded") && said.contains("player 1, red"), "{said}");
    assert!(said.contains("and 7 more; --json has all"), "{said}");
    desk.ends("seek a 241", 0, "none is recorded for this tick");
    let sought = &desk.json("seek a 240", 0)[0];
    assert_eq!(sought["digest"], sought["recorded_digest"]);
    assert_eq!(sought["bodies"].as_array().map(Vec::len), Some(23));
    // Reached by playing from the start.
    let played = desk.json("play a", 0);
    assert_eq!((&played[4]["tick"], &played[4]["digest"]), (&sought["tick"], &sought["digest"]));
    desk.ends("seek a 301", 2, "choose 0 to 300");
}

#[test]
fn playing_into_a_file_prints_a_line_for_each_second() {
    let desk = Desk::new("replay-play");
    desk.ends("record a --seconds 3", 0, "180 ticks");
    let said = desk.ends("play a --rate 0.25", 0, "3.0 s");
    assert_eq!(said.lines().count(), 4, "{said}");
    assert!(!said.contains('\x1b'), "a file is no terminal: {said}");
    let later = desk.ends("play a --from 100", 0, "3.0 s");
    assert_eq!(later.lines().collect::<Vec<_>>(), said.lines().skip(2).collect::<Vec<_>>());
    desk.ends("play a --from 181", 2, "choose 0 to 180");
    let back = desk.ends("play a --rate -1", 0, "3.0 s");
    assert_eq!(back.lines().collect::<Vec<_>>(), said.lines().rev().collect::<Vec<_>>());
    let back = desk.ends("play a --rate -2 --from 100", 0, "1.0 s");
    assert_eq!(back.lines().count(), 2, "{back}");
    for rate in ["0.2", "65", "fast", "NaN", "-0.2", "-65"] {
        desk.ends(&format!("play a --rate {rate}"), 2, "--rate");
    }
}

/// The golden recording, and that of a machine that computed one bit wrong.
#[test]
fn a_fault_is_found_and_explained() {
    let desk = Desk::new("replay-fault");
    desk.put("a", recording::GOLDEN);
    desk.put("b", &recording::record_faulty().unwrap());
    desk.ends("verify a", 0, "240 ticks are right");
    desk.ends("verify b", 1, "are equal up to tick 128, and tick 144");
    desk.ends("verify b", 1, "not after tick 136, the first that differs");
    desk.ends("verify b", 1, "players[0], kicks:");
    desk.ends("compare a b", 1, "tick 136: the states differ");
    desk.ends("seek a 136", 0, "as recorded");
    desk.ends("seek b 136", 1, "use `isostep replay verify`");
    // From the keyframe behind the fault on all is as it was recorded.
    desk.ends("seek b 208", 0, "as recorded");

    let verified = &desk.json("verify b", 1)[0];
    assert_eq!(verified["same"], false);
    assert_eq!(verified["mismatch"]["tick"], 136);
    assert_eq!(verified["mismatch"]["fields"][0]["field"], "kicks");
    let parting = &desk.json("compare a b", 1)[0]["parting"];
    assert_eq!((&parting["kind"], &parting["tick"]), (&"state".into(), &136.into()));
}

#[test]
fn a_second_machine_records_the_match_and_may_be_wrong() {
    let desk = Desk::new("replay-other");
    desk.ends("record a --seconds 3 --other b", 0, "b: 180 ticks");
    desk.ends("compare a b", 0, "180 ticks and ");
    desk.ends("record a --seconds 3 --other b --fault 100", 0, "b: 180 ticks");
    desk.ends("verify a", 0, "180 ticks are right");
    desk.ends("verify b", 1, "players[0], kicks:");
    desk.ends("compare a b", 1, "tick 112: the states differ");
    // Behind the last keyframe and the last regular digest.
    desk.ends("record a --seconds 3 --other b --fault 178", 0, "b: 180 ticks");
    desk.ends("verify b", 1, "not after tick 180, the first that differs");
    desk.ends("compare a b", 1, "tick 180: the states differ");
    desk.ends("record a --seconds 3 --fault 100", 2, "--other");
    desk.ends("record a --seconds 3 --other b --fault 180", 2, "which has 0 to 179");
    desk.ends("record a --seconds 3 --other a", 2, "the same file");
}

#[test]
fn files_without_a_common_tick_are_not_the_same() {
    let desk = Desk::new("replay-apart");
    desk.ends("record a --seconds 3", 0, "180 ticks");
    // The same arena, from tick 500 on.
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
    desk.put("b", &file);
    desk.ends("compare a b", 1, "nothing was compared: left has 0 to 180, right has 500 to ");
    let found = &desk.json("compare a b", 1)[0];
    assert_eq!((&found["same"], &found["ticks"]), (&false.into(), &0.into()));
}

#[test]
fn reports_are_there_as_json() {
    let desk = Desk::new("replay-json");
    assert_eq!(desk.json("record a --seconds 3", 0)[0]["ticks"], 180);
    let info = &desk.json("info a", 0)[0];
    assert_eq!((&info["last_tick"], &info["finished"]), (&180.into(), &true.into()));
    assert_eq!(info["keyframes"], serde_json::json!([0, 150]));
    assert_eq!(desk.json("verify a", 0)[0]["same"], true);
    assert_eq!(desk.json("compare a a", 0)[0]["same"], true);
    assert_eq!(desk.json("play a", 0).len(), 4);
}

#[test]
fn each_part_has_help_with_an_example() {
    let desk = Desk::new("replay-help");
    for part in ["record", "info", "verify", "compare", "seek", "play"] {
        let said = desk.ends(&format!("{part} --help"), 0, "Example:");
        assert!(said.contains(&format!("isostep replay {part} ")), "{said}");
    }
    desk.ends("seek a", 2, "TICK");
    desk.ends("seek a soon", 2, "TICK");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_ends_the_recording_and_not_the_match() {
    let desk = Desk::new("replay-full");
    desk.ends("record /dev/full --seconds 5", 2, "the match went on");
}
