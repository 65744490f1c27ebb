//! Random operations on three machines: no panic, and every received frame was sent by that peer, once.

use super::harness::{Datagram, Match, Weather, World, endpoint, ms, node};
use isostep_netcode::crypto::MachineId;
use proptest::prelude::*;
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
enum Step {
    /// A datagram in flight, or one delivered before.
    Deliver(usize),
    DeliverAll,
    Again(usize),
    Drop(usize),
    Corrupt(usize, usize),
    /// Changed source or destination.
    Astray(usize, u8, u8),
    Wait(u64),
    Game(usize, u8),
    Long(usize, u8, usize),
    Message(usize, u8, usize),
    Close(usize, u8),
    Connect(usize, usize),
    Restart(usize),
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => any::<usize>().prop_map(Step::Deliver),
        6 => Just(Step::DeliverAll),
        3 => any::<usize>().prop_map(Step::Again),
        2 => any::<usize>().prop_map(Step::Drop),
        3 => any::<(usize, usize)>().prop_map(|(which, bit)| Step::Corrupt(which, bit)),
        2 => (any::<usize>(), 0u8..5, 0u8..3).prop_map(|(which, from, to)| Step::Astray(which, from, to)),
        4 => prop_oneof![0u64..100, Just(1000), Just(6000), Just(11_000)].prop_map(Step::Wait),
        8 => (0usize..3, 0u8..4).prop_map(|(from, to)| Step::Game(from, to)),
        2 => (0usize..3, 0u8..3, 0usize..30_000).prop_map(|(from, to, size)| Step::Long(from, to, size)),
        2 => (0usize..3, 0u8..3, 0usize..5000).prop_map(|(from, to, size)| Step::Message(from, to, size)),
        1 => (0usize..3, 0u8..4).prop_map(|(from, to)| Step::Close(from, to)),
        2 => (0usize..3, 0usize..3).prop_map(|(from, to)| Step::Connect(from, to)),
        1 => (0usize..3).prop_map(Step::Restart),
    ]
}

struct Chaos {
    world: World,
    waiting: Vec<Datagram>,
    past: Vec<Datagram>,
    /// Sent frames by sender and receiver; each frame holds a unique number.
    sent: BTreeSet<(u8, u8, u32)>,
    numbers: u32,
    restarts: u64,
}

impl Chaos {
    fn new() -> Self {
        let change = |config: isostep_netcode::EndpointConfig| config.key_lifetime(ms(400));
        let mut world = World::configured(3, Weather::default(), 1, change);
        world.held = true;
        world.mesh();
        Self {
            world,
            waiting: Vec::new(),
            past: Vec::new(),
            sent: BTreeSet::new(),
            numbers: 0,
            restarts: 0,
        }
    }

    fn put(&mut self, datagram: &Datagram) {
        if let Some(&place) = self.world.routes.get(&datagram.to) {
            self.world.put(place, datagram.from, &datagram.bytes);
        }
    }

    fn take(&mut self, which: usize) -> Option<Datagram> {
        let length = self.waiting.len();
        let datagram = (length > 0).then(|| self.waiting.remove(which % length))?;
        self.past.push(datagram.clone());
        Some(datagram)
    }

    fn step(&mut self, step: &Step) {
        let now = self.world.now;
        match *step {
            Step::Deliver(which) => {
                if let Some(datagram) = self.take(which) {
                    self.put(&datagram);
                }
            }
            Step::DeliverAll => {
                while let Some(datagram) = self.take(0) {
                    self.put(&datagram);
                }
            }
            Step::Again(which) if !self.past.is_empty() => {
                let datagram = self.past[which % self.past.len()].clone();
                self.put(&datagram);
            }
            Step::Drop(which) => drop(self.take(which)),
            Step::Corrupt(which, bit) if !self.waiting.is_empty() => {
                let mut datagram = self.waiting[which % self.waiting.len()].clone();
                let place = bit % (datagram.bytes.len() * 8);
                datagram.bytes[place / 8] ^= 1 << (place % 8);
                self.put(&datagram);
            }
            Step::Astray(which, from, to) if !self.past.is_empty() => {
                let mut datagram = self.past[which % self.past.len()].clone();
                (datagram.from, datagram.to) = (node(from.into()), node(to.into()));
                self.put(&datagram);
            }
            Step::Wait(millis) => {
                self.world.now += ms(millis);
                (0..3).for_each(|place| self.world.timeout(place));
            }
            Step::Game(from, to) => {
                self.numbers += 1;
                let connected =
                    self.world.nodes[from].endpoint.connected().any(|machine| machine.0 == to);
                if connected {
                    self.sent.insert((from as u8, to, self.numbers));
                }
                let bytes = [&[0x80, from as u8, to][..], &self.numbers.to_le_bytes()].concat();
                self.world.nodes[from].endpoint.send_game(now, MachineId(to), &bytes);
            }
            Step::Long(from, to, size) => {
                self.world.nodes[from].endpoint.send_datagram(
                    now,
                    MachineId(to),
                    &vec![from as u8; size],
                );
            }
            Step::Message(from, to, size) => {
                _ = self.world.nodes[from]
                    .endpoint
                    .send_message(MachineId(to), &vec![from as u8; size]);
            }
            Step::Close(from, to) => {
                self.world.nodes[from].endpoint.close(now, MachineId(to), 7, "x");
            }
            Step::Connect(from, to) if from != to => self.world.connect(from, to),
            Step::Restart(place) => {
                self.restarts += 1;
                let config = Match::new(3).config(place).key_lifetime(ms(400));
                self.world.nodes[place].endpoint = endpoint(config, 1000 + self.restarts);
            }
            _ => (),
        }
        (0..3).for_each(|place| self.world.drain(place));
        self.waiting.append(&mut self.world.sent);
        // Bounded history.
        let excess = self.waiting.len().saturating_sub(300);
        self.waiting.drain(..excess);
    }

    fn check(&mut self) -> Result<(), TestCaseError> {
        for place in 0..3 {
            let node = &mut self.world.nodes[place];
            for (machine, bytes) in node.game.drain(..) {
                prop_assert_eq!(bytes.len(), 7);
                let number = u32::from_le_bytes([bytes[3], bytes[4], bytes[5], bytes[6]]);
                prop_assert_eq!((bytes[1], usize::from(bytes[2])), (machine.0, place));
                prop_assert!(
                    self.sent.remove(&(machine.0, place as u8, number)),
                    "twice, or never sent"
                );
            }
            for (machine, bytes) in node.datagrams.drain(..) {
                prop_assert!(bytes.iter().all(|byte| *byte == machine.0));
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn every_received_frame_was_sent_by_that_peer_once(steps in proptest::collection::vec(steps(), 1..250)) {
        let mut chaos = Chaos::new();
        for step in &steps {
            chaos.step(step);
            chaos.check()?;
        }
        // The connections can always be re-established.
        chaos.world.held = false;
        chaos.world.run(ms(12_000));
        chaos.world.mesh();
        chaos.world.run(ms(12_000));
        chaos.world.mesh();
        chaos.world.run(ms(3000));
        prop_assert_eq!(chaos.world.links(), 6);
    }
}
