//! Random configurations, changes, partitions and traffic, against a list of what was sent: what must hold of every
//! delivery for every random choice.

use super::MILLI;
use isostep_rollback::Time;
use isostep_rollback::internals::Change;
use isostep_rollback::sim_network::{
    Bandwidth, Bursts, Corruption, Jitter, LinkConfig, SimNetwork,
};
use proptest::prelude::*;
use std::time::Duration;

const NODES: usize = 3;

/// Record of a packet in the oracle. All packets differ in their bytes.
#[derive(Clone, Debug)]
struct Sent {
    at: u64,
    from: usize,
    to: usize,
    config: LinkConfig,
    partitioned: bool,
    bytes: Vec<u8>,
    copies: u32,
}

#[derive(Clone, Debug)]
struct Step {
    wait: u64,
    from: usize,
    to: usize,
    size: usize,
    receive: bool,
}

#[derive(Clone, Debug)]
struct Cut {
    from: usize,
    to: usize,
    start: u64,
    length: u64,
}

fn ppm() -> impl Strategy<Value = u32> {
    prop_oneof![3 => Just(0), 2 => 0..=1_000_000_u32, 1 => Just(1_000_000)]
}

fn millis(most: u64) -> impl Strategy<Value = Duration> {
    (0..=most * MILLI).prop_map(Duration::from_nanos)
}

/// Of a latency of at least 20 ms.
fn jitter() -> impl Strategy<Value = Jitter> {
    prop_oneof![
        Just(Jitter::None),
        millis(20).prop_map(|spread| Jitter::Uniform { spread }),
        millis(20).prop_map(|spread| Jitter::Normal { spread }),
        (millis(20), millis(100)).prop_map(|(scale, most)| Jitter::Pareto { scale, most }),
    ]
}

