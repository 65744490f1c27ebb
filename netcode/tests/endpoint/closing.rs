//! Idle timeout, CLOSE, and unused connections.

use super::harness::{Weather, World, ms};
use isostep_netcode::crypto::MachineId;
use isostep_netcode::{CloseReason, ConnectError, Event, close_code};

#[test]
fn an_unused_connection_stays_open() {
    let mut world = World::pair(1);
    let events = world.nodes[0].events.len();
    let sent = world.nodes[0].endpoint.counters();
    world.run(ms(60_000));
    assert_eq!((world.links(), world.nodes[0].events.len()), (2, events));
    let bytes = world.nodes[0].endpoint.counters().sent_bytes - sent.sent_bytes;
    assert!(bytes < 60 * 150, "{bytes} bytes in a minute");
}

#[test]
fn a_vanished_peer_is_interrupted_after_one_second_and_closed_after_five() {
    let mut world = World::pair(2);
    world.nodes[1].runs = false;
    world.nodes[0].events.clear();
    let heard = world.nodes[0].endpoint.last_received(MachineId(1)).expect("connected");
    let end = &world.nodes[0].endpoint;
    assert!(world.now.since(end.last_received(MachineId(1)).expect("connected")) < ms(600));
    world.run(ms(4_900).saturating_sub(world.now.since(heard)));
    assert_eq!(world.nodes[0].events, [Event::Interrupted { machine: MachineId(1) }]);
    world.run(ms(101));
    let reason = CloseReason::IdleTimeout { after: ms(5000) };
    assert_eq!(world.nodes[0].events[1..], [Event::Closed { machine: MachineId(1), reason }]);
    assert_eq!(world.links(), 1);
}

#[test]
fn a_resumed_peer_is_reported() {
    let mut world = World::pair(3);
    world.nodes[0].events.clear();
    world.weather.loss = 1000;
    world.run(ms(3000));
    world.weather.loss = 0;
    world.run(ms(1000));
    let machine = MachineId(1);
    assert_eq!(world.nodes[0].events, [Event::Interrupted { machine }, Event::Resumed { machine }]);
    assert_eq!(world.links(), 2);
}

#[test]
fn the_idle_timeout_is_configurable() {
    let mut world =
        World::configured(2, Weather::default(), 4, |config| config.idle_timeout(ms(1500)));
    world.mesh();
    world.run(ms(1000));
    world.nodes[1].runs = false;
    world.run(ms(2100));
    assert_eq!(world.nodes[0].endpoint.connected().count(), 0);
}

#[test]
fn a_close_carries_its_code_and_text() {
    let mut world = World::pair(5);
    let long = "ä".repeat(150);
    for (text, expected) in [("so long", "so long"), (&*long, &long[..200]), ("", "")] {
        let now = world.now;
        world.nodes[0].endpoint.close(now, MachineId(1), 300, text);
        world.drain(0);
        world.run(ms(20));
        let reason = CloseReason::ClosedByPeer { code: 300, text: expected.into() };
        assert_eq!(
            world.nodes[1].events.last(),
            Some(&Event::Closed { machine: MachineId(0), reason })
        );
        let said = Event::Closed { machine: MachineId(1), reason: CloseReason::LocallyClosed };
        assert_eq!(world.nodes[0].events.last(), Some(&said));
        assert_eq!(world.links(), 0);
        world.run(ms(2000));
        assert_eq!(world.nodes[0].endpoint.poll_timeout(), None, "nothing is left to say");
        world.mesh();
        world.run(ms(500));
        assert_eq!(world.links(), 2, "and they may meet again");
    }
}

/// CLOSE is sent three times: at 50 % loss one in eight is missed, and ends by idle timeout.
#[test]
fn a_close_mostly_arrives_at_fifty_percent_loss() {
    let heard = (0..60).filter(|seed| {
        let mut world = World::pair(100 + seed);
        world.weather.loss = 500;
        let now = world.now;
        world.nodes[0].endpoint.close(now, MachineId(1), 1000, "bye");
        world.drain(0);
        world.run(ms(700));
        let is_close = |event: &Event| {
            matches!(
                event,
                Event::Closed { reason: CloseReason::ClosedByPeer { code: 1000, .. }, .. }
            )
        };
        world.nodes[1].count(is_close) == 1
    });
    assert!(heard.count() >= 45);
}

#[test]
fn shutdown_closes_all_connections_and_rejects_new_ones() {
    let mut world = World::of(3, Weather { latency: 10, ..Weather::default() }, 6);
    world.mesh();
    world.run(ms(500));
    let now = world.now;
    world.nodes[2].endpoint.shut_down(now);
    world.drain(2);
    world.run(ms(100));
    for place in 0..2 {
        let is_close = |event: &Event| {
            matches!(
                event,
                Event::Closed {
                    machine: MachineId(2),
                    reason: CloseReason::ClosedByPeer { code: close_code::SHUTDOWN, .. }
                }
            )
        };
        assert_eq!(world.nodes[place].count(is_close), 1);
    }
    assert_eq!(world.links(), 2, "the others play on");
    let refused = world.nodes[2].endpoint.connect(now, MachineId(0), super::harness::node(0));
    assert_eq!(refused, Err(isostep_netcode::EndpointError::ShutDown));
    world.connect(0, 2);
    world.run(ms(200));
    let failed = Event::ConnectFailed { machine: MachineId(2), reason: ConnectError::MatchOver };
    assert_eq!(world.nodes[0].events.last(), Some(&failed));
    assert_eq!(world.links(), 2);
}

#[test]
fn calls_without_a_connection_do_nothing() {
    let mut world = World::of(2, Weather::default(), 7);
    let now = world.now;
    for machine in [MachineId(0), MachineId(1), MachineId(7), MachineId(8), MachineId(255)] {
        let end = &mut world.nodes[0].endpoint;
        end.send_game(now, machine, &[0x90, 1]);
        end.send_datagram(now, machine, &vec![1; 100_000]);
        end.close(now, machine, 0, "x");
        assert!(end.send_message(machine, b"x").is_err());
        assert_eq!(end.rtt(machine), None);
        assert_eq!(
            (end.remote_address(machine), end.key_epoch(machine), end.mtu(machine)),
            (None, None, None)
        );
    }
    world.drain(0);
    assert_eq!((world.sent.len(), world.nodes[0].events.len()), (0, 0));
    for machine in [MachineId(0), MachineId(2), MachineId(255)] {
        let refused = world.nodes[0].endpoint.connect(now, machine, super::harness::node(1));
        assert!(refused.is_err(), "{machine}");
    }
}
