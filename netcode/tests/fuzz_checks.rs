//! Checks of the fuzz targets on mutated captures, frames, streams and documents, as ordinary tests.

#[allow(dead_code, unreachable_pub, missing_docs, reason = "the fuzz crate uses the rest")]
#[path = "../../fuzz/src/handshakes.rs"]
mod handshakes;
#[allow(dead_code, unreachable_pub, missing_docs, reason = "the fuzz crate uses the rest")]
#[path = "../../fuzz/src/links.rs"]
mod links;
#[allow(dead_code, unreachable_pub, missing_docs, reason = "the fuzz crate uses the rest")]
#[path = "../../fuzz/src/peers.rs"]
mod peers;
#[allow(dead_code, unreachable_pub, missing_docs, reason = "the fuzz crate uses the rest")]
#[path = "../../fuzz/src/reuse.rs"]
mod reuse;
#[allow(dead_code, unreachable_pub, missing_docs, reason = "the fuzz crate uses the rest")]
#[path = "../../fuzz/src/seeds.rs"]
mod seeds;

use isostep_core::Rng;
use peers::Ends;

/// Cases per decoder.
const CASES: usize = 20_000;

fn below(rng: &mut Rng, limit: usize) -> usize {
    rng.below(limit.max(1) as u32).expect("some") as usize
}

/// Mutates an input of the corpus: flips, truncates, duplicates, overwrites, inserts, splices.
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

#[test]
fn packets_without_keys_do_not_affect_a_connection() {
    let (mut rng, corpus) = (Rng::new(1), seeds::packets());
    for _ in 0..CASES {
        peers::packet(&mutate(&corpus, &mut rng));
    }
}

#[test]
fn frames_of_a_malicious_peer_do_not_break_an_endpoint() {
    let (mut rng, corpus) = (Rng::new(2), seeds::payloads());
    for _ in 0..CASES {
        peers::payload(&mutate(&corpus, &mut rng));
    }
}

#[test]
fn sent_bytes_arrive_unchanged() {
    let (mut rng, mut corpus) = (Rng::new(8), seeds::captured());
    corpus.extend([vec![7; 1100], vec![8; 1177], vec![9; 5000], Vec::new()]);
    for _ in 0..CASES {
        peers::sealed(&mutate(&corpus, &mut rng));
    }
}

/// Segment `number` of a message, its last one.
fn piece(number: u32, bytes: &[u8]) -> Vec<u8> {
    let length = (bytes.len() as u16 | 0x8000).to_le_bytes();
    [&[0x03][..], &number.to_le_bytes(), &length, bytes].concat()
}

/// Regression: messages without a destination byte counted as zero bytes, so any number of them was stored, and each
/// made `poll_message` return `None`.
#[test]
fn messages_without_a_destination_do_not_block_others() {
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

/// Regression: short messages counted only their bytes, so a million of them was stored.
#[test]
fn unpolled_short_messages_are_bounded() {
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
fn datagrams_without_keys_do_not_fail_a_handshake() {
    let (mut rng, corpus) = (Rng::new(3), seeds::handshakes());
    for _ in 0..CASES {
        handshakes::handshake(&mutate(&corpus, &mut rng));
    }
}

#[test]
fn frames_of_a_malicious_peer_do_not_break_a_session() {
    let (mut rng, corpus) = (Rng::new(4), seeds::frames());
    for _ in 0..CASES {
        links::frame(&mutate(&corpus, &mut rng));
    }
}

#[test]
fn any_stream_is_decoded_or_rejected() {
    let (mut rng, corpus) = (Rng::new(5), seeds::windows());
    for _ in 0..CASES {
        links::window(&mutate(&corpus, &mut rng));
    }
}

#[test]
fn any_document_round_trips_or_is_rejected() {
    let (mut rng, corpus) = (Rng::new(6), links::documents());
    corpus.iter().for_each(|document| links::document(document));
    for _ in 0..CASES {
        links::document(&mutate(&corpus, &mut rng));
    }
}

#[test]
fn any_file_is_read_or_rejected() {
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
