//! Anti-amplification limits: spoofed sources cannot make an endpoint send much to a victim.

use super::harness::{Match, World, endpoint, junk, ms, node};
use super::raw_peer::{ATTEMPT, cookie, hello, init};
use isostep_core::Rng;
use isostep_netcode::{Address, Endpoint};
use isostep_rollback::Time;

/// Bytes sent to an address.
fn sent_to(now: Time, end: &mut Endpoint, to: Address) -> usize {
    let (mut bytes, mut sum) = (Vec::new(), 0);
    while let Some(address) = end.poll_transmit(now, &mut bytes) {
        sum += if address == to { bytes.len() } else { 0 };
    }
    sum
}

/// Before address validation a reply is no longer than the request. `WIRE.md` allows a factor of one; QUIC allows
/// three.
#[test]
fn replies_before_address_validation_are_not_amplified() {
    let mut rng = Rng::new(1);
    let played = Match::new(2);
    let mut host = endpoint(played.config(1), 2);
    let cookie = cookie(Time::ZERO, &mut host, node(50), ATTEMPT);
    let mut most = (0, 1);
    let mut kinds: Vec<Vec<u8>> = vec![
        hello(1, [1; 8]),
        hello(2, [1; 8]),
        hello(0, [0; 8]),
        init(ATTEMPT, &cookie, &[0; 289]),
        init(ATTEMPT, &[0; 20], &[0; 289]),
        [&[0x85][..], b"ISOS\x01\x00", &[0; 9]].concat(),
    ];
    for number in 0..20_000u64 {
        let length = rng.below(1500).expect("some") as usize;
        let mut bytes = junk(&mut rng, length);
        if let Some(first) = bytes.first_mut() {
            *first = 0x80 + (number % 6) as u8;
        }
        kinds.push(bytes);
        let length = rng.below(64).expect("some") as usize;
        kinds.push(junk(&mut rng, length));
    }
    for (number, bytes) in kinds.iter().enumerate() {
        let (now, from) = (Time::from_millis(number as u64), node(100 + number));
        host.handle_datagram(now, from, bytes);
        let out = sent_to(now, &mut host, from);
        assert!(out <= bytes.len(), "{out} for {} of kind {:?}", bytes.len(), bytes.first());
        most = if out * most.1 > most.0 * bytes.len() { (out, bytes.len()) } else { most };
    }
    assert_eq!(most, (31, 64), "a HELLO gets a COOKIE, and nothing gets more than that");
}

/// A cookie is bound to one address; from another address it gets no reply.
#[test]
fn a_cookie_is_bound_to_its_address() {
    let mut world = World::of(2, super::harness::Weather::default(), 1);
    world.connect(0, 1);
    world.run(ms(100));
    let inits: Vec<_> = world.sent.iter().filter(|sent| sent.bytes[0] == 0x83).cloned().collect();
    for init in inits {
        world.nodes[1].endpoint.handle_datagram(world.now, node(9), &init.bytes);
        let now = world.now;
        assert_eq!(sent_to(now, &mut world.nodes[1].endpoint, node(9)), 0);
    }
}

/// A genuine packet from a spoofed address triggers a challenge of at most three times its length.
#[test]
fn a_spoofed_address_gets_at_most_three_times_its_bytes() {
    let mut world = World::pair(2);
    let victim = node(66);
    let (mut into, mut out) = (0, 0);
    for number in 0..200 {
        world.held = true;
        world.sent.clear();
        world.tick(number, 1);
        let packets: Vec<_> =
            world.sent.iter().filter(|sent| sent.to == node(1)).cloned().collect();
        world.sent.clear();
        for packet in packets {
            into += packet.bytes.len();
            world.put(1, victim, &packet.bytes);
        }
        let challenges: Vec<_> = world.sent.iter().filter(|sent| sent.to == victim).collect();
        assert!(challenges.len() <= 1);
        out += challenges.iter().map(|sent| sent.bytes.len()).sum::<usize>();
        assert!(out <= 3 * into, "{out} for {into}");
        world.held = false;
        world.run(ms(16));
        assert_eq!(
            world.nodes[1].endpoint.remote_address(isostep_netcode::crypto::MachineId(0)),
            Some(node(0))
        );
    }
    assert!(out > 0, "there was a challenge");
    assert_eq!(world.nodes[1].game.len(), 200, "what it carried is true all the same");
}
