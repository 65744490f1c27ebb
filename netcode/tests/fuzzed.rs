//! The functions of the fuzz targets, on mutated captures, frames, streams and documents: every machine runs some of the
//! fuzzing.

#[allow(dead_code, unreachable_pub, missing_docs, reason = "the fuzz crate uses the rest")]
#[path = "../../fuzz/src/links.rs"]
mod links;
#[allow(dead_code, unreachable_pub, missing_docs, reason = "the fuzz crate uses the rest")]
#[path = "../../fuzz/src/peers.rs"]
mod peers;

use isostep_core::Rng;
use isostep_netcode::wire::window::Packer;
use links::Talk;
use peers::Ends;
use std::path::Path;

/// Cases for each decoder.
const CASES: usize = 20_000;
/// Cases that meet the same connection or session, so that what one leaves behind meets the next.
const IN_A_ROW: usize = 40;

fn below(rng: &mut Rng, limit: usize) -> usize {
    rng.below(limit.max(1) as u32).expect("some") as usize
}

/// Some bytes of the corpus: flipped, cut, doubled, overwritten, inserted, spliced with others.
fn mutate(corpus: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = corpus[below(rng, corpus.len())].clone();
    for _ in 0..=below(rng, 4) {
        let at = below(rng, bytes.len());
        match below(rng, 7) {
            0 | 1 if at < bytes.len() => bytes[at] ^= 1 << below(rng, 8),
            2 => bytes.truncate(at),
            3 => {
                let copied = bytes[at..].to_vec();
                bytes.extend(copied.into_iter().take(64));
            }
            4 if at < bytes.len() => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][below(rng, 5)],
            5 => {
                let other = &corpus[below(rng, corpus.len())];
                bytes.truncate(at);
                bytes.extend_from_slice(&other[below(rng, other.len())..]);
            }
            _ => bytes.insert(at, rng.next_u64() as u8),
        }
    }
    bytes
}

/// The packets of the committed captures.
fn captured() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it is committed");
    let texts = ["two.capture", "four.capture", "refused.capture"].map(read);
    let lines = texts.iter().flat_map(|text| text.lines());
    let packets = lines.filter(|line| line.starts_with("packet ") && line.len() < 900);
    packets.map(|line| unhex(line.split(' ').next_back().expect("the bytes"))).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |letter: u8| char::from(letter).to_digit(16).map_or(0, |digit| digit as u8);
    text.as_bytes().chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// Frames of every kind, and several in a packet.
