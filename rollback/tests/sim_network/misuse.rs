//! Misuse answers with a typed error and changes nothing.

use super::pair;
use isostep_rollback::Time;
use isostep_rollback::internals::{Change, LinkStats, SendError, UnknownNode};
use isostep_rollback::sim_network::{
    Bandwidth, Bursts, ConfigError, Corruption, Jitter, LinkConfig, LinkError, SimNetwork,
};
use std::time::Duration;

#[test]
fn configurations_out_of_range_are_refused_by_name() {
    let good = LinkConfig::severe();
    let long = Duration::from_hours(2);
    let bursts = Bursts { enter_ppm: 1, leave_ppm: 1, good_loss_ppm: 0, bad_loss_ppm: 0 };
    let corruption = Corruption { ppm: 1, max_bit_flips: 1, cut_ppm: 0 };
    let above = |field, ppm| ConfigError::AboveMillion { field, ppm };
    let cases = [
        (LinkConfig { loss_ppm: 1_000_001, ..good }, above("loss_ppm", 1_000_001)),
        (LinkConfig { reorder_ppm: u32::MAX, ..good }, above("reorder_ppm", u32::MAX)),
        (LinkConfig { duplicate_ppm: 2_000_000, ..good }, above("duplicate_ppm", 2_000_000)),
        (
            LinkConfig { bursts: Some(Bursts { bad_loss_ppm: 1_000_001, ..bursts }), ..good },
            above("bursts.bad_loss_ppm", 1_000_001),
        ),
        (
            LinkConfig { bursts: Some(Bursts { leave_ppm: 0, ..bursts }), ..good },
            ConfigError::EndlessBursts,
        ),
        (
            LinkConfig {
                corruption: Some(Corruption { cut_ppm: 1_000_001, ..corruption }),
                ..good
            },
            above("corruption.cut_ppm", 1_000_001),
        ),
        (
            LinkConfig { corruption: Some(Corruption { max_bit_flips: 0, ..corruption }), ..good },
            ConfigError::BitFlips(0),
        ),
        (
            LinkConfig { latency: long, ..good },
            ConfigError::DelayTooLong { field: "latency", delay: long },
        ),
        (
            LinkConfig { jitter: Jitter::Pareto { scale: long, most: Duration::ZERO }, ..good },
            ConfigError::DelayTooLong { field: "jitter.scale", delay: long },
        ),
        (
            LinkConfig { latency: Duration::from_millis(79), ..good },
            ConfigError::JitterAboveLatency {
                spread: Duration::from_millis(80),
                latency: Duration::from_millis(79),
            },
        ),
        (LinkConfig { reorder_delay: Duration::ZERO, ..good }, ConfigError::NoReorderDelay),
        (
            LinkConfig {
                bandwidth: Some(Bandwidth { bits_per_second: 0, queue_bytes: 1 }),
                ..good
            },
            ConfigError::BitsPerSecond(0),
        ),
        (LinkConfig { mtu: Some(0), ..good }, ConfigError::ZeroMtu),
    ];
    for (config, error) in cases {
        let (mut network, a, b) = pair(0, good);
        assert_eq!(config.validate(), Err(error));
        assert_eq!(network.set_both_ways(a, b, config), Err(error.into()));
        assert_eq!(network.set_all_links(config), Err(error.into()));
        assert_eq!(network.at(Time::from_millis(1), Change::All { config }), Err(error.into()));
        assert_eq!(network.link(a, b), Ok(&good));
    }
}

#[test]
fn nodes_of_another_network_are_refused() {
    let (mut network, a, b) = pair(0, LinkConfig::perfect());
    let mut larger = SimNetwork::new(0);
    let stranger = (0..3).map(|_| larger.add_node()).last().unwrap();
    let unknown = UnknownNode(stranger);
    let (config, window) = (LinkConfig::lan(), Time::ZERO..Time::from_millis(1));
    assert_eq!(network.set_link(stranger, a, config), Err(unknown.into()));
    assert_eq!(network.set_both_ways(a, stranger, config), Err(unknown.into()));
    assert_eq!(network.partition(a, stranger, window.clone()), Err(unknown.into()));
    assert_eq!(network.partition_both(a, stranger, window), Err(unknown.into()));
    assert_eq!(network.send(Time::ZERO, a, stranger, &[]), Err(unknown.into()));
    assert_eq!(network.receive(Time::ZERO, stranger, &mut Vec::new()), Err(unknown));
    assert_eq!(network.stats(stranger, b), Err(unknown));
    assert_eq!(network.link(stranger, b), Err(unknown));
    assert_eq!(network.next_delivery_to(stranger), Err(unknown));
    assert_eq!(network.nodes().collect::<Vec<_>>(), [a, b]);
    assert_eq!(
        unknown.to_string(),
        "node 2 belongs to another network; use an id from this network's add_node"
    );
}

#[test]
fn time_never_goes_back_for_senders() {
    let (mut network, a, b) = pair(0, LinkConfig::perfect());
    network.receive(Time::from_millis(5), a, &mut Vec::new()).unwrap();
    let (now, latest) = (Time::from_millis(4), Time::from_millis(5));
    assert_eq!(network.send(now, a, b, &[]), Err(SendError::TimeWentBack { now, latest }));
    assert_eq!(network.stats(a, b), Ok(LinkStats::default()));
    network.send(latest, a, b, &[]).unwrap();
}

#[test]
fn empty_partitions_are_refused() {
    let (mut network, a, b) = pair(0, LinkConfig::perfect());
    let (start, end) = (Time::from_millis(4), Time::from_millis(4));
    assert_eq!(network.partition(a, b, start..end), Err(LinkError::EmptyWindow { start, end }));
}

#[test]
fn the_end_of_time_is_reached_without_harm() {
    let (mut network, a, b) = pair(0, LinkConfig::severe());
    let end = Time::from_nanos(u64::MAX);
    for _ in 0..100 {
        network.send(end, a, b, &[1]).unwrap();
    }
    let mut bytes = Vec::new();
    while let Some(packet) = network.poll(end, &mut bytes) {
        assert_eq!(packet.at, end);
    }
    assert_eq!(network.total_stats().in_flight, 0);
}
