//! Owns the behaviour of the simulated network: what each fault does, what chance depends on, and what must hold
//! whatever the configuration. All times are virtual.

mod chance;
mod clocks;
mod faults;
mod misuse;
mod oracle;

use isostep_rollback::Time;
use isostep_rollback::sim_network::{LinkConfig, NodeId, SimNetwork};

const MILLI: u64 = 1_000_000;

/// Two nodes with a link from the first to the second.
fn pair(seed: u64, config: LinkConfig) -> (SimNetwork, NodeId, NodeId) {
    let mut network = SimNetwork::new(seed);
    let (from, to) = (network.add_node(), network.add_node());
    network.set_link(from, to, config).unwrap();
    (network, from, to)
}

/// A delivery with its bytes, in nanoseconds.
type Arrived = (u64, NodeId, NodeId, Vec<u8>);

fn drain(network: &mut SimNetwork) -> Vec<Arrived> {
    let (mut arrived, mut bytes) = (Vec::new(), Vec::new());
    while let Some(now) = network.next_delivery() {
        let packet = network.poll(now, &mut bytes).expect("due at the time announced");
        arrived.push((packet.at.nanos(), packet.from, packet.to, bytes.clone()));
    }
    arrived
}

/// Sends `count` numbered packets, `every` nanoseconds apart, and returns (number, nanoseconds on the way) by arrival.
fn stream(seed: u64, config: LinkConfig, count: u32, every: u64) -> Vec<(u32, u64)> {
    let (mut network, from, to) = pair(seed, config);
    for number in 0..count {
        let now = Time::from_nanos(u64::from(number) * every);
        network.send(now, from, to, &number.to_le_bytes()).unwrap();
    }
    let arrived = drain(&mut network).into_iter().map(|(at, _, _, bytes)| {
        let number = u32::from_le_bytes(bytes.try_into().expect("no packet was cut"));
        (number, at - u64::from(number) * every)
    });
    arrived.collect()
}
