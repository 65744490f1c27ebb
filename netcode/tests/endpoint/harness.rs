//! In-memory network: endpoints, a virtual clock, and full control over every datagram.
//!
//! The harness checks after each `handle_timeout(now)` that no timer is due at `now`.
#![allow(dead_code, reason = "no test uses all of it")]

pub(crate) use super::documents::{Match, endpoint};
use core::time::Duration;
use isostep_core::Rng;
use isostep_netcode::crypto::MachineId;
use isostep_netcode::{Address, Endpoint, EndpointConfig, Event, Message};
use isostep_rollback::Time;
use std::collections::BTreeMap;

pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) const fn node(number: usize) -> Address {
    Address::Node(number as u64)
}

/// Datagram with source and destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Datagram {
    pub(crate) at: Time,
    pub(crate) from: Address,
    pub(crate) to: Address,
    pub(crate) bytes: Vec<u8>,
}

/// Endpoint and its recorded output.
pub(crate) struct Node {
    pub(crate) endpoint: Endpoint,
    /// Source address of its datagrams.
    pub(crate) source: Address,
    pub(crate) events: Vec<Event>,
    pub(crate) game: Vec<(MachineId, Vec<u8>)>,
    pub(crate) datagrams: Vec<(MachineId, Vec<u8>)>,
    pub(crate) messages: Vec<(MachineId, Message)>,
    /// False if its program is stopped.
    pub(crate) runs: bool,
}

impl Node {
    pub(crate) fn count(&self, is: impl Fn(&Event) -> bool) -> usize {
        self.events.iter().filter(|event| is(event)).count()
    }

    pub(crate) fn connects(&self) -> usize {
        self.count(|event| matches!(event, Event::Connected { .. }))
    }
}

/// Loss, duplication and reordering per thousand datagrams, and latency.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Weather {
    pub(crate) loss: u32,
    pub(crate) doubles: u32,
    pub(crate) latency: u64,
    pub(crate) jitter: u32,
    /// Longer datagrams are dropped.
    pub(crate) longest: Option<usize>,
}

pub(crate) struct World {
    pub(crate) now: Time,
    pub(crate) nodes: Vec<Node>,
    pub(crate) weather: Weather,
    /// Node behind each address.
    pub(crate) routes: BTreeMap<Address, usize>,
    flying: BTreeMap<(Time, u64), Datagram>,
    sequence: u64,
    rng: Rng,
    /// All datagrams sent, delivered or not.
    pub(crate) sent: Vec<Datagram>,
    /// While set, datagrams are recorded but not delivered.
    pub(crate) held: bool,
}

impl World {
    pub(crate) fn new(ends: Vec<Endpoint>, weather: Weather, seed: u64) -> Self {
        let nodes: Vec<Node> = ends
            .into_iter()
            .enumerate()
            .map(|(place, endpoint)| Node {
                endpoint,
                source: node(place),
                events: Vec::new(),
                game: Vec::new(),
                datagrams: Vec::new(),
                messages: Vec::new(),
                runs: true,
            })
            .collect();
        let routes = (0..nodes.len()).map(|place| (node(place), place)).collect();
        Self {
            now: Time::from_millis(1),
            nodes,
            weather,
            routes,
            flying: BTreeMap::new(),
            sequence: 0,
            rng: Rng::new(seed),
            sent: Vec::new(),
            held: false,
        }
    }

    /// Machines of one match, not connected.
    pub(crate) fn of(machines: usize, weather: Weather, seed: u64) -> Self {
        Self::configured(machines, weather, seed, |config| config)
    }

    pub(crate) fn configured(
        machines: usize,
        weather: Weather,
        seed: u64,
        change: impl Fn(EndpointConfig) -> EndpointConfig,
    ) -> Self {
        let played = Match::new(machines);
        let ends = (0..machines)
            .map(|machine| endpoint(change(played.config(machine)), seed * 8 + machine as u64));
        Self::new(ends.collect(), weather, seed)
    }

    /// Two connected machines on a perfect network.
    pub(crate) fn pair(seed: u64) -> Self {
        let mut world = Self::of(2, Weather { latency: 10, ..Weather::default() }, seed);
        world.mesh();
        world.run(ms(2500));
        assert_eq!(world.links(), 2);
        world
    }

    pub(crate) fn connect(&mut self, from: usize, to: usize) {
        let (now, machine) = (self.now, MachineId(to as u8));
        self.nodes[from].endpoint.connect(now, machine, node(to)).expect("a machine of the match");
        self.drain(from);
    }

    /// Connects all pairs of machines.
    pub(crate) fn mesh(&mut self) {
        let machines = self.nodes.len();
        for from in 0..machines {
            (0..machines).filter(|to| *to != from).for_each(|to| self.connect(from, to));
        }
    }

