//! Recording: a simulated network that records received packets, and entropy that records the seeds of handshakes.

use crate::address::Address;
use crate::crypto::{Credentials, MachineId, MatchmakerPublic, Roster, StaticKey};
use crate::endpoint::{Endpoint, EndpointConfig};
use crate::entropy::{Entropy, SeededEntropy};
use isostep_rollback::{LinkConfig, NodeId, SimNetwork, Time};
use std::sync::{Arc, Mutex};

/// Unix time at the start of every capture.
pub(super) const UNIX: u64 = 1_800_000_000;

/// Seeds of Noise handshakes, and other secrets of the same length.
pub(super) type Seeds = Arc<Mutex<Vec<[u8; 32]>>>;

/// Seeded entropy that records every 32-byte draw.
struct RecordingEntropy {
    inner: SeededEntropy,
    seeds: Seeds,
}

impl Entropy for RecordingEntropy {
    fn fill(&mut self, out: &mut [u8]) {
        self.inner.fill(out);
        if let Ok(seed) = <[u8; 32]>::try_from(&*out) {
            self.seeds.lock().expect("one thread").push(seed);
        }
    }
}

/// Received packet.
pub(super) struct Packet {
    pub(super) micros: u64,
    pub(super) from: u8,
    pub(super) to: u8,
    pub(super) bytes: Vec<u8>,
}

/// Inputs of a decoder: keys, settings and packets.
pub(super) struct Capture {
    pub(super) matchmaker: MatchmakerPublic,
    pub(super) roster: Roster,
    /// By machine id.
    pub(super) keys: Vec<StaticKey>,
    pub(super) width: usize,
    pub(super) tick_micros: u32,
    pub(super) start: u32,
    /// Machine of each seat.
    pub(super) seats: Vec<u8>,
    pub(super) seeds: Vec<[u8; 32]>,
    pub(super) packets: Vec<Packet>,
}

/// Network whose nodes belong to machines.
pub(super) struct Net {
    network: SimNetwork,
    /// Machine of each node; a rebound machine has several.
    owners: Vec<u8>,
    /// Current node of each machine.
    nodes: Vec<NodeId>,
    seeds: Seeds,
    packets: Vec<Packet>,
}

impl Net {
    pub(super) fn new(seed: u64, machines: u8, link: LinkConfig) -> Self {
        let mut network = SimNetwork::new(seed);
        network.set_all_links(link).expect("a sound link");
        let nodes = (0..machines).map(|_| network.add_node()).collect();
        let (seeds, packets) = (Seeds::default(), Vec::new());
        Self { network, owners: (0..machines).collect(), nodes, seeds, packets }
    }

    /// Creates an endpoint whose entropy is recorded.
    pub(super) fn endpoint(&self, config: EndpointConfig, seed: u64) -> Endpoint {
        let inner = SeededEntropy::new(seed);
        let entropy = RecordingEntropy { inner, seeds: Arc::clone(&self.seeds) };
        Endpoint::new(config, Box::new(entropy)).expect("sound credentials")
    }

    pub(super) fn address(&self, machine: u8) -> Address {
        Address::Node(self.nodes[usize::from(machine)].index() as u64)
    }

    /// NAT rebinding: the machine gets a new address.
    pub(super) fn rebind(&mut self, machine: u8) {
        self.nodes[usize::from(machine)] = self.network.add_node();
        self.owners.push(machine);
    }

    /// Sends a datagram from a machine.
    pub(super) fn send(&mut self, now: Time, from: u8, to: Address, bytes: &[u8]) {
        let index = to.node().expect("all are nodes") as usize;
        let to = self.network.nodes().nth(index).expect("an address of this network");
        self.network.send(now, self.nodes[usize::from(from)], to, bytes).expect("time goes on");
    }

    /// Sends all packets of an endpoint. `clock` is the endpoint's, `now` the network's.
    pub(super) fn transmit(&mut self, now: Time, end: &mut Endpoint, clock: Time) {
        let mut bytes = Vec::new();
        while let Some(to) = end.poll_transmit(clock, &mut bytes) {
            self.send(now, end.machine().0, to, &bytes);
        }
    }

    /// Records the next received packet; returns its receiver and source address.
    pub(super) fn arrived(&mut self, now: Time, bytes: &mut Vec<u8>) -> Option<(u8, Address)> {
        loop {
            let delivery = self.network.poll(now, bytes)?;
            let [from, to] = [delivery.from, delivery.to].map(|node| self.owners[node.index()]);
            // Packets to an old address are lost.
            if self.nodes[usize::from(to)] == delivery.to {
                let micros = now.nanos() / 1000;
                self.packets.push(Packet { micros, from, to, bytes: bytes.clone() });
                return Some((to, Address::Node(delivery.from.index() as u64)));
            }
        }
    }

    /// Packets received so far.
    pub(super) fn packets(&self) -> &[Packet] {
        &self.packets
    }

    /// Converts the recording to a capture.
    pub(super) fn capture(
        self,
        all: &[Credentials],
        width: usize,
        (tick_micros, start): (u32, u32),
        seats: &[u8],
    ) -> Capture {
        Capture {
            matchmaker: *all[0].matchmaker(),
            roster: all[0].roster().clone(),
            keys: all.iter().map(|credentials| credentials.key().clone()).collect(),
            width,
            tick_micros,
            start,
            seats: seats.to_vec(),
            seeds: core::mem::take(&mut *self.seeds.lock().expect("one thread")),
            packets: self.packets,
        }
    }
}

/// Ids of all machines but one.
pub(super) fn others(machine: u8, machines: u8) -> impl Iterator<Item = MachineId> {
    (0..machines).filter(move |&other| other != machine).map(MachineId)
}
