//! Connection migration, and spoofed source addresses.

use super::harness::{Weather, World, ms, node};
use isostep_netcode::Event;
use isostep_netcode::crypto::MachineId;

/// Machine 0 changes its address during play.
fn rebind(world: &mut World, to: usize) {
    world.routes.remove(&world.nodes[0].source);
    world.nodes[0].source = node(to);
    world.routes.insert(node(to), 0);
}

fn moved_after(latency: u64, seed: u64, loss: u32) -> World {
    let mut world = World::of(2, Weather { latency, ..Weather::default() }, seed);
    world.mesh();
    world.run(ms(3000));
    assert_eq!(world.links(), 2);
    world.weather.loss = loss;
    rebind(&mut world, 10);
    world.play(120, 1);
    world
}

/// Regression: with a round trip above 100 ms each packet from the new address replaced the challenge, which
/// invalidated the response in flight; the connection never migrated.
#[test]
fn migration_succeeds_at_any_rtt() {
    for latency in [0, 5, 40, 60, 100, 250] {
        let mut world = moved_after(latency, 1, 0);
        let moved = Event::Migrated { machine: MachineId(0), from: node(0), to: node(10) };
        assert_eq!(world.nodes[1].count(|event| *event == moved), 1, "{latency} ms");
        assert_eq!(world.nodes[1].endpoint.remote_address(MachineId(0)), Some(node(10)));
        let heard = world.nodes[0].game.len();
        world.play(50, 2);
        world.run(ms(600));
        assert!(world.nodes[0].game.len() >= heard + 50, "{latency} ms: traffic goes on");
        assert_eq!(world.links(), 2);
    }
}

#[test]
fn migration_succeeds_under_loss() {
    for seed in 0..10 {
        let world = moved_after(50, 20 + seed, 300);
        assert_eq!(
            world.nodes[1].endpoint.remote_address(MachineId(0)),
            Some(node(10)),
            "seed {seed}"
        );
    }
}

/// Back and forth: each migration is reported once.
#[test]
fn each_migration_is_reported_once() {
    let mut world = World::of(2, Weather { latency: 70, ..Weather::default() }, 3);
    world.mesh();
    world.run(ms(3000));
    for to in [10, 11, 0, 10] {
        rebind(&mut world, to);
        world.play(60, to as u8);
    }
    let moves = |event: &Event| matches!(event, Event::Migrated { .. });
    assert_eq!(world.nodes[1].count(moves), 4, "{:?}", world.nodes[1].events);
    assert_eq!(world.links(), 2);
}

/// An on-path attacker sends copies of every packet from its own address, faster than the originals. The connection
/// stays, since only the peer can answer a challenge, and it answers to the source of the challenge.
#[test]
fn duplicates_from_another_address_do_not_migrate_a_connection() {
    let mut world = World::pair(4);
    for number in 0..200 {
        world.held = true;
        world.sent.clear();
        world.tick(number, 1);
        world.held = false;
        for datagram in world.sent.clone() {
            let place = world.routes[&datagram.to];
            // The copy first. Its response goes to the attacker, who cannot decrypt it.
            world.put(place, node(66), &datagram.bytes);
            world.put(place, datagram.from, &datagram.bytes);
        }
        world.run(ms(16));
    }
    for (place, other) in [(0, 1), (1, 0)] {
        assert_eq!(
            world.nodes[place].endpoint.remote_address(MachineId(other as u8)),
            Some(node(other))
        );
        assert_eq!(world.nodes[place].game.len(), 200);
    }
}

/// The attacker relays challenge and response: the connection migrates to the relay. When it stops, the next genuine
/// packet migrates the connection back.
#[test]
fn a_connection_survives_the_end_of_a_relay() {
    let mut world = World::of(2, Weather { latency: 20, ..Weather::default() }, 5);
    world.mesh();
    world.run(ms(3000));
    rebind(&mut world, 66);
    world.routes.insert(node(0), 0);
    world.play(60, 1);
    assert_eq!(world.nodes[1].endpoint.remote_address(MachineId(0)), Some(node(66)));
    rebind(&mut world, 0);
    world.play(60, 2);
    assert_eq!(world.nodes[1].endpoint.remote_address(MachineId(0)), Some(node(0)));
    let heard = world.nodes[0].game.len();
    world.play(20, 3);
    world.run(ms(100));
    assert!(world.nodes[0].game.len() >= heard + 20);
}

#[test]
fn both_sides_migrate_in_turn() {
    let mut world = World::of(2, Weather { latency: 60, ..Weather::default() }, 6);
    world.mesh();
    world.run(ms(3000));
    rebind(&mut world, 10);
    world.play(60, 1);
    world.routes.remove(&node(1));
    world.nodes[1].source = node(11);
    world.routes.insert(node(11), 1);
    world.play(60, 2);
    assert_eq!(world.nodes[0].endpoint.remote_address(MachineId(1)), Some(node(11)));
    assert_eq!(world.nodes[1].endpoint.remote_address(MachineId(0)), Some(node(10)));
}

/// Without game traffic, PINGs alone trigger the migration.
#[test]
fn an_idle_connection_migrates() {
    let mut world = World::pair(7);
    rebind(&mut world, 10);
    world.run(ms(3000));
    assert_eq!(world.nodes[1].endpoint.remote_address(MachineId(0)), Some(node(10)));
    assert_eq!(world.links(), 2);
}
