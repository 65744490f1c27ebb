//! Inputs that mutation starts from: packets, frames, streams. Tests of netcode include this file; the program `seeds` writes them
//! into folders.

use super::links::Talk;
use super::peers::Ends;
use isostep_rollback::internals::window::Packer;
use std::path::Path;

/// Packets of the committed captures.
///
/// # Panics
/// When the captures are not there.
pub fn captured() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../netcode/tests/wire");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it is committed");
    let texts = ["two.capture", "four.capture", "refused.capture"].map(read);
    let lines = texts.iter().flat_map(|text| text.lines());
    let packets = lines.filter(|line| line.starts_with("packet ") && line.len() < 900);
    packets.map(|line| unhex(line.split(' ').next_back().expect("the bytes"))).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |letter: u8| char::from(letter).to_digit(16).map_or(0, |digit| digit as u8);
    text.as_bytes()
        .as_chunks::<2>()
        .0
        .iter()
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}

/// Packets for an endpoint with a connection: those that were sent to make it, and those of the captures, as they are and with
/// the id of that connection.
///
/// # Panics
/// Never: a connection has sent something.
pub fn packets() -> Vec<Vec<u8>> {
    let mut packets = Ends::recorded();
    let data = packets.iter().rev().find(|packet| packet[0] < 0x80);
    let live = data.expect("both have sent some")[1];
    packets.extend(captured().into_iter().flat_map(|packet| {
        let mut to_us = packet.clone();
        to_us.iter_mut().skip(1).take(1).for_each(|id| *id = live);
        [packet, to_us]
    }));
    packets
}

/// Packets of handshakes, with the sealed part of the responder corrupted: the fuzzed handshakes repeat the recorded
/// one, and no observer has its reply in advance.
pub fn handshakes() -> Vec<Vec<u8>> {
    let mut packets = Ends::recorded();
    for packet in packets.iter_mut().filter(|packet| packet[0] < 0x80 || packet[0] == 0x84) {
        packet.iter_mut().rev().take(16).for_each(|byte| *byte = 0);
    }
    let handshake = |packet: &Vec<u8>| packet.first().is_some_and(|&first| first >= 0x80);
    packets.into_iter().chain(captured().into_iter().filter(handshake)).collect()
}

/// Frames of every kind, and several in a packet.
pub fn payloads() -> Vec<Vec<u8>> {
    let single: Vec<Vec<u8>> = vec![
        vec![0x01, 5, 0],
        vec![0x02, 0, 0, 1, 0],
        [&[0x03, 0, 0, 0, 0, 4, 0x80][..], b"\x01abc"].concat(),
        [&[0x03, 1, 0, 0, 0, 3, 0][..], b"\x00ab"].concat(),
        vec![0x03, 0, 0, 0, 0, 0, 0x80],
        vec![0x04, 0, 0, 0, 0, 1, 0, 0, 0],
        vec![0x06, 1, 2, 3, 4, 5, 6, 7, 8],
        vec![0x07, 1, 2, 3, 4, 5, 6, 7, 8],
        vec![0x0b, 0, 5],
        vec![0x0c, 0, 5],
    ];
    let last: Vec<Vec<u8>> = vec![
        [&[0x05, 1, 0, 0, 2][..], &[0x0d; 600]].concat(),
        [&[0x05, 1, 0, 1, 2][..], &[9; 300]].concat(),
        [&[0x05, 2, 0, 15, 16][..], &[0x80; 1400]].concat(),
        [&[0x0d][..], b"a datagram"].concat(),
        [&[0x91][..], &[3; 40]].concat(),
        [&[0x09, 1][..], &[7; 96]].concat(),
        [&[0x0a, 1][..], &[7; 48]].concat(),
        vec![0x00; 30],
        [&[0x08, 4, 0, 3][..], b"bye"].concat(),
    ];
    let all: Vec<u8> = single.concat();
    let many = [[&[0x06][..], &[5; 8]].concat().repeat(150), [0x01, 5, 0].repeat(450)];
    let long = last.iter().map(|last| [&all[..], last].concat());
    long.chain(many).chain(single.clone()).chain(last.clone()).collect()
}

/// Frames of sessions with one seat and with two: those that arrived, and those that would arrive next.
pub fn frames() -> Vec<Vec<u8>> {
    let talks = (1..3).map(Talk::new);
    talks
        .flat_map(|mut talk| [core::mem::take(&mut talk.frames), talk.next_frames()].concat())
        .collect()
}

/// Streams of windows of every width.
pub fn windows() -> Vec<Vec<u8>> {
    let mut corpus = vec![vec![0; 2]];
    for how in 0..40u8 {
        let width = usize::from(how % 16) + 1;
        let known = vec![vec![0; width]; usize::from(how >> 4) % 5];
        let ticks: Vec<_> =
            (0..how).map(|tick| vec![(tick / 3).wrapping_mul(how); width]).collect();
        let mut stream = vec![how, how];
        let mut packer = Packer::new(&mut stream);
        packer.uint(u32::from(how) * 99, 4);
        let pieces = vec![how; usize::from(how % 3)];
        let ticks = ticks.iter().map(|tick| (&tick[..], &pieces[..]));
        packer.window(width, known.iter().map(Vec::as_slice), ticks);
        packer.finish();
        corpus.push(stream);
    }
    corpus
}
