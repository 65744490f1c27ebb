//! The least delay that would have done, found from the packets themselves after the fact. It shares no code with what
//! decides while they play.

use core::time::Duration;
use isostep_rollback::{LinkConfig, SimNetwork, Time};

const TICK: u64 = 1_000_000_000 / 60;

/// Latency of each tick's first arrival over a link, in nanoseconds, sorted: one packet a tick, and each has all that
/// came before it.
fn arrivals(seed: u64, link: &LinkConfig, ticks: u64) -> Vec<u64> {
    let mut network = SimNetwork::new(seed);
    network.set_all_links(*link).expect("a link");
    let (from, to) = (network.add_node(), network.add_node());
    let mut first = vec![u64::MAX; ticks as usize];
    let mut bytes = Vec::new();
    let mut take = |network: &mut SimNetwork, now: Time, first: &mut Vec<u64>| {
        while let Some(delivery) = network.poll(now, &mut bytes) {
            let tick = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"));
            let tick = usize::try_from(tick).expect("small");
            for (known, arrived) in first[..=tick].iter_mut().enumerate().rev() {
                if *arrived != u64::MAX {
                    break;
                }
                *arrived = delivery.at.nanos() - known as u64 * TICK;
            }
        }
    };
    for tick in 0..ticks {
        let now = Time::from_nanos(tick * TICK);
        take(&mut network, now, &mut first);
        network.send(now, from, to, &tick.to_le_bytes()).expect("sent in order");
    }
    take(&mut network, Time::from_nanos(ticks * TICK) + Duration::from_secs(5), &mut first);
    first.retain(|&late| late != u64::MAX);
    first.sort();
    first
}

/// The least delay, in ticks, with which 95 of 100 inputs would have been at most `rollback` ticks late in both directions,
/// if both clocks had been set right.
pub(crate) fn least_delay(seed: u64, there: &LinkConfig, back: &LinkConfig, rollback: u32) -> u32 {
    let late = |link, seed| {
        let arrivals = arrivals(seed, link, 6000);
        arrivals[arrivals.len() * 95 / 100]
    };
    let half = u64::midpoint(late(there, seed), late(back, seed ^ 1));
    half.saturating_sub(u64::from(rollback) * TICK).div_ceil(TICK) as u32
}
