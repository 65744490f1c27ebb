//! Determinism and timers: equal inputs give equal bytes; timers may be handled early, late or not at all.

use super::harness::{Datagram, Weather, World, frame, ms, node};
use core::time::Duration;
use isostep_core::Rng;
use isostep_netcode::Event;
use isostep_netcode::crypto::MachineId;
use isostep_rollback::Time;

const ROUGH: Weather = Weather { loss: 150, doubles: 50, latency: 30, jitter: 40, longest: None };

/// A minute with all kinds of traffic.
fn minute(seed: u64) -> (Vec<Datagram>, Vec<Vec<Event>>) {
    let mut world = World::configured(3, ROUGH, seed, |config| config.key_lifetime(ms(3000)));
    world.mesh();
    world.run(ms(2000));
    for round in 0..20u8 {
        for machine in world.nodes[0].endpoint.connected().collect::<Vec<_>>() {
            let end = &mut world.nodes[0].endpoint;
            end.send_datagram(world.now, machine, &[round; 3000]);
            end.send_message(machine, &[round; 2500]).expect("room");
        }
        world.play(20, round);
        world.run(ms(200));
    }
    let now = world.now;
    world.nodes[1].endpoint.close(now, MachineId(2), 500, "done");
    world.drain(1);
    world.run(ms(50_000));
    (world.sent, world.nodes.into_iter().map(|node| node.events).collect())
}

#[test]
fn the_same_seeds_and_inputs_give_the_same_bytes() {
    let (first, second) = (minute(1), minute(1));
    assert!(first.0.len() > 1000);
    assert!(first == second);
    assert!(minute(2).0 != first.0);
}

/// The harness checks each `handle_timeout`; this traffic sets all timers.
#[test]
fn timers_are_in_the_future_after_handling() {
    for seed in 0..6 {
        let mut rng = Rng::new(seed);
        let change = |config: isostep_netcode::EndpointConfig| config.key_lifetime(ms(500));
        let mut world = World::configured(3, ROUGH, 40 + seed, change);
        world.mesh();
        for round in 0..1500 {
            let (place, machine) = (round % 3, MachineId(((round + 1 + round / 3 % 2) % 3) as u8));
            let now = world.now;
            match rng.below(12).expect("some") {
                0 => _ = world.nodes[place].endpoint.send_message(machine, &[1; 4000]),
                1 => world.nodes[place].endpoint.send_datagram(now, machine, &[1; 9000]),
                2 if round % 20 == 0 => world.nodes[place].endpoint.close(now, machine, 0, ""),
                3 if round % 10 == 0 => world.connect(place, usize::from(machine.0)),
                _ => world.nodes[place].endpoint.send_game(now, machine, &frame(place, 1, 1)),
            }
            world.drain(place);
            (0..3).for_each(|place| world.timeout(place));
            world.weather.loss = if round % 500 < 120 { 1000 } else { 150 };
            let step = rng.below(60).expect("some");
            world.run(ms(step.into()));
        }
    }
}

/// Drives two endpoints in steps, with timers handled at every step or at some.
fn driven(step: Duration, timeouts: impl Fn(u64) -> bool) -> World {
    let mut world = World::of(2, Weather::default(), 1);
    world.held = true;
    world.mesh();
    let mut done = 0;
    for number in 0..4_000_000_000 / step.as_nanos() as u64 {
        world.now += step;
        for place in 0..2 {
            if timeouts(number) {
                world.timeout(place);
            }
            if number % 16 == 0 && world.links() == 2 {
                let machine = MachineId(1 - place as u8);
                world.nodes[place].endpoint.send_game(world.now, machine, &frame(place, 1, 1));
            }
            world.drain(place);
        }
        while let Some(datagram) = world.sent.get(done).cloned() {
            world.put(world.routes[&datagram.to], datagram.from, &datagram.bytes);
            done += 1;
        }
    }
    world
}