prop_compose! {
    fn config()(
        latency in millis(50),
        jitter in jitter(),
        losses in [ppm(), ppm(), ppm()],
        bursts in prop::option::of([ppm(), ppm(), ppm()]),
        corruption in prop::option::of((ppm(), 1..=64_u32, ppm())),
        bandwidth in prop::option::of((1_000..10_000_000_u64, 0..5_000_u32)),
        mtu in prop::option::of(1..200_u32),
        keep_order in any::<bool>(),
    ) -> LinkConfig {
        LinkConfig {
            latency: latency + Duration::from_millis(20),
            jitter,
            loss_ppm: losses[0] / 4,
            bursts: bursts.map(|[enter, leave, bad]| Bursts {
                enter_ppm: enter,
                leave_ppm: leave.max(1),
                good_loss_ppm: losses[0] / 8,
                bad_loss_ppm: bad,
            }),
            reorder_ppm: losses[1],
            reorder_delay: Duration::from_millis(30),
            duplicate_ppm: losses[2],
            corruption: corruption
                .map(|(ppm, max_bit_flips, cut_ppm)| Corruption { ppm, max_bit_flips, cut_ppm }),
            bandwidth: bandwidth
                .map(|(bits_per_second, queue_bytes)| Bandwidth { bits_per_second, queue_bytes }),
            mtu,
            keep_order,
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let wait = prop_oneof![Just(0), 0..20 * MILLI];
    (wait, 0..NODES, 0..NODES, 0..250_usize, any::<bool>())
        .prop_map(|(wait, from, to, size, receive)| Step { wait, from, to, size, receive })
}

fn cut() -> impl Strategy<Value = Cut> {
    (0..NODES, 0..NODES, 0..500 * MILLI, 1..100 * MILLI).prop_map(|(from, to, start, length)| Cut {
        from,
        to,
        start,
        length,
    })
}

/// Finds the packet delivered and checks that it may be; `Ok(false)` if its bytes were changed on the way.
fn check(
    sent: &mut [Sent],
    from: usize,
    to: usize,
    at: u64,
    bytes: &[u8],
) -> Result<bool, TestCaseError> {
    let found = sent.iter_mut().find(|s| (s.from, s.to) == (from, to) && s.bytes == bytes);
    let Some(packet) = found else {
        let may_be_changed = sent.iter().any(|s| {
            (s.from, s.to) == (from, to)
                && s.config.corruption.is_some()
                && s.bytes.len() >= bytes.len()
        });
        prop_assert!(may_be_changed, "no packet had {bytes:?}");
        return Ok(false);
    };
    let (config, size) = (&packet.config, bytes.len() as u64);
    packet.copies += 1;
    prop_assert!(packet.copies <= 1 + u32::from(config.duplicate_ppm > 0), "too many copies");
    prop_assert!(!packet.partitioned, "sent into a partition");
    prop_assert!(config.mtu.is_none_or(|mtu| size <= u64::from(mtu)), "larger than the limit");
    let leaving = config.bandwidth.map_or(0, |b| size * 8_000_000_000 / b.bits_per_second);
    let earliest = packet.at + leaving + config.min_delay().as_nanos() as u64;
    prop_assert!(at >= earliest, "arrived at {at}, possible from {earliest}");
    if config.bandwidth.is_none() && !config.keep_order {
        let latest = packet.at + config.max_delay().as_nanos() as u64;
        prop_assert!(at <= latest, "arrived at {at}, due by {latest}");
    }
    Ok(true)
}

/// Everything that a run depends on.
#[derive(Clone, Debug)]
struct Case {
    seed: u64,
    default: LinkConfig,
    own: Option<(usize, usize, LinkConfig)>,
    change: Option<(u64, LinkConfig)>,
    cuts: Vec<Cut>,
    steps: Vec<Step>,
}

impl Case {
    fn network(&self) -> SimNetwork {
        let mut network = SimNetwork::new(self.seed);
        let nodes: Vec<_> = (0..NODES).map(|_| network.add_node()).collect();
        network.set_all_links(self.default).unwrap();
        if let Some((from, to, config)) = self.own {
            network.set_link(nodes[from], nodes[to], config).unwrap();
        }
        if let Some((at, config)) = self.change {
            network.at(Time::from_nanos(at), Change::All { config }).unwrap();
        }
        for cut in &self.cuts {
            let window = Time::from_nanos(cut.start)..Time::from_nanos(cut.start + cut.length);
            network.partition(nodes[cut.from], nodes[cut.to], window).unwrap();
        }
        network
    }

    /// Expectations of the oracle for a packet sent at a time.
    fn sent(&self, at: u64, from: usize, to: usize, bytes: Vec<u8>) -> Sent {
        let config = match (self.change, self.own) {
            (Some((change, config)), _) if change <= at => config,
            (_, Some((own_from, own_to, config))) if (own_from, own_to) == (from, to) => config,
            _ => self.default,
        };
        let partitioned = self.cuts.iter().any(|cut| {
            (cut.from, cut.to) == (from, to) && (cut.start..cut.start + cut.length).contains(&at)
        });
        Sent { at, from, to, config, partitioned, bytes, copies: 0 }
    }
}

/// A packet unlike any other: no few flipped bits turn one such number into another.
fn packet(number: usize, size: usize) -> Vec<u8> {
    let mut bytes = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes().to_vec();
    bytes.resize(8 + size, 0xa5);
    bytes
}

fn run(case: &Case) -> Result<(), TestCaseError> {
    let mut network = case.network();
    let nodes: Vec<_> = network.nodes().collect();
    let (mut sent, mut now, mut changed, mut buffer) = (Vec::new(), 0, 0, Vec::new());
    let mut last = [0; NODES];
    for (number, step) in case.steps.iter().enumerate() {
        now += step.wait;
        let time = Time::from_nanos(now);
        let (from, to) = (step.from, step.to);
        let bytes = packet(number, step.size);
        network.send(time, nodes[from], nodes[to], &bytes).unwrap();
        sent.push(case.sent(now, from, to, bytes));
        while step.receive
            && let Some(packet) = network.receive(time, nodes[from], &mut buffer).unwrap()
        {
            let at = packet.at.nanos();
            prop_assert!(at <= now && at >= last[from], "out of order");
            last[from] = at;
            changed += u64::from(!check(&mut sent, packet.from.index(), from, at, &buffer)?);
        }
    }
    let mut last = 0;
    while let Some(time) = network.next_delivery() {
        let stats = network.total_stats();
        let arriving = stats.delivered + stats.in_flight;
        prop_assert_eq!(stats.sent + stats.duplicated, arriving + stats.lost.total());
        let packet = network.poll(time, &mut buffer).unwrap();
        let at = time.nanos();
        prop_assert!(packet.at == time && at >= last, "out of order");
        last = at;
        let (from, to) = (packet.from.index(), packet.to.index());
        changed += u64::from(!check(&mut sent, from, to, at, &buffer)?);
    }
    check_stats(&network, &sent, changed)
}

fn check_stats(network: &SimNetwork, sent: &[Sent], changed: u64) -> Result<(), TestCaseError> {
    let stats = network.total_stats();
    prop_assert_eq!((stats.sent, stats.in_flight), (sent.len() as u64, 0));
    prop_assert_eq!(stats.sent_bytes, sent.iter().map(|s| s.bytes.len() as u64).sum::<u64>());
    prop_assert_eq!(stats.sent + stats.duplicated, stats.delivered + stats.lost.total());
    prop_assert_eq!(changed, stats.corrupted);
    let fits = |s: &Sent| s.config.mtu.is_none_or(|mtu| s.bytes.len() <= mtu as usize);
    let too_big = sent.iter().filter(|s| !fits(s)).count();
    let partitioned = sent.iter().filter(|s| s.partitioned && fits(s)).count();
    prop_assert_eq!(stats.lost.too_big, too_big as u64);
    prop_assert_eq!(stats.lost.partition, partitioned as u64);
    for (from, to) in network.nodes().flat_map(|from| network.nodes().map(move |to| (from, to))) {
        let of_link = |s: &&Sent| (s.from, s.to) == (from.index(), to.index());
        let stats = network.stats(from, to).unwrap();
        prop_assert_eq!(stats.sent, sent.iter().filter(of_link).count() as u64);
        let in_order = sent.iter().filter(of_link).all(|s| s.config.keep_order);
        prop_assert!(!in_order || stats.reordered == 0, "reordered on a path that keeps order");
    }
    Ok(())
}

prop_compose! {
    fn case()(
        seed in any::<u64>(),
        default in config(),
        own in prop::option::of((0..NODES, 0..NODES, config())),
        change in prop::option::of((0..500 * MILLI, config())),
        cuts in prop::collection::vec(cut(), 0..3),
        steps in prop::collection::vec(step(), 0..60),
    ) -> Case {
        Case { seed, default, own, change, cuts, steps }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn deliveries_are_what_was_sent_and_stats_add_up(case in case()) {
        run(&case)?;
    }
}
