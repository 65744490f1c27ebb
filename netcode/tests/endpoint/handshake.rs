//! Handshakes under loss, in any start order, and without a peer.

use super::harness::{Weather, World, ms, node};
use core::time::Duration;
use isostep_netcode::crypto::MachineId;
use isostep_netcode::{ConnectError, Event};

/// Repeats failed attempts, as a program would.
fn retry(world: &mut World, seen: &mut [usize]) {
    for place in 0..world.nodes.len() {
        let events = world.nodes[place].events[seen[place]..].to_vec();
        seen[place] += events.len();
        for event in events {
            if let Event::ConnectFailed { machine, .. } | Event::Closed { machine, .. } = event {
                world.connect(place, usize::from(machine.0));
            }
        }
    }
}

#[test]
fn two_to_eight_machines_connect_within_a_few_round_trips() {
    for machines in 2..=8 {
        let mut world = World::of(machines, Weather { latency: 40, ..Weather::default() }, 1);
        world.mesh();
        world.run(ms(250));
        assert_eq!(world.links(), machines * (machines - 1), "{machines} machines");
        assert!(world.nodes.iter().all(|node| node.connects() == machines - 1));
    }
}

#[test]
fn a_mesh_connects_at_twenty_percent_loss_within_ten_seconds() {
    let weather = Weather { loss: 200, doubles: 50, latency: 40, jitter: 30, longest: None };
    for machines in 2..=8 {
        let mut world = World::of(machines, weather, 20 + machines as u64);
        world.mesh();
        world.run(ms(10_000));
        assert_eq!(world.links(), machines * (machines - 1), "{machines} machines");
    }
}

#[test]
fn a_mesh_connects_at_fifty_percent_loss_with_a_second_attempt() {
    let weather = Weather { loss: 500, doubles: 50, latency: 40, jitter: 30, longest: None };
    for machines in 2..=8 {
        let mut world = World::of(machines, weather, 50 + machines as u64);
        let mut seen = vec![0; machines];
        world.mesh();
        let whole = (0..30).any(|_| {
            world.run(ms(1000));
            retry(&mut world, &mut seen);
            world.links() == machines * (machines - 1)
        });
        assert!(whole, "{machines} machines: {} ends", world.links());
    }
}

#[test]
fn either_side_may_start_first() {
    for (first, second) in [(0, 1), (1, 0)] {
        let mut world = World::of(2, Weather { latency: 10, ..Weather::default() }, 3);
        world.connect(first, second);
        world.run(ms(300));
        world.connect(second, first);
        world.run(ms(1200));
        assert_eq!(world.links(), 2, "{first} first");
    }
}

/// Regression: a responder that called `connect` after the connection was established reported a timeout ten seconds
/// later.
#[test]
fn a_connected_responder_reports_no_timeout() {
    let mut world = World::of(2, Weather { latency: 10, ..Weather::default() }, 4);
    world.connect(0, 1);
    world.run(ms(300));
    assert_eq!(world.links(), 2, "the responder needs no call of its own");
    world.connect(1, 0);
    world.run(ms(15_000));
    let failed =
        |event: &Event| matches!(event, Event::ConnectFailed { .. } | Event::Closed { .. });
    assert_eq!(world.nodes[1].count(failed), 0, "{:?}", world.nodes[1].events);
    assert_eq!(world.links(), 2);
}

#[test]
fn a_responder_may_start_three_seconds_later() {
    let mut world = World::of(2, Weather { latency: 10, ..Weather::default() }, 5);
    world.nodes[1].runs = false;
    world.connect(0, 1);
    world.run(ms(3000));
    world.nodes[1].runs = true;
    world.connect(1, 0);
    world.run(ms(1500));
    assert_eq!(world.links(), 2);
}

#[test]
fn an_attempt_without_reply_times_out_and_can_be_repeated() {
    for (caller, other) in [(0, 1), (1, 0)] {
        let mut world = World::configured(2, Weather::default(), 6, |config| {
            config.handshake_timeout(ms(2500))
        });
        world.nodes[other].runs = false;
        world.connect(caller, other);
        world.run(ms(2499));
        assert_eq!(world.nodes[caller].events, []);
        world.run(ms(2));
        let machine = MachineId(other as u8);
        let reason = ConnectError::TimedOut { address: node(other) };
        assert_eq!(world.nodes[caller].events, [Event::ConnectFailed { machine, reason }]);
        assert_eq!(world.nodes[caller].endpoint.poll_timeout(), None, "nothing is left to do");
        world.nodes[other].runs = true;
        world.connect(caller, other);
        world.connect(other, caller);
        world.run(ms(1000));
        assert_eq!(world.links(), 2);
    }
}

/// Regression: the initiator kept a cookie of the restarted responder's previous secret for the whole attempt.
#[test]
fn a_handshake_survives_a_restart_of_the_responder() {
    let patient =
        |config: isostep_netcode::EndpointConfig| config.handshake_timeout(Duration::from_secs(30));
    let mut world = World::configured(2, Weather { latency: 10, ..Weather::default() }, 7, patient);
    world.connect(0, 1);
    world.run(ms(25));
    // The cookie is in flight when the responder restarts.
    let played = super::harness::Match::new(2);
    world.nodes[1].endpoint = super::harness::endpoint(patient(played.config(1)), 99);
    world.run(ms(9000));
    assert_eq!(world.links(), 2);
}

/// Regression: with a handshake timeout above ten seconds, the cookie expired and the attempt could not succeed.
#[test]
fn an_expired_cookie_is_requested_again() {
    let patient =
        |config: isostep_netcode::EndpointConfig| config.handshake_timeout(Duration::from_mins(1));
    let mut world = World::configured(2, Weather { latency: 10, ..Weather::default() }, 8, patient);
    world.connect(0, 1);
    world.run(ms(21));
    world.weather.loss = 1000;
    world.run(ms(15_000));
    assert_eq!(world.links(), 0);
    world.weather.loss = 0;
    world.run(ms(5000));
    assert_eq!(world.links(), 2);
}

/// Failed attempts of ten seconds at 50 % loss.
#[test]
fn at_fifty_percent_loss_nine_of_ten_attempts_succeed() {
    let weather = Weather { loss: 500, latency: 40, ..Weather::default() };
    let failed = (0..100)
        .filter(|seed| {
            let mut world = World::of(2, weather, 1000 + seed);
            world.mesh();
            world.run(ms(10_100));
            world.nodes[0].connects() == 0
        })
        .count();
    assert!(failed <= 12, "{failed} of 100 failed");
}