fn payloads() -> Vec<Vec<u8>> {
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

#[test]
fn nothing_without_keys_touches_a_connection() {
    let mut rng = Rng::new(1);
    let mut corpus = Ends::new().said;
    // Those of the captures as if they were for the connection at hand.
    let live = corpus.iter().rev().find(|packet| packet[0] < 0x80).expect("there are some")[1];
    corpus.extend(captured().into_iter().flat_map(|packet| {
        let mut to_us = packet.clone();
        to_us.iter_mut().skip(1).take(1).for_each(|id| *id = live);
        [packet, to_us]
    }));
    let mut ends = Ends::new();
    for case in 0..CASES {
        if case % 2000 == 0 {
            ends = Ends::new();
        }
        ends.datagram(&mutate(&corpus, &mut rng));
    }
}

#[test]
fn nothing_that_a_peer_with_keys_sends_breaks_an_endpoint() {
    let (mut rng, corpus) = (Rng::new(2), payloads());
    let mut ends = Ends::new();
    for case in 0..CASES {
        let goes_on = ends.payload(&mutate(&corpus, &mut rng), case % 3 == 0);
        if !goes_on || case % 500 == 0 {
            ends = Ends::new();
        }
    }
}

#[test]
fn whatever_is_sent_arrives_as_it_is() {
    let (mut rng, mut corpus) = (Rng::new(8), captured());
    corpus.extend([vec![7; 1100], vec![8; 1177], vec![9; 5000], Vec::new()]);
    let mut ends = Ends::new();
    for _ in 0..CASES / 10 {
        ends.sealed(&mutate(&corpus, &mut rng));
        ends.said.clear();
    }
}

/// Piece `number` of a message, its last one.
fn piece(number: u32, bytes: &[u8]) -> Vec<u8> {
    let length = (bytes.len() as u16 | 0x8000).to_le_bytes();
    [&[0x03][..], &number.to_le_bytes(), &length, bytes].concat()
}

/// A message without its first byte is nobody's. They counted for nothing, so any number of them was kept, and each stopped
/// whoever took what had arrived.
#[test]
fn messages_of_nobody_are_not_in_the_way() {
    let mut ends = Ends::new();
    for packet in 0..200 {
        let numbers = packet * 100..(packet + 1) * 100;
        let pieces = numbers.map(|number| piece(number, &[])).collect::<Vec<_>>().concat();
        assert!(ends.payload(&pieces, false));
    }
    let strange = [piece(20_000, &[9]), piece(20_001, &[9, 9]), piece(20_002, b"\x01hello")];
    assert!(ends.payload(&strange.concat(), false));
    assert_eq!(ends.drain(), (1, 5));
}

/// Short messages counted for their few bytes alone, so a million of them was kept.
#[test]
fn short_messages_that_nobody_takes_are_bounded() {
    let mut ends = Ends::new();
    let mut most = 0;
    for packet in 0..400 {
        let numbers = packet * 150..(packet + 1) * 150;
        let pieces = numbers.map(|number| piece(number, &[1])).collect::<Vec<_>>().concat();
        assert!(ends.payload(&pieces, false));
        most += 150;
    }
    let (count, _) = ends.drain();
    assert!(count < most / 2, "{count} of {most} were kept");
}

#[test]
fn no_stranger_spoils_a_handshake() {
    let (mut rng, corpus) = (Rng::new(3), Ends::new().said);
    for _ in 0..CASES / 20 {
        peers::handshake(&mutate(&corpus, &mut rng));
    }
}

#[test]
fn nothing_that_a_peer_tells_breaks_a_session() {
    let mut rng = Rng::new(4);
    for seats in 1..3 {
        let corpus = Talk::new(seats).frames;
        let mut talk = Talk::new(seats);
        for case in 0..CASES / 2 {
            if case % IN_A_ROW == 0 {
                talk = Talk::new(seats);
            }
            talk.frame(&mutate(&corpus, &mut rng));
        }
    }
}

#[test]
fn any_stream_is_read_or_refused() {
    let mut rng = Rng::new(5);
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
    for _ in 0..CASES {
        links::window(&mutate(&corpus, &mut rng));
    }
}

#[test]
fn any_document_is_read_as_it_is_or_refused() {
    let (mut rng, corpus) = (Rng::new(6), links::documents());
    corpus.iter().for_each(|document| links::document(document));
    for _ in 0..CASES {
        links::document(&mutate(&corpus, &mut rng));
    }
}

#[test]
fn any_file_is_read_or_refused() {
    let mut rng = Rng::new(7);
    let names = ["token", "roster", "matchmaker", "key"];
    let digit = |digit: u8| char::from_digit(digit.into(), 16).expect("below 16");
    let hex = |bytes: &[u8]| -> String {
        bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
    };
    let bodies = links::documents();
    let bodies = [&bodies[0], &bodies[1], &bodies[0][..32].to_vec(), &bodies[1][..32].to_vec()];
    let texts = names.iter().zip(bodies);
    let texts = texts.map(|(name, body)| format!("isostep-{name}-v1 {}\n", hex(body)).into_bytes());
    let corpus: Vec<_> = texts.collect();
    let path = std::env::temp_dir().join(format!("isostep-fuzzed-{}", std::process::id()));
    for _ in 0..CASES / 10 {
        links::file(&path, &mutate(&corpus, &mut rng));
    }
    std::fs::remove_file(&path).expect("it was written");
}
