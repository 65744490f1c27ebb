//! The functions of the fuzz targets, on mutated datagrams, messages and pages: every machine runs some of the fuzzing.

#[allow(dead_code, unreachable_pub, missing_docs, reason = "the fuzz crate uses the rest")]
#[path = "../../fuzz/src/reuse.rs"]
mod reuse;

#[allow(dead_code, unreachable_pub, missing_docs, reason = "the fuzz crate uses the rest")]
#[path = "../../fuzz/src/sessions.rs"]
mod sessions;

#[allow(dead_code, unreachable_pub, missing_docs, reason = "the fuzz crate uses the rest")]
#[path = "../../fuzz/src/replays.rs"]
mod replays;

use isostep_core::Rng;
use isostep_rollback::PeerId;
use isostep_rollback::internals::Exchange;

/// Some bytes of a seed: flipped, cut, doubled, overwritten.
fn mutate(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=rng.below(4).expect("not empty") {
        let length = bytes.len() as u32;
        let Ok(at) = rng.below(length.max(1)) else { continue };
        let at = at as usize;
        match rng.below(5).expect("not empty") {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8).expect("not empty"),
            1 => bytes.truncate(at),
            2 => {
                let copied = bytes[at.min(bytes.len())..].to_vec();
                bytes.extend(copied.into_iter().take(64));
            }
            3 if at < bytes.len() => bytes[at] = rng.next_u64() as u8,
            _ => bytes.insert(at.min(bytes.len()), rng.next_u64() as u8),
        }
    }
    bytes
}

#[test]
fn nothing_that_arrives_breaks_a_session() {
    let mut rng = Rng::new(11);
    let seeds = sessions::seeds();
    for round in 0..6000 {
        let bytes = mutate(&seeds[round % seeds.len()], &mut rng);
        sessions::datagram(&bytes);
        sessions::explain(&bytes);
    }
}

#[test]
fn nothing_in_a_file_breaks_a_player() {
    let mut rng = Rng::new(12);
    let seeds = [replays::recording(true), replays::recording(false)];
    for seed in &seeds {
        let mut sealed = seed.clone();
        replays::seal_recording(&mut sealed);
        assert_eq!(sealed, *seed, "the two ways to a check agree");
    }
    for round in 0..4000 {
        let bytes = mutate(&seeds[round % seeds.len()], &mut rng);
        replays::replay(&bytes);
    }
}

#[test]
fn a_datagram_with_a_checksum_made_right_is_read() {
    let (mut session, _) = sessions::session();
    let mut datagram = Vec::new();
    Exchange::new(PeerId(0)).write(&mut session, &mut datagram).expect("nothing is lost");
    let mut again = datagram.clone();
    again[1..5].fill(0);
    sessions::seal_datagram(&mut again);
    assert_eq!(again, datagram, "the two ways to a checksum agree");
}
