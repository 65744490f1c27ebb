//! Both machines of a pair initiate: one connection results, without a second one that replaces it.

use super::harness::{Match, Weather, World, endpoint, ms, node};
use super::raw_peer::{ATTEMPT, answer, cookie, init, offer, shake};
use isostep_netcode::crypto::{MachineId, TokenError};
use isostep_netcode::{ConnectError, Event};
use isostep_rollback::Time;

/// Runs until all machines are connected.
fn run_until_connected(world: &mut World, limit: u32) {
    let machines = world.nodes.len();
    for _ in 0..limit / 50 {
        if world.links() == machines * (machines - 1) {
            break;
        }
        world.run(ms(50));
    }
    world.run(ms(2500));
    assert_eq!(world.links(), machines * (machines - 1), "after {limit} ms");
}

/// Each end of each connection opens what the other one seals, once.
fn check_frames_arrive(world: &mut World) {
    let before: Vec<_> = world.nodes.iter().map(|node| node.game.len()).collect();
    world.weather = Weather { latency: 10, ..Weather::default() };
    world.play(10, 9);
    world.run(ms(200));
    let peers = world.nodes.len() - 1;
    for (node, before) in world.nodes.iter().zip(before) {
        assert_eq!(node.game.len(), before + 10 * peers);
    }
}

fn check_one_connection_each(world: &World) {
    for node in &world.nodes {
        assert_eq!(node.connects(), world.nodes.len() - 1, "{:?}", node.events);
        assert_eq!(node.count(|event| matches!(event, Event::Closed { .. })), 0);
    }
}

#[test]
fn the_higher_id_initiates_where_only_it_knows_an_address() {
    for (first, second) in [(0, 1), (1, 0)] {
        let mut world = World::of(2, Weather { latency: 10, ..Weather::default() }, 3);
        world.connect(first, second);
        world.run(ms(100));
        assert_eq!(world.links(), 2, "{first} initiated");
        check_frames_arrive(&mut world);
        check_one_connection_each(&world);
    }
}

#[test]
fn simultaneous_attempts_make_one_connection_at_any_offset() {
    for apart in 0..100 {
        for first in [0, 1] {
            let mut world = World::of(2, Weather { latency: 20, ..Weather::default() }, 5);
            world.connect(first, 1 - first);
            world.run(ms(apart));
            world.connect(1 - first, first);
            run_until_connected(&mut world, 1000);
            check_one_connection_each(&world);
            check_frames_arrive(&mut world);
        }
    }
}

/// Loss, duplicates and reordering move every packet of both handshakes before and after every other one.
#[test]
fn simultaneous_attempts_make_one_connection_with_loss_and_reordering() {
    for seed in 0..300 {
        let weather = Weather { loss: 200, doubles: 200, latency: 5, jitter: 120, longest: None };
        let mut world = World::of(2, weather, seed);
        world.mesh();
        run_until_connected(&mut world, 10_000);
        check_one_connection_each(&world);
        check_frames_arrive(&mut world);
    }
}

#[test]
fn a_mesh_of_eight_makes_one_connection_per_pair() {
    let weather = Weather { loss: 100, doubles: 50, latency: 20, jitter: 60, longest: None };
    let mut world = World::of(8, weather, 6);
    world.mesh();
    run_until_connected(&mut world, 10_000);
    check_one_connection_each(&world);
    check_frames_arrive(&mut world);
}

#[test]
fn the_attempt_of_the_lower_id_survives() {
    let mut world = World::of(2, Weather { latency: 20, ..Weather::default() }, 7);
    world.mesh();
    world.run(ms(500));
    let accepts: Vec<_> = world.sent.iter().filter(|sent| sent.bytes[0] == 0x84).collect();
    assert!(!accepts.is_empty());
    assert!(accepts.iter().all(|accept| accept.from == node(1)), "{accepts:?}");
}

/// The lower id knows only an address that does not reply, and the other machine its right one.
#[test]
fn an_attempt_to_a_dead_address_does_not_block_the_other_one() {
    let mut world = World::of(2, Weather { latency: 20, ..Weather::default() }, 8);
    let now = world.now;
    world.nodes[0].endpoint.connect(now, MachineId(1), node(77)).expect("in the match");
    world.drain(0);
    world.connect(1, 0);
    world.run(ms(200));
    assert_eq!(world.links(), 2);
    world.run(ms(15_000));
    check_one_connection_each(&world);
    assert_eq!(world.nodes[0].count(|event| matches!(event, Event::ConnectFailed { .. })), 0);
}

#[test]
fn connect_does_nothing_while_connected() {
    let mut world = World::pair(9);
    for (from, to) in [(0, 1), (1, 0)] {
        world.connect(from, to);
        world.run(ms(15_000));
        check_one_connection_each(&world);
        check_frames_arrive(&mut world);
    }
}

#[test]
fn either_side_may_restart_and_connect_again() {
    let played = Match::new(2);
    for restarts in [0, 1] {
        let mut world = World::pair(10);
        world.nodes[restarts].endpoint = endpoint(played.config(restarts), 500);
        world.connect(restarts, 1 - restarts);
        world.run(ms(2500));
        assert_eq!(world.links(), 2, "machine {restarts}");
        assert_eq!(world.nodes[1 - restarts].connects(), 2);
        check_frames_arrive(&mut world);
    }
}

/// A recorded INIT of the higher id suspends the attempt of a lower one, which lost its connection, for the lifetime of the
/// half-open handshake at most.
#[test]
fn a_replayed_init_delays_the_lower_id_by_ten_seconds_at_most() {
    let mut world = World::of(2, Weather { latency: 10, ..Weather::default() }, 11);
    world.connect(1, 0);
    world.run(ms(500));
    let init = world.sent.iter().find(|sent| sent.bytes[0] == 0x83).expect("sent").clone();
    // Both forget the connection; the other address of machine 1 does not matter.
    let now = world.now;
    world.nodes[0].endpoint.close(now, MachineId(1), 300, "");
    world.drain(0);
    world.run(ms(500));
    assert_eq!(world.links(), 0);
    world.put(0, node(1), &init.bytes);
    world.connect(0, 1);
    world.run(ms(9900));
    world.connect(0, 1);
    world.run(ms(1500));
    assert_eq!(world.links(), 2);
    check_frames_arrive(&mut world);
}

/// The token of the responder itself, in the hands of a copy of its program.
#[test]
fn a_machine_is_not_connected_with_itself() {
    let played = Match::new(2);
    let (now, from) = (Time::from_millis(1), node(1));
    let mut host = endpoint(played.config(0), 2);
    let cookie = cookie(now, &mut host, from, ATTEMPT);
    let payload = [&played.credentials(0).token().encode()[..], &offer(&played)].concat();
    let (_, message) = shake(&played.keys[0], &played.keys[0], ATTEMPT, &payload);
    host.handle_datagram(now, from, &init(ATTEMPT, &cookie, &message));
    let _ = answer(now, &mut host, from);
    let machine = MachineId(0);
    let reason = ConnectError::Token(TokenError::NotInitiator { machine });
    let event = Event::Refused { machine: Some(machine), address: from, reason };
    assert_eq!(host.poll_event(), Some(event));
}
