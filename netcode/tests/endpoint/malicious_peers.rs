//! Authenticated machines that violate the protocol: they can break only their own connection.

use super::harness::{Match, endpoint, junk, node};
use super::raw_peer::Insider;
use isostep_core::Rng;
use isostep_netcode::crypto::MachineId;
use isostep_netcode::{Address, CloseReason, Endpoint, Event, Message};
use isostep_rollback::Time;

fn join() -> (Time, Endpoint, Insider) {
    let played = Match::new(2);
    let mut host = endpoint(played.config(1), 2);
    let now = Time::from_millis(5);
    let insider = Insider::join(now, &played, &mut host, node(0));
    let connected = Event::Connected { machine: MachineId(0), address: node(0) };
    assert_eq!(host.poll_event(), Some(connected));
    drain(now, &mut host);
    (now, host, insider)
}

fn drain(now: Time, host: &mut Endpoint) -> Vec<(Address, usize)> {
    let mut bytes = Vec::new();
    core::iter::from_fn(|| Some((host.poll_transmit(now, &mut bytes)?, bytes.len()))).collect()
}

fn message(number: u32, last: bool, bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as u16 | if last { 0x8000 } else { 0 };
    [&[3][..], &number.to_le_bytes(), &length.to_le_bytes(), bytes].concat()
}

#[test]
fn arbitrary_frames_do_not_panic() {
    let (mut now, mut host, mut insider) = join();
    let mut rng = Rng::new(1);
    for round in 0..20_000 {
        let length = 1 + rng.below(60).expect("some") as usize;
        let mut frames = junk(&mut rng, length);
        // No CLOSE and MESSAGE frames, which could end the connection early.
        frames[0] = [1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 13, 0x90][round % 12];
        frames
            .iter_mut()
            .skip(1)
            .filter(|byte| **byte == 8 || **byte == 3)
            .for_each(|byte| *byte = 2);
        insider.say(now, &mut host, &frames);
        now += core::time::Duration::from_millis(1);
        host.handle_timeout(now);
        drain(now, &mut host);
        let mut into = Vec::new();
        while host.poll_game(&mut into).is_some() || host.poll_datagram(&mut into).is_some() {}
    }
    assert_eq!(host.connected().count(), 1);
    assert!(host.counters().malformed > 0);
}

/// Regression: a packet with 120 challenges caused 120 packets to its source address.
#[test]
fn several_path_challenges_in_one_packet_get_one_response() {
    let (now, mut host, mut insider) = join();
    let challenges: Vec<u8> =
        (0..120u8).flat_map(|number| [6, number, 0, 0, 0, 0, 0, 0, 0]).collect();
    insider.address = node(66);
    insider.say(now, &mut host, &challenges);
    let sent: Vec<_> =
        drain(now, &mut host).into_iter().filter(|sent| sent.0 == node(66)).collect();
    assert!(sent.len() <= 2, "an answer, and a challenge for the new address: {sent:?}");
}

/// Regression: empty messages counted as zero bytes, so they were stored without limit, and each made `poll_message`
/// return `None`.
#[test]
fn empty_messages_are_ignored() {
    let (mut now, mut host, mut insider) = join();
    for number in 0..50 {
        insider.say(now, &mut host, &message(number, true, &[]));
    }
    insider.say(now, &mut host, &message(50, true, &[9, 1]));
    insider.say(now, &mut host, &message(51, true, &[1, 42]));
    assert_eq!(host.poll_message(), Some((MachineId(0), Message::Game(vec![42]))));
    assert_eq!(host.poll_message(), None);
    for number in 52..200_000u32 {
        insider.say(now, &mut host, &message(number, true, &[1]));
        now += core::time::Duration::from_micros(100);
        drain(now, &mut host);
    }
    let waiting = core::iter::from_fn(|| host.poll_message()).count();
    assert!(waiting < 40_000, "{waiting} messages of no bytes waited");
}

#[test]
fn an_endless_message_closes_the_connection() {
    let (now, mut host, mut insider) = join();
    for number in 0..257 {
        insider.say(now, &mut host, &message(number, false, &[1; 1024]));
    }
    let broken = Event::Closed { machine: MachineId(0), reason: CloseReason::ProtocolViolation };
    assert_eq!(host.poll_event(), Some(broken));
    assert_eq!(host.connected().count(), 0);
}

/// Regression: each invalid REKEY1 cost a quarter of a millisecond, eleven of them fit into a packet, and they had no
/// consequence.
#[test]
fn an_invalid_rekey_request_closes_the_connection() {
    let (now, mut host, mut insider) = join();
    let question = |epoch: u8| [&[9, epoch][..], &[7; 96]].concat();
    insider.say(now, &mut host, &question(2));
    assert_eq!(host.poll_event(), None, "not for the next epoch: it may be late");
    insider.say(now, &mut host, &question(1).repeat(11));
    let broken = Event::Closed { machine: MachineId(0), reason: CloseReason::ProtocolViolation };
    assert_eq!((host.poll_event(), host.poll_event()), (Some(broken), None));
}

#[test]
fn acks_of_unsent_segments_are_ignored() {
    let (now, mut host, mut insider) = join();
    host.send_message(MachineId(0), &[5; 5000]).expect("room");
    for (next, later) in [(1u32, 0u32), (u32::MAX, u32::MAX), (5, 1), (1 << 31, 7), (0, u32::MAX)] {
        let frame = [&[4][..], &next.to_le_bytes(), &later.to_le_bytes()].concat();
        insider.say(now, &mut host, &frame);
    }
    let pieces = drain(now, &mut host).into_iter().filter(|sent| sent.1 > 900).count();
    assert_eq!(pieces, 5, "all of it goes out");
}

/// The text is shown to users: lossy UTF-8, at most 200 bytes.
#[test]
fn invalid_utf8_in_a_close_is_replaced() {
    let (now, mut host, mut insider) = join();
    insider.say(now, &mut host, &[&[8, 7, 1, 3][..], &[0xff, 0xfe, b'x']].concat());
    let reason = CloseReason::ClosedByPeer { code: 0x107, text: "\u{fffd}\u{fffd}x".into() };
    assert_eq!(host.poll_event(), Some(Event::Closed { machine: MachineId(0), reason }));
}

#[test]
fn a_close_with_too_long_text_is_ignored() {
    let (now, mut host, mut insider) = join();
    insider.say(now, &mut host, &[&[8, 7, 1, 201][..], &[b'x'; 201]].concat());
    assert_eq!((host.poll_event(), host.counters().malformed), (None, 1));
}

/// Large jumps move the replay window; older numbers are rejected, and nothing opens twice.
#[test]
fn packet_numbers_may_jump_without_enabling_replay() {
    let (now, mut host, mut insider) = join();
    let mut packets = Vec::new();
    for number in 0..3000u32 {
        let packet = insider.packet(&[&[0x90][..], &number.to_le_bytes()].concat());
        if number % 100 == 7 {
            packets.push(packet);
        }
    }
    let mut into = Vec::new();
    for _ in 0..2 {
        for packet in packets.iter().rev() {
            host.handle_datagram(now, node(0), packet);
        }
    }
    let delivered = core::iter::from_fn(|| host.poll_game(&mut into)).count();
    assert_eq!(delivered, 11, "the newest and those less than 1,024 below it");
}
