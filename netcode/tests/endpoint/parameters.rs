//! Parameter and version mismatches are reported on both sides.

use super::harness::{Match, Weather, World, endpoint, ms, node};
use super::raw_peer::hello;
use isostep_netcode::crypto::MachineId;
use isostep_netcode::{ConnectError, EndpointConfig, Event};
use isostep_rollback::Time;

fn events(caller: EndpointConfig, host: EndpointConfig) -> (Vec<Event>, Vec<Event>) {
    let mut world = World::new(vec![endpoint(caller, 1), endpoint(host, 2)], Weather::default(), 1);
    world.connect(0, 1);
    world.run(ms(300));
    (world.nodes[0].events.clone(), world.nodes[1].events.clone())
}

fn differ(caller: (u16, [u8; 8], u32), here: ConnectError, there: ConnectError) {
    let played = Match::new(2);
    let config = played.config(0).inputs(caller.0, caller.1, caller.2);
    let refused = Event::Refused { machine: Some(MachineId(0)), address: node(0), reason: there };
    let failed = Event::ConnectFailed { machine: MachineId(1), reason: here };
    assert_eq!(events(config, played.config(1)), (vec![failed], vec![refused]));
}

#[test]
fn an_input_width_mismatch_is_reported_on_both_sides() {
    differ(
        (8, [7; 8], 11),
        ConnectError::InputWidth { ours: 8, theirs: 4 },
        ConnectError::InputWidth { ours: 4, theirs: 8 },
    );
}

#[test]
fn an_input_schema_mismatch_is_reported_on_both_sides() {
    differ((4, [8; 8], 11), ConnectError::InputSchema, ConnectError::InputSchema);
}

#[test]
fn a_settings_mismatch_is_reported_on_both_sides() {
    differ((4, [7; 8], 12), ConnectError::Settings, ConnectError::Settings);
}

/// Of several mismatches, the first one is reported.
#[test]
fn the_first_mismatch_is_reported() {
    differ(
        (8, [8; 8], 12),
        ConnectError::InputWidth { ours: 8, theirs: 4 },
        ConnectError::InputWidth { ours: 4, theirs: 8 },
    );
}

#[test]
fn a_hello_of_another_version_gets_a_versions_packet() {
    let mut host = endpoint(Match::new(2).config(1), 2);
    let mut answer = Vec::new();
    for version in [0, 2, 3, u16::MAX] {
        host.handle_datagram(Time::ZERO, node(0), &hello(version, [3; 8]));
        assert_eq!(host.poll_transmit(Time::ZERO, &mut answer), Some(node(0)));
        assert_eq!(answer, [0x82, 3, 3, 3, 3, 3, 3, 3, 3, 1, 1, 0]);
    }
    assert_eq!(host.poll_event(), None);
}

/// Reply of a responder of version 2.
fn versions(attempt: &[u8], spoken: &[u8]) -> Vec<u8> {
    [&[0x82], attempt, &[spoken.len() as u8 / 2], spoken].concat()
}

#[test]
fn a_version_mismatch_reports_both_versions() {
    let mut world = World::of(2, Weather::default(), 3);
    world.nodes[1].runs = false;
    world.connect(0, 1);
    let attempt = world.sent[0].bytes[7..15].to_vec();
    world.put(0, node(1), &versions(&attempt, &[2, 0, 3, 0]));
    world.run(ms(9_900));
    assert_eq!(world.nodes[0].events, [], "a hint is no reason to give up early");
    world.run(ms(200));
    let reason = ConnectError::Protocol { ours: 1, theirs: vec![2, 3] };
    assert_eq!(world.nodes[0].events, [Event::ConnectFailed { machine: MachineId(1), reason }]);
}

/// VERSIONS is not authenticated: a forged one does not end the attempt.
#[test]
fn a_spoofed_versions_packet_does_not_fail_the_attempt() {
    let mut world = World::of(2, Weather { latency: 10, ..Weather::default() }, 3);
    world.connect(0, 1);
    let attempt = world.sent[0].bytes[7..15].to_vec();
    world.put(0, node(1), &versions(&attempt, &[2, 0]));
    world.put(0, node(5), &versions(&attempt, &[9, 0]));
    world.run(ms(200));
    assert_eq!(world.links(), 2);
}
