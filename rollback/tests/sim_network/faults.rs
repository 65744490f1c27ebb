//! Effect of each link setting on packets, and their order of arrival.

use super::{MILLI, drain, pair, stream};
use isostep_rollback::Time;
use isostep_rollback::internals::{Change, SimEvent, Timers};
use isostep_rollback::sim_network::{
    Bandwidth, Bursts, Corruption, Jitter, LinkConfig, SimNetwork,
};
use std::time::Duration;

fn latency(millis: u64) -> LinkConfig {
    LinkConfig { latency: Duration::from_millis(millis), ..LinkConfig::perfect() }
}

fn shaky() -> LinkConfig {
    LinkConfig { jitter: Jitter::Uniform { spread: Duration::from_millis(40) }, ..latency(50) }
}

#[test]
fn equal_arrivals_come_in_the_order_of_sending() {
    let mut network = SimNetwork::new(0);
    let nodes: Vec<_> = (0..4).map(|_| network.add_node()).collect();
    network.set_all_links(latency(10)).unwrap();
    network.set_link(nodes[3], nodes[0], latency(5)).unwrap();
    for (from, to) in [(2, 1), (0, 3), (1, 0), (0, 1)] {
        network.send(Time::ZERO, nodes[from], nodes[to], &[]).unwrap();
    }
    // Sent later, but arrives with the others.
    network.send(Time::from_millis(5), nodes[3], nodes[0], &[]).unwrap();
    let order: Vec<_> = drain(&mut network)
        .into_iter()
        .map(|(_, from, to, _)| (from.index(), to.index()))
        .collect();
    assert_eq!(order, [(2, 1), (0, 3), (1, 0), (0, 1), (3, 0)]);
}

#[test]
fn receive_gives_a_node_its_own_packets_once_they_have_arrived() {
    let (mut network, a, b) = pair(0, latency(10));
    network.send(Time::ZERO, a, b, b"first").unwrap();
    let mut bytes = vec![9; 100];
    assert_eq!(network.receive(Time::from_nanos(10 * MILLI - 1), b, &mut bytes), Ok(None));
    assert_eq!(network.receive(Time::from_millis(10), a, &mut bytes), Ok(None));
    assert_eq!(network.next_delivery_to(b), Ok(Some(Time::from_millis(10))));
    let packet = network.receive(Time::from_millis(30), b, &mut bytes).unwrap().unwrap();
    assert_eq!(
        (packet.at, packet.from, bytes.as_slice()),
        (Time::from_millis(10), a, &b"first"[..])
    );
    assert_eq!(network.next_delivery(), None);
}

#[test]
fn jitter_reorders_unless_the_path_keeps_order() {
    let numbers = |config| {
        stream(1, config, 1000, MILLI).into_iter().map(|packet| packet.0).collect::<Vec<_>>()
    };
    assert!(!numbers(shaky()).is_sorted());
    let fifo = LinkConfig {
        keep_order: true,
        duplicate_ppm: 100_000,
        reorder_ppm: 10_000,
        reorder_delay: Duration::from_millis(500),
        ..shaky()
    };
    let fifo = numbers(fifo);
    assert!(fifo.is_sorted() && fifo.len() > 1000);
}

#[test]
fn held_back_packets_are_overtaken_and_counted() {
    let config = LinkConfig {
        reorder_ppm: 100_000,
        reorder_delay: Duration::from_millis(15),
        ..latency(20)
    };
    let (mut network, from, to) = pair(2, config);
    for number in 0..1000 {
        network.send(Time::from_millis(number * 10), from, to, &[]).unwrap();
    }
    let late = drain(&mut network);
    let held = late.iter().filter(|(at, ..)| at / MILLI % 10 == 5).count();
    assert!((60..140).contains(&held), "{held} of 1000 held back");
    // One that is held back is overtaken by the next, unless that one is held back too.
    let reordered = network.stats(from, to).unwrap().reordered;
    assert!(reordered > held as u64 / 2 && reordered <= held as u64);
}

#[test]
fn bandwidth_sends_one_packet_after_the_other() {
    // 1000 bytes take a millisecond; a third of the rate does not divide evenly, and still no error adds up.
    for (rate, last) in [(8_000_000, 50 * MILLI), (24_000_000, (50 * MILLI).div_ceil(3))] {
        let bandwidth = Bandwidth { bits_per_second: rate, queue_bytes: 50_000 };
        let config = LinkConfig { bandwidth: Some(bandwidth), ..LinkConfig::perfect() };
        let (mut network, from, to) = pair(3, config);
        for _ in 0..60 {
            network.send(Time::ZERO, from, to, &[0; 1000]).unwrap();
        }
        let arrived = drain(&mut network);
        let bits = |count: usize| (count as u64 * 8_000 * 1_000_000_000).div_ceil(rate);
        assert!(arrived.iter().enumerate().all(|(index, packet)| packet.0 == bits(index + 1)));
        assert_eq!((arrived.len(), arrived[49].0), (50, last));
        assert_eq!(network.stats(from, to).unwrap().lost.queue, 10);
    }
}

