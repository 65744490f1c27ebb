//! Replayed and redirected packets have no effect.

use super::harness::{Datagram, Match, Weather, World, endpoint, ms, node};
use isostep_core::Rng;
use isostep_netcode::crypto::MachineId;
use isostep_netcode::{CloseReason, Event};

/// Records a session with handshake, frames, long datagrams, messages and rekeys.
fn session(machines: usize) -> World {
    let weather = Weather { latency: 15, ..Weather::default() };
    let mut world = World::configured(machines, weather, 2, |config| config.key_lifetime(ms(700)));
    world.mesh();
    world.run(ms(300));
    for _ in 0..3 {
        for place in 0..machines {
            for to in (0..machines).filter(|to| *to != place) {
                let (now, machine) = (world.now, MachineId(to as u8));
                let end = &mut world.nodes[place].endpoint;
                end.send_datagram(now, machine, &[place as u8; 4000]);
                end.send_message(machine, &[place as u8; 3000]).expect("room");
            }
        }
        world.play(30, 1);
    }
    assert_eq!(world.links(), machines * (machines - 1));
    world
}

/// State that replayed packets must not change.
fn heard(world: &World) -> Vec<(usize, usize, usize, usize)> {
    let count = |node: &super::harness::Node| {
        (node.events.len(), node.game.len(), node.datagrams.len(), node.messages.len())
    };
    world.nodes.iter().map(count).collect()
}

fn still_plays(world: &mut World) {
    let before = heard(world);
    world.play(10, 9);
    world.run(ms(100));
    let peers = world.nodes.len() - 1;
    for (node, before) in world.nodes.iter().zip(before) {
        assert_eq!(node.game.len(), before.1 + 10 * peers, "every new frame once");
        assert_eq!(node.events.len(), before.0, "{:?}", node.events);
    }
}

fn send_again(
    world: &mut World,
    recorded: &[Datagram],
    from: impl Fn(&Datagram) -> isostep_netcode::Address,
) {
    let before = heard(world);
    world.held = true;
    for datagram in recorded {
        let place = world.routes[&datagram.to];
        world.put(place, from(datagram), &datagram.bytes);
    }
    world.held = false;
    assert_eq!(heard(world), before, "nothing was delivered or reported");
}

#[test]
fn a_replayed_session_is_ignored() {
    let mut world = session(3);
    let recorded = world.sent.clone();
    let numbers: Vec<_> = world.nodes.iter().map(|node| node.endpoint.counters()).collect();
    send_again(&mut world, &recorded, |datagram| datagram.from);
    for (node, before) in world.nodes.iter().zip(numbers) {
        let now = node.endpoint.counters();
        let dropped = now.replayed - before.replayed + now.decrypt_failed - before.decrypt_failed;
        assert!(dropped > 100, "{dropped}");
        assert_eq!(now.malformed, 0);
    }
    still_plays(&mut world);
}

#[test]
fn a_session_replayed_from_another_address_does_not_migrate() {
    let mut world = session(2);
    let mut rng = Rng::new(3);
    let mut recorded = world.sent.clone();
    for _ in 0..3 {
        rng.shuffle(&mut recorded);
        send_again(&mut world, &recorded, |_| node(77));
        for (place, other) in [(0, 1), (1, 0)] {
            let at = world.nodes[place].endpoint.remote_address(MachineId(other as u8));
            assert_eq!(at, Some(node(other)));
        }
    }
    still_plays(&mut world);
}

/// After half a minute cookies and keys have expired.
#[test]
fn a_session_replayed_after_thirty_seconds_is_ignored() {
    let mut world = session(2);
    let recorded = world.sent.clone();
    world.run(ms(30_000));
    send_again(&mut world, &recorded, |datagram| datagram.from);
    still_plays(&mut world);
}

#[test]
fn a_recorded_init_does_not_replace_a_connection() {
    let mut world = World::of(2, Weather { latency: 10, ..Weather::default() }, 4);
    world.mesh();
    world.run(ms(500));
    let init = world.sent.iter().find(|sent| sent.bytes[0] == 0x83).expect("sent").clone();
    for _ in 0..20 {
        world.put(1, node(0), &init.bytes);
        world.run(ms(50));
    }
    assert_eq!(world.nodes[1].connects(), 1);
    still_plays(&mut world);
}

