//! Datagrams arrive whole or not at all; messages arrive completely and in order.

use super::harness::{Weather, World, ms};
use isostep_netcode::crypto::MachineId;
use isostep_netcode::{MAX_MESSAGE_BYTES, Message, MessageError};

fn pattern(length: usize, seed: usize) -> Vec<u8> {
    (0..length).map(|place| (place * 31 + place / 251 + seed * 7) as u8).collect()
}

/// A packet of 1,200 bytes holds 1,177 bytes of frames, or 1,172 of a fragment.
#[test]
fn datagrams_of_any_length_up_to_sixteen_packets_arrive_whole() {
    let mut world = World::configured(2, Weather::default(), 1, |config| config.max_mtu(1200));
    world.mesh();
    world.run(ms(500));
    let most = 16 * 1172 - 1;
    let edges = [0, 1, 2, 1175, 1176, 1177, 1178, 2343, 2344, 5000, most - 1, most];
    for length in edges.into_iter().chain((0..most).step_by(611)) {
        world.nodes[1].datagrams.clear();
        let sent = pattern(length, length);
        world.nodes[0].endpoint.send_datagram(world.now, MachineId(1), &sent);
        world.drain(0);
        world.run(ms(5));
        assert_eq!(world.nodes[1].datagrams, [(MachineId(0), sent)], "{length} bytes");
    }
    assert_eq!(world.nodes[0].endpoint.counters().overflowed, 0);
    for (count, length) in [(1, most + 1), (2, most + 5000), (3, 1 << 20)] {
        world.nodes[0].endpoint.send_datagram(world.now, MachineId(1), &vec![1; length]);
        world.drain(0);
        assert_eq!(world.nodes[0].endpoint.counters().overflowed, count, "{length} bytes");
    }
}

#[test]
fn game_frames_of_any_length_arrive_whole() {
    let mut world = World::pair(2);
    for length in [1, 2, 1000, 1300, 1429, 1430, 1431, 9000, 20_000] {
        world.nodes[1].game.clear();
        let mut frame = pattern(length, 3);
        frame[0] = 0x80 | length as u8;
        world.nodes[0].endpoint.send_game(world.now, MachineId(1), &frame);
        world.drain(0);
        world.run(ms(20));
        assert_eq!(world.nodes[1].game, [(MachineId(0), frame)], "{length} bytes");
    }
    let sent = world.nodes[0].endpoint.counters().sent;
    for wrong in [&[][..], &[0x0d, 1], &[0x7f], &[0x08, 0, 0, 0]] {
        world.nodes[0].endpoint.send_game(world.now, MachineId(1), wrong);
    }
    assert_eq!(world.nodes[0].endpoint.counters().sent, sent);
}

#[test]
fn fragments_are_reassembled_whole_or_dropped() {
    let weather = Weather { loss: 50, doubles: 100, latency: 20, jitter: 12, longest: None };
    let mut world = World::of(2, weather, 3);
    world.mesh();
    world.run(ms(4000));
    for number in 0..300 {
        let sent = pattern(1 + number * 53, number);
        world.nodes[0].endpoint.send_datagram(world.now, MachineId(1), &sent);
        world.drain(0);
        world.run(ms(30));
    }
    world.run(ms(500));
    let arrived = &world.nodes[1].datagrams;
    let mut lengths: Vec<_> = arrived.iter().map(|(_, bytes)| bytes.len()).collect();
    for (_, bytes) in arrived {
        assert_eq!(*bytes, pattern(bytes.len(), (bytes.len() - 1) / 53));
    }
    lengths.sort_by_key(|length| *length);
    lengths.dedup();
    assert_eq!(lengths.len(), arrived.len(), "none came twice");
    assert!((130..300).contains(&arrived.len()), "{}", arrived.len());
}

#[test]
fn messages_of_every_size_arrive_in_order_under_loss() {
    let weather = Weather { loss: 200, doubles: 50, latency: 25, jitter: 40, longest: None };
    let mut world = World::of(2, weather, 4);
    world.mesh();
    world.run(ms(5000));
    let sizes =
        [0, 1, 1022, 1023, 1024, 1025, 2047, 10_000, 0, 100_000, 3, MAX_MESSAGE_BYTES - 1, 7];
    for (number, &size) in sizes.iter().enumerate() {
        for (place, other) in [(0, 1), (1, 0)] {
            let message = pattern(size, number + place);
            let end = &mut world.nodes[place].endpoint;
            if number % 2 == 0 {
                end.send_message(MachineId(other), &message).expect("room");
            } else {
                end.send_session_message(MachineId(other), &message).expect("room");
            }
        }
    }
    world.run(ms(240_000));
    for (place, other) in [(0, 1), (1, 0)] {
        let expected = sizes.iter().enumerate().map(|(number, &size)| {
            let bytes = pattern(size, number + other);
            let message =
                if number % 2 == 0 { Message::Game(bytes) } else { Message::Session(bytes) };
            (MachineId(other as u8), message)
        });
        assert!(world.nodes[place].messages.iter().cloned().eq(expected));
    }
}

#[test]
fn messages_beyond_the_limits_are_rejected() {
    let mut world = World::pair(5);
    let end = &mut world.nodes[0].endpoint;
    let long = vec![0; MAX_MESSAGE_BYTES];
    let bytes = long.len();
    assert_eq!(end.send_message(MachineId(1), &long), Err(MessageError::TooLong { bytes }));
    let fits = vec![0; MAX_MESSAGE_BYTES - 1];
    for _ in 0..4 {
        assert_eq!(end.send_message(MachineId(1), &fits), Ok(()));
    }
    let full = MessageError::QueueFull { bytes: 4 * MAX_MESSAGE_BYTES };
    assert_eq!(end.send_message(MachineId(1), b"one more"), Err(full));
    assert_eq!(
        end.send_message(MachineId(5), b"x"),
        Err(MessageError::NotConnected { machine: MachineId(5) })
    );
    world.drain(0);
    world.run(ms(60_000));
    assert_eq!(world.nodes[1].messages.len(), 4);
    assert_eq!(world.nodes[0].endpoint.send_message(MachineId(1), b"one more"), Ok(()));
}

/// A receiver that does not poll applies backpressure, and nothing is lost.
#[test]
fn a_receiver_that_does_not_poll_applies_backpressure() {
    let mut world = World::pair(6);
    let mut taken = Vec::new();
    let message = vec![3; 200_000];
    let mut sent = 0;
    let mut bytes = Vec::new();
    // Manual driving: the second endpoint polls nothing.
    let mut carry = |world: &mut World| {
        world.now += ms(20);
        let now = world.now;
        for (place, other) in [(0, 1), (1, 0)] {
            world.nodes[place].endpoint.handle_timeout(now);
            while world.nodes[place].endpoint.poll_transmit(now, &mut bytes).is_some() {
                let from = world.nodes[place].source;
                world.nodes[other].endpoint.handle_datagram(now, from, &bytes);
            }
        }
    };
    for _ in 0..2000 {
        sent += usize::from(world.nodes[0].endpoint.send_message(MachineId(1), &message).is_ok());
        carry(&mut world);
    }
    assert!((8..=14).contains(&sent), "{sent}: about a megabyte on each side");
    for _ in 0..3000 {
        carry(&mut world);
        taken.extend(world.nodes[1].endpoint.poll_message());
    }
    assert_eq!(taken.len(), sent);
    assert_eq!(world.links(), 2);
}