#[test]
fn an_idle_link_takes_a_packet_larger_than_its_queue() {
    let bandwidth = Bandwidth { bits_per_second: 8_000_000, queue_bytes: 10 };
    let config = LinkConfig { bandwidth: Some(bandwidth), ..LinkConfig::perfect() };
    let (mut network, from, to) = pair(3, config);
    for millis in [0, 0, 1, 5] {
        network.send(Time::from_millis(millis), from, to, &[0; 1000]).unwrap();
    }
    let times: Vec<_> = drain(&mut network).into_iter().map(|packet| packet.0 / MILLI).collect();
    assert_eq!(times, [1, 2, 6]);
}

#[test]
fn larger_packets_than_the_limit_are_dropped() {
    let (mut network, from, to) = pair(0, LinkConfig { mtu: Some(100), ..LinkConfig::perfect() });
    network.send(Time::ZERO, from, to, &[1; 101]).unwrap();
    network.send(Time::ZERO, from, to, &[2; 100]).unwrap();
    assert_eq!(drain(&mut network), [(0, from, to, vec![2; 100])]);
    assert_eq!(network.stats(from, to).unwrap().lost.too_big, 1);
}

#[test]
fn partitions_lose_what_is_sent_in_their_window() {
    let (mut network, a, b) = pair(0, latency(5));
    network.partition(a, b, Time::from_millis(10)..Time::from_millis(20)).unwrap();
    network.partition_both(b, a, Time::from_millis(30)..Time::from_millis(40)).unwrap();
    for millis in 0..50 {
        network.send(Time::from_millis(millis), a, b, &[]).unwrap();
        network.send(Time::from_millis(millis), b, a, &[]).unwrap();
    }
    let arrived = drain(&mut network);
    let sent = |from, latency| -> Vec<u64> {
        let packets = arrived.iter().filter(|packet| packet.1 == from);
        packets.map(|packet| packet.0 / MILLI - latency).collect()
    };
    let expected = |open: fn(&u64) -> bool| (0..50).filter(open).collect::<Vec<_>>();
    assert_eq!(sent(a, 5), expected(|t| !(10..20).contains(t) && !(30..40).contains(t)));
    assert_eq!(sent(b, 0), expected(|t| !(30..40).contains(t)));
    assert_eq!(network.stats(a, b).unwrap().lost.partition, 20);
}

#[test]
fn changes_hold_for_packets_sent_from_their_time_on() {
    let (mut network, a, b) = pair(0, latency(100));
    network
        .at(Time::from_millis(20), Change::OneWay { from: a, to: b, config: latency(7) })
        .unwrap();
    network.at(Time::from_millis(10), Change::All { config: latency(30) }).unwrap();
    for millis in [0, 9, 10, 19, 20] {
        network.send(Time::from_millis(millis), a, b, &[millis as u8]).unwrap();
    }
    assert_eq!(network.link(b, a), Ok(&latency(30)));
    network.set_link(a, b, latency(1)).unwrap();
    network.send(Time::from_millis(20), a, b, &[21]).unwrap();
    let arrived: Vec<_> = drain(&mut network).into_iter().map(|p| (p.0 / MILLI, p.3[0])).collect();
    assert_eq!(arrived, [(21, 21), (27, 20), (40, 10), (49, 19), (100, 0), (109, 9)]);
}

#[test]
fn a_slower_rate_counts_after_what_already_waits() {
    let rate = |bits_per_second| LinkConfig {
        bandwidth: Some(Bandwidth { bits_per_second, queue_bytes: 10_000 }),
        ..LinkConfig::perfect()
    };
    let (mut network, a, b) = pair(0, rate(8_000_000));
    network.send(Time::ZERO, a, b, &[0; 2000]).unwrap();
    network.set_link(a, b, rate(4_000_000)).unwrap();
    network.send(Time::from_millis(1), a, b, &[0; 1000]).unwrap();
    let times: Vec<_> = drain(&mut network).into_iter().map(|packet| packet.0 / MILLI).collect();
    assert_eq!(times, [2, 4]);
}

#[test]
fn corruption_changes_packets_and_never_grows_them() {
    for (size, cut_ppm) in [(1, 0), (3, 0), (100, 0), (100, 1_000_000), (1, 1_000_000)] {
        let corruption = Corruption { ppm: 1_000_000, max_bit_flips: 5, cut_ppm };
        let config = LinkConfig { corruption: Some(corruption), ..LinkConfig::perfect() };
        let (mut network, from, to) = pair(4, config);
        let sent = vec![0; size];
        (0..500).for_each(|_| network.send(Time::ZERO, from, to, &sent).unwrap());
        let arrived = drain(&mut network);
        let mut seen = [false; 6];
        for (.., bytes) in &arrived {
            let flips = bytes.iter().map(|byte| byte.count_ones()).sum::<u32>();
            seen[flips as usize] = true;
            assert_eq!(cut_ppm > 0, flips == 0);
            assert_eq!(cut_ppm > 0, bytes.len() < size);
        }
        assert!(cut_ppm > 0 || seen == [false, true, true, true, true, true]);
        assert_eq!(network.stats(from, to).unwrap().corrupted, 500);
    }
}