    /// Number of established connection ends.
    pub(crate) fn links(&self) -> usize {
        self.nodes.iter().map(|node| node.endpoint.connected().count()).sum()
    }

    /// Drains an endpoint and sends its datagrams.
    pub(crate) fn drain(&mut self, place: usize) {
        let (now, held) = (self.now, self.held);
        let mut bytes = Vec::new();
        while let Some(to) = self.nodes[place].endpoint.poll_transmit(now, &mut bytes) {
            let from = self.nodes[place].source;
            let datagram = Datagram { at: now, from, to, bytes: bytes.clone() };
            if !held {
                self.fly(&datagram);
            }
            self.sent.push(datagram);
        }
        let node = &mut self.nodes[place];
        node.events.extend(core::iter::from_fn(|| node.endpoint.poll_event()));
        while let Some(machine) = node.endpoint.poll_game(&mut bytes) {
            node.game.push((machine, bytes.clone()));
        }
        while let Some(machine) = node.endpoint.poll_datagram(&mut bytes) {
            node.datagrams.push((machine, bytes.clone()));
        }
        node.messages.extend(core::iter::from_fn(|| node.endpoint.poll_message()));
    }

    fn chance(&mut self, per_thousand: u32) -> bool {
        per_thousand > 0 && self.rng.below(1000).expect("some") < per_thousand
    }

    /// Applies loss, duplication and latency to a datagram.
    pub(crate) fn fly(&mut self, datagram: &Datagram) {
        let weather = self.weather;
        let too_long = weather.longest.is_some_and(|longest| datagram.bytes.len() > longest);
        if self.chance(weather.loss) || too_long {
            return;
        }
        let copies = 1 + usize::from(self.chance(weather.doubles));
        for _ in 0..copies {
            let jitter = self.rng.below(weather.jitter.max(1)).expect("some");
            let arrives = self.now + ms(weather.latency + u64::from(jitter));
            self.sequence += 1;
            self.flying.insert((arrives, self.sequence), datagram.clone());
        }
    }

    /// Delivers a datagram immediately.
    pub(crate) fn put(&mut self, place: usize, from: Address, bytes: &[u8]) {
        if self.nodes[place].runs {
            self.nodes[place].endpoint.handle_datagram(self.now, from, bytes);
            self.drain(place);
        }
    }

    /// Handles the timers of an endpoint.
    pub(crate) fn timeout(&mut self, place: usize) {
        self.nodes[place].endpoint.handle_timeout(self.now);
        self.drain(place);
        let next = self.nodes[place].endpoint.poll_timeout();
        assert!(next.is_none_or(|next| next > self.now), "a loop without end at {}", self.now);
    }

    /// Advances time, with all deliveries and timers.
    pub(crate) fn run(&mut self, span: Duration) {
        let end = self.now + span;
        loop {
            let running = (0..self.nodes.len()).filter(|&place| self.nodes[place].runs);
            let due = running
                .filter_map(|place| Some((self.nodes[place].endpoint.poll_timeout()?, place)));
            let due = due.min();
            let lands = self.flying.first_key_value().map(|(key, _)| *key);
            let next = [due.map(|due| due.0), lands.map(|key| key.0)].into_iter().flatten().min();
            let Some(next) = next.filter(|next| *next <= end) else { break };
            self.now = self.now.max(next);
            match (lands, due) {
                (Some(key), _) if key.0 <= self.now => {
                    let datagram = self.flying.remove(&key).expect("it flies");
                    if let Some(&place) = self.routes.get(&datagram.to) {
                        self.put(place, datagram.from, &datagram.bytes);
                    }
                }
                (_, Some((_, place))) => self.timeout(place),
                _ => {}
            }
        }
        self.now = end;
    }

    /// All machines send all others a distinct frame per 16 ms, `count` times.
    pub(crate) fn play(&mut self, count: u32, tag: u8) {
        for number in 0..count {
            self.tick(number, tag);
            self.run(ms(16));
        }
    }

    pub(crate) fn tick(&mut self, number: u32, tag: u8) {
        for place in 0..self.nodes.len() {
            for machine in self.nodes[place].endpoint.connected().collect::<Vec<_>>() {
                let frame = frame(place, number, tag);
                self.nodes[place].endpoint.send_game(self.now, machine, &frame);
            }
            self.drain(place);
        }
    }
}

/// Frame of a sender in its n-th tick.
pub(crate) fn frame(from: usize, number: u32, tag: u8) -> Vec<u8> {
    let mut frame = vec![0x90, from as u8, tag];
    frame.extend_from_slice(&number.to_le_bytes());
    frame
}

/// Random bytes.
pub(crate) fn junk(rng: &mut Rng, length: usize) -> Vec<u8> {
    (0..length).map(|_| rng.next_u32() as u8).collect()
}
