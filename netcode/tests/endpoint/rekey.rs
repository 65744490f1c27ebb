//! Rekeying under traffic.

use super::harness::{Weather, World, ms};
use isostep_netcode::crypto::MachineId;

const ROUGH: Weather = Weather { loss: 100, doubles: 30, latency: 40, jitter: 60, longest: None };

fn epochs(world: &World) -> (u64, u64) {
    let epoch = |place: usize, other| world.nodes[place].endpoint.key_epoch(MachineId(other));
    (epoch(0, 1).expect("connected"), epoch(1, 0).expect("connected"))
}

/// The same traffic with one rekey and with sixty: exactly the packets that the network delivers arrive.
#[test]
fn rekeying_each_second_loses_no_packets() {
    let mut world = World::configured(2, ROUGH, 1, |config| config.key_lifetime(ms(1000)));
    world.mesh();
    world.run(ms(4000));
    world.play(60_000 / 16, 1);
    world.run(ms(500));
    let (ours, theirs) = epochs(&world);
    assert!((40..=64).contains(&ours), "{ours}");
    assert!(ours.abs_diff(theirs) <= 1, "{ours} and {theirs}");
    for node in &world.nodes {
        let counters = node.endpoint.counters();
        assert_eq!(counters.decrypt_failed, 0, "everything that arrived was opened");
        assert_eq!(counters.malformed, 0);
        assert!(counters.replayed > 0, "doubles were dropped");
    }
}

#[test]
fn an_idle_connection_rekeys() {
    let mut world =
        World::configured(2, Weather { latency: 40, ..Weather::default() }, 2, |config| {
            config.key_lifetime(ms(2000))
        });
    world.mesh();
    world.run(ms(60_000));
    let (ours, theirs) = epochs(&world);
    assert_eq!(ours, theirs);
    assert!((20..=30).contains(&ours), "{ours}");
    assert_eq!(world.nodes[0].endpoint.counters().decrypt_failed, 0);
}

#[test]
fn the_default_key_lifetime_is_two_minutes() {
    let mut world = World::pair(3);
    world.run(ms(117_000));
    assert_eq!(epochs(&world), (0, 0));
    world.run(ms(2000));
    assert_eq!(epochs(&world), (1, 1));
}

/// Only the initiator starts a rekey; a responder with a shorter key lifetime waits for it.
#[test]
fn messages_survive_rekeying() {
    let mut world = World::configured(2, ROUGH, 4, |config| config.key_lifetime(ms(300)));
    world.mesh();
    world.run(ms(3000));
    for number in 0..40u8 {
        for (place, other) in [(0, 1), (1, 0)] {
            let sent = world.nodes[place].endpoint.send_message(MachineId(other), &[number; 5000]);
            sent.expect("room");
        }
        world.run(ms(500));
    }
    world.run(ms(5000));
    for node in &world.nodes {
        assert_eq!(node.messages.len(), 40);
    }
    assert!(epochs(&world).0 > 30);
}

/// The path from the initiator fails for four seconds after its rekey: packets of the responder under the previous keys
/// still open.
#[test]
fn packets_decrypt_while_rekey_responses_are_lost() {
    let mut world =
        World::configured(2, Weather { latency: 30, ..Weather::default() }, 5, |config| {
            config.key_lifetime(ms(1000))
        });
    world.mesh();
    world.run(ms(500));
    while epochs(&world).0 == 0 {
        world.run(ms(1));
    }
    assert_eq!(epochs(&world), (1, 0), "the responder has not heard of it");
    // No packet reaches the responder from here on.
    world.routes.remove(&super::harness::node(1));
    let before = world.nodes[0].game.len();
    world.play(270, 1);
    world.run(ms(100));
    assert_eq!(world.nodes[0].endpoint.counters().decrypt_failed, 0);
    assert_eq!(world.nodes[0].game.len() - before, 270);
    world.routes.insert(super::harness::node(1), 1);
    world.play(100, 2);
    assert_eq!(world.links(), 2);
    let (ours, theirs) = epochs(&world);
    assert!(ours.abs_diff(theirs) <= 1 && theirs > 0, "{ours} and {theirs}");
}