/// Regression: a delayed or replayed INIT of an aborted attempt replaced the half-open handshake, and the initiator
/// sent packets that no key opened until its idle timeout.
#[test]
fn a_replayed_init_does_not_replace_a_half_open_handshake() {
    for late in [1, 11, 21, 25] {
        let mut world = World::of(2, Weather { latency: 10, ..Weather::default() }, 40);
        world.connect(0, 1);
        world.run(ms(20));
        world.held = true;
        world.run(ms(1));
        let old = world.sent.iter().find(|sent| sent.bytes[0] == 0x83).expect("sent").clone();
        world.held = false;
        world.connect(0, 1);
        world.run(ms(20 + late));
        world.put(1, node(0), &old.bytes);
        // If the old INIT came first, the new one is retransmitted.
        world.run(ms(1000));
        assert_eq!(world.links(), 2, "{late} ms after the cookie");
        still_heard(&mut world);
    }
}

fn still_heard(world: &mut World) {
    let before = heard(world);
    world.play(10, 9);
    world.run(ms(100));
    assert!(world.nodes.iter().zip(before).all(|(node, before)| node.game.len() == before.1 + 10));
}

#[test]
fn a_restarted_initiator_replaces_its_connection() {
    let played = Match::new(2);
    let mut world = World::pair(5);
    // Its connection ids and keys are new, as its entropy is.
    world.nodes[0].endpoint = endpoint(played.config(0), 500);
    world.nodes[0].events.clear();
    world.nodes[1].events.clear();
    world.connect(0, 1);
    world.run(ms(2500));
    let machine = MachineId(0);
    assert_eq!(
        world.nodes[1].events[..2],
        [
            Event::Closed { machine, reason: CloseReason::Replaced },
            Event::Connected { machine, address: node(0) }
        ]
    );
    assert_eq!(world.links(), 2);
    still_plays(&mut world);
}

/// The responder crashed; its new process initiates itself, and replaces the old connection at once.
#[test]
fn a_restarted_responder_is_reconnected() {
    let played = Match::new(2);
    let mut world = World::pair(6);
    world.nodes[1].endpoint = endpoint(played.config(1), 500);
    world.connect(1, 0);
    world.run(ms(2500));
    let machine = MachineId(1);
    let closed = |event: &Event| *event == Event::Closed { machine, reason: CloseReason::Replaced };
    assert_eq!(world.nodes[0].count(closed), 1);
    assert_eq!(world.links(), 2);
    still_plays(&mut world);
}

#[test]
fn reflected_packets_are_ignored() {
    let mut world = session(3);
    let recorded = world.sent.clone();
    let before = heard(&world);
    world.held = true;
    for datagram in &recorded {
        let place = world.routes[&datagram.from];
        world.put(place, datagram.to, &datagram.bytes);
    }
    world.held = false;
    assert_eq!(heard(&world), before);
    still_plays(&mut world);
}

#[test]
fn packets_redirected_to_another_machine_are_ignored() {
    let mut world = session(3);
    let recorded = world.sent.clone();
    let before = heard(&world);
    world.held = true;
    for datagram in &recorded {
        let right = world.routes[&datagram.to];
        for place in (0..3).filter(|place| *place != right) {
            world.put(place, datagram.from, &datagram.bytes);
        }
    }
    world.held = false;
    assert_eq!(heard(&world), before);
    still_plays(&mut world);
}

/// Packets with the id of another connection: the keys of that connection do not open them.
#[test]
fn a_packet_with_another_connection_id_does_not_decrypt() {
    let mut world = session(3);
    world.held = true;
    world.sent.clear();
    world.tick(500, 1);
    let fresh: Vec<_> = world.sent.iter().filter(|sent| sent.to == node(2)).cloned().collect();
    world.held = false;
    let before = heard(&world);
    let dropped = world.nodes[2].endpoint.counters().decrypt_failed;
    for datagram in &fresh {
        for id in 0..=255 {
            let mut other = datagram.bytes.clone();
            if other[1] != id {
                other[1] = id;
                world.put(2, datagram.from, &other);
            }
        }
    }
    assert_eq!(heard(&world), before);
    let counters = world.nodes[2].endpoint.counters();
    assert_eq!(
        counters.decrypt_failed + counters.replayed - dropped,
        fresh.len() as u64 + counters.replayed
    );
    for datagram in fresh {
        world.put(2, datagram.from, &datagram.bytes);
    }
    assert_eq!(world.nodes[2].game.len(), before[2].1 + 2, "the true ones open");
}