#[test]
fn timeouts_may_be_handled_early_late_or_hardly_ever() {
    let often = driven(ms(1), |_| true);
    assert_eq!(often.links(), 2);
    assert!(often.sent.len() < 1400, "{} packets in 4 s: none for being asked", often.sent.len());
    assert_eq!(driven(ms(7), |number| number % 40 == 0).links(), 2);
    let never = driven(ms(2), |_| false);
    assert_eq!(never.links(), 2, "traffic alone keeps a connection");
}

/// A driver that never handles timers still receives everything.
#[test]
fn frames_flow_without_a_single_timeout() {
    let world = driven(ms(2), |_| false);
    assert!(world.nodes.iter().all(|node| node.game.len() > 100));
}

#[test]
fn a_frozen_clock_does_not_send_endlessly() {
    let mut world = World::pair(3);
    for _ in 0..50 {
        world.tick(1, 1);
        (0..2).for_each(|place| world.timeout(place));
    }
    let sent = world.sent.len();
    for _ in 0..1000 {
        (0..2).for_each(|place| world.timeout(place));
    }
    assert_eq!(world.sent.len(), sent);
}

#[test]
fn a_connection_ends_after_an_hour_gap_and_can_be_reestablished() {
    let mut world = World::pair(4);
    world.now += Duration::from_hours(1);
    (0..2).for_each(|place| world.timeout(place));
    assert_eq!(world.links(), 0);
    world.mesh();
    world.run(ms(1000));
    assert_eq!(world.links(), 2);
}

/// Regression: after an hour of suspend, queued packets gave a round-trip sample of an hour, and retransmissions
/// stopped for minutes.
#[test]
fn an_hour_long_rtt_sample_does_not_raise_the_pto() {
    let mut world = World::pair(5);
    world.held = true;
    world.sent.clear();
    world.now += ms(600);
    world.timeout(0);
    let ping = world.sent.pop().expect("a ping");
    world.now += ms(5);
    world.put(1, ping.from, &ping.bytes);
    world.now += ms(25);
    world.timeout(1);
    let pong = world.sent.pop().expect("a pong");
    // Both machines were suspended.
    world.now += Duration::from_hours(1);
    world.put(0, pong.from, &pong.bytes);
    world.sent.clear();
    world.timeout(0);
    world.drain(0);
    for datagram in world.sent.clone() {
        world.put(1, datagram.from, &datagram.bytes);
    }
    world.held = false;
    assert_eq!(world.links(), 2, "what waited was heard first");
    world.weather.loss = 1000;
    world.nodes[0].endpoint.send_message(MachineId(1), b"hello again").expect("room");
    world.run(ms(50));
    world.weather.loss = 0;
    world.run(ms(4000));
    assert_eq!(world.nodes[1].messages.len(), 1);
}

/// Time that goes back causes no panic.
#[test]
fn time_that_goes_back_is_tolerated() {
    let mut world = World::pair(6);
    let later = world.now;
    for now in [Time::ZERO, Time::from_millis(900), later] {
        world.now = now;
        for place in 0..2 {
            world.nodes[place].endpoint.handle_timeout(now);
            world.nodes[place].endpoint.handle_datagram(now, node(1 - place), &[0; 40]);
            world.drain(place);
        }
    }
    world.play(10, 1);
    assert_eq!(world.links(), 2);
}

/// Unpolled queues are bounded; the newest entries are dropped.
#[test]
fn unpolled_queues_are_bounded() {
    let mut world = World::pair(7);
    let mut bytes = Vec::new();
    for number in 0..5000u32 {
        let now = world.now;
        world.nodes[0].endpoint.send_game(now, MachineId(1), &frame(0, number, 1));
        while world.nodes[0].endpoint.poll_transmit(now, &mut bytes).is_some() {
            world.nodes[1].endpoint.handle_datagram(now, node(0), &bytes);
        }
    }
    assert_eq!(world.nodes[1].endpoint.counters().overflowed, 5000 - 1024);
    world.drain(1);
    assert_eq!(world.nodes[1].game.len(), 1024);
    let end = &mut world.nodes[1].endpoint;
    (0..5000).for_each(|number| end.send_game(world.now, MachineId(0), &frame(1, number, 1)));
    assert!(end.counters().overflowed >= 2 * (5000 - 1024));
}