#[test]
fn empty_packets_have_nothing_to_corrupt() {
    let (mut network, from, to) = pair(
        4,
        LinkConfig {
            corruption: Some(Corruption { ppm: 1_000_000, max_bit_flips: 5, cut_ppm: 500_000 }),
            ..LinkConfig::perfect()
        },
    );
    network.send(Time::ZERO, from, to, &[]).unwrap();
    assert_eq!(drain(&mut network), [(0, from, to, vec![])]);
    assert_eq!(network.stats(from, to).unwrap().corrupted, 0);
}

#[test]
fn duplicates_arrive_twice() {
    for seed in 0..20 {
        let (mut network, from, to) =
            pair(seed, LinkConfig { duplicate_ppm: 1_000_000, ..shaky() });
        network.send(Time::ZERO, from, to, b"twice").unwrap();
        let arrived = drain(&mut network);
        assert!(arrived.len() == 2 && arrived.iter().all(|packet| packet.3 == b"twice"));
        assert_ne!(arrived[0].0, arrived[1].0);
        // Even where the copy came first.
        assert_eq!(network.stats(from, to).unwrap().reordered, 0);
    }
}

#[test]
fn a_burst_ends_when_the_burst_model_is_taken_away() {
    let bursts = |enter_ppm| LinkConfig {
        bursts: Some(Bursts { enter_ppm, leave_ppm: 1, good_loss_ppm: 0, bad_loss_ppm: 1_000_000 }),
        ..LinkConfig::perfect()
    };
    let (mut network, from, to) = pair(0, bursts(1_000_000));
    network.send(Time::ZERO, from, to, b"lost").unwrap();
    network.set_link(from, to, LinkConfig::perfect()).unwrap();
    network.set_link(from, to, bursts(0)).unwrap();
    network.send(Time::ZERO, from, to, b"kept").unwrap();
    assert_eq!(drain(&mut network), [(0, from, to, b"kept".to_vec())]);
}

#[test]
fn of_changes_at_one_time_the_last_planned_holds() {
    let (mut network, a, b) = pair(0, latency(100));
    for millis in [50, 7] {
        network.at(Time::from_millis(1), Change::All { config: latency(millis) }).unwrap();
    }
    network.send(Time::from_millis(1), a, b, &[]).unwrap();
    assert_eq!(network.next_delivery(), Some(Time::from_millis(8)));
}

#[test]
fn stats_read_as_a_line() {
    let (mut network, from, to) = pair(0, LinkConfig { mtu: Some(3), ..latency(1) });
    for size in [1, 2, 3, 4] {
        network.send(Time::ZERO, from, to, &[0; 4][..size]).unwrap();
    }
    let mut bytes = Vec::new();
    network.poll(Time::from_millis(1), &mut bytes).unwrap();
    assert_eq!(
        network.total_stats().to_string(),
        "sent 4 (10 B), delivered 1 (1 B), in flight 2, lost 1 (too big 1), duplicated 0, corrupted 0, reordered 0"
    );
}

#[test]
fn timers_run_out_by_time_then_key_then_setting() {
    let mut timers = Timers::new();
    for (millis, key) in [(5, 'b'), (5, 'a'), (3, 'c'), (9, 'a'), (5, 'c')] {
        timers.set(Time::from_millis(millis), key);
    }
    timers.cancel('c');
    timers.set(Time::from_millis(1), 'd');
    assert_eq!(timers.next_wake(), Some(Time::from_millis(1)));
    let order: Vec<_> =
        std::iter::from_fn(|| timers.pop(Time::from_millis(8))).map(|wake| wake.1).collect();
    assert_eq!(order, ['d', 'a', 'b']);
    assert_eq!(timers.next_wake(), Some(Time::from_millis(9)));
}

#[test]
fn events_give_packets_before_wakes_of_the_same_moment() {
    let (mut network, a, b) = pair(0, latency(10));
    let mut timers = Timers::new();
    [0, 5, 10, 25].iter().for_each(|millis| timers.set(Time::from_millis(*millis), a));
    let (mut order, mut bytes) = (Vec::new(), Vec::new());
    while let Some(event) = timers.next_event(&mut network, Time::from_millis(24), &mut bytes) {
        match event {
            SimEvent::Wake { at, key } => {
                order.push(('w', at.nanos() / MILLI));
                network.send(at, key, b, &[]).unwrap();
            }
            SimEvent::Packet(packet) => order.push(('p', packet.at.nanos() / MILLI)),
        }
    }
    assert_eq!(order, [('w', 0), ('w', 5), ('p', 10), ('w', 10), ('p', 15), ('p', 20)]);
    assert_eq!(timers.next_wake(), Some(Time::from_millis(25)));
}
