//! Golden packets: matches that are played the same way on every machine, byte for byte what is committed in `tests/wire/`.
//!
//! `net` notes what arrives, `machines` drives a match, `scenes` and `refusals` are the captures, `dump` says what is in them.

mod dump;
mod machines;
mod net;
mod refusals;
mod scenes;

use dump::hex;
use net::{Capture, Packet};
use std::fmt::Write;
use std::path::PathBuf;

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/wire").join(file)
}

/// The two files of a capture.
fn files(capture: &Capture) -> [(&'static str, String); 2] {
    let (ephemerals, expected) = dump::dump(capture);
    let mut text = format!("matchmaker {}\n", hex(&capture.matchmaker.0));
    let mut line = |line: String| writeln!(text, "{line}").expect("strings take all");
    for (machine, key) in capture.keys.iter().enumerate() {
        line(format!("static {machine} {}", hex(&key.to_bytes())));
    }
    ephemerals.iter().for_each(|secret| line(format!("ephemeral {}", hex(secret))));
    line(format!("roster {}", hex(&capture.roster.encode())));
    line(format!("width {}", capture.width));
    line(format!("tick {}", capture.tick_micros));
    line(format!("start {}", capture.start));
    capture
        .seats
        .iter()
        .enumerate()
        .for_each(|(seat, machine)| line(format!("seat {seat} {machine}")));
    for Packet { micros, from, to, bytes } in &capture.packets {
        line(format!("packet {micros} {from} {to} {}", hex(bytes)));
    }
    [("capture", text), ("expected", expected)]
}

fn check(name: &str, capture: &Capture) {
    for (kind, found) in files(capture) {
        let path = path(&format!("{name}.{kind}"));
        let wanted = std::fs::read_to_string(&path).expect("it is committed");
        if wanted == found {
            continue;
        }
        let lines = wanted.lines().zip(found.lines()).zip(1..);
        let place = lines.into_iter().find(|((wanted, found), _)| wanted != found);
        let ((wanted, found), line) = place.unwrap_or((("(another length)", ""), 0));
        panic!(
            "the wire has changed: {name}.{kind}, line {line}\nwanted {wanted}\nfound  {found}\n\
             A peer of version 1 would not understand this. Take it back, make it a new version of the protocol, or, before \
             version 1 is out, mint the captures anew: see mint_captures."
        );
    }
}

#[test]
fn a_match_of_two_matches_its_capture() {
    check("two", &scenes::two());
}

#[test]
fn a_match_of_four_matches_its_capture() {
    check("four", &scenes::four());
}

#[test]
fn refusals_match_their_capture() {
    check("refused", &refusals::refusals());
}

/// Writes the captures anew, after a change of the wire that is meant.
#[test]
#[ignore = "it writes files: `cargo test -p isostep-netcode --lib mint_captures -- --ignored`"]
fn mint_captures() {
    let scenes =
        [("two", scenes::two()), ("four", scenes::four()), ("refused", refusals::refusals())];
    for (name, capture) in &scenes {
        for (kind, text) in files(capture) {
            std::fs::write(path(&format!("{name}.{kind}")), text).expect("it can be written");
        }
    }
}
