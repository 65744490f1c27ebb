//! A hundred thousand invalid datagrams while two machines play.

use super::harness::{World, junk, ms, node};
use super::raw_peer::{cookie, hello, init};
use isostep_core::Rng;
use isostep_netcode::crypto::MachineId;
use isostep_netcode::{Address, Counters};

const COUNT: usize = 100_000;
/// Invalid datagrams per 16 ms: 62,500 per second.
const EACH_TICK: usize = 1000;

const fn dropped(of: &Counters) -> u64 {
    of.unrecognized
        + of.unknown_connection
        + of.decrypt_failed
        + of.replayed
        + of.malformed
        + of.invalid_cookies
        + of.invalid_handshakes
        + of.rate_limited
}

/// Floods the second of two playing machines. Every invalid datagram is dropped and counted once, or answered once; the
/// match is not affected.
fn flood(seed: u64, mut junk: impl FnMut(&mut World, usize) -> (Address, Vec<u8>)) -> World {
    let mut world = World::pair(seed);
    let events = world.nodes[1].events.len();
    let (mut answers, before) = (0, world.nodes[1].endpoint.counters());
    let mut number = 0;
    let mut ticks = 0;
    while number < COUNT {
        world.tick(ticks, 1);
        ticks += 1;
        for _ in 0..EACH_TICK {
            let (from, bytes) = junk(&mut world, number);
            let sent = world.sent.len();
            world.put(1, from, &bytes);
            answers += world.sent[sent..].iter().filter(|sent| sent.to == from).count() as u64;
            number += 1;
        }
        world.sent.clear();
        world.run(ms(16));
    }
    world.run(ms(50));
    let after = world.nodes[1].endpoint.counters();
    assert_eq!(dropped(&after) - dropped(&before) + answers, COUNT as u64, "{after:?}");
    assert_eq!(after.overflowed, 0, "nothing of ours had to give way");
    assert_eq!(world.nodes[1].events.len(), events, "{:?}", world.nodes[1].events);
    for place in 0..2 {
        assert_eq!(world.nodes[place].game.len(), ticks as usize, "every frame arrived");
    }
    assert_eq!(world.links(), 2);
    world
}

#[test]
fn random_bytes_from_anywhere() {
    let mut rng = Rng::new(1);
    flood(1, |_, number| {
        let length = rng.below(200).expect("some") as usize;
        (node(10 + number % 5000), junk(&mut rng, length))
    });
}

/// Random bytes from the address of the genuine peer.
#[test]
fn random_bytes_from_the_address_of_the_peer() {
    let mut rng = Rng::new(2);
    flood(2, |_, _| {
        let length = rng.below(200).expect("some") as usize;
        (node(0), junk(&mut rng, length))
    });
}

#[test]
fn hellos_from_many_addresses() {
    let world = flood(3, |_, number| (node(100 + number), hello(1, (number as u64).to_le_bytes())));
    let counters = world.nodes[1].endpoint.counters();
    assert!(counters.rate_limited > 90_000, "most cost not even a hash: {}", counters.rate_limited);
}

#[test]
fn inits_with_forged_cookies() {
    let mut rng = Rng::new(4);
    flood(4, |_, number| (node(100 + number % 999), init([3; 8], &junk(&mut rng, 20), &[7; 289])));
}

/// The most expensive case: each datagram requires curve arithmetic.
#[test]
fn inits_with_valid_cookies_and_random_messages() {
    let mut rng = Rng::new(5);
    let mut cookies = Vec::new();
    let world = flood(5, |world, number| {
        let attempt = [number as u8 & 63; 8];
        let from = node(100 + (number & 63));
        if number % 10_000 < 64 {
            // Cookies are valid for ten seconds.
            let (now, place) = (world.now, number & 63);
            let fresh = cookie(now, &mut world.nodes[1].endpoint, from, attempt);
            cookies.resize(64, Vec::new());
            cookies[place] = fresh;
        }
        (from, init(attempt, &cookies[number & 63], &junk(&mut rng, 289)))
    });
    let counters = world.nodes[1].endpoint.counters();
    assert!(counters.invalid_handshakes <= 64 * 4, "{}", counters.invalid_handshakes);
    assert!(counters.rate_limited > 90_000);
}

#[test]
fn random_data_packets_with_a_valid_connection_id() {
    let mut rng = Rng::new(6);
    let mut id = None;
    flood(6, |world, _| {
        let sent = world.sent.iter().find(|sent| sent.to == node(1) && sent.bytes[0] < 0x80);
        id = id.or_else(|| sent.map(|sent| sent.bytes[1]));
        let length = 18 + rng.below(100).expect("some") as usize;
        let mut bytes = junk(&mut rng, length);
        (bytes[0], bytes[1]) = (bytes[0] & 0x60, id.expect("a tick was sent"));
        (node(0), bytes)
    });
}

/// Many datagrams are handled before the driver sends: handshake replies leave room for game packets.
#[test]
fn handshake_replies_do_not_crowd_out_game_packets() {
    let mut world = World::pair(7);
    for number in 0..2000usize {
        let bytes = hello(1, (number as u64).to_le_bytes());
        world.nodes[1].endpoint.handle_datagram(world.now, node(100 + number), &bytes);
    }
    world.nodes[1].endpoint.send_game(world.now, MachineId(0), &[0x90, 1, 2, 3]);
    assert_eq!(world.nodes[1].endpoint.counters().overflowed, 0);
    world.drain(1);
    world.run(ms(50));
    assert_eq!(world.nodes[0].game.len(), 1);
}

/// All shared rate limits are exhausted when the genuine peer connects: its address is expected, so it is admitted.
#[test]
fn an_expected_peer_connects_during_a_flood() {
    let weather = super::harness::Weather { latency: 10, ..Default::default() };
    let mut world = World::of(2, weather, 8);
    world.mesh();
    let mut cookies = Vec::new();
    for number in 0..200 {
        let (now, from) = (world.now, node(100 + number));
        cookies.push(cookie(now, &mut world.nodes[1].endpoint, from, [1; 8]));
    }
    for _ in 0..60 {
        for (number, cookie) in cookies.iter().enumerate() {
            world.put(1, node(100 + number), &init([1; 8], cookie, &[5; 289]));
        }
        for number in 0..2000u64 {
            world.put(1, node(1000 + number as usize), &hello(1, number.to_le_bytes()));
        }
        world.run(ms(1));
    }
    assert_eq!(world.links(), 2);
}

/// Regression: an observer of the cookie sends nine invalid INITs with it, which exhausted the limit of the address and
/// locked out the peer for ten seconds.
#[test]
fn spoofed_handshakes_do_not_lock_out_an_expected_peer() {
    let weather = super::harness::Weather { latency: 10, ..Default::default() };
    let mut world = World::of(2, weather, 9);
    world.mesh();
    world.run(ms(11));
    let seen = world.sent.iter().find(|sent| sent.bytes[0] == 0x81).expect("a cookie").clone();
    let mut attempt = [0; 8];
    attempt.copy_from_slice(&seen.bytes[3..11]);
    for _ in 0..20 {
        world.put(1, seen.to, &init(attempt, &seen.bytes[11..], &[5; 289]));
    }
    world.run(ms(500));
    assert_eq!(world.nodes[1].endpoint.counters().invalid_handshakes, 20);
    assert_eq!(world.links(), 2);
}
