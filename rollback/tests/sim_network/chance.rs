//! Keys and distributions of the randomness. Seeds are fixed, so a bound either holds always or
//! never; bounds are five standard deviations of the count.

use super::{MILLI, drain, pair, stream};
use isostep_rollback::Time;
use isostep_rollback::sim_network::{Bursts, Corruption, Jitter, LinkConfig, SimNetwork};
use std::collections::BTreeMap;
use std::time::Duration;

const MANY: u32 = 200_000;

/// That `count` of `total` is `ppm` by five standard deviations.
fn assert_share(count: usize, total: u32, ppm: u64) {
    let (count, total) = (count as u64, u64::from(total));
    let expected = total * ppm / 1_000_000;
    let deviation = (expected * (1_000_000 - ppm) / 1_000_000).isqrt() + 1;
    let (low, high) = (expected.saturating_sub(5 * deviation), expected + 5 * deviation);
    assert!((low..=high).contains(&count), "{count} of {total} is not in {low}..={high}");
}

fn lost(arrived: &[(u32, u64)], count: u32) -> Vec<bool> {
    let mut lost = vec![true; count as usize];
    arrived.iter().for_each(|(number, _)| lost[*number as usize] = false);
    lost
}

#[test]
fn one_seed_gives_one_trace_and_another_seed_another() {
    let trace = |seed| {
        let corruption = Corruption { ppm: 100_000, max_bit_flips: 8, cut_ppm: 500_000 };
        let config = LinkConfig { corruption: Some(corruption), ..LinkConfig::severe() };
        let (mut network, from, to) = pair(seed, config);
        for tick in 0..1000 {
            network.send(Time::from_millis(tick * 16), from, to, &tick.to_le_bytes()).unwrap();
        }
        (drain(&mut network), network.total_stats())
    };
    assert_eq!(trace(1), trace(1));
    assert_ne!(trace(1), trace(2));
}

/// The trace is the same on every machine and stays so: who changes it changes every seed that a bug report names.
#[test]
fn the_trace_of_a_seed_is_pinned() {
    let (mut network, from, to) = pair(42, LinkConfig::severe());
    for tick in 0..10_000_u64 {
        network.send(Time::from_millis(tick * 16), from, to, &tick.to_le_bytes()).unwrap();
    }
    let arrived = drain(&mut network);
    let first: Vec<_> = arrived.iter().take(4).map(|(at, .., bytes)| (*at, bytes[0])).collect();
    // FNV-1a over times and bytes.
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let digest = arrived.iter().fold(0xcbf2_9ce4_8422_2325, |hash, (at, .., bytes)| {
        at.to_le_bytes().iter().chain(bytes).fold(hash, fold)
    });
    let pinned = [(182_283_729, 0), (187_514_073, 2), (209_706_422, 1), (237_893_631, 4)];
    assert_eq!((first, arrived.len(), digest), (pinned.to_vec(), 8538, 14_776_553_331_447_276_253));
}

#[test]
fn directions_and_links_draw_apart() {
    let (mut network, a, b) = pair(3, LinkConfig::severe());
    network.set_all_links(LinkConfig::severe()).unwrap();
    for _ in 0..100 {
        network.send(Time::ZERO, a, b, &[0]).unwrap();
        network.send(Time::ZERO, b, a, &[0]).unwrap();
    }
    let arrived = drain(&mut network);
    let times = |to| arrived.iter().filter(|p| p.2 == to).map(|p| p.0).collect::<Vec<_>>();
    assert_ne!(times(a), times(b));
}

#[test]
fn traffic_on_other_links_leaves_a_trace_as_it_is() {
    let trace = |crowded: bool| {
        let mut network = SimNetwork::new(9);
        network.set_all_links(LinkConfig::severe()).unwrap();
        let (a, b) = (network.add_node(), network.add_node());
        let third = crowded.then(|| network.add_node());
        for tick in 0..500_u32 {
            let now = Time::from_millis(u64::from(tick) * 16);
            if let Some(third) = third {
                network.send(now, third, a, &[1; 700]).unwrap();
                network.send(now, a, third, &[2]).unwrap();
            }
            network.send(now, a, b, &tick.to_le_bytes()).unwrap();
            network.send(now, b, a, &tick.to_le_bytes()).unwrap();
        }
        let mut arrived = drain(&mut network);
        arrived.retain(|(_, from, to, _)| Some(*from) != third && Some(*to) != third);
        arrived
    };
    assert_eq!(trace(false), trace(true));
}

#[test]
fn switching_faults_on_leaves_the_delays_of_the_rest() {
    let quiet = LinkConfig {
        latency: Duration::from_millis(50),
        jitter: Jitter::Normal { spread: Duration::from_millis(20) },
        ..LinkConfig::perfect()
    };
    let delays: BTreeMap<_, _> = stream(4, quiet, 2000, MILLI).into_iter().collect();
    let bursts = LinkConfig::severe().bursts;
    let faulty = LinkConfig { loss_ppm: 200_000, bursts, duplicate_ppm: 100_000, ..quiet };
    // Each surviving number has its old delay, be it among those of a copy.
    let arrived = stream(4, faulty, 2000, MILLI);
    let kept = arrived.iter().filter(|(number, delay)| delays[number] == *delay).count();
    let numbers: BTreeMap<_, _> = arrived.iter().copied().collect();
    assert_eq!(kept, numbers.len());
    assert!(arrived.len() > numbers.len() && numbers.len() < 2000);
}

