//! Golden packets: deterministic matches whose bytes are committed in `tests/wire/`.
//!
//! `net` records received packets, `machines` drives a match, `scenes` and `refusals` define the captures, `dump` decodes them.

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

/// Contents of the two files of a capture.
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
            "the wire format has changed: {name}.{kind}, line {line}\nwanted {wanted}\nfound  {found}\n\
             Peers of version 1 would misread it. Revert the change, increment the protocol version, or, before \
             version 1 is released, run mint_captures."
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

/// Rewrites the captures after an intended change of the wire.
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
