//! The document: `decode.py`, a second reader that follows `REPLAY.md` and shares no code with the library, finds in a file what
//! the library finds.

use super::game::Script;
use isostep_rollback::replay::Replay;
use isostep_rollback::{PlayerId, Tick};
use std::fmt::Write;
use std::process::Command;

fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "-".to_owned();
    }
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Results of the library, a line each.
fn listing(file: &[u8]) -> Vec<String> {
    let mut replay = Replay::open(file).expect("it opens");
    let mut text = String::new();
    let mut line = |words: String| writeln!(text, "{words}").expect("text takes all");
    let info = replay.info().clone();
    let (width, seats, every) = (info.input_width, info.seats, info.digest_every);
    line(format!("header {} width {width} seats {seats} every {every}", hex(&info.game.0)));
    replay.keyframes().for_each(|tick| line(format!("keyframe {tick}")));
    for change in replay.seat_changes() {
        line(format!("seat {} {} {:?}", change.tick, change.player.0, change.kind));
    }
    for pause in replay.pauses() {
        line(format!("pause {} {}", pause.tick, pause.milliseconds));
    }
    let (first, last) = (replay.first(), replay.last());
    line(format!("end {last}"));
    for tick in (first.0..=last.0).map(Tick) {
        if let Some(digest) = replay.digest(tick).expect("sound") {
            line(format!("digest {tick} {}", hex(&digest)));
        }
        for player in (0..seats).map(PlayerId).filter(|_| tick < last) {
            if let Some(found) = replay.input(player, tick).expect("sound") {
                let (input, pieces) = (hex(found.input), hex(found.pieces));
                line(format!("input {tick} {} {input} {pieces}", player.0));
            }
        }
    }
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn a_second_reader_that_follows_the_document_finds_the_same() {
    let file = Script::new(150).play().file();
    let path = std::env::temp_dir().join(format!("isostep-replay-{}", std::process::id()));
    std::fs::write(&path, &file).expect("a place for temporary files");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/replay/decode.py");
    let ran = Command::new("python3").arg(script).arg(&path).output();
    let _ = std::fs::remove_file(&path);
    let Ok(ran) = ran else {
        println!("SKIPPED, no python3 here: the document is not checked");
        return;
    };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let said = String::from_utf8(ran.stdout).expect("text");
    // Names of keyframes' states are not in the library's interface.
    let lines = said.lines().filter(|line| !line.starts_with("state "));
    let mut lines: Vec<_> = lines.map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, listing(&file));
}
