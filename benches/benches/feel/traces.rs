//! Traces that both sides play: links recorded tick by tick, and inputs. All packets sent in a tick
//! of true time get the latency or loss of the trace, on both sides.

use crate::Pad;
use isostep_core::Rng;
use isostep_rollback::sim_network::Jitter;
use isostep_rollback::{LinkConfig, NewestWins, NodeId, SimNetwork, Time};
use std::time::Duration;

/// Default tick length of `SessionConfig`.
pub(crate) const TICK: Duration = Duration::from_nanos(1_000_000_000 / 60);
/// Ticks in a second.
pub(crate) const SECOND: u32 = 60;
/// Inverse probability that an input changes in a tick: seven or eight changes a second.
const CHANGES_ONE_IN: u64 = 8;

/// Link quality in each direction by tick.
pub(crate) struct Profile {
    pub(crate) title: &'static str,
    /// File name of the picture, without extension.
    pub(crate) file: &'static str,
    links: fn(u32) -> [LinkConfig; 2],
}

fn link(millis: u64, jitter: u64, loss_percent: u32) -> LinkConfig {
    let jitter = match jitter {
        0 => Jitter::None,
        millis => Jitter::Uniform { spread: Duration::from_millis(millis) },
    };
    LinkConfig {
        latency: Duration::from_millis(millis),
        jitter,
        loss_ppm: loss_percent * 10_000,
        ..LinkConfig::perfect()
    }
}

/// 30 ms, but 120 ms from second 30 to second 50.
fn step(tick: u32) -> [LinkConfig; 2] {
    let far = (30 * SECOND..50 * SECOND).contains(&tick);
    let link = link(if far { 120 } else { 30 }, 2, 0);
    [link, link]
}

pub(crate) const PROFILES: [Profile; 4] = [
    Profile {
        title: "80 ms ± 20 ms, 2 % lost",
        file: "feel-80ms",
        links: |_| [link(80, 20, 2); 2],
    },
    Profile {
        title: "mobile: 100 ms and more, 5 % lost",
        file: "feel-mobile",
        links: |_| [LinkConfig::mobile(); 2],
    },
    Profile {
        title: "10 ms one way, 200 ms the other",
        file: "feel-asymmetric",
        links: |_| [link(10, 0, 0), link(200, 0, 0)],
    },
    Profile { title: "30 ms, then 120 ms, then 30 ms", file: "feel-step", links: step },
];

/// Latency of a packet by the tick of sending, for each direction; `None` if it is lost.
pub(crate) struct Trace {
    /// Launch offset of the second machine. The two then connect over the links.
    pub(crate) launch: Duration,
    fates: [Vec<Option<Duration>>; 2],
}

impl Trace {
    /// Sends a packet in each tick and direction, and records its delivery.
    pub(crate) fn record(profile: &Profile, seed: u64, ticks: u32, launch: Duration) -> Self {
        let mut network = SimNetwork::new(seed);
        let nodes = [network.add_node(), network.add_node()];
        let mut fates = [vec![None; ticks as usize], vec![None; ticks as usize]];
        let mut bytes = Vec::new();
        for tick in 0..ticks {
            let [there, back] = (profile.links)(tick);
            network.set_link(nodes[0], nodes[1], there).expect("a profile");
            network.set_link(nodes[1], nodes[0], back).expect("a profile");
            let now = Time::ZERO + TICK * tick;
            for from in 0..2 {
                let packet = tick.to_le_bytes();
                network.send(now, nodes[from], nodes[1 - from], &packet).expect("time goes on");
            }
        }
        let end = Time::ZERO + TICK * ticks + Duration::from_secs(5);
        while let Some(delivery) = network.poll(end, &mut bytes) {
            let tick = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"));
            let took = delivery.at.since(Time::ZERO + TICK * tick);
            // Of a duplicated packet the first copy counts.
            fates[delivery.from.index()][tick as usize].get_or_insert(took);
        }
        Self { launch, fates }
    }

    /// Sets a network of two nodes to the trace's values for this tick.
    pub(crate) fn apply(&self, network: &mut SimNetwork, nodes: [NodeId; 2], tick: u32) {
        for (from, fates) in self.fates.iter().enumerate() {
            let perfect = LinkConfig::perfect();
            let link = match fates[tick as usize] {
                Some(latency) => LinkConfig { latency, ..perfect },
                None => LinkConfig { loss_ppm: 1_000_000, ..perfect },
            };
            network.set_link(nodes[from], nodes[1 - from], link).expect("a time or nothing");
        }
    }
}

/// Inputs of the two players, by ticks of true time.
pub(crate) struct Script {
    values: Vec<[u32; 2]>,
}

impl Script {
    pub(crate) fn new(seed: u64, ticks: u32) -> Self {
        let (mut rng, mut held) = (Rng::new(seed), [0; 2]);
        let mut values = Vec::new();
        for tick in 0..ticks {
            for held in &mut held {
                if rng.next_u64().is_multiple_of(CHANGES_ONE_IN) {
                    *held = tick + 1;
                }
            }
            values.push(held);
        }
        Self { values }
    }

    /// Input of a player at a time.
    pub(crate) fn at(&self, player: usize, now: Time) -> Pad {
        let tick = (now.nanos() / TICK.as_nanos() as u64) as usize;
        NewestWins(self.values[tick.min(self.values.len() - 1)][player])
    }
}
