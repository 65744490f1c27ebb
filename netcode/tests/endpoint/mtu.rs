//! MTU probing.

use super::harness::{Weather, World, ms};
use isostep_netcode::Event;
use isostep_netcode::crypto::MachineId;

#[test]
fn mtu_probing_reaches_the_path_mtu() {
    let paths =
        [(1200, 1200), (1279, 1200), (1280, 1280), (1371, 1280), (1372, 1372), (1419, 1372)];
    let more = [(1420, 1420), (1451, 1420), (1452, 1452), (9000, 1452)];
    for (path, expected) in paths.into_iter().chain(more) {
        let weather = Weather { latency: 20, longest: Some(path), ..Weather::default() };
        let mut world = World::of(2, weather, 1);
        world.mesh();
        world.run(ms(10_000));
        for (place, other) in [(0, 1), (1, 0)] {
            let found = world.nodes[place].endpoint.mtu(MachineId(other));
            assert_eq!(found, Some(expected), "a path of {path} bytes");
        }
        let before = world.sent.len();
        world.nodes[0].endpoint.send_datagram(world.now, MachineId(1), &[1; 15_000]);
        world.drain(0);
        world.run(ms(1000));
        assert!(world.sent[before..].iter().all(|sent| sent.bytes.len() <= expected));
        assert_eq!(world.nodes[1].datagrams.len(), 1, "a path of {path} bytes");
    }
}

#[test]
fn the_smaller_max_mtu_applies() {
    let played = super::harness::Match::new(2);
    let ends = vec![
        super::harness::endpoint(played.config(0).max_mtu(1300), 1),
        super::harness::endpoint(played.config(1), 2),
    ];
    let mut world = World::new(ends, Weather::default(), 1);
    world.mesh();
    world.run(ms(10_000));
    assert!(world.sent.iter().all(|sent| sent.bytes.len() <= 1300));
    assert_eq!(world.nodes[1].endpoint.mtu(MachineId(0)), Some(1280));
}

#[test]
fn mtu_probing_succeeds_at_twenty_percent_loss() {
    let weather = Weather { loss: 200, latency: 20, ..Weather::default() };
    let found = (0..20).filter(|seed| {
        let mut world = World::of(2, weather, 100 + seed);
        world.mesh();
        world.run(ms(15_000));
        world.nodes[0].endpoint.mtu(MachineId(1)) == Some(1452)
    });
    assert!(found.count() >= 15);
}

#[test]
fn each_mtu_increase_is_reported_once() {
    let world = World::pair(3);
    let raised: Vec<_> = world.nodes[0]
        .events
        .iter()
        .filter_map(|event| match event {
            Event::MtuRaised { bytes, .. } => Some(*bytes),
            _ => None,
        })
        .collect();
    assert_eq!(raised, [1280, 1372, 1420, 1452]);
}