#[test]
fn more_loss_loses_what_less_loss_did_and_more() {
    let at = |loss_ppm| {
        let config = LinkConfig { loss_ppm, ..LinkConfig::perfect() };
        lost(&stream(5, config, 5000, MILLI), 5000)
    };
    let (less, more) = (at(50_000), at(150_000));
    assert!(less.iter().zip(&more).all(|(less, more)| *more || !less));
}

#[test]
fn loss_duplicates_and_corruption_have_their_rates() {
    let config = LinkConfig {
        loss_ppm: 50_000,
        duplicate_ppm: 20_000,
        corruption: Some(Corruption { ppm: 30_000, max_bit_flips: 4, cut_ppm: 500_000 }),
        ..LinkConfig::perfect()
    };
    let (mut network, from, to) = pair(6, config);
    for _ in 0..MANY {
        network.send(Time::ZERO, from, to, &[7; 16]).unwrap();
    }
    let arrived = drain(&mut network);
    let stats = network.stats(from, to).unwrap();
    assert_share(stats.lost.random as usize, MANY, 50_000);
    let kept = MANY - stats.lost.random as u32;
    assert_share(stats.duplicated as usize, kept, 20_000);
    assert_share(stats.corrupted as usize, arrived.len() as u32, 30_000);
    let cut = arrived.iter().filter(|(.., bytes)| bytes.len() < 16).count();
    assert_share(cut, stats.corrupted as u32, 500_000);
}

#[test]
fn bursts_have_their_lengths_and_their_share() {
    let bursts =
        Bursts { enter_ppm: 10_000, leave_ppm: 100_000, good_loss_ppm: 0, bad_loss_ppm: 1_000_000 };
    let config = LinkConfig { bursts: Some(bursts), ..LinkConfig::perfect() };
    let lost = lost(&stream(7, config, MANY, MILLI), MANY);
    let count = lost.iter().filter(|lost| **lost).count();
    let runs = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count();
    // 1 ⁄ 11 of all in runs of ten on average. Runs of a chain spread wider than single packets do, so 10 % each way.
    assert!((16_300..=20_000).contains(&count), "{count} lost");
    assert!((900..=1100).contains(&(count * 100 / runs)), "{count} lost in {runs} runs");
}

#[test]
fn the_profiles_lose_what_they_say() {
    let profiles = [
        (LinkConfig::lan(), 0),
        (LinkConfig::wifi(), 10_000),
        (LinkConfig::mobile(), 50_000),
        (LinkConfig::severe(), 150_000),
    ];
    for (config, ppm) in profiles {
        config.validate().unwrap();
        let (mut network, from, to) = pair(8, config);
        for number in 0..u64::from(MANY) {
            network.send(Time::from_millis(number * 16), from, to, &[0; 60]).unwrap();
        }
        let lost = network.stats(from, to).unwrap().lost.total() * 1_000_000 / u64::from(MANY);
        assert!(lost.abs_diff(ppm) <= ppm / 25, "{lost} ppm lost, not {ppm}");
    }
}

#[test]
fn uniform_jitter_fills_its_bounds_evenly() {
    let config = LinkConfig {
        latency: Duration::from_micros(1),
        jitter: Jitter::Uniform { spread: Duration::from_nanos(10) },
        ..LinkConfig::perfect()
    };
    let mut counts = BTreeMap::new();
    for (_, delay) in stream(10, config, MANY, MILLI) {
        *counts.entry(delay).or_insert(0) += 1;
    }
    assert_eq!((counts.len(), *counts.keys().min().unwrap()), (21, 990));
    counts.values().for_each(|count| assert_share(*count, MANY, 1_000_000 / 21));
}

#[test]
fn normal_jitter_is_bell_shaped_and_clipped() {
    let config = LinkConfig {
        latency: Duration::from_millis(50),
        jitter: Jitter::Normal { spread: Duration::from_millis(30) },
        ..LinkConfig::perfect()
    };
    let delays: Vec<u64> = stream(11, config, MANY, MILLI).into_iter().map(|d| d.1).collect();
    let within =
        |millis| delays.iter().filter(|delay| delay.abs_diff(50 * MILLI) < millis * MILLI).count();
    // Of the sum of twelve, exactly; a normal distribution has 68.3 %, 95.4 % and 99.7 %.
    assert_share(within(10), MANY, 678_546);
    assert_share(within(20), MANY, 955_449);
    assert_share(within(30), MANY, 997_986);
    assert!(delays.iter().all(|delay| (20 * MILLI..=80 * MILLI).contains(delay)));
    let mean = delays.iter().sum::<u64>() / u64::from(MANY);
    assert!(mean.abs_diff(50 * MILLI) < MILLI / 8, "the mean is {mean} ns");
}

#[test]
fn pareto_jitter_has_its_quantiles_and_is_clipped() {
    let config = LinkConfig {
        latency: Duration::from_millis(100),
        jitter: Jitter::Pareto {
            scale: Duration::from_millis(10),
            most: Duration::from_millis(200),
        },
        ..LinkConfig::perfect()
    };
    let delays: Vec<u64> = stream(12, config, MANY, MILLI).into_iter().map(|d| d.1).collect();
    let later = |millis: u64| delays.iter().filter(|d| **d >= (100 + millis) * MILLI).count();
    // Later by x scales: 1 ⁄ (1 + x)² of the packets.
    assert_share(later(0), MANY, 1_000_000);
    assert_share(later(10), MANY, 250_000);
    assert_share(later(40), MANY, 40_000);
    assert_share(later(90), MANY, 10_000);
    assert_share(later(200), MANY, 1_000_000 / 441);
    assert_eq!(delays.iter().max(), Some(&(300 * MILLI)));
}
