//! Single bit flips: corrupted packets have no effect, and the genuine packet is still accepted.

use super::harness::{Datagram, Weather, World, ms, node};
use isostep_netcode::Event;

fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}

/// Runs the handshake datagram by datagram; `before` sees each one before delivery.
fn step_by_step(world: &mut World, mut before: impl FnMut(&mut World, usize, &Datagram)) {
    world.held = true;
    world.connect(0, 1);
    let mut done = 0;
    while let Some(next) = world.sent.get(done).cloned() {
        let place = world.routes[&next.to];
        before(world, done, &next);
        world.put(place, next.from, &next.bytes);
        done += 1;
        if world.links() == 2 {
            break;
        }
    }
    world.held = false;
}

/// Delivers corrupted copies of one handshake packet before the genuine one.
fn rejects_flips(which: usize, bits: &[usize]) {
    let mut world = World::of(2, Weather::default(), 1);
    step_by_step(&mut world, |world, number, next| {
        if number == which {
            for &bit in bits {
                world.put(world.routes[&next.to], next.from, &flipped(&next.bytes, bit));
            }
        }
    });
    world.run(ms(150));
    assert_eq!(world.links(), 2, "packet {which}, bits {bits:?}");
    let unexpected = |event: &Event| !matches!(event, Event::Connected { .. });
    assert_eq!(world.nodes.iter().map(|node| node.count(unexpected)).sum::<usize>(), 0);
}

#[test]
fn a_handshake_survives_corrupted_copies_before_each_packet() {
    let mut lengths = Vec::new();
    step_by_step(&mut World::of(2, Weather::default(), 1), |_, _, next| {
        lengths.push(next.bytes.len());
    });
    assert_eq!(lengths[..4], [64, 31, 320, 99]);
    for (which, length) in lengths.into_iter().enumerate() {
        let bits: Vec<_> = (0..length * 8).collect();
        match which {
            // Handshakes per address are limited, so each bit of an INIT needs a new world; behind the header all bytes
            // are one sealed message.
            2 => bits
                .iter()
                .filter(|bit| **bit < 248 || **bit % 13 == 0)
                .for_each(|bit| rejects_flips(2, &[*bit])),
            _ => rejects_flips(which, &bits),
        }
    }
    (0..31 * 8).for_each(|bit| rejects_flips(1, &[bit]));
}

/// As above, but the genuine packet is lost and only its corrupted copy arrives.
#[test]
fn a_handshake_survives_any_single_bit_flip() {
    for which in 0..4 {
        for bit in (0..64 * 8).step_by(13) {
            let mut world = World::of(2, Weather { latency: 5, ..Weather::default() }, 1);
            world.connect(0, 1);
            world.run(ms(which * 5 + 1));
            world.weather.loss = 1000;
            world.run(ms(5));
            world.weather.loss = 0;
            let sent = world.sent.last().expect("something was sent").clone();
            if bit < sent.bytes.len() * 8 {
                world.put(world.routes[&sent.to], sent.from, &flipped(&sent.bytes, bit));
            }
            world.run(ms(6000));
            assert_eq!(world.links(), 2, "packet {which}, bit {bit}");
        }
    }
}

#[test]
fn corrupted_data_packets_are_dropped_and_the_originals_accepted() {
    let mut world = World::pair(3);
    world.nodes[1]
        .endpoint
        .send_message(isostep_netcode::crypto::MachineId(0), b"hi")
        .expect("room");
    for number in 0..6 {
        world.held = true;
        world.sent.clear();
        world.tick(number, 1);
        world.held = false;
        let (events, games) = (world.nodes[0].events.len(), world.nodes[0].game.len());
        for datagram in world.sent.clone() {
            let place = world.routes[&datagram.to];
            let before = world.nodes[place].endpoint.counters();
            for bit in 0..datagram.bytes.len() * 8 {
                world.put(place, datagram.from, &flipped(&datagram.bytes, bit));
                world.put(place, node(9), &flipped(&datagram.bytes, bit));
            }
            let after = world.nodes[place].endpoint.counters();
            let dropped = |of: &isostep_netcode::Counters| {
                of.unrecognized
                    + of.unknown_connection
                    + of.decrypt_failed
                    + of.replayed
                    + of.invalid_cookies
            };
            let flips = 2 * 8 * datagram.bytes.len() as u64;
            assert_eq!(dropped(&after) - dropped(&before), flips, "each is counted once");
        }
        assert_eq!((world.nodes[0].events.len(), world.nodes[0].game.len()), (events, games));
        for datagram in world.sent.clone() {
            world.put(world.routes[&datagram.to], datagram.from, &datagram.bytes);
        }
        assert_eq!(world.nodes[0].game.len(), games + 1, "the true one opens");
        world.run(ms(16));
    }
    assert_eq!(world.nodes[0].messages.len(), 1);
}

/// Truncated and extended packets.
#[test]
fn packets_of_any_other_length_are_dropped() {
    let mut world = World::of(2, Weather::default(), 4);
    step_by_step(&mut world, |world, _, next| {
        let place = world.routes[&next.to];
        for length in 0..next.bytes.len() {
            world.put(place, next.from, &next.bytes[..length]);
        }
        for more in [1, 2, 3, 16, 17, 1000, 9000] {
            let mut longer = next.bytes.clone();
            longer.resize(longer.len() + more, 0);
            world.put(place, next.from, &longer);
        }
    });
    world.run(ms(150));
    assert_eq!(world.links(), 2);
}
